"""Compiled exact search for the best cut of every node of a level, on features with any number of values.

Each feature's samples are visited once in ascending order, whatever the number of nodes; each node keeps the
class masses that it has seen so far (Mehta, Agrawal, Rissanen, "SLIQ", 1996). It finds what the histograms
find, so that both may be used on the same data.
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel

GINI, ENTROPY, EXPECTED_COST = range(3)


@kernel
def _times_log(mass: float) -> float:
    return mass * np.log(mass) if mass > 0.0 else 0.0


@kernel
def _cut_score(
    left: np.ndarray,
    totals: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
) -> float:
    """Sum of the scores of both sides as `histogram_kernels` computes it; minus infinity if one is empty."""
    n_classes = totals.shape[0]
    mass = 0.0
    other_mass = 0.0
    score = 0.0
    other_score = 0.0
    if impurity == EXPECTED_COST:
        score = -np.inf
        other_score = -np.inf
        for label in range(n_classes):
            cost = 0.0
            other_cost = 0.0
            for k in range(n_classes):
                cost += costs[k, label] * left[k]
                other_cost += costs[k, label] * (totals[k] - left[k])
            score = max(score, -cost)
            other_score = max(other_score, -other_cost)
    for k in range(n_classes):
        here = left[k]
        there = totals[k] - here
        mass += total_factors[k] * here
        other_mass += total_factors[k] * there
        if impurity == GINI:
            score += (factors[k] * here) * (factors[k] * here)
            other_score += (factors[k] * there) * (factors[k] * there)
        elif impurity == ENTROPY:
            score += _times_log(factors[k] * here)
            other_score += _times_log(factors[k] * there)
    if not mass * other_mass > 0.0:
        return -np.inf
    if impurity == GINI:
        return (score * other_mass + other_score * mass) / (mass * other_mass)
    if impurity == ENTROPY:
        return (score - _times_log(mass)) + (other_score - _times_log(other_mass))
    return score + other_score


@kernel
def search_presorted(
    features: np.ndarray,
    bins: np.ndarray,
    order: np.ndarray,
    node_of_sample: np.ndarray,
    allowed: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    best_score: np.ndarray,
    best_cut: np.ndarray,
) -> None:
    """Best cut of every node of a level among some features.

    Parameters
    ----------
    features : (n,) int64
        Ascending; the first wins a tie, and its first cut.
    bins, order : (F, N)
        Values of the samples as ranks, and the samples in ascending order of them.
    node_of_sample : (N,) int32
        -1 for the samples of nodes that are not searched.
    allowed : (n_nodes, F) bool
        The features that a node chooses from.
    labels, weights : (N,) int64, (N,) float64
    masses : (n_nodes, K) float64
    best_score, best_cut : (n_nodes,) float64, (n_nodes, 3) int32
        What has to be beaten; and outputs: feature, cut, first bin above the cut.
    """
    n_nodes, n_classes = masses.shape
    left = np.empty((n_nodes, n_classes), np.float64)
    previous = np.empty(n_nodes, np.int64)
    for feature in features:
        column = bins[feature]
        left[:] = 0.0
        previous[:] = -1
        for sample in order[feature]:
            node = node_of_sample[sample]
            weight = weights[sample]
            if node < 0 or weight == 0.0 or not allowed[node, feature]:
                continue
            value = np.int64(column[sample])
            if value != previous[node]:
                if previous[node] >= 0:
                    score = _cut_score(left[node], masses[node], impurity, factors, total_factors, costs)
                    if score > best_score[node]:
                        best_score[node] = score
                        best_cut[node, 0] = feature
                        best_cut[node, 1] = previous[node] + 1
                        best_cut[node, 2] = value
                previous[node] = value
            left[node, labels[sample]] += weight
