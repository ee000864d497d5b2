"""The command inspect_model, on a detector whose parts are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import pytest

from badacost.scripts.inspect_model import main
from tests.detector.square_detector import picture, square_detector


@pytest.fixture
def model(tmp_path: Path) -> str:
    square_detector().save(tmp_path / "squares.npz")
    return str(tmp_path / "squares.npz")


def test_card_says_what_the_model_is(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([model]) == 0
    text = capsys.readouterr().out
    for line in (
        "object:      16x16 pixels (height x width)",
        "trees:       144 of up to 2 split levels",
        "split nodes: 3 to 3 a tree, mean 3.0, 432 in all",
        "  half_left: width / height 1.000, 40 degrees",
        "  L: 144, 33.3 % of all, most (1) in row 1, column 1",
        "  magnitude: 0",
    ):
        assert line in text.splitlines()


def test_cells_of_the_feature_maps_are_printed_on_demand_only(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows_of_cells(*flags: str) -> list[list[int]]:
        assert main([model, *flags]) == 0
        lines = capsys.readouterr().out.partition("feature maps")[2].splitlines()[1:]
        return [[int(count) for count in line.split()] for line in lines if line.startswith("    ")]

    assert rows_of_cells() == rows_of_cells("--quiet") == []
    cells = rows_of_cells("--feature-maps")
    assert sum(map(sum, cells)) == 432
    assert len({len(row) for row in cells}) == 1


def test_quiet_has_the_sums_of_the_channels_only(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([model, "--quiet"]) == 0
    assert {"  L: 144", "  V: 288"} <= set(capsys.readouterr().out.splitlines())


def test_figure_and_times_of_an_image(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, plot = str(tmp_path / "image.png"), tmp_path / "model.png"
    cv2.imwrite(image, picture((20, 30, (230, 60, 60)))[..., ::-1])
    arguments = ["--plot", str(plot), "--image", image, "--speed", image, "--repetitions", "1", "--quiet"]
    assert main([model, *arguments]) == 0
    assert cv2.imread(str(plot)) is not None
    text = capsys.readouterr().out
    assert "96x72 pixels" in text
    for stage in ("channels and pyramid", "scan", "total"):
        assert f"\n  {stage} " in text


def test_figure_without_image(model: str, tmp_path: Path) -> None:
    assert main([model, "--quiet", "--plot", str(tmp_path / "model.svg")]) == 0
    assert (tmp_path / "model.svg").stat().st_size > 1000


def test_environment_needs_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--environment"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("python 3.")
    assert "\nnumpy " in text


def test_unusable_input_is_named(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.npz").write_text("no model")
    assert main([str(tmp_path / "text.npz")]) == 2
    assert "text.npz: not a model file" in capsys.readouterr().err
    assert main([model, "--speed", str(tmp_path / "missing.jpg")]) == 2
    assert "missing.jpg" in capsys.readouterr().err
    for arguments in ([], ["--plot", "x.png"], [model, "--plot", "x.doc"], [model, "--image", "x.png"],
                      ["--environment", "--feature-maps"], [model, "--quiet", "--feature-maps"]):  # fmt: skip
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2


def test_a_reader_that_leaves_early_is_no_error(model: str) -> None:
    command = [sys.executable, "-m", "badacost.scripts.inspect_model", model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_unwritable_figure_is_named_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["nonesuch", "--plot", str(tmp_path / "file" / "x.png")]) == 2
    assert capsys.readouterr().err == f"badacost-inspect-model: {tmp_path / 'file'}: Not a directory\n"


def test_interruption_has_the_customary_status(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("badacost.detector.model_card.model_card", interrupted)
    assert main([model]) == 130
    assert capsys.readouterr().err == "badacost-inspect-model: interrupted\n"
