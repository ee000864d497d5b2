"""Compiled passes over trees whose nodes are numbered from the root down: a child's number exceeds its parent's."""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def find_nodes(
    feature: np.ndarray,
    threshold: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    columns: np.ndarray,
    found: np.ndarray,
) -> None:
    """found[i] = the leaf that sample i falls into.

    Parameters
    ----------
    feature, left, right : (m,) int64
        A leaf has left = -1.
    threshold : (m,) float64
    columns : (F, n) float64
        A sample goes left iff its value is smaller than the threshold.
    found : (n,) int64
        Output.
    """
    for i in range(found.shape[0]):
        node = 0
        while left[node] >= 0:
            node = left[node] if columns[feature[node], i] < threshold[node] else right[node]
        found[i] = node


@kernel
def add_to_ancestors(parent: np.ndarray, values: np.ndarray) -> None:
    """Add the values (m, K) of every node to its parent's, from the leaves up."""
    for node in range(parent.shape[0] - 1, 0, -1):
        for k in range(values.shape[1]):
            values[parent[node], k] += values[node, k]


@kernel
def costs_below(left: np.ndarray, right: np.ndarray, as_leaf: np.ndarray, pruned: np.ndarray) -> np.ndarray:
    """Cost (m,) of the subtree under every node, given the cost of each as a leaf; `pruned` nodes are leaves."""
    below = np.empty(as_leaf.shape[0])
    for node in range(as_leaf.shape[0] - 1, -1, -1):
        if left[node] < 0 or pruned[node]:
            below[node] = as_leaf[node]
        else:
            below[node] = below[left[node]] + below[right[node]]
    return below


@kernel
def prune_bottom_up(left: np.ndarray, right: np.ndarray, as_leaf: np.ndarray) -> np.ndarray:
    """Which nodes (m,) to make leaves so that no subtree costs as much as its root would as a leaf."""
    pruned = np.zeros(as_leaf.shape[0], np.bool_)
    below = np.empty(as_leaf.shape[0])
    for node in range(as_leaf.shape[0] - 1, -1, -1):
        below[node] = as_leaf[node]
        if left[node] >= 0:
            of_children = below[left[node]] + below[right[node]]
            tie = 1e-12 * max(abs(as_leaf[node]), abs(of_children))
            if as_leaf[node] <= of_children + tie:
                pruned[node] = True
            else:
                below[node] = of_children
    return pruned


@kernel
def weakest_links(left: np.ndarray, right: np.ndarray, parent: np.ndarray, as_leaf: np.ndarray) -> np.ndarray:
    """Complexity price (m,) at which weakest-link pruning makes each node a leaf; infinity: never.

    The next to go is the node of least (cost as a leaf - cost of its subtree) / (leaves - 1), the lowest number
    on ties; the prices do not fall.
    """
    n_nodes = as_leaf.shape[0]
    price = np.full(n_nodes, np.inf)
    gone = np.zeros(n_nodes, np.bool_)  # below a node that was pruned
    below = costs_below(left, right, as_leaf, gone)
    n_leaves = np.ones(n_nodes, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        if left[node] >= 0:
            n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
    reached = 0.0
    while n_leaves[0] > 1:
        weakest = -1
        least = np.inf
        for node in range(n_nodes):
            if n_leaves[node] > 1 and not gone[node]:
                link = (as_leaf[node] - below[node]) / (n_leaves[node] - 1)
                if link < least:
                    least = link
                    weakest = node
        reached = max(reached, least)
        price[weakest] = reached
        saved = as_leaf[weakest] - below[weakest]
        removed = n_leaves[weakest] - 1
        node = weakest
        while node >= 0:
            below[node] += saved
            n_leaves[node] -= removed
            node = parent[node]
        for node in range(weakest + 1, n_nodes):
            if parent[node] == weakest or gone[parent[node]]:
                gone[node] = True
    return price
