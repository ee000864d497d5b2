"""Arithmetic on boxes: arrays of ``x1, y1, x2, y2``."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Denominator = Literal["union", "min", "first"]
KeptMeasure = Literal["height", "width", "area", "inside", "outside"]


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
        What the intersection's area is divided by: the union (IoU), the smaller of the two areas, or the area
        of the box in `first` (the rule where `second` holds ignore regions).

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


def scale_boxes(boxes: ArrayLike, height_factor: float, width_factor: float) -> NDArray[np.float64]:
    """Multiply heights and widths of (n, 4) boxes; their centres stay."""
    corners = np.asarray(boxes, np.float64).reshape(-1, 4)
    return _about_centers(
        corners,
        (corners[:, 2] - corners[:, 0]) * width_factor,
        (corners[:, 3] - corners[:, 1]) * height_factor,
    )


def squarify(
    boxes: ArrayLike, aspect_ratio: float = 1.0, keep: KeptMeasure = "height"
) -> NDArray[np.float64]:
    """Give boxes one aspect ratio; their centres stay.

    Parameters
    ----------
    boxes : (n, 4) array
    aspect_ratio : float
        Width / height.
    keep : {"height", "width", "area", "inside", "outside"}
        What of a box stays as it is. "inside" gives the largest box within it about its centre, "outside" the
        smallest box around it.

    Returns
    -------
    (n, 4) float64
    """
    if not 0 < aspect_ratio < np.inf:
        raise ValueError(f"aspect_ratio of squarify must be positive, found {aspect_ratio}")
    corners = np.asarray(boxes, np.float64).reshape(-1, 4)
    width, height = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    if keep == "height":
        width = height * aspect_ratio
    elif keep == "area":
        width = np.sqrt(width * height * aspect_ratio)
    elif keep == "inside":
        width = np.minimum(width, height * aspect_ratio)
    elif keep == "outside":
        width = np.maximum(width, height * aspect_ratio)
    elif keep != "width":
        raise ValueError(f"keep of squarify must be height, width, area, inside or outside, found {keep!r}")
    return _about_centers(corners, width, width / aspect_ratio)


def _about_centers(
    boxes: NDArray[np.float64], width: NDArray[np.float64], height: NDArray[np.float64]
) -> NDArray[np.float64]:
    center = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = np.stack([width, height], axis=1) / 2
    return np.concatenate([center - half, center + half], axis=1)
