"""The outcome of KITTI's evaluation: curves and averages that print, save and draw themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .curve_figure import Curve, Panel, save_panels
from .kitti_rules import KittiVersion
from .kitti_views import KittiViewMetrics
from .reporting import format_table, write_csv, write_json

CURVE_PLACES = 41
ELEVEN_PLACES = slice(0, None, 4)  # places 0, 4, ..., 40: the average until October 2019, and the paper's
FORTY_PLACES = slice(1, None)  # the average since 8 October 2019
CSV_HEADER = (
    "class",
    "level",
    "place",
    "threshold",
    "true_positives",
    "false_positives",
    "false_negatives",
    "precision",
    "orientation",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class KittiCurve:
    """One class at one level.

    The curve has 41 places, about one for each fortieth of the valid labels that is found. It is indexed by
    the number of the threshold, never by the measured recall; places without a threshold are 0.

    Parameters
    ----------
    n_valid : int
        Labels that count.
    thresholds : (k,) float64
        Falling scores, at most 41.
    true_positives, false_positives, false_negatives : (k,) int64
        Outcomes of the detections that reach each threshold.
    precision : (41,) float64
        Largest precision at this threshold or a later one.
    orientation : (41,) float64 or None
        The same of the orientation similarity; None where a detection has no angle.
    voc_ap : float or None
        All-point average precision (PASCAL VOC) in percent, given where few labels keep KITTI's averages low.
    """

    n_valid: int
    thresholds: NDArray[np.float64]
    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    false_negatives: NDArray[np.int64]
    precision: NDArray[np.float64]
    orientation: NDArray[np.float64] | None
    voc_ap: float | None

    def __post_init__(self) -> None:
        for field in ("precision", "orientation"):
            curve = getattr(self, field)
            if curve is not None and curve.shape != (CURVE_PLACES,):
                raise ValueError(
                    f"{field} of KittiCurve must be ({CURVE_PLACES},), found shape {curve.shape}"
                )

    @property
    def ap11(self) -> float:
        """Average precision over 11 places, percent."""
        return _percent(self.precision[ELEVEN_PLACES])

    @property
    def ap40(self) -> float:
        """Average precision over 40 places, percent."""
        return _percent(self.precision[FORTY_PLACES])

    @property
    def aos11(self) -> float | None:
        """Average orientation similarity over 11 places, percent; at most `ap11`."""
        return None if self.orientation is None else _percent(self.orientation[ELEVEN_PLACES])

    @property
    def aos40(self) -> float | None:
        """Average orientation similarity over 40 places, percent; at most `ap40`."""
        return None if self.orientation is None else _percent(self.orientation[FORTY_PLACES])

    @property
    def has_enough_labels(self) -> bool:
        """Whether perfect detections would reach 100 percent; fewer labels than places keep some places 0."""
        return self.n_valid >= CURVE_PLACES

    @property
    def highest_ap11(self) -> float:
        """What `ap11` of perfect detections is: each label gives at most one threshold."""
        return 100.0 * len(range(CURVE_PLACES)[: self.n_valid][ELEVEN_PLACES]) / 11

    @property
    def highest_ap40(self) -> float:
        """What `ap40` of perfect detections is."""
        return 100.0 * len(range(CURVE_PLACES)[: self.n_valid][FORTY_PLACES]) / 40

    def to_json(self) -> dict[str, Any]:
        """Return the curve as plain Python values."""
        return {
            "ap11": self.ap11,
            "ap40": self.ap40,
            "aos11": self.aos11,
            "aos40": self.aos40,
            "precision": self.precision.tolist(),
            "orientation": None if self.orientation is None else self.orientation.tolist(),
            "thresholds": self.thresholds.tolist(),
            "true_positives": self.true_positives.tolist(),
            "false_positives": self.false_positives.tolist(),
            "false_negatives": self.false_negatives.tolist(),
            "n_valid": self.n_valid,
            "voc_ap": self.voc_ap,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class KittiResult:
    """The curves of all classes.

    Parameters
    ----------
    version : {"current", "pre2017"}
    n_frames : int
    classes : mapping of class name to (mapping of level name to KittiCurve) or None
        None for a class that no detection names.
    views : KittiViewMetrics or None
        Agreement of the views of moderate cars; None where detections have no angles.
    """

    version: KittiVersion
    n_frames: int
    classes: Mapping[str, Mapping[str, KittiCurve] | None]
    views: KittiViewMetrics | None = None

    def curves(self) -> Iterator[tuple[str, str, KittiCurve]]:
        """Yield class, level and curve of every evaluated class."""
        for class_name, levels in self.classes.items():
            for level_name, curve in (levels or {}).items():
                yield class_name, level_name, curve

    def warnings(self) -> list[str]:
        """Return a sentence for each curve that has too few labels to reach 100 percent."""
        return [
            f"{class_name} {level_name}: {curve.n_valid} valid labels; with fewer than {CURVE_PLACES} even "
            f"perfect detections reach only AP11 {curve.highest_ap11:.2f} and AP40 {curve.highest_ap40:.2f}"
            for class_name, level_name, curve in self.curves()
            if not curve.has_enough_labels
        ]

    def table(self) -> str:
        """Return the averages as text, one line a class and level, percent."""
        header: tuple[str, ...] = ("class", "level", "labels", "AP11", "AP40", "AOS11", "AOS40")
        rows: list[tuple[object, ...]] = [
            (class_name, level, curve.n_valid, curve.ap11, curve.ap40, curve.aos11, curve.aos40)
            for class_name, level, curve in self.curves()
        ]
        if any(curve.voc_ap is not None for _, _, curve in self.curves()):
            header += ("VOC AP",)
            rows = [(*row, curve.voc_ap) for row, (_, _, curve) in zip(rows, self.curves(), strict=True)]
        for class_name, levels in self.classes.items():
            if levels is None:
                rows.append((class_name, "no detection", *[None] * (len(header) - 2)))
        table = format_table(header, rows, f"KITTI 2D, version {self.version}, {self.n_frames} frames")
        return table if self.views is None else f"{table}\n{self.views.summary()}"

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain Python values: the contract of ``evaluate_kitti.py --json``."""
        return {
            "version": self.version,
            "frames": self.n_frames,
            "classes": {
                class_name: levels and {level: curve.to_json() for level, curve in levels.items()}
                for class_name, levels in self.classes.items()
            },
            "views": self._views_json(),
        }

    def _views_json(self) -> dict[str, Any] | None:
        levels = self.classes[self.views.class_name] if self.views is not None else None
        if self.views is None or levels is None:
            return None
        curve = levels[self.views.level_name]
        return {**self.views.to_json(), "aos11": curve.aos11, "aos40": curve.aos40}

    def save_json(self, path: str | Path) -> None:
        """Write `to_json` to a file."""
        write_json(path, self.to_json())

    def save_csv(self, path: str | Path) -> None:
        """Write one row for each class, level and place of the curve."""
        write_csv(path, CSV_HEADER, self._csv_rows())

    def save_plot(self, path: str | Path) -> None:
        """Draw one panel a class with a precision-recall line a level, and the same of the orientation."""
        panels = []
        for quantity in ("precision", "orientation"):
            for class_name, levels in self.classes.items():
                lines = [
                    line for level, curve in (levels or {}).items() if (line := _line(level, curve, quantity))
                ]
                if lines:
                    panels.append(_panel(class_name, quantity, lines))
        save_panels(path, panels or [_panel("no class evaluated", "precision", [])])

    def _csv_rows(self) -> Iterator[tuple[object, ...]]:
        for class_name, level, curve in self.curves():
            for place in range(CURVE_PLACES):
                counts: tuple[object, ...] = (None, None, None, None)
                if place < len(curve.thresholds):
                    arrays = (
                        curve.thresholds,
                        curve.true_positives,
                        curve.false_positives,
                        curve.false_negatives,
                    )
                    counts = tuple(values[place].item() for values in arrays)
                orientation = None if curve.orientation is None else curve.orientation[place].item()
                yield class_name, level, place, *counts, curve.precision[place].item(), orientation


