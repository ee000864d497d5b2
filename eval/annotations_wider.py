"""WIDER FACE's text annotation (Yang et al., CVPR 2016).

For each image a line with its name, a line with the number of faces, and a line ``x y w h blur expression
illumination invalid occlusion pose`` for each face; where the number is 0 the official lists still have one
line of zeros.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .ground_truth import FaceGroundTruth
from .input_records import BadRecords, EvaluationError

FIELDS = 10
INVALID_FIELD = 7
# Medians over AFW, between a box from forehead to chin and AFW's square from eyebrows to chin.
SQUARE_SIDE = 0.9
SQUARE_DROP = 0.125


def squares_of_tall_boxes(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn boxes from forehead to chin into squares from eyebrows to chin, (n, 4) ``x1, y1, x2, y2``.

    The side is 0.9 times the geometric mean of width and height, the centre 0.125 heights lower.
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    half = SQUARE_SIDE / 2 * np.sqrt(np.prod(sides, axis=1, keepdims=True))
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2 + sides * (0.0, SQUARE_DROP)
    return np.hstack((centres - half, centres + half))


def read_wider_annotations(path: Path, bad: BadRecords, *, squares: bool = False) -> list[FaceGroundTruth]:
    """Read a bbx list; faces marked invalid, and boxes without any area, are ignored.

    Parameters
    ----------
    path : Path
    bad : BadRecords
    squares : bool
        Convert the boxes by `squares_of_tall_boxes`.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({error})") from error
    images: list[FaceGroundTruth] = []
    seen: set[str] = set()
    position = 0
    while position < len(lines):
        name, name_line = lines[position], position + 1
        position += 1
        if not name:
            continue
        if position >= len(lines) or not lines[position].isdigit():
            found = repr(lines[position]) if position < len(lines) else "the end of the file"
            bad.add(path, position + 1, f"found {found}, expected the number of faces of {name!r}")
            position = _next_image(lines, position)
            continue
        count = int(lines[position])
        position += 1
        rows: list[list[float]] = []
        for _ in range(max(count, 1)):
            values = _face(lines[position]) if position < len(lines) else None
            if count == 0 and (values is None or any(values)):
                break
            position += 1
            if values is None:
                found = repr(lines[position - 1]) if position <= len(lines) else "the end of the file"
                bad.add(path, position, f"found {found}, expected {FIELDS} numbers of a face of {name!r}")
            elif count:
                rows.append(values)
        if name in seen:
            bad.add(path, name_line, f"image {name!r} occurs twice")
            continue
        seen.add(name)
        images.append(_image(name, rows, squares))
    return images


def _face(line: str) -> list[float] | None:
    try:
        values = [float(field) for field in line.split()]
    except ValueError:
        return None
    if len(values) != FIELDS or not all(math.isfinite(value) for value in values):
        return None
    return values


def _next_image(lines: list[str], position: int) -> int:
    """Return the next line that is followed by a number of faces."""
    while position < len(lines) and not (position + 1 < len(lines) and lines[position + 1].isdigit()):
        position += 1
    return position


def _image(name: str, rows: list[list[float]], squares: bool) -> FaceGroundTruth:
    values = np.array(rows, dtype=np.float64).reshape(-1, FIELDS)
    boxes = np.hstack((values[:, :2], values[:, :2] + np.maximum(values[:, 2:4], 0)))
    ignored = (values[:, INVALID_FIELD] == 1) | (values[:, 2:4] <= 0).any(axis=1)
    return FaceGroundTruth.create(name, squares_of_tall_boxes(boxes) if squares else boxes, ignored=ignored)
