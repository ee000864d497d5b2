"""Rates of two classes and what is made of them.

References: Iosifidis, Papadopoulos, Rosenhahn, Ntoutsi, "AdaCC: cumulative cost-sensitive boosting for imbalanced
classification", 2023 (the overall performance measure).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import f1_score, roc_auc_score

from .labels import MetricError, positives, require_both_classes


@dataclass(frozen=True)
class BinaryRates:
    """Shares of the positive and of the negative rows that are recognised.

    Parameters
    ----------
    true_positive_rate, true_negative_rate : float in [0, 1]
    """

    true_positive_rate: float
    true_negative_rate: float


def binary_rates(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = 1) -> BinaryRates:
    """TPR and TNR.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        Labels of two classes, both among the true ones.
    pos_label : label
        The positive class.

    Returns
    -------
    BinaryRates

    Raises
    ------
    MetricError
        If a class has no row or there are more than two.
    """
    return _rates(y_true, y_pred, pos_label, "binary_rates")


def gmean_score(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = 1) -> float:
    """Geometric mean of TPR and TNR; parameters as in `binary_rates`."""
    rates = _rates(y_true, y_pred, pos_label, "gmean_score")
    return math.sqrt(rates.true_positive_rate * rates.true_negative_rate)


def balanced_accuracy(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = 1) -> float:
    """Arithmetic mean of TPR and TNR; parameters as in `binary_rates`."""
    rates = _rates(y_true, y_pred, pos_label, "balanced_accuracy")
    return (rates.true_positive_rate + rates.true_negative_rate) / 2


def f1_of_positives(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = 1) -> float:
    """2 TP / (2 TP + FP + FN), 0 where nothing is predicted positive; parameters as in `binary_rates`."""
    positive, predicted = positives(y_true, y_pred, pos_label, "f1_of_positives")
    return float(f1_score(positive, predicted, zero_division=0))


def auc_score(y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1) -> float:
    """Area under the ROC curve, ties counted by half.

    Parameters
    ----------
    y_true : (n,) array_like
    y_score : (n,) array_like
        The higher, the more positive.
    pos_label : label
    """
    positive, _ = positives(y_true, y_true, pos_label, "auc_score")
    require_both_classes(positive, "auc_score")
    scores = np.asarray(y_score, dtype=np.float64)
    if scores.shape != positive.shape or not np.isfinite(scores).all():
        raise MetricError(f"y_score of auc_score must be {positive.shape} and finite, got {scores.shape}")
    return float(roc_auc_score(positive, scores))


def overall_performance_measure(
    y_true: ArrayLike, y_pred: ArrayLike, y_score: ArrayLike | None, *, pos_label: Any = 1
) -> float:
    """OPM: mean of AUC, balanced accuracy, F1, geometric mean, TNR and TPR.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
    y_score : (n,) array_like or None
        Scores of the AUC; None leaves it out and takes the mean of the other five, as the AdaCC authors' program
        also does.
    pos_label : label
    """
    rates = _rates(y_true, y_pred, pos_label, "overall_performance_measure")
    true_positive_rate, true_negative_rate = rates.true_positive_rate, rates.true_negative_rate
    parts = [
        (true_positive_rate + true_negative_rate) / 2,
        f1_of_positives(y_true, y_pred, pos_label=pos_label),
        math.sqrt(true_positive_rate * true_negative_rate),
        true_negative_rate,
        true_positive_rate,
    ]
    if y_score is not None:
        parts.append(auc_score(y_true, y_score, pos_label=pos_label))
    return sum(parts) / len(parts)


def _rates(y_true: ArrayLike, y_pred: ArrayLike, pos_label: Any, owner: str) -> BinaryRates:
    positive, predicted = positives(y_true, y_pred, pos_label, owner)
    require_both_classes(positive, owner)
    return BinaryRates(float(predicted[positive].mean()), float((~predicted[~positive]).mean()))
