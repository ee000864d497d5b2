"""Votes of an ensemble counted with costs: vote weights, minimum expected cost voting, another majority.

Section 3.3.2 of Petrides and Verbeke 2021.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..reweighting.reweighting_classifier import NoRoundWarning
from .ballots import Ballots, Tally, ballots_of, check_votes
from .combination_rules import Role, check_adjusted_ensemble
from .cost_ensemble import CostBaseEnsembleClassifier
from .parts import check_part, fit_part
from .records import Array, Cost, Records
from .thresholds import cheapest_threshold, theoretical_threshold
from .two_class_data import check_fraction
from .validation_split import split_records
from .voting_classifier import VotingCostClassifier

VoteWeights = Literal["own", "log odds", "accuracy", "exponential odds", "squared odds"]
VOTE_WEIGHTS: tuple[VoteWeights, ...] = ("own", "log odds", "accuracy", "exponential odds", "squared odds")
Voting = Literal["majority", "minimum expected cost", "theoretical majority", "validation majority"]
VOTINGS: tuple[Voting, ...] = (
    "majority",
    "minimum expected cost",
    "theoretical majority",
    "validation majority",
)


def vote_weights(errors: ArrayLike, form: VoteWeights, n_records: float) -> Array:
    """f(e) (T,) of the models' cost-weighted errors e.

    Parameters
    ----------
    errors : (T,) array_like in [0, 1]
        Moved into [1/(2n), 1 - 1/(2n)].
    form : {"log odds", "accuracy", "exponential odds", "squared odds"}
        ln((1-e)/e), 0 where that is negative; 1 - e; exp((1-e)/e), divided by the largest, since it overflows;
        ((1-e)/e)^2.
    n_records : float
        n.
    """
    half = min(0.5, 0.5 / n_records)
    errors = np.clip(np.asarray(errors, dtype=np.float64), half, 1.0 - half)
    odds = (1.0 - errors) / errors
    if form == "log odds":
        return np.maximum(np.log(odds), 0.0)
    if form == "accuracy":
        return 1.0 - errors
    if form == "exponential odds":
        return np.exp(odds - odds.max())
    return np.asarray(odds**2)


class VotingAdjustedClassifier(VotingCostClassifier):
    """An ensemble whose votes are weighed by cost, or counted against another majority than one half.

    S2 is the share of the votes that say positive. Minimum expected cost voting weighs a vote for the positive
    class with C_FN and one for the negative class with C_FP; by Theorem 1 it decides as S2 > C_FP/(C_FP + C_FN),
    the theoretical majority. `predict_proba` is S2, `decision_function` S2 less its threshold, or less 1/2 where each
    record has its own.

    Parameters
    ----------
    estimator : ensemble or None
        Of the framework, of the reweighting family or of scikit-learn; None is Bagging of plain trees,
        ``CostBaseEnsembleClassifier()``. It gets the costs too, if its `fit` takes `cost_fn` and `cost_fp`.
    vote_weights : {"own", "log odds", "accuracy", "exponential odds", "squared odds"}
        The ensemble's own, or a function of each model's cost-weighted error; see the function `vote_weights`.
    errors_on : {"training", "validation"}
        Records on which these errors are measured.
    voting : {"majority", "minimum expected cost", "theoretical majority", "validation majority"}
        Positive iff S2 > 1/2; iff the votes weighed by cost say so; iff S2 > C_FP/(C_FP + C_FN), which may be the
        costs of the record; iff S2 exceeds the threshold that costs held-out records the least.
    validation_fraction : float in (0, 1)
        Share of the distinct records of either class that is held out, for either use.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    estimator_ : ensemble
        Fitted; its classes are 0 and 1, the positive one.
    vote_weights_ : (T,) array or None
    threshold_ : float or None
        Of S2; None where each record has its own.
    """

    role: Role = "votes"

    def __init__(
        self,
        estimator: Any = None,
        *,
        vote_weights: VoteWeights = "own",
        errors_on: Literal["training", "validation"] = "training",
        voting: Voting = "majority",
        validation_fraction: float = 0.25,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.vote_weights = vote_weights
        self.errors_on = errors_on
        self.voting = voting
        self.validation_fraction = validation_fraction
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows, with the new weights."""
        if self._fallback is not None:
            return Ballots(np.full((1, len(rows)), self._fallback), np.ones((1, 1)))
        ballots = ballots_of(self.estimator_, rows, cost_fn, cost_fp)
        return ballots if self.vote_weights_ is None else ballots.with_weights(self.vote_weights_)

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """S2."""
        return self.ballots(rows, *self._costs_of_fit()).tally.share

    def _decided(self, tally: Tally, cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        if self.voting == "majority":
            return tally.majority()
        if self.voting == "minimum expected cost":
            return tally.minimum_expected_cost(cost_fn, cost_fp)
        if self.voting == "validation majority" and self.threshold_ is not None:
            return np.asarray(tally.share > self.threshold_)
        return np.asarray(tally.share > theoretical_threshold(cost_fn, cost_fp))

    def _score(self, tally: Tally) -> Array:
        return tally.share - (0.5 if self.threshold_ is None else self.threshold_)

    @property
    def votes_weigh_costs(self) -> bool:
        return bool(getattr(self.estimator_, "votes_weigh_costs", False))

    @property
    def decides_by_costs(self) -> bool:
        return self.votes_weigh_costs or self.voting in ("minimum expected cost", "theoretical majority")

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        training, held_out = records, None
        if self._needs_validation():
            training, held_out = split_records(records, self.validation_fraction, random_state)
        self.estimator_ = fit_part(self._part(), training, random_state)
        check_votes(self.estimator_)
        self.vote_weights_: Array | None = None
        self._fallback: bool | None = None
        if self.vote_weights != "own":
            measured = held_out if self.errors_on == "validation" and held_out is not None else training
            self._weigh(measured)
        self.threshold_: float | None = 0.5
        if self.voting == "validation majority" and held_out is not None:
            candidates, shares = (self._share_of(part) for part in (training, held_out))
            self.threshold_ = cheapest_threshold(candidates, shares, held_out)
        elif self.voting != "majority":
            of_all = theoretical_threshold(records.cost_fn, records.cost_fp)
            self.threshold_ = None if records.has_record_costs else float(of_all)

    def _weigh(self, records: Records) -> None:
        ballots = ballots_of(self.estimator_, records.rows, records.cost_fn, records.cost_fp)
        costs = records.mass * records.costs
        if not costs.any():
            costs = records.mass
        errors = ((ballots.outcomes != records.positive) * (costs / costs.sum())).sum(axis=1)
        weights = vote_weights(errors, self.vote_weights, float(records.mass.sum()))
        self.vote_weights_ = weights
        if not weights.any():
            self._fallback = bool(costs[records.positive].sum() > costs[~records.positive].sum())
            warnings.warn(
                f"{type(self).__name__} drops all {len(weights)} models and predicts the class of least cost for "
                f"every row: none has a cost-weighted error below 1/2, the least is {errors.min():.4g}",
                NoRoundWarning,
                stacklevel=4,
            )

    def _share_of(self, records: Records) -> Array:
        return self.ballots(records.rows, records.cost_fn, records.cost_fp).tally.share

    def _needs_validation(self) -> bool:
        weighs = self.vote_weights != "own" and self.errors_on == "validation"
        return weighs or self.voting == "validation majority"

    def _part(self) -> Any:
        return CostBaseEnsembleClassifier() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_choice("vote_weights", *VOTE_WEIGHTS)
        self._check_choice("errors_on", "training", "validation")
        self._check_choice("voting", *VOTINGS)
        check_fraction(self, "validation_fraction")
        if self.estimator is not None:
            check_part(self.estimator, "estimator", owner)
        check_adjusted_ensemble(self._part(), self.vote_weights, self.voting, owner)
