"""Which scales a pyramid has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
    sides of the scaled image come close to whole multiples of it. Scales that become equal are listed once.

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
        Exact ratios of heights and of widths. Empty where the image is smaller than `min_size`.

    Notes
    -----
    The rule of the ACF toolbox; both sides count, the one that fits worse decides.
    """
    if height < 1 or width < 1:
        return np.empty(0), np.empty((0, 2))
    room = min(height / min_size[0], width / min_size[1])
    count = int(np.floor(per_octave * (octaves_up + np.log2(room)) + 1))
    smaller, larger = min(height, width), max(height, width)
    nudges = np.arange(100) * 0.01
    scales = []
    for scale in 2.0 ** (-np.arange(max(count, 0)) / per_octave + octaves_up):
        middle = _round(smaller * scale / multiple) * multiple
        low, high = (middle - 0.25 * multiple) / smaller, (middle + 0.25 * multiple) / smaller
        candidates = low + (high - low) * nudges
        errors = np.maximum(
            _distance(smaller * candidates, multiple), _distance(larger * candidates, multiple)
        )
        best = float(candidates[np.argmin(errors)])
        if best > 0:
            scales.append(best)
    if not scales:
        return np.empty(0), np.empty((0, 2))
    kept = np.array([s for s, after in zip(scales, [*scales[1:], None], strict=True) if s != after])
    sides = np.array([height, width], np.float64)
    return kept, _round(sides * kept[:, None] / multiple) * multiple / sides


def _distance(lengths: NDArray[np.float64], multiple: int) -> NDArray[np.float64]:
    return np.abs(lengths - _round(lengths / multiple) * multiple)


def _round(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Round halves away from zero (values are not negative here)."""
    return np.floor(np.asarray(values, np.float64) + 0.5)
