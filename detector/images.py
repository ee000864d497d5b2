"""Images as the detector wants them: (H, W, 3) uint8 RGB, turned as they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

IMAGE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"})


class ImageError(ValueError):
    """An image cannot be read, or an array is no image."""


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read an image file.

    The EXIF orientation is applied, so that boxes refer to the picture as it is shown. Gray becomes three equal
    channels, 16 bits a channel become the upper 8, an alpha channel is dropped, CMYK is converted.

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
        Naming the file and the reason: missing, empty, truncated, or of no known format.
    """
    import cv2

    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror or error})") from error
    if not content:
        raise ImageError(f"{path}: the file is empty, expected an image")
    if _is_truncated(content):
        raise ImageError(f"{path}: the image is truncated (its end marker is missing)")
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ImageError(f"{path}: the image cannot be decoded ({error.err})") from error
    if image is None:
        raise ImageError(f"{path}: not an image of a known format, or damaged")
    return np.ascontiguousarray(image[..., ::-1])


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
        if not (np.all(np.isfinite(image)) and 0 <= image.min() and image.max() <= 1):
            raise ImageError("image of floats must lie in [0, 1]")
        image = np.rint(image * 255).astype(np.uint8)
    elif image.dtype != np.uint8:
        raise ImageError(f"image must be uint8, uint16 or float, found {image.dtype}")
    if image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    return np.ascontiguousarray(image[..., :3])


def _is_truncated(content: bytes) -> bool:
    """Tell whether a JPEG or PNG lacks its end marker; OpenCV fills such images up without a word."""
    if content.startswith(b"\xff\xd8\xff"):
        # Thumbnails have end markers too, so look behind the first scan's header only. Within a scan 0xFF is
        # followed by 0 or a restart marker, so 0xFFD9 is the image's own.
        scan = _first_scan(content)
        return scan is None or content.find(b"\xff\xd9", scan) < 0
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return b"IEND" not in content
    return False


def _first_scan(content: bytes) -> int | None:
    """Position of a JPEG's first start-of-scan marker, None when the file ends before it."""
    position = 2
    while position + 4 <= len(content):
        if content[position] != 0xFF:
            return None
        marker = content[position + 1]
        if marker == 0xDA:
            return position
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            position += 1 if marker == 0xFF else 2
            continue
        position += 2 + int.from_bytes(content[position + 2 : position + 4], "big")
    return None
