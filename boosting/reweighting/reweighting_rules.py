"""The binary cost-sensitive boosters as a table: one `ReweightingRule` a method.

Notation as in `reweighting`: D the distribution, y h the agreement, C a row's cost, a = alpha.

========== ============= ============================ ===================== ======================
method     D_1           alpha                        weights times         votes
========== ============= ============================ ===================== ======================
AdaBoost   uniform       1/2 ln((1-e)/e)              exp(-a y h)           sign
CGAda      prop. C       1/2 ln((1-e)/e)              exp(-a y h)           sign
AdaCost    prop. C       1/2 ln((1+r)/(1-r))          exp(-a y h beta)      sign
AdaC1      uniform       1/2 ln((1+A-B)/(1-A+B))      exp(-a C y h)         sign
AdaC2      uniform       1/2 ln(A/B)                  C exp(-a y h)         sign
AdaC3      uniform       1/2 ln((S+A2-B2)/(S-A2+B2))  C exp(-a C y h)       sign
CSB0       prop. C       1/2 ln((1-e)/e)              C if wrong            sign or least cost
CSB1       prop. C       1/2 ln((1-e)/e)              (C if wrong) exp(-yh) sign or least cost
CSB2       prop. C       1/2 ln((1-e)/e)              the same, exp(-a y h) sign or least cost
AdaMEC     uniform       1/2 ln((1-e)/e)              exp(-a y h)           least cost
UBoost     prop. C       1/2 ln((1-e)/e)              exp(-a y h)           least cost
AdaUBoost  ratio b       root, rates 1/b and 1        exp(-a rate y h)      sign
AsymAB     uniform       1/2 ln((1-e)/e)              exp(-a y h); C^(1/T)  sign
                                                      before every round
CSAdaBoost class-equal   root, rates C                exp(-a C y h)         sign
RareBoost  uniform       1/2 ln(TP/FP) and            exp(-a y h)           sign
                         1/2 ln(TN/FN)
========== ============= ============================ ===================== ======================

with A, B = sums of C D over right, wrong rows; A2, B2 the same of C^2 D; S = sum of C D; r = sum of
D y h beta (the adjustment of AdaCost).
"Uniform" is the user's sample weights, and "prop. C" those times the costs.

Sources: AdaC1-3 Sun et al. 2007; AdaCost Fan et al. 1999; CSB0-2 and CGAda Ting 1998, 2000 and the unifying
framework of Petrides and Verbeke 2021; AdaMEC Ting 2000, Nikolaou et al. 2016; UBoost Ting and Zheng 1998;
AdaUBoost Karakoulas and Shawe-Taylor 1998; AsymAB Viola and Jones 2001; CSAdaBoost Masnadi-Shirazi and
Vasconcelos 2011; RareBoost Joshi, Kumar and Agarwal 2001.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from ..rounds.exponential_step import exponential_step
from ..rounds.training_rows import Round, TrainingRows, mass
from ..rounds.votes import Alpha, Array, Vote, alpha_of_rows
from .reweighting import ReweightingRule

# Where the weights start


def uniform(rows: TrainingRows) -> Array:
    return np.log(rows.weights)


def proportional_to_cost(rows: TrainingRows) -> Array:
    return np.log(rows.weights) + np.log(rows.costs)


def cost_ratio_between_classes(rows: TrainingRows) -> Array:
    """A positive row weighs b = C_FN/C_FP times a negative one."""
    return np.log(rows.weights) + rows.by_class(np.log(rows.cost_fn) - np.log(rows.cost_fp), 0.0)


def half_for_each_class(rows: TrainingRows) -> Array:
    positive_share = mass(rows.weights, rows.positive)
    return np.log(rows.weights) - rows.by_class(np.log(positive_share), np.log1p(-positive_share))


# What a learner's vote weighs


def half_log_ratio(favourable: float, adverse: float, floor: float) -> float:
    """1/2 ln(favourable/adverse); where one of them is zero, it counts as the share `floor` of their sum."""
    if adverse == 0 or favourable == 0:
        limit = 0.5 * math.log((1.0 - floor) / floor)
        return limit if favourable > 0 else -limit
    return 0.5 * (math.log(favourable) - math.log(adverse))  # their quotient may overflow


def from_error(current: Round) -> float:
    right, wrong = current.right_and_wrong()
    return half_log_ratio(right, wrong, current.rows.error_floor)


def from_bounded_agreement(weights: Array, agreement: Array, bound: float, floor: float) -> float:
    """1/(2 U) ln((U + r)/(U - r)) with r = sum of D times an agreement in [-U, U]; the weights D have sum 1.

    Minimiser of the chord bound on Z. U + r and U - r are summed as such, since r itself may be next to U.
    """
    return (
        half_log_ratio(
            float((weights * (bound + agreement)).sum()), float((weights * (bound - agreement)).sum()), floor
        )
        / bound
    )


def from_cost_weighted_agreement(current: Round) -> float:
    """AdaC1: 1/2 ln((1+A-B)/(1-A+B))."""
    agreement = current.costs * current.agreement
    return from_bounded_agreement(current.weights, agreement, 1.0, current.rows.error_floor)


def from_cost_weighted_ratio(current: Round) -> float:
    """AdaC2."""
    return half_log_ratio(*current.right_and_wrong(current.costs), current.rows.error_floor)


def from_squared_costs(current: Round) -> float:
    """AdaC3: 1/2 ln((S+A2-B2)/(S-A2+B2)), AdaC1's alpha for the weights C D / S."""
    weights = current.weights * current.costs
    agreement = current.costs * current.agreement
    return from_bounded_agreement(weights / weights.sum(), agreement, 1.0, current.rows.error_floor)


