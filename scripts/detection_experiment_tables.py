"""Tables of the detection experiments: ours beside those of the BAdaCost paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from badacost.scripts.detection_experiment_published import (
    AFW,
    AFW_OF_FILES,
    BUDGETS,
    KITTI_LAST_TENTH,
    KITTI_TEST,
    NOT_KNOWN,
    PASCAL_FACES,
    PublishedBudget,
)
from badacost.scripts.detection_experiment_results import Result, Study, mean_and_range, score_by_seed
from badacost.scripts.detection_experiment_scoring import AP11, LEVELS, SCORES

if TYPE_CHECKING:
    from collections.abc import Mapping


def trainings_table(methods: Mapping[str, Sequence[Result]]) -> list[str]:
    """What each method was trained with."""
    rows = []
    for variant, results in methods.items():
        options = results[0].experiment.options()
        rows.append(
            [
                variant,
                ", ".join(str(r.experiment.seed) for r in results),
                ", ".join(map(str, options.boosting.rounds)),
                str(options.mining.per_round),
                str(options.mining.accumulated),
                str(options.jitter.copies),
            ]
        )
    header = [
        "",
        "seeds",
        "trees of the rounds",
        "new negatives a round",
        "negatives in all",
        "altered copies",
    ]
    return _markdown(header, rows)


def training_data(methods: Mapping[str, Sequence[Result]]) -> str:
    """A sentence on the images that the models say they were trained on; empty if none says so."""
    from badacost.scripts.detection_experiment_scoring import load_detector

    for result in (r for results in methods.values() for r in results if r.folder.is_dir()):
        known = load_detector(result.folder).detectors[0].provenance
        if {"images", "objects", "negative_images"} <= known.keys():
            return (
                f"{known['objects']} objects in {known['images']} images, and {known['negative_images']} images for "
                f"negatives. Trees and negatives of SubCat are those of each detector."
            )
    return ""


def scores_table(variants: Mapping[str, Sequence[Result]], study: Study) -> list[str]:
    """A row a variant: mean of each score over the seeds, and their range if there are several."""
    present = {name for results in variants.values() for r in results for name in r.outcome.scores}
    names = [name for name in SCORES[study.objects] if name in present]
    rows = [
        [variant, str(len(results)), *(_score(results, name) for name in names)]
        for variant, results in variants.items()
    ]
    return _markdown(["", "seeds", *names], rows)


def published_scores_table(methods: Mapping[str, Sequence[Result]], study: Study) -> list[str]:
    """Average precision of each method beside the paper's: of cars, its Table 2."""
    if study.objects == "faces":
        header = ["", "AP refined", "the paper, AFW", "authors' detections, AFW", "the paper, PASCAL Faces"]
        published = [AFW, AFW_OF_FILES, PASCAL_FACES]
        rows = [
            [variant, _score(results, "AP refined"), *(_number(of.get(variant)) for of in published)]
            for variant, results in methods.items()
        ]
        return _markdown(header, rows)
    header = ["", *(AP11.format(level=level) for level in LEVELS), "the paper, last tenth of KITTI's training frames",
              "the paper, KITTI's test frames"]  # fmt: skip
    rows = [
        [
            variant,
            *(_score(results, AP11.format(level=level)) for level in LEVELS),
            _numbers(KITTI_LAST_TENTH.get(variant)),
            _numbers(KITTI_TEST.get(variant)),
        ]
        for variant, results in methods.items()
    ]
    return _markdown(header, rows)


def nodes_table(methods: Mapping[str, Sequence[Result]], study: Study) -> list[str]:
    """The paper's Table 3, with what is measured: nodes that a window passes, and seconds an image."""
    rows = []
    for variant, results in methods.items():
        outcome = results[0].outcome
        cost = study.scan_cost(results)
        measured = [NOT_KNOWN] * 2
        if cost is not None:
            measured = [f"{cost.seconds_per_image:.3f}", f"{cost.feature_seconds_per_image:.3f}"]
        rows.append(
            [
                variant,
                *map(str, (outcome.n_detectors, outcome.n_trees, outcome.n_levels, outcome.nodes_at_worst)),
                mean_and_range([r.outcome.nodes_per_window for r in results]),
                *measured,
                *_budget(BUDGETS[study.objects].get(variant)),
            ]
        )
    header = ["", "detectors", "trees", "levels", "nodes a window: worst case", "measured mean",
              "CPU seconds an image", "of these, features",
              "the paper: detectors", "trees", "depth", "nodes a window: worst case"]  # fmt: skip
    return _markdown(header, rows)


def views_table(methods: Mapping[str, Sequence[Result]], study: Study) -> list[str]:
    """How predicted and true views agree, all seeds together; empty without views."""
    rows = []
    for variant, results in methods.items():
        shares = study.view_shares(results)
        if shares is None:
            continue
        by_distance = shares.by_distance()
        rows.append(
            [
                variant,
                f"{shares.missed:.1f}",
                str(shares.found),
                f"{by_distance[0]:.1f}",
                f"{by_distance[:2].sum():.1f}",
                f"{shares.opposite():.1f}",
            ]
        )
    if not rows:
        return []
    opposite = "opposite view, or beside it" if study.objects == "cars" else "view of the other side"
    header = ["", "missed, %", "found", "of these, %: right view", "within one view", opposite]
    return _markdown(header, rows)


def _score(results: Sequence[Result], name: str) -> str:
    return mean_and_range(list(score_by_seed(results, name).values()))


def _number(value: float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:.2f}"


def _numbers(values: tuple[float, ...] | None) -> str:
    return NOT_KNOWN if values is None else " / ".join(map(str, values))


def _budget(published: PublishedBudget | None) -> list[str]:
    if published is None:
        return [NOT_KNOWN] * 4
    trees = f"up to {published.trees}" if published.fewer_trees else str(published.trees)
    return [str(published.detectors), trees, str(published.depth), str(published.nodes)]


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]
