"""KITTI's two matching passes on the labels and detections of a data set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kitti_kernels import collect_scores, count_outcomes, frame_overlaps
from .kitti_objects import KittiObjects
from .kitti_rules import DONT_CARE, VALID, KittiClass, KittiLevel, KittiVersion, detection_parts, label_parts


@dataclass(frozen=True, eq=False)
class KittiTask:
    """One class at one level: the part that everything plays.

    Parameters
    ----------
    min_overlap : float
        Intersection over union that a match must exceed.
    label_parts, detection_parts : (n,) and (m,) uint8
        See `kitti_rules`.
    """

    min_overlap: float
    label_parts: NDArray[np.uint8]
    detection_parts: NDArray[np.uint8]

    @property
    def n_valid(self) -> int:
        """Number of labels that count."""
        return int(np.count_nonzero(self.label_parts == VALID))


@dataclass(frozen=True, eq=False)
class KittiOutcomes:
    """Sums over all frames at each of k thresholds.

    Parameters
    ----------
    true_positives, false_positives, false_negatives : (k,) int64
    similarity : (k,) float64
        Sum of the true positives' orientation similarity.
    of_detections : (m,) int64
        At the last threshold: the label that each detection found, `FALSE_POSITIVE` or `NEUTRAL`.
    """

    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    false_negatives: NDArray[np.int64]
    similarity: NDArray[np.float64]
    of_detections: NDArray[np.int64]

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of true positives among the detections that count."""
        return self._per_detection(self.true_positives)

    @property
    def orientation(self) -> NDArray[np.float64]:
        """Mean orientation similarity of the detections that count."""
        return self._per_detection(self.similarity)

    def _per_detection(self, total: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        counting = self.true_positives + self.false_positives
        return np.divide(total, counting, out=np.zeros(len(counting)), where=counting > 0)


@dataclass(frozen=True, eq=False)
class KittiMatching:
    """Labels and detections with the overlap of each pair of a frame, shared by all classes and levels.

    Parameters
    ----------
    labels, detections : KittiObjects
    pair_starts : (n_frames + 1,) int64
    overlaps : (n_pairs,) float64
        See `kitti_kernels.frame_overlaps`.
    """

    labels: KittiObjects
    detections: KittiObjects
    pair_starts: NDArray[np.int64]
    overlaps: NDArray[np.float64]

    @classmethod
    def of(cls, labels: KittiObjects, detections: KittiObjects) -> KittiMatching:
        """Compute the overlaps."""
        counts = np.diff(labels.frame_starts) * np.diff(detections.frame_starts)
        pair_starts = np.concatenate(([0], np.cumsum(counts)))
        overlaps = np.empty(pair_starts[-1])
        frame_overlaps(
            np.ascontiguousarray(labels.boxes, dtype=np.float64),
            labels.types == DONT_CARE,
            labels.frame_starts,
            np.ascontiguousarray(detections.boxes, dtype=np.float64),
            detections.frame_starts,
            pair_starts,
            overlaps,
        )
        return cls(labels, detections, pair_starts, overlaps)

    def task(self, kitti_class: KittiClass, level: KittiLevel, version: KittiVersion) -> KittiTask:
        """Return the parts that labels and detections play for a class at a level."""
        return KittiTask(
            kitti_class.overlap,
            label_parts(self.labels, kitti_class, level),
            detection_parts(self.detections, kitti_class, level, version),
        )

    def first_pass(self, task: KittiTask) -> NDArray[np.float64]:
        """Return the scores of the true positives without a threshold, in no particular order."""
        collected = np.empty(task.n_valid)
        count = collect_scores(
            task.label_parts,
            self.labels.frame_starts,
            task.detection_parts,
            self.detections.scores,
            self.detections.frame_starts,
            self.pair_starts,
            self.overlaps,
            task.min_overlap,
            collected,
        )
        return collected[:count]

    def second_pass(self, task: KittiTask, thresholds: NDArray[np.float64]) -> KittiOutcomes:
        """Count the outcomes at each of (k,) thresholds."""
        counts = np.zeros((3, len(thresholds)), dtype=np.int64)
        similarity = np.zeros(len(thresholds))
        of_detections = np.empty(len(self.detections), dtype=np.int64)
        count_outcomes(
            task.label_parts,
            self.labels.alpha,
            self.labels.frame_starts,
            task.detection_parts,
            self.detections.alpha,
            self.detections.scores,
            self.detections.frame_starts,
            self.pair_starts,
            self.overlaps,
            task.min_overlap,
            np.ascontiguousarray(thresholds, dtype=np.float64),
            counts[0],
            counts[1],
            counts[2],
            similarity,
            of_detections,
        )
        return KittiOutcomes(counts[0], counts[1], counts[2], similarity, of_detections)
