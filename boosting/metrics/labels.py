"""The checks of labels and numbers that all metrics share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class MetricError(ValueError):
    """Labels, predictions, scores or costs that a metric is not defined for."""


def paired_labels(y_true: ArrayLike, y_pred: ArrayLike, owner: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Labels and predictions as 1-D arrays of equal length, at least one."""
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    for name, values in (("y_true", truth), ("y_pred", predicted)):
        if values.ndim != 1 or len(values) == 0:
            raise MetricError(
                f"{name} of {owner} must be (n,) with at least one row, got shape {values.shape}"
            )
    if len(truth) != len(predicted):
        raise MetricError(
            f"y_true and y_pred of {owner} must be of equal length, got {len(truth)} and {len(predicted)}"
        )
    return truth, predicted


def positives(
    y_true: ArrayLike, y_pred: ArrayLike, pos_label: Any, owner: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows are positive and which are predicted so; at most one other label may occur."""
    truth, predicted = paired_labels(y_true, y_pred, owner)
    labels = np.unique(np.concatenate([truth, predicted]))
    others = labels[labels != pos_label]
    if len(others) > 1:
        raise MetricError(
            f"y_true and y_pred of {owner} must hold two classes, the positive one being {pos_label!r}, "
            f"got {[label.item() for label in labels]}"
        )
    return np.asarray(truth == pos_label), np.asarray(predicted == pos_label)


def of_rows(values: ArrayLike, n_rows: int, name: str, owner: str) -> Array:
    """A finite number, or one a row, as (n,) float64."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim > 1 or (numbers.ndim == 1 and len(numbers) != n_rows):
        raise MetricError(f"{name} of {owner} must be a number or ({n_rows},), got shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise MetricError(f"{name} of {owner} must be finite")
    return np.broadcast_to(numbers, n_rows)


def require_both_classes(positive: NDArray[np.bool_], owner: str) -> None:
    """Raise `MetricError` unless there are rows of either class."""
    if positive.all() or not positive.any():
        missing = "negative" if positive.all() else "positive"
        raise MetricError(f"y_true of {owner} must have rows of both classes, got no {missing} row")
