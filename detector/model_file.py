"""The model file: one ``.npz`` of arrays and a JSON header, readable without pickle."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.channel_options import ChannelOptions
from ..features.decorrelation import DecorrelationFilters
from ..features.pyramid import PyramidOptions
from .atomic_write import write_atomic
from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detection_options import DetectionOptions, View
from .detector_model import DetectorModel
from .feature_levels import FeaturePipeline, Quantization
from .model_archive import LARGEST_SIZE, archive_of_arrays, arrays_of_archive
from .model_header import checked_value, options_of_header
from .window import WindowOptions

FORMAT = "badacost-detector"
VERSION = 1
# Files without this entry hold a multi-class cascade.
TYPE_OF_CASCADE: dict[str, type[Cascade] | type[BinaryCascade]] = {
    "multi-class": Cascade,
    "binary": BinaryCascade,
}
LARGEST_CLASSES = 256  # labels are bytes
KIND_OF_CASCADE = {type_of_cascade: kind for kind, type_of_cascade in TYPE_OF_CASCADE.items()}


class ModelError(ValueError):
    """A model file is missing, damaged, of another version, or no detector."""


def save_model(detector: DetectorModel, path: str | Path) -> None:
    """Write a detector to `path`, under a temporary name first, so that a killed run leaves no half file.

    The same detector gives the same bytes.

    Raises
    ------
    ModelError
        When the detector is one that `load_model` would refuse; nothing is written.
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
    text = json.dumps(header, sort_keys=True)
    arrays: dict[str, NDArray] = {"header": np.frombuffer(text.encode(), np.uint8)}
    arrays |= {name: getattr(cascade, name) for name in _array_names(type(cascade))}
    if filters is not None:
        arrays["filters"] = filters.filters
    if quantization is not None:
        arrays |= {"quantization_offset": quantization.offset, "quantization_scale": quantization.scale}
    content = archive_of_arrays(arrays)
    try:
        _detector(*_header_and_arrays(content), None)
    except ValueError as error:
        raise ModelError(f"{path}: not written, since it could not be loaded ({error})") from error
    write_atomic(path, content)


def load_model(name_or_path: str | Path) -> DetectorModel:
    """Read a detector: a shipped model's name ("faces"), or the path of a model file.

    Raises
    ------
    ModelError
        Naming the file, what was found and what was expected.
    """
    path = _model_path(name_or_path)
    try:
        content = _content(path)
        return _detector(*_header_and_arrays(content), hashlib.sha256(content).hexdigest())
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error


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


def _content(path: Path) -> bytes:
    size = path.stat().st_size
    if size > LARGEST_SIZE:
        raise ValueError(f"not a model file: it has {size} bytes, expected at most {LARGEST_SIZE}")
    return path.read_bytes()


def _header_and_arrays(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray]]:
    arrays = arrays_of_archive(content)
    try:
        header = json.loads(arrays.pop("header").tobytes().decode())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the header is damaged ({error})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"not a detector; expected a header with format {FORMAT!r}")
    if header.get("version") != VERSION:
        raise ValueError(
            f"model format version {header.get('version')!r} is not readable by this version "
            f"of badacost, expected {VERSION}"
        )
    return header, arrays


def _detector(header: dict[str, Any], arrays: dict[str, NDArray], sha256: str | None) -> DetectorModel:
    """Put a detector together.

    Raises
    ------
    ValueError
        When a part is missing, of another type, out of its limits, or does not fit the others.
    """
    try:
        detector = _assembled(header, arrays, sha256)
        check_parts_fit(detector)
    except KeyError as error:
        raise ValueError(f"the model is damaged: {error.args[0]} is missing") from error
    except ValueError as error:
        raise ValueError(f"the model is damaged: {error}") from error
    return detector


def _assembled(header: dict[str, Any], arrays: dict[str, NDArray], sha256: str | None) -> DetectorModel:
    kind_name = checked_value(str, header.get("cascade", "multi-class"), "cascade")
    if kind_name not in TYPE_OF_CASCADE:
        raise ValueError(f"cascade must be one of {', '.join(TYPE_OF_CASCADE)}, found {kind_name!r}")
    kind = TYPE_OF_CASCADE[kind_name]
    trees: dict[str, Any] = {name: arrays[name] for name in _array_names(kind)}
    window_shape = checked_value(tuple[int, int, int], header["window_shape"], "window_shape")
    filters = DecorrelationFilters(arrays["filters"]) if "filters" in arrays else None
    quantization = None
    if "quantization_offset" in arrays or "quantization_scale" in arrays:
        quantization = Quantization(arrays["quantization_offset"], arrays["quantization_scale"])
    views = checked_value(list, header["views"], "views")
    return DetectorModel(
        name=checked_value(str, header["name"], "name"),
        cascade=kind(**trees, window_shape=window_shape),
        pipeline=FeaturePipeline(
            options_of_header(ChannelOptions, header["channels"], "channels"),
            options_of_header(PyramidOptions, header["pyramid"], "pyramid"),
            filters,
            quantization,
        ),
        window=options_of_header(WindowOptions, header["window"], "window"),
        views=tuple(options_of_header(View, view, f"views[{index}]") for index, view in enumerate(views)),
        options=options_of_header(DetectionOptions, header["detection"], "detection"),
        provenance=checked_value(dict, header["provenance"], "provenance"),
        sha256=sha256,
    )


def check_parts_fit(detector: DetectorModel) -> None:
    """Compare the parts of a detector that its classes do not compare.

    Raises
    ------
    ValueError
        Naming the parts that do not fit together.
    """
    cascade, pipeline = detector.cascade, detector.pipeline
    channels, filters = pipeline.channels, pipeline.filters
    if filters is not None and filters.filters.shape[1] != channels.n_channels:
        raise ValueError(
            f"filters must be for the {channels.n_channels} channels, found {filters.filters.shape[1]}"
        )
    expected = (pipeline.n_features, *detector.window.cells(pipeline.shrink))
    if cascade.window_shape != expected:
        raise ValueError(f"window_shape must be {expected} for these features, found {cascade.window_shape}")
    is_quantized = pipeline.quantization is not None
    if is_quantized and pipeline.quantization.offset.shape != (pipeline.n_features,):  # type: ignore[union-attr]
        raise ValueError(f"quantization must be of {pipeline.n_features} features")
    if is_quantized != (cascade.threshold.dtype == np.uint8):
        features = "quantized" if is_quantized else "float32"
        raise ValueError(
            f"threshold must be of the type of the {features} features, found {cascade.threshold.dtype}"
        )
    if (pipeline.pyramid.multiple or channels.shrink) % channels.shrink:
        raise ValueError(
            f"pyramid.multiple must be a multiple of channels.shrink {channels.shrink}, "
            f"found {pipeline.pyramid.multiple}"
        )
    if not 2 <= cascade.n_classes <= LARGEST_CLASSES:
        raise ValueError(f"cost_matrix must be of 2 to {LARGEST_CLASSES} classes, found {cascade.n_classes}")
    if len(set(detector.view_names)) < len(detector.views):
        raise ValueError(f"views must have different names, found {', '.join(detector.view_names)}")


def _array_names(type_of_cascade: type[Cascade] | type[BinaryCascade]) -> list[str]:
    return [field.name for field in fields(type_of_cascade) if field.name != "window_shape"]
