"""Calibrated AdaMEC and CGAda: boosted scores turned into probabilities on held-out rows, then a threshold.

Nikolaou, Edakunni, Kull, Flach and Brown 2016 found calibrated AdaMEC the method of choice among the
cost-sensitive boosters of this family.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils import check_random_state

from ..distinct_rows import group_equal_rows
from ..rounds.training_rows import mass
from ..rounds.votes import Array, Votes
from ..row_values import check_sample_weight
from .cost_reweighting_classifier import CostScaling, LeastCostVote
from .reweighting import OnNegativeAlpha, ReweightingRule
from .reweighting_rules import ADABOOST, ADAMEC, CGADA


class ScoreAsDecision(ClassifierMixin, BaseEstimator):
    """A classifier whose decision function is its one feature: what scikit-learn's calibrators wrap."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Note the classes; there is nothing to learn."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: NDArray[np.float64]) -> Array:
        """The feature (n,) of X (n, 1)."""
        return np.asarray(X)[:, 0]

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Classes (n,) by the sign of the feature."""
        return self.classes_[(self.decision_function(X) > 0).astype(np.int64)]


def fit_calibrator(
    scores: Array, positive: NDArray[np.bool_], weights: Array, method: Literal["platt", "isotonic"]
) -> CalibratedClassifierCV:
    """Scikit-learn's map from scores (n,) to the probability of the positive class."""
    everything = np.arange(len(scores))
    calibrator = CalibratedClassifierCV(
        ScoreAsDecision(),
        method="sigmoid" if method == "platt" else "isotonic",
        cv=[(everything, everything)],  # the scores are given: nothing is trained on these rows
        ensemble=False,
    )
    return calibrator.fit(scores[:, None], positive.astype(np.int64), sample_weight=weights)


