"""CSB0, CSB1 and CSB2 (Ting 1998, 2000): the weights of wrong rows multiplied by their costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

from ..rounds.votes import Vote
from .cost_reweighting_classifier import CostScaling, LeastCostVote
from .research_code_rules import RESEARCH_CODE_RULES
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_rules import csb


class CSB0Classifier(LeastCostVote):
    """CSB0 of decision stumps (Gini): wrong rows' weights times C, right ones unchanged.

    Initial weights are proportional to cost; alpha as AdaBoost's. The scale of the costs matters: with costs
    below 1 the weights of wrong rows shrink.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive; costs of single records go to `fit`.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest, the smallest (Ting's convention: the cheaper class has cost 1), or
        not at all (default).
    vote : {"plain", "mec"}
        By the sign of F, or by minimum expected cost.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _order: ClassVar[Literal[0, 1, 2]] = 0

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        vote: Literal["plain", "mec"] = "plain",
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
        self.vote = vote

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("vote", ("plain", "mec"))

    def _vote(self) -> Vote:
        return "sign" if self.vote == "plain" else "minimum expected cost"

    def _rule(self) -> ReweightingRule:
        return csb(self._order, self._vote())


class CSB1Classifier(CSB0Classifier):
    """CSB1 of decision stumps (Gini): wrong rows' weights times C e, right ones divided by e.

    Parameters
    ----------
    form : {"paper", "code"}
        "code" repeats the program of the AdaCC authors' comparison (`research_code_rules`).
    cost_fn, cost_fp, normalize_costs, vote
        See `CSB0Classifier`.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _order: ClassVar[Literal[0, 1, 2]] = 1

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        vote: Literal["plain", "mec"] = "plain",
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
            vote=vote,
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
        if self.form == "code":
            return replace(RESEARCH_CODE_RULES[f"CSB{self._order}"], vote=self._vote())
        return super()._rule()


class CSB2Classifier(CSB1Classifier):
    """CSB2 of decision stumps (Gini): weights times exp(-alpha y h), those of wrong rows also times C.

    Parameters
    ----------
    cost_fn, cost_fp, normalize_costs, vote, form
        See `CSB0Classifier` and `CSB1Classifier`.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _order = 2
