"""Compiled search for the best cut of every node of a level, by cumulative class histograms.

What makes it fast:

* Samples are kept sorted by node, within a node by class, within a class by number. Eight columns of bins
  are packed into one 64-bit word a sample, so that one read fetches eight bins, and as the samples of a class
  come together, the counters in use (8 features x 256 bins) fit the first-level cache.
* Deep nodes hold few classes: those that are absent from a node cost nothing there.
* Weights are integers held in float64, of a total below 2^53: every sum is exact, whatever its order, and
  needs no conversion.
* The histogram of a block of 8 features is laid out (class, bin, feature) and made cumulative over the bins,
  so that scores are computed for many bins and features at a time. Cumulative histograms subtract as plain
  ones do.
* Histograms have as many bins as the features use, rounded up to a power of two: "counters" below are the bins
  of a class times 8.
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel

FEATURES = 8  # of a block
BINS = 256
CHUNK = 64  # counters scored at a time, for the first-level cache
FEWEST_BINS = CHUNK // FEATURES
GINI, ENTROPY, EXPECTED_COST = range(3)


@kernel
def pack_blocks(
    bins: np.ndarray,
    feature_sets: np.ndarray,
    set_of_node: np.ndarray,
    node_starts: np.ndarray,
    samples: np.ndarray,
    begin: int,
    end: int,
    first: int,
    packed: np.ndarray,
) -> None:
    """Pack the bins that samples of some nodes have in the blocks begin .. end - 1 of the nodes' features.

    Parameters
    ----------
    bins : (F, N) uint8
    feature_sets : (n_sets, n_blocks * 8) int64
    set_of_node, node_starts : (n,), (n, 2) int64
        Row of `feature_sets`, and begin and end in `samples`, of every node.
    samples : (N,) uint32
    packed : (n_stored, N) uint64
        Output; row 0 is the block `first`. Feature j of the block is in bits 8 j .. 8 j + 7.
    """
    eight = np.uint64(8)
    for block in range(begin, end):
        words = packed[block - first]
        for node in range(node_starts.shape[0]):
            features = feature_sets[set_of_node[node], block * FEATURES : (block + 1) * FEATURES]
            column_0 = bins[features[0]]
            column_1 = bins[features[1]]
            column_2 = bins[features[2]]
            column_3 = bins[features[3]]
            column_4 = bins[features[4]]
            column_5 = bins[features[5]]
            column_6 = bins[features[6]]
            column_7 = bins[features[7]]
            for p in range(np.uint64(node_starts[node, 0]), np.uint64(node_starts[node, 1])):
                i = samples[p]
                word = np.uint64(column_7[i])
                word = (word << eight) | np.uint64(column_6[i])
                word = (word << eight) | np.uint64(column_5[i])
                word = (word << eight) | np.uint64(column_4[i])
                word = (word << eight) | np.uint64(column_3[i])
                word = (word << eight) | np.uint64(column_2[i])
                word = (word << eight) | np.uint64(column_1[i])
                words[p] = (word << eight) | np.uint64(column_0[i])


@kernel
def _accumulate(
    words: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    class_starts: np.ndarray,
    all_classes: bool,
    masses: np.ndarray,
) -> None:
    """masses[(k * bins + b) * 8 + j]: weight of the samples of class k in bins 0 .. b of feature j.

    Counters of classes without samples are cleared only if `all_classes`; searches do not look at them.
    """
    mask = np.uint64(BINS * FEATURES - FEATURES)
    n_counters = masses.shape[0] // (class_starts.shape[0] - 1)
    for k in range(class_starts.shape[0] - 1):
        counters = masses[k * n_counters : (k + 1) * n_counters]
        empty = class_starts[k] == class_starts[k + 1]
        if all_classes or not empty:
            counters[:] = 0.0
        if empty:
            continue
        for p in range(np.uint64(class_starts[k]), np.uint64(class_starts[k + 1])):
            word = words[rows[p]]
            weight = weights[p]
            counters[(word << np.uint64(3)) & mask] += weight
            counters[((word >> np.uint64(5)) & mask) + np.uint64(1)] += weight
            counters[((word >> np.uint64(13)) & mask) + np.uint64(2)] += weight
            counters[((word >> np.uint64(21)) & mask) + np.uint64(3)] += weight
            counters[((word >> np.uint64(29)) & mask) + np.uint64(4)] += weight
            counters[((word >> np.uint64(37)) & mask) + np.uint64(5)] += weight
            counters[((word >> np.uint64(45)) & mask) + np.uint64(6)] += weight
            counters[((word >> np.uint64(53)) & mask) + np.uint64(7)] += weight
        for i in range(n_counters - FEATURES):
            counters[i + FEATURES] += counters[i]


@kernel
def _rooms(work: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Four rooms of a chunk behind the scores; as views, so that indices need no check for being negative."""
    return (
        work[first : first + CHUNK],
        work[first + CHUNK : first + 2 * CHUNK],
        work[first + 2 * CHUNK : first + 3 * CHUNK],
        work[first + 3 * CHUNK : first + 4 * CHUNK],
    )


