"""Compiled root of the step equation that three exponential losses share (see `exponential_step`)."""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def balance_and_slope(
    step: float, wrong_1: float, wrong_2: float, right_1: float, right_2: float, rate_1: float, rate_2: float
) -> tuple[float, float]:
    """Log of (pull of the wrong rows / pull of the right rows) at `step`, and its derivative.

    The first four arguments are logarithms of ``rate * weight`` (minus infinity for an empty part).
    """
    a = wrong_1 + rate_1 * step
    b = wrong_2 + rate_2 * step
    c = right_1 - rate_1 * step
    d = right_2 - rate_2 * step
    wrong_top = max(a, b)
    right_top = max(c, d)
    a = np.exp(a - wrong_top)
    b = np.exp(b - wrong_top)
    c = np.exp(c - right_top)
    d = np.exp(d - right_top)
    value = wrong_top - right_top + np.log((a + b) / (c + d))
    slope = (rate_1 * a + rate_2 * b) / (a + b) + (rate_1 * c + rate_2 * d) / (c + d)
    return value, slope


@kernel
def solve_step(
    wrong_1: float, wrong_2: float, right_1: float, right_2: float, rate_1: float, rate_2: float, start: float
) -> float:
    """Root of `balance_and_slope`: Newton's method inside a shrinking bracket.

    The function increases with a slope between twice the smaller and twice the larger rate, which gives the
    first bracket, and it is nearly linear, so that three or four iterations suffice.
    """
    value, slope = balance_and_slope(0.0, wrong_1, wrong_2, right_1, right_2, rate_1, rate_2)
    if value == 0.0 or not np.isfinite(value):
        return 0.0 if value == 0.0 else -value  # no wrong weight at all: +inf; no right weight: -inf
    near = -value / (2.0 * max(rate_1, rate_2))
    far = -value / (2.0 * min(rate_1, rate_2))
    low = min(near, far)
    high = max(near, far)
    step = min(max(start, low), high)
    for _ in range(100):
        value, slope = balance_and_slope(step, wrong_1, wrong_2, right_1, right_2, rate_1, rate_2)
        if value > 0.0:
            high = step
        elif value < 0.0:
            low = step
        else:
            break
        following = step - value / slope
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - step) <= 4e-16 * abs(step):
            step = following
            break
        step = following
    return step


@kernel
def search_class_rates(
    left_positive: np.ndarray,
    left_negative: np.ndarray,
    total_positive: float,
    total_negative: float,
    positive_rate: float,
    negative_rate: float,
    best_loss: float,
    best_step: float,
) -> tuple[int, int, float, float]:
    """The split and polarity of least CS-AdaBoost loss among the cumulative class weights of one feature.

    Parameters
    ----------
    left_positive, left_negative : (n,) float64
        Weight of either class on the left of each candidate threshold.
    total_positive, total_negative, positive_rate, negative_rate : float
        ``T_1, T_2, C_1, C_2`` of the paper's equations 13 and 14.
    best_loss, best_step : float
        Of the features searched before; only a smaller loss replaces them.

    Returns
    -------
    tuple
        Candidate (-1: none is better), polarity of the right side (+1 or -1), loss, step.
    """
    best = -1
    best_polarity = 0
    best_miss = np.inf  # wrong positive and wrong negative weight of the best candidate
    best_alarm = np.inf
    for candidate in range(left_positive.shape[0]):
        for polarity in (1, -1):
            if polarity == 1:
                miss = left_positive[candidate]
                alarm = total_negative - left_negative[candidate]
            else:
                miss = total_positive - left_positive[candidate]
                alarm = left_negative[candidate]
            if miss >= best_miss and alarm >= best_alarm:
                continue  # the loss grows with both
            hit = total_positive - miss
            quiet = total_negative - alarm
            if positive_rate * miss + negative_rate * alarm >= positive_rate * hit + negative_rate * quiet:
                continue  # its step would not be positive
            step = solve_step(
                np.log(positive_rate * miss),
                np.log(negative_rate * alarm),
                np.log(positive_rate * hit),
                np.log(negative_rate * quiet),
                positive_rate,
                negative_rate,
                best_step,
            )
            loss = 0.0  # of a stump without an error: its step is infinite
            if step < np.inf:
                loss = (
                    miss * np.exp(positive_rate * step)
                    + hit * np.exp(-positive_rate * step)
                    + alarm * np.exp(negative_rate * step)
                    + quiet * np.exp(-negative_rate * step)
                )
            if loss < best_loss:
                best_loss = loss
                best_step = step
                best = candidate
                best_polarity = polarity
                best_miss = miss
                best_alarm = alarm
    return best, best_polarity, best_loss, best_step
