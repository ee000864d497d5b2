"""AdaCC1, AdaCC2, AdaN-CC1 and AdaN-CC2: boosting that sets the costs of errors itself, round by round.

Iosifidis, Papadopoulos, Rosenhahn and Ntoutsi 2023; the rules are in `cumulative_cost_rules`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from .cumulative_cost_rules import adacc
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_classifier import ReweightingClassifier


class AdaCC1Classifier(ReweightingClassifier):
    """AdaCC1 of decision stumps (entropy): cumulative costs inside the exponent.

    After each round the class on which the ensemble errs more often is made dearer: a wrong positive costs
    1 + FNR if FNR > FPR, a wrong negative 1 + FPR if FPR > FNR, everything else 1. No costs are given.

    Parameters
    ----------
    form : {"code", "paper"}
        The two differ. "code", the authors' program and the form of their results, has AdaBoost's alpha and
        raises wrong rows by exp(2 alpha C); "paper" has alpha = 1/2 ln((1+A-B)/(1-A+B)), multiplies by
        exp(-alpha C y h), and ends early on hard data (it needs A > B).
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes. `history_` has also `cost_of_wrong_positives` and
        `cost_of_wrong_negatives`.
    """

    _default_criterion = "entropy"
    _variant: ClassVar[Literal[1, 2]] = 1
    _cumulative: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        form: Literal["code", "paper"] = "code",
        random_state: Any = None,
        pos_label: Any = None,
        on_negative_alpha: OnNegativeAlpha = "stop",
        record_history: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )
        self.form = form

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("form", ("code", "paper"))

    def _rule(self) -> ReweightingRule:
        return adacc(self._variant, cumulative=self._cumulative, form=self.form)


class AdaCC2Classifier(AdaCC1Classifier):
    """AdaCC2 of decision stumps (entropy): cumulative costs as factors of the weights.

    Parameters
    ----------
    form : {"code", "paper"}
        "code": AdaBoost's alpha, wrong rows times C exp(2 alpha). "paper": alpha = 1/2 ln(A/B) and weights
        times C exp(-alpha y h).
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaCC1Classifier` and `AdaBoostClassifier`, also for the attributes.
    """

    _variant = 2


class AdaNCC1Classifier(AdaCC1Classifier):
    """AdaN-CC1 of decision stumps (entropy): AdaCC1 with the error rates of the newest learner alone.

    Parameters
    ----------
    estimator, n_estimators, form, random_state, pos_label, on_negative_alpha, record_history
        See `AdaCC1Classifier`, also for the attributes.
    """

    _cumulative = False


class AdaNCC2Classifier(AdaCC2Classifier):
    """AdaN-CC2 of decision stumps (entropy): AdaCC2 with the error rates of the newest learner alone.

    Parameters
    ----------
    estimator, n_estimators, form, random_state, pos_label, on_negative_alpha, record_history
        See `AdaCC2Classifier`, also for the attributes.
    """

    _cumulative = False
