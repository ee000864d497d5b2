"""Where images come from, in what order they are worked on, and the progress shown."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from badacost.scripts.detect import main

from ...detector.square_detector import BLUE, RED, picture
from .photographs import BOTH, images, save


def test_jobs_and_threads_change_nothing(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    for index in range(9):
        color = RED if index % 2 else BLUE
        save(picture((5 + 2 * index, 20, color)), f"set/{index}.png")
    Path("set/4.png").write_text("broken")
    texts = []
    for flags in ([], ["--jobs", "3"], ["--jobs", "2", "--threads", "2"], ["--threads", "1"]):
        assert main(["set", "--model", model, "--format", "json", *flags]) == 1
        texts.append(capsys.readouterr().out)
    assert len(images(texts[0])) == 9
    assert texts[1:] == texts[:1] * 3


def test_list_on_standard_input(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("photo.png\n\nmissing.png\n"))
    assert main(["-", "--model", model, "--format", "json"]) == 1
    printed = capsys.readouterr()
    assert images(printed.out) == {"photo.png": BOTH, "missing.png": []}
    assert "missing.png: cannot be read (No such file or directory)" in printed.err
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert main(["-", "--model", model]) == 2
    assert "the list on standard input is empty" in capsys.readouterr().err


def test_video(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    import cv2

    video = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 10, (96, 72))
    for x in (20, 30):
        video.write(np.ascontiguousarray(picture((x, 24, RED))[..., ::-1]))
    video.release()
    assert main(["clip.avi", "--model", model, "--format", "jsonl", "--draw", "drawn"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["file"] for line in lines] == ["clip.avi#0", "clip.avi#1"]
    assert [round(line["detections"][0]["box"][0]) for line in lines] == [20, 30]
    assert sorted(path.name for path in Path("drawn").iterdir()) == [
        "clip_000000.detected.jpg",
        "clip_000001.detected.jpg",
    ]


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("flags", "shown"), [([], True), (["--quiet"], False), (["--verbose"], False), (["--jobs", "2"], True)]
)
def test_progress_is_shown_to_a_terminal(
    model: str, monkeypatch: pytest.MonkeyPatch, flags: list[str], shown: bool
) -> None:
    save(picture(), "other.png")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["photo.png", "other.png", "--model", model, "--output", "out.csv", *flags]) == 0
    assert ("2/2" in sys.stderr.getvalue()) == shown  # type: ignore[attr-defined]


def test_progress_is_not_shown_to_files(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture(), "other.png")
    assert main(["photo.png", "other.png", "--model", model, "--output", "out.csv"]) == 0
    assert "2/2" not in capsys.readouterr().err
