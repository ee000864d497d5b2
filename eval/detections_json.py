"""Detections in this project's JSON (one document) and JSON lines (one image object a line)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from .detection_rows import DetectionRows
from .input_records import BadRecords, EvaluationError, reason

FORMAT, VERSION = "badacost-detections", 1


def read_json_detections(path: Path, rows: DetectionRows, bad: BadRecords) -> set[int]:
    """Add the detections of a file to `rows`.

    Returns
    -------
    set of int
        The annotated images that the file lists.

    Raises
    ------
    EvaluationError
        If the file is not in this format, or a record is bad (see `BadRecords`).
    """
    listed: set[int] = set()
    for line, where, image in _images(path, bad):
        try:
            name, detections = _image_fields(image)
            index = rows.image_index(name)
            if index in listed:
                raise ValueError(f"image {name!r} occurs twice")
        except ValueError as error:
            bad.add(path, line, f"{where}{error}")
            continue
        listed.add(index)
        for number, detection in enumerate(detections):
            try:
                _add(rows, index, detection)
            except (ValueError, OverflowError) as error:
                bad.add(path, line, f"{where}image {name!r}, detections[{number}]: {error}")
    return listed


def _images(path: Path, bad: BadRecords) -> Iterator[tuple[int | None, str, Any]]:
    """Yield line (JSON lines only), place (JSON only) and content of each image object."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    if path.suffix.lower() == ".jsonl":
        for line, content in enumerate(text.splitlines(), start=1):
            if not content.strip():
                continue
            try:
                image = json.loads(content)
            except json.JSONDecodeError as error:
                bad.add(path, line, f"not JSON ({error})")
                continue
            yield line, "", image
        return
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise EvaluationError(f"{path}:{error.lineno}: not JSON ({error.msg})") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise EvaluationError(f'{path}: expected an object with "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise EvaluationError(f"{path}: found version {document.get('version')!r}, expected {VERSION}")
    if not isinstance(document.get("images"), list):
        raise EvaluationError(f'{path}: expected a list under "images"')
    for number, image in enumerate(document["images"]):
        yield None, f"images[{number}]: ", image


def _image_fields(image: Any) -> tuple[str, list[Any]]:
    if not isinstance(image, dict) or not isinstance(image.get("file"), str):
        raise ValueError('expected an object with the image\'s name under "file"')
    if image.get("error") is not None:
        raise ValueError(f"image {image['file']!r} was not searched: {image['error']}")
    detections = image.get("detections")
    if not isinstance(detections, list):
        raise ValueError(f'image {image["file"]!r}: expected a list under "detections"')
    return image["file"], detections


def _add(rows: DetectionRows, index: int, detection: Any) -> None:
    if not isinstance(detection, dict):
        raise ValueError(f"found {detection!r}, expected an object")
    box, score = detection.get("box"), detection.get("score", math.nan)
    if not (_is_box(box) and _is_number(score)):
        raise ValueError(
            f"found box {box!r} and score {score!r}, expected [x, y, width, height] and a number"
        )
    angle = detection.get("angle_deg")
    if angle is not None and not _is_number(angle):
        raise ValueError(f"found angle_deg {angle!r}, expected a number or null")
    x, y, width, height = (float(value) for value in box)
    rows.add(
        index,
        (x, y, x + width, y + height),
        float(score),
        str(detection.get("view") or ""),
        math.nan if angle is None else angle,
    )


def _is_box(value: Any) -> TypeGuard[list[float]]:
    return isinstance(value, list) and len(value) == 4 and all(_is_number(number) for number in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
