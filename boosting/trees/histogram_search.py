"""Search for cuts on uint8 bins: which histograms are summed up, which are subtracted, what is kept."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..threads import Workers
from .histogram_kernels import CHUNK, FEATURES, FEWEST_BINS, pack_blocks, search_blocks
from .tree_level import Cuts, ImpurityArguments, Level, SampleOrder

SAMPLES_A_CLASS = 300  # a node of fewer is summed up anew as fast as it is got by a subtraction


class HistogramSearch:
    """Finds the best cuts of a level from cumulative class histograms.

    Whatever does not fit the memory granted is packed, or summed up, again at every level: that changes the
    time, not the result.

    Parameters
    ----------
    bins : (F, N) uint8
    impurity : tuple
        Impurity, class factors, factors of the total, costs (see `split_criterion`).
    n_drawn : int
        Number of features that a node chooses from.
    max_depth : int
    memory : int
        Bytes granted for packed columns, and as many for kept histograms.
    workers : Workers
    """

    def __init__(
        self,
        bins: NDArray[np.uint8],
        impurity: ImpurityArguments,
        n_drawn: int,
        max_depth: int,
        memory: int,
        workers: Workers,
    ) -> None:
        self._bins = bins
        self._impurity = impurity
        self._n_drawn = n_drawn
        self._workers = workers
        n_features, n_samples = bins.shape
        n_classes = len(impurity[1])
        self._n_blocks = -(-n_drawn // FEATURES)
        n_stored = int(np.clip(memory // (n_samples * FEATURES), 1, self._n_blocks))
        self._packed = np.empty((n_stored, n_samples), np.uint64)
        self._always_same = n_drawn == n_features and n_stored == self._n_blocks
        self._root_is_packed = False
        self._smallest_kept = SAMPLES_A_CLASS * n_classes
        self._n_counters = FEATURES * max(FEWEST_BINS, 2 ** int(bins.max()).bit_length())
        n_slots = min(2 ** max(max_depth - 2, 0), n_samples // self._smallest_kept)
        slot_bytes = n_classes * self._n_counters * 8 * max(n_slots, 1)
        n_kept = min(self._n_blocks, memory // slot_bytes) if max_depth > 1 else 0
        self._kept = _on_cache_line((n_slots, n_kept, n_classes * self._n_counters))
        self._free_slots: list[int] = []
        self._padded_sets = np.empty((0, 0), np.int64)  # the last feature repeated up to whole blocks

    def find(self, level: Level, order: SampleOrder, bars: NDArray[np.float64]) -> Cuts:
        """The best cut of every splittable node whose score exceeds the node's bar."""
        if level.features_are_new:
            self._free_slots = list(range(len(self._kept)))
            level.parent_slot[:] = -1
            missing = self._n_blocks * FEATURES - self._n_drawn
            self._padded_sets = np.pad(level.feature_sets, ((0, 0), (0, missing)), mode="edge")
        n_blocks, n_stored, n_kept = self._n_blocks, len(self._packed), self._kept.shape[1]
        best_score = np.repeat(bars[:, None], n_blocks, axis=1)
        best_cut = np.zeros((len(bars), n_blocks, 3), np.int32)
        plan_of_kept = self._plan(level)
        plan_of_others = _all_summed_up(level)
        pack = (level.features_are_new or n_stored < n_blocks) and not (
            level.depth == 0 and self._root_is_packed
        )
        if level.features_are_new or n_stored < n_blocks:
            order.rows[:] = np.arange(len(order.rows), dtype=np.uint32)
        for first in range(0, n_blocks, n_stored):
            last = min(first + n_stored, n_blocks)
            if pack:
                self._workers.run_blocks(partial(self._pack, level, order, first), first, last)
            for plan, begin, end in (
                (plan_of_kept, first, min(last, n_kept)),
                (plan_of_others, max(first, n_kept), last),
            ):
                search = partial(self._search, level, order, plan, best_score, best_cut, first)
                self._workers.run_blocks(search, begin, end)
        self._root_is_packed = self._always_same
        nodes = np.arange(len(bars))
        block = np.argmax(best_score, axis=1)
        cut = best_cut[nodes, block].astype(np.int64)
        feature = level.feature_sets[level.set_of_node, block * FEATURES + cut[:, 0]]
        return Cuts(feature, cut[:, 1], cut[:, 2], best_score[nodes, block])

    def release(self, level: Level, nodes: NDArray[np.int64]) -> None:
        """Forget what is kept of nodes that are not split."""
        self._free_slots += [int(slot) for slot in level.slot[nodes] if slot >= 0]

    def _plan(self, level: Level) -> NDArray[np.int64]:
        """The `plan` of `search_blocks` for the blocks whose masses can be kept."""
        items: list[tuple[int, bool, int, int, bool, int]] = []
        n_samples = level.n_samples
        for left in range(0, len(level.position), 2):
            family = range(left, min(left + 2, len(level.position)))
            small, large = (
                min(family, key=lambda node: n_samples[node]),
                max(family, key=lambda node: n_samples[node]),
            )
            parent_slot = int(level.parent_slot[left])
            if parent_slot >= 0 and level.splittable[large] and small != large:
                slot = self._take_slot(level, small)
                items.append((small, bool(level.splittable[small]), slot, large, True, parent_slot))
                if self._is_kept(level, large):
                    level.slot[large] = parent_slot
                else:
                    self._free_slots.append(parent_slot)
                continue
            if parent_slot >= 0:
                self._free_slots.append(parent_slot)
            items += [
                (node, True, self._take_slot(level, node), -1, False, -1)
                for node in family
                if level.splittable[node]
            ]
        return np.array(items, dtype=np.int64).reshape(-1, 6)

    def _is_kept(self, level: Level, node: int) -> bool:
        large_enough = level.n_samples[node] >= self._smallest_kept
        return bool(large_enough and level.splittable[node] and not level.features_will_change)

    def _take_slot(self, level: Level, node: int) -> int:
        if self._is_kept(level, node) and self._free_slots:
            level.slot[node] = self._free_slots.pop()
        return int(level.slot[node])

    def _pack(self, level: Level, order: SampleOrder, first: int, begin: int, end: int) -> None:
        searched = level.splittable
        if level.depth == 0:
            searched = np.ones(1, np.bool_)  # the packed root may serve the next tree
        pack_blocks(
            self._bins,
            self._padded_sets,
            level.set_of_node[searched],
            level.class_starts[searched][:, [0, -1]],
            order.samples,
            begin,
            end,
            first,
            self._packed,
        )

    def _search(
        self,
        level: Level,
        order: SampleOrder,
        plan: NDArray[np.int64],
        best_score: NDArray[np.float64],
        best_cut: NDArray[np.int32],
        first: int,
        begin: int,
        end: int,
    ) -> None:
        search_blocks(
            begin,
            end,
            first,
            self._packed,
            order.rows,
            order.weights,
            self._n_drawn,
            plan,
            level.class_starts,
            level.masses,
            *self._impurity,
            self._kept,
            _on_cache_line((self._kept.shape[-1],)),
            _on_cache_line((2 * self._n_counters + 4 * CHUNK,)),
            best_score,
            best_cut,
        )


def _all_summed_up(level: Level) -> NDArray[np.int64]:
    nodes = np.flatnonzero(level.splittable)
    plan = np.full((len(nodes), 6), -1, np.int64)
    plan[:, 0], plan[:, 1], plan[:, 4] = nodes, 1, 0
    return plan


def _on_cache_line(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """An uninitialised array that begins on a cache line of 64 bytes, so that vectors of it cross none."""
    size = math.prod(shape)
    room = np.empty(size + 8)
    first = -(room.ctypes.data // 8) % 8
    return room[first : first + size].reshape(shape)
