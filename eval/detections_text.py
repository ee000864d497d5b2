"""Detections as plain lines ``image score x1 y1 x2 y2``, the format of AFW's and PASCAL Faces' toolbox."""

from __future__ import annotations

from pathlib import Path

from .detection_rows import DetectionRows
from .input_records import BadRecords, EvaluationError, reason


def read_text_detections(path: Path, rows: DetectionRows, bad: BadRecords) -> None:
    """Add the lines of a file to `rows`; empty lines are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            name, score, *corners = _fields(text)
            rows.add(rows.image_index(name), [float(value) for value in corners], float(score))
        except ValueError as error:
            bad.add(path, line, str(error))


def _fields(text: str) -> list[str]:
    """Split a line; only the image's name may hold blanks."""
    fields = text.rsplit(maxsplit=5)
    try:
        if len(fields) != 6:
            raise ValueError
        [float(field) for field in fields[1:]]
    except ValueError:
        raise ValueError(f"found {text.strip()!r}, expected `image score x1 y1 x2 y2`") from None
    return fields
