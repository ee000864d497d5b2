"""The report of the detection experiments: tables beside the paper's, figures, and what the numbers support."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.scripts.detection_experiment_plan import METHODS, Experiment, plan
from badacost.scripts.detection_experiment_report import write_report
from badacost.scripts.detection_experiment_results import Result, Study, ViewShares
from badacost.scripts.detection_experiment_scan_costs import ScanCost, ScanCosts
from badacost.scripts.detection_experiment_scoring import Outcome
from badacost.scripts.detection_experiment_tables import (
    nodes_table,
    published_scores_table,
    scores_table,
    views_table,
)
from badacost.scripts.detection_experiment_traces import ExampleTraces
from badacost.scripts.detection_experiment_verdict import verdict

from ..detector.square_detector import square_detector

NOWHERE = Path("there is no such folder")


def outcome(scores: dict[str, float | None], views: tuple[str, ...] = ("left", "right")) -> Outcome:
    return Outcome(
        n_detectors=1,
        n_trees=10,
        n_levels=3,
        trees_per_window=2.5,
        seconds_per_image=0.25,
        scores=scores,
        views=views,
        confusion=[[4, 1, 2], [0, 5, 1]],
        curve={"recall": [0.0, 0.5], "precision": [1.0, 0.8]},
    )


def experiment(method: str, seed: int, objects: str) -> Experiment:
    (item,) = plan(objects, ("methods",), budget="reduced", seeds=(seed,), methods=[method])  # type: ignore[arg-type]
    return item


def sweep(suite: str, variant: str, score: float) -> Result:
    return Result(Experiment(suite, "BAdaCost", "faces", variant, (), 0), outcome({"AP": score}), NOWHERE)


def faces(scores: dict[str, list[float]], **others: object) -> Study:
    """A study with the AP of each method, a value a seed."""
    results = [
        Result(experiment(method, seed, "faces"), outcome({"AP": ap, "view accuracy": None}), NOWHERE)
        for method, values in scores.items()
        for seed, ap in enumerate(values)
    ]
    return Study(objects="faces", results=results, **others)  # type: ignore[arg-type]


def scan_costs(study: Study, nodes: dict[str, float], seconds: dict[str, list[float]]) -> ScanCosts:
    """Costs of the first seed's detectors by variant."""
    return ScanCosts(
        seed=0,
        detectors={
            results[0].experiment.name: ScanCost(
                nodes_per_window=nodes[variant],
                seconds=seconds[variant],
                feature_seconds=[0.1] * len(seconds[variant]),
            )
            for variant, results in study.of_suite("methods").items()
        },
    )


def test_scores_are_means_with_their_range() -> None:
    study = faces({"BAdaCost": [80.0, 90.0], "SAMME": [70.0]})
    rows = scores_table(study.of_suite("methods"), study)
    assert rows[2:] == ["| BAdaCost | 2 | 85.0 (80.0 to 90.0) | – |", "| SAMME | 1 | 70.0 | – |"]


def test_faces_stand_beside_the_papers() -> None:
    study = faces({method: [80.0] for method in METHODS})
    rows = published_scores_table(study.of_suite("methods"), study)
    assert rows[2:] == [
        "| BAdaCost | – | 97.00 | 96.41 | 87.07 |",
        "| SAMME | – | – | 95.89 | 85.93 |",
        "| SubCat | – | 93.09 | 93.91 | – |",
        "| SubCat, equal nodes | – | – | – | – |",
    ]


def test_published_numbers_are_those_of_the_reference(shared: Path) -> None:
    """The tables of the paper, as they were copied for us."""
    rows = [
        line.split(",")
        for line in (shared / "reference/boosting/published/badacost_tables_2_3_4.csv")
        .read_text()
        .splitlines()
    ]
    known = {(row[0], row[1]): row[2:] for row in rows}
    studies = [cars(dict.fromkeys(METHODS, (1.0, 1.0))), faces({method: [1.0] for method in METHODS})]
    table2 = "\n".join(published_scores_table(studies[0].of_suite("methods"), studies[0]))
    for key in ("KITTI train90/train10 SubCat AP easy/mod/hard", "train90/train10 SAMME",
                "train90/train10 BAdaCost", "train90/testing SubCat", "train90/testing BAdaCost"):  # fmt: skip
        assert " / ".join(known["2", key][:3]) in table2
    for study, place in zip(studies, ("KITTI", "AFLW"), strict=True):
        table3 = "\n".join(nodes_table(study.of_suite("methods"), study))
        for method in ("BAdaCost", "SubCat"):
            budget = " | ".join(known["3", f"{method} {place}"]).replace("<=", "up to ")
            assert f"| {budget} |" in table3


