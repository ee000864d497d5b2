"""Rules of AdaCC (Iosifidis, Papadopoulos, Rosenhahn and Ntoutsi 2023), which sets its costs itself.

In every round the class that the ensemble so far errs on more often is made dearer: with FNR and FPR its
unweighted error rates on the positive and negative training rows, a wrong positive costs 1 + FNR if
FNR > FPR, a wrong negative 1 + FPR if FPR > FNR, every other row 1 (equation 6). AdaN-CC looks at the
new learner alone.

The paper and the authors' released program differ, and both are here:

=======  ================================================  =================================================
variant  paper (equations 7, 12, 13, 14, 18)               code (the published results need it)
=======  ================================================  =================================================
1        alpha 1/2 ln((1+A-B)/(1-A+B)), D exp(-a C y h)    alpha 1/2 ln((1-e)/e), D exp(2 a C) where wrong
2        alpha 1/2 ln(A/B), D C exp(-a y h)                alpha 1/2 ln((1-e)/e), D C exp(2 a) where wrong
ties     FNR = FPR: both costs 1                           FNR = FPR: positives keep 1 + FNR
stop     unless A > B                                      e >= 1/2
=======  ================================================  =================================================

The paper's alpha depends on costs that depend on the ensemble with that alpha. The costs are therefore taken
from the ensemble with AdaBoost's alpha for the newest learner and the final ones for those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..rounds.training_rows import Round, mass
from ..rounds.votes import Alpha, Array
from .reweighting import ReweightingRule
from .reweighting_rules import (
    cost_times_exponential,
    exponential,
    exponential_in_cost,
    from_cost_weighted_agreement,
    from_cost_weighted_ratio,
    from_error,
    uniform,
)

# Relative; a score that rounding has left in place of 0 is a tie, and ties are for the negative class. A learner that
# says negative to all is often followed by one that says positive to all, with exactly its alpha.
TIE = 1e-12


def error_rates(current: Round, says_positive: np.ndarray) -> tuple[float, float]:
    """FNR and FPR under the user's sample weights."""
    rows = current.rows
    false_negative = mass(rows.weights, rows.positive & ~says_positive)
    false_positive = mass(rows.weights, says_positive & ~rows.positive)
    positive = mass(rows.weights, rows.positive)
    return false_negative / positive, false_positive / mass(rows.weights, ~rows.positive)


def own_costs(*, cumulative: bool, tie_to_positives: bool) -> Callable[[Round, Array], tuple[float, float]]:
    """Equation 6: the costs of a wrong positive and of a wrong negative."""

    def costs(current: Round, score: Array) -> tuple[float, float]:
        says_positive = current.predicted > 0
        if cumulative:
            alpha = from_error(current)
            says_positive = score + alpha * current.predicted > TIE * (np.abs(score) + abs(alpha))
        miss, alarm = error_rates(current, says_positive)
        if miss > alarm or (miss == alarm and tie_to_positives):
            return 1.0 + miss, 1.0
        return 1.0, 1.0 + alarm if alarm > miss else 1.0

    return costs


def raise_wrong_in_cost(current: Round, alpha: Alpha) -> Array:
    return np.where(current.wrong, 2.0 * exponential_in_cost(current, alpha), 0.0)


def raise_wrong_times_cost(current: Round, alpha: Alpha) -> Array:
    return np.where(current.wrong, 2.0 * exponential(current, alpha) + np.log(current.costs), 0.0)


def adacc(variant: Literal[1, 2], *, cumulative: bool, form: Literal["code", "paper"]) -> ReweightingRule:
    """AdaCC1, AdaCC2 (cumulative) and AdaN-CC1, AdaN-CC2 (not)."""
    costs = own_costs(cumulative=cumulative, tie_to_positives=form == "code")
    if form == "code":
        update = {1: raise_wrong_in_cost, 2: raise_wrong_times_cost}[variant]
        return ReweightingRule(uniform, from_error, update, round_costs=costs)
    alpha = {1: from_cost_weighted_agreement, 2: from_cost_weighted_ratio}[variant]
    update = {1: exponential_in_cost, 2: cost_times_exponential}[variant]
    return ReweightingRule(uniform, alpha, update, round_costs=costs)
