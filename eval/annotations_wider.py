"""WIDER FACE's text annotation (Yang et al., CVPR 2016).

For each image a line with its name, a line with the number of faces, and a line ``x y w h blur expression
illumination invalid occlusion pose`` for each face; where the number is 0 the official lists still have one
line of zeros.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .counted_blocks import read_counted_blocks
from .ground_truth import FaceGroundTruth
from .input_records import BadRecords

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
    blocks = read_counted_blocks(path, bad, (FIELDS,), "face")
    return [_image(block.name, [row.values for row in block.rows], squares) for block in blocks]


def _image(name: str, rows: list[list[float]], squares: bool) -> FaceGroundTruth:
    values = np.array(rows, dtype=np.float64).reshape(-1, FIELDS)
    boxes = np.hstack((values[:, :2], values[:, :2] + np.maximum(values[:, 2:4], 0)))
    ignored = (values[:, INVALID_FIELD] == 1) | (values[:, 2:4] <= 0).any(axis=1)
    return FaceGroundTruth.create(name, squares_of_tall_boxes(boxes) if squares else boxes, ignored=ignored)
