"""Reading images: formats, orientation, depth, and files that are none."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from badacost.detector.images import ImageError, as_rgb, decode_image, read_image

LEFT, RIGHT = (250, 20, 40), (10, 60, 200)


@pytest.fixture
def pixels() -> NDArray[np.uint8]:
    """Two halves of different colours."""
    image = np.empty((40, 64, 3), np.uint8)
    image[:, :32], image[:, 32:] = LEFT, RIGHT
    return image


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def assert_halves(found: NDArray[np.uint8], tolerance: int = 0) -> None:
    assert found.dtype == np.uint8
    assert found.flags.c_contiguous
    assert found.shape == (40, 64, 3)
    for column, color in ((8, LEFT), (56, RIGHT)):
        assert np.abs(found[20, column].astype(int) - color).max() <= tolerance


@pytest.mark.parametrize(
    ("kind", "tolerance"), [("PNG", 0), ("BMP", 0), ("PPM", 0), ("TIFF", 0), ("JPEG", 4), ("WEBP", 12)]
)
def test_formats(pixels: NDArray[np.uint8], tmp_path: Path, kind: str, tolerance: int) -> None:
    path = tmp_path / "picture"  # the content decides, not the suffix
    path.write_bytes(encoded(Image.fromarray(pixels), kind, **({"quality": 95} if kind == "WEBP" else {})))
    assert_halves(read_image(path), tolerance)
    assert_halves(read_image(str(path)), tolerance)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(pixels: NDArray[np.uint8], kind: str, orientation: int) -> None:
    shown = {
        1: pixels,
        2: pixels[:, ::-1],
        3: pixels[::-1, ::-1],
        4: pixels[::-1],
        5: pixels.transpose(1, 0, 2),
        6: np.rot90(pixels, -1),
        7: np.rot90(pixels, 2).transpose(1, 0, 2),
        8: np.rot90(pixels, 1),
    }[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = decode_image(encoded(Image.fromarray(pixels), kind, exif=exif, quality=95))
    assert found.shape == shown.shape
    assert np.abs(found.astype(int) - shown).mean() < 6


def test_gray_palette_and_bilevel(pixels: NDArray[np.uint8]) -> None:
    gray = decode_image(encoded(Image.fromarray(pixels[:, :, 0]), "PNG"))
    np.testing.assert_array_equal(gray, np.repeat(pixels[:, :, :1], 3, axis=2))
    assert_halves(decode_image(encoded(Image.fromarray(pixels).quantize(4), "PNG")), 4)
    bilevel = decode_image(encoded(Image.fromarray(pixels[:, :, 0] > 100), "PNG"))
    assert np.unique(bilevel[:, :32]).tolist() == [255]
    assert np.unique(bilevel[:, 32:]).tolist() == [0]


def test_alpha_is_dropped(pixels: NDArray[np.uint8]) -> None:
    alpha = np.zeros((40, 64, 1), np.uint8)
    assert_halves(decode_image(encoded(Image.fromarray(np.concatenate([pixels, alpha], axis=2)), "PNG")))


def test_sixteen_bits_become_eight(pixels: NDArray[np.uint8]) -> None:
    deep = Image.fromarray(pixels[:, :, 0].astype(np.uint16) * 257)
    for kind in ("PNG", "TIFF"):
        found = decode_image(encoded(deep, kind))
        np.testing.assert_array_equal(found, np.repeat(pixels[:, :, :1], 3, axis=2))


def test_float_tiff(pixels: NDArray[np.uint8]) -> None:
    found = decode_image(encoded(Image.fromarray(pixels[:, :, 0].astype(np.float32) / 255), "TIFF"))
    np.testing.assert_array_equal(found, np.repeat(pixels[:, :, :1], 3, axis=2))
    with pytest.raises(ImageError, match=r"image of floats must lie in \[0, 1\]"):
        decode_image(encoded(Image.fromarray(pixels[:, :, 0].astype(np.float32)), "TIFF"))


def test_cmyk_jpeg(pixels: NDArray[np.uint8]) -> None:
    inks = Image.fromarray(pixels).convert("CMYK")
    assert_halves(decode_image(encoded(inks, "JPEG", quality=95)), 8)


@pytest.mark.parametrize("shape", [(1, 1), (3, 20000), (20000, 3)])
def test_extreme_shapes(shape: tuple[int, int]) -> None:
    image = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    np.testing.assert_array_equal(decode_image(encoded(Image.fromarray(image), "PNG")), image)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_blocks": 2}])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_truncated_jpeg(options: dict, share: float) -> None:
    """Also where a preview with an end marker of its own stands in the header."""
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (160, 200, 3), dtype=np.uint8))
    preview = encoded(noise.resize((32, 32)), "JPEG")
    content = encoded(noise, "JPEG", exif=b"Exif\0\0" + preview, **options)
    assert decode_image(content).shape == (160, 200, 3)
    assert decode_image(content + b"appended by a phone").shape == (160, 200, 3)
    cut = content[: max(len(preview) + 40, int(share * len(content)))]
    with pytest.raises(ImageError, match="truncated"):
        decode_image(cut)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "WEBP", "PPM"])
def test_other_truncated_files(kind: str) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8))
    content = encoded(noise, kind)
    for share in (0.1, 0.5, 0.95):
        with pytest.raises(ImageError):
            decode_image(content[: int(share * len(content))])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"dear diary, today I saw a face\n", "not an image of a known format, or damaged"),
        (b"\xff\xd8\xff", "truncated"),
        (b"\xff\xd8\xff\xe0\x00\x02" + b"\xff" * 50, "truncated"),
        (b"\xff\xd8\xff\xd9", "not an image of a known format, or damaged"),
        (b"\x89PNG\r\n\x1a\n", "truncated"),
        (b"II*\0broken", "not an image of a known format, or damaged"),
    ],
)
def test_files_that_are_no_images(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=reason) as caught:
        read_image(path)
    assert str(path) in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jpg", tmp_path, tmp_path / ("x" * 5000)):
        with pytest.raises(ImageError, match="cannot be read"):
            read_image(path)
    with pytest.raises(ImageError, match="cannot be read"):
        read_image("zero\0byte.jpg")


def test_arrays() -> None:
    gray = np.arange(12, dtype=np.uint8).reshape(3, 4)
    wanted = np.repeat(gray[..., None], 3, axis=2)
    for image in (
        gray,
        gray[..., None],
        np.dstack([gray] * 3),
        np.dstack([gray] * 4),
        gray / 255,
        gray * np.uint16(256),
    ):
        np.testing.assert_array_equal(as_rgb(image), wanted)
    fortran = np.asfortranarray(wanted)
    assert as_rgb(fortran).flags.c_contiguous
    np.testing.assert_array_equal(as_rgb(fortran), wanted)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((2, 2, 2), np.uint8), r"found \(2, 2, 2\)"),
        (np.zeros((0, 5, 3), np.uint8), "a pixel at least"),
        (np.zeros(5, np.uint8), r"found \(5,\)"),
        (np.zeros((2, 2), np.int64), "must be uint8, uint16 or float, found int64"),
        (np.zeros((2, 2), bool), "found bool"),
        (np.full((2, 2, 3), 255.0), r"must lie in \[0, 1\]"),
        (np.full((2, 2, 3), np.nan), r"must lie in \[0, 1\]"),
        (np.full((2, 2, 3), -0.1), r"must lie in \[0, 1\]"),
    ],
)
def test_bad_arrays(image: NDArray, message: str) -> None:
    with pytest.raises(ImageError, match=message):
        as_rgb(image)


def test_image_beyond_the_limit_of_the_decoder() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 40_000, 40_000, 1, 0, 0, 0, 0)
    png = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    with pytest.raises(ImageError, match="the image is too large: more than 1073741824 pixels"):
        decode_image(png)
