"""Text formats of detections, each a string for every image between a head and a tail."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from .detections import Detection
from .kitti_format import NO_ANGLE

if TYPE_CHECKING:
    from .image_result import ImageResult

CSV_COLUMNS = ("file", "x", "y", "width", "height", "score", "view", "angle_deg")


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """How a file of detections is put together.

    Parameters
    ----------
    image : callable
        From an `ImageResult` to its piece of text; empty when it has none.
    head, separator, tail : str
    suffix : str
        Usual ending of file names.
    file_per_image : bool
        Whether every image that was searched has a file of its own.
    """

    image: Callable[[ImageResult], str]
    head: str = ""
    separator: str = ""
    tail: str = ""
    suffix: str = ".txt"
    file_per_image: bool = False


def plain_text() -> TextFormat:
    """Return the format for people: a line a detection."""
    return TextFormat(image=_text_lines)


def json_document(model: str, model_sha256: str | None) -> TextFormat:
    """Return the JSON document, format ``badacost-detections`` version 1.

    Parameters
    ----------
    model : str
    model_sha256 : str or None
        Of the model file.
    """
    document = {
        "format": "badacost-detections",
        "version": 1,
        "model": model,
        "model_sha256": model_sha256,
        "images": [],
    }
    return TextFormat(
        image=_json_image,
        head=json.dumps(document)[: -len("]}")] + "\n",
        separator=",\n",
        tail="\n]}\n",
        suffix=".json",
    )


def json_lines() -> TextFormat:
    """Return JSON lines: the image objects of `json_document`, one a line."""
    return TextFormat(image=lambda result: _json_image(result) + "\n", suffix=".jsonl")


def csv_table() -> TextFormat:
    """Return a table with a row a detection; the angle is empty where views have none."""
    return TextFormat(image=_csv_rows, head=",".join(CSV_COLUMNS) + "\n", suffix=".csv")


def coco_results(*, class_agnostic: bool = False) -> TextFormat:
    """Return COCO's results array.

    The image id is that of `coco_image_id`; whoever writes several images makes sure that no two have the same.
    Category 1 is the model's first view, and so on.

    Parameters
    ----------
    class_agnostic : bool
        Category 1 for all views.
    """
    return TextFormat(
        image=lambda result: _coco_objects(result, class_agnostic),
        head="[\n",
        separator=",\n",
        tail="\n]\n",
        suffix=".json",
    )


def coco_image_id(file: str, output_name: str) -> int | str:
    """Return the number that a file's name consists of, as in COCO's own files, else the file's name.

    Parameters
    ----------
    file, output_name : str
        As in `ImageResult`. The folder does not count.
    """
    stem = PurePosixPath(output_name).name
    return int(stem) if stem.isascii() and stem.isdigit() else PurePosixPath(file).name


def kitti_results(object_type: str) -> TextFormat:
    """Return KITTI's result files: 16 fields a line, a file an image.

    Parameters
    ----------
    object_type : str
        First field of every line, for instance Car. Alpha is the angle of the view, -10 where the model has none.
    """
    if len(object_type.split()) != 1:
        raise ValueError(f"object_type of kitti_results must be one word, found {object_type!r}")
    return TextFormat(image=lambda result: _kitti_lines(result, object_type), file_per_image=True)


def fddb_list() -> TextFormat:
    """Return FDDB's list: name without suffix, number of detections, then ``x y width height score`` each."""
    return TextFormat(image=_fddb_block)


def text_format(
    name: str, *, model: str, model_sha256: str | None, class_agnostic: bool = False, object_type: str = ""
) -> TextFormat:
    """Return a format by the name that the detect command gives it.

    Parameters
    ----------
    name : {"text", "json", "jsonl", "csv", "coco", "kitti", "fddb"}
    model, model_sha256, class_agnostic, object_type
        For the formats that use them; see their functions.
    """
    formats: dict[str, Callable[[], TextFormat]] = {
        "text": plain_text,
        "json": lambda: json_document(model, model_sha256),
        "jsonl": json_lines,
        "csv": csv_table,
        "coco": lambda: coco_results(class_agnostic=class_agnostic),
        "kitti": lambda: kitti_results(object_type),
        "fddb": fddb_list,
    }
    if name not in formats:
        raise ValueError(f"name of text_format must be one of {', '.join(formats)}, found {name!r}")
    return formats[name]()


def _number(value: Any) -> float:
    """The shortest decimal number that is this float32."""
    return float(str(np.float32(value)))


def _x_y_width_height(detection: Detection) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = map(_number, detection.box)
    return x1, y1, round(x2 - x1, 6), round(y2 - y1, 6)


def _text_lines(result: ImageResult) -> str:
    lines = []
    for found in result.detections or ():
        x, y, width, height = _x_y_width_height(found)
        angle = "" if math.isnan(found.angle_deg) else f" ({found.angle_deg:.0f} deg)"
        lines.append(
            f"{result.file}: {found.view}{angle} score={found.score:.2f} "
            f"x={x:.1f} y={y:.1f} width={width:.1f} height={height:.1f}\n"
        )
    return "".join(lines)


def _json_image(result: ImageResult) -> str:
    height, width = result.size or (None, None)
    detections = [
        {
            "box": list(_x_y_width_height(found)),
            "score": _number(found.score),
            "view": found.view,
            "angle_deg": None if math.isnan(found.angle_deg) else found.angle_deg,
        }
        for found in result.detections or ()
    ]
    image = {
        "file": result.file,
        "width": width,
        "height": height,
        "error": result.error,
        "detections": detections,
    }
    return json.dumps(image, allow_nan=False)


def _csv_rows(result: ImageResult) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for found in result.detections or ():
        angle = "" if math.isnan(found.angle_deg) else found.angle_deg
        writer.writerow((result.file, *_x_y_width_height(found), _number(found.score), found.view, angle))
    return text.getvalue()


def _coco_objects(result: ImageResult, class_agnostic: bool) -> str:
    image_id = coco_image_id(result.file, result.output_name)
    detections = result.detections
    if detections is None:
        return ""
    objects = [
        {
            "image_id": image_id,
            "category_id": 1 if class_agnostic else int(view_index) + 1,
            "bbox": list(_x_y_width_height(found)),
            "score": _number(found.score),
        }
        for found, view_index in zip(detections, detections.view_indices, strict=True)
    ]
    return ",\n".join(json.dumps(item, allow_nan=False) for item in objects)


def _kitti_lines(result: ImageResult, object_type: str) -> str:
    lines = []
    for found in result.detections or ():
        alpha = NO_ANGLE if math.isnan(found.angle_deg) else _wrapped(math.radians(found.angle_deg))
        box = " ".join(f"{value:.2f}" for value in found.box)
        # Unknown: truncated, occluded, then height, width, length, x, y, z and rotation of the 3D box.
        lines.append(
            f"{object_type} -1 -1 {alpha:.4f} {box} -1 -1 -1 -1000 -1000 -1000 -10 {_number(found.score)}\n"
        )
    return "".join(lines)


def _wrapped(angle: float) -> float:
    """The same direction in [-pi, pi]."""
    return math.remainder(angle, 2 * math.pi)


def _fddb_block(result: ImageResult) -> str:
    if result.detections is None:
        return ""
    lines = [result.output_name, str(len(result.detections))]
    for found in result.detections:
        lines.append(" ".join(str(value) for value in (*_x_y_width_height(found), _number(found.score))))
    return "\n".join(lines) + "\n"
