"""The channels of the published detectors in two passes over bands of rows (the fast way)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .bands import ROWS_PER_BAND, run_bands
from .gradient import compensate_borders
from .smoothing import mirrored, three_tap_center

if TYPE_CHECKING:
    from .channels import ChannelOptions


def is_fused(options: ChannelOptions) -> bool:
    """Whether `fused_channels` can compute the channels of these options.

    It leaves to the composition of single steps what no published detector uses: smoothing by more than one
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
    from .channel_band_kernels import gradient_band, histogram_band

    shrink, radius, n_color = options.shrink, options.normalization_radius, len(planes)
    n_rows, n_columns = planes.shape[1] // shrink, planes.shape[2] // shrink
    height, width = n_rows * shrink, n_columns * shrink

    channels = np.empty((options.n_channels, n_rows, n_columns), np.float32)
    magnitude = np.empty((height, width), np.float32)
    margin = shrink // 2 if options.shares_cells else 0
    support = shrink + 2 * margin
    shares = _pixel_shares(shrink, margin)
    # Row `margin` belongs to row 0 of the image: cells at the border look beyond it, at weightless angles.
    angle = np.empty((height + shares.shape[1], width), np.float32)
    angle[:margin] = 0
    angle[height + margin :] = 0

    smooth = options.color_smooth > 0
    center = np.float32(three_tap_center(options.color_smooth) if smooth else 0)
    constant = np.float32(options.normalization_constant)
    n_bins = np.float32(options.orientations)
    source_rows = mirrored(height, radius + 2)
    source_columns = mirrored(width, radius)
    plane_count, cell, taps = (0,) * n_color, (0,) * shrink, (0,) * (2 * radius + 1)

    def first_pass(first: int, last: int) -> None:
        gradient_band(
            *(planes, height, width, smooth, center, plane_count, cell, n_bins, margin),
            *(channels, magnitude, angle, first, last),
        )

    def second_pass(first: int, last: int) -> None:
        histogram_band(
            *(magnitude, angle, source_rows, source_columns, taps, constant),
            *(cell, (0,) * support, shares, channels[n_color:], first, last),
        )

    rows_per_band = max(1, ROWS_PER_BAND // shrink)
    run_bands(first_pass, n_rows, threads, rows_per_band)
    run_bands(second_pass, n_rows, threads, rows_per_band)
    if margin:
        compensate_borders(channels[n_color + 1 :])
    return channels


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
