"""A two-class decision tree with what it knows of every node, inner ones too: it can be pruned and curtailed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..trees.binning import Binner
from ..trees.complete_tree import CompleteTree
from ..trees.tree_classifier import feature_columns
from .node_tree_kernels import add_to_ancestors, find_nodes
from .records import Array, Records

TIE = 1e-12
"""Relative difference of two sums that is rounding."""

Nodes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NodeTree:
    """A tree of m nodes, numbered level by level from the root, which is 0.

    Attributes
    ----------
    feature : (m,) int64
    threshold : (m,) float64
        A sample goes left iff its value is smaller.
    left, right : (m,) int64
        Children; -1 of a leaf.
    parent : (m,) int64
        -1 of the root.
    decrease : (m,) float64
        By how much the split decreased the impurity, as a share of the total weight; 0 of a leaf.
    mass : (m, 2) float64
        Weight of the negative and of the positive training records in the node.
    class_cost : (m, 2) float64
        Sum of what it costs to misclassify them: the price of a positive and of a negative label.
    """

    feature: Nodes
    threshold: Array
    left: Nodes
    right: Nodes
    parent: Nodes
    decrease: Array
    mass: Array
    class_cost: Array

    @classmethod
    def of(cls, tree: CompleteTree, binner: Binner, records: Records) -> NodeTree:
        """The nodes of a tree that was grown on the records."""
        heap, left, parent, is_split, node_of_leaf = _number_nodes(tree)
        feature = np.where(is_split, tree.feature[heap], 0).astype(np.int64)
        threshold = np.full(len(heap), -np.inf)
        split = heap[is_split]
        threshold[is_split] = binner.threshold_values(
            tree.feature[split], tree.lower_bin[split], tree.upper_bin[split]
        )
        shape = cls(
            feature=feature,
            threshold=threshold,
            left=left,
            right=np.where(is_split, left + 1, -1),
            parent=parent,
            decrease=np.where(is_split, tree.decrease[heap], 0.0),
            mass=np.empty((0, 2)),
            class_cost=np.empty((0, 2)),
        )
        found = node_of_leaf[tree.leaf_of_sample]
        mass, class_cost = (
            shape.class_sums(found, records.positive, values)
            for values in (records.mass, records.mass * records.costs)
        )
        return replace(shape, mass=mass, class_cost=class_cost)

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        return self.left < 0

    @cached_property
    def least_cost_label(self) -> NDArray[np.bool_]:
        """Whether the positive label is the cheaper one (m,); a tie is negative."""
        return _exceeds(self.class_cost[:, 1], self.class_cost[:, 0])

    @cached_property
    def majority_label(self) -> NDArray[np.bool_]:
        """Whether the positive class is the heavier one (m,); a tie is negative."""
        return _exceeds(self.mass[:, 1], self.mass[:, 0])

    def leaves(self, rows: NDArray[np.floating]) -> Nodes:
        """The leaf (n,) that every row of (n, F) falls into."""
        found = np.empty(len(rows), dtype=np.int64)
        columns = feature_columns(rows)
        find_nodes(self.feature, self.threshold, self.left, self.right, columns, found)
        return found

    def class_sums(self, found: Nodes, positive: NDArray[np.bool_], values: Array) -> Array:
        """Sums (m, 2) over the negative and the positive samples in every node, given the leaf of each."""
        size = self.n_nodes
        sums: Array = np.bincount(2 * found + positive, weights=values, minlength=2 * size).astype(np.float64)
        sums = sums.reshape(size, 2)
        add_to_ancestors(self.parent, sums)
        return sums

    def label_costs(self, class_cost: Array) -> Array:
        """What the nodes' least-cost labels (m,) cost samples whose sums are `class_cost` (m, 2)."""
        return np.where(self.least_cost_label, class_cost[:, 0], class_cost[:, 1])

    def pruned(self, at: NDArray[np.bool_]) -> NodeTree:
        """The tree with the nodes of the mask (m,) made leaves."""
        kept = np.zeros(self.n_nodes, dtype=bool)
        kept[0] = True
        for node in np.flatnonzero(~(self.is_leaf | at)):  # ascending: parents come first
            kept[self.left[node]] = kept[self.right[node]] = kept[node]
        number = np.append(np.cumsum(kept) - 1, -1)  # the last one is for -1
        turned = (at | self.is_leaf)[kept]
        return NodeTree(
            feature=np.where(turned, 0, self.feature[kept]),
            threshold=np.where(turned, -np.inf, self.threshold[kept]),
            left=np.where(turned, -1, number[self.left[kept]]),
            right=np.where(turned, -1, number[self.right[kept]]),
            parent=number[self.parent[kept]],
            decrease=np.where(turned, 0.0, self.decrease[kept]),
            mass=self.mass[kept],
            class_cost=self.class_cost[kept],
        )

    def importances(self, n_features: int) -> Array:
        """Share (F,) of the impurity decrease that every feature brought; zeros if there was none."""
        total = np.bincount(self.feature, weights=self.decrease, minlength=n_features)
        return np.asarray(total / total.sum() if total.any() else total)


def _number_nodes(tree: CompleteTree) -> tuple[Nodes, Nodes, Nodes, NDArray[np.bool_], Nodes]:
    """Heap number, left child, parent of every node, whether it is split, and the node of each heap leaf."""
    node_of_leaf = np.full(2**tree.depth, -1, dtype=np.int64)
    heaps, lefts, parents, splits = [], [], [], []
    position, parent, first = np.zeros(1, dtype=np.int64), np.array([-1]), 0
    for depth in range(tree.depth + 1):
        heap = 2**depth - 1 + position
        is_split = tree.threshold[heap] > 0 if depth < tree.depth else np.zeros(len(position), dtype=bool)
        numbers = first + np.arange(len(position))
        first += len(position)
        left = np.full(len(position), -1)
        left[is_split] = first + 2 * np.arange(int(is_split.sum()))
        last = ((position + 1) << (tree.depth - depth)) - 1  # samples of a leaf lie in its last copy
        node_of_leaf[last[~is_split]] = numbers[~is_split]
        heaps.append(np.minimum(heap, len(tree.threshold) - 1))  # the lowest leaves are below the heap
        lefts.append(left)
        parents.append(parent)
        splits.append(is_split)
        position = np.repeat(2 * position[is_split], 2)
        position[1::2] += 1
        parent = np.repeat(numbers[is_split], 2)
    joined = [np.concatenate(parts) for parts in (heaps, lefts, parents)]
    return joined[0], joined[1], joined[2], np.concatenate(splits), node_of_leaf


def _exceeds(first: Array, second: Array) -> NDArray[np.bool_]:
    return np.asarray(first > second * (1.0 + TIE))
