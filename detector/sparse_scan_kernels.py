"""Kernels that run a cascade over scattered windows, which are compacted after every tree (the sparse phase).

A window is the flat position of its top-left cell in a plane; the feature of a node for window `p` is
``features[p + offset]``. Eight windows walk a tree at a time, so that their loads overlap: one walk is a chain of
loads that each wait for the one before.

Indices are unsigned, since signed ones cost a test for negative values on that chain. Arrays are copied by loops:
a slice assignment costs seconds of compilation, for the text of the error that it could raise.
"""

from __future__ import annotations

import numpy as np

from ..features.compilation import kernel


@kernel
def leaves_of_tree(features, position, count, offset, threshold, leaves, depth, out):
    """Write what the leaf holds that each of `count` windows falls into.

    Parameters
    ----------
    features : flat (C * h * w,) uint8 or float32
    position : (>= count,) uint64
    offset, threshold, leaves : (nodes,) uint32, (nodes,) type of `features`, (nodes + 1,)
    out : (>= count,) type of `leaves`, written
    """
    first_leaf = np.uint64(len(offset))
    two = np.uint64(2)
    whole = count - count % 8
    for i in range(0, whole, 8):
        p0, p1, p2, p3 = position[i], position[i + 1], position[i + 2], position[i + 3]
        p4, p5, p6, p7 = position[i + 4], position[i + 5], position[i + 6], position[i + 7]
        k0 = k1 = k2 = k3 = k4 = k5 = k6 = k7 = np.uint64(0)
        for _ in range(depth):
            k0 = two * k0 + two - np.uint64(features[p0 + offset[k0]] < threshold[k0])
            k1 = two * k1 + two - np.uint64(features[p1 + offset[k1]] < threshold[k1])
            k2 = two * k2 + two - np.uint64(features[p2 + offset[k2]] < threshold[k2])
            k3 = two * k3 + two - np.uint64(features[p3 + offset[k3]] < threshold[k3])
            k4 = two * k4 + two - np.uint64(features[p4 + offset[k4]] < threshold[k4])
            k5 = two * k5 + two - np.uint64(features[p5 + offset[k5]] < threshold[k5])
            k6 = two * k6 + two - np.uint64(features[p6 + offset[k6]] < threshold[k6])
            k7 = two * k7 + two - np.uint64(features[p7 + offset[k7]] < threshold[k7])
        out[i], out[i + 1] = leaves[k0 - first_leaf], leaves[k1 - first_leaf]
        out[i + 2], out[i + 3] = leaves[k2 - first_leaf], leaves[k3 - first_leaf]
        out[i + 4], out[i + 5] = leaves[k4 - first_leaf], leaves[k5 - first_leaf]
        out[i + 6], out[i + 7] = leaves[k6 - first_leaf], leaves[k7 - first_leaf]
    for i in range(whole, count):
        k = np.uint64(0)
        for _ in range(depth):
            k = two * k + two - np.uint64(features[position[i] + offset[k]] < threshold[k])
        out[i] = leaves[k - first_leaf]


@kernel
def place_nodes(channel, row, column, height, width, first, last, offset):
    """Fill the offsets of trees [first, last) in planes of a size.

    Parameters
    ----------
    channel, row, column : (T, nodes) uint32
        Cell of each node's feature in the window.
    offset : (T, nodes) uint32, written
    """
    plane, line = np.uint32(height * width), np.uint32(width)
    for t in range(first, last):
        for k in range(offset.shape[1]):
            offset[t, k] = np.uint32(channel[t, k] * plane + row[t, k] * line + column[t, k])


@kernel
def largest_view(sums, first):
    """Index of the first of the largest numbers from index `first` on."""
    top = np.uint64(first)
    for k in range(first + 1, len(sums)):
        if sums[k] > sums[top]:
            top = np.uint64(k)
    return top


