"""Compiled parts of the tree grower that both searches share: nodes' scores, their samples' partition, leaves."""

from __future__ import annotations

import numpy as np

from ..compilation import kernel

GINI, ENTROPY, EXPECTED_COST = range(3)
TIE = 1e-12  # relative difference of the costs of two labels that is rounding


@kernel
def node_scores(
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    scores: np.ndarray,
    scales: np.ndarray,
) -> None:
    """Score of every node (n, K) as a single side of a split, and the mass that its gain is divided by."""
    n_classes = masses.shape[1]
    for node in range(masses.shape[0]):
        scaled = 0.0
        score = 0.0
        for k in range(n_classes):
            scaled += total_factors[k] * masses[node, k]
        if impurity == EXPECTED_COST:
            score = -np.inf
            for label in range(n_classes):
                cost = 0.0
                for k in range(n_classes):
                    cost += costs[k, label] * masses[node, k]
                score = max(score, -cost)
        else:
            for k in range(n_classes):
                mass = factors[k] * masses[node, k]
                if impurity == GINI:
                    score += mass * mass
                elif mass > 0.0:
                    score += mass * np.log(mass)
            if impurity == GINI and scaled > 0.0:
                score /= scaled
            elif impurity == ENTROPY and scaled > 0.0:
                score -= scaled * np.log(scaled)
        scores[node] = score
        scales[node] = scaled


@kernel
def split_nodes(
    bins: np.ndarray,
    nodes: np.ndarray,
    features: np.ndarray,
    cuts: np.ndarray,
    class_starts: np.ndarray,
    samples: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    child_starts: np.ndarray,
    child_masses: np.ndarray,
) -> None:
    """Move the samples of each node that lie below its cut to its front, keeping the order of either part.

    Parameters
    ----------
    bins : (F, N)
    nodes, features, cuts : (n,) int64
    class_starts : (n_nodes, K + 1) int64
        Where the classes of every node begin.
    samples, rows, weights : (N,)
        Reordered.
    child_starts, child_masses : (2 n, K + 1) int64, (2 n, K) float64
        Outputs; the left child of the m-th node is row 2 m.
    """
    n_classes = class_starts.shape[1] - 1
    largest = 0
    for m in range(nodes.shape[0]):
        largest = max(largest, class_starts[nodes[m], n_classes] - class_starts[nodes[m], 0])
    right_samples = np.empty(largest, samples.dtype)
    right_rows = np.empty(largest, rows.dtype)
    right_weights = np.empty(largest, weights.dtype)
    child_masses[:] = 0.0
    for m in range(nodes.shape[0]):
        column = bins[features[m]]
        cut = cuts[m]
        starts = class_starts[nodes[m]]
        left, right = 2 * m, 2 * m + 1
        to_left = starts[0]
        n_right = 0
        for k in range(n_classes):
            child_starts[left, k] = to_left
            child_starts[right, k] = n_right
            for p in range(starts[k], starts[k + 1]):
                sample = samples[p]
                if column[sample] < cut:
                    samples[to_left] = sample
                    rows[to_left] = rows[p]
                    weights[to_left] = weights[p]
                    child_masses[left, k] += weights[p]
                    to_left += 1
                else:
                    right_samples[n_right] = sample
                    right_rows[n_right] = rows[p]
                    right_weights[n_right] = weights[p]
                    child_masses[right, k] += weights[p]
                    n_right += 1
        child_starts[left, n_classes] = to_left
        child_starts[right, n_classes] = n_right
        for k in range(n_classes + 1):
            child_starts[right, k] += to_left
        samples[to_left : to_left + n_right] = right_samples[:n_right]
        rows[to_left : to_left + n_right] = right_rows[:n_right]
        weights[to_left : to_left + n_right] = right_weights[:n_right]


@kernel
def make_leaves(
    nodes: np.ndarray,
    height: int,
    position: np.ndarray,
    class_starts: np.ndarray,
    samples: np.ndarray,
    masses: np.ndarray,
    costs: np.ndarray,
    leaf_label: np.ndarray,
    leaf_mass: np.ndarray,
    leaf_of_sample: np.ndarray,
) -> None:
    """Give the leaves below nodes that are not split the label of least cost; samples go right from there.

    Parameters
    ----------
    nodes : (m,) int64
    height : int
        Split levels that the tree has left below them.
    position, class_starts, masses : (n,), (n, K + 1), (n, K)
        See `tree_level.Level`.
    samples : (N,) uint32
    costs : (K, K) float64
        Of a leaf of class k (row) that says l (column).
    leaf_label, leaf_mass, leaf_of_sample : (2^D,) uint8, (2^D, K) float64, (N,) int32
        Outputs.
    """
    n_classes = masses.shape[1]
    expected = np.empty(n_classes)
    for m in range(nodes.shape[0]):
        node = nodes[m]
        total = max(masses[node].sum(), 1.0)
        n_present = 0
        expected[:] = 0.0
        for k in range(n_classes):
            mass = masses[node, k]
            if mass > 0.0:
                n_present += 1
                for label in range(n_classes):
                    expected[label] += mass / total * costs[k, label]
        if n_present == 1:
            cheapest = int(np.argmax(masses[node]))
        else:
            bar = expected.min() + TIE * expected.max()
            cheapest = 0
            while expected[cheapest] > bar:
                cheapest += 1
        first, last = position[node] << height, (position[node] + 1) << height
        leaf_label[first:last] = cheapest
        for leaf in range(first, last):
            leaf_mass[leaf] = masses[node]
        for p in range(class_starts[node, 0], class_starts[node, n_classes]):
            leaf_of_sample[samples[p]] = last - 1
