"""The command detect: what it finds, what it writes, and what it does with bad input."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from badacost.detector.images import read_image
from badacost.scripts.detect import main

from ..detector.square_detector import BLUE, RED, SIDE, picture, square_detector


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "squares.npz"
    square_detector().save(path)
    return str(path)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: photo.png has a red square at (20, 24) and a blue one at (60, 40)."""
    monkeypatch.chdir(tmp_path)
    save(picture((20, 24, RED), (60, 40, BLUE)), "photo.png")
    return tmp_path


def save(image: NDArray, name: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(name)
    return name


def images(text: str) -> dict[str, list[tuple[list[int], str]]]:
    """Whole-number boxes and views by file, from our JSON."""
    return {
        image["file"]: [([round(v) for v in d["box"]], d["view"]) for d in image["detections"]]
        for image in json.loads(text)["images"]
    }


BOTH = [([20, 24, SIDE, SIDE], "frontal"), ([60, 40, SIDE, SIDE], "half_left")]


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


def test_nothing_found_is_no_failure(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture(), "empty.png")
    assert main(["empty.png", "--model", model]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "empty.png: nothing found" in printed.err


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
        ("a.dat", "photo"),
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


def test_options_reach_the_detector(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    def found(*flags: str) -> list[tuple[list[int], str]]:
        assert main(["photo.png", "--model", model, "--format", "json", *flags]) == 0
        return images(capsys.readouterr().out)["photo.png"]

    assert found() == BOTH
    assert found("--min-score", "65") == []
    assert len(found("--min-score", "10")) > 2
    assert found("--views", "half_left") == BOTH[1:]
    assert found("--views", "half_left, frontal") == BOTH
    assert found("--max-detections", "1") == BOTH[:1]
    assert found("--min-size", "32") == []
    assert found("--max-size", "20") == BOTH
    assert len(found("--min-score", "10", "--nms-overlap", "1")) > len(found("--min-score", "10"))
    assert found("--cascade-slack", "2") == BOTH


def test_small_objects_need_enlargement(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture((20, 24, RED))[::2, ::2], "small.png")
    assert main(["small.png", "--model", model, "--format", "json"]) == 0
    assert images(capsys.readouterr().out)["small.png"] == []
    assert main(["small.png", "--model", model, "--format", "json", "--min-size", "8"]) == 0
    ((box, view),) = images(capsys.readouterr().out)["small.png"]
    assert (np.abs(np.array(box) - [10, 12, 8, 8]).max() <= 1, view) == (True, "frontal")


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
    assert capsys.readouterr().err == ""


# Bad input


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
    told = [line for line in printed.err.splitlines() if line.startswith("detect: ")]
    assert len(told) == len(expected)
    errors = {image["file"]: image["error"] for image in json.loads(printed.out)["images"]}
    assert errors.pop("photo.png") is None
    for name, reason in expected.items():
        assert errors[name].startswith(f"{name}: {reason}")
        assert f"detect: {errors[name]}" in told
    assert images(printed.out)["photo.png"] == BOTH


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["missing.jpg"], "missing.jpg: no such file or folder"),
        (["nothing"], "nothing: no images in this folder"),
        (["missing.jpg", "nothing", "*.gif"], "*.gif: no image or video fits this pattern"),
        (["text.jpg"], "text.jpg: not an image of a known format"),
        (["99"], "camera 99: gives no picture"),
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
    assert f"detect: {message}" in printed.err


def test_unusable_sources_leave_old_results(model: str) -> None:
    Path("out.json").write_text("old")
    assert main(["missing.jpg", "--model", model, "--output", "out.json"]) == 2
    assert Path("out.json").read_text() == "old"


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 20000, 3), (20000, 3, 3), (1, 1), (24, 24, 4)])
def test_extreme_shapes(model: str, shape: tuple[int, ...]) -> None:
    save(np.zeros(shape, np.uint8), "strange.png")
    assert main(["strange.png", "--model", model]) == 0
    assert main(["strange.png", "--model", model, "--min-size", "2", "--draw", "d", "--save-crops", "c"]) == 0


def test_kinds_of_images(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Gray, RGBA, 16 bits, CMYK, palette: the squares are found where they are."""
    image = Image.fromarray(picture((20, 24, (255, 255, 255))))
    image.convert("L").save("gray.png")
    Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257).save("deep.png")
    image.convert("RGBA").save("alpha.png")
    image.convert("CMYK").save("inks.jpg", quality=95)
    image.quantize(4).save("palette.png")
    assert (
        main(
            [
                "gray.png",
                "deep.png",
                "alpha.png",
                "inks.jpg",
                "palette.png",
                "--model",
                model,
                "--format",
                "json",
            ]
        )
        == 0
    )
    found = images(capsys.readouterr().out)
    assert len(found) == 5
    for detections in found.values():
        assert [box for box, _ in detections] == [[20, 24, SIDE, SIDE]]


def test_boxes_refer_to_the_image_as_shown(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    turned = np.ascontiguousarray(np.rot90(picture((20, 24, RED), (60, 40, BLUE))))
    Image.fromarray(turned).save("phone.jpg", exif=exif, quality=95)
    assert main(["phone.jpg", "--model", model, "--format", "json"]) == 0
    text = capsys.readouterr().out
    image = json.loads(text)["images"][0]
    assert (image["width"], image["height"]) == (96, 72)
    assert images(text)["phone.jpg"] == BOTH


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
        ("text.npz", "not a readable model file"),
        ("cut.npz", "not a readable model file"),
        ("newer.npz", "version 99"),
        ("other.npz", "no header found"),
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
        (["photo.png", "--min-size", "0"], "argument --min-size: must be positive, found 0"),
        (["photo.png", "--min-size", "nan"], "argument --min-size: must be a number, found nan"),
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
        (["photo.png", "--object-type", "a b"], "--object-type must be one word, found 'a b'"),
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
    assert "must be among frontal, half_left; found rear" in capsys.readouterr().err


def test_outputs_that_cannot_be_written(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("in the way")
    assert main(["photo.png", "--model", model, "--output", "file/out.json"]) == 2
    assert main(["photo.png", "--model", model, "--format", "kitti", "--output", "file"]) == 2
    assert main(["photo.png", "--model", model, "--format", "csv", "--draw", "file"]) == 1
    assert "photo.png" in capsys.readouterr().err


# As a process


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "badacost.scripts.detect", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


def test_help_shows_examples_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from badacost.scripts.detect import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'numpy', 'scipy', 'cv2', 'tqdm'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


def test_names_that_are_not_utf8(model: str, folder: Path) -> None:
    name = b"caf\xe9.png"
    (folder / os.fsdecode(name)).write_bytes(Path("photo.png").read_bytes())
    done = run("-", "--model", model, input=name + b"\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(name + b": frontal")
    done = run(os.fsdecode(name), "--model", model, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["images"][0]["file"].encode(errors="surrogateescape") == name
    done = run(os.fsdecode(b"gone\xe9.png"), "--model", model)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_early_is_no_error(model: str) -> None:
    for index in range(30):
        save(picture((20, 24, RED)), f"set/{index}.png")
    command = [sys.executable, "-m", "badacost.scripts.detect", "set", "--model", model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
