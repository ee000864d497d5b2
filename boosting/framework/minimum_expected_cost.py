"""DMECC: a probability, and the class of minimum expected cost (section 3.3.1 of Petrides and Verbeke 2021)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ballots import ballots_of
from .calibration import (
    CALIBRATIONS,
    HELD_OUT,
    Calibration,
    fitted_calibration,
    logistic_correction,
    unnormalized_logistic_correction,
)
from .combination_rules import Role, check_probabilistic_part
from .cost_classifier import CostClassifier
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .parts import check_part, check_probabilities, fit_part, probability
from .records import Array, Cost, Records
from .thresholds import cheapest_threshold, least_expected_cost, theoretical_threshold
from .two_class_data import check_fraction
from .validation_split import split_records

Threshold = Literal["theoretical", "validation"]


class MinimumExpectedCostClassifier(CostClassifier):
    """Direct minimum expected cost classification (DMECC) on the probabilities of any classifier.

    A record is positive iff its probability P exceeds C_FP/(C_FP + C_FN), which may be the costs of that record
    (give them to `predict`), or a threshold that costs held-out records the least. Of the framework's ensembles
    of the bagging kind, P is the mean probability of the models; of others, what `predict_proba` says, for
    boosted ones the share of the votes, which a calibration turns into a probability.

    Inside an ensemble, as its `estimator`, it makes the outcome of every model cost-sensitive (DMECC-Ensemble,
    DMECC-AdaBoost).

    Parameters
    ----------
    estimator : classifier or None
        None is a plain tree, ``CostSensitiveTreeClassifier("gini")``. It gets the costs too, if its `fit` takes
        `cost_fn` and `cost_fp`.
    threshold : {"theoretical", "validation"}
    calibration : {"logistic", "unnormalized logistic", "platt", "isotonic"} or None
        1/(1 + exp(-2 (2 S - 1))) of the share S of the votes; 1/(1 + exp(-2 F)) of the sum F = sum of alpha h
        of a boosted ensemble; Platt's sigmoid or isotonic regression of S, fitted on records held out.
    calibration_fraction, validation_fraction : float in (0, 1)
        Share of the distinct records of either class that is held out for the calibration, and of the rest that
        is held out for the threshold.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    estimator_ : classifier
        Fitted; its classes are 0 and 1, the positive one.
    threshold_ : float or None
        None where each record has its own.
    """

    role: Role = "threshold"

    def __init__(
        self,
        estimator: Any = None,
        *,
        threshold: Threshold = "theoretical",
        calibration: Calibration = None,
        calibration_fraction: float = 0.25,
        validation_fraction: float = 0.25,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.calibration = calibration
        self.calibration_fraction = calibration_fraction
        self.validation_fraction = validation_fraction
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """The class of minimum expected cost."""
        shares = self.mean_probability(rows)
        if self.threshold == "validation" and self.threshold_ is not None:
            return np.asarray(shares > self.threshold_)
        return least_expected_cost(shares, cost_fn, cost_fp)

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """The calibrated probability of the positive class."""
        return self._calibrated(self._scores(rows))

    def decision_function(self, X: ArrayLike) -> Array:
        """Probability less the threshold (n,), oriented so that positive values are for ``classes_[1]``.

        Where `fit` had costs of single records, which give each its own threshold, it is 1/2 here.
        """
        shares = self.mean_probability(self._checked_rows(X))
        return self._oriented(shares - (0.5 if self.threshold_ is None else self.threshold_))

    @property
    def decides_by_costs(self) -> bool:
        return self.threshold == "theoretical"

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        training, calibrating, validating = records, None, None
        if self.calibration in HELD_OUT:
            training, calibrating = split_records(training, self.calibration_fraction, random_state)
        if self.threshold == "validation":
            training, validating = split_records(training, self.validation_fraction, random_state)
        self.estimator_ = fit_part(self._part(), training, random_state)
        self._calibrated = self._calibration(calibrating)
        self.threshold_: float | None = None
        if validating is not None:
            candidates, scores = (self.mean_probability(part.rows) for part in (training, validating))
            self.threshold_ = cheapest_threshold(candidates, scores, validating)
        elif not records.has_record_costs:
            self.threshold_ = float(theoretical_threshold(records.cost_fn, records.cost_fp))

    def _calibration(self, held_out: Records | None) -> Callable[[Array], Array]:
        if held_out is not None and (self.calibration == "platt" or self.calibration == "isotonic"):
            return fitted_calibration(self.calibration, self._scores(held_out.rows), held_out)
        if self.calibration == "logistic":
            return logistic_correction
        if self.calibration == "unnormalized logistic":
            return unnormalized_logistic_correction
        return np.asarray

    def _scores(self, rows: NDArray[Any]) -> Array:
        """What the calibration takes: the probability or share of the votes, or the sum F."""
        if self.calibration != "unnormalized logistic":
            return probability(self.estimator_, rows)
        tally = ballots_of(self.estimator_, rows, 1.0, 1.0).tally
        return tally.positive - tally.negative

    def _part(self) -> Any:
        return CostSensitiveTreeClassifier("gini") if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_choice("threshold", "theoretical", "validation")
        self._check_choice("calibration", *CALIBRATIONS)
        for name in ("calibration_fraction", "validation_fraction"):
            check_fraction(self, name)
        if self.estimator is not None:
            check_part(self.estimator, "estimator", owner)
            check_probabilities(self.estimator, "estimator", owner)
        check_probabilistic_part(self._part(), self.calibration, owner)
