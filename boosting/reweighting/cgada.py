"""CGAda: AdaBoost started from weights proportional to cost (naive cost-sensitive AdaBoost)."""

from __future__ import annotations

from .cost_reweighting_classifier import CostReweightingClassifier
from .reweighting import ReweightingRule
from .reweighting_rules import CGADA


class CGAdaClassifier(CostReweightingClassifier):
    """CGAda of decision stumps (Gini): AdaBoost whose first weights are proportional to the costs.

    With integer costs it equals AdaBoost on rows repeated as often as they cost. The scale of the costs does
    not matter (Landesa-Vazquez and Alba-Castro 2012; section 3.1.2 of Petrides and Verbeke 2021).

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; costs of single records go to `fit`.
    normalize_costs : {"max", "min"} or None
        Without effect here, for the likeness of the family.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    def _rule(self) -> ReweightingRule:
        return CGADA
