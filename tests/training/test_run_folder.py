"""The run folder: whole files only, refusals, and what a killed run leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detector import Detector
from badacost.training.negatives import SearchFigures
from badacost.training.round_report import RoundReport
from badacost.training.run_folder import RunError, RunFolder

from ..detector.square_detector import square_detector

OPTIONS = "seed = 1\n"
IMAGES = "0123abcd"
SEARCH = SearchFigures(n_images=3, trees_per_window=None, seconds=0.5)
WINDOWS = np.arange(40, dtype=np.uint8).reshape(4, 10)
REPORT = RoundReport(
    number=1,
    n_trees=4,
    stop_reason="all rounds done",
    n_positives=8,
    n_negatives=4,
    n_new_negatives=4,
    n_images_mined=3,
    first_loss=0.5,
    last_loss=0.25,
    training_error=0.125,
    positives_lost=0.0,
    lowest_threshold=-1.5,
    trees_per_window=None,
    mining_seconds=0.5,
    boosting_seconds=1.0,
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return square_detector()


@pytest.fixture
def run(tmp_path: Path, detector: Detector) -> RunFolder:
    """A run that was killed after its first round."""
    folder = RunFolder(tmp_path / "run", OPTIONS, resume=False)
    folder.begin(IMAGES)
    folder.save_untrained_detector(detector)
    folder.save_negatives(1, WINDOWS, SEARCH)
    folder.save_round(1, detector, REPORT)
    return folder


def resumed(run: RunFolder, options: str = OPTIONS) -> RunFolder:
    return RunFolder(run.path, options, resume=True)


def test_what_is_saved_is_read_back(run: RunFolder, detector: Detector) -> None:
    again = resumed(run)
    again.begin(IMAGES)
    kept = again.negatives(1)
    assert kept is not None
    np.testing.assert_array_equal(kept[0], WINDOWS)
    assert isinstance(kept[0], np.memmap)
    assert kept[1] == SEARCH
    assert again.reports() == [REPORT]
    for read in (again.round_detector(1), again.untrained_detector()):
        assert read is not None
        np.testing.assert_array_equal(read.cascade.feature, detector.cascade.feature)
    assert again.round_detector(2) is None
    assert again.negatives(2) is None


def test_only_finished_files_are_left(run: RunFolder) -> None:
    assert {path.name for path in run.path.iterdir()} == {
        "options.toml", "images.sha256", "features.npz",
        "negatives_1.npy", "negatives_1.json", "round_1.npz", "round_1.json",
    }  # fmt: skip


SAVERS: dict[str, Callable[[RunFolder, Detector], object]] = {
    "negatives": lambda run, _: run.save_negatives(1, WINDOWS + 1, SEARCH),
    "round": lambda run, detector: run.save_round(1, replace(detector, name="other"), REPORT),
    "features": lambda run, detector: run.save_untrained_detector(replace(detector, name="other")),
    "model": lambda run, detector: run.save_detector(detector),
    "text": lambda run, _: run.save_text("options.toml", "seed = 2\n"),
}


@pytest.mark.parametrize("saver", SAVERS)
def test_a_write_that_fails_leaves_what_was_there(
    saver: str, run: RunFolder, detector: Detector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: neither half a file nor one less than before."""
    before = {path.name: path.read_bytes() for path in run.path.iterdir()}

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device", str(self))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space left"):
            SAVERS[saver](run, detector)
    assert {path.name: path.read_bytes() for path in run.path.iterdir()} == before


def test_what_a_killed_writer_leaves_is_no_checkpoint(run: RunFolder) -> None:
    for name in (".round_2.npz.77.tmp", ".negatives_2.npy.77.tmp.npy", ".round_2.json.77.tmp"):
        (run.path / name).write_bytes(b"PK\x03\x04 half")
    again = resumed(run)
    again.begin(IMAGES)
    assert again.round_detector(2) is None
    assert again.negatives(2) is None
    assert len(again.reports()) == 1


