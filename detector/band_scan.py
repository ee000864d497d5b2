"""The scan of one band of rows: the dense phase where it pays, then the sparse phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .binary_cascade import BinaryCascade
from .cascade import Cascade

# Windows that are worked on together: few enough that their cells stay in the cache.
BLOCK = 1024
# After so many trees, and after each multiple of them by the growth, the windows left in all blocks of the band are put
# together, so that a tree is fetched for many windows and not for a few ones in each block.
FIRST_STAGE = 64
STAGE_GROWTH = 4


@dataclass(frozen=True, eq=False)
class Survivors:
    """What is left of a band.

    Parameters
    ----------
    position : (n,) uint64
        Top-left cell of each window in its plane, row-major order.
    score : (n,) float32
    label : (n,) uint8
    n_evaluations : int
        Trees evaluated for all windows together.
    """

    position: NDArray[np.uint64]
    score: NDArray[np.float32]
    label: NDArray[np.uint8]
    n_evaluations: int


class BandScan:
    """A cascade over bands of one level; may be used from several threads at once.

    Parameters
    ----------
    cascade : Cascade or BinaryCascade
        With at least one tree.
    features : (C, h, w), C-contiguous
        Of the type of the cascade's thresholds; the window fits into them.
    """

    def __init__(self, cascade: Cascade | BinaryCascade, features: NDArray) -> None:
        from . import dense_scan_kernels as dense
        from . import sparse_scan_kernels as sparse

        _, self.height, self.width = features.shape
        self.features = features.reshape(-1)
        self.cascade = cascade
        self.columns = self.width - cascade.window_shape[2] + 1
        self.offset = np.empty(cascade.feature.shape, np.uint32)
        self.n_placed = 0
        self.begin: Callable[..., tuple[int, int]] | None = None
        self.go_on: Callable[..., tuple[int, int]]
        self.trees: tuple[Any, ...]
        self.more: tuple[Any, ...] = ()
        self.run, self.place = dense.RUN, sparse.place_nodes
        trees = (self.offset, cascade.threshold)
        if isinstance(cascade, BinaryCascade):
            self.begin, self.go_on = dense.begin_binary, sparse.go_on_binary
            self.trees = (*trees, cascade.leaf_value, cascade.rejection, cascade.depth)
            self.n_sums = 1
        else:
            self.trees = (
                *(*trees, cascade.leaf_label, cascade.steps, cascade.rejection),
                *(cascade.n_safe_trees, cascade.depth),
            )
            if cascade.vote_weight is not None:
                self.begin, self.go_on = dense.begin_equal_views, sparse.go_on_equal_views
                self.n_sums = cascade.n_classes
            else:
                self.go_on = sparse.go_on_any_costs
                self.more = (cascade.lane_differences,)
                self.n_sums = cascade.lane_differences.shape[1]
        self.share = dense_share(cascade.depth, cascade.threshold.dtype)

    def survivors(self, first: int, last: int) -> Survivors:
        """Scan the windows of rows [first, last)."""
        edges = [0, *_stages(self.cascade.n_trees)]
        n_windows = (last - first) * self.columns
        sums = np.empty((n_windows, self.n_sums), np.float32)
        leaf_type = self.trees[2].dtype
        n_evaluations = 0
        self._place_nodes(edges[1])
        if self.begin is not None and self.share < 1:
            position = np.empty(n_windows, np.uint64)
            n_positions = (last - first - 1) * self.width + self.columns
            blocks = np.empty((-(-n_positions // self.run), 2), np.int64)
            n, n_evaluations = self.begin(
                *(self.features, self.width, first, last, self.columns, self.share, position, sums, blocks),
                *(*self.trees, edges[1], dense_scratch(self.run, self.n_sums, self.cascade.depth, leaf_type)),
            )
        else:
            rows = np.arange(first, last, dtype=np.uint64)[:, None] * np.uint64(self.width)
            position = (rows + np.arange(self.columns, dtype=np.uint64)).reshape(-1)
            blocks, n = _blocks(n_windows, 0), n_windows
        scratch = sparse_scratch(max(self.run, BLOCK), self.n_sums, leaf_type)
        more = (*self.more, *map(np.empty_like, self.more))
        for start, until in pairwise(edges):
            if start:
                blocks = _blocks(n, start)
            self._place_nodes(until)
            n, evaluated = self.go_on(
                self.features, position[:n], sums, blocks, scratch, *self.trees, until, *more
            )
            n_evaluations += evaluated
            if not n:
                break
        score, label = self._scores(sums[:n])
        return Survivors(position[:n], score, label, n_evaluations)

    def _place_nodes(self, until: int) -> None:
        """Fill the table of where each node's feature lies from the window's first cell, up to tree `until`.

        Most levels need the first trees only. Two threads may fill the same part: with the same numbers.
        """
        if until > self.n_placed:
            self.place(*self.cascade.node_cells, self.height, self.width, self.n_placed, until, self.offset)
            self.n_placed = until

    def _scores(self, sums: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Final traces, and the labels of the views that they are of."""
        if isinstance(self.cascade, BinaryCascade):
            return sums[:, 0].copy(), np.ones(len(sums), np.uint8)
        views = sums if self.more else sums[:, 1:]
        best = views.argmax(axis=1)
        score = views[np.arange(len(views)), best]
        return score if self.more else score - sums[:, 0], (best + 1).astype(np.uint8)


