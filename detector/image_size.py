"""Size of an image file without decoding it, where its header tells."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from .images import ImageError, read_image

HEADER_BYTES = 65536
# Start-of-frame markers: all of 0xC0 to 0xCF but tables (C4), JPG (C8) and arithmetic conditioning (CC).
FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def image_size(path: str | Path) -> tuple[int, int]:
    """Return (height, width) of an image as `read_image` gives it.

    Raises
    ------
    ImageError
        When the file is missing or no image.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            header = file.read(HEADER_BYTES)
            size = _png_size(header, file) or _jpeg_size(header)
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # a zero byte in the name
        raise ImageError(f"{str(path)!r}: cannot be read ({error})") from error
    if size is None:
        height, width, _ = read_image(path).shape
        return height, width
    return size


def _png_size(header: bytes, file: BinaryIO) -> tuple[int, int] | None:
    """Size in the first chunk; None if another one holds EXIF data, which may turn the image."""
    if not header.startswith(b"\x89PNG\r\n\x1a\n") or header[12:16] != b"IHDR":
        return None
    position = 8
    while True:
        file.seek(position)
        chunk = file.read(8)
        if len(chunk) < 8 or chunk[4:] == b"IEND":
            break
        if chunk[4:] == b"eXIf":
            return None
        position += 12 + int.from_bytes(chunk[:4], "big")
    return int.from_bytes(header[20:24], "big"), int.from_bytes(header[16:20], "big")


def _jpeg_size(header: bytes) -> tuple[int, int] | None:
    """Size in the frame header; None where it is out of reach, or EXIF data may turn the image."""
    if not header.startswith(b"\xff\xd8"):
        return None
    position = 2
    while position + 9 <= len(header) and header[position] == 0xFF:
        marker, length = header[position + 1], int.from_bytes(header[position + 2 : position + 4], "big")
        if marker == 0xE1 and header[position + 4 : position + 8] == b"Exif":
            return None
        if marker in FRAME_MARKERS:
            size = header[position + 5 : position + 9]
            return int.from_bytes(size[:2], "big"), int.from_bytes(size[2:], "big")
        position += 2 + length
    return None
