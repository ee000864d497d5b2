"""What all evaluation commands do about arguments and files that would give wrong numbers, or fail late."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from badacost.scripts import (
    evaluate_afw,
    evaluate_boxes,
    evaluate_coco,
    evaluate_fddb,
    evaluate_kitti,
    face_box_evaluation,
)

Command = Callable[[list[str]], int]
COMMANDS = {
    "afw": evaluate_afw.main,
    "boxes": evaluate_boxes.main,
    "coco": evaluate_coco.main,
    "fddb": evaluate_fddb.main,
    "kitti": evaluate_kitti.main,
}
TRUTH = "image,x1,y1,x2,y2\na,0,0,50,50\nb,0,0,50,50\n"
DETECTIONS = "image,x1,y1,x2,y2,score\na,0,0,50,50,1\nb,0,0,50,50,2\n"


def given(name: str) -> list[str]:
    """The arguments that a command cannot do without."""
    sizes = ["--image-sizes", "sizes.txt"] if name == "fddb" else []
    return ["--ground-truth", "truth.csv", "--detections", "detections.csv", *sizes]


def refused(capsys: pytest.CaptureFixture[str], command: Command, arguments: list[str]) -> str:
    """What a command says to arguments that it refuses before anything else."""
    with pytest.raises(SystemExit) as stop:
        command(arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.fixture
def boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which holds two annotated images and their detections in csv."""
    monkeypatch.chdir(tmp_path)
    Path("truth.csv").write_text(TRUTH)
    Path("detections.csv").write_text(DETECTIONS)
    return tmp_path


