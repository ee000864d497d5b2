"""The detection experiments: what is planned, what a detector's run tells, and the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from badacost.detector.subcategory_detector import SubcategoryDetector
from badacost.scripts import run_detection_experiments, train_detector
from badacost.scripts.detection_experiment_plan import N_VIEWS, SUITES, estimated_hours, plan
from badacost.scripts.detection_experiment_scoring import SCORES, EvaluationData, score_cars, score_faces

from ..detector.square_detector import BLUE, RED, SIDE, picture, square_detector

SIZES = {"n_objects": 700, "n_images": 300, "n_views": 20, "n_test_images": 79}


@pytest.mark.parametrize("objects", ["faces", "cars"])
@pytest.mark.parametrize("budget", ["reduced", "full"])
def test_every_planned_detector_has_valid_options_and_a_name_of_its_own(objects: str, budget: str) -> None:
    planned = plan(objects, SUITES, budget=budget, seeds=(0, 3))  # type: ignore[arg-type]
    options = {item.name: item.options() for item in planned}
    assert len({repr(value) for value in options.values()}) == len(options)
    assert {item.seed for item in planned} == {0, 3}


def test_methods_differ_in_costs_and_number_of_detectors_only() -> None:
    badacost, samme, subcat, equal_nodes = (
        item.options() for item in plan("cars", ("methods",), budget="reduced", seeds=(1,))
    )
    assert samme == replace(badacost, costs=samme.costs)
    assert badacost.costs.kind == "ring"
    assert (samme.costs.kind, samme.costs.missed, samme.costs.first_round_missed) == ("faces", 1.0, None)
    assert subcat.detectors == "one_a_view"
    assert subcat.boosting.rounds == badacost.boosting.rounds
    for name in ("window", "channels", "pyramid", "filters", "jitter", "mining"):
        assert getattr(subcat, name) == getattr(badacost, name)
    boosting = replace(equal_nodes.boosting, rounds=subcat.boosting.rounds)
    assert replace(equal_nodes, boosting=boosting) == subcat


@pytest.mark.parametrize("objects", ["faces", "cars"])
@pytest.mark.parametrize("budget", ["reduced", "full"])
@pytest.mark.parametrize("n_views", [None, 8])
def test_subcat_of_equal_nodes_has_as_many_nodes_as_whole_trees_allow(
    objects: str, budget: str, n_views: int | None
) -> None:
    methods = ("BAdaCost", "SubCat-equal-nodes")
    one, each = (
        item.options().boosting
        for item in plan(objects, ("methods",), budget=budget, seeds=(0,), methods=methods, n_views=n_views)  # type: ignore[arg-type]
    )
    detectors = n_views or N_VIEWS[objects]
    nodes = one.rounds[-1] * one.tree.max_depth
    assert detectors * each.rounds[-1] * each.tree.max_depth <= nodes
    assert detectors * (each.rounds[-1] + 1) * each.tree.max_depth > nodes
    assert each.rounds[0] < each.rounds[-1]


def test_subcat_of_equal_nodes_has_a_tree_a_detector_at_least() -> None:
    (item,) = plan("cars", ("methods",), budget="reduced", seeds=(0,), methods=["SubCat-equal-nodes"],
                   settings=["boosting.rounds=[1,2]"])  # fmt: skip
    assert item.variant == "SubCat, equal nodes"
    assert item.options().boosting.rounds == (1, 1)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ((), (64, 128, 256)),
        (("boosting.rounds = [8, 16]",), (8, 256)),
        (("boosting={rounds=[8, 16]}",), (8, 256)),
    ],
)
def test_sweep_of_trees_keeps_the_rounds_of_preset_and_settings(
    settings: tuple[str, ...], expected: tuple[int, ...]
) -> None:
    items = plan("faces", ("trees",), budget="full", seeds=(0,), settings=settings)
    assert expected in [item.options().boosting.rounds for item in items]


def test_the_last_round_has_the_trees_of_the_sweep() -> None:
    rounds = [item.options().boosting.rounds for item in plan("faces", ("trees",), budget="full", seeds=(0,))]
    assert rounds == [(64, 128, 256), (64, 128, 256, 512), (64, 128, 256, 1024)]


def test_settings_win_over_the_budget() -> None:
    (item,) = plan("faces", ("methods",), budget="reduced", seeds=(0,), methods=["SAMME"],
                   settings=["mining.per_round=77"])  # fmt: skip
    assert item.options().mining.per_round == 77


def test_one_object_class_takes_less_than_two_hours_in_the_reduced_protocol() -> None:
    for objects, views in (("faces", 5), ("cars", 20)):
        planned = plan(objects, ("methods",), budget="reduced", seeds=(0,))  # type: ignore[arg-type]
        full = plan(objects, ("methods",), budget="full", seeds=(0,))  # type: ignore[arg-type]
        sizes = {**SIZES, "n_views": views}
        hours = sum(estimated_hours(item.options(), **sizes) for item in planned)
        assert 0 < hours < 2
        assert sum(estimated_hours(item.options(), **sizes) for item in full) > 3 * hours


@pytest.fixture
def squares(tmp_path: Path) -> Path:
    """Two pictures of squares, with a csv file of faces and with KITTI labels."""
    folder = tmp_path / "squares"
    folder.mkdir()
    rows = ["image,x,y,w,h,view"]
    for name, view, color, x in (("000001", "frontal", RED, 10), ("000002", "half_left", BLUE, 50)):
        Image.fromarray(picture((x, 20, color))).save(folder / f"{name}.png")
        rows.append(f"{name}.png,{x},20,{SIDE},{SIDE},{view}")
        alpha = 0.0 if view == "frontal" else -0.698
        (folder / f"{name}.txt").write_text(
            f"Car 0 0 {alpha} {x} 20 {x + SIDE} {20 + SIDE} 1.5 1.6 4 1 1.5 20 0.1\n"
        )
    (folder / "faces.csv").write_text("\n".join(rows))
    return folder


def test_faces_are_scored_and_evaluations_counted(squares: Path) -> None:
    detector = SubcategoryDetector("squares", (square_detector(),))
    # Faces under 30 pixels of the original size would not count.
    (squares / "scale.csv").write_text("image,scale_from_original\n000001.png,0.5\n000002.png,0.5\n")
    data = EvaluationData(ground_truth=squares / "faces.csv", images=squares, scale_csv=squares / "scale.csv")
    outcome = score_faces(detector, data)
    assert outcome.scores.keys() == set(SCORES["faces"])
    assert outcome.scores["AP"] == pytest.approx(100)
    assert (outcome.n_detectors, outcome.n_trees, outcome.n_levels) == (1, 144, 2)
    assert outcome.nodes_at_worst == 288
    assert 2 <= outcome.nodes_per_window <= outcome.nodes_at_worst
    assert outcome.seconds_per_image > 0


def test_cars_are_scored(squares: Path) -> None:
    detector = SubcategoryDetector("squares", (square_detector(),))
    outcome = score_cars(detector, EvaluationData(ground_truth=squares, images=squares))
    assert outcome.scores.keys() == set(SCORES["cars"])


def test_curves_do_not_end_at_the_lowest_score_of_the_detector(squares: Path) -> None:
    (squares / "scale.csv").write_text("image,scale_from_original\n000001.png,0.5\n000002.png,0.5\n")
    data = EvaluationData(ground_truth=squares / "faces.csv", images=squares, scale_csv=squares / "scale.csv")
    strict = SubcategoryDetector("strict", (square_detector().with_options(min_score=1e6),))
    assert score_faces(strict, data).scores["AP"] == pytest.approx(100)


def test_detectors_that_find_no_car_have_all_scores(squares: Path) -> None:
    cascade = square_detector().cascade
    rejecting = replace(cascade, rejection=np.full(cascade.n_trees, 1e6, np.float32))
    nothing = replace(square_detector(), cascade=rejecting)
    outcome = score_cars(
        SubcategoryDetector("nothing", (nothing,)), EvaluationData(ground_truth=squares, images=squares)
    )
    assert outcome.scores.keys() == set(SCORES["cars"])
    assert outcome.scores["AP40 moderate"] == 0


def given(squares: Path, **changed: object) -> list[str]:
    """A command line of faces, with other values of some flags; of cars for their data set."""
    flags = {"dataset": "csv", "data": squares, "ground-truth": squares / "faces.csv", "test-images": squares,
             "output": squares / "run"}  # fmt: skip
    flags.update({name.replace("_", "-"): value for name, value in changed.items()})  # type: ignore[arg-type]
    return [word for name, value in flags.items() for word in (f"--{name}", str(value))]


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(argv: list[str]) -> int:
        raise AssertionError

    monkeypatch.setattr(train_detector, "main", train)


@pytest.mark.usefixtures("no_training")
@pytest.mark.parametrize(
    "flag", ["data", "negatives", "split", "ground_truth", "test_images", "scale_csv", "views_from"]
)
def test_a_path_that_is_missing_is_named_with_its_flag_before_any_training(
    squares: Path, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = squares / "none"
    assert run_detection_experiments.main(given(squares, **{flag: path})) == 2
    message = f"badacost-run-detection-experiments: --{flag.replace('_', '-')} {path}: no such "
    assert capsys.readouterr().err.startswith(message)
    assert not (squares / "run").exists()


@pytest.mark.usefixtures("no_training")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ground_truth": ""}, "--ground-truth {}: expected a file, found a folder"),
        ({"test_images": "faces.csv"}, "--test-images {}/faces.csv: expected a folder, found a file"),
        ({"dataset": "kitti", "ground_truth": "faces.csv"}, "--ground-truth {}/faces.csv: expected a folder"),
        (
            {"dataset": "kitti", "ground_truth": "", "test_split": "none"},
            "--test-split {}/none: no such file",
        ),
    ],
)
def test_a_path_of_the_wrong_kind_is_named_with_its_flag(
    squares: Path, changed: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {name: value if name == "dataset" else squares / value for name, value in changed.items()}
    assert run_detection_experiments.main(given(squares, **paths)) == 2
    assert f"badacost-run-detection-experiments: {message.format(squares)}" in capsys.readouterr().err


@pytest.mark.usefixtures("no_training")
def test_test_data_that_cannot_be_evaluated_stop_before_any_training(
    squares: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (squares / "faces.csv").read_text()
    rows = text.splitlines()
    (squares / "train.csv").write_text(text)
    others = [f"{name}.png,1,1,9,9,frontal" for name in ("gone", "lost")]
    for lines, message in (
        ([*rows, others[0]], f"{squares}: test image 'gone.png' is not there\n"),
        ([*rows, *others], f"{squares}: test image 'gone.png' is not there (nor 1 others)\n"),
        (
            [*rows, "000001.png,nan,1,9,9,frontal"],
            "test.csv:4: column x: found 'nan', expected a finite number\n",
        ),
    ):
        (squares / "test.csv").write_text("\n".join(lines))
        assert run_detection_experiments.main(given(squares, ground_truth=squares / "test.csv")) == 2
        assert capsys.readouterr().err.endswith(message)


@pytest.mark.usefixtures("no_training")
def test_report_only_where_nothing_is_finished_says_so_and_writes_nothing(
    squares: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_detection_experiments.main([*given(squares), "--report-only"]) == 2
    assert f"nothing is finished in the folder {squares / 'run'}, of the suite" in capsys.readouterr().err
    assert not (squares / "run").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"methods": "LogitBoost"}, "--methods must be among BAdaCost, SAMME"),
        ({"methods": ","}, "--methods must be at least one name, found none"),
        ({"seeds": "0,1,0"}, "--seeds must be different numbers from 0 on, found 0,1,0"),
        ({"seeds": "-1"}, "--seeds must be different numbers from 0 on, found -1"),
        ({"seeds": ","}, "--seeds must be different numbers from 0 on, found none"),
        ({"jobs": "0"}, "--jobs must be positive, or -1 for all cores, found 0"),
        ({"threads": "-1"}, "--threads must be 0 (all cores) or more, found -1"),
        ({"min_size": "nan"}, "--min-size must be positive and finite, found nan"),
        ({"scheduler": "tcp://nowhere:1"}, "--scheduler needs --backend dask"),
        ({"test_split": "list.txt"}, "--test-split is of --dataset kitti"),
        ({"dataset": "kitti", "scale_csv": "x.csv"}, "--scale-csv is of faces"),
    ],
)
def test_flags_that_no_data_make_right_are_refused(
    squares: Path, changed: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run_detection_experiments.main(given(squares, **changed))
    assert f"badacost-run-detection-experiments: error: {message}" in capsys.readouterr().err


def test_views_without_objects_stop_subcat_before_any_training(
    squares: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (squares / "faces.csv").read_text().splitlines()
    header = rows[0].split(",")
    only = [",".join([*row.split(",")[: header.index("view")], "frontal"]) for row in rows[1:]]
    (squares / "frontal.csv").write_text("\n".join([rows[0], *only]))
    flags = given(squares, data=squares / "frontal.csv")
    assert run_detection_experiments.main([*flags, "--methods", "SubCat", "--estimate-only"]) == 2
    assert (
        "no object of the views right_profile, half_right, half_left, left_profile" in capsys.readouterr().err
    )
    assert run_detection_experiments.main([*flags, "--methods", "BAdaCost", "--estimate-only"]) == 0
