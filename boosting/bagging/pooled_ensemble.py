"""What EasyEnsemble and BalanceCascade have in common: AdaBoost ensembles on balanced subsets, pooled."""

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

from ..reweighting.adaboost import AdaBoostClassifier
from ..reweighting.reweighting_classifier import NoRoundWarning
from ..rounds.weak_learners import check_weak_learner
from ..row_values import check_sample_weight
from .training_table import Array, Codes, TrainingTable


class PooledEnsemble(ClassifierMixin, BaseEstimator):
    """Base of the methods that pool AdaBoost ensembles; see `EasyEnsembleClassifier`."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        n_boosting_rounds: int = 10,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_boosting_rounds = n_boosting_rounds
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the AdaBoost ensembles.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Labels of two classes.
        sample_weight : (n,) array_like >= 0, optional
            A row whose weight is a whole number w is drawn as w rows; rows of weight 0 are left out. If there
            are other weights, they do not count in the draws: they multiply AdaBoost's initial weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y or sample_weight breaks its rule; the message names it.
        """
        self._check_parameters()
        table = self._checked_table(X, y, sample_weight)
        self.classes_ = table.classes
        sizes = table.class_sizes
        self._positive = 0 if sizes[0] < sizes[1] else 1
        self.positive_class_ = self.classes_[self._positive]
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoRoundWarning)  # such a subset has no votes, the others have
            self._train(table, seed)
        self.n_rounds_ = len(self.estimators_)
        self.estimator_weights_ = np.ones(self.n_rounds_)
        if not any(member.n_rounds_ for member in self.estimators_):
            warnings.warn(
                f"{type(self).__name__} kept no learner and predicts the class {self.classes_[1 - self._positive]} for "
                f"every row: {self.estimators_[0].stop_reason_}",
                NoRoundWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F); the rare class where the pooled score is above 0."""
        return self._labels(self._scores(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` by the first 1, 2, ... subsets."""
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def decision_function(self, X: ArrayLike) -> Array:
        """The pooled scores (n,), oriented so that positive values are for ``classes_[1]``."""
        return self._orient(self._scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` by the first 1, 2, ... subsets."""
        for scores in self._staged_scores(X):
            yield self._orient(scores)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Shares (n, 2) of the vote weight for either class, in the order of `classes_`; not calibrated."""
        scores = self._scores(X)
        total = float(sum(self._most_of(number) for number in range(self.n_rounds_)))
        share = np.clip(0.5 + 0.5 * scores / total, 0.0, 1.0) if total > 0 else np.full(len(scores), 0.5)
        shares = np.empty((len(scores), 2))
        shares[:, self._positive], shares[:, 1 - self._positive] = share, 1.0 - share
        return shares

    @property
    def feature_importances_(self) -> Array:
        """Mean importances (F,) by the AdaBoost ensembles, of sum 1."""
        check_is_fitted(self, "estimators_")
        total = np.sum([member.feature_importances_ for member in self.estimators_], axis=0)
        return np.asarray(total / total.sum() if total.any() else total)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _train(self, table: TrainingTable, seed: int) -> None:
        """Set `estimators_`, `estimators_samples_`, `estimator_errors_`, `thresholds_` and `stop_reason_`."""
        raise TypeError(f"{type(self).__name__} is no method by itself; use one of its subclasses")

    def _check_parameters(self) -> None:
        self._check_integer("n_estimators")
        self._check_integer("n_boosting_rounds")
        if self.estimator is not None:
            check_weak_learner(self.estimator, type(self).__name__)

    # The common course

    def _check_integer(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
            raise ValueError(f"{name} of {type(self).__name__} must be an integer >= 1, got {value!r}")

    def _checked_table(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingTable:
        owner = f"{type(self).__name__}.fit"
        rows, labels = validate_data(self, X, y, ensure_all_finite=self._finite())
        check_classification_targets(labels)
        n_classes = len(np.unique(labels))
        if n_classes > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(labels)}: y of {owner} must have 2 classes, got {n_classes} classes"
            )
        return TrainingTable.of(rows, labels, check_sample_weight(sample_weight, len(rows), owner), owner)

    def _boosted(
        self, table: TrainingTable, rows: Codes, generator: np.random.Generator
    ) -> AdaBoostClassifier:
        """AdaBoost on a subset of the rows."""
        member = AdaBoostClassifier(
            self.estimator,
            n_estimators=int(self.n_boosting_rounds),
            random_state=int(generator.integers(np.iinfo(np.int32).max)),
            pos_label=self.positive_class_,
        )
        weights = None if table.weights is None else table.weights[rows]
        return member.fit(table.rows[rows], self.classes_[table.codes[rows]], weights)

    def _score_of(self, member: AdaBoostClassifier, rows: NDArray[Any]) -> Array:
        """F (n,) = sum of alpha h of an AdaBoost ensemble, h = 1 for the rare class; 0 if it has no learner."""
        if not member.n_rounds_:
            return np.zeros(len(rows))
        return member.decision_function(rows) * (1.0 if self._positive else -1.0)

    def _error_of(self, table: TrainingTable, scores: Array) -> float:
        wrong = (scores > 0) != (table.codes == self._positive)
        return float(wrong[table.places].mean())

    def _offsets(self) -> Array:
        """What is taken from the score of every subset's ensemble in the decision."""
        return self.thresholds_

    def _most_of(self, number: int) -> float:
        """The most that a subset can add to |score|."""
        votes = float(np.abs(self.estimators_[number].estimator_weights_).sum())
        return votes + abs(float(self._offsets()[number]))

    def _scores(self, X: ArrayLike) -> Array:
        for scores in self._staged_scores(X):  # noqa: B007
            pass
        return scores

    def _staged_scores(self, X: ArrayLike) -> Iterator[Array]:
        """Sums (n,) of F less its threshold over the subsets so far, positive for the rare class."""
        check_is_fitted(self, "estimators_")
        rows = validate_data(self, X, reset=False, ensure_all_finite=self._finite())
        return self._score_stages(rows)

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        scores = np.zeros(len(rows))
        for member, threshold in zip(self.estimators_, self._offsets(), strict=True):
            scores = scores + (self._score_of(member, rows) - threshold)
            yield scores

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def _labels(self, scores: Array) -> NDArray[Any]:
        return np.asarray(self.classes_[np.where(scores > 0, self._positive, 1 - self._positive)])

    def _orient(self, scores: Array) -> Array:
        return scores if self._positive else -scores
