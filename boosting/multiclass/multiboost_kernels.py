"""Compiled search of MultiBoost's pool for the learner of least loss."""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def pool_losses(pool: np.ndarray, weights: np.ndarray, losses: np.ndarray) -> None:
    """losses[p] = sum over the rows of the weight of the label that learner p predicts.

    Parameters
    ----------
    pool : (P, n) uint8
        Class codes predicted.
    weights : (n, K) float64
    losses : (P,) float64
        Output.
    """
    for p in range(pool.shape[0]):
        predicted = pool[p]
        total = 0.0
        for i in range(predicted.shape[0]):
            total += weights[i, predicted[i]]
        losses[p] = total
