"""Feature pyramids: channels of an image at many scales, computed or approximated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .channels import ChannelOptions, channels_of_converted
from .color import convert_color
from .lambdas import channel_kind_means, kind_of_channel, lambdas_of_two_scales
from .padding import pad
from .resample import resample
from .scales import pyramid_scales
from .smoothing import convolve_triangle

# Channels smaller than this many cells a side are of no use, so images are not shrunk below it.
SMALLEST_SIDE_CELLS = 4


@dataclass(frozen=True, kw_only=True)
class PyramidOptions:
    """Scales and treatment of a pyramid's levels.

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
        Pixels added at each side of a level, a multiple of the channels' shrink. Colour is replicated there,
        other channels are zero.
    min_size : (height, width)
        Pixels; scales go down until the image is of this size, raised to 4 cells.
    min_scale : float, optional
        Leave out smaller scales.
    smooth : float
        Radius of the triangle filter that channels are smoothed with, 0 for none.
    lambdas : (colour, magnitude, histogram) floats, optional
        Exponents of the power law that relates channels of two scales. None estimates them from the image.
    multiple : int, optional
        Sides of scaled images are multiples of this number of pixels; None is the channels' shrink. Twice the
        shrink gives LDCF an even number of cells everywhere.
    """

    per_octave: int = 8
    octaves_up: float = 0.0
    n_approximate: int | None = None
    pad: tuple[int, int] = (0, 0)
    min_size: tuple[int, int] = (16, 16)
    min_scale: float | None = None
    smooth: float = 1.0
    lambdas: tuple[float, float, float] | None = None
    multiple: int | None = None

    def __post_init__(self) -> None:
        if self.per_octave < 1:
            raise ValueError(f"per_octave of PyramidOptions must be at least 1, found {self.per_octave}")
        if self.n_approximate is not None and self.n_approximate < 0:
            raise ValueError(
                f"n_approximate of PyramidOptions must not be negative, found {self.n_approximate}"
            )
        if min(self.pad) < 0 or min(self.min_size) < 1:
            raise ValueError(
                f"pad of PyramidOptions must not be negative and min_size be positive, "
                f"found {self.pad} and {self.min_size}"
            )
        if self.min_scale is not None and self.min_scale < 0:
            raise ValueError(f"min_scale of PyramidOptions must not be negative, found {self.min_scale}")

    @property
    def computed_every(self) -> int:
        """Every so many-th scale is computed."""
        return (self.per_octave - 1 if self.n_approximate is None else self.n_approximate) + 1


@dataclass(frozen=True, eq=False)
class PyramidLevel:
    """Channels of an image at one scale.

    Parameters
    ----------
    channels : (C, h, w) float32
        Smoothed and padded.
    scale : float
    scale_y, scale_x : float
        Exact ratios of the sides; positions are divided by them.
    """

    channels: NDArray[np.float32]
    scale: float
    scale_y: float
    scale_x: float


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
    """Compute the whole pyramid of an image (Dollár et al. 2014, "Fast feature pyramids").

    Parameters
    ----------
    image : (H, W, 3) or (H, W) uint8
    channel_options : ChannelOptions
    options : PyramidOptions
    threads : int
        The result does not depend on it.

    Returns
    -------
    Pyramid
        Without levels when the image is smaller than ``options.min_size``.
    """
    scaling = _Scaling.of_image(image, channel_options, options, threads)
    return Pyramid(tuple(scaling.levels()), scaling.lambdas())


def iterate_pyramid(
    image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, *, threads: int = 1
) -> Iterator[PyramidLevel]:
    """Yield the levels of `compute_pyramid` one at a time, largest first, so that few are in memory."""
    yield from _Scaling.of_image(image, channel_options, options, threads).levels()


class _Scaling:
    """The colour planes of one image and the scales it is wanted at."""

    def __init__(
        self,
        planes: NDArray[np.float32],
        channel_options: ChannelOptions,
        options: PyramidOptions,
        threads: int,
    ) -> None:
        self.channel_options = channel_options
        self.options = options
        self.threads = threads
        self.size = planes.shape[1:]
        self.multiple = options.multiple or channel_options.shrink
        least = SMALLEST_SIDE_CELLS * channel_options.shrink
        self.scales, self.scales_hw = pyramid_scales(
            *self.size,
            per_octave=options.per_octave,
            octaves_up=options.octaves_up,
            min_size=(max(options.min_size[0], least), max(options.min_size[1], least)),
            multiple=self.multiple,
        )
        if options.min_scale is not None:
            # Half a step of grace, because scales were nudged.
            kept = self.scales > options.min_scale * 2 ** (-0.5 / options.per_octave)
            self.scales, self.scales_hw = self.scales[kept], self.scales_hw[kept]
        self._planes = planes
        self._computed: dict[int, NDArray[np.float32]] = {}
        self._lambdas = options.lambdas

    @classmethod
    def of_image(
        cls, image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, threads: int
    ) -> _Scaling:
        """Convert the colours, which is done once for all scales."""
        planes = convert_color(image, channel_options.color_space, threads=threads)
        return cls(planes, channel_options, options, threads)

    def levels(self) -> Iterator[PyramidLevel]:
        """Compute or approximate each level when it is asked for."""
        count = len(self.scales)
        if not count:
            return
        computed = list(range(0, count, self.options.computed_every))
        # A scale belongs to the nearest computed one; half-way ones to the smaller of the two images.
        ends = [(a + b + 2) // 2 for a, b in zip(computed, computed[1:], strict=False)] + [count]
        start = 0
        for index, end in zip(computed, ends, strict=True):
            near = self.channels_at(index)
            for level in range(start, end):
                yield self._finished(
                    level, near if level == index else self._approximated(level, index, near)
                )
            self._computed.pop(index, None)
            start = end

    def lambdas(self) -> tuple[float, float, float] | None:
        """Exponents for approximated scales, estimated from two computed scales unless given."""
        if self._lambdas is None and self.options.computed_every > 1 and len(self.scales):
            self._lambdas = self._estimated_lambdas()
        return self._lambdas

    def channels_at(self, index: int) -> NDArray[np.float32]:
        """Channels computed from the image at one scale."""
        if index not in self._computed:
            height, width = (int(round(v)) for v in self.scales_hw[index] * self.size)
            planes = self._planes
            if planes.shape[1:] != (height, width):
                planes = resample(planes, height, width, threads=self.threads)
            if self.options.computed_every > 1 and self.scales[index] == 0.5:
                self._planes = planes
            self._computed[index] = channels_of_converted(planes, self.channel_options, threads=self.threads)
        return self._computed[index]

    def _estimated_lambdas(self) -> tuple[float, float, float]:
        """Fit the power law to two computed scales, from the original size down if possible.

        An image that is too small for two computed scales gets lambdas of zero: channels change little
        between scales that close, and the original implementation refuses such images.
        """
        step = self.options.computed_every
        start = max(0, round(self.options.octaves_up * self.options.per_octave))
        candidates = list(range(start, len(self.scales), step))
        pair = candidates[1:3] if len(candidates) > 2 else candidates
        # Estimation scales are computed ones only if they fall on the grid of computed scales.
        if len(pair) < 2:
            return (0.0, 0.0, 0.0)
        kinds = kind_of_channel(self.channel_options)
        means = [channel_kind_means(self.channels_at(index), kinds) for index in pair]
        return lambdas_of_two_scales(means[0], means[1], float(self.scales[pair[0]] / self.scales[pair[1]]))

    def _approximated(self, level: int, index: int, near: NDArray[np.float32]) -> NDArray[np.float32]:
        """Resample the channels of a computed scale and correct their strength by the power law."""
        shrink = self.channel_options.shrink
        height, width = (int(np.floor(v / shrink + 0.5)) for v in self.scales[level] * np.array(self.size))
        lambdas = self.lambdas() or (0.0, 0.0, 0.0)
        ratio = float(self.scales[level] / self.scales[index])
        norms = np.array([ratio**-value for value in lambdas])[kind_of_channel(self.channel_options)]
        resampled = resample(near, max(height, 1), max(width, 1), threads=self.threads)
        return resampled * norms.astype(np.float32)[:, None, None]

    def _finished(self, level: int, channels: NDArray[np.float32]) -> PyramidLevel:
        """Smooth and pad."""
        channels = convolve_triangle(channels, self.options.smooth)
        rows, columns = (-(-amount // self.channel_options.shrink) for amount in self.options.pad)
        if rows or columns:
            n_color = self.channel_options.n_color_channels
            color = pad(channels[:n_color], (rows, columns), "replicate")
            channels = np.concatenate([color, pad(channels[n_color:], (rows, columns))])
        scale_y, scale_x = self.scales_hw[level]
        return PyramidLevel(channels, float(self.scales[level]), float(scale_y), float(scale_x))
