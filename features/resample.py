"""Resampling of planes: means over areas when shrinking, bilinear when enlarging."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands

# The reference divides results by this.
NORMALIZATION = 1 + 1e-6

# A cell that covers less of a target cell than this share of its own size does not count.
SMALLEST_SHARE = 1e-3


class AxisWeights(NamedTuple):
    """What each target cell along one axis is made of.

    Attributes
    ----------
    first : (target,) int64
        First source cell of each target cell.
    weights : (target, taps) float32
        Weights of the source cells from there on; zero where there are fewer.
    """

    first: NDArray[np.int64]
    weights: NDArray[np.float32]


def resample(planes: NDArray, height: int, width: int, *, norm: float = 1.0, threads: int = 1) -> NDArray:
    """Resample planes to another size.

    An axis that shrinks is averaged over the interval of the source that each target cell covers; an axis that
    grows is interpolated linearly between cell centres, borders replicated.

    Parameters
    ----------
    planes : (..., H, W) float32 or uint8
    height, width : int
        New size, at least 1.
    norm : float
        Factor on the values.
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    (..., height, width) array, C-contiguous
        uint8 for uint8 planes, rounded and clipped; else float32.

    Raises
    ------
    ValueError
        When a size is below 1.

    Notes
    -----
    As in the ACF toolbox (Dollár et al., "Fast Feature Pyramids for Object Detection", PAMI 2014): positions
    and weights are computed in float32, and results are divided by 1 + 1e-6.

    Examples
    --------
    >>> resample(np.float32([[1, 3], [5, 7]]), 1, 2).round(4)
    array([[3., 5.]], dtype=float32)
    """
    planes = np.asarray(planes)
    if planes.ndim < 2 or height < 1 or width < 1 or 0 in planes.shape[-2:]:
        raise ValueError(
            f"planes and sizes of resample must be at least 1 x 1, found {planes.shape[-2:]} to {(height, width)}"
        )
    leading = planes.shape[:-2]
    source = np.ascontiguousarray(planes, np.float32).reshape(
        int(np.prod(leading)), planes.shape[-2], planes.shape[-1]
    )
    target = resample_part(
        source, 0, source.shape[1], (height, width), (0, height), norm=norm, threads=threads
    )
    if planes.dtype == np.uint8:
        target = np.clip(np.floor(target + np.float32(0.5)), 0, 255).astype(np.uint8)
    return target.reshape(*leading, height, width)


def resample_part(
    source: NDArray[np.float32],
    top: int,
    source_height: int,
    size: tuple[int, int],
    rows: tuple[int, int],
    *,
    norm: float = 1.0,
    threads: int = 1,
) -> NDArray[np.float32]:
    """Compute some rows of resampled planes.

    Parameters
    ----------
    source : (C, n, W) float32, C-contiguous
        The rows of the planes from `top` on, those of `source_rows` at least.
    top, source_height : int
        Rows of the whole planes above `source`, and in all.
    size : (height, width)
        New size of the whole planes.
    rows : (first, last)
        Of the resampled planes.
    norm, threads
        As of `resample`.

    Returns
    -------
    (C, last - first, width) float32
        To the bit the rows of `resample`.
    """
    from .resample_kernels import ROWS, resample_rows

    height, width = size
    first, last = rows
    vertical, columns = axis_weights(source_height, height), axis_weights(source.shape[2], width)
    first_row = vertical.first[first:last] - top
    row_weights = vertical.weights[first:last] * np.float32(norm / NORMALIZATION)
    first_column = columns.first.astype(np.uint64)
    target = np.empty((len(source), last - first, width), np.float32)

    def resample_band(start: int, end: int) -> None:
        mixed = np.zeros((ROWS, source.shape[2]), np.float32)
        weights = (first_row, row_weights, first_column, columns.weights)
        resample_rows(source, *weights, start, end, mixed, target, 0)

    run_bands(resample_band, last - first, threads)
    return target


def source_rows(source_height: int, height: int, rows: tuple[int, int]) -> tuple[int, int]:
    """The rows of planes that `resample_part` needs for the rows [first, last) of `height`."""
    vertical = axis_weights(source_height, height)
    first, last = rows
    return int(vertical.first[first]), int(vertical.first[last - 1]) + vertical.weights.shape[1]


@lru_cache(maxsize=4096)
def axis_weights(source: int, target: int) -> AxisWeights:
    """Weights of the source cells that make up each target cell along one axis.

    Parameters
    ----------
    source, target : int
        Number of cells, at least 1.
    """
    return _interpolating_weights(source, target) if source <= target else _area_weights(source, target)


def _interpolating_weights(source: int, target: int) -> AxisWeights:
    """Linear interpolation between the two nearest centres; the outermost cell continues beyond its own."""
    inverse = np.float32(1) / np.float32(target / source)
    center = (np.float32(0.5) + np.arange(target, dtype=np.float32)) * inverse - np.float32(0.5)
    below = np.floor(center).astype(np.int64)
    share = np.where((below >= 0) & (below < source - 1), center - np.floor(center), np.float32(0))
    # Two taps must fit: at the end, the last cell is the second of them.
    first = np.clip(below, 0, max(source - 2, 0))
    second = np.where(below >= source - 1, np.float32(1), share)
    weights = np.stack([1 - second, second], axis=1).astype(np.float32)
    return AxisWeights(first, weights if source > 1 else np.ones((target, 1), np.float32))


def _area_weights(source: int, target: int) -> AxisWeights:
    """The share of a target cell's interval that lies in each source cell."""
    scale = np.float32(target / source)
    length = np.float32(1) / scale
    start = np.arange(target, dtype=np.float32) * length
    end = start + length
    cells = np.ceil(start).astype(np.int64)[:, None] - 1 + np.arange(int(length) + 4)
    last = end.astype(np.int64)[:, None]
    weights = np.full(cells.shape, scale, np.float32)
    weights[:, 0] = (np.ceil(start) - start) * scale
    weights = np.where(cells == last, (end - np.floor(end))[:, None] * scale, weights)
    used = (weights > np.float32(SMALLEST_SHARE) * scale) & (cells >= 0) & (cells <= last) & (cells < source)
    weights = np.where(used, weights, np.float32(0))
    total = weights.sum(axis=1, dtype=np.float32, keepdims=True)
    weights /= np.maximum(total, np.float32(1))

    first = np.take_along_axis(cells, used.argmax(axis=1)[:, None], axis=1)[:, 0]
    taps = int(used.sum(axis=1).max())
    first = np.minimum(first, source - taps)
    compact = np.zeros((target, taps), np.float32)
    rows, columns = np.nonzero(used)
    compact[rows, cells[rows, columns] - first[rows]] = weights[rows, columns]
    return AxisWeights(first, compact)
