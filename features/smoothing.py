"""Separable triangle and box filters with symmetric borders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def convolve_triangle(planes: NDArray[np.float32], radius: float, downsample: int = 1) -> NDArray[np.float32]:
    """Smooth by a triangle filter, horizontally and vertically.

    A radius up to 1 stands for the three taps [1 p 1] / (2 + p) with p = 12 / (r (r + 2)) - 2, which have
    the variance of the triangle of that radius; greater radii r for the taps [1 2 ... r+1 ... 2 1] / (r+1)^2.
    Beyond the border the image is mirrored, the outermost pixel included.

    Parameters
    ----------
    planes : (..., H, W) float32
    radius : float
        In pixels; 0 leaves the planes as they are; above 1 it must be a whole number.
    downsample : int
        Keep every so many-th row and column, starting at ``downsample // 2``.

    Returns
    -------
    (..., H // downsample, W // downsample) float32, C-contiguous

    Raises
    ------
    ValueError
        If the radius is negative, or above 1 and not whole, or `downsample` is below 1.
    """
    if not radius >= 0 or (radius > 1 and radius != int(radius)):
        raise ValueError(
            f"radius of convolve_triangle must be in [0, 1] or a whole number above 1, got {radius!r}"
        )
    if radius == 0:
        return _keep_every(_as_planes(planes).copy(), downsample, planes.shape)
    if radius > 1:
        return _filter(planes, int(radius), int(radius) + 1, True, downsample)
    from .smoothing_kernels import three_taps

    stack = _as_planes(planes)
    result = np.empty_like(stack)
    if stack.size:
        three_taps(stack, np.float32(three_tap_center(radius)), result)
    return _keep_every(result, downsample, planes.shape)


def three_tap_center(radius: float) -> float:
    """The p of [1 p 1] / (2 + p), the three taps with the variance of a triangle of that radius."""
    return 12 / (radius * (radius + 2)) - 2


def convolve_box(planes: NDArray[np.float32], radius: int, downsample: int = 1) -> NDArray[np.float32]:
    """Average over squares of 2 radius + 1 pixels, with mirrored borders.

    Parameters
    ----------
    planes : (..., H, W) float32
    radius : int
        In pixels, 0 leaves the planes as they are.
    downsample : int
        Keep every so many-th row and column, starting at ``downsample // 2``.

    Returns
    -------
    (..., H // downsample, W // downsample) float32, C-contiguous

    Raises
    ------
    ValueError
        If the radius is negative or not whole, or `downsample` is below 1.
    """
    if not radius >= 0 or radius != int(radius):
        raise ValueError(f"radius of convolve_box must be a whole number >= 0, got {radius!r}")
    return _filter(planes, int(radius), 2 * int(radius) + 1, False, downsample)


def _filter(
    planes: NDArray[np.float32], radius: int, length: int, twice: bool, downsample: int
) -> NDArray[np.float32]:
    """Apply one or two boxes of `length` taps along both axes."""
    from .smoothing_kernels import box_columns, box_rows

    stack = _as_planes(planes)
    result = np.empty_like(stack)
    if stack.size:
        height, width = stack.shape[1:]
        between = np.empty_like(stack)
        box_columns(stack, mirrored(height, radius), length, twice, between)
        box_rows(between, mirrored(width, radius), length, twice, result)
    return _keep_every(result, downsample, planes.shape)


def mirrored(size: int, margin: int) -> NDArray[np.int64]:
    """Index of the pixel shown at positions -margin .. size + margin - 1 of a mirrored line of pixels."""
    position = np.arange(-margin, size + margin) % (2 * size)
    return np.minimum(position, 2 * size - 1 - position)


def _as_planes(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fix the type and shape that the kernels are compiled for: (n, H, W) float32, C-contiguous."""
    if np.ndim(planes) < 2:
        raise ValueError(
            f"planes must have at least 2 dimensions (rows, columns), got shape {np.shape(planes)}"
        )
    planes = np.ascontiguousarray(planes, np.float32)
    return planes.reshape((int(np.prod(planes.shape[:-2])), *planes.shape[-2:]))


def _keep_every(stack: NDArray[np.float32], step: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Keep every `step`-th row and column of each plane, and give back the leading dimensions of `shape`."""
    if step < 1:
        raise ValueError(f"downsample must be at least 1, got {step!r}")
    height, width = stack.shape[1] // step, stack.shape[2] // step
    start = step // 2
    kept = stack[:, start::step, start::step][:, :height, :width]
    return np.ascontiguousarray(kept).reshape((*shape[:-2], height, width))
