"""Report of the detection experiments: tables, figures and verdict, in the order of the BAdaCost paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from badacost.scripts import detection_experiment_figures as figures
from badacost.scripts import detection_experiment_tables as tables
from badacost.scripts.detection_experiment_plan import SUITES
from badacost.scripts.detection_experiment_results import Result, Study
from badacost.scripts.detection_experiment_verdict import verdict

REPORT = "report.md"
ABOUT_SCORES = {
    "faces": (
        "The paper's detectors were trained on AFLW, with some ten times as many faces, and tested on all of AFW and "
        "of PASCAL Faces with the corrected annotations, boxes refined. The authors published detections too: they are "
        "scored with the same rules, and do not give the paper's numbers to the digit. A dash: not known to us."
    ),
    "cars": (
        "The paper's Table 2 (easy / moderate / hard): trained on nine tenths of KITTI's 7481 training frames. Ours "
        "are the eleven-point average precision of the benchmark's version of that time. A dash: not known to us, as "
        "is the paper's orientation similarity."
    ),
}
ABOUT_NODES = (
    "The paper's Table 3. Nodes are counted with complete trees: a window passes as many as a tree has levels. The "
    "paper counts the levels of BAdaCost's trees one lower than the authors' program grows them. The measured mean is "
    "of all windows of the test images, for several seeds their mean and range; what the numbers support above takes "
    "the nodes and the time of one seed. {measured}"
)
MEASURED_TOGETHER = (
    "CPU seconds of one thread, median over {n_images} images, seed {seed}: the detectors took turns at each image, in "
    "one process. All share features and window, so that one pyramid serves all of SubCat's detectors."
)
NOT_MEASURED = "CPU seconds have not been measured together yet."
ABOUT_TRACES = (
    "The paper's Fig. 14: traces of windows of the test images, one an image, until the cascade rejects them (cross). "
    "Of SubCat, the detector of the view with most objects."
)


def write_report(study: Study, folder: Path) -> Path:
    """Write ``report.md`` and its figures; return the path of the report.

    Parameters
    ----------
    study : Study
        Whatever is finished, even if that is nothing.
    folder : Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"# Detection experiments: {study.objects}", ""]
    for suite in SUITES:
        variants = study.of_suite(suite)
        if variants:
            section = _methods if suite == "methods" else _sweep
            text += [f"## {suite.capitalize()}", "", *section(suite, variants, study, folder)]
    text += _unfinished(study)
    path = folder / REPORT
    path.write_text("\n".join(text), encoding="utf-8")
    return path


def _methods(suite: str, methods: Mapping[str, Sequence[Result]], study: Study, folder: Path) -> list[str]:
    costs = study.scan_costs
    measured = (
        NOT_MEASURED if costs is None else MEASURED_TOGETHER.format(n_images=costs.n_images, seed=costs.seed)
    )
    views, about_data = tables.views_table(methods, study), tables.training_data(methods)
    return [
        "### What the numbers support",
        "",
        *(f"- {sentence}" for sentence in verdict(study)),
        "",
        "### Training",
        "",
        *tables.trainings_table(methods),
        "",
        *([about_data, ""] if about_data else []),
        "### Scores",
        "",
        *tables.scores_table(methods, study),
        "",
        *_figure("Precision and recall", folder / "methods.png",
                 lambda path: figures.save_curves(methods, study, path)),
        "### Beside the paper",
        "",
        *tables.published_scores_table(methods, study),
        "",
        ABOUT_SCORES[study.objects],
        "",
        "### Nodes and time",
        "",
        *tables.nodes_table(methods, study),
        "",
        ABOUT_NODES.format(measured=measured),
        "",
        *(["### Views", "", *views, ""] if views else []),
        *_figure("Distance of views", folder / "view_distances.png",
                 lambda path: figures.save_view_distances(methods, study, path)),
        *_figure("Confusion of views", folder / "confusion.png",
                 lambda path: figures.save_confusions(methods, study, path)),
        *_figure("Where trees look, by channel", folder / "feature_maps.png",
                 lambda path: figures.save_feature_maps(methods, path),
                 title="Where the trees look"),
        *_figure("Traces of windows", folder / "traces.png",
                 lambda path: figures.save_traces(methods, study, path),
                 title="Traces", note=ABOUT_TRACES),
    ]  # fmt: skip


def _sweep(suite: str, variants: Mapping[str, Sequence[Result]], study: Study, folder: Path) -> list[str]:
    return [
        *tables.scores_table(variants, study),
        "",
        *_figure(
            suite,
            folder / f"{suite}.png",
            lambda path: figures.save_sweep(suite, variants, study, path),
        ),
    ]


def _figure(
    caption: str, path: Path, save: Callable[[Path], bool | None], *, title: str = "", note: str = ""
) -> list[str]:
    """Save a figure and link it, under its own heading if it has one; nothing if there was nothing to draw."""
    if save(path) is False:
        return []
    lines = [f"![{caption}]({path.name})", ""]
    return [*([f"### {title}", ""] if title else []), *([note, ""] if note else []), *lines]


def _unfinished(study: Study) -> list[str]:
    if not study.unfinished:
        return []
    rows = [f"- {item.suite}: {item.variant}, seed {item.seed}" for item in study.unfinished]
    return ["## Not finished", "", *rows, ""]