def split_distinct_rows(
    rows: NDArray[Any], positive: NDArray[np.bool_], fraction: float, random_state: Any
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows to train and which to calibrate on, as two (n,) bool.

    About `fraction` of the distinct rows of either class is held out; equal rows stay together, so that the
    calibrator sees nothing that was trained on. A class with a single distinct row lends it to both.
    """
    groups, of_group = group_equal_rows(rows, positive)
    held_out = np.zeros(len(of_group), dtype=bool)
    lent = np.zeros(len(of_group), dtype=bool)
    generator = check_random_state(random_state)
    for side in (0, 1):
        members = generator.permutation(np.flatnonzero(of_group == side))
        size = min(max(round(fraction * len(members)), 1), max(len(members) - 1, 1))
        held_out[members[:size]] = True
        if len(members) == 1:
            lent[members] = True
    return (~held_out | lent)[groups], held_out[groups]


class CalibratedAdaMECClassifier(LeastCostVote):
    """Calibrated AdaMEC: AdaBoost of decision stumps (Gini), calibrated on held-out rows, cut by cost.

    `predict_proba` is the calibrated probability; a row is positive iff it exceeds the threshold, and
    `decision_function` is their difference.

    Parameters
    ----------
    cost_fn, cost_fp : float >= 0
        Cost of a false negative and of a false positive. Costs of single records go to `fit`, and those of
        the rows to decide to `predict`.
    calibration : {"platt", "isotonic"}
        Scikit-learn's sigmoid or isotonic calibrator.
    calibration_fraction : float in (0, 1)
        Share of the distinct training rows, class by class, that is held out to calibrate on.
    threshold : {"cost", "skew"}
        "cost": C_FP/(C_FP + C_FN), costs of single errors. "skew": C_FP N-/(C_FN N+ + C_FP N-), costs of
        erring on a whole class, as the authors' tutorial code has it.
    form : {"paper", "code"}
        "code" repeats the program of the AdaCC authors' comparison: isotonic calibration on the training
        rows themselves and the threshold C_FN N+/(C_FN N+ + C_FP N-).
    normalize_costs : {"max", "min"} or None
        Without effect here, for the likeness of the family.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`, also for the attributes. `random_state` also draws the rows held out.

    Attributes
    ----------
    calibrator_ : CalibratedClassifierCV
        Maps F (n, 1) to the probabilities of the negative and the positive class.
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
        calibration: Literal["platt", "isotonic"] = "platt",
        calibration_fraction: float = 0.5,
        threshold: Literal["cost", "skew"] = "cost",
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
        self.calibration = calibration
        self.calibration_fraction = calibration_fraction
        self.threshold = threshold
        self.form = form

    def predict_proba(self, X: ArrayLike) -> Array:
        """Calibrated probabilities (n, 2) in the order of `classes_`."""
        return self._in_class_order(self._calibrated(self._votes(X)))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """The scores after every round through the calibrator of the whole ensemble."""
        for votes in self._staged_votes(X):
            yield self._in_class_order(self._calibrated(votes))

    def decision_function(self, X: ArrayLike) -> Array:
        """Calibrated probability less the threshold (n,), oriented so that positive is for ``classes_[1]``.

        Where `fit` had costs of single records, which give each row its own threshold, it is 1/2 here.
        """
        return self._above_threshold(self._votes(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """`decision_function` with the scores after every round and the calibrator of the whole ensemble."""
        for votes in self._staged_votes(X):
            yield self._above_threshold(votes)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("calibration", ("platt", "isotonic"))
        self._check_choice("threshold", ("cost", "skew"))
        self._check_choice("form", ("paper", "code"))
        fraction = self.calibration_fraction
        if not isinstance(fraction, Real) or not 0 < fraction < 1:
            raise ValueError(
                f"calibration_fraction of {type(self).__name__} must lie between 0 and 1, got {fraction!r}"
            )

    def _rule(self) -> ReweightingRule:
        return ADAMEC

    def _boost(
        self,
        rows: NDArray[Any],
        labels: NDArray[Any],
        sample_weight: ArrayLike | None,
        cost_fn: Array | float = 1.0,
        cost_fp: Array | float = 1.0,
    ) -> Self:
        weights = check_sample_weight(sample_weight, len(rows), f"{type(self).__name__}.fit")
        used = weights > 0
        rows, labels, weights = rows[used], labels[used], weights[used]
        cost_fn, cost_fp = (cost if isinstance(cost, float) else cost[used] for cost in (cost_fn, cost_fp))
        self._set_classes(labels, weights)
        positive = np.asarray(labels == self.positive_class_)
        self._class_weights = mass(weights, positive), mass(weights, ~positive)
        if self.form == "code":
            train = calibrate = np.ones(len(rows), dtype=bool)
        else:
            train, calibrate = split_distinct_rows(
                rows, positive, self.calibration_fraction, self.random_state
            )
        super()._boost(
            rows[train],
            labels[train],
            weights[train],
            *(cost if isinstance(cost, float) else cost[train] for cost in (cost_fn, cost_fp)),
        )
        if self._calibrates_with_costs():
            weights = weights * np.where(positive, cost_fn, cost_fp)
        *_, votes = self._staged_votes_on(rows[calibrate])
        self.calibrator_ = fit_calibrator(
            votes.score,
            positive[calibrate],
            weights[calibrate],
            "isotonic" if self.form == "code" else self.calibration,
        )
        return self

    def _calibrates_with_costs(self) -> bool:
        return False

    def _calibrated(self, votes: Votes) -> Array:
        return np.asarray(self.calibrator_.predict_proba(votes.score[:, None])[:, 1])

    def _above_threshold(self, votes: Votes) -> Array:
        of_fit = (self.cost_fn_, self.cost_fp_)
        threshold = 0.5 if of_fit[0] is None or of_fit[1] is None else self._threshold(of_fit[0], of_fit[1])
        return self._orient(self._calibrated(votes) - threshold)

    def _in_class_order(self, positive: Array) -> Array:
        columns = [1.0 - positive, positive]
        return np.column_stack(columns if self._positive_code() == 1 else columns[::-1])

    def _decided(self, votes: Votes, costs: tuple[Array | float, Array | float]) -> NDArray[Any]:
        return self._labels(self._calibrated(votes) > self._threshold(*costs))

    def _threshold(self, cost_fn: Array | float, cost_fp: Array | float) -> Array | float:
        n_positive, n_negative = self._class_weights if self._skewed() else (1.0, 1.0)
        miss, alarm = cost_fn * n_positive, cost_fp * n_negative
        return (miss if self.form == "code" else alarm) / (miss + alarm)

    def _skewed(self) -> bool:
        return self.threshold == "skew" or self.form == "code"


class CalibratedCGAdaClassifier(CalibratedAdaMECClassifier):
    """Calibrated CGAda: CGAda of decision stumps (Gini), calibrated on held-out rows.

    Parameters
    ----------
    calibrate_with_costs : bool
        False (default): the calibrator sees the held-out rows as they are, `predict_proba` estimates the
        probability of the classes, and the threshold is that of least cost. True: the calibrator weighs them
        by their costs, `predict_proba` is the share of the cost at risk, and the threshold is 1/2.
    form : {"paper", "code"}
        "code" repeats the program of the AdaCC authors' comparison: plain AdaBoost, isotonic calibration on
        the training rows with their costs as weights, threshold 1/2.
    cost_fn, cost_fp, normalize_costs, calibration, calibration_fraction, threshold
        See `CalibratedAdaMECClassifier`, also for the attributes.
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`.
    """

    _zero_costs = False

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        calibration: Literal["platt", "isotonic"] = "platt",
        calibration_fraction: float = 0.5,
        calibrate_with_costs: bool = False,
        threshold: Literal["cost", "skew"] = "cost",
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
            calibration=calibration,
            calibration_fraction=calibration_fraction,
            threshold=threshold,
            form=form,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )
        self.calibrate_with_costs = calibrate_with_costs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("calibrate_with_costs", (False, True))

    def _rule(self) -> ReweightingRule:
        rule = ADABOOST if self.form == "code" else CGADA
        return replace(rule, vote="minimum expected cost")

    def _calibrates_with_costs(self) -> bool:
        return self.calibrate_with_costs or self.form == "code"

    def _threshold(self, cost_fn: Array | float, cost_fp: Array | float) -> Array | float:
        return 0.5 if self._calibrates_with_costs() else super()._threshold(cost_fn, cost_fp)
