"""How well the predicted views agree with the true ones.

All values use one greedy matching by boxes; faces whose view is not known are neutral. The confusion matrix
and the errors are taken over the true positives, so misses are left out of them: read recall beside them.
Sources: AVP from PASCAL3D+ (Xiang et al., WACV 2014), AOS from KITTI (Geiger et al., CVPR 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .detection_table import DetectionTable
from .greedy_matching import GreedyMatches, GreedyRule, match_greedily
from .ground_truth import FaceGroundTruth, counted_faces
from .precision_recall import (
    ELEVEN_RECALLS,
    FORTY_RECALLS,
    PrecisionRecallCurve,
    average_over_recall,
    average_precision,
)
from .reporting import format_table
from .views import UNKNOWN_VIEW, ViewSet


@dataclass(frozen=True, kw_only=True, eq=False)
class ViewMetrics:
    """Agreement of views; shares and averages are fractions.

    Parameters
    ----------
    views : tuple of str
    confusion : (n_views, n_views + 1) int64
        Rows: true view. Columns: predicted view, and in the last one the missed faces.
    mean_abs_error_deg, median_abs_error_deg : float or None
        Of the predicted against the true yaw; None without any true positive or where a view has no angle.
    avp, avp11 : float
        All-point and 11-point average precision where a detection of the wrong view is a false positive that
        uses up its face, for precision and recall alike.
    avp_box_recall : float
        The variant with the recall of boxes and the precision of views.
    aos11, aos40 : float or None
        Average orientation similarity over 11 and over 40 recall points.
    """

    views: tuple[str, ...]
    confusion: NDArray[np.int64]
    mean_abs_error_deg: float | None
    median_abs_error_deg: float | None
    avp: float
    avp11: float
    avp_box_recall: float
    aos11: float | None
    aos40: float | None

    @property
    def matched(self) -> int:
        """Faces of known view that are found."""
        return int(self.confusion[:, :-1].sum())

    @property
    def accuracy(self) -> float | None:
        """Share of the found faces with the right view; None if none is found."""
        return self._share_within(0)

    @property
    def within_one_view(self) -> float | None:
        """Share of the found faces with the right view or a neighbour of it; None if none is found."""
        return self._share_within(1)

    @property
    def mean_abs_error_views(self) -> float | None:
        """Mean distance between predicted and true view, counted in views; None if no face is found."""
        rows, columns = np.indices(self.confusion[:, :-1].shape)
        distances = np.abs(rows - columns) * self.confusion[:, :-1]
        return float(distances.sum() / self.matched) if self.matched else None

    @property
    def recall_per_view(self) -> tuple[float | None, ...]:
        """Share of each view's faces that are found, under whatever view; None for a view without faces."""
        faces = self.confusion.sum(axis=1)
        found = self.confusion[:, :-1].sum(axis=1)
        return tuple(float(hits / n) if n else None for hits, n in zip(found, faces, strict=True))

    def _share_within(self, distance: int) -> float | None:
        rows, columns = np.indices(self.confusion[:, :-1].shape)
        close = self.confusion[:, :-1][np.abs(rows - columns) <= distance].sum()
        return float(close / self.matched) if self.matched else None

    def summary(self) -> str:
        """Return the metrics as text, shares in percent."""
        header = ("true view", *self.views, "missed", "found")
        shares = self.recall_per_view
        rows = [
            (view, *counts, _percent(share))
            for view, counts, share in zip(self.views, self.confusion.tolist(), shares, strict=True)
        ]
        error = "-" if self.mean_abs_error_deg is None else f"{self.mean_abs_error_deg:.1f}"
        median = "-" if self.median_abs_error_deg is None else f"{self.median_abs_error_deg:.1f}"
        title = (
            f"views of {self.matched} found faces: {_percent(self.accuracy)} right, "
            f"{_percent(self.within_one_view)} within one view;\n"
            f"yaw error mean {error}, median {median} degrees; "
            f"AVP {_percent(self.avp)}, AOS40 {_percent(self.aos40)}"
        )
        return format_table(header, rows, title)

    def to_json(self) -> dict[str, Any]:
        """Return the `views` object of the evaluators' JSON; averages in percent, shares as fractions."""
        return {
            "views": list(self.views),
            "matched_faces": self.matched,
            "accuracy": self.accuracy,
            "within_one_view": self.within_one_view,
            "mean_abs_error_views": self.mean_abs_error_views,
            "recall_per_view": dict(zip(self.views, self.recall_per_view, strict=True)),
            "confusion": self.confusion.tolist(),
            "mean_abs_error_deg": self.mean_abs_error_deg,
            "median_abs_error_deg": self.median_abs_error_deg,
            "avp": 100 * self.avp,
            "avp11": 100 * self.avp11,
            "avp_box_recall": 100 * self.avp_box_recall,
            "aos11": None if self.aos11 is None else 100 * self.aos11,
            "aos40": None if self.aos40 is None else 100 * self.aos40,
        }


