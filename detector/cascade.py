"""The trained classifier of a detector: a cascade of cost-sensitive trees over windows of feature cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .tree_cascade import TreeCascade

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cascade(TreeCascade):
    """Boosted trees that vote for a class, and the score below which a window is given up.

    Parameters
    ----------
    feature, threshold, rejection, window_shape
        See `TreeCascade`.
    leaf_label : (T, 2**D) uint8
        Class that a leaf votes for, 0 = background.
    beta : (T,) float64
        Step of each tree, shrinkage included.
    cost_matrix : (K, K) float64
        Cost of saying column when the truth is row, zero diagonal, scaled as in training.

    Notes
    -----
    The score (trace) of a window is ``c_0 - min_{k>0} c_k`` with ``c = C* f``, ``C*`` the cost matrix with
    minus its row sums on the diagonal and ``f`` the sum of the trees' margin vectors (Fernández-Baldera et
    al. 2018, equation 27). Rows of C* sum to zero, so a vote for `z` adds ``K/(K-1) beta`` times column `z`.
    """

    leaf_label: NDArray[np.uint8]
    beta: FloatArray
    cost_matrix: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        trees, nodes = self.feature.shape
        classes = len(self.cost_matrix)
        self._check_shapes(
            {"leaf_label": (trees, nodes + 1), "beta": (trees,), "cost_matrix": (classes, classes)}
        )
        if trees and self.leaf_label.max() >= classes:
            raise ValueError(f"leaf_label of Cascade must be below the number of classes, {classes}")
        if np.any(self.beta < 0):
            raise ValueError("beta of Cascade must not be negative")

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

    @cached_property
    def steps(self) -> NDArray[np.float32]:
        """(T,) what a vote adds: to its class where `vote_weight` is a number, else times `vote_differences`."""
        return (self.beta * (1.0 if self.vote_weight is None else self.vote_weight)).astype(np.float32)

    @cached_property
    def n_safe_trees(self) -> int:
        """First trees after which no window can be given up, whatever they vote.

        The bound is added up in float32 and in the order of the trees, as traces are, so that it holds for rounded
        sums too.
        """
        least = self.vote_differences.min(axis=0) if self.vote_weight is None else np.array([-1.0])
        lowest = np.cumsum(self.steps[:, None] * least.astype(np.float32), axis=0, dtype=np.float32).max(
            axis=1
        )
        given_up = lowest <= self.rejection
        return int(given_up.argmax()) if given_up.any() else self.n_trees

    @cached_property
    def lane_differences(self) -> NDArray[np.float32]:
        """(K, lanes) float32 vote differences, with the views filled up to whole vectors by copies of the first.

        A copy never changes the maximum, and the first of equals is taken.
        """
        differences = self.vote_differences.astype(np.float32)
        views = differences.shape[1]
        lanes = -(-views // 8) * 8
        filled = np.concatenate([differences, np.repeat(differences[:, :1], lanes - views, axis=1)], axis=1)
        return np.ascontiguousarray(filled)
