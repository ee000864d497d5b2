"""Figures of the detection experiments, like those of the BAdaCost paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from badacost.scripts.detection_experiment_results import MAIN_SCORE, Result, Study, ViewShares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from badacost.scripts.detection_experiment_traces import ExampleTraces

Variants = Mapping[str, Sequence[Result]]
SWEPT = {
    "negatives": "accumulated negatives",
    "depth": "split levels of a tree",
    "trees": "trees of the last round",
    "costs": "cost of a missed object",
}
DOTS_PER_INCH = 100
DOTS_PER_INCH_OF_LINES = 72  # of many lines, which make large files


def save_curves(methods: Variants, study: Study, path: Path) -> None:
    """Precision-recall curves of the methods, a panel a seed."""
    from badacost.eval.curve_figure import Curve, Panel, save_panels

    score = MAIN_SCORE[study.objects]
    by_seed: dict[int, list[Result]] = {}
    for results in methods.values():
        for result in results:
            by_seed.setdefault(result.experiment.seed, []).append(result)
    panels = [
        Panel(
            title=f"seed {seed}",
            x_label="recall",
            y_label="precision",
            curves=[
                Curve(
                    f"{r.experiment.variant}: {r.outcome.scores.get(score) or 0:.1f}",
                    r.outcome.curve.get("recall", []),
                    r.outcome.curve.get("precision", []),
                )
                for r in results
            ],
            x_limits=(0, 1),
        )
        for seed, results in sorted(by_seed.items())
    ]
    save_panels(path, panels)


def save_sweep(suite: str, variants: Variants, study: Study, path: Path) -> None:
    """The main score along the values of a sweep, a line a seed."""
    from badacost.eval.curve_figure import Curve, Panel, save_panels

    score = MAIN_SCORE[study.objects]
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for variant, results in variants.items():
        for r in results:
            value = r.outcome.scores.get(score)
            if value is not None:
                by_seed.setdefault(r.experiment.seed, []).append((float(variant), value))
    curves = [Curve(f"seed {seed}", *zip(*points, strict=True)) for seed, points in sorted(by_seed.items())]
    panel = Panel(
        title=suite, x_label=SWEPT[suite], y_label=score, curves=curves, y_limits=None, legend_place="best"
    )
    save_panels(path, [panel])


def save_confusions(methods: Variants, study: Study, path: Path) -> bool:
    """Confusion of views of each method, all seeds together, rows as shares; return whether there are views."""
    shown = {
        variant: shares for variant, results in methods.items() if (shares := study.view_shares(results))
    }
    if not shown:
        return False
    figure, panels = _panels(len(shown), width=5.4, height=5.2)
    for axes, (variant, shares) in zip(panels, shown.items(), strict=True):
        _draw_confusion(axes, variant, shares, methods[variant][0].outcome.views)
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return True


def save_view_distances(methods: Variants, study: Study, path: Path) -> bool:
    """How far predicted views are off, a bar a method; return whether there are views."""
    from matplotlib.figure import Figure

    shown = {
        variant: shares for variant, results in methods.items() if (shares := study.view_shares(results))
    }
    if not shown:
        return False
    figure = Figure(figsize=(10.0, 3.6), layout="constrained")
    farthest = max(len(shares.by_distance()) for shares in shown.values()) - 1
    right, wrong = figure.subplots(1, 2, width_ratios=[1, max(2, farthest)])
    width = 0.8 / len(shown)
    for number, (variant, shares) in enumerate(shown.items()):
        percent = shares.by_distance()
        place = np.arange(len(percent)) + (number - (len(shown) - 1) / 2) * width
        label = f"{variant} ({shares.found} found)"
        right.bar(place[:1], percent[:1], width, label=label)
        wrong.bar(place[1:], percent[1:], width, label=label)
    right.set(xticks=[0], xlabel="right view", ylabel="found objects, %")
    last = f"; {farthest} is the opposite view" if study.objects == "cars" else ""
    wrong.set(xticks=range(1, farthest + 1), xlabel=f"views between predicted and true view{last}")
    wrong.legend(fontsize="small")
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return True


def save_feature_maps(methods: Variants, path: Path) -> bool:
    """Where each method's trees look, channel by channel; return whether there is a model.

    The maps of SubCat's detectors are added up. Brightness is the square root of the number of nodes.
    """
    from matplotlib.figure import Figure

    maps = {variant: counts for variant, results in methods.items() if (counts := _feature_maps(results))}
    if not maps:
        return False
    channels = list(next(iter(maps.values())))
    rows, columns = next(iter(maps.values()))[channels[0]].shape
    size = (1.3 * len(channels), (1.25 * rows / columns + 0.4) * len(maps))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(maps), len(channels), squeeze=False)
    for row, (variant, counts) in zip(panels, maps.items(), strict=True):
        brightest = max(int(of_channel.max()) for of_channel in counts.values())
        for axes, (name, of_channel) in zip(row, counts.items(), strict=True):
            axes.imshow(np.sqrt(of_channel), vmin=0, vmax=np.sqrt(max(brightest, 1)), cmap="magma")
            axes.set(xticks=[], yticks=[])
            axes.set_title(f"{name}\n{of_channel.sum()} nodes", fontsize=7)
        row[0].set_ylabel(variant, fontsize=8)
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return True


def save_traces(methods: Variants, study: Study, path: Path) -> bool:
    """Traces of example windows with the thresholds, a panel a method; return whether there are any."""
    shown = {
        variant: study.traces[r.experiment.name]
        for variant, results in methods.items()
        for r in results
        if r.experiment.name in study.traces
    }
    if not shown:
        return False
    figure, panels = _panels(len(shown), width=5.6, height=4.0)
    for axes, (variant, traces) in zip(panels, shown.items(), strict=True):
        _draw_traces(axes, traces)
        axes.set_title(_trace_title(variant, traces))
    figure.savefig(path, dpi=DOTS_PER_INCH_OF_LINES)
    return True


def _panels(count: int, *, width: float, height: float) -> tuple[Figure, Sequence[Axes]]:
    """A figure of two columns, and its axes for so many methods; sizes of one in inches."""
    from matplotlib.figure import Figure

    columns = min(2, count)
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for axes in panels[count:]:
        axes.set_axis_off()
    return figure, list(panels[:count])


def _draw_confusion(axes: Axes, variant: str, shares: ViewShares, views: Sequence[str]) -> None:
    found = shares.confusion[:, :-1]
    share = found / np.maximum(found.sum(axis=1, keepdims=True), 1)
    axes.imshow(share, vmin=0, vmax=1, cmap="Blues")
    axes.set(title=variant, xlabel="predicted view", ylabel="true view")
    axes.set_xticks(range(len(views)), views, rotation=90, fontsize=7)
    axes.set_yticks(range(len(views)), views, fontsize=7)
    for row, column in zip(*np.nonzero(found), strict=True):
        color = "white" if share[row, column] > 0.5 else "black"
        axes.text(column, row, str(found[row, column]), ha="center", va="center", fontsize=6, color=color)


def _feature_maps(results: Sequence[Result]) -> dict[str, NDArray[np.int64]]:
    """Split nodes that look at each cell, by channel, of a method's first model; empty if it is not there."""
    from badacost.detector.model_card import feature_maps
    from badacost.scripts.detection_experiment_scoring import load_detector

    folder = results[0].folder
    total: dict[str, NDArray[np.int64]] = {}
    if folder.is_dir():
        for part in load_detector(folder).detectors:
            for channel, counts in feature_maps(part).items():
                total[channel] = total.get(channel, 0) + counts
    return total


