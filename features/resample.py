"""Resampling of planes: means over areas when shrinking, bilinear when enlarging."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands

# The reference divides by this much more than 1, so that weights never sum to more than 1.
NORMALIZATION = 1 + 1e-6


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

    Returns
    -------
    (..., height, width) array
        Of the input's type; uint8 is rounded and clipped.

    Raises
    ------
    ValueError
        When a size is below 1.

    Notes
    -----
    Weights as in the ACF toolbox (Dollár et al. 2014): computed in float32, those below 1e-3 are left out.
    """
    if height < 1 or width < 1 or 0 in planes.shape[-2:]:
        raise ValueError(
            f"sizes of resample must be at least 1, found {planes.shape[-2:]} to {(height, width)}"
        )
    from .resample_kernels import resample_rows

    source = np.ascontiguousarray(planes.reshape(-1, *planes.shape[-2:]), np.float32)
    first_row, row_weights = axis_weights(source.shape[1], height)
    first_column, column_weights = axis_weights(source.shape[2], width)
    row_weights = (row_weights * np.float32(norm / NORMALIZATION)).astype(np.float32)
    target = np.empty((len(source), height, width), np.float32)

    def resample_band(first: int, last: int) -> None:
        resample_rows(source, first_row, row_weights, first_column, column_weights, first, last, target)

    run_bands(resample_band, height, threads)
    if planes.dtype == np.uint8:
        target = np.clip(np.floor(target + np.float32(0.5)), 0, 255).astype(np.uint8)
    return target.reshape(*planes.shape[:-2], height, width)


@lru_cache(maxsize=4096)
def axis_weights(source: int, target: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Weights of the source cells that make up each target cell along one axis.

    Parameters
    ----------
    source, target : int
        Number of cells.

    Returns
    -------
    first : (target,) int64
        First source cell of each target cell.
    weights : (target, taps) float32
        Weights of the source cells from there on; zero where there are fewer.
    """
    scale = np.float32(target / source)
    inverse = np.float32(1) / scale
    if source <= target:
        center = (np.float32(0.5) + np.arange(target, dtype=np.float32)) * inverse - np.float32(0.5)
        below = np.floor(center).astype(np.int64)
        weight = np.float32(1) - (center - below.astype(np.float32))
        inside = (below >= 0) & (below < source - 1)
        first = np.clip(below, 0, max(source - 2, 0))
        weights = np.zeros((target, 2), np.float32)
        weights[inside, 0] = weight[inside]
        weights[inside, 1] = np.float32(1) - weight[inside]
        weights[below < 0, 0] = 1
        last = below >= source - 1
        weights[last, min(source - 1, 1)] = 1
        return first, weights if source > 1 else weights[:, :1]
    covered = [_covered_cells(np.float32(index) * inverse, inverse, source) for index in range(target)]
    taps = max(len(row) for _, row in covered)
    first = np.minimum([start for start, _ in covered], source - taps).astype(np.int64)
    weights = np.zeros((target, taps), np.float32)
    for index, (start, row) in enumerate(covered):
        weights[index, start - first[index] : start - first[index] + len(row)] = row
    return first, weights


def _covered_cells(start: np.float32, length: np.float32, source: int) -> tuple[int, NDArray[np.float32]]:
    """First cell that the interval covers, and the share of the interval that lies in each cell from there on."""
    scale = np.float32(1) / length
    end = np.float32(start + length)
    first_whole, last_partial = int(np.ceil(start)), int(end)
    cells = np.arange(first_whole - 1, last_partial + 1)
    weight = np.full(len(cells), scale, np.float32)
    weight[-1] = (end - np.float32(last_partial)) * scale
    weight[0] = (np.float32(first_whole) - start) * scale
    used = (weight > 1e-3) & (cells >= 0) & (cells < source)
    total = weight[used].sum(dtype=np.float32)
    return int(cells[used][0]), weight[used] / total if total > 1 else weight[used]
