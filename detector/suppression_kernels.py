"""Kernel of non-maximum suppression."""

from __future__ import annotations

from ..features.compilation import kernel


@kernel
def suppress_overlapping(boxes, left, place, group_start, widest, overlap, greedy, by_union, kept):
    """Clear the flags of boxes that a better box overlaps too much.

    A box is compared only with boxes that reach its columns: in a group of boxes of similar width, sorted by
    their left edges, these are neighbours.

    Parameters
    ----------
    boxes : (n, 4) float64, best first
    left : (n,) float64
        Left edges, in the order of `place`.
    place : (n,) int64
        Boxes ordered by group, in a group by left edge.
    group_start : (groups + 1,) int64
        Where each group begins in `place`.
    widest : (groups,) float64
        Largest width in each group.
    overlap : float
    greedy : bool
        Whether suppressed boxes are without effect.
    by_union : bool
        Divide the intersection by the union, else by the smaller area.
    kept : (n,) bool, all true; written
    """
    for i in range(len(boxes)):
        if greedy and not kept[i]:
            continue
        x1, y1, x2, y2 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
        area = (x2 - x1) * (y2 - y1)
        for group in range(len(widest)):
            # The first box of the group that may reach x1, by bisection.
            position, after, stop = group_start[group], group_start[group + 1], group_start[group + 1]
            while position < after:
                middle = (position + after) // 2
                if left[middle] < x1 - widest[group]:
                    position = middle + 1
                else:
                    after = middle
            while position < stop and left[position] < x2:
                j = place[position]
                position += 1
                if j <= i or not kept[j]:
                    continue
                height = min(y2, boxes[j, 3]) - max(y1, boxes[j, 1])
                width = min(x2, boxes[j, 2]) - max(x1, boxes[j, 0])
                if height <= 0 or width <= 0:
                    continue
                shared = width * height
                other = (boxes[j, 2] - boxes[j, 0]) * (boxes[j, 3] - boxes[j, 1])
                divisor = area + other - shared if by_union else min(area, other)
                if shared > overlap * divisor:
                    kept[j] = False
