"""Aggregated channels of an image: colour, gradient magnitude, gradient histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .channel_bands import fused_channels, fused_channels_of_image, is_fused
from .color import COLOR_SPACES, checked_image, convert_color, n_color_planes
from .gradient import gradient_histogram, gradient_magnitude
from .hog_descriptors import fhog, hog
from .smoothing import convolve_triangle

HOG_KINDS = ("hog", "fhog")


@dataclass(frozen=True, kw_only=True)
class ChannelOptions:
    """Which channels to compute; the defaults are those of the ACF pedestrian detectors.

    The channels, in this order: the planes of the colour space, the gradient magnitude, the histogram of
    oriented gradients (Dollar et al., "Fast Feature Pyramids for Object Detection", PAMI 2014).

    Parameters
    ----------
    shrink : int
        Side of a cell in pixels; channels have one value a cell.
    color_space : {"luv", "gray", "rgb", "hsv"}
        See `convert_color`.
    color_smooth : float
        Radius in pixels of the triangle filter over the colour planes, from which the gradient is taken
        too; 0 for none.
    color_plane : int, optional
        Take the gradient of this plane; None for, at each pixel, the plane where it is greatest.
    normalization_radius : int
        Radius in pixels of the triangle filter by whose result the magnitude is divided; 0 for none.
    normalization_constant : float
        Added to the divisor.
    orientations : int
        Bins of a half turn (of a full turn with `full_orientation`).
    soft_bin : int
        Sharing of pixels among bins: see `gradient_histogram`.
    bin_size : int, optional
        Side of the histogram's cells in pixels; None for `shrink`. Other sizes are resampled to `shrink`.
    full_orientation : bool
        Tell apart opposite gradients. FHOG always does.
    hog : {None, "hog", "fhog"}
        Block normalisation of the histogram.
    hog_clip : float
        Greatest value after the block normalisation.

    Raises
    ------
    ValueError
        If a value is out of its range.
    """

    shrink: int = 4
    color_space: str = "luv"
    color_smooth: float = 1.0
    color_plane: int | None = None
    normalization_radius: int = 5
    normalization_constant: float = 0.005
    orientations: int = 6
    soft_bin: int = 0
    bin_size: int | None = None
    full_orientation: bool = False
    hog: str | None = None
    hog_clip: float = 0.2

    def __post_init__(self) -> None:
        for name, smallest in (("shrink", 1), ("orientations", 1), ("normalization_radius", 0)):
            self._check(name, f"a whole number >= {smallest}", _is_whole(getattr(self, name), smallest))
        self._check("soft_bin", "a whole number", _is_whole(self.soft_bin, -1000))
        self._check("color_space", f"one of {COLOR_SPACES}", self.color_space in COLOR_SPACES)
        radius = self.color_smooth
        self._check(
            "color_smooth", "in [0, 1] or a whole number above", 0 <= radius <= 1 or _is_whole(radius, 2)
        )
        n_planes = n_color_planes(self.color_space)
        self._check(
            "color_plane",
            f"None or in [0, {n_planes})",
            self.color_plane is None or (_is_whole(self.color_plane, 0) and self.color_plane < n_planes),
        )
        constant = self.normalization_constant
        self._check("normalization_constant", "a positive number", 0 < constant < np.inf)
        self._check(
            "bin_size", "None or a whole number >= 1", self.bin_size is None or _is_whole(self.bin_size, 1)
        )
        self._check("hog", f"None or one of {HOG_KINDS}", self.hog is None or self.hog in HOG_KINDS)
        self._check("hog_clip", "positive", self.hog_clip > 0)

    def _check(self, name: str, rule: str, holds: bool) -> None:
        if not holds:
            raise ValueError(f"{name} of ChannelOptions must be {rule}, got {getattr(self, name)!r}")

    @classmethod
    def pedestrian(cls) -> ChannelOptions:
        """The channels of the ACF and LDCF pedestrian detectors: the defaults."""
        return cls()

    @classmethod
    def badacost(cls) -> ChannelOptions:
        """The channels of the BAdaCost and SubCat detectors: shrink 2, no smoothing, trilinear histogram."""
        return cls(shrink=2, color_smooth=0.0, soft_bin=1)

    @property
    def n_color_channels(self) -> int:
        """Number of colour channels, the first ones."""
        return n_color_planes(self.color_space)

    @property
    def n_histogram_channels(self) -> int:
        """Number of histogram channels, the last ones."""
        return {None: 1, "hog": 4, "fhog": 3}[self.hog] * self.orientations + 5 * (self.hog == "fhog")

    @property
    def n_channels(self) -> int:
        """Number of channels: colour, one magnitude, histogram."""
        return self.n_color_channels + 1 + self.n_histogram_channels

    @property
    def histogram_cell(self) -> int:
        """Side of the histogram's cells in pixels."""
        return self.shrink if self.bin_size is None else self.bin_size

    @property
    def shares_cells(self) -> bool:
        """Whether a pixel adds to the histograms of the four nearest cells rather than to its own."""
        return self.soft_bin % 2 == 1 and self.histogram_cell > 1


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


def _is_whole(value: float, smallest: int) -> bool:
    return math.isfinite(value) and value == int(value) and value >= smallest
