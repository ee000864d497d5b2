"""CS-AdaBoost (Masnadi-Shirazi and Vasconcelos 2011): AdaBoost for a cost-sensitive exponential loss."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..rounds.training_rows import TrainingRows
from ..rounds.votes import Array
from ..rounds.weak_learners import StumpLearner
from ..trees.stump_classifier import DecisionStumpClassifier
from .class_rate_stump import ClassRateStumpTrainer
from .cost_reweighting_classifier import CostReweightingClassifier, CostScaling
from .reweighting import OnNegativeAlpha, ReweightingRule, WeakLearner
from .reweighting_rules import class_costs, csadaboost


class CSAdaBoostClassifier(CostReweightingClassifier):
    """CS-AdaBoost of decision stumps chosen by its own loss: weights times exp(-alpha C y h).

    alpha minimises the sum of the new weights, with one rate C a class (the root of an equation). The scale
    of the costs matters. With equal costs and uniform initial weights it is AdaBoost.

    Parameters
    ----------
    estimator : classifier, optional
        For ``search="full"`` None or a `DecisionStumpClassifier`, of which `search` and `max_bins` count. For
        "fast" any classifier that takes `sample_weight`; None is our stump of least cost-weighted error.
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive. Costs of single records are refused, as each stands
        in one equation for all rows of its class.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest, the smallest, or not at all (default).
    search : {"full", "fast"}
        "full" solves the equation for every candidate stump and takes the one of least loss, as published;
        "fast" trains the learner on the weights times the costs and solves once.
    initial_weights : {"class-balanced", "uniform"}
        Half of the weight for either class, as published, or the sample weights.
    n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes.
    """

    _default_criterion = "expected cost"
    _no_record_costs = "CS-AdaBoost has one cost a class inside the exponents and the equation of its step"

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        search: Literal["full", "fast"] = "full",
        initial_weights: Literal["class-balanced", "uniform"] = "class-balanced",
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
        self.search = search
        self.initial_weights = initial_weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("search", ("full", "fast"))
        self._check_choice("initial_weights", ("class-balanced", "uniform"))
        if self.search == "full" and not isinstance(self.estimator, DecisionStumpClassifier | None):
            raise ValueError(
                "estimator of CSAdaBoostClassifier must be a DecisionStumpClassifier or None for "
                f"search='full', which judges every cut, got {self.estimator!r}; search='fast' takes any"
            )

    def _rule(self) -> ReweightingRule:
        return csadaboost(self.initial_weights)

    def _learner(
        self,
        rows: NDArray[Any],
        labels: NDArray[Any],
        positive: NDArray[np.bool_],
        training: TrainingRows,
    ) -> WeakLearner:
        if self.search == "fast":
            return _CostWeightedLearner(super()._learner(rows, labels, positive, training), training.costs)
        stump = self.estimator or DecisionStumpClassifier()
        trainer = ClassRateStumpTrainer(
            rows, positive, class_costs(training), search=stump.search, max_bins=stump.max_bins
        )
        return StumpLearner(stump, rows, positive, self.classes_, self._positive_code(), trainer)


class _CostWeightedLearner:
    """Another learner, trained on the weights times the costs."""

    def __init__(self, learner: WeakLearner, costs: Array) -> None:
        self._learner = learner
        self._costs = costs

    def fit(self, weights: Array) -> tuple[Any, Array]:
        weights = weights * self._costs
        return self._learner.fit(weights / weights.sum())
