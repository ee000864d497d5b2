"""Colour conversion of 8-bit RGB images to planar float32, scaled to about [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands

COLOR_SPACES = ("luv", "gray", "rgb", "hsv")

# Luminance of ITU-R BT.601, with the digits of the original toolbox.
GRAY_WEIGHTS = np.array([0.2989360213, 0.5870430745, 0.1140209043], np.float32)

# Luminance of 1024 steps; see `lightness_table`.
TABLE_STEPS = 1024


def n_color_planes(color_space: str) -> int:
    """Number of planes that an image has in `color_space`."""
    return 1 if color_space == "gray" else 3


def convert_color(image: NDArray[np.uint8], color_space: str, *, threads: int = 1) -> NDArray[np.float32]:
    """Convert an 8-bit RGB or gray image to planes of a colour space.

    Parameters
    ----------
    image : (H, W, 3) uint8, or (H, W) uint8
        RGB, or gray. A gray image counts as an RGB image with three equal channels.
    color_space : {"luv", "gray", "rgb", "hsv"}
        "luv" is CIE L*u*v* of Dollar et al., "Fast Feature Pyramids for Object Detection" (PAMI 2014): the
        gamma of the image is *not* undone, L comes from a table of 1025 entries indexed by floor(1024 Y),
        and the planes are L / 270, (u + 88) / 270, (v + 134) / 270. "rgb" only divides by 255.
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    (3, H, W) or, for "gray", (1, H, W) float32, C-contiguous

    Raises
    ------
    ValueError
        If the image is not uint8, has another shape, or the colour space is unknown.
    """
    image = checked_image(image)
    if color_space not in COLOR_SPACES:
        raise ValueError(f"color_space of convert_color must be one of {COLOR_SPACES}, got {color_space!r}")
    if color_space == "gray" and image.ndim == 2:
        return (image[np.newaxis] * np.float32(1 / 255)).astype(np.float32, copy=False)
    if image.ndim == 2:
        image = np.repeat(image[..., np.newaxis], 3, axis=2)
    if color_space == "gray":
        return (image @ (GRAY_WEIGHTS / np.float32(255)))[np.newaxis]
    if color_space == "rgb":
        return np.ascontiguousarray(image.transpose(2, 0, 1)) * np.float32(1 / 255)
    return _convert_rows(image, color_space, threads)


def checked_image(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return `image` as it is if it is an 8-bit RGB or gray image; raise ValueError otherwise."""
    image = np.asarray(image)
    is_color = image.ndim == 3 and image.shape[2] == 3
    if image.dtype != np.uint8 or not (is_color or image.ndim == 2):
        raise ValueError(
            "image must be (H, W, 3) RGB or (H, W) gray of dtype uint8,"
            f" got shape {image.shape} of dtype {image.dtype}"
        )
    return image


@lru_cache(maxsize=1)
def lightness_table() -> NDArray[np.float32]:
    """L* / 270 of the luminances 0, 1/1024, ..., 1 (CIE 1976: a cube root, linear below (6/29)^3)."""
    luminance = np.arange(TABLE_STEPS + 1) / TABLE_STEPS
    lightness = np.where(luminance > (6 / 29) ** 3, 116 * np.cbrt(luminance) - 16, (29 / 3) ** 3 * luminance)
    return np.asarray(lightness / 270, np.float32)


def luv_row_converter(image: NDArray[np.uint8]) -> Callable[[NDArray[np.float32], int, int, int], None]:
    """Return a function that converts rows of an RGB image to L*u*v*.

    Parameters
    ----------
    image : (H, W, 3) uint8

    Returns
    -------
    function of (planes, top, first, last)
        Converts the rows [first, last); row y goes to ``planes[:, y - top]``, in as many columns as it has.
    """
    from .color_kernels import luv_rows

    pixels = np.ascontiguousarray(image).reshape(len(image), 3 * image.shape[1])
    table = lightness_table()

    def convert(planes: NDArray[np.float32], top: int, first: int, last: int) -> None:
        width = planes.shape[2]
        scratch = np.empty((2, width), np.float32), np.empty(width, np.uint32)
        luv_rows(pixels, table, *scratch, planes, top, first, last)

    return convert


def _convert_rows(image: NDArray[np.uint8], color_space: str, threads: int) -> NDArray[np.float32]:
    """Run the kernel of `color_space` over bands of rows."""
    height, width = image.shape[:2]
    planes = np.empty((3, height, width), np.float32)
    if color_space == "luv":
        convert = luv_row_converter(image)
        run_bands(lambda first, last: convert(planes, 0, first, last), height, threads)
    else:
        from .color_kernels import hsv_rows

        pixels = np.ascontiguousarray(image).reshape(height, 3 * width)
        run_bands(lambda first, last: hsv_rows(pixels, planes, first, last), height, threads)
    return planes
