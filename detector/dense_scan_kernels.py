"""Kernels that run a cascade over every window of a band while most windows live (the dense phase).

Windows are named by the flat position of their top-left cell in a plane. The feature of a node for window
`p` is ``features[p + offset]``, so that neighbouring windows read neighbouring cells: *all* nodes of a tree are
evaluated for a run of windows by vector compares and selects, without gathers or branches. When few windows of the
run live, they are handed to the sparse phase.

Nodes read their cells by index and not from slices, each of which takes long to compile. The indices are unsigned,
since signed ones are tested for negative values.

Both phases do the same float32 additions in the same order, so a window's score does not depend on the phase
in which a tree met it, nor on run or thread.

Memory for the kernels' own use is an argument: what allocates takes longer to compile, and to load once compiled.
"""

from __future__ import annotations

import numpy as np

from ..features.compilation import kernel

# Windows of a run. A constant of the algorithm, not an option: it changes the speed and nothing else.
RUN = 2048


@kernel
def subtree_of_leaves(features, start, length, offset, threshold, labels, root, depth, leaf, out):
    """Evaluate the lowest `depth` (1 to 3) levels, from node `root` to leaf `leaf` on, for a run of windows."""
    one, two = np.uint64(1), np.uint64(2)
    a, b = root, two * root + one
    c, d = b + one, two * b + one
    e, f, g = d + one, d + two, d + two + one
    if depth == 3:
        fa, fb, fc, fd = start + offset[a], start + offset[b], start + offset[c], start + offset[d]
        fe, ff, fg = start + offset[e], start + offset[f], start + offset[g]
        ta, tb, tc, td = threshold[a], threshold[b], threshold[c], threshold[d]
        te, tf, tg = threshold[e], threshold[f], threshold[g]
        third, fifth, seventh = leaf + two, leaf + two + two, leaf + two + two + two
        l0, l1, l2, l3 = labels[leaf], labels[leaf + one], labels[third], labels[third + one]
        l4, l5, l6, l7 = labels[fifth], labels[fifth + one], labels[seventh], labels[seventh + one]
        for i in range(length):
            vd = l0 if features[fd + i] < td else l1
            ve = l2 if features[fe + i] < te else l3
            vf = l4 if features[ff + i] < tf else l5
            vg = l6 if features[fg + i] < tg else l7
            vb = vd if features[fb + i] < tb else ve
            vc = vf if features[fc + i] < tc else vg
            out[i] = vb if features[fa + i] < ta else vc
    elif depth == 2:
        fa, fb, fc = start + offset[a], start + offset[b], start + offset[c]
        ta, tb, tc = threshold[a], threshold[b], threshold[c]
        third = leaf + two
        l0, l1, l2, l3 = labels[leaf], labels[leaf + one], labels[third], labels[third + one]
        for i in range(length):
            vb = l0 if features[fb + i] < tb else l1
            vc = l2 if features[fc + i] < tc else l3
            out[i] = vb if features[fa + i] < ta else vc
    else:
        fa, ta = start + offset[root], threshold[root]
        l0, l1 = labels[leaf], labels[leaf + one]
        for i in range(length):
            out[i] = l0 if features[fa + i] < ta else l1


@kernel
def subtree_of_buffers(features, start, length, offset, threshold, below, root, depth, out):
    """Evaluate `depth` (1 or 2) levels under `root` whose results below are the rows of `below`.

    Not 3 levels: LLVM vectorises a loop only if it needs few checks that its arrays do not overlap.
    """
    a, b = root, np.uint64(2) * root + np.uint64(1)
    c = b + np.uint64(1)
    fa, ta = start + offset[a], threshold[a]
    b0, b1 = below[0], below[1]
    if depth == 2:
        fb, fc = start + offset[b], start + offset[c]
        tb, tc = threshold[b], threshold[c]
        b2, b3 = below[2], below[3]
        for i in range(length):
            vb = b0[i] if features[fb + i] < tb else b1[i]
            vc = b2[i] if features[fc + i] < tc else b3[i]
            out[i] = vb if features[fa + i] < ta else vc
    else:
        for i in range(length):
            out[i] = b0[i] if features[fa + i] < ta else b1[i]


@kernel
def tree_for_run(features, start, length, offset, threshold, labels, depth, buffers, out):
    """Leaf label (or value) of one tree for every window of a run; `buffers` is (2, 2**depth / 2, length) scratch."""
    position, count = np.uint64(start), np.uint64(length)
    lowest = min(depth, 3)
    level = depth - lowest
    side = 0
    # One call for all depths: each call with other types, and a constant has one of its own, is compiled anew.
    for r in range(1 << level):
        root, leaf = np.uint64((1 << level) - 1 + r), np.uint64(r << lowest)
        target = buffers[0, r] if level > 0 else out
        subtree_of_leaves(features, position, count, offset, threshold, labels, root, lowest, leaf, target)
    while level > 0:
        step = min(2, level)
        level -= step
        width = 1 << step
        for r in range(1 << level):
            below = buffers[side, r * width : (r + 1) * width]
            root = np.uint64((1 << level) - 1 + r)
            target = buffers[1 - side, r] if level > 0 else out
            subtree_of_buffers(features, position, count, offset, threshold, below, root, step, target)
        side = 1 - side


