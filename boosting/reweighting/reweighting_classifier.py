"""What the binary reweighting boosters have in common as scikit-learn classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ..rounds.training_rows import TrainingRows, mass
from ..rounds.votes import Array, Votes
from ..rounds.weak_learners import (
    EstimatorLearner,
    StumpLearner,
    TreeLearner,
    check_weak_learner,
    predicted_signs,
)
from ..row_values import check_sample_weight
from ..trees.stump_classifier import Criterion, DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier, feature_columns
from .reweighting import OnNegativeAlpha, ReweightingRule, WeakLearner, boost_by_reweighting


class NoRoundWarning(UserWarning):
    """No learner was better than chance; the booster predicts one class for every row."""


class ReweightingClassifier(ClassifierMixin, BaseEstimator):
    """Base of the binary boosters, which differ in their `ReweightingRule`; see `AdaBoostClassifier`."""

    _default_criterion: Criterion = "gini"
    _shape_of_weights: tuple[int, ...] = (-1,)

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        random_state: Any = None,
        pos_label: Any = None,
        on_negative_alpha: OnNegativeAlpha = "stop",
        record_history: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.pos_label = pos_label
        self.on_negative_alpha = on_negative_alpha
        self.record_history = record_history

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Labels of two classes.
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
        return self._boost(*self._checked_data(X, y), sample_weight)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F); a tie goes to the negative class."""
        return self._labels(self._votes(X).decide("sign", 1.0, 1.0))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` after every round."""
        for votes in self._staged_votes(X):
            yield self._labels(votes.decide("sign", 1.0, 1.0))

    def decision_function(self, X: ArrayLike) -> Array:
        """F (n,) = sum of alpha h, oriented so that positive values are for ``classes_[1]``."""
        return self._orient(self._votes(X).score)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` after every round."""
        for votes in self._staged_votes(X):
            yield self._orient(votes.score)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Shares (n, 2) of the vote weight for either class, in the order of `classes_`.

        They rank rows as `decision_function` does and are no calibrated probabilities; for those see
        `CalibratedAdaMECClassifier`.
        """
        return self._shares(self._votes(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """`predict_proba` after every round."""
        for votes in self._staged_votes(X):
            yield self._shares(votes)

    @property
    def feature_importances_(self) -> Array:
        check_is_fitted(self, "estimators_")
        total = np.zeros(self.n_features_in_)
        for learner, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            if not hasattr(learner, "feature_importances_"):
                raise AttributeError(f"{type(learner).__name__} has no feature_importances_")
            total += np.abs(alpha).mean() * learner.feature_importances_
        return total / total.sum() if total.any() else total

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _rule(self) -> ReweightingRule:
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _scaled_costs(
        self, positive: NDArray[np.bool_], cost_fn: Array | float, cost_fp: Array | float
    ) -> tuple[Array | float, Array | float]:
        """The costs as the method's formulas take them."""
        return cost_fn, cost_fp

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        n_estimators = self.n_estimators
        if not isinstance(n_estimators, Integral) or isinstance(n_estimators, bool) or n_estimators < 1:
            raise ValueError(f"n_estimators of {owner} must be an integer >= 1, got {n_estimators!r}")
        self._check_choice("on_negative_alpha", ("stop", "skip", "keep"))
        if self.estimator is not None:
            check_weak_learner(self.estimator, owner)

    def _check_choice(self, name: str, allowed: tuple[Any, ...]) -> None:
        value = getattr(self, name)
        if not any(value is choice or value == choice for choice in allowed):
            choices = ", ".join(map(repr, allowed))
            raise ValueError(f"{name} of {type(self).__name__} must be one of {choices}, got {value!r}")

    # The common course

    def _boost(
        self,
        rows: NDArray[Any],
        labels: NDArray[Any],
        sample_weight: ArrayLike | None,
        cost_fn: Array | float = 1.0,
        cost_fp: Array | float = 1.0,
    ) -> Self:
        """Boost on checked data with checked costs (scalars or one a row)."""
        weights = check_sample_weight(sample_weight, len(rows), f"{type(self).__name__}.fit")
        used = weights > 0
        if not used.all():
            rows, labels, weights = rows[used], labels[used], weights[used]
            cost_fn, cost_fp = (
                cost if isinstance(cost, float) else cost[used] for cost in (cost_fn, cost_fp)
            )
        self._set_classes(labels, weights)
        positive = np.asarray(labels == self.positive_class_)
        training = TrainingRows.of(
            np.where(positive, 1.0, -1.0),
            weights,
            *self._scaled_costs(positive, cost_fn, cost_fp),
            n_rounds=int(self.n_estimators),
        )
        run = boost_by_reweighting(
            self._rule(),
            training,
            self._learner(rows, labels, positive, training),
            on_negative_alpha=self.on_negative_alpha,
            record_history=self.record_history,
        )
        self.estimators_ = run.learners
        self.estimator_weights_ = np.array(run.alphas, dtype=np.float64).reshape(self._shape_of_weights)
        self.estimator_errors_ = np.array(run.errors, dtype=np.float64)
        self.n_rounds_ = len(run.learners)
        self.stop_reason_ = run.stop_reason
        if self.record_history:
            self.history_ = {name: np.array(values) for name, values in run.history.items()}
        self.fallback_class_ = None
        if not run.learners:
            miss = mass(training.weights * cost_fn, positive)
            alarm = mass(training.weights * cost_fp, ~positive)
            self.fallback_class_ = self.classes_[
                self._positive_code() if miss > alarm else self._negative_code()
            ]
            warnings.warn(
                f"{type(self).__name__} kept no learner and predicts {self.fallback_class_!r}, the class of "
                f"least cost, for every row: {self.stop_reason_}",
                NoRoundWarning,
                stacklevel=3,
            )
        return self

    def _checked_data(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        finite: bool | str = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        rows, labels = validate_data(self, X, y, ensure_all_finite=finite)
        check_classification_targets(labels)
        n_classes = len(np.unique(labels))
        if n_classes > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(labels)}: y of {type(self).__name__}.fit must have 2 classes, "
                f"got {n_classes} classes"
            )
        return rows, labels

    def _set_classes(self, labels: NDArray[Any], weights: Array) -> None:
        owner = type(self).__name__
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y of {owner}.fit must have 2 classes among the rows of positive weight, got 1 class: "
                f"{self.classes_[0]!r}"
            )
        if self.pos_label is None:
            masses = np.bincount(codes, weights=weights)
            code = 0 if masses[0] < masses[1] else 1
        else:
            found = np.flatnonzero(self.classes_ == self.pos_label)
            if not len(found):
                raise ValueError(
                    f"pos_label of {owner} must be one of the classes {list(self.classes_)}, "
                    f"got {self.pos_label!r}"
                )
            code = int(found[0])
        self.positive_class_ = self.classes_[code]

    def _learner(
        self,
        rows: NDArray[Any],
        labels: NDArray[Any],
        positive: NDArray[np.bool_],
        training: TrainingRows,
    ) -> WeakLearner:
        estimator = self.estimator
        if estimator is None:
            estimator = DecisionStumpClassifier(self._default_criterion)
        if isinstance(estimator, DecisionStumpClassifier):
            return StumpLearner(estimator, rows, positive, self.classes_, self._positive_code())
        random_state = check_random_state(self.random_state)
        if isinstance(estimator, TreeClassifier):
            return TreeLearner(
                estimator,
                rows,
                positive,
                self.classes_,
                self._positive_code(),
                training.weights,
                random_state,
            )
        return EstimatorLearner(estimator, rows, labels, self.positive_class_, random_state)

    def _positive_code(self) -> int:
        return int(self.classes_[1] == self.positive_class_)

    def _negative_code(self) -> int:
        return 1 - self._positive_code()

    def _votes(self, X: ArrayLike) -> Votes:
        *_, votes = self._staged_votes(X)  # one object, so that nothing piles up
        return votes

    def _staged_votes(self, X: ArrayLike) -> Iterator[Votes]:
        """The running sums after every round; the same object each time."""
        check_is_fitted(self, "estimators_")
        finite: bool | str = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        return self._staged_votes_on(validate_data(self, X, reset=False, ensure_all_finite=finite))

    def _staged_votes_on(self, rows: NDArray[Any]) -> Iterator[Votes]:
        """The same for rows that were checked."""
        votes = Votes(np.zeros(len(rows)))
        if self.fallback_class_ is not None:
            sign = 1.0 if self.fallback_class_ == self.positive_class_ else -1.0
            votes.add(np.full(len(rows), sign), 1.0)
            yield votes
        of_trees = any(isinstance(learner, TreeClassifier) for learner in self.estimators_)
        columns = feature_columns(rows) if of_trees else None
        for learner, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            step = float(alpha) if np.ndim(alpha) == 0 else (float(alpha[0]), float(alpha[1]))
            votes.add(predicted_signs(learner, rows, self.positive_class_, columns), step)
            yield votes

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        return self.classes_[np.where(positive, self._positive_code(), self._negative_code())]

    def _orient(self, score: Array) -> Array:
        """Scores for ``classes_[1]``; where that is the negative class, a tie is the least number above 0."""
        if self._positive_code() == 1:
            return score.copy()
        return np.where(score == 0, np.finfo(np.float64).tiny, -score)

    def _shares(self, votes: Votes) -> Array:
        share = votes.share
        if self._positive_code() == 1:
            return np.column_stack([1.0 - share, share])
        share = np.where(votes.score == 0, np.nextafter(0.5, 0.0), share)  # the tie again
        return np.column_stack([share, 1.0 - share])
