"""How much the members of an ensemble disagree.

References: Kohavi and Wolpert 1996; Kuncheva and Whitaker 2003.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .labels import MetricError


def kw_diversity(y_true: ArrayLike, member_predictions: ArrayLike) -> float:
    """Kohavi-Wolpert variance, 1/(N T^2) times the sum over rows of t (T - t), t of T members being right.

    The margin bagging paper prints a minus sign in its equation 9, but its values are positive.

    Parameters
    ----------
    y_true : (N,) array_like
    member_predictions : (T, N) array_like
        The labels that each member predicts.

    Returns
    -------
    float in [0, 1/4]
        0 iff all members agree on whether each row is right or wrong.

    Raises
    ------
    MetricError
        If the shapes do not fit together.
    """
    truth, predicted = np.asarray(y_true), np.asarray(member_predictions)
    if truth.ndim != 1 or predicted.ndim != 2 or predicted.shape[1] != len(truth) or predicted.size == 0:
        raise MetricError(
            "member_predictions of kw_diversity must be (T, N) for y_true (N,), "
            f"got {predicted.shape} and {truth.shape}"
        )
    n_members = len(predicted)
    right = np.count_nonzero(predicted == truth, axis=0)
    return float((right * (n_members - right)).mean() / n_members**2)
