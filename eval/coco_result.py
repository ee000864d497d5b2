"""The outcome of COCO's evaluation: numbers and curves that print, save and draw themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .curve_figure import Curve, Panel, save_panels
from .reporting import format_table, write_csv, write_json
from .view_metrics import ViewMetrics

NUMBERS = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
CATEGORY_NUMBERS = ("AP", "AP50")
CSV_HEADER = ("reading", "overlap", "recall", "precision")
DRAWN_OVERLAP = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoReading:
    """COCO's numbers for one meaning of the categories.

    Parameters
    ----------
    numbers : mapping of str to float
        The twelve numbers under their usual names; fractions, -1 where nothing of the size is annotated.
    overlaps : (10,) float64
        Intersections over union that a match must reach.
    recalls : (101,) float64
    precision : (10, 101) float64
        Largest precision at this recall or a higher one, mean over the categories.
    categories : mapping of category name to numbers
        AP and AP50 of each annotated category.
    """

    numbers: Mapping[str, float]
    overlaps: NDArray[np.float64]
    recalls: NDArray[np.float64]
    precision: NDArray[np.float64]
    categories: Mapping[str, Mapping[str, float]]

    def to_json(self) -> dict[str, Any]:
        """Return the reading as plain Python values, fractions."""
        return {
            **self.numbers,
            "categories": {name: dict(numbers) for name, numbers in self.categories.items()},
            "recall": self.recalls.tolist(),
            "precision50": self.precision[self._drawn].tolist(),
        }

    def line(self, name: str) -> Curve:
        """Return the precision-recall line at an overlap of a half."""
        return Curve(f"{name} ({100 * self.numbers['AP50']:.2f})", self.recalls, self.precision[self._drawn])

    @property
    def _drawn(self) -> int:
        return int(np.argmin(np.abs(self.overlaps - DRAWN_OVERLAP)))


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoResult:
    """Result of `coco.evaluate_coco`.

    Parameters
    ----------
    n_images, n_objects, n_detections : int
    class_agnostic : CocoReading
        All categories as one.
    views_as_categories : CocoReading or None
        None if the detections have no categories.
    views : ViewMetrics or None
        None if there are fewer than two categories.
    """

    n_images: int
    n_objects: int
    n_detections: int
    class_agnostic: CocoReading
    views_as_categories: CocoReading | None
    views: ViewMetrics | None

    def readings(self) -> dict[str, CocoReading]:
        """Return what was computed, by name."""
        readings = {"class_agnostic": self.class_agnostic}
        if self.views_as_categories is not None:
            readings["views_as_categories"] = self.views_as_categories
        return readings

    def table(self) -> str:
        """Return the numbers as text, percent; a dash where nothing of the size is annotated."""
        rows = [
            (name.replace("_", " "), *(_percent(reading.numbers[key]) for key in NUMBERS))
            for name, reading in self.readings().items()
        ]
        title = f"COCO, {self.n_images} images, {self.n_objects} objects, {self.n_detections} detections"
        tables = [format_table(("categories", *NUMBERS), rows, title)]
        if self.views_as_categories is not None and len(self.views_as_categories.categories) > 1:
            per_category = [
                (name, *(_percent(numbers[key]) for key in CATEGORY_NUMBERS))
                for name, numbers in self.views_as_categories.categories.items()
            ]
            tables.append(format_table(("category", *CATEGORY_NUMBERS), per_category))
        if self.views is not None:
            tables.append(self.views.summary())
        return "\n".join(tables)

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain Python values: the contract of ``evaluate_coco.py --json``."""
        agnostic, categories = self.class_agnostic, self.views_as_categories
        content: dict[str, Any] = {
            "images": self.n_images,
            "objects": self.n_objects,
            "detections": self.n_detections,
            "class_agnostic": agnostic.to_json(),
            "views_as_categories": None if categories is None else categories.to_json(),
        }
        if self.views is not None:
            content["views"] = self.views.to_json()
        return content

    def save_json(self, path: str | Path) -> None:
        """Write `to_json` to a file."""
        write_json(path, self.to_json())

    def save_csv(self, path: str | Path) -> None:
        """Write one row for each reading, overlap and recall."""
        write_csv(path, CSV_HEADER, self._csv_rows())

    def _csv_rows(self) -> Iterator[tuple[object, ...]]:
        for name, reading in self.readings().items():
            for overlap, values in zip(reading.overlaps.tolist(), reading.precision.tolist(), strict=True):
                for recall, precision in zip(reading.recalls.tolist(), values, strict=True):
                    yield name, round(overlap, 2), round(recall, 2), precision


def save_coco_comparison(path: str | Path, results: Mapping[str, CocoResult]) -> None:
    """Draw precision over recall at an overlap of a half: a panel a reading, a line a detector.

    Parameters
    ----------
    path : str or Path
        Its suffix decides the format.
    results : mapping of detector name to CocoResult
    """
    panels = []
    for kind in ("class_agnostic", "views_as_categories"):
        lines = [
            result.readings()[kind].line(name)
            for name, result in results.items()
            if kind in result.readings()
        ]
        if lines:
            panels.append(
                Panel(
                    title=f"COCO, {kind.replace('_', ' ')} (AP50 in percent)",
                    x_label="recall",
                    y_label="precision",
                    curves=lines,
                    x_limits=(0.0, 1.0),
                    y_limits=(0.0, 1.02),
                )
            )
    save_panels(path, panels)


def _percent(fraction: float) -> float | None:
    return None if fraction < 0 else 100 * fraction
