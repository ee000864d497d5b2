"""The box protocol of AFW and PASCAL Faces (Mathias et al., ECCV 2014), for any set of annotated boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .box_refinement import Refinement, refine_boxes
from .detection_table import DetectionTable
from .face_boxes_result import FaceBoxCurve, FaceBoxResult, OperatingPoint
from .greedy_matching import MATHIAS_RULE, GreedyRule, match_greedily
from .ground_truth import FaceGroundTruth, check_unique_names, counted_faces, has_views
from .image_resampling import ap_standard_error
from .precision_recall import PrecisionRecallCurve
from .view_metrics import ViewMetrics, view_metrics
from .views import FACE_VIEWS, UNKNOWN_VIEW, ViewSet


@dataclass(frozen=True, kw_only=True)
class FaceBoxOptions:
    """The protocol's choices; the defaults are the benchmark's.

    Parameters
    ----------
    min_face : float
        Faces with a shorter side than this, in original pixels, are ignored; 0 counts all.
    filter_small_detections : bool
        Drop detections with no side above ``floor(sqrt(min_face ** 2 / 2))`` original pixels (21 for 30)
        first.
    refine : bool
        Also report the curve after box refinement, the "Mathias protocol".
    refinement_rounds : int
    rule : GreedyRule
    fp_per_image : tuple of float
        False positives an image at which recall is reported.
    resampling_draws : int
        How often the images are drawn again for the standard error of AP; 0 gives none.
    random_state : int
        Seed of these draws.
    """

    min_face: float = 30.0
    filter_small_detections: bool = True
    refine: bool = False
    refinement_rounds: int = 5
    rule: GreedyRule = MATHIAS_RULE
    fp_per_image: tuple[float, ...] = (1.0, 0.1)
    resampling_draws: int = 0
    random_state: int = 0

    def __post_init__(self) -> None:
        if not self.min_face >= 0:
            raise ValueError(f"min_face of FaceBoxOptions must be at least 0, found {self.min_face}")
        if self.resampling_draws == 1 or self.resampling_draws < 0:
            raise ValueError(
                f"resampling_draws of FaceBoxOptions must be 0 or at least 2, found {self.resampling_draws}"
            )
        if any(not rate > 0 for rate in self.fp_per_image):
            raise ValueError(f"fp_per_image of FaceBoxOptions must be positive, found {self.fp_per_image}")

    @property
    def min_detection(self) -> float:
        """Side that a detection must exceed in width or height, in original pixels."""
        return math.floor(math.sqrt(0.5 * self.min_face**2)) if self.filter_small_detections else 0.0


def evaluate_face_boxes(
    images: Sequence[FaceGroundTruth],
    detections: DetectionTable,
    options: FaceBoxOptions | None = None,
    *,
    view_set: ViewSet = FACE_VIEWS,
) -> FaceBoxResult:
    """Score the detections of a data set.

    Parameters
    ----------
    images : sequence of FaceGroundTruth
        Every image that was searched, also those without faces: they count for the false positives an image.
    detections : DetectionTable
        `image_indices` refer to `images`.
    options : FaceBoxOptions, optional
    view_set : ViewSet
        What the view indices of both mean.

    Returns
    -------
    FaceBoxResult

    Raises
    ------
    EvaluationError
        If no face counts, or two images have the same name.
    """
    options = options or FaceBoxOptions()
    check_unique_names(images)
    images = [image.with_small_ignored(options.min_face) for image in images]
    detections = _without_small(images, detections, options.min_detection)
    raw = _score(images, detections, options, view_set)
    refined = None
    refinement: Refinement | None = None
    if options.refine:
        refinement = refine_boxes(images, detections, options.rule, options.refinement_rounds)
        refined = _score(images, refinement.detections, options, view_set)
    return FaceBoxResult(
        n_images=len(images),
        n_detections=len(detections),
        counted_faces=counted_faces(images),
        ignored_faces=sum(len(image) for image in images) - counted_faces(images),
        raw=raw,
        refined=refined,
        printed_transform=refinement.printed if refinement else None,
        applied_transform=refinement.applied if refinement else None,
    )


def _without_small(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, min_side: float
) -> DetectionTable:
    """Drop detections with no side above `min_side` original pixels."""
    if min_side <= 0:
        return detections
    scales = np.array([image.scale for image in images])[detections.image_indices]
    sides = detections.boxes[:, 2:] - detections.boxes[:, :2]
    return detections[(sides > min_side * scales[:, None]).any(axis=1)]


def _score(
    images: Sequence[FaceGroundTruth],
    detections: DetectionTable,
    options: FaceBoxOptions,
    view_set: ViewSet,
) -> FaceBoxCurve:
    """Match once, and read everything off that matching."""
    matches = match_greedily(images, detections, options.rule)
    curve = PrecisionRecallCurve.from_outcomes(
        detections.scores[matches.order],
        matches.is_true,
        matches.is_false,
        counted_faces(images),
        len(images),
    )
    points = []
    for rate in options.fp_per_image:
        rows = curve.rows_at_threshold(rate)
        accepted = detections[np.sort(matches.order[:rows])]
        points.append(
            OperatingPoint(
                fp_per_image_allowed=rate,
                fp_per_image=float(curve.false_positives[rows - 1] / len(images)) if rows else 0.0,
                score=float(curve.scores[rows - 1]) if rows else None,
                recall=curve.recall_at(rate),
                views=_views(images, accepted, options.rule, view_set),
            )
        )
    error = None
    if options.resampling_draws:
        error = 100 * ap_standard_error(images, matches, options.resampling_draws, options.random_state)
    return FaceBoxCurve(
        curve=curve,
        ap_standard_error=error,
        operating_points=tuple(points),
        views=_views(images, detections, options.rule, view_set),
    )


def _views(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, rule: GreedyRule, view_set: ViewSet
) -> ViewMetrics | None:
    """Return the view metrics; None where ground truth or detections have no views."""
    if not has_views(images) or not np.all(detections.view_indices != UNKNOWN_VIEW):
        return None
    return view_metrics(images, detections, view_set, rule)
