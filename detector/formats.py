"""Text forms of detections: free functions from results to strings."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .detections import Detection
from .image_result import ImageResult
from .kitti_format import NO_ANGLE

CSV_HEADER = ("file", "x", "y", "width", "height", "score", "view", "angle_deg")
JSON_FORMAT = "badacost-detections"
JSON_VERSION = 1


def text_lines(result: ImageResult) -> list[str]:
    """Return a readable line a detection."""
    lines = []
    for d in result.detections or ():
        x, y, width, height = _xywh(d)
        angle = "" if math.isnan(d.angle_deg) else f" ({d.angle_deg:+.0f} deg)"
        lines.append(
            f"{result.file}: {d.view}{angle}, score {d.score:.2f}, box {x:.0f},{y:.0f} {width:.0f}x{height:.0f}"
        )
    return lines


def json_image(result: ImageResult) -> dict[str, Any]:
    """Return one image's entry of the JSON format; also a line of the JSON-lines format."""
    return {
        "file": result.file,
        "width": result.width,
        "height": result.height,
        "error": result.error,
        "detections": [
            {
                "box": [round(value, 2) for value in _xywh(d)],
                "score": round(d.score, 4),
                "view": d.view,
                "angle_deg": None if math.isnan(d.angle_deg) else d.angle_deg,
            }
            for d in result.detections or ()
        ],
    }


def json_document(results: Iterable[ImageResult], *, model: str, model_sha256: str | None) -> str:
    """Return the JSON document of many images."""
    document = {
        "format": JSON_FORMAT,
        "version": JSON_VERSION,
        "model": model,
        "model_sha256": model_sha256,
        "images": [json_image(result) for result in results],
    }
    return json.dumps(document, indent=1) + "\n"


def csv_text(results: Iterable[ImageResult], *, header: bool = True) -> str:
    """Return rows of CSV, a detection each."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if header:
        writer.writerow(CSV_HEADER)
    for result in results:
        for d in result.detections or ():
            angle = "" if math.isnan(d.angle_deg) else f"{d.angle_deg:g}"
            writer.writerow([result.file, *(f"{v:.2f}" for v in _xywh(d)), f"{d.score:.4f}", d.view, angle])
    return stream.getvalue()


def coco_results(
    results: Iterable[ImageResult], view_names: Sequence[str], *, class_agnostic: bool
) -> list[dict[str, Any]]:
    """Return COCO's results array.

    The image's id is the number that its file is named with, else the name without extension. Categories are
    the views in the model's order, from 1; with `class_agnostic` all are category 1.
    """
    rows = []
    for result in results:
        stem = Path(result.file).stem
        for d in result.detections or ():
            rows.append(
                {
                    "image_id": int(stem) if stem.isdigit() else stem,
                    "category_id": 1 if class_agnostic else view_names.index(d.view) + 1,
                    "bbox": [round(value, 2) for value in _xywh(d)],
                    "score": round(d.score, 4),
                }
            )
    return rows


def kitti_text(result: ImageResult, object_type: str = "Car") -> str:
    """Return the lines of KITTI's result file of one image; what the detector does not know has KITTI's defaults."""
    lines = []
    for d in result.detections or ():
        alpha = NO_ANGLE if math.isnan(d.angle_deg) else math.radians(d.angle_deg)
        corners = " ".join(f"{value:.2f}" for value in d.box)
        lines.append(
            f"{object_type} -1 -1 {alpha:.4f} {corners} -1 -1 -1 -1000 -1000 -1000 -10 {d.score:.4f}\n"
        )
    return "".join(lines)


def fddb_text(result: ImageResult) -> str:
    """Return one image's part of FDDB's detection list (the name goes without extension)."""
    found = list(result.detections or ())
    rows = [" ".join(f"{value:.2f}" for value in _xywh(d)) + f" {d.score:.4f}\n" for d in found]
    return f"{Path(result.file).with_suffix('').as_posix()}\n{len(found)}\n" + "".join(rows)


def _xywh(detection: Detection) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = (float(value) for value in detection.box)
    return x1, y1, x2 - x1, y2 - y1
