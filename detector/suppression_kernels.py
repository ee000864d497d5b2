"""Kernel of non-maximum suppression."""

from __future__ import annotations

import numpy as np

from ..features.compilation import kernel


@kernel
def unsuppressed(boxes, place, group_start, widest, overlap, greedy, by_union):
    """Tell which boxes no better box overlaps too much.

    A box is compared only with boxes that reach its columns: in a group of boxes of similar width, sorted by
    their left edges, these are neighbours.

    Parameters
    ----------
    boxes : (n, 4) float64, best first
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

    Returns
    -------
    (n,) bool
    """
    n = len(boxes)
    kept = np.ones(n, np.bool_)
    area = np.empty(n, np.float64)
    left = np.empty(n, np.float64)
    for i in range(n):
        area[i] = (boxes[i, 2] - boxes[i, 0]) * (boxes[i, 3] - boxes[i, 1])
        left[i] = boxes[place[i], 0]
    for i in range(n):
        if greedy and not kept[i]:
            continue
        x1, y1, x2, y2 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
        for group in range(len(widest)):
            start, stop = group_start[group], group_start[group + 1]
            first = start + np.searchsorted(left[start:stop], x1 - widest[group])
            last = start + np.searchsorted(left[start:stop], x2)
            for position in range(first, last):
                j = place[position]
                if j <= i or not kept[j]:
                    continue
                height = min(y2, boxes[j, 3]) - max(y1, boxes[j, 1])
                width = min(x2, boxes[j, 2]) - max(x1, boxes[j, 0])
                if height <= 0 or width <= 0:
                    continue
                shared = width * height
                divisor = area[i] + area[j] - shared if by_union else min(area[i], area[j])
                if shared > overlap * divisor:
                    kept[j] = False
    return kept
