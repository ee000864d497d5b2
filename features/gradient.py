"""Gradient magnitude and orientation, and their histograms over cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .smoothing import convolve_triangle


def gradients(plane: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Horizontal and vertical derivative: centred differences, one-sided (not halved) at the borders.

    Parameters
    ----------
    plane : (..., H, W) float32

    Returns
    -------
    horizontal, vertical : (..., H, W) float32
        Zero along an axis of one pixel.
    """
    plane = np.asarray(plane, np.float32)
    horizontal, vertical = np.zeros_like(plane), np.zeros_like(plane)
    if plane.shape[-1] > 1:
        horizontal = np.asarray(np.gradient(plane, axis=-1), np.float32)
    if plane.shape[-2] > 1:
        vertical = np.asarray(np.gradient(plane, axis=-2), np.float32)
    return horizontal, vertical


def gradient_magnitude(
    planes: NDArray[np.float32],
    *,
    color_plane: int | None = None,
    normalization_radius: int = 0,
    normalization_constant: float = 0.005,
    full_orientation: bool = False,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Magnitude and orientation of the gradient of a multi-channel image.

    At every pixel both come from the plane with the greatest squared gradient there (the first one on
    ties), as in Dollar et al., "Integral Channel Features" (BMVC 2009).

    Parameters
    ----------
    planes : (C, H, W) or (H, W) float32
    color_plane : int, optional
        Use this plane alone.
    normalization_radius : int
        Divide the magnitude by (itself smoothed by a triangle of this radius + `normalization_constant`);
        0 leaves it as it is.
    full_orientation : bool
        Angles in [0, 2 pi) instead of [0, pi).

    Returns
    -------
    magnitude, orientation : (H, W) float32
        Orientation in radians from the direction of growing columns towards that of growing rows. Where
        there is no gradient the magnitude is 1e-10 (before normalisation) and the orientation pi / 2, as in
        the reference.

    Raises
    ------
    ValueError
        If `color_plane` is not a plane of the image or the shape is another.
    """
    planes = np.ascontiguousarray(planes, np.float32)
    if planes.ndim == 2:
        planes = planes[np.newaxis]
    if planes.ndim != 3 or not len(planes):
        raise ValueError(
            f"planes of gradient_magnitude must be (C, H, W) or (H, W), got shape {planes.shape}"
        )
    if color_plane is not None:
        if not 0 <= color_plane < len(planes):
            raise ValueError(
                f"color_plane of gradient_magnitude must be in [0, {len(planes)}), got {color_plane!r}"
            )
        planes = planes[color_plane : color_plane + 1]
    magnitude, orientation = np.empty(planes.shape[1:], np.float32), np.empty(planes.shape[1:], np.float32)
    if magnitude.size:
        from .gradient_kernels import strongest_gradient

        strongest_gradient(planes, bool(full_orientation), magnitude, orientation)
    if normalization_radius:
        smooth = convolve_triangle(magnitude, normalization_radius)
        magnitude /= smooth + np.float32(normalization_constant)
    return magnitude, orientation


def gradient_histogram(
    magnitude: NDArray[np.float32],
    orientation: NDArray[np.float32],
    *,
    bin_size: int = 8,
    orientations: int = 9,
    soft_bin: int = 1,
    full_orientation: bool = False,
) -> NDArray[np.float32]:
    """Histogram of orientations, weighted by the magnitude, in every cell of bin_size x bin_size pixels.

    Values are means over the cell (sums divided by bin_size^2). Rows and columns beyond the last whole cell
    are left out.

    Parameters
    ----------
    magnitude, orientation : (H, W) float32
        Orientation in radians in [0, pi), or [0, 2 pi) if `full_orientation`.
    bin_size : int
        Side of a cell in pixels.
    orientations : int
        Number of bins.
    soft_bin : int
        >= 0 shares each pixel among the two nearest orientation bins, < 0 gives it to the nearest one. Odd
        also shares it among the four nearest cells (and scales the outermost cells by 8/7 for what they
        lose over the border), even gives it to its own cell.

    Returns
    -------
    (orientations, H // bin_size, W // bin_size) float32

    Raises
    ------
    ValueError
        If the two shapes differ or are not 2-d, or `bin_size` or `orientations` is below 1.
    """
    magnitude = np.ascontiguousarray(magnitude, np.float32)
    orientation = np.ascontiguousarray(orientation, np.float32)
    if magnitude.ndim != 2 or magnitude.shape != orientation.shape:
        raise ValueError(
            "magnitude and orientation of gradient_histogram must have one 2-d shape,"
            f" got {magnitude.shape} and {orientation.shape}"
        )
    for name, value in (("bin_size", bin_size), ("orientations", orientations)):
        if value < 1:
            raise ValueError(f"{name} of gradient_histogram must be at least 1, got {value!r}")
    height, width = magnitude.shape
    shape = (orientations, height // bin_size, width // bin_size)
    histogram = np.zeros(shape, np.float32)
    if not histogram.size:
        return histogram
    from .gradient_kernels import accumulate_histogram

    period = 2 * np.pi if full_orientation else np.pi
    shares_cells = soft_bin % 2 == 1 and bin_size > 1
    accumulate_histogram(
        magnitude,
        orientation,
        bin_size,
        np.float32(orientations / period),
        soft_bin >= 0,
        shares_cells,
        histogram,
    )
    if shares_cells:
        compensate_borders(histogram)
    return histogram


def compensate_borders(histogram: NDArray[np.float32], *, top: bool = True, bottom: bool = True) -> None:
    """Scale the outermost cells, in place, for the weight that bilinear sharing loses over the border.

    A cell loses 1/8 at each side (exactly so for even cell sizes, as in the reference for all). The first and
    the last row lie at a border if `top` and `bottom` say so.
    """
    for edge, is_border in ((0, top), (-1, bottom)):
        if is_border:
            histogram[:, edge, :] *= np.float32(8 / 7)
        histogram[:, :, edge] *= np.float32(8 / 7)
