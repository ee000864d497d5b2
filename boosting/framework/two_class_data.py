"""Checks that all parts of the framework make: two classes, one of them positive, and costs of its errors."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from ..row_values import check_costs
from .records import Array, Cost


def check_at_most_two_classes(labels: NDArray[Any], owner: str) -> None:
    """Refuse a third class, in the words that scikit-learn looks for."""
    n_classes = len(np.unique(labels))
    if n_classes > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(labels)}: "
            f"y of {owner} must have 2 classes, got {n_classes} classes"
        )


def find_classes(
    labels: NDArray[Any], weights: Array, pos_label: Any, owner: str, method: str
) -> tuple[NDArray[Any], int]:
    """The two classes, sorted, and the index of the positive one.

    The positive class is `pos_label`, or if that is None the lighter of the two, the second on a tie.

    Raises
    ------
    ValueError
        If there are not two classes, or `pos_label` is none of them.
    """
    check_at_most_two_classes(labels, f"{owner}.{method}")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y of {owner}.{method} must have 2 classes among the rows of positive weight, got 1 class: "
            f"{classes[0]!r}"
        )
    if pos_label is None:
        masses = np.bincount(codes, weights=weights)
        return classes, 0 if masses[0] < masses[1] else 1
    found = np.flatnonzero(classes == pos_label)
    if not len(found):
        raise ValueError(
            f"pos_label of {owner} must be one of the classes {classes.tolist()}, got {pos_label!r}"
        )
    return classes, int(found[0])


def checked_cost(
    estimator: Any, name: str, given: Any, n_rows: int, method: str, *, allow_zero: bool = True
) -> Cost:
    """The cost that a call gives, or else the parameter of the estimator.

    Raises
    ------
    ValueError
        If it is not finite, negative, or has not an entry a row; or if the parameter is no single number.
    """
    owner = type(estimator).__name__
    if given is not None:
        return check_costs(name, given, n_rows, f"{owner}.{method}", allow_zero=allow_zero)
    parameter = getattr(estimator, name)
    if np.ndim(parameter):
        raise ValueError(
            f"{name} of {owner} must be one number, got {type(parameter).__name__} of shape "
            f"{np.shape(parameter)}; give the costs of single records to {method}"
        )
    return check_costs(name, parameter, n_rows, owner, allow_zero=allow_zero)


def check_some_cost(positive: NDArray[np.bool_], cost_fn: Cost, cost_fp: Cost, owner: str) -> None:
    """Refuse costs that are zero for every record: then nothing tells a good decision from a bad one."""
    if not np.where(positive, cost_fn, cost_fp).any():
        raise ValueError(
            f"cost_fn and cost_fp of {owner} must not all be zero, the cost of every record is 0"
        )


def check_choice(estimator: Any, name: str, allowed: tuple[Any, ...]) -> None:
    """Refuse a parameter that is none of the allowed values."""
    value = getattr(estimator, name)
    if not any(value is choice or value == choice for choice in allowed):
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} of {type(estimator).__name__} must be one of {choices}, got {value!r}")


def check_fraction(estimator: Any, name: str) -> None:
    """Refuse a parameter that is no share between 0 and 1."""
    value = getattr(estimator, name)
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < 1:
        raise ValueError(f"{name} of {type(estimator).__name__} must lie between 0 and 1, got {value!r}")


def check_number(estimator: Any, name: str, smallest: int = 1) -> None:
    """Refuse a parameter that is no integer from `smallest` up."""
    value = getattr(estimator, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < smallest:
        raise ValueError(
            f"{name} of {type(estimator).__name__} must be an integer >= {smallest}, got {value!r}"
        )
