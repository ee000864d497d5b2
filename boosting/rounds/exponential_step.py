"""The step length of boosting with an exponential loss whose rate depends on the class.

CS-AdaBoost (Masnadi-Shirazi and Vasconcelos 2011; equations 13 and 14 of the BAdaCost paper), AdaUBoost
(Karakoulas and Shawe-Taylor 1998) and PIBoost (Fernandez-Baldera and Baumela 2014) all minimise

    sum_i  wrong_i exp(rate_i a) + right_i exp(-rate_i a),        i = 1, 2

over the step a, where i is the side (class, or separator) of a row and wrong_i, right_i are the weights of
the rows that the weak learner gets wrong and right there. The derivative increases: its root is unique.
They differ in what the rates are: the costs (C_FN, C_FP), (C_FP/C_FN, 1), (K - s, s).
"""

from __future__ import annotations

import math

from .exponential_step_kernels import solve_step


def exponential_step(
    wrong: tuple[float, float], right: tuple[float, float], rates: tuple[float, float]
) -> float:
    """Minimiser of the exponential loss with one rate a side.

    Parameters
    ----------
    wrong, right : tuple of 2 float >= 0
        Weight of the wrongly and rightly predicted rows of either side; not all four may be zero.
    rates : tuple of 2 float > 0

    Returns
    -------
    float
        Positive iff ``sum(rates * wrong) < sum(rates * right)``; infinite if nothing is wrong (or right).

    Raises
    ------
    ValueError
        If a rate is not a positive number, a weight is negative, or all weights are zero.
    """
    if not all(rate > 0 and math.isfinite(rate) for rate in rates):
        raise ValueError(f"rates of exponential_step must be positive and finite, got {rates}")
    weights = (*wrong, *right)
    if not all(weight >= 0 and math.isfinite(weight) for weight in weights) or not any(weights):
        raise ValueError(
            "wrong and right of exponential_step must be finite weights >= 0, not all zero, "
            f"got wrong={tuple(wrong)}, right={tuple(right)}"
        )
    pulls = [
        math.log(rate) + math.log(weight) if weight > 0 else -math.inf
        for weight, rate in zip(weights, (*rates, *rates), strict=True)
    ]
    if not any(wrong):
        return math.inf
    if not any(right):
        return -math.inf
    return float(solve_step(pulls[0], pulls[1], pulls[2], pulls[3], float(rates[0]), float(rates[1]), 0.0))
