"""The votes of an ensemble's models on rows, and the ways to count them (section 3.3 of Petrides and Verbeke)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from ..reweighting.reweighting_classifier import ReweightingClassifier
from ..rounds.weak_learners import predicted_signs
from .node_tree import TIE
from .parts import decisions
from .records import Array, Cost


@dataclass(frozen=True, eq=False)
class Tally:
    """The votes on n rows, added up.

    Attributes
    ----------
    positive, negative : (n,) float64 >= 0
        Sums of the votes for either class.
    """

    positive: Array
    negative: Array

    @property
    def share(self) -> Array:
        """S2 (n,), the share of the votes for the positive class; 1/2 where there are none."""
        total = self.positive + self.negative
        return np.where(total > 0, self.positive / np.where(total > 0, total, 1.0), 0.5)

    def majority(self) -> NDArray[np.bool_]:
        """Where the positive class has more votes."""
        return np.asarray(self.positive > self.negative * (1.0 + TIE))

    def minimum_expected_cost(self, cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """Where the positive class has more votes, each weighed by the cost of the error that it averts.

        A model's vote counts C_FN times as much if it says positive and C_FP times if negative. By Theorem 1
        this is ``share > C_FP/(C_FP + C_FN)``.
        """
        return np.asarray(self.positive * cost_fn > self.negative * cost_fp * (1.0 + TIE))


@dataclass(frozen=True, eq=False)
class Ballots:
    """What T models say of n rows.

    Attributes
    ----------
    outcomes : (T, n) bool
        Whether a model says positive.
    weights : (T, n) or (T, 1) float64 >= 0
        What its vote counts.
    """

    outcomes: NDArray[np.bool_]
    weights: Array

    @classmethod
    def of(cls, outcomes: NDArray[np.bool_], weights: Array) -> Ballots:
        """Ballots of any weights: a negative one is a vote for the other class."""
        return cls(outcomes ^ (weights < 0), np.abs(weights))

    @property
    def tally(self) -> Tally:
        """The sums over all models."""
        return Tally((self.weights * self.outcomes).sum(axis=0), (self.weights * ~self.outcomes).sum(axis=0))

    def tallies(self) -> Iterator[Tally]:
        """The sums over the first 1, 2, ... models."""
        positive, negative = np.zeros((2, self.outcomes.shape[1]))
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            positive, negative = positive + weight * outcome, negative + weight * ~outcome
            yield Tally(positive, negative)

    def with_weights(self, weights: Array) -> Ballots:
        """The same outcomes with one weight (T,) a model."""
        return replace(self, weights=weights[:, None])


@runtime_checkable
class VotingEnsemble(Protocol):
    """An ensemble of the framework."""

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots: ...


def check_votes(ensemble: Any) -> None:
    """Refuse a fitted classifier that `ballots_of` cannot ask."""
    if isinstance(ensemble, VotingEnsemble):
        return
    members = getattr(ensemble, "estimators_", None)
    if members is None or not all(is_classifier(member) for member in members):
        raise ValueError(
            f"estimator {type(ensemble).__name__} must be an ensemble of classifiers that vote (estimators_)"
        )


def ballots_of(ensemble: Any, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
    """The ballots of a fitted ensemble with classes 0 and 1 on checked rows.

    Of this framework, of the reweighting family, or of scikit-learn's kind: `estimators_`, and if it has them
    `estimators_features_` and `estimator_weights_`.
    """
    if isinstance(ensemble, VotingEnsemble):
        return ensemble.ballots(rows, cost_fn, cost_fp)
    members = ensemble.estimators_
    n_members = len(members)
    if not n_members:  # a booster that kept no learner is a constant
        outcomes = decisions(ensemble, rows, cost_fn, cost_fp)[None]
        return Ballots(outcomes, np.ones((1, 1)))
    if isinstance(ensemble, ReweightingClassifier):
        signs = np.array([predicted_signs(member, rows, 1) for member in members])
        alphas = np.asarray(ensemble.estimator_weights_, dtype=np.float64)
        alphas = alphas.reshape(n_members, -1)  # RareBoost's: where it says positive, where negative
        return Ballots.of(signs > 0, np.where(signs > 0, alphas[:, :1], alphas[:, -1:]))
    features = getattr(ensemble, "estimators_features_", [slice(None)] * n_members)
    outcomes = np.array(
        [
            decisions(member, rows[:, chosen], cost_fn, cost_fp)
            for member, chosen in zip(members, features, strict=True)
        ]
    )
    weights = np.asarray(getattr(ensemble, "estimator_weights_", np.ones(n_members)), dtype=np.float64)
    return Ballots.of(outcomes, weights[:n_members, None])