@kernel
def _gini_scores(
    left: np.ndarray, totals: np.ndarray, factors: np.ndarray, total_factors: np.ndarray, work: np.ndarray
) -> None:
    """work[:counters - 8] = sum a^2 / t of the left side + that of the right side, minus infinity if one is empty.

    The masses of the right side are differences of integers, so that a split and its mirror image score alike.
    """
    n_classes = totals.shape[0]
    n_counters = left.shape[0] // n_classes
    squares, other_squares, mass, other_mass = _rooms(work, n_counters)
    for begin in range(0, n_counters, CHUNK):
        for i in range(CHUNK):
            squares[i] = other_squares[i] = mass[i] = other_mass[i] = 0.0
        for k in range(n_classes):
            total = totals[k]
            if total == 0.0:
                continue
            factor = factors[k]
            total_factor = total_factors[k]
            below = left[k * n_counters + begin : k * n_counters + begin + CHUNK]
            for i in range(CHUNK):
                here = below[i]
                there = total - here
                squares[i] += (factor * here) * (factor * here)
                other_squares[i] += (factor * there) * (factor * there)
                mass[i] += total_factor * here
                other_mass[i] += total_factor * there
        scores = work[begin : begin + CHUNK]
        for i in range(CHUNK):
            here = mass[i]
            there = other_mass[i]
            product = here * there
            score = (squares[i] * there + other_squares[i] * here) / product
            scores[i] = score if product > 0.0 else -np.inf


@kernel
def _expected_cost_scores(left: np.ndarray, totals: np.ndarray, costs: np.ndarray, work: np.ndarray) -> None:
    """work[:counters - 8] = minus the costs of the best labels of the two sides, minus infinity if one is empty."""
    n_classes = totals.shape[0]
    all_mass = totals.sum()
    n_counters = left.shape[0] // n_classes
    cheapest, other_cheapest, current, other = _rooms(work, n_counters)
    for begin in range(0, n_counters, CHUNK):
        for i in range(CHUNK):
            cheapest[i] = other_cheapest[i] = np.inf
        for label in range(n_classes):
            for i in range(CHUNK):
                current[i] = other[i] = 0.0
            for k in range(n_classes):
                total = totals[k]
                if total == 0.0:
                    continue
                cost = costs[k, label]
                below = left[k * n_counters + begin : k * n_counters + begin + CHUNK]
                for i in range(CHUNK):
                    here = below[i]
                    current[i] += cost * here
                    other[i] += cost * (total - here)
            for i in range(CHUNK):
                cheapest[i] = min(cheapest[i], current[i])
                other_cheapest[i] = min(other_cheapest[i], other[i])
        for i in range(CHUNK):
            current[i] = 0.0
        for k in range(n_classes):
            if totals[k] == 0.0:
                continue
            below = left[k * n_counters + begin : k * n_counters + begin + CHUNK]
            for i in range(CHUNK):
                current[i] += below[i]
        scores = work[begin : begin + CHUNK]
        for i in range(CHUNK):
            here = current[i]
            score = -(cheapest[i] + other_cheapest[i])
            scores[i] = score if here * (all_mass - here) > 0.0 else -np.inf


@kernel
def _times_log(mass: float) -> float:
    return mass * np.log(mass) if mass > 0.0 else 0.0


@kernel
def _entropy_scores(
    left: np.ndarray, totals: np.ndarray, factors: np.ndarray, total_factors: np.ndarray, work: np.ndarray
) -> None:
    """work[:counters - 8] = sum a log a - t log t of both sides, minus infinity if one is empty."""
    n_classes = totals.shape[0]
    n_counters = left.shape[0] // n_classes
    for i in range(n_counters - FEATURES):
        same = i >= FEATURES
        for k in range(n_classes):
            if same and totals[k] and left[k * n_counters + i] != left[k * n_counters + i - FEATURES]:
                same = False
        if same:
            work[i] = work[i - FEATURES]
            continue
        mass = 0.0
        other_mass = 0.0
        score = 0.0
        other_score = 0.0
        for k in range(n_classes):
            if totals[k] == 0.0:
                continue
            here = left[k * n_counters + i]
            there = totals[k] - here
            score += _times_log(factors[k] * here)
            other_score += _times_log(factors[k] * there)
            mass += total_factors[k] * here
            other_mass += total_factors[k] * there
        score = (score - _times_log(mass)) + (other_score - _times_log(other_mass))
        work[i] = score if mass * other_mass > 0.0 else -np.inf


