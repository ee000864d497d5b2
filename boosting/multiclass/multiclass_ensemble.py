"""What the multi-class rivals of BAdaCost have in common as scikit-learn classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..costs import validate, zero_one
from ..reweighting.reweighting_classifier import NoRoundWarning
from ..rounds.weak_learners import check_weak_learner
from ..row_values import check_sample_weight
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier, check_n_classes, feature_columns
from .multiclass_learners import EstimatorLearner, StumpClassifierLearner, TreeClassifierLearner

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


class MulticlassEnsemble(ClassifierMixin, BaseEstimator):
    """Base of the boosters that predict the class of the highest score; see `AdaC2M1Classifier`."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_depth: int = 3,
        max_features: int | float | None = None,
        record_history: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.record_history = record_history
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Class labels.
        sample_weight : (n,) array_like >= 0, optional
            Multiplies the initial weights; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y or sample_weight breaks its rule; the message names it.
        """
        self._check_parameters()
        return self._fit(*self._checked_data(X, y), sample_weight)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the highest score for the rows of X (n, F), the first of them on ties."""
        return self._labels(self._scores(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` after every round."""
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def decision_function(self, X: ArrayLike) -> Array:
        """Scores of the rows of X: (n, K); for 2 classes (n,), that of ``classes_[1]`` less the other."""
        return self._decisions(self._scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` after every round."""
        for scores in self._staged_scores(X):
            yield self._decisions(scores)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Shares (n, K) of the classes in the vote; the likeliest is the predicted class."""
        return self._shares(self._scores(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """`predict_proba` after every round."""
        for scores in self._staged_scores(X):
            yield self._shares(scores)

    @property
    def feature_importances_(self) -> Array:
        """Importances (F,) by the learners, averaged with their vote weights."""
        check_is_fitted(self, "estimators_")
        total = np.zeros(self.n_features_in_)
        for learner, weight in self._weighted_learners():
            if not hasattr(learner, "feature_importances_"):
                raise AttributeError(f"{type(learner).__name__} has no feature_importances_")
            total += abs(weight) * learner.feature_importances_
        return total / total.sum() if total.any() else total

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        """Train on checked rows; set `estimators_`, `estimator_weights_` and `stop_reason_`."""
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        """The scores (n, K) of checked rows after every round."""
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _shares(self, scores: Array) -> Array:
        above = scores - np.minimum(scores.min(axis=1, keepdims=True), 0.0)
        totals = above.sum(axis=1, keepdims=True)
        return np.where(totals > 0, above / np.where(totals > 0, totals, 1.0), 1.0 / scores.shape[1])

    def _weighted_learners(self) -> Iterator[tuple[Any, float]]:
        """Every learner and its vote weight."""
        return zip(self.estimators_, self.estimator_weights_, strict=True)

    def _cost_matrix(self) -> Array:
        """The costs (K, K) that the fallback minimises."""
        return zero_one(len(self.classes_))

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_integer("n_estimators", 1)
        if self.estimator is not None:
            check_weak_learner(self.estimator, owner)

    def _check_integer(self, name: str, smallest: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < smallest:
            raise ValueError(
                f"{name} of {type(self).__name__} must be an integer >= {smallest}, got {value!r}"
            )

    def _check_choice(self, name: str, allowed: tuple[Any, ...]) -> None:
        value = getattr(self, name)
        if not any(value is choice or value == choice for choice in allowed):
            choices = ", ".join(map(repr, allowed))
            raise ValueError(f"{name} of {type(self).__name__} must be one of {choices}, got {value!r}")

    def _checked_costs(self, cost_matrix: ArrayLike | None) -> Array:
        n_classes = len(self.classes_)
        return zero_one(n_classes) if cost_matrix is None else validate(cost_matrix, n_classes)

    # The common course

    def _fit(
        self, rows: NDArray[Any], labels: NDArray[Any], sample_weight: ArrayLike | None, **of_rows: Array
    ) -> Self:
        """Boost on checked data; `of_rows` are further arrays with an entry a row."""
        owner = type(self).__name__
        weights = check_sample_weight(sample_weight, len(rows), f"{owner}.fit")
        used = weights > 0
        rows, labels, weights = rows[used], labels[used], weights[used]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        check_n_classes(self.classes_, f"{owner}.fit")
        weights = weights / weights.sum()
        self.class_weights_ = np.bincount(codes, weights=weights)
        self._boost(rows, labels, codes, weights, **{name: each[used] for name, each in of_rows.items()})
        self.n_rounds_ = len(self.estimators_)
        if not self.n_rounds_:
            warnings.warn(
                f"{owner} kept no learner and predicts {self.classes_[self._cheapest()]!r}, the class of "
                f"least cost, for every row: {self.stop_reason_}",
                NoRoundWarning,
                stacklevel=3,
            )
        return self

    def _checked_data(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, ensure_all_finite=self._finite())
        check_classification_targets(labels)
        return rows, labels

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def _cheapest(self) -> int:
        return int(np.argmin(self.class_weights_ @ self._cost_matrix()))

    def _weak_learner(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        if self.max_depth == 1 and self.max_features is None:
            return DecisionStumpClassifier()
        return TreeClassifier(max_depth=self.max_depth, max_features=self.max_features)

    def _learner(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: NDArray[np.int64], weights: Array
    ) -> Any:
        """A learner of all classes, for weights that need no further costs."""
        return self._seeded_learner(rows, labels, codes, weights, self.random_state)

    def _seeded_learner(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: NDArray[np.int64], weights: Array, seed: Any
    ) -> Any:
        estimator = self._weak_learner()
        random_state = check_random_state(seed)
        costs = zero_one(len(self.classes_))
        if isinstance(estimator, DecisionStumpClassifier):
            return StumpClassifierLearner(estimator, rows, codes, self.classes_, costs)
        if isinstance(estimator, TreeClassifier):
            return TreeClassifierLearner(estimator, rows, codes, self.classes_, weights, costs, random_state)
        return EstimatorLearner(estimator, rows, labels, self.classes_, codes, costs, random_state)

    def _scores(self, X: ArrayLike) -> Array:
        for scores in self._staged_scores(X):  # noqa: B007
            pass
        return scores

    def _staged_scores(self, X: ArrayLike) -> Iterator[Array]:
        """The scores (n, K) after every round; the same array each time."""
        check_is_fitted(self, "estimators_")
        rows = validate_data(self, X, reset=False, ensure_all_finite=self._finite())
        if not self.n_rounds_:
            return iter([np.eye(len(self.classes_))[np.full(len(rows), self._cheapest())]])
        return self._score_stages(rows)

    def _labels(self, scores: Array) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    def _decisions(self, scores: Array) -> Array:
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores.copy()


class TableToPredict:
    """Rows that many learners are applied to; what our trees need of them is prepared once."""

    def __init__(self, rows: NDArray[Any], learners: list[Any]) -> None:
        self._rows = rows
        of_trees = any(isinstance(learner, TreeClassifier) for learner in learners)
        self._columns = feature_columns(rows) if of_trees else None

    def codes(self, learner: Any, classes: NDArray[Any]) -> NDArray[np.integer]:
        """Class codes (n,), indices into `classes`, that a fitted learner of all these classes predicts."""
        if isinstance(learner, DecisionStumpClassifier):
            return learner.stump_.predict(self._rows)
        if isinstance(learner, TreeClassifier) and self._columns is not None:
            return learner.tree_.leaf_label[learner.tree_.leaves(self._columns)]
        return np.searchsorted(classes, learner.predict(self._rows))

    def leaf_shares(self, learner: Any, classes: NDArray[Any]) -> tuple[NDArray[np.int64], Array]:
        """Class shares that a fitted learner gives, once a leaf: the leaf (n,) of every row, and (leaves, K).

        Of a learner that is not ours every row is a leaf; a class that it does not know has share 0.
        """
        if isinstance(learner, DecisionStumpClassifier):
            return np.where(learner.stump_.goes_left(self._rows), 0, 1), learner.leaf_shares()
        if isinstance(learner, TreeClassifier) and self._columns is not None:
            return learner.tree_.leaves(self._columns).astype(np.int64), learner.tree_.leaf_mass
        shares = np.zeros((len(self._rows), len(classes)))
        shares[:, np.searchsorted(classes, learner.classes_)] = learner.predict_proba(self._rows)
        return np.arange(len(self._rows)), shares


class ScoreHistory:
    """How an ensemble does on its training rows, round by round.

    Parameters
    ----------
    codes : (n,) int64
    weights : (n,) float64
        The user's weights, of sum 1.
    costs : (n, K) float64
        Cost of predicting each class for the row.
    """

    def __init__(self, codes: Codes, weights: Array, costs: Array) -> None:
        self._codes = codes
        self._weights = weights
        self._costs = costs
        self._entries: dict[str, list[Any]] = {}

    def add(self, scores: Array, **figures: Any) -> None:
        """Record a round: its own figures, and what the training scores (n, K) of the ensemble give."""
        n_classes = scores.shape[1]
        decided = np.argmax(scores, axis=1)
        right = np.bincount(self._codes, self._weights * (decided == self._codes), n_classes)
        entry = {
            **figures,
            "recall": right / np.bincount(self._codes, self._weights, n_classes),
            "training_error": 1.0 - right.sum(),
            "training_cost": float(self._weights @ self._costs[np.arange(len(decided)), decided]),
        }
        for name, value in entry.items():
            self._entries.setdefault(name, []).append(value)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """One array a figure, first axis the rounds."""
        return {name: np.array(values) for name, values in self._entries.items()}
