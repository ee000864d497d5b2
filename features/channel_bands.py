"""The channels of the published detectors in two fused passes over bands of rows (the fast way)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands
from .color import luv_row_converter
from .gradient import compensate_borders
from .row_window import RowWindow
from .smoothing import mirrored, three_tap_center
from .threads import available_threads

if TYPE_CHECKING:
    from .channel_options import ChannelOptions

# Pixels a band: few enough that what lies between the passes stays in cache.
BAND_ROWS = 64


def is_fused(options: ChannelOptions) -> bool:
    """Whether the fused passes can compute the channels of these options.

    They leave to the composition of single steps what no published detector uses: smoothing by more than one
    pixel, the gradient of one chosen plane, no normalisation, full-circle or hard orientations, HOG, separate
    cell sizes.
    """
    return (
        options.color_smooth <= 1
        and options.color_plane is None
        and options.normalization_radius > 0
        and not options.full_orientation
        and options.hog is None
        and options.bin_size in (None, options.shrink)
        and options.soft_bin >= 0
        and options.orientations > 1
    )


def fused_channels(planes: NDArray[np.float32], options: ChannelOptions, threads: int) -> NDArray[np.float32]:
    """Compute the channels of converted planes; see `channels_of_converted`.

    Equal to the composition of the single steps up to rounding and the arctangent's polynomial (1.8e-6 rad).

    Parameters
    ----------
    planes : (C, H, W) float32, C-contiguous
        With at least one whole cell.
    options : ChannelOptions
        For which `is_fused` holds.
    threads : int

    Returns
    -------
    (options.n_channels, H // shrink, W // shrink) float32
    """
    height = planes.shape[1]
    return fused_channel_rows(planes, 0, height, (0, height // options.shrink), options, threads)


def pixel_rows_of(cells: tuple[int, int], height: int, options: ChannelOptions) -> tuple[int, int]:
    """The rows of an image of `height` pixels that `fused_channel_rows` needs for rows of cells."""
    passes = _FusedPasses(options, height, options.shrink, *cells)
    top, bottom = passes.top * options.shrink - 2, passes.bottom * options.shrink + 2
    return max(top, 0), min(bottom, passes.height)


def fused_channel_rows(
    planes: NDArray[np.float32],
    planes_top: int,
    height: int,
    cells: tuple[int, int],
    options: ChannelOptions,
    threads: int,
) -> NDArray[np.float32]:
    """Compute some rows of the channels of converted planes.

    Parameters
    ----------
    planes : (C, rows, W) float32, C-contiguous
        The rows of the image from `planes_top` on, those of `pixel_rows_of` at least.
    planes_top, height : int
        Rows of the whole image above `planes`, and in all.
    cells : (first, last)
        Rows of cells.
    options : ChannelOptions
        For which `is_fused` holds.
    threads : int

    Returns
    -------
    (options.n_channels, last - first, W // shrink) float32
        To the bit what `fused_channels` makes of the whole image.
    """
    passes = _FusedPasses(options, height, planes.shape[2], *cells)

    def work(first: int, last: int) -> None:
        gradients = passes.gradient_window()
        for start, end in passes.bands(first, last):
            new, stop = passes.slide(gradients, start, end)
            passes.gradient_pass(planes, planes_top, gradients, new, stop)
            passes.histogram_pass(gradients, start, end)

    return passes.run(work, threads)


def fused_channels_of_image(
    image: NDArray[np.uint8], options: ChannelOptions, threads: int
) -> NDArray[np.float32]:
    """Compute the channels of an RGB image in L*u*v*, whose planes exist only in part at any time.

    Parameters
    ----------
    image : (H, W, 3) uint8
        With at least one whole cell.
    options : ChannelOptions
        For which `is_fused` holds, and with the colour space "luv".
    threads : int

    Returns
    -------
    (options.n_channels, H // shrink, W // shrink) float32
        To the bit what `fused_channels` makes of the converted image.
    """
    height, width = image.shape[:2]
    passes = _FusedPasses(options, height, width, 0, height // options.shrink)
    convert = luv_row_converter(image)

    def work(first: int, last: int) -> None:
        luv, gradients = passes.color_window(), passes.gradient_window()
        for start, end in passes.bands(first, last):
            new, stop = passes.slide(gradients, start, end)
            passes.slide_color(luv, convert, new, stop)
            passes.gradient_pass(luv.rows, luv.first, gradients, new, stop)
            passes.histogram_pass(gradients, start, end)

    return passes.run(work, threads)


class _FusedPasses:
    """The two passes over some rows of an image: their sizes, what the kernels need to know, and their output.

    Rows of cells are counted in cells, windows of rows in pixels.

    Parameters
    ----------
    options : ChannelOptions
    height, width : int
        Of the image, in pixels.
    first, last : int
        The rows of cells that are asked for. Bands, in which sums start anew, lie in the image as they would if
        all rows were.
    """

    def __init__(self, options: ChannelOptions, height: int, width: int, first: int, last: int) -> None:
        shrink, radius = options.shrink, options.normalization_radius
        n_rows, n_columns = height // shrink, width // shrink
        margin = shrink // 2 if options.shares_cells else 0
        self.shrink, self.n_rows, self.n_color = shrink, n_rows, options.n_color_channels
        self.height, self.width = n_rows * shrink, n_columns * shrink
        self.rows_per_band = max(1, BAND_ROWS // shrink)
        # Gradients that the histogram of a band needs from either neighbour: see `histogram_band`.
        self.halo = -(-(radius + margin + 2) // shrink)
        self.first, self.last = first, last
        self.first_band = first // self.rows_per_band * self.rows_per_band
        self.end = min(-(-last // self.rows_per_band) * self.rows_per_band, n_rows)
        # The colour channels of the rows next to these are computed along with their gradients.
        self.top, self.bottom = max(self.first_band - self.halo, 0), min(self.end + self.halo, n_rows)
        self.channels = np.empty((options.n_channels, self.bottom - self.top, n_columns), np.float32)

        self.cell, self.support = (0,) * shrink, (0,) * (shrink + 2 * margin)
        self.plane_count, self.taps = (0,) * self.n_color, (0,) * (2 * radius + 1)
        self.weight = _triangle_weights(radius)
        self.smooth = options.color_smooth > 0
        self.center = np.float32(three_tap_center(options.color_smooth) if self.smooth else 0)
        self.n_bins = np.float32(options.orientations)
        self.constant = np.float32(options.normalization_constant)
        self.source_rows = mirrored(self.height, radius + 2)
        self.source_columns = mirrored(self.width, radius)
        self.shares = _pixel_shares(shrink, margin)
        self.shares_cells = margin > 0

    def bands(self, first: int, last: int) -> list[tuple[int, int]]:
        """The bands of rows of cells between two multiples of the rows in a band."""
        step = self.rows_per_band
        return [(start, min(start + step, last)) for start in range(first, last, step)]

    def gradient_window(self) -> RowWindow:
        """A window that fits a band of gradients with its neighbourhood."""
        return RowWindow(2, (self.rows_per_band + 2 * self.halo) * self.shrink, self.width)

    def color_window(self) -> RowWindow:
        """A window that fits the colours of a band of gradients."""
        return RowWindow(self.n_color, (self.rows_per_band + 2 * self.halo) * self.shrink + 4, self.width)

    def slide(self, gradients: RowWindow, start: int, end: int) -> tuple[int, int]:
        """Move the window to a band; returns the rows of cells whose gradients are still to be computed."""
        top, bottom = start - self.halo, min(end + self.halo, self.n_rows)
        new = gradients.slide(top * self.shrink, bottom * self.shrink)
        return max(new // self.shrink, 0), bottom

    def slide_color(
        self,
        colors: RowWindow,
        convert: Callable[[NDArray[np.float32], int, int, int], None],
        new: int,
        stop: int,
    ) -> None:
        """Move the window of colours to the rows of cells [new, stop), and convert what it lacks.

        Smoothing and differences look at two rows above and below.
        """
        bottom = min(stop * self.shrink + 2, self.height)
        first = colors.slide(new * self.shrink - 2, bottom)
        convert(colors.rows, colors.first, max(first, 0), bottom)

    def gradient_pass(
        self, planes: NDArray[np.float32], top: int, gradients: RowWindow, first: int, last: int
    ) -> None:
        """Fill the window, and the colour channels, in the rows of cells [first, last)."""
        from .channel_band_kernels import gradient_band

        gradient_band(
            planes,
            top,
            self.height,
            self.smooth,
            self.center,
            self.plane_count,
            self.cell,
            self.n_bins,
            self.channels,
            self.top,
            gradients.rows,
            gradients.first,
            first,
            last,
            np.empty((self.n_color, self.shrink + 2, self.width + 2), np.float32),
            np.empty(self.width + 2, np.float32),
        )

    def histogram_pass(self, gradients: RowWindow, first: int, last: int) -> None:
        """Fill the other channels in the rows of cells [first, last)."""
        from .channel_band_kernels import histogram_band

        histogram_band(
            gradients.rows,
            gradients.first,
            self.source_rows,
            self.source_columns,
            self.weight,
            self.taps,
            self.constant,
            self.cell,
            self.support,
            self.shares,
            self.channels[self.n_color :],
            self.top,
            first,
            last,
            self.histogram_scratch(),
        )

    def histogram_scratch(self) -> tuple[NDArray[np.float32], ...]:
        """Zeros for `histogram_band` to work in.

        Returns
        -------
        running : (2, width)
            Triangle sum of the magnitude down each column, and its slope.
        padded : (1, width + 2 radius)
            A row of these sums, mirrored at the ends.
        rows, weighted : (size, width)
            Normalised magnitude of the rows that share a cell, and weighted by their shares.
        sums : (orientations + 2, width + 2 margin)
            Down each column of these rows: ramps of each orientation, weights alone, magnitude.
        cells : (orientations + 3, columns)
            The same over cells, with a ramp before the first.
        """
        size, bins = self.shares.shape[1], len(self.channels) - self.n_color - 1
        margin = (len(self.support) - self.shrink) // 2
        shapes = (
            (2, self.width),
            (1, self.width + len(self.taps) - 1),
            (size, self.width),
            (size, self.width),
            (bins + 2, self.width + 2 * margin),
            (bins + 3, self.channels.shape[2]),
        )
        return tuple(np.zeros(shape, np.float32) for shape in shapes)

    def run(self, work: Callable[[int, int], None], threads: int) -> NDArray[np.float32]:
        """Give each thread a run of bands, and return the channels.

        A run computes the gradients next to it too, and with them, to the same bits, a few rows of colour
        channels that its neighbour computes.
        """
        n_rows = self.end - self.first_band
        n_bands = -(-n_rows // self.rows_per_band)
        bands_per_run = -(-n_bands // min(threads or available_threads(), n_bands))

        def work_on_run(first: int, last: int) -> None:
            work(self.first_band + first, self.first_band + last)

        run_bands(work_on_run, n_rows, threads, bands_per_run * self.rows_per_band)
        channels = self.channels[:, self.first - self.top : self.last - self.top]
        if self.shares_cells:
            compensate_borders(
                channels[self.n_color + 1 :], top=self.first == 0, bottom=self.last == self.n_rows
            )
        return channels


def _triangle_weights(radius: int) -> NDArray[np.float32]:
    """Taps of a triangle, divided by the sum of all along both axes."""
    taps = radius + 1 - abs(np.arange(-radius, radius + 1, dtype=np.float32))
    return taps * np.float32(1 / (radius + 1) ** 4)


def _pixel_shares(shrink: int, margin: int) -> NDArray[np.float32]:
    """Weights of the pixels along one axis of a cell: in its histogram, and in its mean magnitude.

    The first are hat functions of the distance to the cell's centre where cells share pixels (`margin` > 0).

    Returns
    -------
    (2, n) float32
        n is shrink + 2 margin rounded up to a multiple of 4, by zeros.
    """
    support = shrink + 2 * margin
    shares = np.zeros((2, -(-support // 4) * 4), np.float32)
    if margin:
        distance = (np.arange(support) - margin + 0.5) / shrink - 0.5
        shares[0, :support] = 1 - abs(distance)
    else:
        shares[0, :support] = 1
    shares[1, margin : margin + shrink] = 1
    return shares
