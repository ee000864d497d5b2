"""The command of the detection experiments on drawn objects: from photographs to the report, and going on."""

from __future__ import annotations

import csv
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from badacost.scripts import run_detection_experiments, train_detector
from badacost.scripts.run_detection_experiments import main
from badacost.training.views import FACE_VIEWS

from ..training.synthetic_objects import write_dataset

TINY = (
    "patch_margin=4", "window.object_height=16", "window.object_width=16", "window.window_height=24",
    "window.window_width=24", "pyramid.pad=[4,4]", "pyramid.min_size=[16,16]", "filters.count=0",
    "boosting.rounds=[2,4]", "boosting.tree.max_depth=2", "boosting.tree.max_features=0.1", "mining.per_round=60",
    "mining.accumulated=80", "mining.per_image=10",
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures with objects that are said to show the five views of faces; not to be changed."""
    folder = tmp_path_factory.mktemp("experiments") / "objects"
    write_dataset(folder)
    with (folder / "train.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    named = [[*row[:5], FACE_VIEWS[number % 5], ""] for number, row in enumerate(rows)]
    with (folder / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *named])
    # Faces under 30 pixels of the original size would not count.
    names = sorted({row[0] for row in rows})
    (folder / "scale.csv").write_text(
        "image,scale_from_original\n" + "".join(f"{name},0.4\n" for name in names)
    )
    return folder


@pytest.fixture(autouse=True)
def level_of_the_log() -> Iterator[None]:
    """The training sets it for its process."""
    log = logging.getLogger("badacost")
    level = log.level
    yield
    log.setLevel(level)


def arguments(data: Path, output: Path, *others: str) -> list[str]:
    return [
        "--dataset", "csv", "--data", str(data), "--negatives", str(data / "negatives"),
        "--ground-truth", str(data / "train.csv"), "--test-images", str(data),
        "--scale-csv", str(data / "scale.csv"), "--output", str(output), "--jobs", "1", "--threads", "1", "--quiet",
        *(word for setting in TINY for word in ("--set", setting)), *others,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all four methods; tests may add to it."""
    output = tmp_path_factory.mktemp("experiments") / "run"
    assert main(arguments(data, output)) == 0
    return output


def forbidden(*_: object, **__: object) -> int:
    raise AssertionError


def test_all_methods_are_trained_measured_and_reported(finished: Path) -> None:
    text = (finished / "report.md").read_text()
    for method in ("BAdaCost", "SAMME", "SubCat", "SubCat, equal nodes"):
        assert text.count(f"| {method} |") >= 5
    assert "| SubCat, equal nodes | 5 | 1 | 2 | 10 |" in text  # at least a tree each
    assert "not been measured together" not in text
    assert "CPU time an image of BAdaCost at most a third of that of SubCat" in text
    assert "Not finished" not in text
    assert len(list((finished / "traces").iterdir())) == 4
    assert (finished / "traces.png").is_file()
    costs = json.loads((finished / "scan_costs.json").read_text())["detectors"]
    assert {len(cost["seconds"]) for cost in costs.values()} == {24}


def test_a_finished_run_is_only_reported_again(
    data: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_detector, "main", forbidden)
    monkeypatch.setattr(run_detection_experiments, "_evaluate", forbidden)
    before = (finished / "scan_costs.json").read_bytes()
    assert main(arguments(data, finished, "--report", str(tmp_path / "report"))) == 0
    assert (finished / "scan_costs.json").read_bytes() == before
    assert (tmp_path / "report" / "report.md").read_text() == (finished / "report.md").read_text()


def test_unfinished_detectors_are_named_in_the_report(data: Path, finished: Path, tmp_path: Path) -> None:
    more = ("--seeds", "0,1", "--report-only", "--report", str(tmp_path))
    assert main(arguments(data, finished, *more)) == 0
    text = (tmp_path / "report.md").read_text()
    assert "- methods: SubCat, equal nodes, seed 1" in text
    assert "measured together" not in text


def test_an_evaluation_that_lacks_a_score_is_made_again(data: Path, finished: Path) -> None:
    (path,) = (finished / "outcomes").glob("faces_samme-*.json")
    outcome = json.loads(path.read_text())
    complete = dict(outcome["scores"])
    del outcome["scores"]["AP refined"]
    path.write_text(json.dumps(outcome))
    assert main(arguments(data, finished, "--methods", "SAMME")) == 0
    assert json.loads(path.read_text())["scores"] == complete


def test_detectors_that_fail_do_not_keep_others_from_the_report(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = train_detector.main
    monkeypatch.setattr(train_detector, "main", lambda argv: 2 if "faces_samme" in argv else train(argv))
    assert main(arguments(data, tmp_path, "--methods", "SAMME,BAdaCost")) == 1
    assert "failed: faces_samme-seed0-" in capsys.readouterr().err
    text = (tmp_path / "report.md").read_text()
    assert "- methods: SAMME, seed 0" in text
    assert "no rival of BAdaCost is finished" in text


def test_an_interrupted_training_ends_the_run(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train_detector, "main", lambda _: 130)
    assert main(arguments(data, tmp_path)) == 130
    assert "the same command goes on where it ended" in capsys.readouterr().err


@pytest.mark.parametrize("views", ["left,right", "12"])
def test_views_are_bins_of_cars(data: Path, tmp_path: Path, views: str) -> None:
    with pytest.raises(SystemExit) as refused:
        main(arguments(data, tmp_path, "--views", views))
    assert refused.value.code == 2
