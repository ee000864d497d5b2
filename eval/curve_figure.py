"""Figures of evaluation curves: one or several panels, one line a detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .input_records import EvaluationError


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    label : str
        Legend entry, such as the detector's name and its average precision.
    x, y : (n,) array-like
    """

    label: str
    x: ArrayLike
    y: ArrayLike

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the coordinates as float64 arrays of equal length."""
        x, y = np.asarray(self.x, dtype=np.float64), np.asarray(self.y, dtype=np.float64)
        if x.shape != y.shape or x.ndim != 1:
            raise ValueError(f"x and y of Curve must be (n,) of equal length, found {x.shape} and {y.shape}")
        return x, y


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The axes of one panel and the curves on it.

    Parameters
    ----------
    title, x_label, y_label : str
    curves : sequence of Curve
    x_limits, y_limits : (low, high) or None
        None lets the data decide.
    legend_place : {"lower left", "lower right", "best"}
    """

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = (0.0, 1.0)
    legend_place: Literal["lower left", "lower right", "best"] = "lower left"


def check_figure_format(path: str | Path) -> None:
    """Raise `EvaluationError` unless the suffix of a figure's file is a format that can be drawn."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    formats = FigureCanvasAgg.get_supported_filetypes()
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in formats:
        known = ", ".join(sorted(formats))
        raise EvaluationError(
            f"{path}: cannot draw a figure in the format {suffix!r}, expected one of {known}"
        )


def save_panels(path: str | Path, panels: Sequence[Panel], columns: int = 3) -> None:
    """Draw `panels` side by side, `columns` a row, into a file whose suffix decides the format.

    Matplotlib is used without its global state, so this is safe in threads and needs no display.

    Raises
    ------
    ValueError
        If there is no panel.
    EvaluationError
        If the file's suffix is no format of matplotlib.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not panels:
        raise ValueError("panels of save_panels must hold at least one panel, found none")
    check_figure_format(path)
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.8 * columns, 4.2 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, index + 1)
        for curve in panel.curves:
            axes.plot(*curve.points(), label=curve.label, linewidth=1.6)
        axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
        axes.set(xlim=panel.x_limits, ylim=panel.y_limits)
        axes.grid(alpha=0.3)
        if panel.curves:
            axes.legend(loc=panel.legend_place, fontsize="small")
    figure.savefig(path, dpi=120)
