"""A figure of a detector: where it looks, and how the traces of windows run along the cascade."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .detector import Detector
from .model_card import feature_maps


def plot_model(detector: Detector, path: str | Path, *, traces: NDArray[np.float64] | None = None) -> None:
    """Draw the feature maps of all channels, and the rejection thresholds, to a file.

    Parameters
    ----------
    detector : Detector
    path : path
        Its suffix decides the format.
    traces : (n, T) array, optional
        Drawn too.

    Raises
    ------
    ValueError
        For a suffix that is no figure format.
    OSError
        When the file cannot be written.
    """
    from matplotlib.figure import Figure

    maps = feature_maps(detector)
    columns = min(5, len(maps))
    rows = -(-len(maps) // columns)
    figure = Figure(figsize=(2.2 * columns, 2.0 * rows + 3.5), layout="constrained")
    upper, lower = figure.subfigures(2, 1, squeeze=False, height_ratios=[2.0 * rows, 3.5])[:, 0]
    upper.suptitle(f"{detector.name}: split nodes that look at each cell")
    brightest = max(int(counts.max()) for counts in maps.values())
    panels = np.ravel(upper.subplots(rows, columns, squeeze=False))
    for axes in panels:
        axes.set_axis_off()
    for axes, (name, counts) in zip(panels, maps.items(), strict=False):
        axes.imshow(counts, vmin=0, vmax=max(brightest, 1), cmap="magma")
        axes.set_title(f"{name} ({counts.sum()})", fontsize=9)
    axes = lower.subplots()
    tree = np.arange(1, detector.cascade.n_trees + 1)
    for trace in () if traces is None else traces:
        axes.plot(tree, trace, linewidth=0.8, alpha=0.7)
    axes.plot(tree, detector.cascade.rejection, color="black", linestyle="--", label="rejected at or below")
    axes.set_xlabel("trees evaluated")
    axes.set_ylabel("trace")
    axes.legend(loc="upper left")
    figure.savefig(Path(path))
