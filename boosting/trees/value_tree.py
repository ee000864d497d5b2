"""A trained tree that is applied to values of features instead of bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .binning import Binner
from .complete_tree import CompleteTree
from .tree_level import read_only
from .tree_prediction_kernels import find_leaves


@dataclass(frozen=True, eq=False)
class ValueTree:
    """The arrays of a `CompleteTree` with thresholds on values.

    Attributes
    ----------
    feature : (2^D - 1,) int32
    threshold : (2^D - 1,) float64
        A sample goes left iff its value is smaller; minus infinity where the node was not split.
    leaf_label : (2^D,) uint8
    leaf_mass : (2^D, K) float64
        Share of each class in the training weight of the leaf.
    decrease : (2^D - 1,) float64
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    leaf_label: NDArray[np.uint8]
    leaf_mass: NDArray[np.float64]
    decrease: NDArray[np.float64]

    @classmethod
    def of(cls, tree: CompleteTree, binner: Binner) -> ValueTree:
        """Put thresholds midway between the values that the bins next to them hold."""
        split = tree.threshold > 0
        threshold = np.full(len(split), -np.inf)
        threshold[split] = binner.threshold_values(
            tree.feature[split], tree.lower_bin[split], tree.upper_bin[split]
        )
        mass = tree.leaf_mass / tree.leaf_mass.sum(axis=1, keepdims=True)
        return cls(tree.feature, threshold, tree.leaf_label, mass, tree.decrease)

    def leaves(self, columns: NDArray[np.float64]) -> NDArray[np.int32]:
        """The leaf (N,) of every sample of columns (F, N)."""
        found = np.empty((1, columns.shape[1]), np.int32)
        find_leaves(self.feature[None], self.threshold[None], read_only(columns), 0, columns.shape[1], found)
        return found[0]

    def importances(self, n_features: int) -> NDArray[np.float64]:
        """Share (F,) of the impurity decrease that every feature brought; zeros if there was none."""
        total = np.bincount(self.feature, weights=self.decrease, minlength=n_features)
        return np.asarray(total / total.sum() if total.any() else total)