def view_metrics(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, view_set: ViewSet, rule: GreedyRule
) -> ViewMetrics:
    """Compare predicted with true views.

    Parameters
    ----------
    images : sequence of FaceGroundTruth
        With at least one counted face of known view.
    detections : DetectionTable
        Every detection with a view.
    view_set : ViewSet
    rule : GreedyRule
        Decides which detection belongs to which face; views play no part in it.
    """
    unplaced = int(np.count_nonzero(detections.view_indices == UNKNOWN_VIEW))
    if unplaced:
        raise ValueError(f"detections of view_metrics must all have a view, found {unplaced} without")
    images = [
        replace(image, ignored=image.ignored | (image.view_indices == UNKNOWN_VIEW)) for image in images
    ]
    matches = match_greedily(images, detections, rule)
    hits = np.flatnonzero(matches.is_true)
    true_views, true_angles = _true_views(images, matches, hits, view_set)
    predicted_views = detections.view_indices[matches.order]
    predicted_angles = detections.predicted_angles(view_set)[matches.order]

    n_faces = counted_faces(images)
    scores = detections.scores[matches.order]
    boxes = PrecisionRecallCurve.from_outcomes(
        scores, matches.is_true, matches.is_false, n_faces, len(images)
    )
    view_is_right = np.zeros_like(matches.is_true)
    view_is_right[hits] = predicted_views[hits] == true_views
    view_is_wrong = matches.is_false | (matches.is_true & ~view_is_right)
    views = PrecisionRecallCurve.from_outcomes(scores, view_is_right, view_is_wrong, n_faces, len(images))

    errors = np.abs((predicted_angles[hits] - true_angles + 180) % 360 - 180)
    measurable = len(errors) > 0 and not np.isnan(errors).any()
    similarity = _orientation_similarity(boxes, hits, errors)
    return ViewMetrics(
        views=view_set.names,
        confusion=_confusion(images, true_views, predicted_views[hits], len(view_set)),
        mean_abs_error_deg=float(np.mean(errors)) if measurable else None,
        median_abs_error_deg=float(np.median(errors)) if measurable else None,
        avp=views.average_precision(),
        avp11=views.eleven_point_average_precision(),
        avp_box_recall=average_precision(boxes.recall, views.precision),
        aos11=average_over_recall(boxes.recall, similarity, ELEVEN_RECALLS) if measurable else None,
        aos40=average_over_recall(boxes.recall, similarity, FORTY_RECALLS) if measurable else None,
    )


def _true_views(
    images: Sequence[FaceGroundTruth], matches: GreedyMatches, hits: NDArray[np.int64], view_set: ViewSet
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return view and yaw of the face of each hit; the view's own angle where the yaw was not annotated."""
    pairs = list(zip(matches.image_indices[hits], matches.face_indices[hits], strict=True))
    views = np.array([images[image].view_indices[face] for image, face in pairs], dtype=np.int64)
    yaws = np.array([images[image].yaws_deg[face] for image, face in pairs], dtype=np.float64)
    return views, np.where(np.isnan(yaws), np.asarray(view_set.angles_deg)[views], yaws)


def _confusion(
    images: Sequence[FaceGroundTruth],
    true_views: NDArray[np.int64],
    predicted_views: NDArray[np.int64],
    n_views: int,
) -> NDArray[np.int64]:
    confusion = np.zeros((n_views, n_views + 1), dtype=np.int64)
    np.add.at(confusion, (true_views, predicted_views), 1)
    for image in images:
        np.add.at(confusion[:, -1], image.view_indices[~image.ignored], 1)
    confusion[:, -1] -= confusion[:, :-1].sum(axis=1)
    return confusion


def _orientation_similarity(
    boxes: PrecisionRecallCurve, hits: NDArray[np.int64], errors_deg: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return at each rank the mean of ``(1 + cos error) / 2``, false positives being 0."""
    gained = np.zeros(len(boxes.scores))
    gained[hits] = (1 + np.cos(np.deg2rad(errors_deg))) / 2
    counting = boxes.true_positives + boxes.false_positives
    return np.divide(np.cumsum(gained), counting, out=np.zeros(len(counting)), where=counting > 0)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"
