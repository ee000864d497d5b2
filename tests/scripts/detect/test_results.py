"""What the command detect finds, and how its options change that."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from badacost.detector.detector import Detector
from badacost.detector.suppression import SuppressionOptions
from badacost.scripts.detect import main

from ...detector.square_detector import BLUE, RED, SIDE, picture
from .photographs import BOTH, images, save


def test_nothing_found_is_no_failure(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture(), "empty.png")
    assert main(["empty.png", "--model", model]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "empty.png: nothing found" in printed.err


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
    assert found("--cascade-slack", "3e38") == BOTH


def test_overlap_of_one_keeps_every_box(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    def found(path: str) -> int:
        flags = ["--nms-overlap", "1", "--min-score", "10", "--format", "csv"]
        assert main(["photo.png", "--model", path, *flags]) == 0
        return len(capsys.readouterr().out.splitlines())

    twice = SuppressionOptions(contained_overlap=0.5)
    Detector.load(model).with_options(suppression=twice).save("twice.npz")
    assert found("twice.npz") == found(model)


def test_much_enlarged_images_are_noted_once(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("badacost.scripts.detect.LARGE_IMAGE", 4 * 96 * 72 - 1)
    save(picture(), "other.png")
    flags = ["photo.png", "other.png", "--model", model, "--min-size", "8", "--format", "csv"]
    assert main(flags) == 0
    assert capsys.readouterr().err.count("enlarged 2 times, to 192x144 pixels: --min-size asks for it") == 1
    assert main([*flags, "--quiet"]) == 0
    assert "enlarged" not in capsys.readouterr().err


def test_small_objects_need_enlargement(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(picture((20, 24, RED))[::2, ::2], "small.png")
    assert main(["small.png", "--model", model, "--format", "json"]) == 0
    assert images(capsys.readouterr().out)["small.png"] == []
    assert main(["small.png", "--model", model, "--format", "json", "--min-size", "8"]) == 0
    ((box, view),) = images(capsys.readouterr().out)["small.png"]
    assert (np.abs(np.array(box) - [10, 12, 8, 8]).max() <= 1, view) == (True, "frontal")


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
    names = ["gray.png", "deep.png", "alpha.png", "inks.jpg", "palette.png"]
    assert main([*names, "--model", model, "--format", "json"]) == 0
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
