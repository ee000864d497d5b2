"""Covariance of neighbouring cells of a channel, and the filters that decorrelate them.

Nam, Dollár, Han, "Local Decorrelation for Improved Pedestrian Detection" (NIPS 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A window whose mean of a channel is not above this says little of the channel's covariance.
SMALLEST_MEAN = 1 / 50

# A filter whose taps sum to less than this has its sign from its largest tap instead.
SMALLEST_SUM = 1e-6


def local_covariance(windows: NDArray[np.float32], size: int) -> NDArray[np.float64]:
    """Covariance of the cells of a small patch, per channel, assuming it depends on their distance only.

    Parameters
    ----------
    windows : (n, C, h, w) float32
    size : int
        Side of the patch in cells.

    Returns
    -------
    (C, size**2, size**2) float64
        Cells of the patch in column-major order.

    Raises
    ------
    ValueError
        If there are no windows, or a window is smaller than ``2 * size - 1`` cells.

    Notes
    -----
    From the autocorrelation with periodic borders, by FFT (Wiener-Khinchin), of each window about the mean of all
    windows. Windows in which the channel is almost empty do not count, unless it is so in all of them.
    """
    if np.ndim(windows) != 4 or not len(windows):
        raise ValueError(
            f"windows of local_covariance must have shape (n, C, h, w) with n > 0, found {np.shape(windows)}"
        )
    _, n_channels, height, width = windows.shape
    if 2 * size - 1 > min(height, width):
        raise ValueError(
            f"size of local_covariance must fit twice into windows of {height} x {width}, found {size}"
        )
    patch = np.arange(size * size)
    rows, columns = patch % size, patch // size
    row_lags = rows[:, None] - rows[None]
    column_lags = columns[:, None] - columns[None]
    covariance = np.empty((n_channels, size * size, size * size))
    for channel in range(n_channels):
        values = np.asarray(windows[:, channel], np.float64)
        counted = values.mean(axis=(1, 2)) > SMALLEST_MEAN
        centered = values[counted if counted.any() else ...] - values.mean()
        spectrum = (np.abs(np.fft.rfft2(centered)) ** 2).mean(axis=0)
        matrix = np.fft.irfft2(spectrum, s=(height, width))[row_lags, column_lags]
        covariance[channel] = (matrix + matrix.T) / 2
    return covariance


def leading_filters(covariance: NDArray[np.float64], n_filters: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the greatest eigenvalues as kernels for true convolution.

    Parameters
    ----------
    covariance : (s**2, s**2) float64
        Of column-major patches.
    n_filters : int

    Returns
    -------
    (n_filters, s, s) float64
        Flipped in both axes, because convolution flips them again. The sign is such that the sum is positive
        (or else the largest tap), so that the same data give the same filters everywhere.
    """
    _, vectors = np.linalg.eigh(covariance)
    size = round(np.sqrt(len(covariance)))
    taps = vectors[:, ::-1][:, :n_filters].T
    sums = taps.sum(axis=1)
    largest = taps[np.arange(n_filters), np.abs(taps).argmax(axis=1)]
    signs = np.where(np.abs(sums) > SMALLEST_SUM, np.sign(sums), np.sign(largest))
    kernels = taps.reshape(n_filters, size, size).transpose(0, 2, 1)
    return kernels[:, ::-1, ::-1] * signs[:, None, None]