def dense_scratch(run: int, n_sums: int, depth: int, leaf_type: np.dtype) -> tuple[NDArray, ...]:
    """Memory for the dense phase.

    Returns
    -------
    leaf : (run,)
        What a tree says of each window of a run.
    live : (run,) uint8
    sums : (n_sums, run) float32
        Votes of each class, or the trace.
    spare : (2, run) float32
    subtrees : (2, half the leaves of a tree, run)
        What the lower parts of a tree say.
    """
    return (
        np.empty(run, leaf_type),
        np.empty(run, np.uint8),
        np.empty((n_sums, run), np.float32),
        np.empty((2, run), np.float32),
        np.empty((2, max(1, 2**depth // 2), run), leaf_type),
    )


def sparse_scratch(block: int, n_sums: int, leaf_type: np.dtype) -> tuple[NDArray, ...]:
    """Memory for the sparse phase.

    Returns
    -------
    moving, slot : (block,) uint64
        Positions of the windows that live, and where their sums stand.
    leaf : (block,)
        What a tree says of each window.
    best : (block,) uint8
        View of the largest sum, when they were compared last.
    sums : (block, n_sums) float32
        Votes of each class, scores of each view, or the trace.
    """
    return (
        np.empty(block, np.uint64),
        np.empty(block, np.uint64),
        np.empty(block, leaf_type),
        np.empty(block, np.uint8),
        np.empty((block, n_sums), np.float32),
    )


def dense_share(depth: int, dtype: np.dtype) -> float:
    """Share of live windows below which the sparse phase is faster; 1 or more where it always is.

    It follows from measured times: the dense phase's grow with the nodes of a tree, the sparse one's with its levels.
    """
    dense_node, sparse_level = (0.065, 1.0) if dtype == np.uint8 else (0.38, 1.3)  # ns a window
    return (dense_node * 2**depth + 2) / (sparse_level * depth + 3)


def _stages(n_trees: int) -> list[int]:
    """Ends of the ranges of trees after which windows are put together."""
    ends, end = [], FIRST_STAGE
    while end < n_trees:
        ends.append(end)
        end *= STAGE_GROWTH
    return [*ends, n_trees]


def _blocks(n: int, tree: int) -> NDArray[np.int64]:
    """Blocks of `n` windows that begin with a tree."""
    if n <= BLOCK:
        return np.array([[n, tree]])
    end = np.minimum(np.arange(BLOCK, n + BLOCK, BLOCK), n)
    return np.column_stack([end, np.full_like(end, tree)])
