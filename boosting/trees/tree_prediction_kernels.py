"""Compiled descent of complete trees, on bins or on values.

`feature` and `threshold` are (T, 2^D - 1) in heap order, the samples are the columns of `values` (F, N); a sample
goes left iff its value is smaller than the threshold.
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel


@kernel
def _leaf(feature: np.ndarray, threshold: np.ndarray, values: np.ndarray, sample: int) -> int:
    n_nodes = feature.shape[0]
    node = 0
    while node < n_nodes:
        node = 2 * node + (1 if values[feature[node], sample] < threshold[node] else 2)
    return node - n_nodes


@kernel
def find_leaves(
    feature: np.ndarray, threshold: np.ndarray, values: np.ndarray, begin: int, end: int, leaves: np.ndarray
) -> None:
    """leaves[t, i] = leaf of tree t that sample i falls into, for i in begin .. end - 1."""
    for t in range(feature.shape[0]):
        for i in range(begin, end):
            leaves[t, i] = _leaf(feature[t], threshold[t], values, i)


@kernel
def add_votes(
    feature: np.ndarray,
    threshold: np.ndarray,
    leaf_label: np.ndarray,
    beta: np.ndarray,
    values: np.ndarray,
    begin: int,
    end: int,
    votes: np.ndarray,
) -> None:
    """votes[k, i] += sum of beta over the trees that say k, for i in begin .. end - 1."""
    for t in range(feature.shape[0]):
        for i in range(begin, end):
            votes[leaf_label[t, _leaf(feature[t], threshold[t], values, i)], i] += beta[t]


@kernel
def trace_scores(
    feature: np.ndarray,
    threshold: np.ndarray,
    leaf_label: np.ndarray,
    cost_steps: np.ndarray,
    values: np.ndarray,
    begin: int,
    end: int,
    traces: np.ndarray,
) -> None:
    """traces[t, i] = c_0 - min_k>0 c_k after tree t; cost_steps[t, h] is what label h adds to the costs c."""
    n_classes = cost_steps.shape[2]
    costs = np.zeros((end - begin, n_classes))
    for t in range(feature.shape[0]):
        for i in range(begin, end):
            step = cost_steps[t, leaf_label[t, _leaf(feature[t], threshold[t], values, i)]]
            own = costs[i - begin]
            least = np.inf
            own[0] += step[0]
            for k in range(1, n_classes):
                own[k] += step[k]
                least = min(least, own[k])
            traces[t, i] = own[0] - least
