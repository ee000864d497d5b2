"""RareBoost (Joshi, Kumar and Agarwal 2001): votes weighed apart for either prediction."""

from __future__ import annotations

from .reweighting import ReweightingRule
from .reweighting_classifier import ReweightingClassifier
from .reweighting_rules import RAREBOOST


class RareBoostClassifier(ReweightingClassifier):
    """RareBoost-1 of decision stumps (Gini): apart vote weights for saying positive and saying negative.

    alpha+ = 1/2 ln(TP/FP) and alpha- = 1/2 ln(TN/FN) with the weighted counts of the round; a prediction that
    is never wrong gets 1/2 ln n. It takes no costs: precision of either prediction drives it. Boosting ends
    where TP <= FP or TN <= FN.

    Parameters
    ----------
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.

    Attributes
    ----------
    estimator_weights_ : (T, 2) array
        alpha+ and alpha-.
    """

    _shape_of_weights = (-1, 2)

    def _rule(self) -> ReweightingRule:
        return RAREBOOST