def _trace_title(variant: str, traces: ExampleTraces) -> str:
    view = traces.detector.partition(": ")[2]
    return f"{variant}, view {view}" if view else variant


def _draw_traces(axes: Axes, traces: ExampleTraces) -> None:
    """Traces up to where the scan rejects the window, with a cross there."""
    tree = np.arange(1, len(traces.scanned) + 1)
    kinds = (
        ("random background", traces.random_background, "tab:gray"),
        ("strongest background of an image", traces.strong_background, "tab:red"),
        ("objects", traces.at_objects, "tab:green"),
    )
    for name, windows, color in kinds:
        label = f"{name} ({len(windows)})"
        for trace in windows:
            rejected = np.flatnonzero(trace <= traces.scanned)
            end = int(rejected[0]) + 1 if len(rejected) else len(trace)
            axes.plot(tree[:end], trace[:end], color=color, linewidth=0.9, alpha=0.8, label=label)
            if len(rejected):
                axes.plot(tree[end - 1], trace[end - 1], "x", color=color, markersize=4)
            label = "_"  # one entry a kind
    axes.plot(tree, traces.calibrated, color="black", linestyle="--", label="calibrated threshold")
    if not np.array_equal(traces.calibrated, traces.scanned):
        axes.plot(tree, traces.scanned, color="black", linestyle=":", label="threshold of the scan")
    axes.set_xscale("log")
    axes.set(xlabel="trees evaluated", ylabel="trace")
    axes.legend(loc="upper left", fontsize="x-small")
