"""Where to cut a score by cost: the theoretical threshold, or the best one on records held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .node_tree import TIE
from .records import Array, Cost, Records


def theoretical_threshold(cost_fn: Cost, cost_fp: Cost) -> Array:
    """T_cs = C_FP/(C_FP + C_FN): a probability above it makes the positive label the cheaper one (Elkan 2001).

    1, which nothing exceeds, where no error costs anything.
    """
    false_positive, false_negative = (
        np.asarray(cost_fp, dtype=np.float64),
        np.asarray(cost_fn, dtype=np.float64),
    )
    total = false_positive + false_negative
    return np.where(total > 0, false_positive / np.where(total > 0, total, 1.0), 1.0)


def least_expected_cost(probability: Array, cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
    """Where (n,) the positive label costs less in expectation; a tie is negative."""
    return np.asarray(probability * cost_fn > (1.0 - probability) * cost_fp * (1.0 + TIE))


def cheapest_threshold(candidates: ArrayLike, scores: Array, records: Records) -> float:
    """The threshold above which scores are called positive at the least cost, the lowest of those that tie.

    Parameters
    ----------
    candidates : (m,) array_like
        The scores that occurred in training.
    scores : (n,) float64
        Of the records.
    records : Records
        Held out.

    Returns
    -------
    float
    """
    thresholds = np.unique(np.asarray(candidates, dtype=np.float64))
    order = np.argsort(scores, kind="stable")
    costs = records.mass * records.costs
    signed = np.where(records.positive, costs, -costs)[order]
    # A record at or below the threshold is called negative: positive ones cost C_FN, negative ones no more C_FP.
    gained = np.concatenate([[0.0], np.cumsum(signed)])
    total = gained[np.searchsorted(scores[order], thresholds, side="right")] + costs[~records.positive].sum()
    least, scale = total.min(), costs.sum()
    return float(thresholds[np.argmax(total <= least + TIE * scale)])
