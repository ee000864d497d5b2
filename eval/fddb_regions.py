"""Faces as sets of pixels, rasterised as FDDB's official program does.

The program draws every region into an 8-bit mask of the image's size and counts pixels, so what lies outside the
image does not exist. An ellipse is OpenCV's filled polygon (steps of 5 degrees, coarser for small radii) of the
rounded centre, the truncated radii and the angle in whole degrees; a rectangle holds both of its rounded corners.
Source: Jain and Learned-Miller, UMass TR 2010-009, and the program that goes with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ellipse_masks(ellipses: NDArray[np.float64], height: int, width: int) -> NDArray[np.uint8]:
    """Rasterise ellipses.

    Parameters
    ----------
    ellipses : (n, 5) float64
        First and second radius, angle of the first one against x in radians (y down), centre x and y, in pixels.
    height, width : int
        Of the image.

    Returns
    -------
    (n, height, width) uint8
        1 inside.
    """
    import cv2

    masks = np.zeros((len(ellipses), height, width), dtype=np.uint8)
    # The program keeps centres as single-precision numbers; both round halves to even.
    centres = np.rint(ellipses[:, 3:].astype(np.float32)).astype(int).tolist()
    radii = np.trunc(ellipses[:, :2]).astype(int).tolist()
    angles = np.rint(np.rad2deg(ellipses[:, 2])).tolist()
    for mask, centre, radius, angle in zip(masks, centres, radii, angles, strict=True):
        cv2.ellipse(mask, centre, radius, angle, 0, 360, 1, cv2.FILLED)
    return masks


def rectangle_masks(boxes: NDArray[np.float64], height: int, width: int) -> NDArray[np.uint8]:
    """Rasterise axis-aligned rectangles.

    Parameters
    ----------
    boxes : (n, 4) float64
        ``x1, y1, x2, y2`` in pixels; both rounded corners belong to the rectangle.
    height, width : int
        Of the image.

    Returns
    -------
    (n, height, width) uint8
        1 inside.
    """
    masks = np.zeros((len(boxes), height, width), dtype=np.uint8)
    corners = np.rint(boxes).astype(int)
    low = np.maximum(corners[:, :2], 0)
    high = np.maximum(corners[:, 2:] + 1, 0)
    for mask, (x1, y1), (x2, y2) in zip(masks, low.tolist(), high.tolist(), strict=True):
        mask[y1:y2, x1:x2] = 1
    return masks


def region_masks(regions: NDArray[np.float64], height: int, width: int) -> NDArray[np.uint8]:
    """Rasterise ellipses, (n, 5), or rectangles, (n, 4)."""
    masks = ellipse_masks if regions.shape[1] == 5 else rectangle_masks
    return masks(regions, height, width)


def mask_overlaps(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the intersection over union of every pair of masks, in pixels.

    Parameters
    ----------
    first, second : (n, height, width) and (m, height, width) uint8

    Returns
    -------
    (n, m) float64
        0 where both masks are empty.
    """
    bits = [np.packbits(masks.reshape(len(masks), -1), axis=1) for masks in (first, second)]
    areas = [_count_bits(rows) for rows in bits]
    shared = np.array([_count_bits(row & bits[1]) for row in bits[0]]).reshape(len(first), len(second))
    union = areas[0][:, None] + areas[1][None, :] - shared
    return np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)


def _count_bits(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.bitwise_count(rows).sum(axis=1, dtype=np.int64)


def region_overlaps(
    annotated: NDArray[np.float64], found: NDArray[np.float64], height: int, width: int
) -> NDArray[np.float64]:
    """Return the intersection over union of annotated ellipses and detected regions, (n, m) float64."""
    if not len(annotated) or not len(found):
        return np.zeros((len(annotated), len(found)))
    return mask_overlaps(ellipse_masks(annotated, height, width), region_masks(found, height, width))