Quantity = Literal["precision", "orientation"]


def save_kitti_comparison(
    path: str | Path, results: Mapping[str, KittiResult], quantity: Quantity = "precision"
) -> None:
    """Draw several detectors in one figure: a panel a class and level, a line a detector.

    Parameters
    ----------
    path : str or Path
        Its suffix decides the format.
    results : mapping of detector name to KittiResult
    quantity : {"precision", "orientation"}
    """
    lines: dict[tuple[str, str], list[Curve]] = {}
    for detector, result in results.items():
        for class_name, level, curve in result.curves():
            line = _line(detector, curve, quantity)
            if line is not None:
                lines.setdefault((class_name, level), []).append(line)
    panels = [
        _panel(f"{class_name}, {level}", quantity, drawn) for (class_name, level), drawn in lines.items()
    ]
    save_panels(path, panels or [_panel("no class evaluated", quantity, [])])


def _line(name: str, curve: KittiCurve, quantity: str) -> Curve | None:
    """Return the line of a curve over recall as the benchmark draws it; None without angles."""
    values = curve.precision if quantity == "precision" else curve.orientation
    average = curve.ap40 if quantity == "precision" else curve.aos40
    if values is None:
        return None
    return Curve(f"{name} ({average:.2f})", np.linspace(0, 1, CURVE_PLACES), values)


def _panel(title: str, quantity: str, lines: list[Curve]) -> Panel:
    y_label = "precision" if quantity == "precision" else "orientation similarity"
    return Panel(
        title=title,
        x_label="recall",
        y_label=y_label,
        curves=lines,
        x_limits=(0.0, 1.0),
        y_limits=(0.0, 1.02),
    )


def _percent(values: NDArray[np.float64]) -> float:
    return float(100.0 * values.mean())
