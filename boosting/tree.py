"""Grow a complete binary decision tree on binned features, level by level, from class histograms.

The weights are integers, so that sums do not depend on their order: the histogram of a node is exactly its
parent's minus its sibling's, and the tree is the same whatever the number of threads or the memory granted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .complete_tree import CompleteTree
from .split_criterion import SplitCriterion
from .threads import available_threads, run_tasks
from .tree_kernels import BINS, BLOCK, node_score, pack_block, search_level, split_node
from .tree_options import TreeOptions

__all__ = ["CompleteTree", "TreeGrower", "TreeOptions", "grow_tree", "integer_weights"]

IMPURITY_CODES = {"gini": 0, "entropy": 1, "expected cost": 2}
LARGEST_TOTAL = 2**62  # of integer weights, so that no sum overflows
MEMORY = 2**29  # bytes for packed columns, and as many for kept histograms
TIE = 1e-12  # relative difference of two labels' costs that is rounding
SMALLEST_KEPT = 1024  # samples; counting fewer anew is faster than a subtraction


def integer_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scale weights to integers of total just below 2^62; a positive weight stays positive."""
    weights = np.asarray(weights, dtype=np.float64)
    total = weights.sum()
    if not (np.isfinite(total) and total > 0 and (weights >= 0).all()):
        raise ValueError("weights must be finite, not negative and not all zero")
    scaled = np.rint(weights * ((LARGEST_TOTAL - len(weights) - 2**12) / total)).astype(np.int64)
    return np.maximum(scaled, weights > 0)


@dataclass
class _Level:
    """The nodes of a level that may be split; the children of one parent are neighbours, left first."""

    position: NDArray[np.int64]  # in the full level, 0 .. 2^depth - 1
    class_starts: NDArray[np.int64]  # (n, K + 1)
    masses: NDArray[np.int64]  # (n, K)
    feature_set: NDArray[np.int64]  # (n,) row of `_Growth.feature_sets`
    slot: NDArray[np.int64]  # (n,) where the node's own histogram is kept, -1 nowhere
    parent_slot: NDArray[np.int64]  # (n,)
    active: NDArray[np.bool_]

    @property
    def n_samples(self) -> NDArray[np.int64]:
        return self.class_starts[:, -1] - self.class_starts[:, 0]


