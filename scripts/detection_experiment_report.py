"""Tables and figures of the detection experiments, in the order of the BAdaCost paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from badacost.scripts.detection_experiment_plan import Experiment, Objects
from badacost.scripts.detection_experiment_scoring import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPORT = "report.md"
MAIN_SCORE = {"faces": "AP", "cars": "AP40 moderate"}
# AP of the paper on AFW (its Figure on faces): corrected annotation, refined boxes, trained on AFLW.
PUBLISHED_FACES = {"BAdaCost": 97.00, "SubCat": 93.09}
# Published settings: detectors, trees, split levels.
PUBLISHED_BUDGET = {
    "faces": {"BAdaCost": (1, 1024, 7)},
    "cars": {"BAdaCost": (1, 1024, 9)},
}


@dataclass(frozen=True)
class Result:
    """An experiment, what came of it, and the folder of its model."""

    experiment: Experiment
    outcome: Outcome
    folder: Path


def write_report(results: Sequence[Result], folder: Path, objects: Objects) -> Path:
    """Write ``report.md`` and its figures; return the path of the report.

    Parameters
    ----------
    results : sequence of Result
        At least one.
    folder : Path
    objects : {"faces", "cars"}
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"# Detection experiments: {objects}", ""]
    for suite, of_suite in groupby(results, key=lambda result: result.experiment.suite):
        group = list(of_suite)
        text += [f"## {suite}", "", *_scores_table(group, objects), ""]
        if suite == "methods":
            text += [*_nodes_table(group, objects), ""]
            _save_curves(group, folder / "methods.png", MAIN_SCORE[objects])
            _save_confusions(group, folder / "confusion.png")
            _save_models(group, folder)
            text += ["![curves](methods.png)", "", "![confusion](confusion.png)", ""]
        else:
            _save_sweep(group, folder / f"{suite}.png", MAIN_SCORE[objects])
            text += [f"![{suite}]({suite}.png)", ""]
    path = folder / REPORT
    path.write_text("\n".join(text), encoding="utf-8")
    return path


def _scores_table(results: Sequence[Result], objects: Objects) -> list[str]:
    """A row a variant: mean of each score over the seeds, and their spread if there are several."""
    published = PUBLISHED_FACES if objects == "faces" else {}
    names = list(dict.fromkeys(name for result in results for name in result.outcome.scores))
    rows = []
    for variant, group in _by_variant(results).items():
        cells = []
        for name in names:
            values = [value for r in group if (value := r.outcome.scores.get(name)) is not None]
            cells.append(_mean_and_spread(values))
        known = published.get(variant)
        rows.append([variant, str(len(group)), *cells, "" if known is None else f"{known:.2f}"])
    return _markdown(["", "seeds", *names, "AP in the paper (all of AFW, trained on AFLW)"], rows)


def _nodes_table(results: Sequence[Result], objects: Objects) -> list[str]:
    """The paper's Table 3, with what is measured: nodes a window passes, and seconds an image."""
    rows = []
    for variant, group in _by_variant(results).items():
        outcome = group[0].outcome
        published = PUBLISHED_BUDGET[objects].get(variant)
        nodes = float(np.mean([r.outcome.nodes_per_window for r in group]))
        seconds = float(np.mean([r.outcome.seconds_per_image for r in group]))
        rows.append(
            [
                variant,
                *map(str, (outcome.n_detectors, outcome.n_trees, outcome.n_levels, outcome.nodes_at_worst)),
                f"{nodes:.1f}",
                f"{seconds:.3f}",
                "" if published is None else str(int(np.prod(published))),
            ]
        )
    header = ["", "detectors", "trees", "levels", "nodes a window: worst case", "measured mean",
              "CPU seconds an image", "worst case in the paper"]  # fmt: skip
    return _markdown(header, rows)


def _save_curves(results: Sequence[Result], path: Path, score: str) -> None:
    from badacost.eval.curve_figure import Curve, Panel, save_panels

    curves = [
        Curve(
            f"{r.experiment.variant}, seed {r.experiment.seed}: {r.outcome.scores.get(score) or 0:.1f}",
            r.outcome.curve.get("recall", []),
            r.outcome.curve.get("precision", []),
        )
        for r in results
    ]
    panel = Panel(
        title="Precision and recall", x_label="recall", y_label="precision", curves=curves, x_limits=(0, 1)
    )
    save_panels(path, [panel])


def _save_sweep(results: Sequence[Result], path: Path, score: str) -> None:
    from badacost.eval.curve_figure import Curve, Panel, save_panels

    by_seed: dict[int, list[tuple[float, float]]] = {}
    for r in results:
        value = r.outcome.scores.get(score) or 0.0
        by_seed.setdefault(r.experiment.seed, []).append((float(r.experiment.variant), value))
    curves = [Curve(f"seed {seed}", *zip(*points, strict=True)) for seed, points in by_seed.items()]
    panel = Panel(
        title=results[0].experiment.suite, x_label="value", y_label=score, curves=curves, y_limits=None,
        legend_place="best",
    )  # fmt: skip
    save_panels(path, [panel])


def _save_confusions(results: Sequence[Result], path: Path) -> None:
    """Confusion of views of each method's first seed, rows as shares: how costs change what is mistaken for what."""
    from matplotlib.figure import Figure

    shown = {variant: group[0].outcome for variant, group in _by_variant(results).items()}
    figure = Figure(figsize=(4.4 * len(shown), 4.4), layout="constrained")
    for axes, (variant, outcome) in zip(
        np.ravel(figure.subplots(1, len(shown), squeeze=False)), shown.items(), strict=True
    ):
        confusion = np.array(outcome.confusion, np.float64).reshape(len(outcome.views), -1)
        found = confusion[:, :-1]
        share = found / np.maximum(found.sum(axis=1, keepdims=True), 1)
        axes.imshow(share, vmin=0, vmax=1, cmap="Blues")
        axes.set(title=variant, xlabel="predicted view", ylabel="true view")
        axes.set_xticks(range(len(outcome.views)), outcome.views, rotation=90, fontsize=7)
        axes.set_yticks(range(len(outcome.views)), outcome.views, fontsize=7)
        for row, column in zip(*np.nonzero(found), strict=True):
            color = "white" if share[row, column] > 0.5 else "black"
            axes.text(column, row, int(found[row, column]), ha="center", va="center", fontsize=6, color=color)
    figure.savefig(path, dpi=120)


def _save_models(results: Sequence[Result], folder: Path) -> None:
    """Where each method's trees look, channel by channel, and the thresholds of its cascade."""
    from badacost.detector.model_figure import plot_model
    from badacost.scripts.detection_experiment_scoring import load_detector

    for variant, group in _by_variant(results).items():
        if not group[0].folder.is_dir():
            continue
        for number, part in enumerate(load_detector(group[0].folder).detectors, start=1):
            suffix = f"_{number}" if group[0].outcome.n_detectors > 1 else ""
            plot_model(part, folder / f"model_{variant.lower()}{suffix}.png")


def _by_variant(results: Sequence[Result]) -> Mapping[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.experiment.variant, []).append(result)
    return groups


def _mean_and_spread(values: Sequence[float]) -> str:
    if not values:
        return ""
    array: NDArray[np.float64] = np.array(values, np.float64)
    spread = f" ({array.min():.1f} to {array.max():.1f})" if len(array) > 1 else ""
    return f"{array.mean():.1f}{spread}"


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]
