"""Asymmetric AdaBoost (Viola and Jones 2001): the cost spread evenly over the rounds."""

from __future__ import annotations

from .cost_reweighting_classifier import CostReweightingClassifier
from .reweighting import ReweightingRule
from .reweighting_rules import ASYMMETRIC_ADABOOST


class AsymmetricAdaBoostClassifier(CostReweightingClassifier):
    """Asymmetric AdaBoost of decision stumps (Gini): weights times C^(1/T) before each of the T rounds.

    So that the first learner does not absorb the whole asymmetry; otherwise AdaBoost. Only the ratio of the
    costs matters.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; costs of single records go to `fit`.
    n_estimators : int
        T; the rule depends on it, so that fewer rounds are not the beginning of more.
    normalize_costs : {"max", "min"} or None
        Without effect here, for the likeness of the family.
    estimator, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    def _rule(self) -> ReweightingRule:
        return ASYMMETRIC_ADABOOST
