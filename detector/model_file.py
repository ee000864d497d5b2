"""The model file: one ``.npz`` of arrays and a JSON header, readable without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.channels import ChannelOptions
from ..features.decorrelation import DecorrelationFilters
from ..features.pyramid import PyramidOptions
from .atomic_write import write_atomic
from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detector import DetectionOptions, Detector, View
from .feature_levels import FeaturePipeline, Quantization
from .suppression import SuppressionOptions
from .window import WindowOptions

FORMAT = "badacost-detector"
VERSION = 1
# Files without this entry hold a multi-class cascade.
TYPE_OF_CASCADE: dict[str, type[Cascade] | type[BinaryCascade]] = {
    "multi-class": Cascade,
    "binary": BinaryCascade,
}
KIND_OF_CASCADE = {type_of_cascade: kind for kind, type_of_cascade in TYPE_OF_CASCADE.items()}


class ModelError(ValueError):
    """A model file is missing, damaged, of another version, or no detector."""


def save_model(detector: Detector, path: str | Path) -> None:
    """Write a detector to `path`, under a temporary name first, so that a killed run leaves no half file.

    The same detector gives the same bytes.
    """
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": detector.name,
        "window": asdict(detector.window),
        "views": [asdict(view) for view in detector.views],
        "channels": asdict(detector.pipeline.channels),
        "pyramid": asdict(detector.pipeline.pyramid),
        "detection": asdict(detector.options),
        "cascade": KIND_OF_CASCADE[type(detector.cascade)],
        "window_shape": list(detector.cascade.window_shape),
        "provenance": dict(detector.provenance),
    }
    cascade, filters, quantization = (
        detector.cascade,
        detector.pipeline.filters,
        detector.pipeline.quantization,
    )
    arrays: dict[str, NDArray] = {
        "header": np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8),
    }
    arrays |= {name: getattr(cascade, name) for name in _array_names(type(cascade))}
    if filters is not None:
        arrays["filters"] = filters.filters
    if quantization is not None:
        arrays |= {"quantization_offset": quantization.offset, "quantization_scale": quantization.scale}
    write_atomic(path, _archive(arrays))


def load_model(name_or_path: str | Path) -> Detector:
    """Read a detector: a shipped model's name ("faces"), or the path of a model file.

    Raises
    ------
    ModelError
        Naming the file, what was found and what was expected.
    """
    path = _model_path(name_or_path)
    try:
        content = path.read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
        raise ModelError(f"{path}: not a readable model file ({error})") from error
    if not isinstance(arrays.get("header"), np.ndarray):
        raise ModelError(f"{path}: no header found; expected a file written by Detector.save")
    try:
        header = json.loads(arrays["header"].tobytes().decode())
    except ValueError as error:
        raise ModelError(f"{path}: the header is damaged ({error})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"{path}: not a detector; expected a header with format {FORMAT!r}")
    if header.get("version") != VERSION:
        raise ModelError(
            f"{path}: model format version {header.get('version')!r} is not readable by this version "
            f"of badacost, expected {VERSION}"
        )
    try:
        return _detector(header, arrays, hashlib.sha256(content).hexdigest())
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: the model is damaged ({type(error).__name__}: {error})") from error


def shipped_models() -> dict[str, Path]:
    """Names and paths of the models that come with the package."""
    folder = Path(__file__).resolve().parent.parent / "models"
    return {path.stem: path for path in sorted(folder.glob("*.npz"))}


def _model_path(name_or_path: str | Path) -> Path:
    path = Path(name_or_path)
    if path.is_file():
        return path
    shipped = shipped_models()
    if str(name_or_path) in shipped:
        return shipped[str(name_or_path)]
    raise ModelError(
        f"model {str(name_or_path)!r} is neither a file nor a shipped model; shipped: {', '.join(shipped) or 'none'}"
    )


def _detector(header: dict[str, Any], arrays: dict[str, NDArray], sha256: str) -> Detector:
    detection = dict(header["detection"])
    detection["suppression"] = SuppressionOptions(**detection["suppression"])
    if detection["views"] is not None:
        detection["views"] = tuple(detection["views"])
    pyramid: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in header["pyramid"].items()
    }
    kind = TYPE_OF_CASCADE[header.get("cascade", "multi-class")]
    trees: dict[str, Any] = {name: arrays[name] for name in _array_names(kind)}
    cascade = kind(**trees, window_shape=tuple(header["window_shape"]))
    filters = DecorrelationFilters(arrays["filters"]) if "filters" in arrays else None
    quantization = None
    if "quantization_offset" in arrays:
        quantization = Quantization(arrays["quantization_offset"], arrays["quantization_scale"])
    return Detector(
        name=header["name"],
        cascade=cascade,
        pipeline=FeaturePipeline(
            ChannelOptions(**header["channels"]), PyramidOptions(**pyramid), filters, quantization
        ),
        window=WindowOptions(**header["window"]),
        views=tuple(View(**view) for view in header["views"]),
        options=DetectionOptions(**detection),
        provenance=header["provenance"],
        sha256=sha256,
    )


def _array_names(type_of_cascade: type[Cascade] | type[BinaryCascade]) -> list[str]:
    return [field.name for field in fields(type_of_cascade) if field.name != "window_shape"]


def _archive(arrays: dict[str, NDArray]) -> bytes:
    """An .npz whose bytes depend on the arrays alone (`numpy.savez` writes the time of day)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue())
    return buffer.getvalue()
