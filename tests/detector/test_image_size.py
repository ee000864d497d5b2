"""Image sizes from headers are those of the decoded images, turned as they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from badacost.detector.image_size import HEADER_BYTES, image_size
from badacost.detector.images import ImageError, read_image

HEIGHT, WIDTH = 30, 50


@pytest.fixture
def image() -> Image.Image:
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8))


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("a.jpg", "RGB"),
        ("a.jpg", "L"),
        ("a.jpg", "CMYK"),
        ("a.png", "RGB"),
        ("a.png", "RGBA"),
        ("a.png", "L"),
        ("a.png", "1"),
        ("a.png", "P"),
        ("a.png", "I;16"),
        ("a.bmp", "RGB"),
        ("a.webp", "RGB"),
        ("a.tif", "RGB"),
        ("png.jpg", "PNG"),  # the content decides, not the name
    ],
)
def test_size_is_that_of_the_image(name: str, mode: str, image: Image.Image, tmp_path: Path) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16))
        image.save(tmp_path / name)
    elif mode == "PNG":
        image.save(tmp_path / name, format="PNG")
    else:
        image.convert(mode).save(tmp_path / name)
    assert image_size(tmp_path / name) == read_image(tmp_path / name).shape[:2] == (HEIGHT, WIDTH)
    assert image_size(str(tmp_path / name)) == (HEIGHT, WIDTH)


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_photographs_are_measured_as_shown(
    orientation: int, progressive: bool, image: Image.Image, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(tmp_path / "a.jpg", exif=exif, progressive=progressive)
    expected = (WIDTH, HEIGHT) if orientation >= 5 else (HEIGHT, WIDTH)
    assert image_size(tmp_path / "a.jpg") == expected
    assert read_image(tmp_path / "a.jpg").shape[:2] == expected


@pytest.mark.parametrize("last", [False, True])
def test_a_turned_png_is_measured_as_shown(last: bool, image: Image.Image, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(path, exif=exif)
    content = path.read_bytes()
    start = content.index(b"eXIf") - 4
    end = start + 12 + int.from_bytes(content[start : start + 4], "big")
    if last:  # the standard allows the chunk behind the pixels, too
        path.write_bytes(content[:start] + content[end:-12] + content[start:end] + content[-12:])
    assert image_size(path) == read_image(path).shape[:2] == (WIDTH, HEIGHT)


def test_headers_longer_than_what_is_read_at_first(image: Image.Image, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    image.save(path)
    content = path.read_bytes()
    comment = b"\xff\xfe" + (60000).to_bytes(2, "big") + bytes(59998)
    path.write_bytes(content[:2] + 2 * comment + content[2:])
    assert 2 * len(comment) > HEADER_BYTES
    assert image_size(path) == (HEIGHT, WIDTH)


def test_bytes_that_fill_up_before_a_marker(image: Image.Image, tmp_path: Path) -> None:
    """The standard allows any number of 0xFF before a marker."""
    path = tmp_path / "a.jpg"
    image.save(path)
    content = path.read_bytes()
    path.write_bytes(content[:2] + b"\xff\xff" + content[2:])
    assert image_size(path) == (HEIGHT, WIDTH)


@pytest.mark.parametrize("content", [b"", b"\xff\xd8", b"dear diary\n", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_image(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(content)
    with pytest.raises(ImageError, match=r"a\.jpg: "):
        image_size(tmp_path / "a.jpg")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"gone\.jpg: cannot be read \(No such file or directory\)"):
        image_size(tmp_path / "gone.jpg")
    with pytest.raises(ImageError, match=r"cannot be read \(Is a directory\)"):
        image_size(tmp_path)
    with pytest.raises(ImageError, match=r"a\\x00b\.jpg': cannot be read"):
        image_size(tmp_path / "a\0b.jpg")