def cars(scores: dict[str, tuple[float, float]]) -> Study:
    """A study with AP40 and AOS40 moderate of each method, one seed."""
    results = [
        Result(experiment(method, 0, "cars"), outcome({"AP40 moderate": ap, "AOS40 moderate": aos}), NOWHERE)
        for method, (ap, aos) in scores.items()
    ]
    return Study(objects="cars", results=results)


def test_nodes_are_measured_and_dashes_stand_for_times_that_are_not() -> None:
    study = faces({"BAdaCost": [80.0], "SAMME": [70.0]})
    assert nodes_table(study.of_suite("methods"), study)[2:] == [
        "| BAdaCost | 1 | 10 | 3 | 30 | 7.5 | – | – | 1 | 1024 | 6 | 6144 |",
        "| SAMME | 1 | 10 | 3 | 30 | 7.5 | – | – | – | – | – | – |",
    ]
    costs = scan_costs(
        study, dict.fromkeys(("BAdaCost", "SAMME"), 7.5), {key: [0.5] for key in ("BAdaCost", "SAMME")}
    )
    study = replace(study, scan_costs=costs)
    assert nodes_table(study.of_suite("methods"), study)[2].startswith(
        "| BAdaCost | 1 | 10 | 3 | 30 | 7.5 | 0.500 | 0.100 |"
    )


def test_opposite_views_of_a_ring_are_half_a_turn_away_or_beside_it() -> None:
    confusion = np.zeros((8, 9), np.int64)
    confusion[0, [0, 1, 7, 3, 4, 5]] = 1, 2, 3, 4, 5, 6
    confusion[0, 8] = 7
    shares = ViewShares(confusion, around=True)
    assert shares.found == 21
    assert shares.missed == 25
    assert shares.opposite() == pytest.approx(100 * 15 / 21)
    np.testing.assert_allclose(shares.by_distance(), 100 * np.array([1, 5, 0, 10, 5]) / 21)


def test_views_in_a_row_are_opposite_on_the_other_side_of_the_middle() -> None:
    confusion = np.array(
        [[5, 0, 0, 1, 2, 0], [0, 5, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0], [0] * 6, [1, 0, 0, 0, 9, 0]]
    )
    shares = ViewShares(confusion, around=False)
    assert shares.opposite() == pytest.approx(100 * 4 / 28)
    assert len(shares.by_distance()) == 5


def test_views_of_all_seeds_are_pooled() -> None:
    study = faces({"BAdaCost": [80.0, 90.0]})
    assert (
        views_table(study.of_suite("methods"), study)[2] == "| BAdaCost | 23.1 | 20 | 90.0 | 100.0 | 10.0 |"
    )


@pytest.mark.parametrize(
    ("badacost", "samme", "said"),
    [
        (
            [80.0],
            [70.0],
            "above that of SAMME: holds** with one seed, so that training's chance is not known",
        ),
        ([80.0, 81.0], [70.0, 80.0], "above that of SAMME: holds** with each of 2 seeds"),
        ([80.0, 81.0], [70.0, 82.0], "above that of SAMME: holds** on average, but only with 1 of 2 seeds"),
        (
            [80.0, 81.0],
            [90.0, 80.0],
            "above that of SAMME: does not hold** on average, though it does with 1 of 2",
        ),
        ([80.0, 81.0], [90.0, 82.0], "above that of SAMME: does not hold** with any of 2 seeds"),
        ([80.0], [80.0], "above that of SAMME: does not hold** with one seed"),
    ],
)
def test_order_of_badacost_and_samme(badacost: list[float], samme: list[float], said: str) -> None:
    (sentence,) = verdict(faces({"BAdaCost": badacost, "SAMME": samme}))
    assert said in sentence


def test_order_is_of_the_seeds_that_both_have() -> None:
    (sentence,) = verdict(faces({"BAdaCost": [80.0, 10.0], "SAMME": [70.0]}))
    assert "80.0 against 70.0, difference 10.0" in sentence


def test_cars_are_compared_by_orientation_too() -> None:
    sentences = verdict(cars({"BAdaCost": (50.0, 40.0), "SAMME": (49.0, 41.0), "SubCat": (50.0, 10.0)}))
    assert "AP40 moderate of BAdaCost above that of SAMME: holds" in sentences[0]
    assert "AOS40 moderate of BAdaCost above that of SAMME: does not hold" in sentences[1]
    assert "AP40 moderate of BAdaCost at least that of SubCat: holds" in sentences[2]
    assert "rarer with BAdaCost than with SAMME: does not hold**: 10.0 % of 10 found cars" in sentences[3]
    assert "standard error of about 13.4" in sentences[3]
    assert "not known" in sentences[4]


