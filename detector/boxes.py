"""Arithmetic on boxes: arrays of ``x1, y1, x2, y2``."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Denominator = Literal["union", "min", "first"]


def box_areas(boxes: NDArray) -> NDArray[np.float64]:
    """Areas of (n, 4) boxes; 0 for a box that is inside out."""
    sides = np.maximum(boxes[:, 2:].astype(np.float64) - boxes[:, :2], 0)
    return sides[:, 0] * sides[:, 1]


def box_overlaps(
    first: ArrayLike, second: ArrayLike, denominator: Denominator = "union"
) -> NDArray[np.float64]:
    """Return the overlap of every box of one array with every box of another.

    Parameters
    ----------
    first : (n, 4) array
    second : (m, 4) array
    denominator : {"union", "min", "first"}
        What the intersection's area is divided by: the union (IoU), the smaller of the two areas, or the first
        box's area (the rule for ignore regions).

    Returns
    -------
    (n, m) float64
        Values in [0, 1]; 0 where the denominator is 0.
    """
    a = np.asarray(first, np.float64).reshape(-1, 4)
    b = np.asarray(second, np.float64).reshape(-1, 4)
    sides = np.minimum(a[:, None, 2:], b[None, :, 2:]) - np.maximum(a[:, None, :2], b[None, :, :2])
    intersection = np.prod(np.maximum(sides, 0), axis=2)
    area_a, area_b = box_areas(a)[:, None], box_areas(b)[None]
    if denominator == "union":
        divisor = area_a + area_b - intersection
    elif denominator == "min":
        divisor = np.minimum(area_a, area_b)
    elif denominator == "first":
        divisor = np.broadcast_to(area_a, intersection.shape)
    else:
        raise ValueError(f"denominator of box_overlaps must be union, min or first, found {denominator!r}")
    return np.divide(intersection, divisor, out=np.zeros_like(intersection), where=divisor > 0)
