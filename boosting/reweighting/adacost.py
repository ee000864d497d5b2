"""AdaCost (Fan, Stolfo, Zhang and Chan 1999): exponents adjusted by the cost, for right and wrong apart."""

from __future__ import annotations

from typing import Any, Literal

from .cost_reweighting_classifier import CostReweightingClassifier, CostScaling
from .research_code_rules import RESEARCH_CODE_RULES
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_rules import adacost


class AdaCostClassifier(CostReweightingClassifier):
    """AdaCost of decision stumps (Gini): weights times exp(-alpha y h beta).

    Initial weights are proportional to cost. With equal costs it is not AdaBoost, as right rows then have
    beta = 0.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; costs of single records go to `fit`.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest (default), the smallest, or not at all. The adjustment "fan" needs
        costs in (0, 1]; "ting" was meant for costs of at least 1.
    beta : {"fan", "ting"}
        "fan": 1/2 - C/2 where the learner is right, 1/2 + C/2 where it is wrong. "ting": 1/C and C, which
        reduces to AdaBoost for equal costs; after secondary sources, as Ting's paper could not be read.
    alpha_rule : {"r", "error"}
        "r": 1/2 ln((1+r)/(1-r)) with r = sum of D y h beta, which often is negative in the first round
        already. "error": AdaBoost's alpha, as the published programs have it.
    form : {"paper", "code"}
        "code" repeats the program of the AdaCC authors' comparison (`research_code_rules`) and ignores
        `beta` and `alpha_rule`.
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
        normalize_costs: CostScaling = "max",
        beta: Literal["fan", "ting"] = "fan",
        alpha_rule: Literal["r", "error"] = "r",
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
        self.beta = beta
        self.alpha_rule = alpha_rule
        self.form = form

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("beta", ("fan", "ting"))
        self._check_choice("alpha_rule", ("r", "error"))
        self._check_choice("form", ("paper", "code"))

    @property
    def _largest_cost(self) -> float:  # type: ignore[override]
        return 1.0 if self.beta == "fan" and self.form == "paper" else float("inf")

    def _rule(self) -> ReweightingRule:
        if self.form == "code":
            return RESEARCH_CODE_RULES["AdaCost"]
        return adacost(self.beta, self.alpha_rule)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # with the default, equal costs no round survives
        return tags
