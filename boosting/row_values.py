"""Checks of what a user gives for every row: sample weights and costs."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def check_sample_weight(sample_weight: Any, n_rows: int, owner: str) -> Array:
    """Weights (n,) float64 >= 0, at least one of them positive; ones if None is given.

    Raises
    ------
    ValueError
        Naming the owner, the rule and the value found.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, sample_weight)
    weights = _as_rows("sample_weight", sample_weight, n_rows, owner)
    _refuse(weights, ~np.isfinite(weights), "sample_weight", "finite", owner)
    _refuse(weights, weights < 0, "sample_weight", ">= 0", owner)
    if not weights.any():
        raise ValueError(f"sample_weight of {owner} must have a positive entry, all {n_rows} are zero")
    return weights


def check_costs(name: str, value: Any, n_rows: int, owner: str, *, allow_zero: bool = False) -> Array | float:
    """A cost for all rows, or one a row (n,): finite and positive (or zero where that has a meaning).

    Raises
    ------
    ValueError
        Naming the argument, the owner, the rule and the value found.
    """
    rule = ">= 0" if allow_zero else "> 0"
    if isinstance(value, Real) and not isinstance(value, bool):
        cost = float(value)
        if not math.isfinite(cost) or cost < 0 or (cost == 0 and not allow_zero):
            raise ValueError(f"{name} of {owner} must be finite and {rule}, got {value!r}")
        return cost
    costs = _as_rows(name, value, n_rows, owner)
    _refuse(costs, ~np.isfinite(costs), name, "finite", owner)
    _refuse(costs, (costs < 0) | ((costs == 0) & (not allow_zero)), name, rule, owner)
    return costs


def _as_rows(name: str, values: Any, n_rows: int, owner: str) -> Array:
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} of {owner} must be numbers, one a row, got {type(values).__name__}: {error}"
        ) from error
    if rows.ndim != 1:
        raise ValueError(f"{name} of {owner} must be a 1D array, one number a row, got shape {rows.shape}")
    if len(rows) != n_rows:
        raise ValueError(f"{name} of {owner} must have one entry a row: X has {n_rows} rows, got {len(rows)}")
    return rows


def _refuse(values: Array, bad: NDArray[np.bool_], name: str, rule: str, owner: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"{name} of {owner} must be {rule}, got {values[row]} in row {row} "
            f"({int(bad.sum())} of {len(values)} rows break the rule)"
        )
