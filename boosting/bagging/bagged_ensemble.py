"""What the bagging methods have in common as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, Literal, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..row_values import check_sample_weight
from ..trees.cart_classifier import CARTClassifier
from .bag_members import Member, MemberTrainer, check_member, check_weighted_member
from .bag_samplers import BagSampler
from .training_table import Array, Codes, TrainingTable

Voting = Literal["hard", "soft"]


class BaggedEnsemble(ClassifierMixin, BaseEstimator):
    """Base of the methods that train every member on a bag of its own; see `BaggingClassifier`."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the members.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Class labels.
        sample_weight : (n,) array_like >= 0, optional
            A row whose weight is a whole number w is drawn as w rows; rows of weight 0 are left out. If there
            are other weights, they do not count in the draws: members are trained with them.

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
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        sampler = self._sampler(table, seed)
        members = self._train(table, sampler, seed)
        self._keep(table, members)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F) by the vote; the first class on ties."""
        return self._labels(self._scores(X))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Shares (n, K) of the votes for every class, or with soft voting mean probabilities."""
        return self._scores(X) / len(self.estimators_)

    def decision_function(self, X: ArrayLike) -> Array:
        """`predict_proba`; for 2 classes (n,), the share of ``classes_[1]`` less that of the other."""
        return self._decisions(self._scores(X) / len(self.estimators_))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` by the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """`predict_proba` by the first 1, 2, ... members."""
        for number, scores in enumerate(self._staged_scores(X), start=1):
            yield scores / number

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` by the first 1, 2, ... members."""
        for number, scores in enumerate(self._staged_scores(X), start=1):
            yield self._decisions(scores / number)

    @property
    def feature_importances_(self) -> Array:
        """Mean importances (F,) by the members, of sum 1."""
        check_is_fitted(self, "estimators_")
        total = np.sum([member.importances(self.n_features_in_) for member in self._members()], axis=0)
        return np.asarray(total / total.sum() if total.any() else total)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        """How its bags are drawn."""
        raise TypeError(f"{type(self).__name__} is no method by itself; use one of its subclasses")

    def _default_member(self) -> Any:
        """The member that is trained where the user gave none."""
        return CARTClassifier()

    def _features_of(self, n_features: int, generator: np.random.Generator) -> Codes | None:
        """The features that a member sees, ascending; None is all."""
        return None

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_integer("n_estimators", 1)
        self._check_choice("voting", ("hard", "soft"))
        n_jobs = self.n_jobs
        if n_jobs is not None and (
            not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0
        ):
            raise ValueError(f"n_jobs of {owner} must be an integer other than 0 or None, got {n_jobs!r}")
        if self.estimator is not None:
            check_member(self.estimator, owner, voting=self.voting)

    def _check_integer(self, name: str, smallest: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < smallest:
            raise ValueError(
                f"{name} of {type(self).__name__} must be an integer >= {smallest}, got {value!r}"
            )

    def _check_choice(self, name: str, allowed: tuple[Any, ...]) -> None:
        value = getattr(self, name)
        if not any(value is choice or value == choice for choice in allowed):
            choices = ", ".join(map(repr, allowed))
            raise ValueError(f"{name} of {type(self).__name__} must be one of {choices}, got {value!r}")

    # The common course

    def _checked_table(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingTable:
        owner = f"{type(self).__name__}.fit"
        rows, labels = validate_data(self, X, y, ensure_all_finite=self._finite())
        check_classification_targets(labels)
        weights = check_sample_weight(sample_weight, len(rows), owner)
        table = TrainingTable.of(rows, labels, weights, owner)
        if table.weights is not None:
            check_weighted_member(self._member_estimator(), type(self).__name__)
        return table

    def _member_estimator(self) -> Any:
        return self._default_member() if self.estimator is None else self.estimator

    def _train(
        self, table: TrainingTable, sampler: BagSampler, seed: int, stream: tuple[int, ...] = (0,)
    ) -> list[tuple[Member, Codes, float]]:
        """Every member, the rows of its bag, and its error on all rows; `stream` tells apart random numbers."""
        trainer = MemberTrainer(self._member_estimator(), table)

        def train(number: int) -> tuple[Member, Codes, float]:
            generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*stream, number)))
            bag = sampler.draw(number, generator)
            features = self._features_of(table.rows.shape[1], generator)
            member = trainer.fit(bag, int(generator.integers(np.iinfo(np.int32).max)), features)
            wrong = member.codes(table.rows, table.classes) != table.codes
            return member, bag.rows, float(wrong[table.places].mean())

        jobs = (joblib.delayed(train)(number) for number in range(int(self.n_estimators)))
        return list(joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs))

    def _keep(self, table: TrainingTable, members: list[tuple[Member, Codes, float]]) -> None:
        """Set what a fitted ensemble has."""
        self.estimators_ = [member.estimator for member, _, _ in members]
        self.estimators_features_ = [
            np.arange(table.rows.shape[1]) if member.features is None else member.features
            for member, _, _ in members
        ]
        self.estimators_samples_ = [table.numbers[rows] for _, rows, _ in members]
        self.estimator_errors_ = np.array([error for _, _, error in members])
        self.estimator_weights_ = np.ones(len(members))
        self.n_rounds_ = len(members)
        self.stop_reason_ = "all rounds done"

    def _members(self) -> Iterator[Member]:
        for estimator, features in zip(self.estimators_, self.estimators_features_, strict=True):
            yield Member(estimator, features if len(features) < self.n_features_in_ else None)

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def _scores(self, X: ArrayLike) -> Array:
        for scores in self._staged_scores(X):  # noqa: B007
            pass
        return scores

    def _staged_scores(self, X: ArrayLike) -> Iterator[Array]:
        """Sums (n, K) of the votes, or of the probabilities, of the members so far; the same array each time."""
        check_is_fitted(self, "estimators_")
        rows = validate_data(self, X, reset=False, ensure_all_finite=self._finite())
        return accumulate(self._members(), rows, self.classes_, self.voting)

    def _labels(self, scores: Array) -> NDArray[Any]:
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    def _decisions(self, shares: Array) -> Array:
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares


def accumulate(
    members: Iterator[Member], rows: NDArray[Any], classes: NDArray[Any], voting: Voting
) -> Iterator[Array]:
    """Sums (n, K) of the members' votes, or of their probabilities, after every member; always the same array."""
    scores = np.zeros((len(rows), len(classes)))
    every = np.arange(len(rows))
    for member in members:
        if voting == "soft":
            scores += member.shares(rows, classes)
        else:
            scores[every, member.codes(rows, classes)] += 1.0
        yield scores
