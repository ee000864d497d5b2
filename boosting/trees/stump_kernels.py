"""Compiled search for the best single cut: class histograms of binned columns, scans of sorted ones.

Weights are 64-bit integers, so that the masses on either side of a cut do not depend on the order of the rows;
cuts that differ by rounding only count as ties, of which the first candidate wins.

The kinds of impurity are numbered as in `split_criterion.IMPURITIES`. A cut is judged by its goodness, the
part of minus the impurity that depends on the cut, summed over its two sides:

    gini           sum a_k^2 / t
    entropy        sum a_k ln a_k - t ln t
    expected cost  -min_j sum_k W_k E(k, j)

with a_k = f_k W_k the scaled class masses of the side and t = sum g_k W_k their total.
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def put_into_bins(column: np.ndarray, thresholds: np.ndarray, bins: np.ndarray) -> None:
    """bins[i] = number of the ascending thresholds (at most 255) below column[i]: bisection without jumps."""
    padded = np.full(256, np.inf)
    padded[: thresholds.shape[0]] = thresholds
    for i in range(column.shape[0]):
        value = column[i]
        below = 0
        for step in (128, 64, 32, 16, 8, 4, 2, 1):
            below += step * (padded[below + step - 1] < value)
        bins[i] = below


@kernel
def accumulate_histograms(codes: np.ndarray, weights: np.ndarray, histograms: np.ndarray) -> None:
    """Sum the weights of equal codes, column by column (two at a time share the reading of the weights).

    Parameters
    ----------
    codes : (F, N) unsigned integers
        Bin times the number of classes, plus the class.
    weights : (N,) int64
    histograms : (F, n_codes) int64
        Overwritten.
    """
    histograms[:] = 0
    n_columns, n_rows = codes.shape
    for first in range(0, n_columns - 1, 2):
        codes_1 = codes[first]
        codes_2 = codes[first + 1]
        histogram_1 = histograms[first]
        histogram_2 = histograms[first + 1]
        for i in range(n_rows):
            weight = weights[i]
            histogram_1[codes_1[i]] += weight
            histogram_2[codes_2[i]] += weight
    if n_columns % 2 == 1:
        codes_1 = codes[n_columns - 1]
        histogram_1 = histograms[n_columns - 1]
        for i in range(n_rows):
            histogram_1[codes_1[i]] += weights[i]


@kernel
def sum_by_class(labels: np.ndarray, weights: np.ndarray, masses: np.ndarray) -> None:
    """Add the weights (N,) int64 to the masses (K,) int64 of their rows' classes."""
    for i in range(labels.shape[0]):
        masses[labels[i]] += weights[i]


@kernel
def goodness(
    masses: np.ndarray, kind: int, factors: np.ndarray, total_factors: np.ndarray, costs: np.ndarray
) -> float:
    """Goodness of one side with integer class masses (K,); see the head of the module."""
    n_classes = masses.shape[0]
    if kind == 2:
        least = np.inf
        for label in range(n_classes):
            cost = 0.0
            for k in range(n_classes):
                cost += masses[k] * costs[k, label]
            least = min(least, cost)
        return -least
    total = 0.0
    value = 0.0
    for k in range(n_classes):
        mass = factors[k] * masses[k]
        total += total_factors[k] * masses[k]
        if kind == 0:
            value += mass * mass
        elif mass > 0.0:
            value += mass * np.log(mass)
    if total <= 0.0:
        return 0.0
    return value / total if kind == 0 else value - total * np.log(total)


@kernel
def _goodness_of_two(
    mass_0: int, mass_1: int, kind: int, factors: np.ndarray, total_factors: np.ndarray, costs: np.ndarray
) -> float:
    """`goodness` for two classes without an array: the same operations in the same order."""
    if kind == 2:
        cost_0 = 0.0 + mass_0 * costs[0, 0] + mass_1 * costs[1, 0]
        cost_1 = 0.0 + mass_0 * costs[0, 1] + mass_1 * costs[1, 1]
        return -min(cost_0, cost_1)
    first = factors[0] * mass_0
    second = factors[1] * mass_1
    total = total_factors[0] * mass_0 + total_factors[1] * mass_1
    if total <= 0.0:
        return 0.0
    if kind == 0:
        return (first * first + second * second) / total
    value = 0.0
    if first > 0.0:
        value += first * np.log(first)
    if second > 0.0:
        value += second * np.log(second)
    return value - total * np.log(total)


