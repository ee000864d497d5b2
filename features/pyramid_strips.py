"""Levels of a pyramid some rows at a time, for images whose planes and channels would fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands
from .channel_bands import fused_channel_rows, is_fused, pixel_rows_of
from .channel_options import ChannelOptions
from .color import luv_row_converter
from .pyramid_levels import level_scales, margins_of, smoothed_rows
from .pyramid_options import PyramidOptions
from .resample import resample_part, source_rows

# Pixels of the image that are in memory as floats, in strips of whole rows.
PIXELS_OF_STRIP = 2**22


def can_be_cut(image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions) -> bool:
    """Whether the levels of an image can be made in strips.

    Not in fast pyramids, where levels are made from the whole channels of others, nor with options that no
    published detector has.
    """
    return (
        image.ndim == 3
        and channel_options.color_space == "luv"
        and is_fused(channel_options)
        and options.smooth <= 1
        and options.computed_every == 1
        and options.per_octave > 1
    )


@dataclass(frozen=True, eq=False)
class LevelRows:
    """A level of which any rows can be computed, to the bit those of `iterate_pyramid`.

    Parameters
    ----------
    image : (H, W, 3) uint8
    channel_options : ChannelOptions
    options : PyramidOptions
    size : (height, width)
        Of the scaled image in pixels.
    scale, scale_y, scale_x : float
        As of `PyramidLevel`.
    threads : int
    """

    image: NDArray[np.uint8]
    channel_options: ChannelOptions
    options: PyramidOptions
    size: tuple[int, int]
    scale: float
    scale_y: float
    scale_x: float
    threads: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells, margins included."""
        rows, columns = margins_of(self.channel_options, self.options)
        height, width = (side // self.channel_options.shrink for side in self.size)
        return height + 2 * rows, width + 2 * columns

    def channels(self, first: int, last: int) -> NDArray[np.float32]:
        """Smoothed and padded channels of the rows [first, last) of cells."""
        options = self.channel_options
        height = self.size[0] // options.shrink
        margin = margins_of(options, self.options)[0]
        # In the margins the outermost row is repeated; smoothing looks at one more on either side.
        lowest, highest = (min(max(row - margin, 0), height - 1) for row in (first, last - 1))
        cells = max(lowest - 1, 0), min(highest + 2, height)
        top, bottom = pixel_rows_of(cells, self.size[0], options)
        planes = self._planes(top, bottom)
        channels = fused_channel_rows(planes, top, self.size[0], cells, options, self.threads)
        return smoothed_rows(channels, cells[0], height, (first, last), options, self.options, self.threads)

    def _planes(self, first: int, last: int) -> NDArray[np.float32]:
        """Colour planes of the rows [first, last) of the scaled image."""
        if self.image.shape[:2] == self.size:
            return self._converted(first, last)
        source_height = len(self.image)
        planes = np.empty((self.channel_options.n_color_channels, last - first, self.size[1]), np.float32)
        # However small the level is, no more of the image than a strip is converted at a time.
        step = max(1, int(PIXELS_OF_STRIP / self.image.shape[1] * self.scale_y))
        for start in range(first, last, step):
            rows = start, min(start + step, last)
            top, bottom = source_rows(source_height, self.size[0], rows)
            source = self._converted(top, bottom)
            part = resample_part(source, top, source_height, self.size, rows, threads=self.threads)
            planes[:, rows[0] - first : rows[1] - first] = part
        return planes

    def _converted(self, first: int, last: int) -> NDArray[np.float32]:
        """Colour planes of the rows [first, last) of the image."""
        convert = luv_row_converter(self.image)
        planes = np.empty((3, last - first, self.image.shape[1]), np.float32)
        run_bands(
            lambda start, end: convert(planes, first, first + start, first + end), last - first, self.threads
        )
        return planes


def iterate_level_rows(
    image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, *, threads: int = 1
) -> Iterator[LevelRows]:
    """Yield the levels of `iterate_pyramid` without their channels, largest first.

    Parameters
    ----------
    image : (H, W, 3) uint8 RGB
    channel_options : ChannelOptions
    options : PyramidOptions
        For which, with the others, `can_be_cut` holds.
    threads : int
    """
    scales, scales_hw, sizes = level_scales(image.shape[0], image.shape[1], channel_options.shrink, options)
    for scale, (scale_y, scale_x), (height, width) in zip(scales, scales_hw, sizes, strict=True):
        if options.contains(scale):
            size = int(height), int(width)
            scale_floats = float(scale), float(scale_y), float(scale_x)
            yield LevelRows(image, channel_options, options, size, *scale_floats, threads)
