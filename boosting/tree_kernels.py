"""Compiled parts of the tree grower: pack columns, accumulate class histograms, find cuts, split nodes.

Samples are kept sorted by node, inside a node by class, inside a class by their number. Columns are packed in
blocks of `BLOCK` features, sample-major, so that one read fetches the bins of a whole block; and as the samples
of a class are contiguous, the counters in use at a time (`BLOCK` features of one class) fit the first-level cache.
A histogram of a block is laid out (class, feature of the block, bin).
"""

from __future__ import annotations

import numpy as np

from .compilation import kernel

BLOCK = 8
BINS = 256


@kernel
def pack_block(
    bins: np.ndarray, features: np.ndarray, samples: np.ndarray, begin: int, end: int, packed: np.ndarray
) -> None:
    """packed[p, j] = bins[features[j], samples[p]] for p in begin .. end - 1."""
    for j in range(features.shape[0]):
        column = bins[features[j]]
        for p in range(begin, end):
            packed[p, j] = column[samples[p]]


@kernel
def accumulate_block(
    packed: np.ndarray, rows: np.ndarray, weights: np.ndarray, class_starts: np.ndarray, histogram: np.ndarray
) -> None:
    """Class histograms (K, BLOCK, BINS) of one node: the sum of the weights in every bin.

    Parameters
    ----------
    packed : (N, BLOCK) uint8
    rows : (N,) int32
        Row of `packed` of every sample, in the order of the nodes.
    weights : (N,) int64
        In the same order.
    class_starts : (K + 1,) int64
        Where the classes of the node begin in that order.
    """
    histogram[:] = 0
    for k in range(histogram.shape[0]):
        counters = histogram[k]
        for p in range(class_starts[k], class_starts[k + 1]):
            row = packed[rows[p]]
            weight = weights[p]
            counters[0, row[0]] += weight
            counters[1, row[1]] += weight
            counters[2, row[2]] += weight
            counters[3, row[3]] += weight
            counters[4, row[4]] += weight
            counters[5, row[5]] += weight
            counters[6, row[6]] += weight
            counters[7, row[7]] += weight


@kernel
def _impurity_score(
    masses: np.ndarray, impurity: int, factors: np.ndarray, costs: np.ndarray, scaled: bool
) -> float:
    """The part of minus the impurity that changes when a node is split; sums over the two sides."""
    n_classes = masses.shape[0]
    if impurity == 2:
        best = np.inf
        for label in range(n_classes):
            cost = 0.0
            for k in range(n_classes):
                cost += masses[k] * costs[k, label]
            best = min(best, cost)
        return -best
    total = 0.0
    scaled_total = 0.0
    score = 0.0
    for k in range(n_classes):
        mass = factors[k] * masses[k]
        total += masses[k]
        scaled_total += mass
        if impurity == 0:
            score += mass * mass
        elif mass > 0.0:
            score += mass * np.log(mass)
    if scaled:
        total = scaled_total
    if impurity == 0:
        return score / total if total > 0.0 else 0.0
    return score - total * np.log(total) if total > 0.0 else 0.0


@kernel
def search_feature(
    histogram: np.ndarray,
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    costs: np.ndarray,
    scaled: bool,
    best_score: float,
) -> tuple[float, int, int]:
    """The best cut of one feature, if it beats `best_score`.

    Parameters
    ----------
    histogram : (K, BINS) int64
    masses : (K,) int64
        Class masses of the node.

    Returns
    -------
    tuple
        Score, cut (a sample goes left iff its bin is smaller; 0 = none better), first bin with samples at or
        above the cut.
    """
    n_classes = histogram.shape[0]
    left = np.zeros(n_classes, np.int64)
    left_mass = np.empty(n_classes, np.float64)
    right_mass = np.empty(n_classes, np.float64)
    remaining = masses.sum()
    cut = 0
    for b in range(histogram.shape[1] - 1):
        moved = 0
        for k in range(n_classes):
            left[k] += histogram[k, b]
            moved += histogram[k, b]
        if moved == 0:
            continue
        remaining -= moved
        if remaining == 0:
            break
        for k in range(n_classes):
            left_mass[k] = left[k]
            right_mass[k] = masses[k] - left[k]
        score = _impurity_score(left_mass, impurity, factors, costs, scaled) + _impurity_score(
            right_mass, impurity, factors, costs, scaled
        )
        if score > best_score:
            best_score = score
            cut = b + 1
    following = cut
    if cut > 0:
        while True:
            moved = 0
            for k in range(n_classes):
                moved += histogram[k, following]
            if moved > 0:
                break
            following += 1
    return best_score, cut, following


@kernel
def node_score(
    masses: np.ndarray, impurity: int, factors: np.ndarray, costs: np.ndarray, scaled: bool
) -> tuple[float, float]:
    """Score of an unsplit node and the mass that its gain is divided by."""
    n_classes = masses.shape[0]
    as_float = np.empty(n_classes, np.float64)
    total = 0.0
    for k in range(n_classes):
        as_float[k] = masses[k]
        total += factors[k] * masses[k] if scaled else as_float[k]
    return _impurity_score(as_float, impurity, factors, costs, scaled), total


