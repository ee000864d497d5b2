"""What a booster trains every round: our stump or tree on prepared rows, or any weighted classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier, feature_columns

Array = NDArray[np.float64]


def check_weak_learner(estimator: Any, owner: str) -> None:
    """Refuse what cannot be boosted by weights.

    Raises
    ------
    ValueError
        If it is no classifier instance, or its fit takes no sample_weight.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise ValueError(f"estimator of {owner} must be a classifier instance or None, got {estimator!r}")
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"estimator of {owner} must take sample_weight in fit, {type(estimator).__name__} does not"
        )


def seeded_clone(estimator: Any, random_state: np.random.RandomState) -> Any:
    """An unfitted copy with every `random_state` parameter, nested ones too, set to a fresh number."""
    copy = clone(estimator)
    seeds = {
        name: random_state.randint(np.iinfo(np.int32).max)
        for name in sorted(copy.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    return copy.set_params(**seeds) if seeds else copy


class StumpLearner:
    """Our stump: the columns are prepared once, the fitted copies are light.

    Parameters
    ----------
    estimator : DecisionStumpClassifier
    X : (n, F) array
    positive : (n,) bool
    classes : (2,) array
        Sorted class labels.
    positive_code : int
        Index of the positive class in `classes`.
    trainer : object with fit(weights) -> Stump over (negative, positive), rows that go left; optional
        By default the estimator's own.
    """

    def __init__(
        self,
        estimator: DecisionStumpClassifier,
        X: NDArray[Any],
        positive: NDArray[np.bool_],
        classes: NDArray[Any],
        positive_code: int,
        trainer: Any = None,
    ) -> None:
        self._estimator = estimator
        self._classes = classes
        self._n_features = X.shape[1]
        # The negative class is code 0 while training, so that it wins a leaf's ties.
        self._codes = np.array([1 - positive_code, positive_code])
        self._trainer = trainer or estimator.trainer(X, positive.astype(np.int64), 2)

    def fit(self, weights: Array) -> tuple[DecisionStumpClassifier, Array]:
        stump, goes_left = self._trainer.fit(weights)
        left, right = 2.0 * stump.left - 1.0, 2.0 * stump.right - 1.0
        predicted = np.asarray(goes_left * (left - right) + right)  # several times as fast as np.where
        fitted = self._estimator.with_stump(stump.with_codes(self._codes), self._classes, self._n_features)
        return fitted, predicted


class TreeLearner:
    """Our tree: the rows are binned and sorted once, the fitted copies are light.

    Parameters
    ----------
    estimator : TreeClassifier
    X, positive, classes, positive_code, trainer
        As for `StumpLearner`.
    weights : (n,) float64 > 0
        Choose the bins.
    random_state : RandomState
        Used if the estimator has none of its own.
    """

    def __init__(
        self,
        estimator: TreeClassifier,
        X: NDArray[Any],
        positive: NDArray[np.bool_],
        classes: NDArray[Any],
        positive_code: int,
        weights: Array,
        random_state: np.random.RandomState,
        trainer: Any = None,
    ) -> None:
        self._estimator = seeded_clone(estimator, random_state)
        self._classes = classes
        self._n_features = X.shape[1]
        self._codes = np.array([1 - positive_code, positive_code])
        self._trainer = trainer or self._estimator.trainer(X, positive.astype(np.int64), 2, weights)

    def fit(self, weights: Array) -> tuple[TreeClassifier, Array]:
        tree, labels = self._trainer.fit(weights)
        tree = replace(
            tree,
            leaf_label=self._codes[tree.leaf_label].astype(np.uint8),
            leaf_mass=np.ascontiguousarray(tree.leaf_mass[:, self._codes]),
        )
        return self._estimator.with_tree(tree, self._classes, self._n_features), 2.0 * labels - 1.0


class EstimatorLearner:
    """Any scikit-learn classifier: a fresh seeded clone a round, weights scaled to mean 1."""

    def __init__(
        self,
        estimator: Any,
        X: NDArray[Any],
        y: NDArray[Any],
        positive_label: Any,
        random_state: np.random.RandomState,
    ) -> None:
        self._estimator = estimator
        self._X = X
        self._y = y
        self._positive_label = positive_label
        self._random_state = random_state

    def fit(self, weights: Array) -> tuple[Any, Array]:
        fitted = seeded_clone(self._estimator, self._random_state)
        fitted.fit(self._X, self._y, sample_weight=weights * len(weights))
        return fitted, predicted_signs(fitted, self._X, self._positive_label)


def predicted_signs(fitted: Any, X: NDArray[Any], positive_label: Any, columns: Array | None = None) -> Array:
    """h (n,) in {-1, +1} of a fitted learner; `columns`, if known, are the `feature_columns` of X."""
    if isinstance(fitted, DecisionStumpClassifier):  # X was checked by the booster
        signs = np.where(fitted.classes_ == positive_label, 1.0, -1.0)
        stump = fitted.stump_
        left, right = signs[stump.left], signs[stump.right]
        return np.asarray(stump.goes_left(X) * (left - right) + right)
    if isinstance(fitted, TreeClassifier):
        signs = np.where(fitted.classes_ == positive_label, 1.0, -1.0)
        return signs[
            fitted.tree_.leaf_label[fitted.tree_.leaves(feature_columns(X) if columns is None else columns)]
        ]
    return np.where(fitted.predict(X) == positive_label, 1.0, -1.0)
