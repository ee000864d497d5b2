"""The one loop of the binary reweighting family; what tells its methods apart is a `ReweightingRule` each.

A method is a row of a table: where the weights start, what a learner's vote weight is, how the weights move,
how votes are counted (`reweighting_rules` has the table). The loop keeps the logarithms of the weights and
normalises them every round, so that they neither overflow nor vanish together.

Notation of the cost-sensitive boosting papers: D the distribution over rows, y and h in {-1, +1} the class
and the weak learner's prediction, C a row's cost, alpha the vote weight on the half scale 1/2 ln((1 - e)/e).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .votes import Alpha, Array, Vote, Votes, as_pair

OnNegativeAlpha = Literal["stop", "skip", "keep"]


@dataclass(frozen=True)
class TrainingRows:
    """What is known of the rows before the first round.

    Attributes
    ----------
    signs : (n,) float64
        y: +1 for the positive (rare) class, -1 for the other.
    weights : (n,) float64
        The user's sample weights, all positive, of sum 1.
    cost_fn, cost_fp : float or (n,) float64
        Cost > 0 of a false negative and of a false positive, already scaled as the method asks.
    n_rounds : int
        T, the number of rounds asked for.
    """

    signs: Array
    weights: Array
    cost_fn: Array | float = 1.0
    cost_fp: Array | float = 1.0
    n_rounds: int = 50

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        return self.signs > 0

    @cached_property
    def costs(self) -> Array:
        """C(i), the cost of misclassifying the row."""
        return np.where(self.positive, self.cost_fn, self.cost_fp).astype(np.float64)

    @cached_property
    def error_floor(self) -> float:
        """Error that a faultless learner is credited with: 1/(2n), or half the lightest row's weight."""
        return 0.5 * float(self.weights.min())

    def by_class(self, of_positives: Array | float, of_negatives: Array | float) -> Array:
        """One number a row, chosen by the row's class."""
        return np.where(self.positive, of_positives, of_negatives)


@dataclass(frozen=True)
class Round:
    """What a rule sees of one round.

    Attributes
    ----------
    rows : TrainingRows
    weights : (n,) float64
        D, the distribution that the learner was trained on; sum 1.
    predicted : (n,) float64
        h in {-1, +1}.
    score : (n,) float64
        F of the rounds before: sum of alpha h.
    costs : (n,) float64
        The rows' costs, or this round's own where the rule sets them.
    """

    rows: TrainingRows
    weights: Array
    predicted: Array
    score: Array
    costs: Array

    @cached_property
    def agreement(self) -> Array:
        """y h: +1 where the learner is right, -1 where it is wrong."""
        return self.rows.signs * self.predicted

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        return self.agreement < 0

    @cached_property
    def error(self) -> float:
        """Weighted 0/1 error e of the learner."""
        return float(self.weights @ self.wrong)

    def right_and_wrong(self, factor: Array | float = 1.0) -> tuple[float, float]:
        """Sums of ``factor * D`` over the rightly and over the wrongly predicted rows."""
        weights = self.weights * factor
        wrong = float(weights @ self.wrong)
        return float(weights @ ~self.wrong), wrong


@dataclass(frozen=True)
class ReweightingRule:
    """A method of the family: one row of the table in `reweighting_rules`.

    Attributes
    ----------
    start : callable (TrainingRows) -> (n,)
        Logarithm of the first weights, up to a constant.
    alpha : callable (Round) -> float, or pair of float
        Vote weight of the round's learner on the half scale; a pair is (where it says +1, where it says -1).
    update : callable (Round, alpha) -> (n,)
        Logarithm of the factor on each row's weight, up to a constant.
    vote : {"sign", "minimum expected cost", "squashed minimum expected cost"}
        See `Votes.decide`.
    before_round : callable (TrainingRows) -> (n,), optional
        Logarithm of the factor on the weights before each learner is trained.
    round_costs : callable (Round) -> (cost of wrong positives, cost of wrong negatives), optional
        For the methods that set the costs themselves; rows predicted rightly have cost 1.
    """

    start: Callable[[TrainingRows], Array]
    alpha: Callable[[Round], Alpha]
    update: Callable[[Round, Alpha], Array]
    vote: Vote = "sign"
    before_round: Callable[[TrainingRows], Array] | None = None
    round_costs: Callable[[Round], tuple[float, float]] | None = None


class WeakLearner(Protocol):
    """Trains one learner a round."""

    def fit(self, weights: Array) -> tuple[Any, Array]:
        """Train on the distribution `weights`; return the learner and its h (n,) in {-1, +1} of the rows."""
        ...