@kernel
def _best_of_block(
    left: np.ndarray,
    n_features: int,
    totals: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    work: np.ndarray,
    best_score: np.ndarray,
    best_cut: np.ndarray,
) -> None:
    """Best cut of a node among the features of a block, if it beats ``best_score[0]``.

    `best_cut` becomes (feature of the block, cut, first bin at or above the cut that has weight). The first
    feature wins a tie, and its first cut.
    """
    if impurity == GINI:
        _gini_scores(left, totals, factors, total_factors, work)
    elif impurity == ENTROPY:
        _entropy_scores(left, totals, factors, total_factors, work)
    else:
        _expected_cost_scores(left, totals, costs, work)
    n_counters = left.shape[0] // totals.shape[0]
    for i in range(n_counters - FEATURES, n_counters):  # a cut after the last bin is none
        work[i] = -np.inf
    best = work[n_counters:]
    half = n_counters // 2
    upper = work[half:]
    for i in range(half):
        one, other = work[i], upper[i]
        best[i] = one if one > other else other
    while half > FEATURES:
        half //= 2
        upper = best[half:]
        for i in range(half):
            one, other = best[i], upper[i]
            best[i] = one if one > other else other
    for j in range(n_features):
        score = best[j]
        if score > best_score[0]:
            at = j
            while work[at] != score:
                at += FEATURES
            best_score[0] = score
            best_cut[0] = j
            best_cut[1] = at // FEATURES + 1
    if best_cut[1] == 0 or best_score[0] == -np.inf:
        return
    at = (best_cut[1] - 1) * FEATURES + best_cut[0]
    following = at + FEATURES
    while True:
        for k in range(totals.shape[0]):
            if totals[k] and left[k * n_counters + following] > left[k * n_counters + at]:
                best_cut[2] = following // FEATURES
                return
        following += FEATURES


@kernel
def search_blocks(
    begin: int,
    end: int,
    first: int,
    packed: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    n_features: int,
    plan: np.ndarray,
    class_starts: np.ndarray,
    masses: np.ndarray,
    impurity: int,
    factors: np.ndarray,
    total_factors: np.ndarray,
    costs: np.ndarray,
    kept: np.ndarray,
    left: np.ndarray,
    work: np.ndarray,
    best_score: np.ndarray,
    best_cut: np.ndarray,
) -> None:
    """Best cut in each of the blocks begin .. end - 1 for every node of a level.

    Parameters
    ----------
    first, packed : int, (n_stored, N) uint64
        See `pack_blocks`.
    rows : (N,) uint32
        Column of `packed` of every sample, in the order of the nodes.
    weights : (N,) float64
        In that order.
    plan : (n_items, 6) int64
        Node whose samples are summed up; whether to search it; where in `kept` its masses are kept (-1:
        nowhere); its sibling, whose masses are the rest of the parent's (-1: none); whether to search that;
        where the parent's masses are kept, which the sibling's replace.
    class_starts : (n_nodes, K + 1) int64
    masses : (n_nodes, K) float64
    kept : (n_slots, n_kept_blocks, K * counters) float64
    left, work : (K * counters,), (2 * counters + 256,) float64
        Room for the masses and the scores of one block; twice as fast if it begins on a cache line.
    best_score : (n_nodes, n_blocks) float64
        What has to be beaten; becomes the best score.
    best_cut : (n_nodes, n_blocks, 3) int32
        See `_best_of_block`; stays zero where no cut is good enough.
    """
    for block in range(begin, end):
        width = min(FEATURES, n_features - block * FEATURES)
        words = packed[block - first]
        for item in range(plan.shape[0]):
            node, search_node, slot, sibling, search_sibling, parent_slot = plan[item]
            all_classes = sibling >= 0 or slot >= 0
            _accumulate(words, rows, weights, class_starts[node], all_classes, left)
            if search_node:
                _best_of_block(
                    left,
                    width,
                    masses[node],
                    impurity,
                    factors,
                    total_factors,
                    costs,
                    work,
                    best_score[node, block : block + 1],
                    best_cut[node, block],
                )
            if sibling >= 0:
                rest = kept[parent_slot, block]
                for i in range(rest.shape[0]):
                    rest[i] -= left[i]
                if search_sibling:
                    _best_of_block(
                        rest,
                        width,
                        masses[sibling],
                        impurity,
                        factors,
                        total_factors,
                        costs,
                        work,
                        best_score[sibling, block : block + 1],
                        best_cut[sibling, block],
                    )
            if slot >= 0:
                kept[slot, block] = left