@kernel
def go_on_equal_views(
    features, position, votes, blocks, scratch, offset, threshold, labels, step, rejection, n_safe, depth, until
):  # fmt: skip
    """Go on with windows whose costs distinguish no two views: the trace is (most votes of a view) - background.

    Whether a window lives is asked of the view that had most votes when they were compared last; the others are
    looked at only when that view does not keep it alive.

    Parameters
    ----------
    features : flat (C * h * w,) uint8 or float32
    position : (n,) uint64
        Survivors are moved to the front.
    votes : (n, K) float32
        Of each class so far; not read of windows that begin with the first tree. Moved like `position`.
    blocks : (blocks, 2) int64
        Of each block of windows that are worked on together: its end, and the tree to begin with.
    scratch : see `band_scan.sparse_scratch`
        For this function's own use.
    offset, threshold, labels : (T, nodes) uint32, (T, nodes), (T, nodes + 1) uint8
    step, rejection : (T,) float32
        Vote weight included.
    n_safe : int
        First trees after which no trace can have reached the rejection threshold.
    until : int
        Tree to stop before.

    Returns
    -------
    survivors, evaluated window-trees
    """
    evaluated = 0
    found = 0
    moving, slot, vote, best, sums = scratch
    background = np.uint64(0)
    first = 0
    for b in range(len(blocks)):
        n = blocks[b, 0] - first
        fresh = blocks[b, 1] == 0
        for i in range(n):
            moving[i], slot[i], best[i] = position[first + i], i, 1
            for k in range(votes.shape[1]):
                sums[i, k] = np.float32(0) if fresh else votes[first + i, k]
        first = blocks[b, 0]
        for t in range(blocks[b, 1], until):
            if n == 0:
                break
            evaluated += n
            leaves_of_tree(features, moving, n, offset[t], threshold[t], labels[t], depth, vote)
            limit, weight = rejection[t], step[t]
            if t < n_safe:
                for i in range(n):
                    sums[slot[i], np.uint64(vote[i])] += weight
                continue
            kept = 0
            for i in range(n):
                s = slot[i]
                sums[s, np.uint64(vote[i])] += weight
                against = sums[s, background]
                alive = sums[s, np.uint64(best[s])] - against > limit
                if not alive:
                    top = largest_view(sums[s], 1)
                    best[s] = top
                    alive = sums[s, top] - against > limit
                moving[kept] = moving[i]
                slot[kept] = s
                kept += alive
            n = kept
        for i in range(n):
            position[found] = moving[i]
            for k in range(votes.shape[1]):
                votes[found, k] = sums[slot[i], k]
            found += 1
    return found, evaluated


@kernel
def go_on_any_costs(
    features, position, scores, blocks, scratch, offset, threshold, labels, beta, rejection, n_safe, depth, until,
    differences, addend,
):  # fmt: skip
    """Go on with windows under any cost matrix: a vote for `z` adds ``beta * differences[z]`` to the views' scores.

    Parameters
    ----------
    scores : (n, lanes) float32
        Of each view so far, read and moved like votes.
    differences : (K, lanes) float32
        At least K - 1 lanes, filled up with copies of the first view.
    addend : (K, lanes) float32
        For this function's own use.
    features, position, ...
        As in `go_on_equal_views`.

    Returns
    -------
    survivors, evaluated window-trees
    """
    n_classes, lanes = differences.shape
    evaluated = 0
    found = 0
    moving, slot, vote, best, sums = scratch
    first = 0
    for b in range(len(blocks)):
        n = blocks[b, 0] - first
        fresh = blocks[b, 1] == 0
        for i in range(n):
            moving[i], slot[i], best[i] = position[first + i], i, 0
            for k in range(lanes):
                sums[i, k] = np.float32(0) if fresh else scores[first + i, k]
        first = blocks[b, 0]
        for t in range(blocks[b, 1], until):
            if n == 0:
                break
            evaluated += n
            leaves_of_tree(features, moving, n, offset[t], threshold[t], labels[t], depth, vote)
            for z in range(n_classes):
                for k in range(lanes):
                    addend[z, k] = beta[t] * differences[z, k]
            limit, is_safe = rejection[t], t < n_safe
            kept = 0
            for i in range(n):
                s, z = slot[i], np.uint64(vote[i])
                for k in range(lanes):
                    sums[s, k] += addend[z, k]
                alive = is_safe or sums[s, np.uint64(best[s])] > limit
                if not alive:
                    top = largest_view(sums[s], 0)
                    best[s] = top
                    alive = sums[s, top] > limit
                moving[kept] = moving[i]
                slot[kept] = s
                kept += alive
            n = kept
        for i in range(n):
            position[found] = moving[i]
            for k in range(lanes):
                scores[found, k] = sums[slot[i], k]
            found += 1
    return found, evaluated


@kernel
def go_on_binary(
    features, position, trace, blocks, scratch, offset, threshold, values, rejection, depth, until
):
    """Go on with windows whose trace is the sum of leaf values.

    Parameters
    ----------
    trace : (n, 1) float32
        So far, read and moved like votes.
    values : (T, nodes + 1) float32
    features, position, ...
        As in `go_on_equal_views`.

    Returns
    -------
    survivors, evaluated window-trees
    """
    evaluated = 0
    found = 0
    moving, _, value, _, total = scratch
    first = 0
    for b in range(len(blocks)):
        n = blocks[b, 0] - first
        fresh = blocks[b, 1] == 0
        for i in range(n):
            moving[i] = position[first + i]
            total[i, 0] = np.float32(0) if fresh else trace[first + i, 0]
        first = blocks[b, 0]
        for t in range(blocks[b, 1], until):
            if n == 0:
                break
            evaluated += n
            leaves_of_tree(features, moving, n, offset[t], threshold[t], values[t], depth, value)
            limit = rejection[t]
            kept = 0
            for i in range(n):
                total_now = total[i, 0] + value[i]
                moving[kept] = moving[i]
                total[kept, 0] = total_now
                kept += total_now > limit
            n = kept
        for i in range(n):
            position[found] = moving[i]
            trace[found, 0] = total[i, 0]
            found += 1
    return found, evaluated
