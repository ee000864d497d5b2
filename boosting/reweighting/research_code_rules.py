"""The older methods as the AdaCC authors' published program runs them, to reproduce their comparison.

The program (iosifidisvasileios/CumulativeCostBoosting, commit 6aebceb, Competitors) departs from the papers
that it names. These rules repeat it; `reweighting_rules` has the methods themselves. All start proportional
to cost.

======== ============================== ====================================================================
method   alpha                          weights times
======== ============================== ====================================================================
AdaCost  1/2 ln((1-e)/e)                exp(a (1 - C')) where wrong, C' the cost of the OTHER class
AdaC1    1/2 ln(A/B)                    exp(a C) where wrong
AdaC2    1/2 ln(A/B)                    C everywhere, exp(2 a) where wrong
AdaC3    as in the paper                C everywhere, exp(a C) where wrong
CSB1     1/2 ln((1-e)/e)                exp(C) where wrong
CSB2     1/2 ln((1-e)/e)                C everywhere, exp(2 a) where wrong
======== ============================== ====================================================================

(AdaC2's weights are the paper's after normalisation; only its start differs.)
"""

from __future__ import annotations

import numpy as np

from ..rounds.training_rows import Round
from ..rounds.votes import Alpha, Array
from .reweighting import ReweightingRule
from .reweighting_rules import (
    cost_times_exponential,
    exponential,
    exponential_in_cost,
    from_cost_weighted_ratio,
    from_error,
    from_squared_costs,
    proportional_to_cost,
)


def raise_wrong_by_other_cost(current: Round, alpha: Alpha) -> Array:
    rows = current.rows
    return np.where(
        current.wrong, exponential(current, alpha) * (1.0 - rows.by_class(rows.cost_fp, rows.cost_fn)), 0.0
    )


def raise_wrong_in_cost(current: Round, alpha: Alpha) -> Array:
    return np.where(current.wrong, exponential_in_cost(current, alpha), 0.0)


def cost_times_raise_wrong_in_cost(current: Round, alpha: Alpha) -> Array:
    return np.log(current.costs) + raise_wrong_in_cost(current, alpha)


def raise_wrong_by_exponential_of_cost(current: Round, alpha: Alpha) -> Array:
    return np.where(current.wrong, current.costs, 0.0)


RESEARCH_CODE_RULES = {
    "AdaCost": ReweightingRule(proportional_to_cost, from_error, raise_wrong_by_other_cost),
    "AdaC1": ReweightingRule(proportional_to_cost, from_cost_weighted_ratio, raise_wrong_in_cost),
    "AdaC2": ReweightingRule(proportional_to_cost, from_cost_weighted_ratio, cost_times_exponential),
    "AdaC3": ReweightingRule(proportional_to_cost, from_squared_costs, cost_times_raise_wrong_in_cost),
    "CSB1": ReweightingRule(proportional_to_cost, from_error, raise_wrong_by_exponential_of_cost),
    "CSB2": ReweightingRule(proportional_to_cost, from_error, cost_times_exponential),
}
