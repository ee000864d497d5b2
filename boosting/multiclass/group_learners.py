"""Weak learners of many two-class problems on one table, whose columns are prepared only once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..reweighting.reweighting import WeakLearner
from ..rounds.votes import Array
from ..rounds.weak_learners import EstimatorLearner, StumpLearner, TreeLearner, predicted_signs
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier, feature_columns

OUT_AND_IN = np.array([0, 1])
"""Class labels that the learners are trained with: 1 is a row of the group."""


def group_learners(
    estimator: Any,
    rows: NDArray[Any],
    groups: list[NDArray[np.bool_]],
    weights: Array,
    random_state: Any,
) -> list[WeakLearner]:
    """A learner for each group of rows (n,), which says +1 for its rows.

    Parameters
    ----------
    estimator : classifier
        Ours, or any that takes `sample_weight`.
    rows : (n, F) array
    groups : list of (n,) bool
    weights : (n,) float64 > 0
        Choose the bins of trees.
    random_state : int, RandomState or None
    """
    generator = check_random_state(random_state)
    if isinstance(estimator, DecisionStumpClassifier):
        stumps = estimator.trainer(rows, groups[0].astype(np.int64), 2)
        return [
            StumpLearner(estimator, rows, group, OUT_AND_IN, 1, stumps.relabelled(group.astype(np.int64)))
            for group in groups
        ]
    if isinstance(estimator, TreeClassifier):
        trees = estimator.trainer(rows, groups[0].astype(np.int64), 2, weights)
        return [
            TreeLearner(
                estimator,
                rows,
                group,
                OUT_AND_IN,
                1,
                weights,
                generator,
                trees.relabelled(group.astype(np.int64)),
            )
            for group in groups
        ]
    return [EstimatorLearner(estimator, rows, group.astype(np.int64), 1, generator) for group in groups]


class GroupPredictions:
    """Applies such learners to rows; what our trees need of the rows is prepared once."""

    def __init__(self, rows: NDArray[Any], learners: Iterator[Any]) -> None:
        self._rows = rows
        of_trees = any(isinstance(learner, TreeClassifier) for learner in learners)
        self._columns = feature_columns(rows) if of_trees else None

    def signs(self, learner: Any) -> Array:
        """+1 (n,) where the learner sees its group, -1 elsewhere."""
        return predicted_signs(learner, self._rows, 1, self._columns)
