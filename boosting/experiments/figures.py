"""The curves of the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def line_figure(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]], *, x_label: str, y_label: str
) -> Any:
    """One line a name, in a matplotlib figure without global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    markers = "os^vDP*X<>"
    for index, (name, (x, y)) in enumerate(lines.items()):
        axes.plot(x, y, marker=markers[index % len(markers)], markersize=4, linewidth=1.2, label=name)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)
    if lines:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
