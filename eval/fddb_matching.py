"""One-to-one assignment of detections to annotated faces, for every threshold of an image.

FDDB takes the assignment with the largest sum of overlaps, and takes it anew for the detections above each threshold.
The official program's solver stops early on differences of 1e-15; this one is exact, so that in crowded images its
continuous score can be higher.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MATCH_OVERLAP = 0.5


class ThresholdCounts(NamedTuple):
    """An image's outcome at each of its own scores, from the highest to the lowest.

    Parameters
    ----------
    scores : (k,) float64
        The distinct scores.
    active : (k,) int64
        Detections that reach the score.
    true_positives : (k,) int64
        Assigned pairs that overlap by more than a half.
    overlap : (k,) float64
        Sum of the overlaps of all assigned pairs.
    """

    scores: NDArray[np.float64]
    active: NDArray[np.int64]
    true_positives: NDArray[np.int64]
    overlap: NDArray[np.float64]


def best_assignment(overlaps: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows and columns of the one-to-one assignment with the largest sum of overlaps.

    Pairs without any overlap are left out.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(overlaps, maximize=True)
    touching = overlaps[rows, columns] > 0
    return rows[touching], columns[touching]


def count_at_thresholds(overlaps: NDArray[np.float64], scores: NDArray[np.float64]) -> ThresholdCounts:
    """Assign anew at each score of an image.

    Parameters
    ----------
    overlaps : (n_faces, n_detections) float64
    scores : (n_detections,) float64
    """
    order = np.argsort(-scores, kind="stable")
    ranked, ranked_overlaps = scores[order], overlaps[:, order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    active = np.flatnonzero(last) + 1
    true_positives = np.zeros(len(active), dtype=np.int64)
    sums = np.zeros(len(active))
    for place, count in enumerate(active.tolist()):
        rows, columns = best_assignment(ranked_overlaps[:, :count])
        assigned = ranked_overlaps[rows, columns]
        true_positives[place] = np.count_nonzero(assigned > MATCH_OVERLAP)
        sums[place] = assigned.sum()
    return ThresholdCounts(ranked[last], active, true_positives, sums)
