"""What the command detect writes: lines, files of every format, drawings, crops."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.images import read_image
from badacost.scripts.detect import main

from ...detector.square_detector import BLUE, RED, SIDE, picture
from .photographs import BOTH, images, save


def test_single_image_without_flags(model: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["photo.png", "--model", model]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "photo.png: frontal (0 deg) score=64.80 x=20.0 y=24.0 width=16.0 height=16.0",
        "photo.png: half_left (40 deg) score=64.80 x=60.0 y=40.0 width=16.0 height=16.0",
    ]
    assert "drawn to photo.detected.jpg" in printed.err
    assert sorted(path.name for path in folder.iterdir()) == ["photo.detected.jpg", "photo.png"]
    drawn = read_image("photo.detected.jpg")
    assert drawn.shape == (432, 576, 3)  # six times as large, to be read
    assert drawn[:140, 120:300].max() > 100  # the label


@pytest.mark.parametrize(
    "flags", [["--format", "csv"], ["--output", "x.txt"], ["--draw", "drawn"], ["--save-crops", "crops"]]
)
def test_output_flags_replace_the_default_drawing(model: str, folder: Path, flags: list[str]) -> None:
    assert main(["photo.png", "--model", model, *flags]) == 0
    assert not list(folder.glob("*.detected.jpg"))


def test_json_of_a_folder(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture((30, 10, BLUE)), "set/b.png")
    save(picture((10, 30, RED)), "set/deep/a.png")
    assert main(["set", "photo.png", "--model", model, "--format", "json"]) == 0
    text = capsys.readouterr().out
    assert images(text) == {
        "set/b.png": [([30, 10, SIDE, SIDE], "half_left")],
        "set/deep/a.png": [([10, 30, SIDE, SIDE], "frontal")],
        "photo.png": BOTH,
    }
    document = json.loads(text)
    assert document["model"] == "squares"
    assert len(document["model_sha256"]) == 64
    assert [document["images"][0][side] for side in ("width", "height")] == [96, 72]


def test_formats_and_their_files(model: str, folder: Path) -> None:
    common = ["photo.png", "--model", model, "--quiet"]
    for name in ("text", "json", "jsonl", "csv", "coco", "fddb"):
        assert main([*common, "--format", name, "--output", f"out/{name}"]) == 0
    assert main([*common, "--format", "kitti", "--output", "out/kitti", "--object-type", "Square"]) == 0
    assert images(Path("out/json").read_text()) == {"photo.png": BOTH}
    assert json.loads(Path("out/jsonl").read_text())["file"] == "photo.png"
    assert len(Path("out/csv").read_text().splitlines()) == 3
    assert [item["category_id"] for item in json.loads(Path("out/coco").read_text())] == [1, 2]
    assert Path("out/fddb").read_text().splitlines()[:2] == ["photo", "2"]
    assert [line.split()[0] for line in Path("out/kitti/photo.txt").read_text().splitlines()] == [
        "Square"
    ] * 2
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_format_follows_the_ending_of_output(model: str) -> None:
    for name, start in (
        ("a.json", '{"format"'),
        ("a.jsonl", '{"file"'),
        ("a.csv", "file,"),
        ("a.txt", "photo"),
        ("a", "photo"),
    ):
        assert main(["photo.png", "--model", model, "--output", name]) == 0
        assert Path(name).read_text().startswith(start)


def test_class_agnostic_and_clip(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture((-6 % 96, 24, RED), (60, 40, BLUE))[:, :90], "edge.png")  # the red square is cut off
    common = ["edge.png", "--model", model, "--min-score", "15"]
    assert main([*common, "--format", "coco", "--class-agnostic"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {item["category_id"] for item in found} == {1}
    assert main([*common, "--format", "csv", "--clip"]) == 0
    for line in capsys.readouterr().out.splitlines()[1:]:
        x, y, width, height = map(float, line.split(",")[1:5])
        assert x >= 0
        assert y >= 0
        assert x + width <= 90
        assert y + height <= 72


def test_draw_and_crops(model: str, folder: Path) -> None:
    save(picture((30, 10, BLUE)), "set/deep/b.png")
    save(picture((30, 10, RED)), "set/b.png")
    assert main(["set", "--model", model, "--draw", "drawn", "--save-crops", "crops"]) == 0
    assert sorted(str(path.relative_to("drawn")) for path in Path("drawn").rglob("*.jpg")) == [
        "b.detected.jpg",
        "deep/b.detected.jpg",
    ]
    crops = sorted(str(path.relative_to("crops")) for path in Path("crops").rglob("*.jpg"))
    assert crops == ["b_001_frontal.jpg", "deep/b_001_half_left.jpg"]
    pixels = read_image("crops/deep/b_001_half_left.jpg")
    assert pixels.shape == (SIDE, SIDE, 3)
    assert np.abs(pixels[8, 8].astype(int) - BLUE).max() < 12


def test_folder_as_output_gets_one_file(model: str) -> None:
    Path("out").mkdir()
    assert main(["photo.png", "--model", model, "--output", "out"]) == 0
    assert main(["photo.png", "--model", model, "--output", "out", "--format", "csv"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["detections.csv", "detections.txt"]
