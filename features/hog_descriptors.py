"""Block-normalised histograms of oriented gradients: HOG and FHOG."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .gradient import gradient_histogram

# Weight of the four texture channels of FHOG, as published.
TEXTURE_WEIGHT = 0.2357


def hog(
    magnitude: NDArray[np.float32],
    orientation: NDArray[np.float32],
    *,
    bin_size: int = 8,
    orientations: int = 9,
    soft_bin: int = 1,
    full_orientation: bool = False,
    clip: float = 0.2,
) -> NDArray[np.float32]:
    """HOG of Dalal and Triggs (CVPR 2005): each cell normalised by the four 2 x 2 blocks that hold it.

    Parameters
    ----------
    magnitude, orientation, bin_size, orientations, soft_bin, full_orientation
        As for `gradient_histogram`.
    clip : float
        Greatest value after the normalisation.

    Returns
    -------
    (4 * orientations, H // bin_size, W // bin_size) float32
        Channel ``block * orientations + bin``; blocks: towards the lower right of the cell, upper right,
        lower left, upper left.
    """
    cells = gradient_histogram(
        magnitude,
        orientation,
        bin_size=bin_size,
        orientations=orientations,
        soft_bin=soft_bin,
        full_orientation=full_orientation,
    )
    scales = _block_scales(cells, bin_size)[:, np.newaxis]
    normalized = np.minimum(cells * scales, np.float32(clip))
    return normalized.reshape((4 * orientations, *cells.shape[1:]))


def fhog(
    magnitude: NDArray[np.float32],
    orientation: NDArray[np.float32],
    *,
    bin_size: int = 8,
    orientations: int = 9,
    soft_bin: int = -1,
    clip: float = 0.2,
) -> NDArray[np.float32]:
    """HOG of Felzenszwalb et al. (PAMI 2010), "Object Detection with Discriminatively Trained Part Models".

    Parameters
    ----------
    magnitude : (H, W) float32
    orientation : (H, W) float32
        In [0, 2 pi).
    bin_size, orientations, soft_bin
        As for `gradient_histogram`; `orientations` counts the bins of a half circle.
    clip : float
        Greatest value after the normalisation.

    Returns
    -------
    (3 * orientations + 5, H // bin_size, W // bin_size) float32
        Bins of the full circle, bins of the half circle, four texture channels (one a block), zeros.
    """
    directed = gradient_histogram(
        magnitude,
        orientation,
        bin_size=bin_size,
        orientations=2 * orientations,
        soft_bin=soft_bin,
        full_orientation=True,
    )
    undirected = directed[:orientations] + directed[orientations:]
    scales = _block_scales(undirected, bin_size)[:, np.newaxis]
    greatest = np.float32(clip)
    directed_blocks = np.minimum(directed * scales, greatest)
    undirected_blocks = np.minimum(undirected * scales, greatest)
    return np.concatenate(
        [
            directed_blocks.sum(axis=0) * np.float32(0.5),
            undirected_blocks.sum(axis=0) * np.float32(0.5),
            directed_blocks.sum(axis=1) * np.float32(TEXTURE_WEIGHT),
            np.zeros((1, *directed.shape[1:]), np.float32),
        ]
    )


def _block_scales(cells: NDArray[np.float32], bin_size: int) -> NDArray[np.float32]:
    """One over the norm of the four 2 x 2 blocks of cells that hold each cell.

    Blocks over the border of the image have the norm of the nearest block inside; an image of a single row
    or column of cells has blocks of one row or column.

    Returns
    -------
    (4, rows, columns) float32
        Blocks in the order of `hog`.
    """
    rows, columns = cells.shape[1:]
    if not rows or not columns:
        return np.zeros((4, rows, columns), np.float32)
    energy = np.einsum("byx,byx->yx", cells, cells)
    if rows > 1:
        energy = energy[:-1] + energy[1:]
    if columns > 1:
        energy = energy[:, :-1] + energy[:, 1:]
    smallest = np.float32(1e-4 / 4 / bin_size**4)
    inner = 1 / np.sqrt(energy + smallest)
    blocks = np.pad(inner, [(1, rows - inner.shape[0]), (1, columns - inner.shape[1])], mode="edge")
    return np.stack([blocks[1:, 1:], blocks[:-1, 1:], blocks[1:, :-1], blocks[:-1, :-1]])
