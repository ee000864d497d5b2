"""What BAdaCost and SAMME have in common as scikit-learn classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..costs import margin_codes, scaled_costs, stationary_distribution, with_negative_row_sums
from ..reweighting.reweighting_classifier import NoRoundWarning
from ..rounds.weak_learners import check_weak_learner
from ..trees.classified_rows import classified_rows
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier, check_n_classes, feature_columns
from .badacost import OnNegativeStep, WeakLearner, boost_learners, check_boosting_options
from .multiclass_history import MulticlassHistory
from .multiclass_learners import EstimatorLearner, StumpClassifierLearner, TreeClassifierLearner

Array = NDArray[np.float64]


class MulticlassBooster(ClassifierMixin, BaseEstimator):
    """Base of the boosters of any number of classes, which differ in their costs and the scale of their votes.

    The additive model is ``f = sum beta_t y(G_t)`` with the margin vector y of a learner's label; the costs of
    the labels are ``c = C* f``; the label of least cost is predicted, the first on ties.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_depth: int = 3,
        max_features: int | float | None = None,
        on_negative_step: OnNegativeStep = "stop",
        record_history: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_features = max_features
        self.on_negative_step = on_negative_step
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
        owner = type(self).__name__
        check_boosting_options(owner, self.n_estimators, self.learning_rate, self.on_negative_step)
        if self.estimator is not None:
            check_weak_learner(self.estimator, owner)
        table = classified_rows(self, X, y, sample_weight, ensure_all_finite=self._finite())
        rows, labels, codes, weights = table.rows, table.labels, table.codes, table.weights
        self.classes_ = table.classes
        check_n_classes(self.classes_, f"{owner}.fit")
        self._cost_matrix = self._training_costs(rows, labels, weights)
        history = MulticlassHistory(codes, weights, self._cost_matrix) if self.record_history else None
        run = boost_learners(
            self._learner(rows, labels, codes, weights),
            codes,
            self._cost_matrix,
            weights,
            n_rounds=int(self.n_estimators),
            learning_rate=self.learning_rate,
            on_negative_step=self.on_negative_step,
            on_round=None if history is None else history.add,
        )
        self.estimators_ = run.learners
        self.estimator_weights_ = np.array(run.betas, dtype=np.float64) * self._vote_scale()
        self.estimator_errors_ = np.array(run.errors, dtype=np.float64)
        self.losses_ = np.array(run.losses, dtype=np.float64)
        self.n_rounds_ = len(run.learners)
        self.stop_reason_ = run.stop_reason
        if history is not None:
            self.history_ = history.arrays()
        self.class_weights_ = np.bincount(codes, weights=weights) / weights.sum()
        if not run.learners:
            constant = self.classes_.tolist()[np.argmin(self.class_weights_ @ self._cost_matrix)]
            warnings.warn(
                f"{owner} kept no learner and predicts {constant!r}, the class of least cost, for every row: "
                f"{self.stop_reason_}",
                NoRoundWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of least cost for the rows of X (n, F), the first of them on ties."""
        return self._labels(self._costs(self._margins(X)))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` after every round."""
        for margins in self._staged_margins(X):
            yield self._labels(self._costs(margins))

    def decision_function(self, X: ArrayLike) -> Array:
        """Scores of the rows of X: (n, K), highest for the predicted class; (n,) for 2 classes.

        With two classes, positive values are for ``classes_[1]``.
        """
        return self._scores(self._margins(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` after every round."""
        for margins in self._staged_margins(X):
            yield self._scores(margins)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities (n, K) of the classes for which the model has the least expected loss.

        They minimise at the model's f what boosting minimises, ``sum_j P(j) exp(c_j)``: P(j) is proportional
        to ``pi_j exp(-c_j)``, with pi the stationary distribution of the generator C*. As with all boosters,
        they are near 0 and 1 after many rounds. The class of least cost need not be the likeliest.
        """
        return self._probabilities(self._margins(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """`predict_proba` after every round."""
        for margins in self._staged_margins(X):
            yield self._probabilities(margins)

    @property
    def feature_importances_(self) -> Array:
        """Importances (F,) by the learners, averaged with their vote weights."""
        check_is_fitted(self, "estimators_")
        total = np.zeros(self.n_features_in_)
        for learner, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            if not hasattr(learner, "feature_importances_"):
                raise AttributeError(f"{type(learner).__name__} has no feature_importances_")
            total += weight * learner.feature_importances_
        return total / total.sum() if total.any() else total

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _training_costs(self, rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        """The checked cost matrix."""
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _vote_scale(self) -> float:
        """What the steps beta are multiplied by to give the vote weights."""
        return 1.0

    def _default_estimator(self) -> TreeClassifier | DecisionStumpClassifier:
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _scores(self, margins: Array) -> Array:
        """The decision function (n, K) or (n,) from f (n, K)."""
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    # The common course

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def _learner(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: NDArray[np.int64], weights: Array
    ) -> WeakLearner:
        estimator = self._default_estimator() if self.estimator is None else self.estimator
        random_state = check_random_state(self.random_state)
        if isinstance(estimator, DecisionStumpClassifier):
            return StumpClassifierLearner(estimator, rows, codes, self.classes_, self._cost_matrix)
        if isinstance(estimator, TreeClassifier):
            return TreeClassifierLearner(
                estimator, rows, codes, self.classes_, weights, self._cost_matrix, random_state
            )
        return EstimatorLearner(
            estimator, rows, labels, self.classes_, codes, self._cost_matrix, random_state
        )

    def _margins(self, X: ArrayLike) -> Array:
        """f (n, K) of the rows of X."""
        *_, margins = self._staged_margins(X)
        return margins

    def _staged_margins(self, X: ArrayLike) -> Iterator[Array]:
        """f (n, K), on the scale of `estimator_weights_`, after every round."""
        check_is_fitted(self, "estimators_")
        rows = validate_data(self, X, reset=False, ensure_all_finite=self._finite())
        n_classes = len(self.classes_)
        codes = margin_codes(n_classes)
        if not self.estimators_:
            best = int(np.argmin(self.class_weights_ @ self._cost_matrix))
            yield np.tile(codes[best], (len(rows), 1))
            return
        columns = feature_columns(rows) if isinstance(self.estimators_[0], TreeClassifier) else None
        votes = np.zeros((len(rows), n_classes))
        every_row = np.arange(len(rows))
        for learner, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            if isinstance(learner, DecisionStumpClassifier):
                said = learner.stump_.predict(rows)
            elif columns is not None:
                said = learner.tree_.leaf_label[learner.tree_.leaves(columns)]
            else:
                said = np.searchsorted(self.classes_, learner.predict(rows))
            votes[every_row, said] += weight
            yield votes @ codes

    def _costs(self, margins: Array) -> Array:
        """c = C* f (n, K), on the scale of the exponential loss."""
        return margins @ with_negative_row_sums(scaled_costs(self._cost_matrix)).T / self._vote_scale()

    def _labels(self, costs: Array) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmin(costs, axis=1)])

    def _probabilities(self, margins: Array) -> Array:
        prior = stationary_distribution(with_negative_row_sums(scaled_costs(self._cost_matrix)))
        exponents = np.log(prior) - self._costs(margins)
        shares = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
