"""Pruning of a cost-sensitive tree: by the cost on records held out, or by weakest links.

Section 3.2.2 of Petrides and Verbeke 2021; Breiman et al. 1984, chapter 3, with costs in place of errors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .node_tree import TIE, NodeTree
from .node_tree_kernels import costs_below, prune_bottom_up, weakest_links
from .records import Array, Records


def prune_by_reduced_cost(tree: NodeTree, validation: Records) -> NodeTree:
    """Replace, from the leaves up, each subtree that costs the validation records no less than a leaf there."""
    return tree.pruned(prune_bottom_up(tree.left, tree.right, _validation_costs(tree, validation)))


def complexity_prices(tree: NodeTree) -> Array:
    """Price of a leaf (m,) at which weakest-link pruning makes each node a leaf; infinity: never.

    The price is compared with the mean training cost of a record.
    """
    costs = tree.label_costs(tree.class_cost) / tree.mass[0].sum()
    return np.asarray(weakest_links(tree.left, tree.right, tree.parent, costs))


def prune_by_cost_complexity(
    tree: NodeTree, *, ccp_alpha: float | None = None, validation: Records | None = None
) -> NodeTree:
    """The tree of the weakest-link sequence for a price of leaves, or of least cost on validation records.

    Parameters
    ----------
    tree : NodeTree
    ccp_alpha : float, optional
        The price.
    validation : Records, optional
        Choose the price if it is not given; of trees that cost the same, the smallest.
    """
    prices = complexity_prices(tree)
    if ccp_alpha is None:
        if validation is None:
            raise ValueError("prune_by_cost_complexity needs ccp_alpha or validation, got neither")
        ccp_alpha = _cheapest_price(tree, prices, _validation_costs(tree, validation))
    return tree.pruned(prices <= ccp_alpha)


def _cheapest_price(tree: NodeTree, prices: Array, costs: Array) -> float:
    chosen, least = -1.0, np.inf
    for price in (-1.0, *np.unique(prices[np.isfinite(prices)])):
        pruned: NDArray[np.bool_] = prices <= price
        cost = costs_below(tree.left, tree.right, costs, pruned)[0]
        if cost <= least * (1.0 + TIE):
            chosen, least = float(price), min(cost, least)
    return chosen


def _validation_costs(tree: NodeTree, validation: Records) -> Array:
    """What every node (m,) costs the validation records that reach it, if it is a leaf."""
    costs = validation.mass * validation.costs
    return tree.label_costs(tree.class_sums(tree.leaves(validation.rows), validation.positive, costs))