def test_a_report_without_its_detector_is_a_round_that_has_not_ended(run: RunFolder) -> None:
    run.save_text("round_2.json", json.dumps(replace(REPORT, number=2).as_dict()))
    assert [report.number for report in resumed(run).reports()] == [1]
    assert resumed(run).round_detector(2) is None


@pytest.mark.parametrize("name", ["round_1.npz", "features.npz"])
@pytest.mark.parametrize("kept", [0, 100, 2000])
def test_a_detector_that_was_cut_off_is_refused(name: str, kept: int, run: RunFolder) -> None:
    path = run.path / name
    path.write_bytes(path.read_bytes()[:kept])
    read = resumed(run)
    with pytest.raises(RunError, match=rf"{name}: .*(not a model file|truncated).*; remove it, and --resume"):
        _ = read.round_detector(1) if name.startswith("round") else read.untrained_detector()


@pytest.mark.parametrize("kept", [0, 5, 100, 150])
def test_negatives_that_were_cut_off_are_refused(kept: int, run: RunFolder) -> None:
    path = run.path / "negatives_1.npy"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(
        RunError, match=r"negatives_1\.npy: damaged .*; remove negatives_1\.npy, and --resume"
    ):
        resumed(run).negatives(1)


@pytest.mark.parametrize("content", ["", '{"n_images": 3', "[1]", '{"n_images": 3}', '{"other": 1}'])
def test_damaged_figures_are_refused(content: str, run: RunFolder) -> None:
    (run.path / "negatives_1.json").write_text(content)
    with pytest.raises(RunError, match=r"negatives_1\.json: damaged .*; remove negatives_1\.npy"):
        resumed(run).negatives(1)
    (run.path / "round_1.json").write_text(content)
    with pytest.raises(RunError, match=r"round_1\.json: damaged .*; remove round_1\.npz"):
        resumed(run).reports()


def test_a_run_is_neither_overwritten_nor_mixed_with_another(run: RunFolder) -> None:
    with pytest.raises(RunError, match="a training run is there already; add --resume"):
        RunFolder(run.path, OPTIONS, resume=False)
    with pytest.raises(RunError, match=r"options\.toml: the run was started with other options"):
        resumed(run, "seed = 2\n")
    with pytest.raises(RunError, match="started with other images, boxes or views"):
        resumed(run).begin("4567")


def test_a_run_that_lost_its_first_negatives_is_still_one(run: RunFolder) -> None:
    """Its rounds must not end up in a model of other options."""
    (run.path / "negatives_1.npy").unlink()
    with pytest.raises(RunError, match="a training run is there already"):
        RunFolder(run.path, OPTIONS, resume=False)
    with pytest.raises(RunError, match="other options"):
        resumed(run, "seed = 2\n")


def test_a_folder_without_negatives_may_be_used_anew(tmp_path: Path, detector: Detector) -> None:
    """What was learnt from other images or options goes; of the same ones it stays."""
    first = RunFolder(tmp_path, OPTIONS, resume=False)
    first.begin(IMAGES)
    first.save_untrained_detector(detector)
    same = RunFolder(tmp_path, OPTIONS, resume=False)
    same.begin(IMAGES)
    assert same.untrained_detector() is not None
    other = RunFolder(tmp_path, OPTIONS, resume=False)
    other.begin("4567")
    assert other.untrained_detector() is None
    assert (tmp_path / "images.sha256").read_text() == "4567\n"
    other.save_untrained_detector(detector)
    third = RunFolder(tmp_path, "seed = 3\n", resume=True)
    third.begin("4567")
    assert third.untrained_detector() is None
    assert (tmp_path / "options.toml").read_text() == "seed = 3\n"


def test_resume_of_nothing_starts_a_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "new" / "run", OPTIONS, resume=True)
    folder.begin(IMAGES)
    assert (tmp_path / "new" / "run" / "options.toml").read_text() == OPTIONS
    assert folder.reports() == []