@kernel
def search_histograms(
    histograms: np.ndarray,
    n_bins: np.ndarray,
    totals: np.ndarray,
    kind: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    slack: float,
    best_left: np.ndarray,
) -> tuple[int, int, float]:
    """Best cut between bins.

    Parameters
    ----------
    histograms : (F, max_bins, K) int64
    n_bins : (F,) int64
        Number of bins of each column.
    totals : (K,) int64
        Mass of every class.
    kind, factors, total_factors, costs
        Of the goodness.
    slack : float
        A later cut must be better by more than this: differences of rounding are ties.
    best_left : (K,) int64
        Receives the class masses on the left of the cut.

    Returns
    -------
    tuple
        Column, last bin on the left, goodness; (-1, -1, -inf) if no column has two bins.
    """
    n_classes = totals.shape[0]
    left = np.zeros(n_classes, dtype=np.int64)
    right = np.zeros(n_classes, dtype=np.int64)
    best = -np.inf
    best_column = -1
    best_bin = -1
    for column in range(n_bins.shape[0]):
        left[:] = 0
        for cut in range(n_bins[column] - 1):
            for k in range(n_classes):
                left[k] += histograms[column, cut, k]
                right[k] = totals[k] - left[k]
            if n_classes == 2:
                value = _goodness_of_two(left[0], left[1], kind, factors, total_factors, costs)
                value += _goodness_of_two(right[0], right[1], kind, factors, total_factors, costs)
            else:
                value = goodness(left, kind, factors, total_factors, costs)
                value += goodness(right, kind, factors, total_factors, costs)
            if value > best + slack:
                best = value
                best_column = column
                best_bin = cut
                best_left[:] = left
    return best_column, best_bin, best


@kernel
def search_sorted_of_two(
    orders: np.ndarray,
    ends: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    kind: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    slack: float,
    best_left: np.ndarray,
) -> tuple[int, int, float]:
    """Best cut between distinct values for two classes.

    Parameters
    ----------
    orders : (F, N) int32
        Rows of every column by ascending value.
    ends : (F, N) uint8
        1 where the next row in that order has another value.
    labels : (N,) uint8
    weights : (N,) int64
    totals, kind, factors, total_factors, costs, slack, best_left
        As in `search_histograms`.

    Returns
    -------
    tuple
        Column, position in its order of the last row on the left, goodness.
    """
    n_rows = labels.shape[0]
    best = -np.inf
    best_column = -1
    best_position = -1
    lefts_0 = np.empty(n_rows + 1, dtype=np.int64)
    lefts_1 = np.empty(n_rows + 1, dtype=np.int64)
    positions = np.empty(n_rows + 1, dtype=np.int64)
    for column in range(orders.shape[0]):
        order = orders[column]
        end = ends[column]
        all_left = 0
        left_1 = 0
        n_cuts = 0
        for i in range(n_rows):  # without branches: a slot is overwritten until its cut is complete
            row = order[i]
            weight = weights[row]
            all_left += weight
            left_1 += weight * labels[row]
            lefts_0[n_cuts] = all_left - left_1
            lefts_1[n_cuts] = left_1
            positions[n_cuts] = i
            n_cuts += end[i]
        for cut in range(n_cuts):
            left_0 = lefts_0[cut]
            left_1 = lefts_1[cut]
            value = _goodness_of_two(left_0, left_1, kind, factors, total_factors, costs)
            value += _goodness_of_two(
                totals[0] - left_0, totals[1] - left_1, kind, factors, total_factors, costs
            )
            if value > best + slack:
                best = value
                best_column = column
                best_position = positions[cut]
                best_left[0] = left_0
                best_left[1] = left_1
    return best_column, best_position, best


@kernel
def search_sorted(
    orders: np.ndarray,
    ends: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    kind: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    slack: float,
    best_left: np.ndarray,
) -> tuple[int, int, float]:
    """The same for any number of classes.

    For Gini the sums of squares follow each row, so that a cut costs a constant time; cuts whose running
    value comes within rounding of the best are evaluated anew from the exact masses.
    """
    n_rows = labels.shape[0]
    n_classes = totals.shape[0]
    best = -np.inf
    best_column = -1
    best_position = -1
    left = np.zeros(n_classes, dtype=np.int64)
    right = np.zeros(n_classes, dtype=np.int64)
    all_squares = 0.0
    all_total = 0.0
    for k in range(n_classes):
        all_squares += (factors[k] * totals[k]) ** 2
        all_total += total_factors[k] * totals[k]
    for column in range(orders.shape[0]):
        order = orders[column]
        end = ends[column]
        left[:] = 0
        right[:] = totals
        left_squares = 0.0
        right_squares = all_squares
        left_total = 0.0
        for i in range(n_rows):
            row = order[i]
            k = labels[row]
            weight = weights[row]
            if kind == 0:
                mass = factors[k] * weight
                left_squares += mass * (2.0 * factors[k] * left[k] + mass)
                right_squares -= mass * (2.0 * factors[k] * right[k] - mass)
                left_total += total_factors[k] * weight
            left[k] += weight
            right[k] -= weight
            if end[i] == 0:
                continue
            if kind == 0:
                right_total = all_total - left_total
                if left_total <= 0.0 or right_total <= 1e-6 * all_total:
                    estimate = np.inf  # too small a rest for the running sums
                else:
                    estimate = left_squares / left_total + right_squares / right_total
                if estimate < best - 1e-6 * abs(best):
                    continue
            value = goodness(left, kind, factors, total_factors, costs)
            value += goodness(right, kind, factors, total_factors, costs)
            if value > best + slack:
                best = value
                best_column = column
                best_position = i
                best_left[:] = left
    return best_column, best_position, best
