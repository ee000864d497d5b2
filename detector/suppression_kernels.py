"""Kernel of non-maximum suppression."""

from __future__ import annotations

import numpy as np

from ..features.compilation import kernel


@kernel
def unsuppressed(boxes, overlap, greedy, by_union):
    """Tell which boxes no better box overlaps too much.

    Parameters
    ----------
    boxes : (n, 4) float64, best first
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
    for i in range(n):
        area[i] = (boxes[i, 2] - boxes[i, 0]) * (boxes[i, 3] - boxes[i, 1])
    for i in range(n):
        if greedy and not kept[i]:
            continue
        for j in range(i + 1, n):
            if not kept[j]:
                continue
            width = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0])
            if width <= 0:
                continue
            height = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1])
            if height <= 0:
                continue
            shared = width * height
            divisor = area[i] + area[j] - shared if by_union else min(area[i], area[j])
            if shared > overlap * divisor:
                kept[j] = False
    return kept
