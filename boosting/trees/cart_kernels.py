"""Compiled growth and descent of unpruned CART trees (Breiman, Friedman, Olshen and Stone 1984), Gini impurity.

Every feature's samples are sorted once, before the root; a split keeps that order in both children by a stable
partition, so that no node sorts anything. An entry is one 64-bit word, the rank of the value in its upper half and
the sample in its lower half. Nodes are worked on depth first: small ones find their entries in the cache.
"""

from __future__ import annotations

import numpy as np

from ..compilation import kernel

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@kernel
def pick_entries(entries: np.ndarray, number: np.ndarray, picked: np.ndarray) -> None:
    """picked (F, m): the entries (F, n) of the samples that have a number >= 0, under that number."""
    for f in range(entries.shape[0]):
        place = 0
        for p in range(entries.shape[1]):
            new = number[entries[f, p] & LOW]
            if new >= 0:
                picked[f, place] = (entries[f, p] & ~LOW) | np.uint64(new)
                place += 1


@kernel
def _next_random(state: np.ndarray, below: int) -> int:
    """A number from 0 to below - 1 by the generator SplitMix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return int(((mixed >> HALF) * np.uint64(below)) >> HALF)


@kernel
def _best_cut_of_two_classes(
    entries: np.ndarray, labels: np.ndarray, weights: np.ndarray, totals: np.ndarray
) -> tuple[float, int]:
    """Best score of a cut of the entries (n,) of one feature, and how many lie below it; (-1, 0) if there is none."""
    best_score = -1.0
    best_below = 0
    total = totals[0] + totals[1]
    here = 0.0
    here_second = 0.0
    rank = entries[0] >> HALF
    for p in range(entries.shape[0]):
        entry = entries[p]
        if entry >> HALF != rank:
            rank = entry >> HALF
            there = total - here
            here_first = here - here_second
            there_second = totals[1] - here_second
            there_first = there - there_second
            squares = here_first * here_first + here_second * here_second
            other_squares = there_first * there_first + there_second * there_second
            score = (squares * there + other_squares * here) / (here * there)
            if score > best_score:
                best_score = score
                best_below = p
        sample = entry & LOW
        weight = weights[sample]
        here += weight
        here_second += weight * labels[sample]
    return best_score, best_below


@kernel
def _best_cut(
    entries: np.ndarray, labels: np.ndarray, weights: np.ndarray, totals: np.ndarray, here_of: np.ndarray
) -> tuple[float, int]:
    """The same for any number of classes; `here_of` (K,) is room for the class masses below the cut."""
    best_score = -1.0
    best_below = 0
    total = 0.0
    squares = 0.0
    other_squares = 0.0
    for k in range(totals.shape[0]):
        total += totals[k]
        other_squares += totals[k] * totals[k]
        here_of[k] = 0.0
    here = 0.0
    rank = entries[0] >> HALF
    for p in range(entries.shape[0]):
        entry = entries[p]
        if entry >> HALF != rank:
            rank = entry >> HALF
            there = total - here
            score = (squares * there + other_squares * here) / (here * there)
            if score > best_score:
                best_score = score
                best_below = p
        sample = entry & LOW
        weight = weights[sample]
        label = labels[sample]
        before = here_of[label]
        squares += weight * (2.0 * before + weight)
        other_squares += weight * (weight - 2.0 * (totals[label] - before))
        here += weight
        here_of[label] = before + weight
    return best_score, best_below


@kernel
def _partition(entries: np.ndarray, goes_left: np.ndarray, room: np.ndarray) -> None:
    """Move the entries of the samples that go left to the front, keeping the order of either part."""
    n_left = np.uint64(0)
    n_right = np.uint64(0)
    one = np.uint64(1)
    for p in range(entries.shape[0]):
        entry = entries[p]
        left = np.uint64(goes_left[entry & LOW])
        entries[n_left] = entry  # overwritten by the next one unless it goes left
        room[n_right] = entry
        n_left += left
        n_right += one - left
    for p in range(np.int64(n_right)):
        entries[np.int64(n_left) + p] = room[p]


@kernel
def grow_cart(
    entries: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    max_depth: int,
    max_features: int,
    state: np.ndarray,
    feature: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    right: np.ndarray,
    masses: np.ndarray,
) -> int:
    """Grow a tree until its leaves are pure, or their samples alike; return its number of nodes.

    Nodes are numbered depth first, so that the left child of a node follows it.

    Parameters
    ----------
    entries : (F, n) uint64
        Rank of the value and number of the sample, ascending in every row. Reordered.
    labels, weights : (n,) int64, (n,) float64
    max_depth : int
        Nodes of this depth are leaves.
    max_features : int
        Features that a node chooses from; fewer than F are drawn anew at every node, until there are so many
        and one of them can be cut.
    state : (1,) uint64
        Of the random numbers.
    feature : (2 n - 1,) int32
        Output: the feature that a node is cut at, -1 for a leaf.
    below, above : (2 n - 1,) int32
        Outputs: samples with the values next to the cut.
    right : (2 n - 1,) int32
        Output: the right child.
    masses : (2 n - 1, K) float64
        Output: weight of every class.
    """
    n_features, n_samples = entries.shape
    n_classes = masses.shape[1]
    goes_left = np.empty(n_samples, np.uint8)
    room = np.empty(n_samples, np.uint64)
    here_of = np.empty(n_classes, np.float64)
    drawn = np.arange(n_features)
    stack = np.empty((n_samples + 1, 4), np.int64)  # begin, end, depth, parent whose right child it is
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, n_samples, 0, -1
    waiting = 1
    n_nodes = 0
    while waiting:
        waiting -= 1
        begin, end, depth, parent = stack[waiting]
        node = n_nodes
        n_nodes += 1
        if parent >= 0:
            right[parent] = node
        totals = masses[node]
        totals[:] = 0.0
        for p in range(begin, end):
            sample = entries[0, p] & LOW
            totals[labels[sample]] += weights[sample]
        present = 0
        for k in range(n_classes):
            present += totals[k] > 0.0
        feature[node] = -1
        below[node] = above[node] = 0
        right[node] = -1
        if present < 2 or depth >= max_depth:
            continue

        best_score = -1.0
        best_below = 0
        best_feature = -1
        for number in range(n_features):
            if max_features < n_features:
                if number >= max_features and best_feature >= 0:
                    break
                other = number + _next_random(state, n_features - number)
                drawn[number], drawn[other] = drawn[other], drawn[number]
            candidate = drawn[number]
            segment = entries[candidate, begin:end]
            if segment[0] >> HALF == segment[end - begin - 1] >> HALF:
                continue
            if n_classes == 2:
                score, n_below = _best_cut_of_two_classes(segment, labels, weights, totals)
            else:
                score, n_below = _best_cut(segment, labels, weights, totals, here_of)
            if score > best_score or (score == best_score and candidate < best_feature):
                best_score = score
                best_below = n_below
                best_feature = candidate
        if best_feature < 0:
            continue

        middle = begin + best_below
        chosen = entries[best_feature]
        feature[node] = best_feature
        below[node] = chosen[middle - 1] & LOW
        above[node] = chosen[middle] & LOW
        for p in range(begin, middle):
            goes_left[chosen[p] & LOW] = 1
        for p in range(middle, end):
            goes_left[chosen[p] & LOW] = 0
        for other in range(n_features):
            if other != best_feature:
                _partition(entries[other, begin:end], goes_left, room)
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] = (
            middle,
            end,
            depth + 1,
            node,
        )
        waiting += 1
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] = (
            begin,
            middle,
            depth + 1,
            -1,
        )
        waiting += 1
    return n_nodes


@kernel
def find_cart_leaves(
    feature: np.ndarray,
    threshold: np.ndarray,
    right: np.ndarray,
    rows: np.ndarray,
    begin: int,
    end: int,
    leaves: np.ndarray,
) -> None:
    """leaves[i] = leaf of the row i of `rows` (n, F), for i in begin .. end - 1."""
    for i in range(begin, end):
        node = 0
        while feature[node] >= 0:
            node = node + 1 if rows[i, feature[node]] < threshold[node] else right[node]
        leaves[i] = node
