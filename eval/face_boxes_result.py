"""The outcome of the box protocol: curves and averages that print, save and draw themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .box_refinement import BoxTransform
from .curve_figure import Curve, Panel, save_panels
from .precision_recall import PrecisionRecallCurve
from .reporting import format_table, write_csv, write_json
from .view_metrics import ViewMetrics

CSV_HEADER = ("boxes", "score", "true_positives", "false_positives", "recall", "precision")
# Per-view figures that still say something where a threshold cuts the curve.
VIEWS_AT_A_THRESHOLD = (
    "accuracy",
    "within_one_view",
    "mean_abs_error_views",
    "mean_abs_error_deg",
    "recall_per_view",
    "confusion",
)


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

    @property
    def name(self) -> str:
        """The limit as text, the key in JSON."""
        return f"{self.fp_per_image_allowed:g}"

    def to_json(self) -> dict[str, Any]:
        """Return the point as plain Python values."""
        views = None if self.views is None else self.views.to_json()
        return {
            "score": self.score,
            "fp_per_image": self.fp_per_image,
            "recall": self.recall,
            "views": views and {key: views[key] for key in VIEWS_AT_A_THRESHOLD},
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
    ap_standard_error : float or None
        Of the average precision in percent, by resampling images.
    """

    curve: PrecisionRecallCurve
    operating_points: tuple[OperatingPoint, ...]
    views: ViewMetrics | None
    ap_standard_error: float | None = None

    @property
    def ap(self) -> float:
        """All-point average precision in percent."""
        return 100 * self.curve.average_precision()

    @property
    def ap11(self) -> float:
        """11-point average precision in percent."""
        return 100 * self.curve.eleven_point_average_precision()

    def to_json(self) -> dict[str, Any]:
        """Return curve and averages as plain Python values."""
        return {
            "ap11": self.ap11,
            "ap_standard_error": self.ap_standard_error,
            "recall_at_fppi": {point.name: point.recall for point in self.operating_points},
            "operating_points": {point.name: point.to_json() for point in self.operating_points},
            "recall": self.curve.recall.tolist(),
            "precision": self.curve.precision.tolist(),
            "score": self.curve.scores.tolist(),
            "true_positives": self.curve.true_positives.tolist(),
            "false_positives": self.curve.false_positives.tolist(),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceBoxResult:
    """Result of `face_boxes.evaluate_face_boxes`.

    Parameters
    ----------
    n_images, n_detections, counted_faces, ignored_faces : int
        Detections after the size filter; faces after the size rule.
    raw : FaceBoxCurve
        Boxes as detected.
    refined : FaceBoxCurve or None
        After box refinement, the "Mathias protocol".
    printed_transform, applied_transform : BoxTransform or None
        The refinement as the benchmark's program prints it (all rounds), and as it was applied for the
        refined curve.
    """

    n_images: int
    n_detections: int
    counted_faces: int
    ignored_faces: int
    raw: FaceBoxCurve
    refined: FaceBoxCurve | None = None
    printed_transform: BoxTransform | None = None
    applied_transform: BoxTransform | None = None

    @property
    def ap(self) -> float:
        """Average precision in percent, boxes as detected."""
        return self.raw.ap

    @property
    def ap_refined(self) -> float | None:
        """Average precision in percent after box refinement; None if it was not asked for."""
        return self.refined.ap if self.refined else None

    @property
    def reported(self) -> FaceBoxCurve:
        """The refined curve if there is one, otherwise the raw one."""
        return self.refined or self.raw

    def curves(self) -> Iterator[tuple[str, FaceBoxCurve]]:
        """Yield name and curve of the boxes as detected and, if there are any, of the refined ones."""
        yield "detected", self.raw
        if self.refined is not None:
            yield "refined", self.refined

    def table(self) -> str:
        """Return averages and operating points as text, percent."""
        points = self.raw.operating_points
        header = ["boxes", "AP", "AP11"]
        if self.raw.ap_standard_error is not None:
            header.insert(2, "+-")
        for point in points:
            header += [f"recall @{point.name} FP/image", "at score"]
        rows = []
        for name, part in self.curves():
            row: list[object] = [name, part.ap, part.ap11]
            if part.ap_standard_error is not None:
                row.insert(2, part.ap_standard_error)
            for point in part.operating_points:
                row += [100 * point.recall, point.score]
            rows.append(row)
        title = (
            f"{self.n_images} images, {self.counted_faces} counted faces ({self.ignored_faces} ignored), "
            f"{self.n_detections} detections"
        )
        lines = [format_table(header, rows, title)]
        for point in self.reported.operating_points[:1]:
            if point.views is not None:
                lines.append(f"at {point.name} FP/image, {point.views.summary()}")
        if self.reported.views is not None:
            lines.append(f"all detections, {self.reported.views.summary()}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain Python values: AP in percent, recall and precision as fractions."""
        refined = None
        if self.refined is not None:
            refined = {"ap": self.ap_refined, **self.refined.to_json()}
            for key, transform in (
                ("transform", self.printed_transform),
                ("applied_transform", self.applied_transform),
            ):
                refined[key] = None if transform is None else list(transform.as_tuple())
            if self.refined.views is not None:
                refined["views"] = self.refined.views.to_json()
        result = {
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

    def save_json(self, path: str | Path) -> None:
        """Write `to_json` to a file."""
        write_json(path, self.to_json())

    def save_csv(self, path: str | Path) -> None:
        """Write one row for each detection of each curve, best score first."""
        write_csv(path, CSV_HEADER, self._csv_rows())

    def save_plot(self, path: str | Path, name: str = "") -> None:
        """Draw precision over recall, a line for the boxes as detected and one for the refined ones."""
        prefix = f"{name}, " if name else ""
        lines = [_line(f"{prefix}{kind} boxes", part) for kind, part in self.curves()]
        save_panels(path, [_panel(lines)])

    def _csv_rows(self) -> Iterator[tuple[object, ...]]:
        for name, part in self.curves():
            curve = part.curve
            columns = (
                curve.scores,
                curve.true_positives,
                curve.false_positives,
                curve.recall,
                curve.precision,
            )
            for values in zip(*(column.tolist() for column in columns), strict=True):
                yield (name, *values)


def save_face_box_comparison(path: str | Path, results: Mapping[str, FaceBoxResult]) -> None:
    """Draw several detectors in one figure: the refined curves where there are any.

    Parameters
    ----------
    path : str or Path
        Its suffix decides the format.
    results : mapping of detector name to FaceBoxResult
    """
    ranked = sorted(results.items(), key=lambda item: -item[1].reported.ap)
    save_panels(path, [_panel([_line(name, result.reported) for name, result in ranked])])


def _line(name: str, part: FaceBoxCurve) -> Curve:
    return Curve(f"{name} ({part.ap:.2f})", part.curve.recall, part.curve.precision)


def _panel(lines: list[Curve]) -> Panel:
    return Panel(
        title="Precision and recall (AP in percent)",
        x_label="recall",
        y_label="precision",
        curves=lines,
        x_limits=(0.0, 1.0),
        y_limits=(0.0, 1.02),
    )
