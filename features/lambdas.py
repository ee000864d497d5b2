"""The power law of channels over scales: a channel's mean at scale s is proportional to s^-lambda.

Dollár et al., "Fast Feature Pyramids for Object Detection" (PAMI 2014), equation 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .channel_kinds import channel_kind_means, kind_of_channel
from .channel_options import ChannelOptions
from .pyramid import PyramidOptions, iterate_pyramid

# An image whose mean of a kind is below this share of the greatest one says too little of that kind.
SMALLEST_SHARE = 1 / 50


def estimate_lambdas(
    images: Sequence[NDArray[np.uint8]],
    channel_options: ChannelOptions,
    *,
    per_octave: int = 8,
    threads: int = 1,
) -> tuple[float, float, float]:
    """Estimate the exponents of the power law over images, for `PyramidOptions.lambdas`.

    Parameters
    ----------
    images : sequence of (H, W, 3) or (H, W) uint8
        Cropped to their smallest height and width, rounded down to whole cells, so that all have the same scales.
    channel_options : ChannelOptions
    per_octave : int
        Scales an octave, all computed, from the images' own size down to channels of 4 cells a side.
    threads : int
        The result does not depend on it.

    Returns
    -------
    (colour, magnitude, histogram) floats
        Rounded to 5 decimals.

    Raises
    ------
    ValueError
        If there are no images, or they are so small that there are fewer than three scales.
    """
    scales, means = scale_means(images, channel_options, per_octave=per_octave, threads=threads)
    exponents, _ = fit_power_law(scales, means)
    colour, magnitude, histogram = (round(float(value), 5) for value in exponents)
    return colour, magnitude, histogram


def scale_means(
    images: Sequence[NDArray[np.uint8]],
    channel_options: ChannelOptions,
    *,
    per_octave: int = 8,
    threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Measure the mean of each kind of channel at all scales of images; parameters as of `estimate_lambdas`.

    Returns
    -------
    scales : (n_scales,) float64
    means : (n_images, n_scales, 3) float64

    Raises
    ------
    ValueError
        If there are no images, or they are so small that there are fewer than three scales.
    """
    if not len(images):
        raise ValueError("images of estimate_lambdas must be at least one, found none")
    shrink = channel_options.shrink
    height, width = (min(image.shape[axis] for image in images) // shrink * shrink for axis in (0, 1))
    options = PyramidOptions(per_octave=per_octave, n_approximate=0, min_size=(1, 1), smooth=0)
    kinds = kind_of_channel(channel_options)
    means = []
    scales: list[float] = []
    for image in images:
        levels = iterate_pyramid(image[:height, :width], channel_options, options, threads=threads)
        measured = [(level.scale, channel_kind_means(level.channels, kinds)) for level in levels]
        scales = [scale for scale, _ in measured]
        means.append([mean for _, mean in measured])
    if len(scales) < 3:
        raise ValueError(
            f"images of estimate_lambdas must be large enough for three scales, "
            f"found {len(scales)} at the common size of {height} x {width}"
        )
    return np.array(scales), np.array(means)


def fit_power_law(
    scales: NDArray[np.float64], means: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit ``mean(s) / mean(1) = factor * s^-exponent`` by least squares of the logarithms.

    The ratio at a scale is averaged over the images. The first scale, where all ratios are 1, is not fitted:
    channels change abruptly as soon as an image is resampled at all, which is what the factor is for.

    Parameters
    ----------
    scales : (n_scales,) float64
        The first one is the images' own.
    means : (n_images, n_scales, n_kinds) float64

    Returns
    -------
    exponents, factors : (n_kinds,) float64
        0 and 1 for a kind that is empty in all images.
    """
    n_kinds = means.shape[2]
    exponents, factors = np.zeros(n_kinds), np.ones(n_kinds)
    for kind in range(n_kinds):
        first = means[:, 0, kind]
        counted = first > first.max() * SMALLEST_SHARE
        ratios = (means[counted, :, kind] / first[counted, None]).mean(axis=0) if counted.any() else None
        if ratios is None or not (ratios > 0).all():
            continue
        slope, intercept = np.polyfit(np.log2(scales[1:]), np.log2(ratios[1:]), 1)
        exponents[kind], factors[kind] = -slope, 2**intercept
    return exponents, factors
