"""Compiled parts of a round of BAdaCost: the step length and the weight update."""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def weight_table(
    labels: np.ndarray, predicted: np.ndarray, weights: np.ndarray, n_classes: int
) -> np.ndarray:
    """W (K, K) float64: the weight of the samples of class j that are predicted as k."""
    table = np.zeros((n_classes, n_classes))
    for i in range(labels.shape[0]):
        table[labels[i], predicted[i]] += weights[i]
    return table


@kernel
def reweight(labels: np.ndarray, predicted: np.ndarray, factors: np.ndarray, weights: np.ndarray) -> float:
    """Multiply weights by ``factors[true, predicted]``, normalise them to sum 1, return the former sum."""
    total = 0.0
    for i in range(labels.shape[0]):
        weights[i] *= factors[labels[i], predicted[i]]
        total += weights[i]
    for i in range(labels.shape[0]):
        weights[i] /= total
    return total


@kernel
def _pull(table: np.ndarray, exponents: np.ndarray, sign: float, step: float) -> tuple[float, float]:
    """log of ``sum W |Z| exp(step Z)`` over the entries of Z with the given sign, and its derivative."""
    top = -np.inf
    for j in range(table.shape[0]):
        for k in range(table.shape[0]):
            if table[j, k] > 0.0 and sign * exponents[j, k] > 0.0:
                top = max(top, step * exponents[j, k])
    if top == -np.inf:
        return -np.inf, 0.0
    total = 0.0
    slope = 0.0
    for j in range(table.shape[0]):
        for k in range(table.shape[0]):
            if table[j, k] > 0.0 and sign * exponents[j, k] > 0.0:
                term = table[j, k] * abs(exponents[j, k]) * np.exp(step * exponents[j, k] - top)
                total += term
                slope += term * exponents[j, k]
    return top + np.log(total), slope / total


@kernel
def solve_step(table: np.ndarray, exponents: np.ndarray) -> float:
    """Minimiser of ``sum W(j, k) exp(beta Z(j, k))``: the root of its derivative.

    The logarithm of (pull of the errors / pull of the right answers) increases with beta, with a slope
    between bounds that are known from Z; Newton's method runs inside the bracket that they give.

    Returns
    -------
    float
        Infinite where nothing that costs is predicted wrongly, minus infinite where nothing is right.
    """
    wrong, _ = _pull(table, exponents, 1.0, 0.0)
    right, _ = _pull(table, exponents, -1.0, 0.0)
    if wrong == -np.inf:
        return np.inf
    if right == -np.inf:
        return -np.inf
    slowest_wrong = np.inf
    slowest_right = np.inf
    fastest_wrong = 0.0
    fastest_right = 0.0
    for j in range(table.shape[0]):
        for k in range(table.shape[0]):
            rate = exponents[j, k]
            if table[j, k] > 0.0 and rate > 0.0:
                slowest_wrong = min(slowest_wrong, rate)
                fastest_wrong = max(fastest_wrong, rate)
            elif table[j, k] > 0.0 and rate < 0.0:
                slowest_right = min(slowest_right, -rate)
                fastest_right = max(fastest_right, -rate)
    near = (right - wrong) / (fastest_wrong + fastest_right)
    far = (right - wrong) / (slowest_wrong + slowest_right)
    low = min(near, far)
    high = max(near, far)
    step = near
    for _ in range(200):
        wrong, wrong_slope = _pull(table, exponents, 1.0, step)
        right, right_slope = _pull(table, exponents, -1.0, step)
        value = wrong - right
        if value > 0.0:
            high = step
        elif value < 0.0:
            low = step
        else:
            break
        following = step - value / (wrong_slope - right_slope)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - step) <= 4e-16 * abs(step):
            step = following
            break
        step = following
    return step
