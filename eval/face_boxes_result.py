"""What the box protocol reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .precision_recall import PrecisionRecallCurve
from .view_metrics import ViewMetrics


@dataclass(frozen=True, kw_only=True, eq=False)
class OperatingPoint:
    """The detector at the lowest score with at most so many false positives an image.

    Parameters
    ----------
    fp_per_image_allowed, fp_per_image : float
        The limit and what the detector makes of it.
    score : float or None
        The threshold; None if even the best score makes too many false positives.
    recall : float
        Fraction.
    views : ViewMetrics or None
    """

    fp_per_image_allowed: float
    fp_per_image: float
    score: float | None
    recall: float
    views: ViewMetrics | None

    def to_json(self) -> dict[str, Any]:
        """Return numbers under the names of the evaluators' JSON."""
        views = None
        if self.views is not None:
            keys = ("accuracy", "within_one_view", "mean_abs_error_views", "recall_per_view", "confusion")
            views = {key: value for key, value in self.views.to_json().items() if key in keys}
        return {
            "score": self.score,
            "fp_per_image": self.fp_per_image,
            "recall": self.recall,
            "views": views,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceBoxCurve:
    """One precision-recall curve with what is read off it.

    Parameters
    ----------
    curve : PrecisionRecallCurve
    operating_points : tuple of OperatingPoint
    views : ViewMetrics or None
        Over all detections; None where ground truth or detections have no views.
    """

    curve: PrecisionRecallCurve
    operating_points: tuple[OperatingPoint, ...]
    views: ViewMetrics | None

    @property
    def ap_percent(self) -> float:
        """All-point average precision in percent."""
        return 100 * self.curve.average_precision()

    def to_json(self) -> dict[str, Any]:
        """Return the curve and its averages; AP in percent, everything else as fractions."""
        points = self.operating_points
        return {
            "ap11": 100 * self.curve.eleven_point_average_precision(),
            "recall_at_fppi": {f"{point.fp_per_image_allowed:g}": point.recall for point in points},
            "operating_points": {f"{point.fp_per_image_allowed:g}": point.to_json() for point in points},
            "recall": self.curve.recall.tolist(),
            "precision": self.curve.precision.tolist(),
            "score": self.curve.scores.tolist(),
            "false_positives": self.curve.false_positives.tolist(),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceBoxResult:
    """Result of `face_boxes.evaluate_face_boxes`.

    Parameters
    ----------
    name : str
        Of the detector.
    n_images, n_detections, counted_faces, ignored_faces : int
        Detections after the size filter; faces after the size rule.
    raw : FaceBoxCurve
        Boxes as detected.
    refined : FaceBoxCurve or None
        After box refinement.
    transform, applied_transform : tuple of 4 float or None
        ``shift_x, shift_y, scale_x, scale_y`` as the benchmark's program prints it (all rounds) and as it was
        applied for the refined curve.
    """

    name: str
    n_images: int
    n_detections: int
    counted_faces: int
    ignored_faces: int
    raw: FaceBoxCurve
    refined: FaceBoxCurve | None
    transform: tuple[float, float, float, float] | None
    applied_transform: tuple[float, float, float, float] | None

    @property
    def ap(self) -> float:
        """Average precision in percent, boxes as detected."""
        return self.raw.ap_percent

    @property
    def ap_refined(self) -> float | None:
        """Average precision in percent after box refinement; None if it was not asked for."""
        return self.refined.ap_percent if self.refined else None

    @property
    def reported(self) -> FaceBoxCurve:
        """The refined curve if there is one, otherwise the raw one."""
        return self.refined or self.raw

    @property
    def label(self) -> str:
        """Name and reported AP, for a figure's legend."""
        return f"{self.name} (AP {self.reported.ap_percent:.2f} %)"

    def curve(self) -> tuple[list[float], list[float]]:
        """Return recall and precision of the reported curve, for drawing."""
        curve = self.reported.curve
        return curve.recall.tolist(), curve.precision.tolist()

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values: AP in percent, recall and precision as fractions."""
        refined = None
        if self.refined is not None:
            refined = {
                "ap": self.ap_refined,
                **self.refined.to_json(),
                "transform": list(self.transform or ()),
                "applied_transform": list(self.applied_transform or ()),
            }
        result: dict[str, Any] = {
            "detector": self.name,
            "ap": self.ap,
            "ap_refined": self.ap_refined,
            "images": self.n_images,
            "detections": self.n_detections,
            "counted_faces": self.counted_faces,
            "ignored_faces": self.ignored_faces,
            **self.raw.to_json(),
            "refined": refined,
        }
        if self.raw.views is not None:
            result["views"] = self.raw.views.to_json()
        return result

    def csv_rows(self) -> tuple[list[str], list[list[Any]]]:
        """Return header and rows: the curves, one row for each ranked detection."""
        header = ["boxes", "score", "true_positives", "false_positives", "recall", "precision"]
        rows: list[list[Any]] = []
        for kind, part in (("detected", self.raw), ("refined", self.refined)):
            if part is None:
                continue
            curve = part.curve
            columns = (
                curve.scores,
                curve.true_positives,
                curve.false_positives,
                curve.recall,
                curve.precision,
            )
            rows.extend(
                [kind, *values] for values in zip(*(column.tolist() for column in columns), strict=True)
            )
        return header, rows

    def table(self) -> str:
        """Return a printable summary."""
        lines = [
            f"{self.name}: {self.n_images} images, {self.counted_faces} counted faces "
            f"({self.ignored_faces} ignored), {self.n_detections} detections",
            f"{'boxes':<10} {'AP %':>7} {'AP11 %':>7}  recall % (FP/image, score)",
        ]
        for kind, part in (("detected", self.raw), ("refined", self.refined)):
            if part is None:
                continue
            points = ", ".join(_point_text(point) for point in part.operating_points)
            ap11 = 100 * part.curve.eleven_point_average_precision()
            lines.append(f"{kind:<10} {part.ap_percent:7.2f} {ap11:7.2f}  {points}")
        if self.reported.views is not None:
            lines += _view_lines(self.reported)
        return "\n".join(lines)


def _point_text(point: OperatingPoint) -> str:
    score = "none" if point.score is None else f"{point.score:.4g}"
    return f"{100 * point.recall:.2f} ({point.fp_per_image:.2f}, {score})"


def _view_lines(part: FaceBoxCurve) -> list[str]:
    """Return the per-view recall at the first operating point and the confusion of all detections."""
    lines = []
    for point in part.operating_points:
        if point.views is None:
            continue
        shares = ", ".join(
            f"{view} {_percent(recall)}"
            for view, recall in zip(point.views.views, point.views.recall_per_view, strict=True)
        )
        lines.append(f"recall per view at {point.fp_per_image_allowed:g} FP/image: {shares}")
        lines.append(
            f"  view accuracy {_percent(point.views.accuracy)}, within one view "
            f"{_percent(point.views.within_one_view)} of {point.views.matched} found faces"
        )
    views = part.views
    if views is not None:
        error = "-" if views.mean_abs_error_deg is None else f"{views.mean_abs_error_deg:.1f}"
        median = "-" if views.median_abs_error_deg is None else f"{views.median_abs_error_deg:.1f}"
        orientation = "-" if views.aos40 is None else f"{100 * views.aos40:.2f} %"
        lines.append(
            f"all detections: AVP {100 * views.avp:.2f} %, AOS40 {orientation}, "
            f"yaw error mean {error}, median {median} degrees"
        )
        lines.append("confusion (rows true view; last column missed):")
        width = max(len(view) for view in views.views)
        for view, row in zip(views.views, views.confusion.tolist(), strict=True):
            lines.append(f"  {view:<{width}} " + " ".join(f"{count:5d}" for count in row))
    return lines


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
