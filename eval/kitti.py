"""KITTI's 2D object benchmark: average precision and average orientation similarity.

Both versions of the official program (C++ development kit, Geiger, Lenz, Urtasun, CVPR 2012), rule by rule;
they differ in the treatment of low detections (`kitti_rules.detection_parts`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..detector.kitti_format import NO_ANGLE
from .kitti_kernels import collect_scores, count_outcomes, frame_overlaps
from .kitti_objects import KittiObjects
from .kitti_result import CURVE_PLACES, KittiCurve, KittiResult
from .kitti_rules import (
    DONT_CARE,
    KITTI_CLASSES,
    KITTI_LEVELS,
    KITTI_VERSIONS,
    VALID,
    KittiClass,
    KittiVersion,
    detection_parts,
    is_evaluated,
    label_parts,
)
from .precision_recall import average_precision


def evaluate_kitti(
    labels: KittiObjects, detections: KittiObjects, version: KittiVersion = "current"
) -> KittiResult:
    """Evaluate detections of cars, pedestrians and cyclists.

    Parameters
    ----------
    labels, detections : KittiObjects
        Of the same frames in the same order.
    version : {"current", "pre2017"}
        The benchmark since 25 April 2017, or before (as in the BAdaCost paper).

    Returns
    -------
    KittiResult

    Raises
    ------
    ValueError
        If the numbers of frames differ, a detection has no score, or the version is unknown.
    """
    if version not in KITTI_VERSIONS:
        raise ValueError(f"version of evaluate_kitti must be one of {KITTI_VERSIONS}, found {version!r}")
    if labels.n_frames != detections.n_frames:
        raise ValueError(
            f"labels and detections of evaluate_kitti must have the same frames, "
            f"found {labels.n_frames} and {detections.n_frames}"
        )
    if not np.isfinite(detections.scores).all():
        raise ValueError("scores of the detections of evaluate_kitti must be finite, found NaN or infinity")
    pairs = _Pairs.of(labels, detections)
    # One detection without an angle, whatever its class, switches the orientation off everywhere.
    with_orientation = not np.any(detections.alpha == NO_ANGLE)
    return KittiResult(
        version=version,
        n_frames=labels.n_frames,
        classes={
            kitti_class.name: {
                level.name: _evaluate_level(
                    pairs,
                    kitti_class,
                    label_parts(labels, kitti_class, level),
                    detection_parts(detections, kitti_class, level, version),
                    with_orientation,
                )
                for level in KITTI_LEVELS
            }
            if is_evaluated(detections, kitti_class, version)
            else None
            for kitti_class in KITTI_CLASSES
        },
    )


def recall_thresholds(scores: NDArray[np.float64], n_valid: int) -> NDArray[np.float64]:
    """Choose the scores at which the recall is nearest to each fortieth.

    Parameters
    ----------
    scores : (n,) float64
        Of the true positives of the first pass, in any order.
    n_valid : int
        Labels that count, at least ``len(scores)``.

    Returns
    -------
    (k,) float64
        Falling, at most 41; equal scores may occur more than once.
    """
    falling = np.sort(scores)[::-1].tolist()
    last = len(falling) - 1
    wanted_recall = 0.0
    thresholds = []
    for index, score in enumerate(falling):
        recall = (index + 1) / n_valid
        next_recall = (index + 2) / n_valid if index < last else recall
        if next_recall - wanted_recall < wanted_recall - recall and index < last:
            continue
        thresholds.append(score)
        wanted_recall += 1.0 / (CURVE_PLACES - 1)
    return np.array(thresholds, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Labels and detections with the overlap of each pair of a frame, shared by all classes and levels."""

    labels: KittiObjects
    detections: KittiObjects
    starts: NDArray[np.int64]
    overlaps: NDArray[np.float64]

    @classmethod
    def of(cls, labels: KittiObjects, detections: KittiObjects) -> _Pairs:
        counts = np.diff(labels.frame_starts) * np.diff(detections.frame_starts)
        starts = np.concatenate(([0], np.cumsum(counts)))
        overlaps = np.empty(starts[-1])
        frame_overlaps(
            np.ascontiguousarray(labels.boxes, dtype=np.float64),
            labels.types == DONT_CARE,
            labels.frame_starts,
            np.ascontiguousarray(detections.boxes, dtype=np.float64),
            detections.frame_starts,
            starts,
            overlaps,
        )
        return cls(labels, detections, starts, overlaps)

    def first_pass(
        self, parts: tuple[NDArray[np.uint8], NDArray[np.uint8]], min_overlap: float
    ) -> NDArray[np.float64]:
        """Return the scores of the true positives without a threshold."""
        collected = np.empty(np.count_nonzero(parts[0] == VALID))
        count = collect_scores(
            parts[0],
            self.labels.frame_starts,
            parts[1],
            self.detections.scores,
            self.detections.frame_starts,
            self.starts,
            self.overlaps,
            min_overlap,
            collected,
        )
        return collected[:count]

    def second_pass(
        self,
        parts: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        min_overlap: float,
        thresholds: NDArray[np.float64],
    ) -> _Outcomes:
        """Count the outcomes at each threshold."""
        counts = np.zeros((3, len(thresholds)), dtype=np.int64)
        similarity = np.zeros(len(thresholds))
        count_outcomes(
            parts[0],
            self.labels.alpha,
            self.labels.frame_starts,
            parts[1],
            self.detections.alpha,
            self.detections.scores,
            self.detections.frame_starts,
            self.starts,
            self.overlaps,
            min_overlap,
            thresholds,
            counts[0],
            counts[1],
            counts[2],
            similarity,
        )
        return _Outcomes(counts[0], counts[1], counts[2], similarity)


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Sums over all frames at each threshold."""

    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    false_negatives: NDArray[np.int64]
    similarity: NDArray[np.float64]

    def per_detection(self, gain: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Divide a sum by the number of detections that count; 0 where none does."""
        counting = self.true_positives + self.false_positives
        return np.divide(gain, counting, out=np.zeros(len(counting)), where=counting > 0)


def _evaluate_level(
    pairs: _Pairs,
    kitti_class: KittiClass,
    label_parts_: NDArray[np.uint8],
    detection_parts_: NDArray[np.uint8],
    with_orientation: bool,
) -> KittiCurve:
    parts = (label_parts_, detection_parts_)
    n_valid = int(np.count_nonzero(label_parts_ == VALID))
    scores = pairs.first_pass(parts, kitti_class.overlap)
    thresholds = recall_thresholds(scores, n_valid)
    outcomes = pairs.second_pass(parts, kitti_class.overlap, thresholds)
    voc_ap = None
    if 0 < n_valid < CURVE_PLACES:
        every = pairs.second_pass(parts, kitti_class.overlap, np.unique(scores)[::-1].copy())
        recall = every.true_positives / n_valid
        voc_ap = 100.0 * average_precision(recall, every.per_detection(every.true_positives))
    return KittiCurve(
        n_valid=n_valid,
        thresholds=thresholds,
        true_positives=outcomes.true_positives,
        false_positives=outcomes.false_positives,
        false_negatives=outcomes.false_negatives,
        precision=_falling_curve(outcomes.per_detection(outcomes.true_positives)),
        orientation=_falling_curve(outcomes.per_detection(outcomes.similarity)) if with_orientation else None,
        voc_ap=voc_ap,
    )


def _falling_curve(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put one value a threshold into the 41 places, and take the largest of each place and all later ones."""
    curve = np.zeros(CURVE_PLACES)
    curve[: len(values)] = values
    return np.maximum.accumulate(curve[::-1])[::-1].copy()
