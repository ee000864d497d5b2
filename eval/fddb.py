"""FDDB's discrete and continuous evaluation (Jain and Learned-Miller, UMass TR 2010-009)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from .fddb_faces import FddbDetections, FddbImage
from .fddb_matching import ThresholdCounts, count_at_thresholds
from .fddb_regions import region_overlaps
from .fddb_result import FddbResult, RocCurve
from .input_records import EvaluationError

# Score of the last row, which the official program adds when an image has no detection.
NO_DETECTION_SCORE = sys.float_info.max


def evaluate_fddb(images: Sequence[FddbImage], detections: FddbDetections) -> FddbResult:
    """Score the detections of all images.

    Parameters
    ----------
    images : sequence of FddbImage
    detections : FddbDetections
        In the order of `images`.

    Returns
    -------
    FddbResult

    Raises
    ------
    EvaluationError
        If there is no annotated face, or an image occurs twice.
    """
    if len({image.name for image in images}) != len(images):
        raise EvaluationError("an image occurs twice in the ground truth")
    n_faces = sum(len(image.ellipses) for image in images)
    if n_faces == 0:
        raise EvaluationError("the ground truth holds no face: rates are undefined")
    counts = []
    for image, regions, scores in zip(images, detections.regions, detections.scores, strict=True):
        overlaps = region_overlaps(image.ellipses, regions, image.height, image.width)
        counts.append(count_at_thresholds(overlaps, scores))
    discrete, continuous = _merge(counts, n_faces)
    return FddbResult(
        n_images=len(images),
        n_faces=n_faces,
        n_detections=len(detections),
        discrete=discrete,
        continuous=continuous,
    )


def _merge(counts: Sequence[ThresholdCounts], n_faces: int) -> tuple[RocCurve, RocCurve]:
    """Add up the images at every score of any image.

    At a common threshold an image stands at its own lowest score that reaches it. From the highest score to
    the lowest, each own score therefore changes the sums by its difference to the one before.
    """
    scores = np.concatenate([image.scores for image in counts])
    active, true_positives, overlap = (
        np.concatenate([np.diff(getattr(image, name), prepend=0) for image in counts])
        for name in ("active", "true_positives", "overlap")
    )
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    sums = [np.cumsum(changes[order])[last][::-1] for changes in (active, true_positives, overlap)]
    thresholds = ranked[last][::-1]
    if any(len(image.scores) == 0 for image in counts):
        thresholds = np.append(thresholds, NO_DETECTION_SCORE)
        sums = [np.append(values, 0) for values in sums]
    false_positives = (sums[0] - sums[1]).astype(np.int64)
    return (
        RocCurve(true_positive_rate=sums[1] / n_faces, false_positives=false_positives, scores=thresholds),
        RocCurve(true_positive_rate=sums[2] / n_faces, false_positives=false_positives, scores=thresholds),
    )
