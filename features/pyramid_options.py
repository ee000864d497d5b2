"""The options of a feature pyramid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class PyramidOptions:
    """Scales of a pyramid and what is done to its levels; the defaults are those of the ACF toolbox.

    Parameters
    ----------
    per_octave : int
        Scales an octave.
    octaves_up : float
        The first scale is ``2**octaves_up``: above 0 the image is enlarged, below 0 large scales are left out.
    n_approximate : int, optional
        Scales that are approximated between two computed ones. None means ``per_octave - 1``: one computed
        scale an octave (fast pyramid). 0 computes all.
    pad : (rows, columns)
        Pixels added at each side of a level, rounded up to whole cells. Colour is replicated there, other
        channels are zero.
    min_size : (height, width)
        Pixels; scales go down until the image is of this size, or of 4 cells if that is more.
    min_scale, max_scale : float, optional
        Leave out smaller or larger scales: an object as high as the model's is looked for at scale 1, one twice
        as high at scale 0.5. Half a step of grace at either end, because scales are nudged. The levels that
        are left are those of the whole pyramid.
    smooth : float
        Radius in cells of the triangle filter that channels are smoothed with, 0 for none.
    lambdas : (colour, magnitude, histogram) floats, optional
        Exponents of the power law that relates channels of two scales (see `estimate_lambdas`). None estimates
        them from each image.
    multiple : int, optional
        Sides of scaled images are multiples of this number of pixels, itself a multiple of the channels' shrink;
        None is the shrink. Twice the shrink gives LDCF an even number of cells everywhere.

    Raises
    ------
    ValueError
        If a value is out of its range.
    """

    per_octave: int = 8
    octaves_up: float = 0.0
    n_approximate: int | None = None
    pad: tuple[int, int] = (0, 0)
    min_size: tuple[int, int] = (16, 16)
    min_scale: float | None = None
    max_scale: float | None = None
    smooth: float = 1.0
    lambdas: tuple[float, float, float] | None = None
    multiple: int | None = None

    def __post_init__(self) -> None:
        self._check("per_octave", "a whole number >= 1", _is_whole(self.per_octave, 1))
        self._check("octaves_up", "a finite number", math.isfinite(self.octaves_up))
        for name, smallest in (("n_approximate", 0), ("multiple", 1)):
            value = getattr(self, name)
            self._check(
                name, f"None or a whole number >= {smallest}", value is None or _is_whole(value, smallest)
            )
        for name, smallest in (("pad", 0), ("min_size", 1)):
            pair = getattr(self, name)
            are_whole = len(pair) == 2 and all(_is_whole(value, smallest) for value in pair)
            self._check(name, f"two whole numbers >= {smallest}, rows and columns", are_whole)
        for name in ("min_scale", "max_scale"):
            value = getattr(self, name)
            self._check(name, "None or a positive number", value is None or 0 < value < math.inf)
        if self.min_scale is not None and self.max_scale is not None:
            self._check(
                "max_scale", f"at least min_scale, {self.min_scale}", self.max_scale >= self.min_scale
            )
        radius = self.smooth
        self._check("smooth", "in [0, 1] or a whole number above", 0 <= radius <= 1 or _is_whole(radius, 2))
        are_finite = self.lambdas is None or (
            len(self.lambdas) == 3 and all(math.isfinite(value) for value in self.lambdas)
        )
        self._check("lambdas", "None or three finite numbers", are_finite)

    def _check(self, name: str, rule: str, holds: bool) -> None:
        if not holds:
            raise ValueError(f"{name} of PyramidOptions must be {rule}, found {getattr(self, name)!r}")

    @property
    def computed_every(self) -> int:
        """Every so many-th scale is computed."""
        return (self.per_octave - 1 if self.n_approximate is None else self.n_approximate) + 1

    def contains(self, scale: float) -> bool:
        """Whether a scale is between `min_scale` and `max_scale`, with their grace."""
        grace = 2 ** (0.5 / self.per_octave)
        is_large_enough = self.min_scale is None or scale > self.min_scale / grace
        return is_large_enough and (self.max_scale is None or scale < self.max_scale * grace)


def _is_whole(value: Any, smallest: int) -> bool:
    return smallest <= value < math.inf and value == int(value)
