"""Compiled passes over the weights of wrong labels in AdaBoost.M2.

A learner's class shares are given once a leaf: the row i is in leaf ``leaves[i]``, whose shares are
``shares[leaf]``, and h(x_i, k) = shares[leaves[i], k].
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def mislabel_loss(weights: np.ndarray, codes: np.ndarray, leaves: np.ndarray, shares: np.ndarray) -> float:
    """Pseudo-loss: half the sum of D(i, k) (1 - h(x_i, y_i) + h(x_i, k)).

    Parameters
    ----------
    weights : (n, K) float64
        D; 0 for the right label.
    codes : (n,) int64
    leaves : (n,) int64
    shares : (n_leaves, K) float64
    """
    total = 0.0
    for i in range(weights.shape[0]):
        of_leaf = shares[leaves[i]]
        own = 1.0 - of_leaf[codes[i]]
        loss = 0.0
        for k in range(weights.shape[1]):
            loss += weights[i, k] * (own + of_leaf[k])
        total += loss
    return 0.5 * total


@kernel
def multiply_mislabels(
    log_weights: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    leaves: np.ndarray,
    shares: np.ndarray,
    alpha: float,
) -> float:
    """Multiply D(i, k) by exp(-alpha/2 (1 + h(x_i, y_i) - h(x_i, k))), its logarithm too; return the sum."""
    n_classes = weights.shape[1]
    of_right = np.exp(-0.5 * alpha * (1.0 + shares))
    of_wrong = np.exp(0.5 * alpha * shares)
    total = 0.0
    for i in range(weights.shape[0]):
        leaf = leaves[i]
        right = of_right[leaf, codes[i]]
        log_right = -0.5 * alpha * (1.0 + shares[leaf, codes[i]])
        row_total = 0.0
        for k in range(n_classes):
            weights[i, k] *= right * of_wrong[leaf, k]
            log_weights[i, k] += log_right + 0.5 * alpha * shares[leaf, k]
            row_total += weights[i, k]
        total += row_total
    return total
