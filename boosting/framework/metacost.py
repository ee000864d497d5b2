"""MetaCost (Domingos 1999): any classifier made cost-sensitive by relabelling its training records."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .combination_rules import Role, check_relabeler
from .cost_classifier import CostClassifier
from .cost_ensemble import CostBaseEnsembleClassifier, CostEnsemble
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .minimum_expected_cost import MinimumExpectedCostClassifier
from .parts import check_part, check_probabilities, decisions, fit_part, probability
from .records import Array, Cost, Records
from .thresholds import least_expected_cost

RESAMPLES = 50
"""Models of the original's Bagging."""


class OneLabelWarning(UserWarning):
    """All training records were given the same label; the classifier predicts it for every row."""


class MetaCostClassifier(CostClassifier):
    """MetaCost: one model, trained on the labels that a cost-sensitive model gives the training records.

    Parameters
    ----------
    estimator : classifier or None
        The final model, which ignores costs; None is a plain tree, ``CostSensitiveTreeClassifier("gini")``.
    relabeler : classifier or None
        Any cost-sensitive model; None is the original, `MinimumExpectedCostClassifier` on Bagging of 50 trees.
    out_of_bag : bool
        Label each record by the models that were not trained on it, where there are any; for a
        `MinimumExpectedCostClassifier` of theoretical threshold on an ensemble of the bagging kind.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    estimator_, relabeler_ : classifier
        Fitted; their classes are 0 and 1, the positive one.
    relabeled_ : float
        Share of the training records, by weight, whose label was changed.
    """

    role: Role = "relabelled"

    def __init__(
        self,
        estimator: Any = None,
        *,
        relabeler: Any = None,
        out_of_bag: bool = False,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.relabeler = relabeler
        self.out_of_bag = out_of_bag
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """The final model's prediction."""
        return decisions(self.estimator_, rows, cost_fn, cost_fp)

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """The final model's probability of the new labels."""
        return probability(self.estimator_, rows)

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        self.relabeler_ = fit_part(self._labelling_part(), records, random_state)
        labels = (
            self._labels_out_of_bag(records)
            if self.out_of_bag
            else decisions(self.relabeler_, records.rows, records.cost_fn, records.cost_fp)
        )
        self.relabeled_ = float(records.mass[labels != records.positive].sum() / records.mass.sum())
        if labels.all() or not labels.any():
            warnings.warn(
                f"{type(self).__name__} labels all records {'positive' if labels.all() else 'negative'} and "
                "predicts that for every row",
                OneLabelWarning,
                stacklevel=4,
            )
        relabelled = replace(records, positive=labels, cost_fn=1.0, cost_fp=1.0)
        self.estimator_ = fit_part(self._final_part(), relabelled, random_state)

    def _labels_out_of_bag(self, records: Records) -> NDArray[np.bool_]:
        ensemble: CostEnsemble = self.relabeler_.estimator_
        shares = ensemble.out_of_bag_probability(records.rows)
        return least_expected_cost(shares, records.cost_fn, records.cost_fp)

    def _labelling_part(self) -> Any:
        if self.relabeler is not None:
            return self.relabeler
        return MinimumExpectedCostClassifier(CostBaseEnsembleClassifier(n_estimators=RESAMPLES))

    def _final_part(self) -> Any:
        return CostSensitiveTreeClassifier("gini") if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_choice("out_of_bag", False, True)
        if self.estimator is not None:
            check_part(self.estimator, "estimator", owner)
            check_probabilities(self.estimator, "estimator", owner)
        if self.relabeler is not None:
            check_part(self.relabeler, "relabeler", owner)
        check_relabeler(self._labelling_part(), owner)
        if self.out_of_bag and not self._knows_bags(self._labelling_part()):
            raise ValueError(
                f"out_of_bag of {owner} needs as relabeler a MinimumExpectedCostClassifier with "
                "threshold='theoretical' and no calibration on an ensemble of the bagging kind, "
                f"got {self.relabeler!r}"
            )

    @staticmethod
    def _knows_bags(relabeler: Any) -> bool:
        return (
            isinstance(relabeler, MinimumExpectedCostClassifier)
            and relabeler.threshold == "theoretical"
            and relabeler.calibration is None
            and isinstance(relabeler.estimator, CostEnsemble)
        )
