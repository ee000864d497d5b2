"""Kernels that run a cascade over every window of a level (design: dense SIMD phase, then sparse phase).

Windows are named by the flat position of their top-left cell in a plane. The feature of a node for window
`p` is ``features[p + offset]``, so that neighbouring windows read neighbouring cells: while most windows of a
tile live, *all* nodes of a tree are evaluated for a run of windows by vector compares and selects, without
gathers or branches. When few live, they are compacted and walk the trees one by one.

Both phases do the same float32 additions in the same order, so a window's score does not depend on the phase
in which a tree met it, nor on tile or thread.
"""

from __future__ import annotations

import numpy as np

from ..features.compilation import kernel

# Sizes are constants of the algorithm, not options: they change the speed and nothing else.
TILE = 2048
DENSE_SHARE = 0.22  # share of live windows below which the sparse phase is faster


@kernel
def subtree_of_leaves(features, start, length, offset, threshold, labels, root, depth, first_leaf, out):
    """Evaluate the lowest `depth` (1 to 3) levels under node `root` for a run of windows."""
    if depth == 3:
        a, b, c = root, 2 * root + 1, 2 * root + 2
        d, e, f, g = 2 * b + 1, 2 * b + 2, 2 * c + 1, 2 * c + 2
        fa = features[start + offset[a] : start + offset[a] + length]
        fb = features[start + offset[b] : start + offset[b] + length]
        fc = features[start + offset[c] : start + offset[c] + length]
        fd = features[start + offset[d] : start + offset[d] + length]
        fe = features[start + offset[e] : start + offset[e] + length]
        ff = features[start + offset[f] : start + offset[f] + length]
        fg = features[start + offset[g] : start + offset[g] + length]
        ta, tb, tc, td = threshold[a], threshold[b], threshold[c], threshold[d]
        te, tf, tg = threshold[e], threshold[f], threshold[g]
        l0, l1, l2, l3 = (
            labels[first_leaf],
            labels[first_leaf + 1],
            labels[first_leaf + 2],
            labels[first_leaf + 3],
        )
        l4, l5 = labels[first_leaf + 4], labels[first_leaf + 5]
        l6, l7 = labels[first_leaf + 6], labels[first_leaf + 7]
        for i in range(length):
            vd = l0 if fd[i] < td else l1
            ve = l2 if fe[i] < te else l3
            vf = l4 if ff[i] < tf else l5
            vg = l6 if fg[i] < tg else l7
            vb = vd if fb[i] < tb else ve
            vc = vf if fc[i] < tc else vg
            out[i] = vb if fa[i] < ta else vc
    elif depth == 2:
        a, b, c = root, 2 * root + 1, 2 * root + 2
        fa = features[start + offset[a] : start + offset[a] + length]
        fb = features[start + offset[b] : start + offset[b] + length]
        fc = features[start + offset[c] : start + offset[c] + length]
        ta, tb, tc = threshold[a], threshold[b], threshold[c]
        l0, l1, l2, l3 = (
            labels[first_leaf],
            labels[first_leaf + 1],
            labels[first_leaf + 2],
            labels[first_leaf + 3],
        )
        for i in range(length):
            vb = l0 if fb[i] < tb else l1
            vc = l2 if fc[i] < tc else l3
            out[i] = vb if fa[i] < ta else vc
    else:
        fa = features[start + offset[root] : start + offset[root] + length]
        ta = threshold[root]
        l0, l1 = labels[first_leaf], labels[first_leaf + 1]
        for i in range(length):
            out[i] = l0 if fa[i] < ta else l1


