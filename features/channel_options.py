"""Which channels to compute."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .color import COLOR_SPACES, n_color_planes

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


def _is_whole(value: float, smallest: int) -> bool:
    return math.isfinite(value) and value == int(value) and value >= smallest