@pytest.fixture
def coco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments for a ground truth of one image, beside empty results."""
    monkeypatch.chdir(tmp_path)
    content = {
        "images": [{"id": 1, "file_name": "a.jpg"}],
        "categories": [{"id": 1, "name": "face"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40]}],
    }
    Path("truth.json").write_text(json.dumps(content))
    Path("results.json").write_text("[]")
    return ["--ground-truth", "truth.json", "--detections", "results.json"]


# Arguments


@pytest.mark.parametrize("score", ["nan", "inf", "much"])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_least_score_is_a_finite_number(
    name: str, score: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, COMMANDS[name], [*given(name), "--min-score", score])
    assert f"argument --min-score: found '{score}', expected a finite number" in told


@pytest.mark.parametrize("name", COMMANDS)
def test_quiet_excludes_verbose(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, COMMANDS[name], [*given(name), "--quiet", "--verbose"])
    assert "argument --verbose: not allowed with argument --quiet" in told


@pytest.mark.parametrize(
    ("name", "extra", "message"),
    [
        ("afw", ["--bootstrap", "5", "--seed", "-1"], "--seed must be 0 or more, found -1"),
        ("afw", ["--seed", "3"], "--seed needs --bootstrap"),
        ("afw", ["--min-face", "nan"], "argument --min-face: found 'nan', expected a finite number"),
        ("boxes", ["--max-roll", "nan"], "argument --max-roll: found 'nan', expected a finite number"),
        ("boxes", ["--squares"], "--squares needs WIDER FACE's .txt as --ground-truth, found truth.csv"),
        ("kitti", ["--object-type", "Van"], "--object-type needs --model or our JSON"),
    ],
)
def test_arguments_that_are_wrong_or_without_effect(
    name: str, extra: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, COMMANDS[name], [*given(name), *extra])


# Files to write


@pytest.mark.parametrize("option", ["--json", "--csv", "--plot"])
def test_files_that_cannot_be_written_stop_before_the_work(
    option: str, boxes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(face_box_evaluation, "_read_ground_truth", pytest.fail)
    Path("folder.png").mkdir()
    for path, problem in (
        ("folder.png", "it is a folder"),
        ("no/such/r.png", "its folder does not exist"),
        ("/proc/r.png", "there"),
    ):
        assert evaluate_boxes.main([*given("boxes"), option, path]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(f"badacost-evaluate-boxes: {path}: cannot be written")
        assert problem in printed.err


def test_checking_a_file_leaves_none_behind(boxes: Path) -> None:
    assert evaluate_boxes.main([*given("boxes"), "--json", "r.json", "--ignore-csv", "none.csv"]) == 2
    assert {path.name for path in boxes.iterdir()} == {"truth.csv", "detections.csv"}


# Files to read


@pytest.mark.parametrize(
    ("file", "column", "twice"),
    [
        ("truth.csv", "x2", "x2"),
        ("truth.csv", "image", "image"),
        ("detections.csv", "score", "score"),
        ("detections.csv", "y1", "y1"),
    ],
)
def test_a_column_that_occurs_twice_is_an_error(
    file: str, column: str, twice: str, boxes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *rows = Path(file).read_text().splitlines()
    Path(file).write_text("\n".join([f"{header},{twice}", *(f"{row},7" for row in rows)]))
    assert evaluate_boxes.main(given("boxes")) == 2
    told = capsys.readouterr().err
    assert told == f"badacost-evaluate-boxes: {file}:1: column {column!r} occurs twice, expected it once\n"


def test_columns_that_are_not_read_may_have_any_name(boxes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, *rows = TRUTH.splitlines()
    Path("truth.csv").write_text("\n".join([f",{header},note,note", *(f"0,{row},x,y" for row in rows)]))
    assert evaluate_boxes.main(given("boxes")) == 0
    assert "100.00" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"), [("d.txt", ""), ("d.txt", "\n\n"), ("d.csv", "image,x1,y1,x2,y2,score\n")]
)
def test_a_file_without_any_detection_warns(
    name: str, content: str, boxes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(content)
    arguments = ["--ground-truth", "truth.csv", "--detections", name]
    assert evaluate_boxes.main(arguments) == 0
    assert f"warning: {name} does not list 2 of the 2 images, first a" in capsys.readouterr().err
    assert evaluate_boxes.main([*arguments, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_coco_results_without_any_detection_warn(coco: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate_coco.main(coco) == 0
    assert "warning: results.json does not list 1 of the 1 images, first a.jpg" in capsys.readouterr().err


def test_a_ground_truth_without_images_is_blamed_itself(
    boxes: Path, coco: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("truth.csv").write_text(TRUTH.splitlines()[0] + "\n")
    assert evaluate_boxes.main(given("boxes")) == 2
    told = capsys.readouterr().err
    assert told == "badacost-evaluate-boxes: truth.csv: holds no image, expected at least one\n"
    Path("truth.json").write_text('{"images": [], "annotations": [], "categories": []}')
    assert evaluate_coco.main(coco) == 2
    assert "truth.json: holds no image" in capsys.readouterr().err
    Path("truth.txt").write_text("")
    Path("sizes.txt").write_text("a 100 100\n")
    arguments = ["--ground-truth", "truth.txt", "--image-sizes", "sizes.txt"]
    assert evaluate_fddb.main([*arguments, "--detections", "detections.csv"]) == 2
    assert "truth.txt: holds no image" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("boxes", ["--image-list", "none.txt"]),
        ("boxes", ["--scale-csv", "none.csv"]),
        ("fddb", ["--published", "none_"]),
        ("fddb", ["--image-sizes", "none.txt"]),
        ("fddb", ["--ground-truth", "none.txt"]),
        ("coco", ["--ground-truth", "none.json"]),
        ("kitti", ["--split", "none.txt"]),
    ],
)
def test_missing_files_are_named_once_and_in_words(
    name: str, extra: list[str], boxes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sizes.txt").write_text("a 100 100\n")
    assert COMMANDS[name]([*given(name), *extra]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"badacost-evaluate-{name}: none")
    assert "Errno" not in told
    assert told.count("none") == 1
    assert "No such file or directory" in told


# Ends


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupted_command_has_the_status_of_the_signal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    module = face_box_evaluation if name in ("afw", "boxes") else sys.modules[COMMANDS[name].__module__]
    monkeypatch.setattr(module, "_evaluate", interrupt)
    assert COMMANDS[name](given(name)) == 130
    assert capsys.readouterr().err == f"badacost-evaluate-{name}: interrupted\n"


def test_a_reader_that_has_seen_enough_is_no_error(boxes: Path) -> None:
    command = [sys.executable, "-m", "badacost.scripts.evaluate_boxes", *given("boxes")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0