@kernel
def add_votes(plane, label, voted, step):
    """Add the tree's step to the windows of the plane that voted for its class."""
    for i in range(len(plane)):
        plane[i] += step if label[i] == voted else np.float32(0)


@kernel
def larger_of(a, b, out):
    """Elementwise maximum into a third array; LLVM does not vectorise it in place."""
    for i in range(len(out)):
        x, y = a[i], b[i]
        out[i] = x if x > y else y


@kernel
def most_votes(votes, length, spare):
    """Write each window's most votes of a view to the first row of `spare`, (2, RUN) scratch."""
    n_classes = len(votes)
    side = n_classes % 2
    for i in range(length):
        spare[side, i] = votes[1, i]
    for k in range(2, n_classes):
        larger_of(spare[side, :length], votes[k, :length], spare[1 - side, :length])
        side = 1 - side


@kernel
def keep_live(live, most, background, limit):
    """Clear the flag of windows whose trace is at or below the limit."""
    for i in range(len(live)):
        live[i] &= np.uint8(most[i] - background[i] > limit)


@kernel
def keep_above(live, trace, limit):
    """Clear the flag of windows whose trace is at or below the limit."""
    for i in range(len(live)):
        live[i] &= np.uint8(trace[i] > limit)


@kernel
def count_live(live):
    """Number of flags that are set."""
    count = np.uint32(0)
    for i in range(len(live)):
        count += np.uint32(live[i])
    return np.int64(count)


@kernel
def flag_inside(start, width, columns, live):
    """Set the flag of the positions at which a window fits into its row; return their number."""
    column, count = start % width, 0
    for i in range(len(live)):
        inside = column < columns
        live[i] = inside
        count += inside
        column = column + 1 if column + 1 < width else 0
    return count


@kernel
def begin_equal_views(
    features, width, rows_from, rows_to, columns, share, position, votes, blocks,
    offset, threshold, labels, step, rejection, n_safe, depth, until, scratch,
):  # fmt: skip
    """Begin with windows whose costs distinguish no two views: the trace is (most votes of a view) - background.

    Parameters
    ----------
    features : flat (C * h * w,) uint8 or float32
    width : int
        Cells in a row of a plane.
    rows_from, rows_to, columns : int
        The windows' rows and number of columns.
    share : float
        Share of live windows below which a run is handed on.
    position, votes : (n,) uint64, (n, K) float32, written
        Of the windows handed on, row-major order: first cell, and votes of each class so far.
    blocks : (blocks, 2) int64, written
        Of each run: the end of its windows in `position`, and its next tree.
    offset, threshold, labels : (T, nodes) uint32, (T, nodes), (T, nodes + 1) uint8
    step, rejection : (T,) float32
        Vote weight included.
    n_safe : int
        First trees after which no trace can have reached the rejection threshold.
    until : int
        Tree to stop before.
    scratch : see `band_scan.dense_scratch`
        For this function's own use.

    Returns
    -------
    windows handed on, evaluated window-trees
    """
    n_classes = votes.shape[1]
    first, last = rows_from * width, (rows_to - 1) * width + columns
    handed = 0
    evaluated = 0
    label, live, planes, spare, buffers = scratch
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        count = flag_inside(start, width, columns, live[:length])
        planes[:] = 0
        t = 0
        while t < until and count > share * length:
            evaluated += count
            tree_for_run(features, start, length, offset[t], threshold[t], labels[t], depth, buffers, label)
            for k in range(n_classes):
                add_votes(planes[k, :length], label, np.uint8(k), step[t])
            t += 1
            if t > n_safe:
                most_votes(planes, length, spare)
                keep_live(live[:length], spare[0], planes[0], rejection[t - 1])
                count = count_live(live[:length])
        for i in range(length):
            if live[i]:
                position[handed] = start + i
                for k in range(n_classes):
                    votes[handed, k] = planes[k, i]
                handed += 1
        blocks[(start - first) // RUN, 0] = handed
        blocks[(start - first) // RUN, 1] = t
    return handed, evaluated


@kernel
def begin_binary(
    features, width, rows_from, rows_to, columns, share, position, trace, blocks,
    offset, threshold, values, rejection, depth, until, scratch,
):  # fmt: skip
    """Begin with windows whose trace is the sum of leaf values.

    Parameters
    ----------
    trace : (n, 1) float32, written
        So far, of the windows handed on.
    values : (T, nodes + 1) float32
    features, width, ...
        As in `begin_equal_views`.

    Returns
    -------
    windows handed on, evaluated window-trees
    """
    first, last = rows_from * width, (rows_to - 1) * width + columns
    handed = 0
    evaluated = 0
    value, live, sums, _, buffers = scratch
    total = sums[0]
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        count = flag_inside(start, width, columns, live[:length])
        total[:] = 0
        t = 0
        while t < until and count > share * length:
            evaluated += count
            tree_for_run(features, start, length, offset[t], threshold[t], values[t], depth, buffers, value)
            for i in range(length):
                total[i] += value[i]
            keep_above(live[:length], total[:length], rejection[t])
            count = count_live(live[:length])
            t += 1
        for i in range(length):
            if live[i]:
                position[handed] = start + i
                trace[handed, 0] = total[i]
                handed += 1
        blocks[(start - first) // RUN, 0] = handed
        blocks[(start - first) // RUN, 1] = t
    return handed, evaluated
