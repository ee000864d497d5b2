"""AdaC1, AdaC2 and AdaC3 (Sun, Kamel, Wong and Wang 2007): the costs inside the weight update."""

from __future__ import annotations

from typing import Any, Literal

from .cost_reweighting_classifier import CostReweightingClassifier, CostScaling
from .research_code_rules import RESEARCH_CODE_RULES
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_rules import ADAC1, ADAC2, ADAC3

Form = Literal["paper", "code"]


class _AdaCClassifier(CostReweightingClassifier):
    _paper_rule: ReweightingRule
    _name: str

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = "max",
        form: Form = "paper",
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
        return RESEARCH_CODE_RULES[self._name] if self.form == "code" else self._paper_rule


class AdaC1Classifier(_AdaCClassifier):
    """AdaC1 of decision stumps (Gini): the cost in the exponent, weights times exp(-alpha C y h).

    Costs must lie in (0, 1] and their scale matters.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; costs of single records go to `fit`.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest (default), the smallest, or not at all.
    form : {"paper", "code"}
        "code" repeats the program of the AdaCC authors' comparison (`research_code_rules`).
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _paper_rule = ADAC1
    _name = "AdaC1"
    _largest_cost = 1.0


class AdaC2Classifier(_AdaCClassifier):
    """AdaC2 of decision stumps (Gini): the cost as a factor, weights times C exp(-alpha y h).

    The scale of the costs does not matter.

    Parameters
    ----------
    cost_fn, cost_fp, normalize_costs, form
        See `AdaC1Classifier`; the costs are not normalised by default, and the form "code" differs in the
        initial weights only, which it takes proportional to the costs.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _paper_rule = ADAC2
    _name = "AdaC2"

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        form: Form = "paper",
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
            form=form,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )


class AdaC3Classifier(_AdaCClassifier):
    """AdaC3 of decision stumps (Gini): the cost in both places, weights times C exp(-alpha C y h).

    Costs must lie in (0, 1] and their scale matters.

    Parameters
    ----------
    cost_fn, cost_fp, normalize_costs, form
        See `AdaC1Classifier`.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _paper_rule = ADAC3
    _name = "AdaC3"
    _largest_cost = 1.0
