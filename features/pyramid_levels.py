"""The levels of an image's feature pyramid, computed or approximated, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands
from .channel_kinds import channel_kind_means, kind_of_channel, lambdas_of_two_scales
from .channel_options import ChannelOptions
from .channels import channels_of_converted
from .color import convert_color
from .pyramid_options import PyramidOptions
from .resample import NORMALIZATION, axis_weights, resample
from .scales import nearest_computed, pyramid_scales
from .smoothing import convolve_triangle, three_tap_center

# Channels smaller than this many cells a side are of no use, so images are not shrunk below it.
SMALLEST_SIDE_CELLS = 4


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


class PyramidLevels:
    """The levels of one image, each made when it is asked for; iterating makes them in turn, largest first.

    Parameters
    ----------
    image, channel_options, options, threads
        As of `compute_pyramid`.

    Attributes
    ----------
    wanted : list of int
        Indices of the levels, largest first.
    lambdas : (3,) floats or None
        Exponents of approximated levels.
    """

    def __init__(
        self, image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, threads: int
    ) -> None:
        self.channel_options = channel_options
        self.options = options
        self.threads = threads
        self._planes = convert_color(image, channel_options.color_space, threads=threads)
        self._scales, self._scales_hw, self._sizes = level_scales(
            self._planes.shape[1], self._planes.shape[2], channel_options.shrink, options
        )
        self._nearest = nearest_computed(len(self._scales), options.computed_every)
        self.wanted = [index for index, scale in enumerate(self._scales) if options.contains(scale)]
        # Channels of computed scales, until the last level made from them.
        self._computed: dict[int, NDArray[np.float32]] = {}
        self._half_planes: NDArray[np.float32] | None = None
        self._half_index = self._index_of_half()
        self.lambdas = options.lambdas
        if self.lambdas is None and any(self._nearest[index] != index for index in self.wanted):
            self.lambdas = self._estimated_lambdas()

    def __iter__(self) -> Iterator[PyramidLevel]:
        for index in self.wanted:
            self.prepare([index])
            yield self.level(index, threads=self.threads)

    def pixels(self, index: int) -> int:
        """Pixels of a level's image."""
        return int(np.prod(self._sizes[index]))

    def prepare(self, indices: Iterable[int]) -> None:
        """Compute what levels share, so that several threads may make one each afterwards.

        What only larger levels need is forgotten.
        """
        needed = sorted({int(self._nearest[index]) for index in indices})
        for passed in [index for index in self._computed if needed and index < needed[0]]:
            del self._computed[passed]
        for near in needed:
            if self.options.computed_every > 1 or self._half_index is not None:
                self._channels_at(near)
            if self._half_planes is not None and near == self._half_index:
                self._planes = self._half_planes  # the whole image is not needed any more

    def level(self, index: int, *, threads: int) -> PyramidLevel:
        """Make a level that is prepared."""
        near = int(self._nearest[index])
        channels = self._computed.get(near)
        if channels is None:
            planes = self._resized(self._planes, index, threads)
            channels = channels_of_converted(planes, self.channel_options, threads=threads)
        if near == index:
            finished = self._finished(channels, threads)
        else:
            finished = self._approximated(channels, near, index, threads)
        scale_y, scale_x = self._scales_hw[index]
        return PyramidLevel(finished, float(self._scales[index]), float(scale_y), float(scale_x))

    def _index_of_half(self) -> int | None:
        """Index of the computed scale of exactly 0.5: smaller ones are made from that image, as in the toolbox.

        Only where most scales are approximated; None elsewhere, and when there is none.
        """
        if self.options.computed_every == 1 and self.options.per_octave > 1:
            return None
        found = np.flatnonzero((self._scales == 0.5) & (self._nearest == np.arange(len(self._scales))))
        return int(found[0]) if len(found) else None

    def _channels_at(self, index: int) -> NDArray[np.float32]:
        """Channels computed from the image at one scale, not smoothed yet; kept."""
        if index not in self._computed:
            planes = self._planes_at(index)
            self._computed[index] = channels_of_converted(planes, self.channel_options, threads=self.threads)
        return self._computed[index]

    def _planes_at(self, index: int) -> NDArray[np.float32]:
        """Colour planes at one scale, from the whole image or from half of it."""
        if self._half_index is None or index < self._half_index:
            return self._resized(self._planes, index, self.threads)
        if self._half_planes is None:
            self._half_planes = self._resized(self._planes, self._half_index, self.threads)
        return self._resized(self._half_planes, index, self.threads)

    def _resized(self, planes: NDArray[np.float32], index: int, threads: int) -> NDArray[np.float32]:
        height, width = (int(side) for side in self._sizes[index])
        if planes.shape[1:] == (height, width):
            return planes
        return resample(planes, height, width, threads=threads)

    def _estimated_lambdas(self) -> tuple[float, float, float]:
        """Fit the power law to two computed scales; see the notes of `compute_pyramid`."""
        computed = range(0, len(self._scales), self.options.computed_every)
        # Nudging may leave the scale of the image itself a little above 1.
        own = 2 ** (0.5 / self.options.per_octave)
        candidates = [index for index in computed if self._scales[index] < own]
        if len(candidates) < 2:
            candidates = [0, len(self._scales) - 1]
        first, second = candidates[1:3] if len(candidates) > 2 else candidates
        kinds = kind_of_channel(self.channel_options)
        means = [channel_kind_means(self._channels_at(index), kinds) for index in (first, second)]
        return lambdas_of_two_scales(means[0], means[1], float(self._scales[first] / self._scales[second]))

    def _approximated(
        self, channels: NDArray[np.float32], near: int, index: int, threads: int
    ) -> NDArray[np.float32]:
        """Resample the channels of a computed scale, correct their strength by the power law, smooth and pad."""
        from .resample_kernels import ROWS, resample_smooth_and_pad_rows

        height, width = (int(side) // self.channel_options.shrink for side in self._sizes[index])
        ratio = float(self._scales[index] / self._scales[near])
        strengths = ratio ** -np.asarray(self.lambdas, np.float64)
        gains = (strengths[kind_of_channel(self.channel_options)] / NORMALIZATION).astype(np.float32)
        if self.options.smooth > 1:
            resampled = resample(channels, height, width, threads=threads)
            return self._finished(resampled * (gains * np.float32(NORMALIZATION))[:, None, None], threads)
        rows, columns = axis_weights(channels.shape[1], height), axis_weights(channels.shape[2], width)
        first_column = columns.first.astype(np.uint64)
        margins = margins_of(self.channel_options, self.options)
        center, level = _center(self.options), self._empty_level(height, width)

        def fill(first: int, last: int) -> None:
            mixed = np.zeros((ROWS, channels.shape[2]), np.float32)
            line = np.empty(width + 2, np.float32)
            resampled = np.empty((1, last - first + 2, width), np.float32)
            resample_smooth_and_pad_rows(
                channels,
                *rows,
                first_column,
                columns.weights,
                gains,
                center,
                self.channel_options.n_color_channels,
                *margins,
                first,
                last,
                mixed,
                line,
                resampled,
                level,
                0,
            )

        run_bands(fill, level.shape[1], threads)
        return level

    def _finished(self, channels: NDArray[np.float32], threads: int) -> NDArray[np.float32]:
        """Smooth and pad."""
        if self.options.smooth > 1:
            channels = convolve_triangle(channels, self.options.smooth)
        height = channels.shape[1]
        rows = (0, height + 2 * margins_of(self.channel_options, self.options)[0])
        return smoothed_rows(channels, 0, height, rows, self.channel_options, self.options, threads)

    def _empty_level(self, height: int, width: int) -> NDArray[np.float32]:
        rows, columns = margins_of(self.channel_options, self.options)
        return np.empty((self.channel_options.n_channels, height + 2 * rows, width + 2 * columns), np.float32)


def level_scales(
    height: int, width: int, shrink: int, options: PyramidOptions
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the scales of an image's levels, wanted or not, largest first.

    Returns
    -------
    scales : (n,) float64
    scales_hw : (n, 2) float64
        Exact ratios of heights and widths.
    sizes : (n, 2) int64
        Height and width of the scaled image.
    """
    multiple = shrink if options.multiple is None else options.multiple
    if multiple % shrink:
        raise ValueError(
            f"multiple of PyramidOptions must be a multiple of the channels' shrink {shrink}, found {multiple}"
        )
    least = SMALLEST_SIDE_CELLS * shrink
    scales, scales_hw = pyramid_scales(
        *(height, width),
        per_octave=options.per_octave,
        octaves_up=options.octaves_up,
        min_size=(max(options.min_size[0], least), max(options.min_size[1], least)),
        multiple=multiple,
    )
    return scales, scales_hw, np.rint(scales_hw * (height, width)).astype(np.int64)


def margins_of(channel_options: ChannelOptions, options: PyramidOptions) -> tuple[int, int]:
    """Cells added at each side of a level: rows, columns."""
    shrink = channel_options.shrink
    return -(-options.pad[0] // shrink), -(-options.pad[1] // shrink)


def smoothed_rows(
    channels: NDArray[np.float32],
    top: int,
    height: int,
    rows: tuple[int, int],
    channel_options: ChannelOptions,
    options: PyramidOptions,
    threads: int,
) -> NDArray[np.float32]:
    """Smooth channels by up to one cell and pad them; make some rows of the level so.

    Parameters
    ----------
    channels : (C, n, w) float32
        The rows of cells from `top` on: those asked for, and one above and below where there is one.
    top, height : int
        Rows of the channels above these, and in all.
    rows : (first, last)
        Of the level, margins included.
    channel_options : ChannelOptions
    options : PyramidOptions
        Without smoothing by more than a cell, which is done before.
    threads : int

    Returns
    -------
    (C, last - first, w + 2 columns of margin) float32
    """
    from .resample_kernels import smooth_and_pad_rows

    first, last = rows
    width = channels.shape[2]
    margins = margins_of(channel_options, options)
    level = np.empty((len(channels), last - first, width + 2 * margins[1]), np.float32)
    gains = np.ones(len(channels), np.float32)
    center, n_color = _center(options), channel_options.n_color_channels

    def fill(start: int, end: int) -> None:
        line = np.empty(width + 2, np.float32)
        band = (first + start, first + end)
        smooth_and_pad_rows(
            channels, top, height, gains, center, n_color, *margins, *band, line, level, first
        )

    run_bands(fill, last - first, threads)
    return level


def _center(options: PyramidOptions) -> np.float32:
    """Middle one of the three taps of smoothing; negative when the kernels need not smooth."""
    radius = options.smooth
    return np.float32(three_tap_center(radius) if 0 < radius <= 1 else -1)