@kernel
def subtree_of_buffers(features, start, length, offset, threshold, below, root, depth, out):
    """Evaluate `depth` (1 or 2) levels under `root` whose results below are the rows of `below`.

    Not 3 levels: LLVM vectorises a loop only if it needs few checks that its arrays do not overlap.
    """
    if depth == 2:
        a, b, c = root, 2 * root + 1, 2 * root + 2
        fa = features[start + offset[a] : start + offset[a] + length]
        fb = features[start + offset[b] : start + offset[b] + length]
        fc = features[start + offset[c] : start + offset[c] + length]
        ta, tb, tc = threshold[a], threshold[b], threshold[c]
        b0, b1, b2, b3 = below[0], below[1], below[2], below[3]
        for i in range(length):
            vb = b0[i] if fb[i] < tb else b1[i]
            vc = b2[i] if fc[i] < tc else b3[i]
            out[i] = vb if fa[i] < ta else vc
    else:
        fa = features[start + offset[root] : start + offset[root] + length]
        ta = threshold[root]
        b0, b1 = below[0], below[1]
        for i in range(length):
            out[i] = b0[i] if fa[i] < ta else b1[i]


@kernel
def tree_for_run(features, start, length, offset, threshold, labels, depth, buffers, out):
    """Leaf label (or value) of one tree for every window of a run; `buffers` is (2, 2**depth / 2, length) scratch."""
    if depth <= 3:
        subtree_of_leaves(features, start, length, offset, threshold, labels, 0, depth, 0, out)
        return
    level = depth - 3
    side = 0
    for r in range(1 << level):
        subtree_of_leaves(
            features, start, length, offset, threshold, labels, (1 << level) - 1 + r, 3, 8 * r, buffers[0, r]
        )
    while level > 0:
        step = min(2, level)
        level -= step
        width = 1 << step
        for r in range(1 << level):
            below = buffers[side, r * width : (r + 1) * width]
            root = (1 << level) - 1 + r
            if level == 0:
                subtree_of_buffers(features, start, length, offset, threshold, below, root, step, out)
            else:
                target = buffers[1 - side, r]
                subtree_of_buffers(features, start, length, offset, threshold, below, root, step, target)
        side = 1 - side


@kernel
def add_votes(plane, label, voted, step):
    """Add the tree's step to the windows of the plane that voted for its class."""
    for i in range(len(plane)):
        plane[i] += step if label[i] == voted else np.float32(0)


@kernel
def take_larger(most, plane):
    """Raise `most` to `plane` where that is larger."""
    for i in range(len(plane)):
        most[i] = plane[i] if plane[i] > most[i] else most[i]


@kernel
def keep_live(live, most, background, limit):
    """Clear the flag of windows whose trace is at or below the limit; return how many live."""
    for i in range(len(background)):
        live[i] = live[i] if most[i] - background[i] > limit else np.uint8(0)
    count = np.uint32(0)
    for i in range(len(background)):
        count += np.uint32(live[i])
    return np.int64(count)


@kernel
def leaf_labels(features, position, count, offset, threshold, labels, depth, out):
    """Leaf label (or value) of one tree for `count` scattered windows, four at a time so that their loads overlap."""
    first_leaf = (1 << depth) - 1
    whole = count - count % 4
    for i in range(0, whole, 4):
        p0, p1, p2, p3 = position[i], position[i + 1], position[i + 2], position[i + 3]
        k0 = k1 = k2 = k3 = 0
        for _ in range(depth):
            k0 = 2 * k0 + 2 - (features[p0 + offset[k0]] < threshold[k0])
            k1 = 2 * k1 + 2 - (features[p1 + offset[k1]] < threshold[k1])
            k2 = 2 * k2 + 2 - (features[p2 + offset[k2]] < threshold[k2])
            k3 = 2 * k3 + 2 - (features[p3 + offset[k3]] < threshold[k3])
        out[i] = labels[k0 - first_leaf]
        out[i + 1] = labels[k1 - first_leaf]
        out[i + 2] = labels[k2 - first_leaf]
        out[i + 3] = labels[k3 - first_leaf]
    for i in range(whole, count):
        k = 0
        for _ in range(depth):
            k = 2 * k + 2 - (features[position[i] + offset[k]] < threshold[k])
        out[i] = labels[k - first_leaf]


