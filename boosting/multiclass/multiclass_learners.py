"""What the multi-class boosters train every round: our trees on prepared rows, or any weighted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rounds.weak_learners import seeded_clone
from ..trees.split_criterion import SplitCriterion
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier

Array = NDArray[np.float64]


class TreeClassifierLearner:
    """Our tree: the rows are binned and sorted once, the fitted copies are light.

    Parameters
    ----------
    estimator : TreeClassifier
    X : (n, F) array
    codes : (n,) int64
        Index of the row's class in `classes`.
    classes : (K,) array
    weights : (n,) float64 > 0
        Initial weights, which choose the bins.
    cost_matrix : (K, K) float64
        Used if the estimator's criterion takes costs and it has none of its own.
    random_state : RandomState
        Used if the estimator has none of its own.
    """

    def __init__(
        self,
        estimator: TreeClassifier,
        X: NDArray[Any],
        codes: NDArray[np.int64],
        classes: NDArray[Any],
        weights: Array,
        cost_matrix: Array,
        random_state: np.random.RandomState,
    ) -> None:
        self._estimator = seeded_clone(estimator, random_state)
        self._classes = classes
        self._n_features = X.shape[1]
        self._trainer = self._estimator.trainer(X, codes, len(classes), weights, cost_matrix)

    def fit(self, weights: Array) -> tuple[TreeClassifier, NDArray[np.uint8]]:
        tree, predicted = self._trainer.fit(weights)
        return self._estimator.with_tree(tree, self._classes, self._n_features), predicted


class StumpClassifierLearner:
    """Our stump: the columns are prepared once, the fitted copies are light.

    Parameters
    ----------
    estimator : DecisionStumpClassifier
    X : (n, F) array
    codes : (n,) int64
        Index of the row's class in `classes`.
    classes : (K,) array
    cost_matrix : (K, K) float64
        Used if the estimator's criterion takes costs and it has none of its own.
    """

    def __init__(
        self,
        estimator: DecisionStumpClassifier,
        X: NDArray[Any],
        codes: NDArray[np.int64],
        classes: NDArray[Any],
        cost_matrix: Array,
    ) -> None:
        self._estimator = estimator
        self._classes = classes
        self._n_features = X.shape[1]
        self._trainer = estimator.trainer(X, codes, len(classes), cost_matrix)

    def fit(self, weights: Array) -> tuple[DecisionStumpClassifier, NDArray[np.int64]]:
        stump, goes_left = self._trainer.fit(weights)
        predicted = goes_left * (stump.left - stump.right) + stump.right
        return self._estimator.with_stump(stump, self._classes, self._n_features), predicted


class EstimatorLearner:
    """Any scikit-learn classifier: a fresh seeded clone a round.

    It learns the costs through the weights of the rows: a row's weight is multiplied by its class's mean cost
    under BAdaCost's leaf costs (`SplitCriterion.badacost`), which is exact for two classes, and for more ones
    the reduction of Breiman et al. (1984). The weights have mean 1.
    """

    def __init__(
        self,
        estimator: Any,
        X: NDArray[Any],
        y: NDArray[Any],
        classes: NDArray[Any],
        codes: NDArray[np.int64],
        cost_matrix: Array,
        random_state: np.random.RandomState,
    ) -> None:
        self._estimator = estimator
        self._X = X
        self._y = y
        self._classes = classes
        self._row_factors = SplitCriterion.badacost(cost_matrix).class_factors[codes]
        self._random_state = random_state

    def fit(self, weights: Array) -> tuple[Any, NDArray[np.int64]]:
        fitted = seeded_clone(self._estimator, self._random_state)
        weighted = weights * self._row_factors
        fitted.fit(self._X, self._y, sample_weight=weighted * (len(weighted) / weighted.sum()))
        return fitted, np.searchsorted(self._classes, fitted.predict(self._X))
