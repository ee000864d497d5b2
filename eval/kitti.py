"""KITTI's 2D object benchmark: average precision and average orientation similarity.

Both versions of the official program (C++ development kit, Geiger, Lenz, Urtasun, CVPR 2012), rule by rule;
they differ in the treatment of low detections (`kitti_rules.detection_parts`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..detector.kitti_format import NO_ANGLE
from .kitti_matching import KittiMatching, KittiTask
from .kitti_objects import KittiObjects
from .kitti_result import CURVE_PLACES, KittiCurve, KittiResult
from .kitti_rules import KITTI_CLASSES, KITTI_LEVELS, KITTI_VERSIONS, KittiVersion, is_evaluated
from .kitti_views import KittiViewMetrics, kitti_view_metrics
from .precision_recall import average_precision


def evaluate_kitti(
    labels: KittiObjects, detections: KittiObjects, version: KittiVersion = "current", *, n_views: int = 20
) -> KittiResult:
    """Evaluate detections of cars, pedestrians and cyclists.

    Parameters
    ----------
    labels, detections : KittiObjects
        Of the same frames in the same order.
    version : {"current", "pre2017"}
        The benchmark since 25 April 2017, or before (as in the BAdaCost paper).
    n_views : int
        Bins around a car in which predicted and true angles are compared.

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
    if n_views < 2:
        raise ValueError(f"n_views of evaluate_kitti must be at least 2, found {n_views}")
    matching = KittiMatching.of(labels, detections)
    # One detection without an angle, whatever its class, switches the orientation off everywhere.
    with_orientation = not np.any(detections.alpha == NO_ANGLE)
    classes: dict[str, dict[str, KittiCurve] | None] = {}
    for kitti_class in KITTI_CLASSES:
        classes[kitti_class.name] = None
        if is_evaluated(detections, kitti_class, version):
            classes[kitti_class.name] = {
                level.name: _evaluate_level(
                    matching, matching.task(kitti_class, level, version), with_orientation
                )
                for level in KITTI_LEVELS
            }
    return KittiResult(
        version=version,
        n_frames=labels.n_frames,
        classes=classes,
        views=_views(matching, version, n_views) if with_orientation and classes["car"] is not None else None,
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


def _evaluate_level(matching: KittiMatching, task: KittiTask, with_orientation: bool) -> KittiCurve:
    scores = matching.first_pass(task)
    thresholds = recall_thresholds(scores, task.n_valid)
    outcomes = matching.second_pass(task, thresholds)
    voc_ap = None
    if 0 < task.n_valid < CURVE_PLACES:
        at_every_score = matching.second_pass(task, np.unique(scores)[::-1])
        recall = at_every_score.true_positives / task.n_valid
        voc_ap = 100.0 * average_precision(recall, at_every_score.precision)
    return KittiCurve(
        n_valid=task.n_valid,
        thresholds=thresholds,
        true_positives=outcomes.true_positives,
        false_positives=outcomes.false_positives,
        false_negatives=outcomes.false_negatives,
        precision=_falling_curve(outcomes.precision),
        orientation=_falling_curve(outcomes.orientation) if with_orientation else None,
        voc_ap=voc_ap,
    )


def _views(matching: KittiMatching, version: KittiVersion, n_views: int) -> KittiViewMetrics | None:
    """Return the view metrics of the class and level that methods are ranked by; None without such labels."""
    kitti_class, level = KITTI_CLASSES[0], KITTI_LEVELS[1]
    task = matching.task(kitti_class, level, version)
    if not task.n_valid:
        return None
    return kitti_view_metrics(matching, task, n_views, kitti_class.name, level.name)


def _falling_curve(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put one value a threshold into the 41 places, and take the largest of each place and all later ones."""
    curve = np.zeros(CURVE_PLACES)
    curve[: len(values)] = values
    return np.maximum.accumulate(curve[::-1])[::-1].copy()
