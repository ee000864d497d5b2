"""Images as the detector wants them: (H, W, 3) uint8 RGB, turned as they are shown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

IMAGE_SUFFIXES = frozenset(
    (".bmp", ".jfif", ".jpe", ".jpeg", ".jpg", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp")
)

_JPEG, _PNG, _TIFF = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", (b"II*\0", b"MM\0*")
# Within a scan 0xFF is followed by 0, a restart marker or another 0xFF; anything else ends it.
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


# The limits that OpenCV is built with.
LARGEST_IMAGE = f"more than {1 << 30} pixels, or more than {1 << 20} a side"


class ImageError(ValueError):
    """An image cannot be read, or an array is no image."""


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read an image file.

    The EXIF orientation is applied, so that boxes refer to the picture as it is shown. Gray becomes three
    equal channels, palettes become colours, 16 bits a channel are scaled to 8, an alpha channel is dropped
    (what it hides counts), CMYK is converted, floats (TIFF) must lie in [0, 1]. Of several pages or frames
    the first is read.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    (H, W, 3) uint8
        RGB.

    Raises
    ------
    ImageError
        Naming the file and the reason: missing, empty, truncated, damaged, or of no known format.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # a zero byte in the name
        raise ImageError(f"{str(path)!r}: cannot be read ({error})") from error
    try:
        return decode_image(content)
    except ImageError as error:
        raise ImageError(f"{path}: {error}") from error


def decode_image(content: bytes) -> NDArray[np.uint8]:
    """Decode the content of an image file by the rules of `read_image`.

    Raises
    ------
    ImageError
        With the reason.
    """
    import cv2

    if not content:
        raise ImageError("the file is empty, expected an image")
    if _is_truncated(content):
        raise ImageError("the image is truncated (its end marker is missing)")
    encoded = np.frombuffer(content, np.uint8)
    try:
        image = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
        if image is None and content.startswith(_TIFF):  # floats are decoded on demand only
            image = cv2.imdecode(encoded, cv2.IMREAD_ANYCOLOR | cv2.IMREAD_ANYDEPTH)
    except cv2.error as error:
        if "CV_IO_MAX_IMAGE" in str(error):
            raise ImageError(f"the image is too large: {LARGEST_IMAGE}") from error
        raise ImageError(f"the image cannot be decoded ({error.err})") from error
    if image is None:
        raise ImageError("not an image of a known format, or damaged")
    return as_rgb(image[..., ::-1] if image.ndim == 3 else image)


def as_rgb(image: NDArray) -> NDArray[np.uint8]:
    """Bring an array to (H, W, 3) uint8 RGB.

    Parameters
    ----------
    image : (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) array
        Gray, RGB or RGBA (alpha is dropped) of uint8, uint16 (the upper 8 bits are used) or float in [0, 1].
        OpenCV users: convert from BGR first, ``image[..., ::-1]``.

    Raises
    ------
    ImageError
        For any other shape, type or range.
    """
    image = np.asarray(image)
    if image.ndim == 2:
        image = image[..., None]
    if image.ndim != 3 or image.shape[2] not in (1, 3, 4) or 0 in image.shape:
        raise ImageError(
            f"image must have shape (H, W), (H, W, 3) or (H, W, 4) and a pixel at least, found {image.shape}"
        )
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    elif np.issubdtype(image.dtype, np.floating):
        if not (image.min() >= 0 and image.max() <= 1):  # also when there is a NaN
            raise ImageError("image of floats must lie in [0, 1]")
        image = np.rint(image * 255).astype(np.uint8)
    elif image.dtype != np.uint8:
        raise ImageError(f"image must be uint8, uint16 or float, found {image.dtype}")
    if image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    return np.ascontiguousarray(image[..., :3])


def _is_truncated(content: bytes) -> bool:
    """Tell whether a JPEG or PNG lacks its end marker; OpenCV may fill such images up without a word."""
    if content.startswith(_JPEG):
        return not _jpeg_has_end(content)
    if content.startswith(_PNG):
        return b"IEND" not in content
    return False


def _jpeg_has_end(content: bytes) -> bool:
    """Walk a JPEG's segments and scans to its end marker (an embedded preview has one of its own)."""
    position = 2
    while position + 2 <= len(content):
        position = content.find(b"\xff", position)  # decoders pass over bytes between segments, too
        if position < 0 or position + 1 >= len(content):
            return False
        marker = content[position + 1]
        if marker == 0xD9:
            return True
        if marker == 0xFF:
            position += 1
        elif marker <= 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a segment
            position += 2
        else:
            position += 2 + max(2, int.from_bytes(content[position + 2 : position + 4], "big"))
            if marker == 0xDA:
                end = _END_OF_SCAN.search(content, position)
                if end is None:
                    return False
                position = end.start()
    return False
