"""Compiled passes over the rows of a two-class booster whose costs are constant in each class.

The four cells are numbered 2 * (row is negative) + (learner says negative).
"""

from __future__ import annotations

import numpy as np

from ..compilation import fast_kernel, kernel


@fast_kernel
def sum_cells(negative: np.ndarray, predicted: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sums (4,) of the weights of each cell.

    Parameters
    ----------
    negative : (n,) uint8
    predicted : (n,) float64
        -1 or +1.
    weights : (n,) float64
    """
    n_rows = weights.shape[0]
    sums = np.zeros(4)
    for begin in range(0, n_rows, 512):  # sums of sums: rounding grows slower than in one long sum
        true_positive = 0.0
        false_negative = 0.0
        false_positive = 0.0
        true_negative = 0.0
        for i in range(begin, min(begin + 512, n_rows)):
            # Products with 0 and 1 instead of branches: exact, and vectorised.
            says_negative = 0.5 - 0.5 * predicted[i]
            of_negative = weights[i] * np.float64(negative[i])
            of_positive = weights[i] - of_negative
            true_positive += of_positive * (1.0 - says_negative)
            false_negative += of_positive * says_negative
            false_positive += of_negative * (1.0 - says_negative)
            true_negative += of_negative * says_negative
        sums[0] += true_positive
        sums[1] += false_negative
        sums[2] += false_positive
        sums[3] += true_negative
    return sums


@kernel
def multiply_cells(
    negative: np.ndarray,
    predicted: np.ndarray,
    log_factors: np.ndarray,
    factors: np.ndarray,
    log_weights: np.ndarray,
    weights: np.ndarray,
) -> float:
    """Multiply the weights by the factor of their cell, add its logarithm to theirs; return their sum."""
    total = 0.0
    for i in range(weights.shape[0]):
        cell = 2 * negative[i] + (predicted[i] < 0)
        log_weights[i] += log_factors[cell]
        weights[i] *= factors[cell]
        total += weights[i]
    return total
