"""Kernels of the gradient and of its histograms, one pixel at a time."""

from __future__ import annotations

import numpy as np

from .compilation import kernel

# The magnitude of no gradient, and the greatest half-circle angle: both as in the reference.
NO_GRADIENT = np.float32(1e-10)
GREATEST_ANGLE = np.float32(np.pi - 1e-6)


@kernel
def strongest_gradient(planes, full, magnitude, orientation):  # type: ignore[no-untyped-def]
    """Magnitude and angle of the gradient of the plane where it is greatest, the first one on ties.

    Parameters
    ----------
    planes : (C, H, W) float32
    full : bool
        Angles in [0, 2 pi) instead of [0, pi).
    magnitude, orientation : (H, W) float32
        Output.
    """
    n_planes, height, width = planes.shape
    half_turn = np.float32(np.pi)
    for row in range(height):
        above, below = max(row - 1, 0), min(row + 1, height - 1)
        row_scale = np.float32(0.5) if below - above == 2 else np.float32(1)
        for column in range(width):
            left, right = max(column - 1, 0), min(column + 1, width - 1)
            column_scale = np.float32(0.5) if right - left == 2 else np.float32(1)
            best = np.float32(-1)
            best_horizontal = np.float32(0)
            best_vertical = np.float32(0)
            for plane in range(n_planes):
                horizontal = column_scale * (planes[plane, row, right] - planes[plane, row, left])
                vertical = row_scale * (planes[plane, below, column] - planes[plane, above, column])
                squared = horizontal * horizontal + vertical * vertical
                if squared > best:
                    best, best_horizontal, best_vertical = squared, horizontal, vertical
            magnitude[row, column] = max(np.sqrt(best), NO_GRADIENT)
            if best == 0:
                angle = np.float32(np.pi / 2)
            else:
                angle = np.arctan2(best_vertical, best_horizontal)
                if angle < 0:
                    angle += half_turn
                angle = min(angle, GREATEST_ANGLE)
            if full and best_vertical < 0:
                angle += half_turn
            orientation[row, column] = angle


@kernel
def accumulate_histogram(  # type: ignore[no-untyped-def]
    magnitude, orientation, bin_size, bins_per_radian, shares_bins, shares_cells, histogram
):
    """Add every pixel to the bins of its cell, or of its four nearest cells.

    Parameters
    ----------
    magnitude, orientation : (H, W) float32
    shares_bins, shares_cells : bool
        Linear interpolation between orientations, and between cells.
    histogram : (orientations, H // bin_size, W // bin_size) float32
        Zeros; output.
    """
    n_bins, n_rows, n_columns = histogram.shape
    half = np.float32(0.5)
    one = np.float32(1)
    inverse_size = one / np.float32(bin_size)
    for row in range(n_rows * bin_size):
        cell_row = row // bin_size
        row_share = np.float32(0)
        if shares_cells:
            position = (np.float32(row) + half) * inverse_size - half
            cell_row = int(np.floor(position))
            row_share = position - np.float32(cell_row)
        for column in range(n_columns * bin_size):
            cell_column = column // bin_size
            column_share = np.float32(0)
            if shares_cells:
                position = (np.float32(column) + half) * inverse_size - half
                cell_column = int(np.floor(position))
                column_share = position - np.float32(cell_column)

            angle = orientation[row, column] * bins_per_radian
            if shares_bins:
                low = int(angle)
                bin_share = angle - np.float32(low)
            else:
                low = int(angle + half)
                bin_share = np.float32(0)
            if low >= n_bins:
                low = 0
            high = low + 1 if low + 1 < n_bins else 0

            weight = magnitude[row, column] * inverse_size * inverse_size
            for down in range(2 if shares_cells else 1):
                y = cell_row + down
                if y < 0 or y >= n_rows:
                    continue
                row_weight = weight * (row_share if down else one - row_share)
                for across in range(2 if shares_cells else 1):
                    x = cell_column + across
                    if x < 0 or x >= n_columns:
                        continue
                    shared = row_weight * (column_share if across else one - column_share)
                    histogram[low, y, x] += shared * (one - bin_share)
                    if shares_bins:
                        histogram[high, y, x] += shared * bin_share
