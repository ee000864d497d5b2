"""The one loop of the binary reweighting family; what tells its methods apart is a `ReweightingRule` each.

A method is a row of a table: where the weights start, what a learner's vote weight is, how the weights move,
how votes are counted (`reweighting_rules` has the table). The weights are kept with their logarithms, so that
they neither overflow nor vanish (`row_distribution`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from ..rounds.row_distribution import distribution_over
from ..rounds.training_rows import Round, TrainingRows, mass
from ..rounds.votes import Alpha, Array, Vote, Votes, as_pair

OnNegativeAlpha = Literal["stop", "skip", "keep"]


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
    round_costs : callable (Round, F) -> (cost of wrong positives, cost of wrong negatives), optional
        For the methods that set the costs themselves, from the rows and the score (n,) of the rounds before;
        rows predicted rightly have cost 1.
    """

    start: Callable[[TrainingRows], Array]
    alpha: Callable[[Round], Alpha]
    update: Callable[[Round, Alpha], Array]
    vote: Vote = "sign"
    before_round: Callable[[TrainingRows], Array] | None = None
    round_costs: Callable[[Round, Array], tuple[float, float]] | None = None


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
    rounds : list of int
        In which round each was trained, from 0.
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
    rounds: list[int] = field(default_factory=list)
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
    on_round: Callable[[Array, Array], None] | None = None,
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
    on_round : callable (weights, predictions), optional
        Sees the distribution and the h (n,) of every learner that is kept.

    Returns
    -------
    ReweightingRun
    """
    run = ReweightingRun()
    distribution = distribution_over(rows, rule.start(rows))
    before_round = None if rule.before_round is None else rule.before_round(distribution.rows)
    anything = np.ones_like(rows.signs)
    votes = Votes(np.zeros_like(rows.signs))
    votes_matter = record_history or rule.round_costs is not None
    for number in range(rows.n_rounds):
        if before_round is not None:
            distribution.multiply(before_round, anything)
        fitted, predicted = learner.fit(distribution.weights)
        current = distribution.observe(predicted)
        own_costs = None
        if rule.round_costs is not None:
            all_rows = Round(rows, distribution.weights, predicted, rows.costs)
            own_costs = rule.round_costs(all_rows, votes.score)
            costs = np.where(current.wrong, current.rows.by_class(*own_costs), 1.0)
            current = replace(current, costs=costs)
        alpha = rule.alpha(current)
        if min(as_pair(alpha)) <= 0 and on_negative_alpha != "keep":
            run.stop_reason = _negative_alpha_reason(alpha, current.error, number + 1)
            if on_negative_alpha == "skip":
                run.stop_reason = f"all rounds done; the last one skipped: {run.stop_reason}"
                continue
            break
        run.stop_reason = "all rounds done"
        run.learners.append(fitted)
        run.rounds.append(number)
        run.alphas.append(alpha)
        run.errors.append(current.error)
        if votes_matter:
            votes.add(predicted, alpha)
        if record_history:
            _record(run.history, rule, rows, current, alpha, votes, own_costs)
        if on_round is not None:
            on_round(distribution.weights, predicted)
        if current.error == 0:
            run.stop_reason = f"the learner of round {number + 1} makes no error"
            break
        distribution.multiply(rule.update(current, alpha), predicted)
    run.log_weights = distribution.log_weights
    return run


def _negative_alpha_reason(alpha: Alpha, error: float, number: int) -> str:
    found = ", ".join(f"{value:.4g}" for value in dict.fromkeys(as_pair(alpha)))
    return (
        f"the learner of round {number} is not better than chance under the weights and costs: "
        f"alpha = {found}, weighted error = {error:.4g}"
    )


def _record(
    history: dict[str, list[Any]],
    rule: ReweightingRule,
    rows: TrainingRows,
    current: Round,
    alpha: Alpha,
    votes: Votes,
    own_costs: tuple[float, float] | None,
) -> None:
    positive = rows.positive
    decided = votes.decide(rule.vote, rows.cost_fn, rows.cost_fp)
    true_positive_rate = mass(rows.weights, decided & positive) / mass(rows.weights, positive)
    true_negative_rate = mass(rows.weights, ~(decided | positive)) / mass(rows.weights, ~positive)
    entry: dict[str, Any] = {
        "positive_weight": mass(current.weights, current.rows.positive),
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
