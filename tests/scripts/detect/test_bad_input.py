"""Bad images, models and arguments of the command detect."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detector import Detector
from badacost.scripts.detect import main

from ...detector.square_detector import picture
from .photographs import BOTH, images, save

BAD_FILES = {
    "empty.jpg": (b"", "the file is empty"),
    "text.jpg": (b"dear diary\n", "not an image of a known format"),
}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_files_stop_no_others(model: str, capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    for name, (content, _) in BAD_FILES.items():
        Path(name).write_bytes(content)
    save(np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8), "cut.jpg")
    Path("cut.jpg").write_bytes(Path("cut.jpg").read_bytes()[:-3000])
    sources = ["cut.jpg", *BAD_FILES, "missing.jpg", "no/*.jpg", "photo.png"]
    assert main([*sources, "--model", model, "--format", "json", "--jobs", jobs]) == 1
    printed = capsys.readouterr()
    expected = {
        **{name: reason for name, (_, reason) in BAD_FILES.items()},
        "cut.jpg": "the image is truncated",
        "missing.jpg": "no such file or folder",
        "no/*.jpg": "no image or video fits this pattern",
    }
    told = [line for line in printed.err.splitlines() if line.startswith("badacost-detect: ")]
    assert len(told) == len(expected)
    errors = {image["file"]: image["error"] for image in json.loads(printed.out)["images"]}
    assert errors.pop("photo.png") is None
    for name, reason in expected.items():
        assert errors[name].startswith(f"{name}: {reason}")
        assert f"badacost-detect: {errors[name]}" in told
    assert images(printed.out)["photo.png"] == BOTH


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["missing.jpg"], "missing.jpg: no such file or folder"),
        (["nothing"], "nothing: no images in this folder"),
        (["missing.jpg", "nothing", "*.gif"], "*.gif: no image or video fits this pattern"),
        (["text.jpg"], "text.jpg: not an image of a known format"),
        (["99"], "camera 99: gives no picture"),
        ([""], "'': an empty name, expected a file or folder"),
    ],
)
def test_nothing_usable(
    model: str, capsys: pytest.CaptureFixture[str], sources: list[str], message: str
) -> None:
    Path("nothing").mkdir()
    Path("text.jpg").write_text("dear diary\n")
    assert main([*sources, "--model", model]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"badacost-detect: {message}" in printed.err


def test_unusable_sources_leave_old_results(model: str) -> None:
    Path("out.json").write_text("old")
    assert main(["missing.jpg", "--model", model, "--output", "out.json"]) == 2
    assert Path("out.json").read_text() == "old"


def test_models_that_are_none(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("text.npz").write_text("no model")
    Path("cut.npz").write_bytes(Path(model).read_bytes()[:2000])
    with np.load(model) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    newer = np.frombuffer(json.dumps(header | {"version": 99}).encode(), np.uint8)
    np.savez("newer.npz", **(arrays | {"header": newer}))
    np.savez("other.npz", x=np.zeros(3))
    for name, reason in (
        ("text.npz", "not a model file, expected an .npz archive"),
        ("cut.npz", "the model is truncated"),
        ("newer.npz", "version 99"),
        ("other.npz", "no header; expected a file written by Detector.save"),
        ("nonesuch", "neither a file nor a shipped model"),
    ):
        assert main(["photo.png", "--model", name]) == 2
        printed = capsys.readouterr()
        assert reason in printed.err
        assert name in printed.err
        assert printed.out == ""


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "the following arguments are required: SOURCE"),
        (["photo.png", "--min-size", "0.01"], "argument --min-size: must be at least 1 pixel, found 0.01"),
        (
            ["photo.png", "--min-size", "nan"],
            "argument --min-size: must be a number of at most 3e+38, found nan",
        ),
        (["photo.png", "--min-score", "1e99"], "argument --min-score: must be a number of at most 3e+38"),
        (["photo.png", "--min-score", "high"], "argument --min-score: invalid number value: 'high'"),
        (["photo.png", "--nms-overlap", "1.5"], "argument --nms-overlap: must lie in [0, 1], found 1.5"),
        (["photo.png", "--cascade-slack", "-1"], "argument --cascade-slack: must be positive, found -1"),
        (["photo.png", "--min-size", "50", "--max-size", "40"], "--min-size must not exceed --max-size"),
        (["photo.png", "--max-detections", "0"], "argument --max-detections: must be at least 1, found 0"),
        (["photo.png", "--jobs", "two"], "argument --jobs: invalid whole number value: 'two'"),
        (["photo.png", "--threads", "-1"], "argument --threads: must be 0 (all) or more, found -1"),
        (["photo.png", "--views", ","], "argument --views: must name views, found ','"),
        (["photo.png", "--format", "xml"], "argument --format: invalid choice: 'xml'"),
        (["photo.png", "--format", "kitti"], "name a folder with --output"),
        (
            ["photo.png", "--format", "kitti", "--output", "x", "--object-type", "a b"],
            "--object-type must be one word, found 'a b'",
        ),
        (["photo.png", "--object-type", "Car"], "--object-type is of --format kitti only, found text"),
        (["photo.png", "--class-agnostic"], "--class-agnostic is of --format coco only, found text"),
        (["photo.png", "--quiet", "--verbose"], "argument --verbose: not allowed with argument --quiet"),
        (["photo.png", "--output", "x.xml"], "--output ends with .xml, which names no format"),
        (["photo.png", "--output", "-"], "without --output results go to standard output"),
        (["photo.png", "--draw", ""], "must name a file or folder, found ''"),
        (["photo.png", "--colour", "red"], "unrecognized arguments: --colour red"),
    ],
)
def test_wrong_arguments(capsys: pytest.CaptureFixture[str], flags: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(flags)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_unknown_views(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["photo.png", "--model", model, "--views", "frontal,rear"]) == 2
    assert "--views must be among frontal, half_left; found rear" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--output", "file/out.json"], "file: Not a directory"),
        (["--format", "kitti", "--object-type", "Square", "--output", "file"], "file: Not a directory"),
        (["--format", "csv", "--draw", "file"], "file: Not a directory"),
        (["--format", "csv", "--save-crops", "file/crops"], "file/crops: Not a directory"),
    ],
)
def test_outputs_that_cannot_be_written(
    model: str, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    Path("file").write_text("in the way")
    save(picture(), "other.png")
    assert main(["photo.png", "other.png", "--model", model, *flags]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [f"badacost-detect: {message}"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system has no /proc")
def test_unwritable_file_is_named_itself(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["photo.png", "--model", model, "--output", "/proc/out.json"]) == 2
    assert capsys.readouterr().err.startswith("badacost-detect: /proc/out.json: ")


def test_images_that_coco_would_not_tell_apart(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("set/a/1.png", "set/b/1.png"):
        save(picture(), name)
    assert main(["set", "--model", model, "--format", "coco", "--output", "out.json"]) == 2
    printed = capsys.readouterr()
    assert "set/a/1.png and set/b/1.png would have the same image_id" in printed.err
    assert not Path("out.json").exists()
    assert main(["set/a", "photo.png", "--model", model, "--format", "coco"]) == 0


def test_kitti_needs_to_know_what_was_found(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["photo.png", "--model", model, "--format", "kitti", "--output", "out"]) == 2
    assert "--format kitti: name the type of the objects with --object-type" in capsys.readouterr().err
    cars = replace(Detector.load(model), provenance={"preset": "cars"})
    cars.save("cars.npz")
    assert main(["photo.png", "--model", "cars.npz", "--format", "kitti", "--output", "out"]) == 0
    assert Path("out/photo.txt").read_text().startswith("Car ")
