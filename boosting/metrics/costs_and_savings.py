"""What predictions cost, by a cost matrix of classes or by costs of single records.

References: Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", 2018 (mean cost);
Bahnsen, Aouada, Ottersten, "Example-dependent cost-sensitive decision trees", 2015 (savings).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs import validate, zero_one
from .labels import Array, MetricError, of_rows, paired_labels, positives

COLUMNS = ("false positive", "false negative", "true positive", "true negative")


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
) -> float:
    """Mean of C[true, predicted] over the rows.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
    cost_matrix : (K, K) array_like, optional
        C[true, predicted] in the order of `labels`; None is 0|1.
    labels : (K,) array_like, optional
        The classes; None is all that occur, sorted.

    Returns
    -------
    float

    Raises
    ------
    MetricError
        If a label is not one of `labels`.
    """
    truth, predicted = paired_labels(y_true, y_pred, "expected_cost")
    known = np.unique(np.concatenate([truth, predicted])) if labels is None else np.asarray(labels)
    costs = zero_one(max(len(known), 2)) if cost_matrix is None else validate(cost_matrix, len(known))
    codes = _codes(truth, known, "y_true"), _codes(predicted, known, "y_pred")
    return float(costs[codes].mean())


def cost_matrix_predictions(probabilities: ArrayLike, cost_matrix: ArrayLike) -> NDArray[np.intp]:
    """Class of least expected cost for every row, the lowest of those that tie.

    Parameters
    ----------
    probabilities : (n, K) array_like
    cost_matrix : (K, K) array_like
        C[true, predicted].

    Returns
    -------
    (n,) int
    """
    shares = np.asarray(probabilities, dtype=np.float64)
    if shares.ndim != 2 or not np.isfinite(shares).all():
        raise MetricError(
            f"probabilities of cost_matrix_predictions must be (n, K) and finite, got {shares.shape}"
        )
    return np.argmin(shares @ validate(cost_matrix, shares.shape[1]), axis=1)


def record_costs(
    *,
    cost_fn: ArrayLike,
    cost_fp: ArrayLike,
    cost_tp: ArrayLike = 0.0,
    cost_tn: ArrayLike = 0.0,
    n_rows: int,
) -> Array:
    """Costs of the four outcomes of every record as the columns FP, FN, TP, TN.

    Parameters
    ----------
    cost_fn, cost_fp, cost_tp, cost_tn : float or (n,) array_like
    n_rows : int
        n.

    Returns
    -------
    (n, 4) float64
    """
    named = {"cost_fp": cost_fp, "cost_fn": cost_fn, "cost_tp": cost_tp, "cost_tn": cost_tn}
    return np.column_stack([of_rows(value, n_rows, name, "record_costs") for name, value in named.items()])


def total_cost(y_true: ArrayLike, y_pred: ArrayLike, costs: ArrayLike, *, pos_label: Any = 1) -> float:
    """Sum of what the outcomes of the records cost.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        Labels of two classes.
    costs : (n, 4) or (4,) array_like
        Costs of a false positive, false negative, true positive and true negative, for each record or for all.
    pos_label : label
        The positive class.

    Returns
    -------
    float
    """
    positive, predicted = positives(y_true, y_pred, pos_label, "total_cost")
    return _total(positive, predicted, _four_columns(costs, len(positive), "total_cost"))


def savings_score(y_true: ArrayLike, y_pred: ArrayLike, costs: ArrayLike, *, pos_label: Any = 1) -> float:
    """1 less the ratio of the cost to that of the cheaper constant prediction.

    1 is a classifier without cost, 0 one no better than to predict a single class for all.

    Parameters
    ----------
    y_true, y_pred, costs, pos_label
        See `total_cost`.

    Returns
    -------
    float
        nan where the cheaper constant prediction costs nothing.
    """
    positive, predicted = positives(y_true, y_pred, pos_label, "savings_score")
    table = _four_columns(costs, len(positive), "savings_score")
    base = min(_total(positive, np.full(len(positive), answer), table) for answer in (False, True))
    return 1.0 - _total(positive, predicted, table) / base if base != 0 else float("nan")


def _total(positive: NDArray[np.bool_], predicted: NDArray[np.bool_], table: Array) -> float:
    false_positive, false_negative, true_positive, true_negative = table.T
    outcomes = np.where(
        positive,
        np.where(predicted, true_positive, false_negative),
        np.where(predicted, false_positive, true_negative),
    )
    return float(outcomes.sum())


def _four_columns(costs: ArrayLike, n_rows: int, owner: str) -> Array:
    table = np.asarray(costs, dtype=np.float64)
    if table.shape not in ((4,), (n_rows, 4)):
        raise MetricError(
            f"costs of {owner} must be (4,) or ({n_rows}, 4), the columns {', '.join(COLUMNS)}, "
            f"got shape {table.shape}"
        )
    if not np.isfinite(table).all():
        raise MetricError(f"costs of {owner} must be finite")
    return np.broadcast_to(table, (n_rows, 4))


def _codes(values: NDArray[Any], known: NDArray[Any], name: str) -> NDArray[np.intp]:
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known[order], values), len(known) - 1)
    codes = order[place]
    wrong = known[codes] != values
    if wrong.any():
        raise MetricError(
            f"{name} of expected_cost must hold labels of {known.tolist()}, got {values[wrong][0].item()!r}"
        )
    return codes
