"""The command train_detector: a run from photographs to a model that detects, killed and resumed runs."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from badacost.detector.boxes import box_overlaps
from badacost.detector.detector import Detector
from badacost.scripts.detect import main as detect
from badacost.scripts.train_detector import main
from badacost.training import trainer

from ..training.synthetic_objects import VIEWS, DrawnObject, write_dataset

# What a run writes, as the guide lists it.
RUN_FILES = {
    "options.toml", "images.sha256", "features.npz", "model.npz",
    "negatives_1.npy", "negatives_1.json", "round_1.npz", "round_1.json",
    "negatives_2.npy", "negatives_2.json", "round_2.npz", "round_2.json",
}  # fmt: skip
# Ends the process as the system would, once a round is on the disk.
KILLED_AFTER_ROUND_1 = """\
import os, signal, sys
from badacost.scripts.train_detector import main
from badacost.training.run_folder import RunFolder

save_round = RunFolder.save_round

def save_and_die(self, number, detector, report):
    save_round(self, number, detector, report)
    os.kill(os.getpid(), signal.SIGKILL)

RunFolder.save_round = save_and_die
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the data set; not to be changed."""
    return tmp_path_factory.mktemp("command") / "objects"


@pytest.fixture(scope="module")
def objects(folder: Path) -> list[list[DrawnObject]]:
    return write_dataset(folder)


@pytest.fixture(autouse=True)
def level_of_the_log() -> Iterator[None]:
    """The command sets it for its process."""
    log = logging.getLogger("badacost")
    level = log.level
    yield
    log.setLevel(level)


def arguments(folder: Path, run: Path, *others: str) -> list[str]:
    """A command line that trains on the data set; the model's name does not follow the run folder's."""
    return [
        "--dataset", "csv", "--data", str(folder), "--negatives", str(folder / "negatives"),
        "--views", ",".join(VIEWS), "--config", str(folder / "tiny.toml"), "--output", str(run),
        "--name", "tiny", "--jobs", "1", "--threads", "1", *others,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def finished(
    folder: Path, objects: list[list[DrawnObject]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A run that nothing interrupted; not to be changed."""
    run = tmp_path_factory.mktemp("command") / "run"
    assert main(arguments(folder, run)) == 0
    return run


def test_what_is_printed_and_written(
    folder: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert main(arguments(folder, run, "--quiet")) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{run / 'model.npz'}\n"
    assert printed.err == ""
    assert {path.name for path in run.iterdir()} == RUN_FILES
    assert (run / "model.npz").read_bytes() == (finished / "model.npz").read_bytes()


def test_the_data_are_counted(folder: Path, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(folder, finished, "--resume")) == 0
    assert "24 images with 48 objects of 3 views, 4 negative images" in capsys.readouterr().err
    detector = Detector.load(finished / "model.npz")
    assert detector.name == "tiny"
    assert [view.name for view in detector.views] == list(VIEWS)
    assert detector.provenance["dataset"] == "csv"
    assert detector.provenance["options"] == (finished / "options.toml").read_text()
    assert [detector.provenance[name] for name in ("images", "objects", "negative_images")] == [24, 48, 4]


def test_the_model_detects(
    folder: Path, finished: Path, objects: list[list[DrawnObject]], tmp_path: Path
) -> None:
    output = tmp_path / "found.json"
    command = [str(folder / "images"), "--model", str(finished / "model.npz"), "--output", str(output)]
    assert detect([*command, "--quiet", "--min-score", "0"]) == 0
    images = json.loads(output.read_text())["images"]
    assert len(images) == len(objects)
    found = right = 0
    for image, drawn in zip(sorted(images, key=lambda image: str(image["file"])), objects, strict=True):
        detections = image["detections"]
        corners = [[x, y, x + w, y + h] for x, y, w, h in (item["box"] for item in detections)]
        for item, overlaps in zip(drawn, box_overlaps([item.box for item in drawn], corners), strict=True):
            if overlaps.max(initial=0) > 0.5:
                found += 1
                right += detections[int(overlaps.argmax())]["view"] == item.view
    assert found >= 44  # of 48
    assert right >= 0.9 * found


def test_a_run_killed_between_rounds_goes_on_to_the_same_bits(
    folder: Path, finished: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-c", KILLED_AFTER_ROUND_1, *arguments(folder, run, "--quiet")]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (run / "round_1.npz").exists()
    assert not (run / "model.npz").exists()
    assert main(arguments(folder, run, "--quiet")) == 2  # not without --resume
    assert main(arguments(folder, run, "--quiet", "--resume")) == 0
    for name in ("round_1.npz", "round_2.npz", "negatives_2.npy", "model.npz"):
        assert (run / name).read_bytes() == (finished / name).read_bytes()


def test_an_interrupted_run_says_how_to_go_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "train_detector", interrupt)
    assert main(arguments(folder, tmp_path / "run")) == 130
    assert "interrupted; --resume continues after the last finished round" in capsys.readouterr().err


def test_settings_of_the_command_line_are_the_runs(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "short"
    short = ("--set", "boosting.rounds=[2]", "--set", "calibration.kind=per_tree", "--seed", "5")
    command = arguments(folder, run, "--quiet", "--hold-out", "0.25", *short)
    command.remove("--name")
    command.remove("tiny")
    assert main(command) == 0
    options = (run / "options.toml").read_text()
    for line in ("rounds = [2]", 'kind = "per_tree"', "seed = 5", "object_height = 16"):
        assert line in options.splitlines()
    detector = Detector.load(run / "model.npz")
    assert (detector.name, detector.cascade.n_trees) == ("short", 2)
    held_out = (run / "held_out.txt").read_text().splitlines()
    assert len(held_out) == len(set(held_out)) == 6
    assert all(Path(name).is_file() for name in held_out)
    assert detector.provenance["images"] == 18


def test_progress_is_shown_to_a_terminal(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    short = ("--set", "boosting.rounds=[2]")
    assert main(arguments(folder, tmp_path / "run", *short)) == 0
    assert "round 1: 100%" in capsys.readouterr().err


def test_help_shows_examples_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from badacost.scripts.train_detector import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'numpy', 'scipy', 'cv2', 'tqdm'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout
    assert done.stdout.rstrip().endswith("[]")
