"""Rows of a training table as every classifier of this package takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..row_values import check_sample_weight


@dataclass(frozen=True, eq=False)
class ClassifiedRows:
    """The rows of positive weight.

    Attributes
    ----------
    rows : (n, F) array
    labels : (n,) array
    classes : (K,) array
        The distinct labels, ascending.
    codes : (n,) int64
        Index of the row's class in `classes`.
    weights : (n,) float64 > 0
    """

    rows: NDArray[Any]
    labels: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


def classified_rows(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    ensure_all_finite: bool | str = True,
) -> ClassifiedRows:
    """Check what `fit` of an estimator was given; its number and names of features become attributes.

    Parameters
    ----------
    estimator : estimator
    X : (n, F) array_like
    y : (n,) array_like of class labels
    sample_weight : (n,) array_like >= 0, optional
    ensure_all_finite : bool or "allow-nan"
        See scikit-learn's `validate_data`.

    Raises
    ------
    ValueError
        If X, y or sample_weight breaks its rule; the message names it.
    """
    rows, labels = validate_data(estimator, X, y, ensure_all_finite=ensure_all_finite)
    check_classification_targets(labels)
    weights = check_sample_weight(sample_weight, len(rows), f"{type(estimator).__name__}.fit")
    used = weights > 0
    classes, codes = np.unique(labels[used], return_inverse=True)
    return ClassifiedRows(rows[used], labels[used], classes, codes, weights[used])