def from_class_rates(rates: Callable[[TrainingRows], tuple[float, float]]) -> Callable[[Round], float]:
    """Minimiser of Z for an exponential loss with one rate a class (AdaUBoost, CSAdaBoost)."""

    def alpha(current: Round) -> float:
        rows = current.rows
        of_class = [rows.positive, ~rows.positive]
        wrong = [mass(current.weights, rows_of & current.wrong) for rows_of in of_class]
        right = [mass(current.weights, rows_of & ~current.wrong) for rows_of in of_class]
        if not any(wrong) or not any(right):
            lacking, whole = (wrong, right) if not any(wrong) else (right, wrong)
            lacking[:] = [rows.error_floor * weight for weight in whole]
            whole[:] = [(1.0 - rows.error_floor) * weight for weight in whole]
        return exponential_step((wrong[0], wrong[1]), (right[0], right[1]), rates(rows))

    return alpha


def from_precision_of_each_prediction(current: Round) -> Alpha:
    """RareBoost: one alpha where the learner says +1, another where it says -1.

    A predicted class without any error, or without any row, gets 1/2 ln n (the AdaCC authors' code).
    """

    def alpha(true: float, false: float) -> float:
        if true > 0 and false > 0:
            return 0.5 * (math.log(true) - math.log(false))
        return -faultless if false > 0 else faultless

    faultless = -0.5 * math.log(2.0 * current.rows.error_floor)
    says_positive = current.predicted > 0
    sums = [
        mass(current.weights, side & right_or_wrong)
        for side in (says_positive, ~says_positive)
        for right_or_wrong in (~current.wrong, current.wrong)
    ]
    return alpha(sums[0], sums[1]), alpha(sums[2], sums[3])


# How the weights move


def exponential(current: Round, alpha: Alpha) -> Array:
    return -alpha_of_rows(alpha, current.predicted) * current.agreement


def exponential_in_cost(current: Round, alpha: Alpha) -> Array:
    return exponential(current, alpha) * current.costs


def cost_times_exponential(current: Round, alpha: Alpha) -> Array:
    return np.log(current.costs) + exponential(current, alpha)


def cost_times_exponential_in_cost(current: Round, alpha: Alpha) -> Array:
    return np.log(current.costs) + exponential_in_cost(current, alpha)


def cost_if_wrong(current: Round, alpha: Alpha) -> Array:
    return np.where(current.wrong, np.log(current.costs), 0.0)


def cost_if_wrong_times_unit_exponential(current: Round, alpha: Alpha) -> Array:
    return cost_if_wrong(current, alpha) - current.agreement


