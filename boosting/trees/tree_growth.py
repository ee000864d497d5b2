"""Growth of one tree, level by level."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .complete_tree import CompleteTree
from .node_kernels import make_leaves, node_scores, split_nodes
from .split_criterion import SplitCriterion
from .tree_level import Bins, Cuts, Level, SampleOrder
from .tree_options import TreeOptions


class CutSearch(Protocol):
    """Finds the cuts of a level."""

    def find(self, level: Level, order: SampleOrder, bars: NDArray[np.float64]) -> Cuts: ...

    def release(self, level: Level, nodes: NDArray[np.int64]) -> None: ...


class TreeGrowth:
    """State of one tree while it grows.

    Parameters
    ----------
    bins : (F, N)
    order : SampleOrder
        The samples sorted by class.
    class_starts : (K + 1,) int64
    criterion : SplitCriterion
    options : TreeOptions
    search : CutSearch
    rng : numpy.random.Generator or None
        Needed if nodes choose from some of the features.
    """

    def __init__(
        self,
        bins: Bins,
        order: SampleOrder,
        class_starts: NDArray[np.int64],
        criterion: SplitCriterion,
        options: TreeOptions,
        search: CutSearch,
        rng: np.random.Generator | None,
    ) -> None:
        self._bins = bins
        self._order = order
        self._class_starts = class_starts
        self._criterion = criterion
        self._options = options
        self._search = search
        self._rng = rng
        self._n_drawn = options.n_drawn(len(bins))
        self._total = 0.0
        n_nodes = 2**options.max_depth - 1
        self._tree = CompleteTree(
            feature=np.zeros(n_nodes, np.int32),
            threshold=np.zeros(n_nodes, bins.dtype),
            leaf_label=np.zeros(n_nodes + 1, np.uint8),
            lower_bin=np.zeros(n_nodes, bins.dtype),
            upper_bin=np.zeros(n_nodes, bins.dtype),
            decrease=np.zeros(n_nodes),
            leaf_mass=np.zeros((n_nodes + 1, criterion.n_classes)),
            leaf_of_sample=np.zeros(bins.shape[1], np.int32),
        )

    def run(self) -> CompleteTree:
        """Grow the tree."""
        level = self._root()
        self._total = float(level.masses.sum())
        for depth in range(self._options.max_depth):
            level.splittable = self._splittable(level)
            self._choose_features(level)
            cuts = self._find_cuts(level)
            split = cuts.threshold > 0
            self._make_leaves(level, np.flatnonzero(~split))
            self._search.release(level, np.flatnonzero(~split))
            if not split.any():
                return self._tree
            level = self._children(depth, level, cuts, np.flatnonzero(split))
        self._make_leaves(level, np.arange(len(level.position)))
        return self._tree

    def _root(self) -> Level:
        starts = self._class_starts
        sums = np.concatenate([[0.0], np.cumsum(self._order.weights)])
        none = np.array([-1])
        return Level(
            depth=0,
            position=np.array([0]),
            class_starts=starts[None].copy(),
            masses=(sums[starts[1:]] - sums[starts[:-1]])[None],
            splittable=np.array([True]),
            feature_sets=np.empty((0, 0), np.int64),
            set_of_node=np.array([0]),
            features_are_new=True,
            features_will_change=False,
            slot=none.copy(),
            parent_slot=none.copy(),
        )

    def _splittable(self, level: Level) -> NDArray[np.bool_]:
        enough = level.n_samples >= self._options.min_samples_split
        impure = (level.masses > 0).sum(axis=1) > 1
        heavy = level.masses.sum(axis=1) >= self._options.min_weight_split * self._total
        return np.asarray(enough & impure & heavy)

    def _choose_features(self, level: Level) -> None:
        """Draw the features of the level's nodes anew if this is a depth to do so."""
        level.features_are_new = self._are_drawn_at(level.depth)
        last = level.depth + 1 == self._options.max_depth
        level.features_will_change = last or self._are_drawn_at(level.depth + 1)
        if not level.features_are_new:
            return
        n_features = len(self._bins)
        if self._n_drawn == n_features or self._rng is None:
            level.feature_sets = np.arange(n_features)[None]
            level.set_of_node[:] = 0
            return
        nodes = np.flatnonzero(level.splittable)
        level.set_of_node[:] = 0
        level.set_of_node[nodes] = np.arange(len(nodes))
        level.feature_sets = np.empty((max(len(nodes), 1), self._n_drawn), np.int64)
        for drawn in level.feature_sets:
            drawn[:] = np.sort(self._rng.choice(n_features, self._n_drawn, replace=False, shuffle=False))

    def _are_drawn_at(self, depth: int) -> bool:
        if depth == 0 or self._n_drawn == len(self._bins):
            return depth == 0
        return {"tree": False, "parent": depth % 2 == 0, "node": True}[self._options.feature_sampling]

    def _find_cuts(self, level: Level) -> Cuts:
        scores, scales = np.empty((2, len(level.position)))
        node_scores(level.masses, *self._criterion.kernel_arguments, scores, scales)
        cuts = self._search.find(level, self._order, scores + self._options.min_gain * scales)
        gain = np.where(cuts.threshold > 0, cuts.score - scores, 0.0)
        heap = 2**level.depth - 1 + level.position
        self._tree.decrease[heap] = gain / scales * (level.masses.sum(axis=1) / self._total)
        return cuts

    def _children(self, depth: int, level: Level, cuts: Cuts, split: NDArray[np.int64]) -> Level:
        heap = 2**depth - 1 + level.position[split]
        self._tree.feature[heap] = cuts.feature[split]
        lowest, upper = cuts.threshold[split], cuts.upper_bin[split]
        middle = self._options.threshold == "middle"
        thresholds = (lowest + upper) // 2 if middle else lowest
        self._tree.threshold[heap] = thresholds
        self._tree.lower_bin[heap] = lowest - 1
        self._tree.upper_bin[heap] = upper
        n_children, n_classes = 2 * len(split), self._criterion.n_classes
        class_starts = np.empty((n_children, n_classes + 1), np.int64)
        masses = np.empty((n_children, n_classes))
        split_nodes(
            self._bins,
            split,
            cuts.feature[split],
            thresholds,  # samples of no weight may lie between the lowest threshold and this one
            level.class_starts,
            self._order.samples,
            self._order.rows,
            self._order.weights,
            class_starts,
            masses,
        )
        position = np.repeat(2 * level.position[split], 2)
        position[1::2] += 1
        return Level(
            depth=depth + 1,
            position=position,
            class_starts=class_starts,
            masses=masses,
            splittable=np.ones(n_children, np.bool_),
            feature_sets=level.feature_sets,
            set_of_node=np.repeat(level.set_of_node[split], 2),
            features_are_new=False,
            features_will_change=False,
            slot=np.full(n_children, -1),
            parent_slot=np.repeat(level.slot[split], 2),
        )

    def _make_leaves(self, level: Level, nodes: NDArray[np.int64]) -> None:
        make_leaves(
            nodes,
            self._options.max_depth - level.depth,
            level.position,
            level.class_starts,
            self._order.samples,
            level.masses,
            self._criterion.leaf_costs,
            self._tree.leaf_label,
            self._tree.leaf_mass,
            self._tree.leaf_of_sample,
        )
