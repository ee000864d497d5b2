"""AdaUBoost (Karakoulas and Shawe-Taylor 1998): unequal loss functions of the two classes."""

from __future__ import annotations

from .cost_reweighting_classifier import CostReweightingClassifier
from .reweighting import ReweightingRule
from .reweighting_rules import ADAUBOOST


class AdaUBoostClassifier(CostReweightingClassifier):
    """AdaUBoost of decision stumps (Gini): positive rows start b times as heavy and decay slower.

    With b = cost_fn/cost_fp the exponent of a positive row's weight is divided by b, and alpha minimises the
    sum of the new weights (the root of an equation).

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; only their ratio matters. Costs of single records
        are refused, as the ratio stands in one equation for all rows.
    normalize_costs : {"max", "min"} or None
        Without effect here, for the likeness of the family.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _no_record_costs = "AdaUBoost has one cost ratio inside the exponents of all rows of a class"

    def _rule(self) -> ReweightingRule:
        return ADAUBOOST
