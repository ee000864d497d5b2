"""CART pruned while it is grown, as R's rpart does by default: a split must be worth its price.

References: Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984 (chapter 3); Therneau and
Atkinson, "An introduction to recursive partitioning using the rpart routines", 2023 (section 3).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..framework.node_tree_kernels import prune_bottom_up
from ..trees.cart import CartTree
from ..trees.cart_classifier import CARTClassifier


class ComplexityPrunedCART(CARTClassifier):
    """CART that keeps only splits that pay for their leaves.

    Every leaf costs `complexity` times the errors of the root; a subtree that costs as much as its root would as a
    leaf becomes one.

    Parameters
    ----------
    complexity : float >= 0
        rpart's cp.
    max_depth, max_features, random_state
        See `CARTClassifier`, also for the attributes.
    """

    def __init__(
        self,
        *,
        complexity: float = 0.01,
        max_depth: int | None = None,
        max_features: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(max_depth=max_depth, max_features=max_features, random_state=random_state)
        self.complexity = complexity

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and prune; see `CARTClassifier.fit`."""
        super().fit(X, y, sample_weight)
        self.tree_ = pruned_by_complexity(self.tree_, self.complexity)
        return self

    def with_tree(self, tree: CartTree, classes: NDArray[Any], n_features: int) -> CARTClassifier:
        """A fitted copy of this estimator around a grown tree, which is pruned."""
        return super().with_tree(pruned_by_complexity(tree, self.complexity), classes, n_features)


def pruned_by_complexity(tree: CartTree, complexity: float) -> CartTree:
    """The subtree of least errors + complexity * errors of the root * leaves; of those, the smallest.

    Parameters
    ----------
    tree : CartTree
    complexity : float >= 0
        0 takes back only the splits that change no training row's class.

    Raises
    ------
    ValueError
        If complexity is negative or no number.
    """
    if not complexity >= 0.0:
        raise ValueError(f"complexity of pruned_by_complexity must be at least 0, got {complexity!r}")
    inner = tree.feature >= 0
    left = np.where(inner, np.arange(1, len(inner) + 1), -1)
    errors = tree.masses.sum(axis=1) - tree.masses.max(axis=1)
    pruned = prune_bottom_up(left, tree.right.astype(np.int64), errors + complexity * errors[0])
    kept = np.ones(len(inner), np.bool_)
    for node in np.flatnonzero(pruned):
        if kept[node]:
            last = int(node)
            while tree.right[last] >= 0:
                last = int(tree.right[last])
            kept[node + 1 : last + 1] = False
    feature = np.where(pruned, -1, tree.feature)[kept].astype(np.int32)
    new_number = np.cumsum(kept) - 1
    right = np.where(feature >= 0, new_number[tree.right[kept]], -1).astype(np.int32)
    return CartTree(feature, tree.threshold[kept], right, tree.masses[kept])