def cost_if_wrong_times_exponential(current: Round, alpha: Alpha) -> Array:
    return cost_if_wrong(current, alpha) + exponential(current, alpha)


def exponential_in_inverse_cost_ratio(current: Round, alpha: Alpha) -> Array:
    """AdaUBoost: the exponent of a positive row is divided by b = C_FN/C_FP."""
    return exponential(current, alpha) * current.rows.by_class(*inverse_cost_ratio(current.rows))


def root_of_cost(rows: TrainingRows) -> Array:
    """AsymAB spreads the cost over the rounds: C^(1/T) before each."""
    return np.log(rows.costs) / rows.n_rounds


# AdaCost's adjustment of the exponent


def adjustment_of_fan(current: Round) -> Array:
    """1/2 - C/2 where the learner is right, 1/2 + C/2 where it is wrong."""
    return 0.5 - 0.5 * current.agreement * current.costs


def adjustment_of_ting(current: Round) -> Array:
    """1/C where the learner is right, C where it is wrong (unverified: the paper could not be read)."""
    return current.costs**-current.agreement


# AdaUBoost's and CSAdaBoost's rates


def class_costs(rows: TrainingRows) -> tuple[float, float]:
    return float(rows.cost_fn), float(rows.cost_fp)


def inverse_cost_ratio(rows: TrainingRows) -> tuple[float, float]:
    return float(rows.cost_fp) / float(rows.cost_fn), 1.0


# The table

ADABOOST = ReweightingRule(uniform, from_error, exponential)
CGADA = ReweightingRule(proportional_to_cost, from_error, exponential)
ADAC1 = ReweightingRule(uniform, from_cost_weighted_agreement, exponential_in_cost)
ADAC2 = ReweightingRule(uniform, from_cost_weighted_ratio, cost_times_exponential)
ADAC3 = ReweightingRule(uniform, from_squared_costs, cost_times_exponential_in_cost)
ADAMEC = ReweightingRule(uniform, from_error, exponential, vote="minimum expected cost")
RAREBOOST = ReweightingRule(uniform, from_precision_of_each_prediction, exponential)
ASYMMETRIC_ADABOOST = ReweightingRule(uniform, from_error, exponential, before_round=root_of_cost)
ADAUBOOST = ReweightingRule(
    cost_ratio_between_classes, from_class_rates(inverse_cost_ratio), exponential_in_inverse_cost_ratio
)


def csadaboost(start: Literal["class-balanced", "uniform"]) -> ReweightingRule:
    """`start` uniform makes it AdaBoost where the costs are equal."""
    first = {"class-balanced": half_for_each_class, "uniform": uniform}[start]
    return ReweightingRule(first, from_class_rates(class_costs), exponential_in_cost)


def csb(order: Literal[0, 1, 2], vote: Vote) -> ReweightingRule:
    update = (cost_if_wrong, cost_if_wrong_times_unit_exponential, cost_if_wrong_times_exponential)[order]
    return ReweightingRule(proportional_to_cost, from_error, update, vote)


def uboost(*, cost_update: bool) -> ReweightingRule:
    """`cost_update` gives Cost-UBoost, which multiplies wrong rows' weights by their cost (CSB0's update)."""
    update = cost_if_wrong if cost_update else exponential
    return ReweightingRule(proportional_to_cost, from_error, update, "minimum expected cost")


def adacost(beta: Literal["fan", "ting"], alpha_rule: Literal["r", "error"]) -> ReweightingRule:
    """AdaCost; alpha from r = sum of D y h beta, or from the plain error as the research codes have it."""
    adjustment = {"fan": adjustment_of_fan, "ting": adjustment_of_ting}[beta]

    def from_adjusted_agreement(current: Round) -> float:
        factors = adjustment(current)
        bound = max(1.0, float(factors.max()))  # Ting's factors exceed 1, where Fan's formula has no meaning
        agreement = factors * current.agreement
        return from_bounded_agreement(current.weights, agreement, bound, current.rows.error_floor)

    return ReweightingRule(
        proportional_to_cost,
        from_adjusted_agreement if alpha_rule == "r" else from_error,
        lambda current, alpha: exponential(current, alpha) * adjustment(current),
    )
