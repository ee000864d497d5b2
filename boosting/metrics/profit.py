"""Money measures of the applications: campaigns, credit, fraud.

References: Petrides and Verbeke, "Cost-sensitive ensemble learning: a unifying framework", 2022 (the measures of
its experiments).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .labels import Array, MetricError, of_rows, positives, require_both_classes


def net_profit(
    y_true: ArrayLike, y_pred: ArrayLike, *, gain: ArrayLike, expenditure: ArrayLike, pos_label: Any = 1
) -> float:
    """Gain from the positives that are addressed less the expenditure on all that are.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        Positive: responds, is addressed.
    gain : float or (n,) array_like
        What a positive brings when addressed, for example a donation.
    expenditure : float or (n,) array_like
        What addressing a record costs.
    pos_label : label

    Returns
    -------
    float
    """
    gained, spent = _gained_and_spent(y_true, y_pred, gain, expenditure, pos_label, "net_profit")
    return gained - spent


def return_on_investment(
    y_true: ArrayLike, y_pred: ArrayLike, *, gain: ArrayLike, expenditure: ArrayLike, pos_label: Any = 1
) -> float:
    """ROI: `net_profit` divided by the expenditure, 0 where nothing is spent; parameters as there."""
    gained, spent = _gained_and_spent(y_true, y_pred, gain, expenditure, pos_label, "return_on_investment")
    return (gained - spent) / spent if spent != 0 else 0.0


def cost_reduction_percentage(cost: float, cost_without: float) -> float:
    """Cost%: 100 (cost without the campaign - cost) / cost without it.

    Raises
    ------
    MetricError
        If there is no cost without the campaign.
    """
    if not (np.isfinite(cost_without) and cost_without > 0 and np.isfinite(cost)):
        raise MetricError(
            "cost_without of cost_reduction_percentage must be a positive number and cost a number, "
            f"got {cost_without} and {cost}"
        )
    return 100.0 * (cost_without - cost) / cost_without


def caught_amount_percentage(
    y_true: ArrayLike, y_pred: ArrayLike, amounts: ArrayLike, *, pos_label: Any = 1
) -> float:
    """TotF%: share of the amount of all positives (frauds) that is in those predicted positive, in percent.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
    amounts : float or (n,) array_like
        Amount of every record; those of the positives count.
    pos_label : label

    Returns
    -------
    float
    """
    owner = "caught_amount_percentage"
    positive, predicted = positives(y_true, y_pred, pos_label, owner)
    amount = of_rows(amounts, len(positive), "amounts", owner)
    return 100.0 * float(amount[positive & predicted].sum()) / _amount_of_positives(amount[positive], owner)


def caught_amount_percentages_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    amounts: ArrayLike,
    *,
    largest_fpr: Sequence[float] = (0.01, 0.02, 0.03),
    pos_label: Any = 1,
) -> Array:
    """TotF% of the lowest score threshold whose false positive rate stays within each bound.

    Parameters
    ----------
    y_true : (n,) array_like
    y_score : (n,) array_like
        The higher, the more positive; records of equal score are caught together.
    amounts : float or (n,) array_like
    largest_fpr : sequence of float in [0, 1]
    pos_label : label

    Returns
    -------
    (len(largest_fpr),) float64
        In percent.
    """
    owner = "caught_amount_percentages_at_fpr"
    positive, _ = positives(y_true, y_true, pos_label, owner)
    require_both_classes(positive, owner)
    scores = np.asarray(y_score, dtype=np.float64)
    if scores.shape != positive.shape or not np.isfinite(scores).all():
        raise MetricError(f"y_score of {owner} must be {positive.shape} and finite, got {scores.shape}")
    bounds = np.asarray(largest_fpr, dtype=np.float64)
    if bounds.ndim != 1 or not ((bounds >= 0) & (bounds <= 1)).all():
        raise MetricError(f"largest_fpr of {owner} must be rates in [0, 1], got {largest_fpr!r}")
    amount = of_rows(amounts, len(positive), "amounts", owner)
    whole = _amount_of_positives(amount[positive], owner)
    values, group = np.unique(-scores, return_inverse=True)  # best score first
    alarms = np.bincount(group, weights=~positive, minlength=len(values)).cumsum()
    caught = np.bincount(group, weights=amount * positive, minlength=len(values)).cumsum()
    allowed = np.searchsorted(alarms, np.floor(bounds * (~positive).sum() + 1e-9), side="right")
    return 100.0 * np.append(0.0, caught)[allowed] / whole


def maximum_profit_percentage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    expected_profit: ArrayLike,
    expected_loss: ArrayLike,
    pos_label: Any = 1,
) -> float:
    """MaxProfit%: profit from the accepted records as a percentage of the largest possible.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        The positive class is bad (does not repay); records predicted negative are accepted.
    expected_profit : float or (n,) array_like
        What a good record brings when accepted.
    expected_loss : float or (n,) array_like
        What a bad record loses when accepted.
    pos_label : label

    Returns
    -------
    float
        100 (profit of accepted good - loss of accepted bad) / profit of all good.
    """
    owner = "maximum_profit_percentage"
    bad, rejected = positives(y_true, y_pred, pos_label, owner)
    profit = of_rows(expected_profit, len(bad), "expected_profit", owner)
    loss = of_rows(expected_loss, len(bad), "expected_loss", owner)
    largest = float(profit[~bad].sum())
    if not largest > 0:
        raise MetricError(f"expected_profit of {owner} must be positive in sum over the good, got {largest}")
    made = float(profit[~bad & ~rejected].sum() - loss[bad & ~rejected].sum())
    return 100.0 * made / largest


def _gained_and_spent(
    y_true: ArrayLike, y_pred: ArrayLike, gain: ArrayLike, expenditure: ArrayLike, pos_label: Any, owner: str
) -> tuple[float, float]:
    positive, addressed = positives(y_true, y_pred, pos_label, owner)
    gains = of_rows(gain, len(positive), "gain", owner)
    spent = of_rows(expenditure, len(positive), "expenditure", owner)
    return float(gains[positive & addressed].sum()), float(spent[addressed].sum())


def _amount_of_positives(amounts: Array, owner: str) -> float:
    total = float(amounts.sum())
    if not total > 0:
        raise MetricError(f"amounts of {owner} must be positive in sum over the positives, got {total}")
    return total