class TreeGrower:
    """Grows trees on the same samples under changing weights.

    Parameters are those of `grow_tree`; use it as a context manager to end its threads.
    """

    def __init__(
        self,
        bins: NDArray[Any],
        labels: ArrayLike,
        criterion: SplitCriterion,
        options: TreeOptions | None = None,
        *,
        threads: int = 1,
        memory: int = MEMORY,
    ) -> None:
        self.bins = checked_bins(bins)
        self.labels = checked_labels(labels, self.bins.shape[1], criterion.n_classes)
        self.criterion = criterion
        self.options = options or TreeOptions()
        self.threads = threads or available_threads()
        n_features, n_samples = self.bins.shape
        self._n_drawn = self.options.n_drawn(n_features)
        self._n_blocks = -(-self._n_drawn // BLOCK)
        self._class_order = np.argsort(self.labels, kind="stable").astype(np.int32)
        counts = np.bincount(self.labels, minlength=criterion.n_classes)
        self._class_starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        block_bytes = n_samples * BLOCK
        self._packed = np.empty(
            (max(1, min(self._n_blocks, memory // block_bytes)), n_samples, BLOCK), np.uint8
        )
        histogram_bytes = criterion.n_classes * BLOCK * BINS * 8
        n_slots = min(2 ** max(self.options.max_depth - 2, 0), n_samples // SMALLEST_KEPT)
        n_kept = min(self._n_blocks, memory // (histogram_bytes * n_slots)) if n_slots else 0
        self._cache = np.empty((n_slots, n_kept, criterion.n_classes, BLOCK, BINS), np.int64)
        self._root_is_packed = False

    def __enter__(self) -> TreeGrower:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def grow(self, weights: NDArray[np.int64], rng: np.random.Generator | None = None) -> CompleteTree:
        """Grow a tree under the given weights; see `grow_tree`."""
        weights = checked_weights(weights, self.bins.shape[1])
        if rng is None and self._n_drawn < self.bins.shape[0]:
            raise ValueError("rng of grow must be given when max_features excludes features, got None")
        return _Growth(self, weights, rng).run()


class _Growth:
    """State of one tree while it grows."""

    def __init__(
        self, grower: TreeGrower, weights: NDArray[np.int64], rng: np.random.Generator | None
    ) -> None:
        self.grower = grower
        self.rng = rng
        self.samples = grower._class_order.copy()
        self.weights = weights[self.samples]
        self.rows = np.arange(len(self.samples), dtype=np.int32)
        self.total = int(self.weights.sum())
        self.free_slots = list(range(len(grower._cache)))
        self.feature_sets = np.empty((0, grower._n_drawn), np.int64)
        criterion = grower.criterion
        self.impurity = (
            IMPURITY_CODES[criterion.impurity],
            criterion.class_factors,
            criterion.leaf_costs,
            criterion.scaled_total,
        )
        depth = grower.options.max_depth
        self.feature = np.zeros(2**depth - 1, np.int32)
        self.threshold = np.zeros(2**depth - 1, grower.bins.dtype)
        self.upper_bin = np.zeros(2**depth - 1, grower.bins.dtype)
        self.decrease = np.zeros(2**depth - 1)
        self.leaf_label = np.zeros(2**depth, np.uint8)
        self.leaf_mass = np.zeros((2**depth, criterion.n_classes), np.int64)
        self.leaf_of_sample = np.zeros(len(self.samples), np.int32)

    def run(self) -> CompleteTree:
        starts = self.grower._class_starts
        masses = np.array(
            [int(self.weights[a:b].sum()) for a, b in zip(starts[:-1], starts[1:], strict=True)]
        )
        none = np.array([-1])
        level = _Level(
            np.array([0]), starts[None].copy(), masses[None], none, none.copy(), none.copy(), np.array([True])
        )
        for depth in range(self.grower.options.max_depth):
            level.active = self._splittable(level)
            chosen = self._search(depth, level)
            level = self._split(depth, level, *chosen)
            if len(level.position) == 0:
                break
        else:
            self._finish(self.grower.options.max_depth, level, np.arange(len(level.position)))
        return CompleteTree(
            self.feature,
            self.threshold,
            self.leaf_label,
            self.upper_bin,
            self.decrease,
            self.leaf_mass,
            self.leaf_of_sample,
        )

    def _splittable(self, level: _Level) -> NDArray[np.bool_]:
        options = self.grower.options
        enough = level.n_samples >= options.min_samples_split
        impure = (level.masses > 0).sum(axis=1) > 1
        heavy = level.masses.sum(axis=1) >= options.min_weight_split * self.total
        return enough & impure & heavy

    def _features_change(self, depth: int) -> bool:
        """Whether the nodes of this depth draw features anew."""
        if depth == 0:
            return True
        if self.grower._n_drawn == self.grower.bins.shape[0]:
            return False
        period = {"tree": depth + 1, "parent": 2, "node": 1}[self.grower.options.feature_sampling]
        return depth % period == 0

    def _draw(self, level: _Level) -> None:
        n_features, drawn = self.grower.bins.shape[0], self.grower._n_drawn
        nodes = np.flatnonzero(level.active)
        self.feature_sets = np.empty((len(nodes), drawn), np.int64)
        for row, node in enumerate(nodes):
            level.feature_set[node] = row
            if self.rng is None or drawn == n_features:
                self.feature_sets[row] = np.arange(n_features)
            else:
                self.feature_sets[row] = np.sort(self.rng.choice(n_features, drawn, replace=False))

    def _search(self, depth: int, level: _Level) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Gain (n,) and cut (n, 3: feature, threshold, upper bin) of every node; threshold 0 is no split."""
        grower = self.grower
        n_nodes, n_blocks = len(level.position), grower._n_blocks
        redraw = self._features_change(depth)
        if redraw:
            self._draw(level)
            self.free_slots = list(range(len(grower._cache)))
            level.parent_slot[:] = -1
        gain_scale = np.ones(n_nodes)
        bar = np.zeros(n_nodes)
        for node in np.flatnonzero(level.active):
            bar[node], gain_scale[node] = node_score(level.masses[node], *self.impurity)
        best_score = np.repeat((bar + grower.options.min_gain * gain_scale)[:, None], n_blocks, axis=1)
        best_cut = np.zeros((n_nodes, n_blocks, 3), np.int32)
        keep = depth + 1 < grower.options.max_depth and not self._features_change(depth + 1)
        with_cache = self._plan(level, use_cache=True, keep=keep)
        without_cache = self._plan(level, use_cache=False, keep=False)
        n_kept, n_stored = grower._cache.shape[1], len(grower._packed)
        stored = n_stored == n_blocks
        spans = np.ascontiguousarray(level.class_starts[:, [0, -1]][level.active])
        sets = np.ascontiguousarray(level.feature_set[level.active])
        if redraw or not stored:
            self.rows[:] = np.arange(len(self.rows), dtype=np.int32)
        for first in range(0, n_blocks, n_stored):
            last = min(first + n_stored, n_blocks)
            if (redraw or not stored) and not (stored and depth == 0 and grower._root_is_packed):
                self._over_blocks(first, last, partial(self._pack, first, spans, sets))
            for begin, end, plan in (
                (first, min(last, n_kept), with_cache),
                (max(first, n_kept), last, without_cache),
            ):
                search = partial(self._search_blocks, first, plan, level, best_score, best_cut)
                self._over_blocks(begin, end, search)
        grower._root_is_packed = stored and grower._n_drawn == grower.bins.shape[0]
        nodes = np.arange(n_nodes)
        block = np.argmax(best_score, axis=1)
        cut = best_cut[nodes, block]
        gain = np.where(cut[:, 1] > 0, best_score[nodes, block] - bar, 0.0) / gain_scale
        return gain, cut

    def _plan(self, level: _Level, *, use_cache: bool, keep: bool) -> NDArray[np.int64]:
        """Which nodes to count and which to get by subtraction (the rows of `search_level`'s `work`)."""
        work: list[tuple[int, bool, int, int, bool, int]] = []
        n_samples = level.n_samples
        for left in range(0, len(level.position), 2):
            pair = [node for node in (left, left + 1) if node < len(level.position)]
            small, large = (
                (pair[0], pair[0]) if len(pair) == 1 else sorted(pair, key=lambda node: n_samples[node])
            )
            parent_slot = int(level.parent_slot[left]) if use_cache else -1
            if parent_slot >= 0 and level.active[large]:
                slot = self._take_slot(keep and level.active[small], n_samples[small])
                level.slot[small] = slot
                level.slot[large] = parent_slot if keep and n_samples[large] >= SMALLEST_KEPT else -1
                work.append((small, bool(level.active[small]), slot, large, True, parent_slot))
                if level.slot[large] < 0:
                    self.free_slots.append(parent_slot)
                continue
            if parent_slot >= 0:
                self.free_slots.append(parent_slot)
            for node in pair:
                if level.active[node]:
                    slot = self._take_slot(use_cache and keep, n_samples[node])
                    if use_cache:
                        level.slot[node] = slot
                    work.append((node, True, slot, -1, False, -1))
        return np.array(work, dtype=np.int64).reshape(-1, 6)

    def _take_slot(self, wanted: bool, n_samples: int) -> int:
        return self.free_slots.pop(0) if wanted and n_samples >= SMALLEST_KEPT and self.free_slots else -1

    def _over_blocks(self, begin: int, end: int, function: Callable[[int, int], None]) -> None:
        """Call `function` with parts of begin .. end, on the threads."""
        parts = min(end - begin, 1 if self.grower._pool is None else 4 * self.grower.threads)
        if parts <= 0:
            return
        edges = [begin + (end - begin) * part // parts for part in range(parts + 1)]
        run_tasks(
            [partial(function, a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)], self.grower._pool
        )

    def _pack(
        self, first: int, spans: NDArray[np.int64], sets: NDArray[np.int64], begin: int, end: int
    ) -> None:
        grower = self.grower
        for block in range(begin, end):
            for span, row in zip(spans, sets, strict=True):
                features = self.feature_sets[row, block * BLOCK : (block + 1) * BLOCK]
                pack_block(
                    grower.bins, features, self.samples, span[0], span[1], grower._packed[block - first]
                )

    def _search_blocks(
        self,
        first: int,
        plan: NDArray[np.int64],
        level: _Level,
        best_score: NDArray[np.float64],
        best_cut: NDArray[np.int32],
        begin: int,
        end: int,
    ) -> None:
        grower = self.grower
        search_level(
            begin,
            end,
            first,
            grower._packed,
            self.rows,
            self.weights,
            grower._n_drawn,
            plan,
            level.class_starts,
            level.masses,
            *self.impurity,
            grower._cache,
            best_score,
            best_cut,
        )

    def _split(self, depth: int, level: _Level, gain: NDArray[np.float64], cut: NDArray[np.int32]) -> _Level:
        n_classes = self.grower.criterion.n_classes
        split = np.flatnonzero(cut[:, 1] > 0)
        self._finish(depth, level, np.flatnonzero(cut[:, 1] == 0))
        class_starts = np.empty((2 * len(split), n_classes + 1), np.int64)
        masses = np.empty((2 * len(split), n_classes), np.int64)
        for child, node in enumerate(split):
            heap = 2**depth - 1 + level.position[node]
            feature = self.feature_sets[level.feature_set[node], cut[node, 0]]
            self.feature[heap] = feature
            self.threshold[heap], self.upper_bin[heap] = cut[node, 1], cut[node, 2]
            self.decrease[heap] = gain[node] * (float(level.masses[node].sum()) / self.total)
            left, right = 2 * child, 2 * child + 1
            split_node(
                self.grower.bins[feature],
                int(cut[node, 1]),
                level.class_starts[node],
                self.samples,
                self.rows,
                self.weights,
                class_starts[left],
                class_starts[right],
                masses[left],
                masses[right],
            )
        for node in np.flatnonzero(cut[:, 1] == 0):
            if level.slot[node] >= 0:
                self.free_slots.append(int(level.slot[node]))
        position = np.repeat(2 * level.position[split], 2)
        position[1::2] += 1
        return _Level(
            position,
            class_starts,
            masses,
            np.repeat(level.feature_set[split], 2),
            np.full(len(position), -1),
            np.repeat(level.slot[split], 2),
            np.ones(len(position), bool),
        )

    def _finish(self, depth: int, level: _Level, nodes: NDArray[np.int64]) -> None:
        """Label the leaves under nodes of this depth that are not split."""
        height = self.grower.options.max_depth - depth
        costs = self.grower.criterion.leaf_costs
        for node in nodes:
            masses = level.masses[node]
            present = np.flatnonzero(masses)
            expected = (masses[:, None] / max(masses.sum(), 1) * costs).sum(axis=0)
            cheapest = int(np.argmax(expected <= expected.min() + TIE * expected.max()))
            first, last = level.position[node] << height, (level.position[node] + 1) << height
            self.leaf_label[first:last] = present[0] if len(present) == 1 else cheapest
            self.leaf_mass[first:last] = masses
            begin, end = level.class_starts[node, [0, -1]]
            self.leaf_of_sample[self.samples[begin:end]] = last - 1


def checked_bins(bins: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(bins, np.ndarray) or bins.ndim != 2 or bins.dtype != np.uint8:
        raise ValueError(f"bins must be a (features, samples) uint8 array, got {_described(bins)}")
    if 0 in bins.shape or not bins.flags.c_contiguous:
        raise ValueError(
            f"bins must be C-contiguous, with at least one feature and one sample, got {_described(bins)}"
        )
    return bins.view(np.ndarray)


def checked_labels(labels: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.int64]:
    found = np.asarray(labels)
    if found.shape != (n_samples,) or found.dtype.kind not in "iu":
        raise ValueError(f"labels must be {n_samples} integers, one a sample, got {_described(found)}")
    if n_samples and not (found.min() >= 0 and found.max() < n_classes):
        raise ValueError(f"labels must be in 0 .. {n_classes - 1}, got {found.min()} to {found.max()}")
    return found.astype(np.int64)


def checked_weights(weights: NDArray[np.int64], n_samples: int) -> NDArray[np.int64]:
    found = np.asarray(weights)
    if found.shape != (n_samples,) or found.dtype != np.int64:
        raise ValueError(f"weights must be {n_samples} int64, one a sample, got {_described(found)}")
    total = float(found.sum(dtype=np.float64))
    if found.min() < 0 or not 0 < total <= LARGEST_TOTAL:
        raise ValueError(
            f"weights must be >= 0 with a total in 1 .. 2^62, got a smallest of {found.min()}, a total of {total:.4g}"
        )
    return found


def _described(array: Any) -> str:
    return f"{getattr(array, 'dtype', type(array).__name__)} of shape {getattr(array, 'shape', None)}"


def grow_tree(
    bins: NDArray[Any],
    labels: ArrayLike,
    weights: NDArray[np.int64],
    criterion: SplitCriterion,
    options: TreeOptions | None = None,
    rng: np.random.Generator | None = None,
    threads: int = 1,
) -> CompleteTree:
    """Grow one tree. For many trees on the same samples, a `TreeGrower` prepares them once.

    Parameters
    ----------
    bins : (F, N) uint8, C-contiguous
        Binned features, feature-major; may be memory-mapped.
    labels : (N,) integers in 0 .. K - 1
    weights : (N,) int64 >= 0
        Of total at most 2^62 (see `integer_weights`).
    criterion : SplitCriterion
    options : TreeOptions
    rng : numpy.random.Generator
        Draws the features; needed only if `max_features` excludes some.
    threads : int

    Returns
    -------
    CompleteTree
    """
    with TreeGrower(bins, labels, criterion, options, threads=threads) as grower:
        return grower.grow(weights, rng)