@kernel
def scan_equal_views(
    features, width, rows_from, rows_to, columns, offset, threshold, labels, step, rejection, depth, n_classes
):
    """Scan windows whose costs distinguish no two views: the score is (most votes of a view) - background.

    Parameters
    ----------
    features : flat (C * h * w,) uint8 or float32
    width : cells in a row of a plane
    rows_from, rows_to, columns : the windows' rows and number of columns
    offset, threshold, labels : (T, nodes), (T, nodes), (T, leaves)
    step, rejection : (T,) float32, vote weight included

    Returns
    -------
    positions (n,) int64, scores (n,) float32, labels (n,) uint8 of the survivors, window-trees evaluated
    """
    n_trees = len(step)
    first, last = rows_from * width, (rows_to - 1) * width + columns
    capacity = max(last - first, 0)
    out_position = np.empty(capacity, np.int64)
    out_score = np.empty(capacity, np.float32)
    out_label = np.empty(capacity, np.uint8)
    found = 0
    evaluated = 0
    position = np.empty(TILE, np.int64)
    label = np.empty(TILE, np.uint8)
    live = np.empty(TILE, np.uint8)
    votes = np.empty((n_classes, TILE), np.float32)  # dense: a plane a class
    most = np.empty(TILE, np.float32)
    sparse_votes = np.empty((TILE, n_classes), np.float32)  # sparse: a row a window
    sparse_most = np.empty(TILE, np.float32)
    buffers = np.empty((2, max(1, (1 << depth) // 2), TILE), np.uint8)
    for start in range(first, last, TILE):
        length = min(TILE, last - start)
        count = 0
        for i in range(length):
            inside = (start + i) % width < columns
            live[i] = inside
            count += inside
        votes[:, :] = 0
        most[:] = 0
        t = 0
        while t < n_trees and count > DENSE_SHARE * length:
            evaluated += count
            tree_for_run(features, start, length, offset[t], threshold[t], labels[t], depth, buffers, label)
            for k in range(n_classes):
                add_votes(votes[k, :length], label, np.uint8(k), step[t])
            most[:length] = votes[1, :length]
            for k in range(2, n_classes):
                take_larger(most, votes[k, :length])
            count = keep_live(live, most, votes[0, :length], rejection[t])
            t += 1
        n = 0
        for i in range(length):
            if live[i]:
                position[n] = start + i
                for k in range(n_classes):
                    sparse_votes[n, k] = votes[k, i]
                sparse_most[n] = most[i]
                n += 1
        while t < n_trees and n > 0:
            evaluated += n
            leaf_labels(features, position, n, offset[t], threshold[t], labels[t], depth, label)
            limit = rejection[t]
            kept = 0
            for i in range(n):
                z = label[i]
                vote = sparse_votes[i, z] + step[t]
                sparse_votes[i, z] = vote
                top = sparse_most[i]
                if z > 0 and vote > top:
                    top = vote
                position[kept] = position[i]
                for k in range(n_classes):
                    sparse_votes[kept, k] = sparse_votes[i, k]
                sparse_most[kept] = top
                kept += top - sparse_votes[kept, 0] > limit
            n = kept
            t += 1
        for i in range(n):
            best = 1
            for k in range(2, n_classes):
                if sparse_votes[i, k] > sparse_votes[i, best]:
                    best = k
            out_position[found] = position[i]
            out_score[found] = sparse_most[i] - sparse_votes[i, 0]
            out_label[found] = best
            found += 1
    return out_position[:found], out_score[:found], out_label[:found], evaluated


@kernel
def scan_any_costs(
    features,
    width,
    rows_from,
    rows_to,
    columns,
    offset,
    threshold,
    labels,
    beta,
    rejection,
    depth,
    differences,
):
    """Scan windows under any cost matrix: a vote for `z` adds ``beta * differences[z]`` to the views' scores.

    Parameters as in `scan_equal_views`; `differences` is (K, lanes) float32, `lanes` >= K - 1 filled up with
    copies of the first view. Windows are compacted after every tree.
    """
    n_trees = len(beta)
    lanes = differences.shape[1]
    first, last = rows_from * width, (rows_to - 1) * width + columns
    capacity = max(last - first, 0)
    out_position = np.empty(capacity, np.int64)
    out_score = np.empty(capacity, np.float32)
    out_label = np.empty(capacity, np.uint8)
    found = 0
    evaluated = 0
    block = 256
    position = np.empty(block, np.int64)
    label = np.empty(block, np.uint8)
    score = np.empty((block, lanes), np.float32)
    start = first
    while start < last:
        n = 0
        while start < last and n < block:
            if start % width < columns:
                position[n] = start
                n += 1
            start += 1
        score[:n] = 0
        t = 0
        while t < n_trees and n > 0:
            evaluated += n
            leaf_labels(features, position, n, offset[t], threshold[t], labels[t], depth, label)
            limit = rejection[t]
            kept = 0
            for i in range(n):
                row = differences[label[i]]
                source = score[i]
                target = score[kept]
                for k in range(lanes):
                    target[k] = source[k] + beta[t] * row[k]
                top = target[0]
                for k in range(1, lanes):
                    top = target[k] if target[k] > top else top
                position[kept] = position[i]
                kept += top > limit
            n = kept
            t += 1
        for i in range(n):
            best = 0
            for k in range(1, lanes):
                if score[i, k] > score[i, best]:
                    best = k
            out_position[found] = position[i]
            out_score[found] = score[i, best]
            out_label[found] = best + 1
            found += 1
    return out_position[:found], out_score[:found], out_label[:found], evaluated


@kernel
def keep_above(live, trace, limit):
    """Clear the flag of windows whose trace is at or below the limit; return how many live."""
    for i in range(len(trace)):
        live[i] = live[i] if trace[i] > limit else np.uint8(0)
    count = np.uint32(0)
    for i in range(len(trace)):
        count += np.uint32(live[i])
    return np.int64(count)


@kernel
def scan_binary(features, width, rows_from, rows_to, columns, offset, threshold, values, rejection, depth):
    """Scan windows whose score is the sum of leaf values, (T, leaves) float32 `values`.

    Other parameters and the result as in `scan_equal_views`; all labels are 1.
    """
    n_trees = len(rejection)
    first, last = rows_from * width, (rows_to - 1) * width + columns
    capacity = max(last - first, 0)
    out_position = np.empty(capacity, np.int64)
    out_score = np.empty(capacity, np.float32)
    found = 0
    evaluated = 0
    position = np.empty(TILE, np.int64)
    value = np.empty(TILE, np.float32)
    live = np.empty(TILE, np.uint8)
    trace = np.empty(TILE, np.float32)
    buffers = np.empty((2, max(1, (1 << depth) // 2), TILE), np.float32)
    for start in range(first, last, TILE):
        length = min(TILE, last - start)
        count = 0
        for i in range(length):
            inside = (start + i) % width < columns
            live[i] = inside
            count += inside
        trace[:] = 0
        t = 0
        while t < n_trees and count > DENSE_SHARE * length:
            evaluated += count
            tree_for_run(features, start, length, offset[t], threshold[t], values[t], depth, buffers, value)
            for i in range(length):
                trace[i] += value[i]
            count = keep_above(live, trace[:length], rejection[t])
            t += 1
        n = 0
        for i in range(length):
            if live[i]:
                position[n] = start + i
                trace[n] = trace[i]
                n += 1
        while t < n_trees and n > 0:
            evaluated += n
            leaf_labels(features, position, n, offset[t], threshold[t], values[t], depth, value)
            kept = 0
            for i in range(n):
                total = trace[i] + value[i]
                position[kept] = position[i]
                trace[kept] = total
                kept += total > rejection[t]
            n = kept
            t += 1
        out_position[found : found + n] = position[:n]
        out_score[found : found + n] = trace[:n]
        found += n
    return out_position[:found], out_score[:found], np.ones(found, np.uint8), evaluated
