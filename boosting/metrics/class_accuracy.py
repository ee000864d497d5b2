"""Accuracy class by class, for any number of classes.

References: Feng, Huang, Ren, "Class imbalance ensemble learning based on the margin theory", 2018 (equation 8).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .labels import Array, paired_labels


def class_recalls(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    """Share of the rows of each class that is recognised.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like

    Returns
    -------
    (L,) float64
        In the order of the sorted classes of `y_true`; a class that is only predicted has no recall.
    """
    right, of_class, _ = _counts(y_true, y_pred, "class_recalls")
    return right / of_class


def class_precisions(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    """Share of the rows predicted as each class that are of it, 0 for a class never predicted.

    Parameters and order as in `class_recalls`.
    """
    right, _, predicted = _counts(y_true, y_pred, "class_precisions")
    return right / np.maximum(predicted, 1)


def average_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Mean of the recalls of the classes; for two classes the balanced accuracy."""
    right, of_class, _ = _counts(y_true, y_pred, "average_accuracy")
    return float((right / of_class).mean())


def minimum_class_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """The recall of the class that is recognised worst."""
    right, of_class, _ = _counts(y_true, y_pred, "minimum_class_accuracy")
    return float((right / of_class).min())


def mean_f_measure(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """F-measure of the mean recall R and the mean precision P over the classes, 2 R P / (R + P).

    This is equation 8 of the margin bagging paper: the F of the means, not the mean of the F. It is 0 where no
    prediction is right.
    """
    right, of_class, predicted = _counts(y_true, y_pred, "mean_f_measure")
    recall = float((right / of_class).mean())
    precision = float((right / np.maximum(predicted, 1)).mean())
    return 2 * recall * precision / (recall + precision) if recall > 0 else 0.0


def _counts(
    y_true: ArrayLike, y_pred: ArrayLike, owner: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Per class of `y_true`: rows recognised, rows of the class, rows predicted as the class."""
    truth, predicted = paired_labels(y_true, y_pred, owner)
    classes, codes = np.unique(truth, return_inverse=True)
    right = np.bincount(codes[truth == predicted], minlength=len(classes))
    answers = np.array([np.count_nonzero(predicted == label) for label in classes])
    return right, np.bincount(codes), answers
