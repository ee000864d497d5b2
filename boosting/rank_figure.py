"""The critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def draw_ranks(
    average: NDArray[np.float64], names: Sequence[str], control: int, reach: float, title: str
) -> Any:
    """Draw average ranks on an axis, best to the left, one labelled line a method.

    Methods outside the bar, which spans `reach` to either side of the control, differ from it significantly.

    Parameters
    ----------
    average : (k,) float64
    names : sequence of k str
    control : int
    reach : float
        The critical difference.
    title : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    k = len(average)
    order = np.argsort(average, kind="stable")
    n_left = (k + 1) // 2
    figure = Figure(figsize=(8.0, 1.3 + 0.22 * n_left), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_xlim(1 - 0.35 * k, k + 0.35 * k)
    axes.set_ylim(-(n_left + 1.2), 1.6)
    axes.set_axis_off()
    if title:
        axes.set_title(title, fontsize=10)
    axes.plot([1, k], [0, 0], color="black", linewidth=1)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [0, 0.18], color="black", linewidth=1)
        axes.text(tick, 0.3, str(tick), ha="center", va="bottom", fontsize=8)
    low, high = max(average[control] - reach, 1.0), min(average[control] + reach, float(k))
    axes.plot([low, high], [-0.35, -0.35], color="tab:red", linewidth=4, solid_capstyle="butt")
    for place, method in enumerate(order):
        left = place < n_left
        depth = -(1.0 + (place if left else k - 1 - place))
        edge = 1 - 0.05 * k if left else k + 0.05 * k
        axes.plot([average[method], average[method], edge], [0, depth, depth], color="gray", linewidth=0.8)
        axes.text(
            edge,
            depth,
            f" {names[method]} {average[method]:.2f} ",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            weight="bold" if method == control else "normal",
        )
    axes.text(
        (1 + k) / 2,
        1.05,
        f"average rank; the bar reaches {reach:.2f} from {names[control]}",
        ha="center",
        fontsize=8,
    )
    return figure
