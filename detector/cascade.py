"""The trained classifier of a detector: a cascade of cost-sensitive trees over windows of feature cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cascade:
    """Boosted trees that vote for a class, and the score below which a window is given up.

    Trees are complete and stored breadth-first: the children of node `k` are `2 k + 1` (left) and
    `2 k + 2`. A window goes left iff ``feature < threshold``. A node that was never split has the lowest
    threshold (0 for uint8, -inf for float32), so that every window goes right, and equal leaves below it.

    Parameters
    ----------
    feature : (T, 2**D - 1) int32
        Index of the feature of each node in the flattened (channel, row, column) window.
    threshold : (T, 2**D - 1) uint8 or float32
        uint8 for a detector on quantised features.
    leaf_label : (T, 2**D) uint8
        Class that a leaf votes for, 0 = background.
    beta : (T,) float64
        Step of each tree, shrinkage included.
    rejection : (T,) float32
        A window is rejected after tree `t` when its trace is at or below ``rejection[t]``.
    cost_matrix : (K, K) float64
        Cost of saying column when the truth is row, zero diagonal, scaled as in training.
    window_shape : (channels, rows, columns) of the window in cells.

    Notes
    -----
    The score (trace) of a window is ``c_0 - min_{k>0} c_k`` with ``c = C* f``, ``C*`` the cost matrix with
    minus its row sums on the diagonal and ``f`` the sum of the trees' margin vectors (Fernández-Baldera et
    al. 2018, equation 27). Rows of C* sum to zero, so a vote for `z` adds ``K/(K-1) beta`` times column `z`.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.uint8] | NDArray[np.float32]
    leaf_label: NDArray[np.uint8]
    beta: FloatArray
    rejection: NDArray[np.float32]
    cost_matrix: FloatArray
    window_shape: tuple[int, int, int]

    def __post_init__(self) -> None:
        trees, nodes = self.feature.shape
        classes = len(self.cost_matrix)
        expected = {
            "threshold": (trees, nodes),
            "leaf_label": (trees, nodes + 1),
            "beta": (trees,),
            "rejection": (trees,),
            "cost_matrix": (classes, classes),
        }
        for name, shape in expected.items():
            found = getattr(self, name).shape
            if found != shape:
                raise ValueError(
                    f"{name} of Cascade must have shape {shape} to match its trees, found {found}"
                )
        if nodes & (nodes + 1):
            raise ValueError(f"feature of Cascade must have 2**depth - 1 columns, found {nodes}")
        if self.threshold.dtype not in (np.uint8, np.float32):
            raise ValueError(f"threshold of Cascade must be uint8 or float32, found {self.threshold.dtype}")
        size = int(np.prod(self.window_shape))
        if trees and not (self.feature.min() >= 0 and self.feature.max() < size):
            raise ValueError(f"feature of Cascade must lie in a window of {size} features")
        if trees and self.leaf_label.max() >= classes:
            raise ValueError(f"leaf_label of Cascade must be below the number of classes, {classes}")
        if np.any(self.beta < 0):
            raise ValueError("beta of Cascade must not be negative")

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.beta)

    @property
    def depth(self) -> int:
        """Number of split levels of every tree."""
        return int(self.feature.shape[1] + 1).bit_length() - 1

    @property
    def n_classes(self) -> int:
        """Number of classes, background included."""
        return len(self.cost_matrix)

    @cached_property
    def vote_differences(self) -> FloatArray:
        """(K, K-1) array: what a vote for the row, with step 1, adds to ``c_0 - c_k`` of each view `k`."""
        scatter = self.cost_matrix - np.diag(self.cost_matrix.sum(axis=1))
        return self.n_classes / (self.n_classes - 1) * (scatter[:1] - scatter[1:]).T

    @cached_property
    def vote_weight(self) -> float | None:
        """Weight `w` when every view's score is ``w`` (its votes - background votes), else None.

        So it is for costs that distinguish no two views (0|1, the face costs, every binary problem): a
        vote then changes one view's score only, or all of them equally.
        """
        differences = self.vote_differences
        weight = -differences[0, 0]
        expected = np.vstack([np.full((1, self.n_classes - 1), -weight), weight * np.eye(self.n_classes - 1)])
        return float(weight) if np.allclose(differences, expected, rtol=1e-12, atol=1e-12) else None

    def with_slack(self, slack: float) -> Cascade:
        """Return the cascade with its rejection thresholds lowered: ``rejection - (slack - 1) |rejection|``.

        Negative thresholds are so multiplied by `slack`: 1 = as calibrated, larger = slower, more complete.
        """
        if slack == 1:
            return self
        lowered = self.rejection - (slack - 1) * np.abs(self.rejection)
        return replace(self, rejection=lowered.astype(np.float32))

    def truncated(self, n_trees: int) -> Cascade:
        """Return the cascade of the first `n_trees` trees."""
        return replace(
            self,
            feature=self.feature[:n_trees],
            threshold=self.threshold[:n_trees],
            leaf_label=self.leaf_label[:n_trees],
            beta=self.beta[:n_trees],
            rejection=self.rejection[:n_trees],
        )
