"""AdaMEC and UBoost: boosting whose votes are counted by minimum expected cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from .cost_reweighting_classifier import CostScaling, LeastCostVote
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_rules import ADAMEC, uboost


class AdaMECClassifier(LeastCostVote):
    """AdaMEC of decision stumps (Gini): AdaBoost, decided by minimum expected cost (Ting 2000).

    Positive iff the votes for the positive class times C_FN exceed those for the negative class times C_FP;
    the same as a share of the votes above C_FP/(C_FP + C_FN). Training ignores the costs, and
    `decision_function` and `predict_proba` are AdaBoost's.

    Parameters
    ----------
    cost_fn, cost_fp : float >= 0
        Cost of a false negative and of a false positive. Costs of single records go to `fit`, and those of
        the rows to decide to `predict`.
    normalize_costs : {"max", "min"} or None
        Without effect here, for the likeness of the family.
    form : {"paper", "code"}
        "code" squashes the votes through a logistic function first, as the program of the AdaCC authors'
        comparison does; all rows are positive then if cost_fp/cost_fn is at most 0.36.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _zero_costs = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        form: Literal["paper", "code"] = "paper",
        random_state: Any = None,
        pos_label: Any = None,
        on_negative_alpha: OnNegativeAlpha = "stop",
        record_history: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            normalize_costs=normalize_costs,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )
        self.form = form

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("form", ("paper", "code"))

    def _rule(self) -> ReweightingRule:
        return replace(ADAMEC, vote="squashed minimum expected cost") if self.form == "code" else ADAMEC


class UBoostClassifier(LeastCostVote):
    """UBoost of decision stumps (Gini): first weights proportional to cost, votes by minimum expected cost.

    The costs count twice, in the weights and in the vote (Ting and Zheng 1998). `decision_function` is the
    sum of alpha h, whose sign is not the decision when the costs differ.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive. Costs of single records go to `fit`, and those of
        the rows to decide to `predict`.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest, the smallest, or not at all (default). Matters for `cost_update`.
    cost_update : bool
        Cost-UBoost: the weights of wrong rows are multiplied by their costs in place of AdaBoost's update.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        cost_update: bool = False,
        random_state: Any = None,
        pos_label: Any = None,
        on_negative_alpha: OnNegativeAlpha = "stop",
        record_history: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            normalize_costs=normalize_costs,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )
        self.cost_update = cost_update

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("cost_update", (False, True))

    def _rule(self) -> ReweightingRule:
        return uboost(cost_update=self.cost_update)
