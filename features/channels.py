"""Aggregated channels of an image: colour, gradient magnitude, gradient histogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .color import convert_color, n_color_planes
from .gradient import gradient_histogram, gradient_magnitude
from .smoothing import convolve_triangle


@dataclass(frozen=True, kw_only=True)
class ChannelOptions:
    """What channels to compute; the defaults are those of ACF pedestrian detectors."""

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

    @classmethod
    def pedestrian(cls) -> ChannelOptions:
        """Channels of the ACF and LDCF pedestrian detectors: shrink 4, smoothed colour."""
        return cls()

    @classmethod
    def badacost(cls) -> ChannelOptions:
        """Channels of the BAdaCost (and SubCat) detectors: shrink 2, colour not smoothed, trilinear bins."""
        return cls(shrink=2, color_smooth=0.0, soft_bin=1)

    @property
    def n_color_channels(self) -> int:
        return n_color_planes(self.color_space)

    @property
    def n_histogram_channels(self) -> int:
        if self.hog == "hog":
            return 4 * self.orientations
        if self.hog == "fhog":
            return 3 * self.orientations + 5
        return self.orientations

    @property
    def n_channels(self) -> int:
        return self.n_color_channels + 1 + self.n_histogram_channels


def compute_channels(
    image: NDArray[np.uint8], options: ChannelOptions, *, threads: int = 1
) -> NDArray[np.float32]:
    """Compute the channels of an image."""
    planes = convert_color(image, options.color_space, threads=threads)
    return channels_of_converted(planes, options, threads=threads)


def channels_of_converted(
    planes: NDArray[np.float32], options: ChannelOptions, *, threads: int = 1
) -> NDArray[np.float32]:
    """Compute the channels of planes already in the colour space of the options."""
    shrink = options.shrink
    rows, columns = planes.shape[1] // shrink, planes.shape[2] // shrink
    channels = np.zeros((options.n_channels, rows, columns), np.float32)
    if not rows or not columns:
        return channels
    planes = convolve_triangle(planes[:, : rows * shrink, : columns * shrink], options.color_smooth)
    magnitude, orientation = gradient_magnitude(
        planes,
        color_plane=options.color_plane,
        normalization_radius=options.normalization_radius,
        normalization_constant=options.normalization_constant,
        full_orientation=options.full_orientation,
    )
    n_color = options.n_color_channels
    channels[:n_color] = block_means(planes, shrink)
    channels[n_color] = block_means(magnitude, shrink)
    channels[n_color + 1 :] = gradient_histogram(
        magnitude,
        orientation,
        bin_size=options.bin_size or shrink,
        orientations=options.orientations,
        soft_bin=options.soft_bin,
        full_orientation=options.full_orientation,
    )
    return channels


def block_means(planes: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Average the size x size blocks of planes whose sides are multiples of `size`."""
    height, width = planes.shape[-2] // size, planes.shape[-1] // size
    blocks = planes.reshape((*planes.shape[:-2], height, size, width, size))
    return np.asarray(blocks.mean(axis=(-3, -1)), np.float32)
