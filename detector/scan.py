"""Run a cascade over all windows of one level of features."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..features.threads import available_threads, run_tasks
from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .tree_cascade import TreeCascade


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows of a level that survived the cascade.

    Parameters
    ----------
    rows, columns : (n,) int64
        Top-left cell of each window, row-major order.
    scores : (n,) float32
        Final trace.
    labels : (n,) uint8
        Class of least cost among the views, 1 = first view. All 1 with a binary cascade.
    n_windows, n_evaluations : int
        Windows of the level, and trees evaluated for all of them together.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scores: NDArray[np.float32]
    labels: NDArray[np.uint8]
    n_windows: int
    n_evaluations: int


def scan_level(features: NDArray, cascade: Cascade | BinaryCascade, *, threads: int = 1) -> Windows:
    """Evaluate the cascade at every cell position where its window fits.

    Parameters
    ----------
    features : (C, h, w) uint8 or float32, C-contiguous
        Same type as the cascade's thresholds.
    cascade : Cascade or BinaryCascade
    threads : int
        Bands of rows are scanned in parallel; the result does not depend on the number.

    Returns
    -------
    Windows
        Empty where the level is smaller than the window.

    Raises
    ------
    ValueError
        When the type or the number of channels is not the cascade's.
    """
    channels, window_rows, window_columns = cascade.window_shape
    if features.dtype != cascade.threshold.dtype or features.shape[0] != channels:
        raise ValueError(
            f"features of scan_level must be {channels} planes of {cascade.threshold.dtype}, "
            f"found {features.shape[0]} of {features.dtype}"
        )
    from .scan_kernels import scan_any_costs, scan_binary, scan_equal_views

    _, height, width = features.shape
    rows, columns = height - window_rows + 1, width - window_columns + 1
    if rows < 1 or columns < 1 or cascade.n_trees == 0:
        empty = np.empty(0, np.int64)
        return Windows(
            empty, empty, np.empty(0, np.float32), np.empty(0, np.uint8), max(rows, 0) * max(columns, 0), 0
        )
    flat = np.ascontiguousarray(features).reshape(-1)
    offset = _plane_offsets(cascade, height, width)
    threads = threads or available_threads()
    bands = _bands(rows, threads, columns)
    results: list = [None] * len(bands)

    def scan_band(index: int) -> None:
        window_range = (flat, width, *bands[index], columns)
        trees = (offset, cascade.threshold)
        if isinstance(cascade, BinaryCascade):
            results[index] = scan_binary(
                *window_range, *trees, cascade.leaf_value, cascade.rejection, cascade.depth
            )
        elif cascade.vote_weight is not None:
            step = (cascade.beta * cascade.vote_weight).astype(np.float32)
            results[index] = scan_equal_views(
                *(*window_range, *trees, cascade.leaf_label),
                *(step, cascade.rejection, cascade.depth, cascade.n_classes),
            )
        else:
            beta = cascade.beta.astype(np.float32)
            results[index] = scan_any_costs(
                *(*window_range, *trees, cascade.leaf_label),
                *(beta, cascade.rejection, cascade.depth, _padded_differences(cascade)),
            )

    run_tasks([lambda i=i: scan_band(i) for i in range(len(bands))], threads)  # type: ignore[misc]
    position = np.concatenate([r[0] for r in results])
    return Windows(
        rows=position // width,
        columns=position % width,
        scores=np.concatenate([r[1] for r in results]),
        labels=np.concatenate([r[2] for r in results]),
        n_windows=rows * columns,
        n_evaluations=sum(r[3] for r in results),
    )


def _plane_offsets(cascade: TreeCascade, height: int, width: int) -> NDArray[np.int64]:
    """Where each node's feature lies from the window's first cell, in planes of this size."""
    channel, row, column = np.unravel_index(cascade.feature, cascade.window_shape)
    return (channel * (height * width) + row * width + column).astype(np.int64)


def _bands(rows: int, threads: int, columns: int) -> list[tuple[int, int]]:
    """Row ranges of similar cost: several a thread, none so small that starting it costs more than its work."""
    smallest = max(1, 4096 // columns)
    count = 1 if threads < 2 else max(1, min(4 * threads, rows // smallest))
    edges = [rows * i // count for i in range(count + 1)]
    return list(pairwise(edges))


def _padded_differences(cascade: Cascade) -> NDArray[np.float32]:
    """Vote differences with the number of views filled up to whole vectors by copies of the first view.

    A copy never changes the maximum, and `argmax` finds the first.
    """
    differences = cascade.vote_differences.astype(np.float32)
    views = differences.shape[1]
    lanes = -(-views // 8) * 8
    return np.ascontiguousarray(
        np.concatenate([differences, np.repeat(differences[:, :1], lanes - views, axis=1)], axis=1)
    )
