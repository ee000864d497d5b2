"""The outcome of FDDB's evaluation: ROC curves that print, save and draw themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .curve_figure import Curve, Panel, save_panels
from .input_records import EvaluationError, reason
from .reporting import format_table, write_csv, write_json

REPORTED_FALSE_POSITIVES = (100, 500, 1000, 2000)
DRAWN_FALSE_POSITIVES = 2000
CSV_HEADER = ("score", "false_positives", "discrete_tpr", "continuous_tpr")


@dataclass(frozen=True, kw_only=True, eq=False)
class RocCurve:
    """True positive rate against the number of false positives.

    Parameters
    ----------
    true_positive_rate : (n,) float64
        Fraction of the annotated faces.
    false_positives : (n,) int64
        In all images together.
    scores : (n,) float64
        Ascending thresholds; the first row has all detections.
    """

    true_positive_rate: NDArray[np.float64]
    false_positives: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        shapes = {self.true_positive_rate.shape, self.false_positives.shape, self.scores.shape}
        if len(shapes) != 1 or len(self.scores.shape) != 1:
            raise ValueError(f"columns of RocCurve must be (n,) of equal length, found {sorted(shapes)}")

    def rate_below(self, false_positives: int) -> float:
        """Return the rate at the lowest threshold with fewer than `false_positives`; 0 if there is none."""
        allowed = np.flatnonzero(self.false_positives < false_positives)
        return float(self.true_positive_rate[allowed[0]]) if len(allowed) else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the columns as lists."""
        return {
            "tpr": self.true_positive_rate.tolist(),
            "fp": self.false_positives.tolist(),
            "score": self.scores.tolist(),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class FddbResult:
    """Result of `fddb.evaluate_fddb`.

    Parameters
    ----------
    n_images, n_faces, n_detections : int
    discrete : RocCurve
        Every face found by an overlap above a half counts 1.
    continuous : RocCurve
        Every assigned detection counts its overlap, also below a half; same false positives.
    """

    n_images: int
    n_faces: int
    n_detections: int
    discrete: RocCurve
    continuous: RocCurve

    def curves(self) -> dict[str, RocCurve]:
        """Return both curves under their names."""
        return {"discrete": self.discrete, "continuous": self.continuous}

    def table(self) -> str:
        """Return the rates at usual numbers of false positives as text, percent."""
        title = f"FDDB, {self.n_images} images, {self.n_faces} faces, {self.n_detections} detections"
        return format_roc_table(self.curves(), title)

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain Python values: the contract of ``evaluate_fddb.py --json``."""
        curves = self.curves()
        rates = {
            name: {str(limit): curve.rate_below(limit) for limit in REPORTED_FALSE_POSITIVES}
            for name, curve in curves.items()
        }
        return {
            "images": self.n_images,
            "faces": self.n_faces,
            "detections": self.n_detections,
            **{name: curve.to_json() for name, curve in curves.items()},
            "tpr_at_fp": rates,
        }

    def save_json(self, path: str | Path) -> None:
        """Write `to_json` to a file."""
        write_json(path, self.to_json())

    def save_csv(self, path: str | Path) -> None:
        """Write one row for each threshold, ascending."""
        columns = (
            self.discrete.scores,
            self.discrete.false_positives,
            self.discrete.true_positive_rate,
            self.continuous.true_positive_rate,
        )
        write_csv(path, CSV_HEADER, zip(*(column.tolist() for column in columns), strict=True))

    def save_plot(self, path: str | Path, name: str = "detector") -> None:
        """Draw both curves, false positives on the x axis."""
        save_roc_comparison(path, {name: self.curves()})


def format_roc_table(curves: Mapping[str, RocCurve], title: str = "") -> str:
    """Return the rates of curves below usual numbers of false positives as text, percent."""
    header = ["true positive rate", *(f"FP < {limit}" for limit in REPORTED_FALSE_POSITIVES), "all"]
    rows = [
        [
            name,
            *(100 * curve.rate_below(limit) for limit in REPORTED_FALSE_POSITIVES),
            100 * float(curve.true_positive_rate.max(initial=0.0)),
        ]
        for name, curve in curves.items()
    ]
    return format_table(header, rows, title)


def save_roc_comparison(path: str | Path, detectors: Mapping[str, Mapping[str, RocCurve]]) -> None:
    """Draw several detectors in one figure: a panel for the discrete, one for the continuous curves.

    Parameters
    ----------
    path : str or Path
        Its suffix decides the format.
    detectors : mapping of detector name to curves, as `FddbResult.curves` returns them
    """
    panels = []
    for kind in ("discrete", "continuous"):
        lines = []
        for name, curves in detectors.items():
            if kind not in curves:
                continue
            curve = curves[kind]
            rate = 100 * curve.rate_below(DRAWN_FALSE_POSITIVES)
            lines.append(Curve(f"{name} ({rate:.2f})", curve.false_positives, curve.true_positive_rate))
        panels.append(
            Panel(
                title=f"FDDB, {kind} (percent at {DRAWN_FALSE_POSITIVES} FP)",
                x_label="false positives",
                y_label="true positive rate",
                curves=lines,
                x_limits=(0.0, DRAWN_FALSE_POSITIVES),
                legend_place="lower right",
            )
        )
    save_panels(path, panels)


def read_official_curve(path: Path) -> RocCurve:
    """Read a DiscROC or ContROC file of the official program: rate, false positives and perhaps the score.

    Raises
    ------
    EvaluationError
        If a line has other fields.
    """
    rows: list[list[float]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = [float(field) for field in line.split()]
        except ValueError:
            values = []
        if len(values) not in (2, 3):
            raise EvaluationError(
                f"{path}:{number}: found {line.strip()!r}, expected `rate false_positives [score]`"
            )
        rows.append([*values[:2], values[2] if len(values) == 3 else float(len(rows))])
    columns = np.array(rows).reshape(-1, 3).T
    return RocCurve(
        true_positive_rate=columns[0], false_positives=columns[1].astype(np.int64), scores=columns[2]
    )
