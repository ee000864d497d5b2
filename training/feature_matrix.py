"""The matrix of binned features that boosting reads: feature-major, in memory or in a file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK = 2048


def assemble(
    blocks: Sequence[NDArray[np.uint8]], *, memory_limit: int, folder: Path | None = None
) -> NDArray[np.uint8]:
    """Bring blocks of samples into one feature-major matrix.

    Parameters
    ----------
    blocks : sequence of (n_i, F) uint8
        Samples by rows; may be memory-mapped.
    memory_limit : int
        Bytes. A larger matrix is memory-mapped from a nameless file that goes when it does.
    folder : Path, optional
        Where that file lies; the system's temporary folder by default.

    Returns
    -------
    (F, sum of n_i) uint8, C-contiguous

    Raises
    ------
    ValueError
        When the blocks differ in their number of features.
    """
    widths = {block.shape[1] for block in blocks}
    if len(widths) != 1:
        raise ValueError(f"blocks of assemble must share their number of features, found {sorted(widths)}")
    shape = widths.pop(), sum(len(block) for block in blocks)
    matrix: NDArray[np.uint8]
    if shape[0] * shape[1] > memory_limit:
        with tempfile.TemporaryFile(dir=folder) as file:
            matrix = np.memmap(file, np.uint8, "w+", shape=shape)
    else:
        matrix = np.empty(shape, np.uint8)
    start = 0
    for block in blocks:
        for first in range(0, len(block), BLOCK):
            part = block[first : first + BLOCK]
            matrix[:, start : start + len(part)] = part.T
            start += len(part)
    return matrix
