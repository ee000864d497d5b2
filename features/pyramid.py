"""Feature pyramids: channels of an image at many scales, computed or approximated.

Dollár et al., "Fast Feature Pyramids for Object Detection" (PAMI 2014).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .channel_options import ChannelOptions
from .pyramid_levels import PyramidLevel, PyramidLevels
from .pyramid_options import PyramidOptions

__all__ = ["Pyramid", "PyramidOptions", "compute_pyramid", "iterate_pyramid"]


@dataclass(frozen=True, eq=False)
class Pyramid:
    """All levels of an image, largest first.

    Parameters
    ----------
    levels : tuple of PyramidLevel
    lambdas : (3,) floats or None
        Exponents that approximated levels were made with; None if there are none.
    """

    levels: tuple[PyramidLevel, ...]
    lambdas: tuple[float, float, float] | None


def compute_pyramid(
    image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, *, threads: int = 1
) -> Pyramid:
    """Compute the whole pyramid of an image.

    Parameters
    ----------
    image : (H, W, 3) or (H, W) uint8
        RGB, or gray.
    channel_options : ChannelOptions
    options : PyramidOptions
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    Pyramid
        Without levels when the image is smaller than ``options.min_size``, or than 4 cells.

    Raises
    ------
    ValueError
        If the image is neither RGB nor gray, or not uint8, or if ``options.multiple`` is no multiple of the
        channels' shrink.

    Notes
    -----
    Exponents that are not given are estimated from two computed scales: the second and third one at or below
    the image's own size; the first and second, if there is no third; the first one and the pyramid's last scale,
    computed for this purpose, in a pyramid too small for two. (The original toolbox refuses such images.)

    Examples
    --------
    >>> image = np.zeros((480, 640, 3), np.uint8)
    >>> pyramid = compute_pyramid(image, ChannelOptions(), PyramidOptions(min_size=(100, 100)))
    >>> len(pyramid.levels), pyramid.levels[8].scale, pyramid.levels[8].channels.shape
    (19, 0.5, (10, 60, 80))
    """
    levels = PyramidLevels(image, channel_options, options, threads)
    return Pyramid(tuple(levels), levels.lambdas)


def iterate_pyramid(
    image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, *, threads: int = 1
) -> Iterator[PyramidLevel]:
    """Yield the levels of `compute_pyramid` one at a time, largest first.

    In memory are, besides the level: the image in the channels' colour space, or at half size once that is all
    that is needed; and in a fast pyramid the channels of the computed scale from which levels are approximated.
    """
    yield from PyramidLevels(image, channel_options, options, threads)