@kernel
def search_block(
    histogram: np.ndarray,
    n_features: int,
    first: int,
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    costs: np.ndarray,
    scaled: bool,
    best_score: np.ndarray,
    best_cut: np.ndarray,
    node: int,
    block: int,
) -> None:
    """Best cut among the features of a block: score, and (feature, cut, following bin)."""
    score = best_score[node, block]
    for j in range(n_features):
        found, cut, following = search_feature(
            histogram[:, j], masses, impurity, factors, costs, scaled, score
        )
        if cut > 0:
            score = found
            best_cut[node, block, 0] = first + j
            best_cut[node, block, 1] = cut
            best_cut[node, block, 2] = following
    best_score[node, block] = score


@kernel
def search_level(
    blocks_begin: int,
    blocks_end: int,
    first_packed: int,
    packed: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    n_features: int,
    work: np.ndarray,
    class_starts: np.ndarray,
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    costs: np.ndarray,
    scaled: bool,
    cache: np.ndarray,
    best_score: np.ndarray,
    best_cut: np.ndarray,
) -> None:
    """Histograms and best cuts of every node of a level, for some blocks of features.

    Parameters
    ----------
    work : (n_items, 6) int64
        node whose samples are counted, whether to search it, slot of the cache to keep its histogram in (or
        -1), node that is the rest of their parent (or -1), whether to search it, slot of the parent's histogram, which
        becomes the rest's.
    class_starts : (n_nodes, K + 1) int64
    masses : (n_nodes, K) int64
    cache : (n_slots, n_blocks, K, BLOCK, BINS) int64
    best_score, best_cut : (n_nodes, n_blocks) float64, (n_nodes, n_blocks, 3) int32
        Outputs; `best_score` holds what has to be beaten.
    """
    n_classes = masses.shape[1]
    histogram = np.empty((n_classes, BLOCK, BINS), np.int64)
    for block in range(blocks_begin, blocks_end):
        first = block * BLOCK
        width = min(BLOCK, n_features - first)
        for item in range(work.shape[0]):
            node, search, slot, rest, search_rest, parent_slot = work[item]
            accumulate_block(packed[block - first_packed], rows, weights, class_starts[node], histogram)
            if search:
                search_block(
                    histogram,
                    width,
                    first,
                    masses[node],
                    impurity,
                    factors,
                    costs,
                    scaled,
                    best_score,
                    best_cut,
                    node,
                    block,
                )
            if rest >= 0:
                difference = cache[parent_slot, block].reshape(-1)
                counted = histogram.reshape(-1)
                for i in range(counted.shape[0]):
                    difference[i] -= counted[i]
                if search_rest:
                    search_block(
                        cache[parent_slot, block],
                        width,
                        first,
                        masses[rest],
                        impurity,
                        factors,
                        costs,
                        scaled,
                        best_score,
                        best_cut,
                        rest,
                        block,
                    )
            if slot >= 0:
                cache[slot, block] = histogram


@kernel
def split_node(
    column: np.ndarray,
    cut: int,
    class_starts: np.ndarray,
    samples: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    left_starts: np.ndarray,
    right_starts: np.ndarray,
    left_masses: np.ndarray,
    right_masses: np.ndarray,
) -> None:
    """Move the samples of a node with ``column[sample] < cut`` to its front, keeping the order of either part.

    `left_starts`, `right_starts` (K + 1,) and `left_masses`, `right_masses` (K,) are outputs.
    """
    n_classes = class_starts.shape[0] - 1
    n_right = 0
    for p in range(class_starts[0], class_starts[n_classes]):
        n_right += column[samples[p]] >= cut
    right_samples = np.empty(n_right, samples.dtype)
    right_rows = np.empty(n_right, rows.dtype)
    right_weights = np.empty(n_right, weights.dtype)
    to_left = class_starts[0]
    to_right = 0
    first_right = class_starts[n_classes] - n_right
    for k in range(n_classes):
        left_starts[k] = to_left
        right_starts[k] = first_right + to_right
        left_masses[k] = 0
        right_masses[k] = 0
        for p in range(class_starts[k], class_starts[k + 1]):
            sample = samples[p]
            if column[sample] < cut:
                samples[to_left] = sample
                rows[to_left] = rows[p]
                weights[to_left] = weights[p]
                left_masses[k] += weights[p]
                to_left += 1
            else:
                right_samples[to_right] = sample
                right_rows[to_right] = rows[p]
                right_weights[to_right] = weights[p]
                right_masses[k] += weights[p]
                to_right += 1
    left_starts[n_classes] = to_left
    right_starts[n_classes] = first_right + to_right
    samples[first_right : first_right + n_right] = right_samples
    rows[first_right : first_right + n_right] = right_rows
    weights[first_right : first_right + n_right] = right_weights
