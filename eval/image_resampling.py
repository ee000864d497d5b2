"""Standard errors by drawing the images of a test set again (the bootstrap; Efron, 1979)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .greedy_matching import GreedyMatches
from .ground_truth import FaceGroundTruth
from .precision_recall import average_precision


def ap_standard_error(
    images: Sequence[FaceGroundTruth], matches: GreedyMatches, draws: int, random_state: int = 0
) -> float:
    """Return the standard error of the average precision, a fraction.

    An image's matches do not depend on the other images, so each draw only counts images several times or
    not at all.

    Parameters
    ----------
    images : sequence of FaceGroundTruth
    matches : GreedyMatches
    draws : int
        At least 2; draws without any counted face are repeated.
    random_state : int
    """
    if draws < 2:
        raise ValueError(f"draws of ap_standard_error must be at least 2, found {draws}")
    rng = np.random.default_rng(random_state)
    faces = np.array([np.count_nonzero(~image.ignored) for image in images])
    if not faces.any():
        raise ValueError("images of ap_standard_error must hold at least one counted face, found none")
    values: list[float] = []
    while len(values) < draws:
        times = np.bincount(rng.integers(len(images), size=len(images)), minlength=len(images))
        n_faces = int(times @ faces)
        if n_faces == 0:
            continue
        weights = times[matches.image_indices]
        found = np.cumsum(weights * matches.is_true)
        counting = found + np.cumsum(weights * matches.is_false)
        precision = np.divide(found, counting, out=np.zeros(len(found)), where=counting > 0)
        values.append(average_precision(found / n_faces, precision))
    return float(np.std(values, ddof=1))