@dataclass
class ReweightingRun:
    """Outcome of `boost_by_reweighting`.

    Attributes
    ----------
    learners : list
    alphas : list of float or pair of float
    errors : list of float
        Weighted 0/1 error of each learner that was kept.
    stop_reason : str
    log_weights : (n,) float64
        Logarithms of the weights after the last update.
    history : dict of lists
        Empty unless asked for.
    """

    learners: list[Any] = field(default_factory=list)
    alphas: list[Alpha] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stop_reason: str = "all rounds done"
    log_weights: Array = field(default_factory=lambda: np.empty(0))
    history: dict[str, list[Any]] = field(default_factory=dict)


def boost_by_reweighting(
    rule: ReweightingRule,
    rows: TrainingRows,
    learner: WeakLearner,
    *,
    on_negative_alpha: OnNegativeAlpha = "stop",
    record_history: bool = False,
    on_round: Callable[[Round, Alpha], None] | None = None,
) -> ReweightingRun:
    """Train up to ``rows.n_rounds`` learners, each on the weights that the one before left.

    Parameters
    ----------
    rule : ReweightingRule
    rows : TrainingRows
    learner : WeakLearner
    on_negative_alpha : {"stop", "skip", "keep"}
        What to do with a learner whose alpha is not positive: end there without it (the papers' rule), try
        another on the same weights (useful with randomised learners only), or let it vote against itself.
    record_history : bool
    on_round : callable (Round, alpha), optional
        Sees every learner that is kept.

    Returns
    -------
    ReweightingRun
    """
    run = ReweightingRun(log_weights=normalised(rule.start(rows)))
    votes = Votes(np.zeros_like(rows.signs))
    before_round = None if rule.before_round is None else rule.before_round(rows)
    for _ in range(rows.n_rounds):
        if before_round is not None:
            run.log_weights = normalised(run.log_weights + before_round)
        weights = np.exp(run.log_weights)
        fitted, predicted = learner.fit(weights)
        current = Round(rows, weights, predicted, votes.score, rows.costs)
        own_costs = None
        if rule.round_costs is not None:
            own_costs = rule.round_costs(current)
            costs = np.where(current.wrong, rows.by_class(*own_costs), 1.0)
            current = Round(rows, weights, predicted, current.score, costs)
        alpha = rule.alpha(current)
        faultless = not weights[current.wrong].any()
        if min(as_pair(alpha)) <= 0 and on_negative_alpha != "keep":
            run.stop_reason = _negative_alpha_reason(alpha, current.error, len(run.learners))
            if on_negative_alpha == "skip":
                run.stop_reason = f"all rounds done; the last one skipped: {run.stop_reason}"
                continue
            break
        run.stop_reason = "all rounds done"
        run.learners.append(fitted)
        run.alphas.append(alpha)
        run.errors.append(current.error)
        votes.add(predicted, alpha)
        if record_history:
            _record(run.history, rule, current, alpha, votes, own_costs)
        if on_round is not None:
            on_round(current, alpha)
        if faultless:
            run.stop_reason = f"the learner of round {len(run.learners)} makes no error"
            break
        run.log_weights = normalised(run.log_weights + rule.update(current, alpha))
    return run


def normalised(log_weights: Array) -> Array:
    """Shift logarithms of weights so that the weights have sum 1."""
    shifted = log_weights - log_weights.max()
    return shifted - np.log(np.exp(shifted).sum())


def _negative_alpha_reason(alpha: Alpha, error: float, rounds: int) -> str:
    found = ", ".join(f"{value:.4g}" for value in dict.fromkeys(as_pair(alpha)))
    return (
        f"the learner of round {rounds + 1} is not better than chance under the weights and costs: "
        f"alpha = {found}, weighted error = {error:.4g}"
    )


def _record(
    history: dict[str, list[Any]],
    rule: ReweightingRule,
    current: Round,
    alpha: Alpha,
    votes: Votes,
    own_costs: tuple[float, float] | None,
) -> None:
    rows = current.rows
    positive = rows.positive
    decided = votes.decide(rule.vote, rows.cost_fn, rows.cost_fp)
    true_positive_rate = float(rows.weights @ (decided & positive) / (rows.weights @ positive))
    true_negative_rate = float(rows.weights @ ~(decided | positive) / (rows.weights @ ~positive))
    entry: dict[str, Any] = {
        "positive_weight": float(current.weights @ positive),
        "alpha": alpha,
        "error": current.error,
        "true_positive_rate": true_positive_rate,
        "true_negative_rate": true_negative_rate,
        "balanced_error": 1.0 - 0.5 * (true_positive_rate + true_negative_rate),
    }
    if own_costs is not None:
        entry["cost_of_wrong_positives"], entry["cost_of_wrong_negatives"] = own_costs
    for name, value in entry.items():
        history.setdefault(name, []).append(value)
