"""Aggregated channels of an image: colour, gradient magnitude, gradient histogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .channel_bands import fused_channels, fused_channels_of_image, is_fused
from .channel_options import ChannelOptions
from .color import checked_image, convert_color
from .gradient import gradient_histogram, gradient_magnitude
from .hog_descriptors import fhog, hog
from .smoothing import convolve_triangle


def compute_channels(
    image: NDArray[np.uint8], options: ChannelOptions, *, threads: int = 1
) -> NDArray[np.float32]:
    """Compute the channels of an image.

    Parameters
    ----------
    image : (H, W, 3) uint8, or (H, W) uint8
        RGB, or gray; a gray image counts as one with three equal colours.
    options : ChannelOptions
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    (options.n_channels, H // shrink, W // shrink) float32, C-contiguous
        Rows and columns of the image beyond the last whole cell are left out, before all else; an image
        smaller than a cell has channels without values.

    Raises
    ------
    ValueError
        If the image is neither RGB nor gray, or not uint8.

    Examples
    --------
    >>> image = np.zeros((480, 640, 3), np.uint8)
    >>> compute_channels(image, ChannelOptions.badacost()).shape
    (10, 240, 320)
    """
    image = checked_image(image)
    holds_a_cell = min(image.shape[:2]) >= options.shrink
    if holds_a_cell and image.ndim == 3 and options.color_space == "luv" and is_fused(options):
        return fused_channels_of_image(image, options, threads)
    planes = convert_color(image, options.color_space, threads=threads)
    return channels_of_converted(planes, options, threads=threads)


def channels_of_converted(
    planes: NDArray[np.float32], options: ChannelOptions, *, threads: int = 1
) -> NDArray[np.float32]:
    """Compute the channels of planes that are already in the colour space of `options`.

    A pyramid converts the colours once and resamples the planes.

    Parameters
    ----------
    planes : (C, H, W) float32
        From `convert_color`, resampled or not.
    options : ChannelOptions
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    (options.n_channels, H // shrink, W // shrink) float32, C-contiguous
        See `compute_channels`.

    Raises
    ------
    ValueError
        If there are not as many planes as the colour space has.
    """
    planes = np.ascontiguousarray(planes, np.float32)
    if planes.ndim != 3 or len(planes) != options.n_color_channels:
        raise ValueError(
            f"planes of channels_of_converted must be ({options.n_color_channels}, H, W)"
            f" for color_space {options.color_space!r}, got shape {planes.shape}"
        )
    if min(planes.shape[1:]) < options.shrink:
        cells = [side // options.shrink for side in planes.shape[1:]]
        return np.empty((options.n_channels, *cells), np.float32)
    if is_fused(options):
        return fused_channels(planes, options, threads)
    return composed_channels(planes, options)


def composed_channels(planes: NDArray[np.float32], options: ChannelOptions) -> NDArray[np.float32]:
    """Compute the channels of converted planes step by step, for any options.

    Parameters
    ----------
    planes : (C, H, W) float32
        With at least one whole cell.
    options : ChannelOptions

    Returns
    -------
    (options.n_channels, H // shrink, W // shrink) float32
    """
    shrink = options.shrink
    rows, columns = planes.shape[1] // shrink, planes.shape[2] // shrink
    planes = convolve_triangle(planes[:, : rows * shrink, : columns * shrink], options.color_smooth)
    magnitude, orientation = gradient_magnitude(
        planes,
        color_plane=options.color_plane,
        normalization_radius=options.normalization_radius,
        normalization_constant=options.normalization_constant,
        full_orientation=options.full_orientation or options.hog == "fhog",
    )
    histogram = _histogram(magnitude, orientation, options)
    if histogram.shape[1:] != (rows, columns):
        histogram = _resampled(histogram, rows, columns)
    means = block_means(planes, shrink), block_means(magnitude[np.newaxis], shrink)
    return np.concatenate([*means, histogram])


def block_means(planes: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Average the size x size blocks of planes whose sides are multiples of `size`."""
    height, width = planes.shape[-2] // size, planes.shape[-1] // size
    blocks = planes.reshape((*planes.shape[:-2], height, size, width, size))
    return np.asarray(blocks.mean(axis=(-3, -1)), np.float32)


def _histogram(
    magnitude: NDArray[np.float32], orientation: NDArray[np.float32], options: ChannelOptions
) -> NDArray[np.float32]:
    """The histogram of the options, in cells of their own size."""
    size, bins, soft_bin = options.histogram_cell, options.orientations, options.soft_bin
    if options.hog == "fhog":
        return fhog(
            magnitude, orientation, bin_size=size, orientations=bins, soft_bin=soft_bin, clip=options.hog_clip
        )
    full = options.full_orientation
    if options.hog == "hog":
        return hog(
            *(magnitude, orientation),
            bin_size=size,
            orientations=bins,
            soft_bin=soft_bin,
            full_orientation=full,
            clip=options.hog_clip,
        )
    return gradient_histogram(
        magnitude, orientation, bin_size=size, orientations=bins, soft_bin=soft_bin, full_orientation=full
    )


def _resampled(histogram: NDArray[np.float32], rows: int, columns: int) -> NDArray[np.float32]:
    """Bring a histogram with cells of another size to the size of the other channels."""
    if not histogram.size:  # the image is smaller than one of these cells
        return np.zeros((len(histogram), rows, columns), np.float32)
    from .resample import resample

    return resample(histogram, rows, columns)
