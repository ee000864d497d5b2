"""The three kinds of channels, which follow the power law of scales each with its own exponent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .channel_options import ChannelOptions

KINDS = ("colour", "magnitude", "histogram")


def kind_of_channel(options: ChannelOptions) -> NDArray[np.int64]:
    """Kind of each channel: 0 colour, 1 gradient magnitude, 2 gradient histogram."""
    counts = [options.n_color_channels, 1, options.n_histogram_channels]
    return np.repeat(np.arange(3), counts)


def channel_kind_means(channels: NDArray[np.float32], kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean of the channels of each kind, (3,) float64."""
    return np.array([channels[kinds == kind].mean(dtype=np.float64) for kind in range(3)])


def lambdas_of_two_scales(
    first: NDArray[np.float64], second: NDArray[np.float64], ratio: float
) -> tuple[float, float, float]:
    """Fit the law to the means of two scales exactly.

    Parameters
    ----------
    first, second : (3,) float64
        Means by kind.
    ratio : float
        First scale / second scale.

    Returns
    -------
    (colour, magnitude, histogram) floats
        0 for a kind that is empty at one of the scales, or when the scales are equal.
    """
    usable = (first > 0) & (second > 0) & (ratio != 1)
    values = np.zeros(3)
    values[usable] = -np.log2(first[usable] / second[usable]) / np.log2(ratio)
    return float(values[0]), float(values[1]), float(values[2])