@pytest.mark.parametrize(("error", "word"), [(1.5, "larger"), (15.0, "smaller")])
def test_difference_is_compared_with_the_standard_error(error: float, word: str) -> None:
    study = faces({"BAdaCost": [80.0], "SAMME": [70.0]})
    first = study.results[0]
    first = replace(first, outcome=replace(first.outcome, scores={"AP": 80.0, "standard error": error}))
    (sentence,) = verdict(replace(study, results=[first, *study.results[1:]]))
    assert f"the difference is {word}" in sentence


def test_price_of_a_scan_is_judged_where_it_was_measured_together() -> None:
    study = faces({"BAdaCost": [80.0], "SubCat": [85.0]})
    assert "have not been measured together" in verdict(study)[-1]
    costs = scan_costs(
        study, {"BAdaCost": 10.0, "SubCat": 31.0}, {"BAdaCost": [0.3, 0.5], "SubCat": [0.6, 1.0]}
    )
    _, nodes, seconds = verdict(replace(study, scan_costs=costs))
    assert "Nodes a window of BAdaCost at most a third of those of SubCat: holds**" in nodes
    assert "10.0 against 31.0 measured, 0.32 of them, at smaller AP (80.0 against 85.0)" in nodes
    assert "at most a third of that of SubCat: does not hold**: 0.400 against 0.800 seconds, 0.50" in seconds
    assert "0.100 seconds; without them 0.300 against 0.700 seconds, 0.43" in seconds


def test_price_of_a_scan_says_that_it_is_of_one_seed_where_the_order_is_of_several() -> None:
    study = faces({"BAdaCost": [80.0, 90.0], "SubCat": [85.0, 95.0]})
    nodes, seconds = {"BAdaCost": 10.0, "SubCat": 31.0}, {"BAdaCost": [0.3, 0.5], "SubCat": [0.6, 1.0]}
    order, of_nodes, of_time = verdict(replace(study, scan_costs=scan_costs(study, nodes, seconds)))
    assert "means 85.0 (80.0 to 90.0) against 90.0 (85.0 to 95.0)" in order
    assert (
        "at smaller AP (80.0 against 85.0); all of the models of seed 0, no means over the seeds." in of_nodes
    )
    assert "(models of seed 0; medians over 2 images" in of_time
    single = faces({"BAdaCost": [80.0], "SubCat": [85.0]})
    sentences = verdict(replace(single, scan_costs=scan_costs(single, nodes, seconds)))
    assert not any("models of seed" in sentence or "means" in sentence for sentence in sentences)


@pytest.mark.parametrize("methods", [[], ["BAdaCost"], ["SAMME"]])
def test_verdict_without_anything_to_compare(methods: list[str]) -> None:
    (sentence,) = verdict(faces({method: [80.0] for method in methods}))
    assert sentence.startswith("Nothing can be said")


def test_report_of_all_suites(tmp_path: Path) -> None:
    study = faces({"BAdaCost": [80.0, 90.0], "SAMME": [70.0]}, unfinished=[experiment("SubCat", 0, "faces")])
    provenance = {"images": 12, "objects": 34, "negative_images": 5}
    replace(square_detector(), provenance=provenance).save(tmp_path / "model" / "model.npz")
    traced = replace(study.results[0], folder=tmp_path / "model")
    line = np.linspace(0, 1, 10)
    traces = ExampleTraces(
        detector="subcat: frontal",
        at_objects=np.stack([line, 2 * line]),
        random_background=np.stack([-line]),
        strong_background=np.empty((0, 10)),
        calibrated=np.full(10, -0.3),
        scanned=np.full(10, -0.5),
    )
    study = replace(
        study,
        results=[traced, *study.results[1:], sweep("depth", "5", 60.0), sweep("depth", "6", 65.0)],
        traces={traced.experiment.name: traces},
    )
    text = write_report(study, tmp_path / "report").read_text()
    assert "| 6 | 1 | 65.0 |" in text
    assert "34 objects in 12 images, and 5 images for negatives." in text
    assert "## Not finished\n\n- methods: SubCat, seed 0" in text
    figures = ("methods", "confusion", "view_distances", "feature_maps", "traces", "depth")
    for name in figures:
        assert f"({name}.png)" in text
        assert 0 < (tmp_path / "report" / f"{name}.png").stat().st_size < 300_000


def test_report_of_nothing_finished(tmp_path: Path) -> None:
    study = Study(objects="cars", results=[], unfinished=[experiment("SubCat", 0, "cars")])
    text = write_report(study, tmp_path).read_text()
    assert "- methods: SubCat, seed 0" in text
    assert not list(tmp_path.glob("*.png"))


def test_report_without_views_curves_and_models(tmp_path: Path) -> None:
    study = faces({"SubCat": [0.0]})
    (result,) = study.results
    bare = replace(result.outcome, views=(), confusion=[], curve={})
    text = write_report(replace(study, results=[replace(result, outcome=bare)]), tmp_path).read_text()
    assert "view_distances" not in text
    assert "feature_maps" not in text
