"""Which scales a pyramid has, and which of them are computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Candidates for a nudged scale, evenly spaced over half a multiple.
N_NUDGES = 100


def pyramid_scales(
    height: int,
    width: int,
    *,
    per_octave: int,
    octaves_up: float,
    min_size: tuple[int, int],
    multiple: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scales of a pyramid, largest first.

    Scales are evenly spaced in the logarithm, then each is nudged by up to a quarter of `multiple` so that both
    sides of the scaled image come close to whole multiples of it. Scales that become equal are listed once, and
    those at which a side would round to nothing are left out.

    Parameters
    ----------
    height, width : int
        Image size in pixels.
    per_octave : int
        Scales an octave.
    octaves_up : float
        The first scale is ``2**octaves_up``.
    min_size : (height, width)
        Scales go down until the image is of this size.
    multiple : int
        Pixels; sides of scaled images are rounded to multiples of it.

    Returns
    -------
    scales : (n,) float64
    scales_hw : (n, 2) float64
        Exact ratios of heights and of widths. Both are empty where the image is smaller than `min_size`.

    Notes
    -----
    The rule of the ACF toolbox (Dollár et al., PAMI 2014): the smaller side keeps its number of multiples, and
    the side that fits worse decides among the candidates.

    Examples
    --------
    >>> scales, scales_hw = pyramid_scales(
    ...     480, 640, per_octave=2, octaves_up=0, min_size=(100, 100), multiple=4
    ... )
    >>> scales.round(3)
    array([1.   , 0.707, 0.5  , 0.35 , 0.25 ])
    """
    if height < 1 or width < 1:
        return np.empty(0), np.empty((0, 2))
    room = min(height / min_size[0], width / min_size[1])
    count = max(int(np.floor(per_octave * (octaves_up + np.log2(room)) + 1)), 0)
    smaller, larger = min(height, width), max(height, width)
    targets = 2.0 ** (-np.arange(count) / per_octave + octaves_up)
    middle = _round(smaller * targets / multiple) * multiple
    low, high = (middle - 0.25 * multiple) / smaller, (middle + 0.25 * multiple) / smaller
    candidates = low[:, None] + np.arange(N_NUDGES) * 0.01 * (high - low)[:, None]
    errors = np.maximum(_distance(smaller * candidates, multiple), _distance(larger * candidates, multiple))
    scales = candidates[np.arange(count), errors.argmin(axis=1)]

    scales = scales[np.append(scales[:-1] != scales[1:], True)[:count]]
    sides = np.array([height, width], np.float64)
    scaled_sides = _round(sides * scales[:, None] / multiple) * multiple
    kept = (scaled_sides > 0).all(axis=1)
    return scales[kept], scaled_sides[kept] / sides


def nearest_computed(count: int, every: int) -> NDArray[np.int64]:
    """Index of the computed scale that each scale is made from; a computed one is made from itself.

    Parameters
    ----------
    count : int
        Number of scales.
    every : int
        Scales 0, every, 2 every ... are computed.

    Returns
    -------
    (count,) int64
        Of two that are equally near, the larger scale. Beyond the last computed scale, that one.
    """
    below = np.arange(count) // every * every
    is_nearer_next = np.arange(count) - below > every // 2
    above = below + every
    return np.where(is_nearer_next & (above < count), above, below)


def _distance(lengths: NDArray[np.float64], multiple: int) -> NDArray[np.float64]:
    """How far lengths are from whole multiples."""
    return np.abs(lengths - _round(lengths / multiple) * multiple)


def _round(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round halves up, where numpy's own rounding goes to even numbers."""
    return np.floor(values + 0.5)
