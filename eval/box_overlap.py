"""Intersection over union of axis-aligned boxes in the conventions of the box benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def box_overlaps(
    first: NDArray[np.float64], second: NDArray[np.float64], pixel_offset: float = 1.0
) -> NDArray[np.float64]:
    """Return the intersection over union of every pair.

    Parameters
    ----------
    first, second : (n, 4) and (m, 4) float64
        ``x1, y1, x2, y2``.
    pixel_offset : float
        Added to every width and height: 1 where corners are pixels inside the box (PASCAL VOC), 0 where they
        are positions on its border (COCO).

    Returns
    -------
    (n, m) float64
        0 unless the boxes share more than a touching edge.
    """
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = high - low
    sides = shared + pixel_offset
    intersection = np.where((shared > 0).all(axis=2), sides[..., 0] * sides[..., 1], 0.0)
    areas = [np.prod(boxes[:, 2:] - boxes[:, :2] + pixel_offset, axis=1) for boxes in (first, second)]
    union = areas[0][:, None] + areas[1][None, :] - intersection
    return np.divide(intersection, union, out=np.zeros_like(intersection), where=intersection > 0)
