"""Locally decorrelated channels (LDCF): filters learnt from windows, and their application.

Nam, Dollár, Han, "Local Decorrelation for Improved Pedestrian Detection" (NIPS 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands
from .local_covariance import leading_filters, local_covariance
from .resample import NORMALIZATION, axis_weights

# Rows of results that a task makes: few enough for its source rows to stay in the cache.
ROWS_PER_BAND = 24

# The kernel for means of whole blocks has room for filters of this size.
LARGEST_IN_BLOCKS = 15


@dataclass(frozen=True, eq=False)
class DecorrelationFilters:
    """Filters that decorrelate neighbouring cells of each channel.

    Parameters
    ----------
    filters : (n_filters, C, s, s) float32
        Kernels for true convolution, s odd.

    Raises
    ------
    ValueError
        If the shape is another.

    Notes
    -----
    The filters are the leading eigenvectors of the local covariance. The filtered planes are halved, so that a
    cell spans twice as much.
    """

    filters: NDArray[np.float32]

    shrink_factor = 2

    def __post_init__(self) -> None:
        shape = np.shape(self.filters)
        if len(shape) != 4 or 0 in shape or shape[2] != shape[3] or shape[2] % 2 == 0:
            raise ValueError(
                f"filters of DecorrelationFilters must have shape (filters, channels, s, s) with s odd, found {shape}"
            )
        object.__setattr__(self, "filters", np.ascontiguousarray(self.filters, np.float32))

    @classmethod
    def estimate(
        cls, windows: NDArray[np.float32], *, size: int = 5, n_filters: int = 4
    ) -> DecorrelationFilters:
        """Learn the filters from windows of channels.

        Parameters
        ----------
        windows : (n, C, h, w) float32
        size : int
            Side of the filters in cells, odd and at most half of the windows' smaller side.
        n_filters : int
            Filters a channel, at most ``size**2``.

        Raises
        ------
        ValueError
            If there are no windows, they are too small for the size, or the numbers are out of their range.
        """
        if size < 1 or size % 2 == 0:
            raise ValueError(f"size of DecorrelationFilters.estimate must be odd and positive, found {size}")
        if not 1 <= n_filters <= size**2:
            raise ValueError(
                f"n_filters of DecorrelationFilters.estimate must be in [1, {size**2}] (size {size}), found {n_filters}"
            )
        covariance = local_covariance(windows, size)
        filters = np.stack([leading_filters(matrix, n_filters) for matrix in covariance], axis=1)
        return cls(filters.astype(np.float32))

    @property
    def n_planes(self) -> int:
        """Number of filtered planes."""
        return self.filters.shape[0] * self.filters.shape[1]

    def apply(self, channels: NDArray[np.float32], *, threads: int = 1) -> NDArray[np.float32]:
        """Filter by true convolution, zero outside, and halve.

        Parameters
        ----------
        channels : (C, h, w) float32
        threads : int
            At most so many threads (0 = all); the result does not depend on it.

        Returns
        -------
        (n_filters * C, (h + 1) // 2, (w + 1) // 2) float32
            Filter-major: plane ``filter * C + channel``. Odd sides are resampled to the half, rounded up.

        Raises
        ------
        ValueError
            If there are not as many channels as the filters are for.
        """
        channels = self._checked(channels)
        filtered = np.empty(self._filtered_shape(channels), np.float32)
        if not filtered.size:
            return filtered
        if not self._has_whole_blocks(channels):
            self._fill_resampled(channels, filtered, threads)
            return filtered
        nothing = np.empty(0, np.float32)
        self._fill(channels, filtered, nothing, nothing, np.empty((0, 0, 0), np.uint8), threads)
        return filtered

    def apply_quantized(
        self,
        channels: NDArray[np.float32],
        scale: NDArray[np.float32],
        offset: NDArray[np.float32],
        *,
        threads: int = 1,
    ) -> NDArray[np.uint8]:
        """Filter, halve and map each plane to uint8: ``clip(rint((x - offset) * scale), 0, 255)``.

        Parameters
        ----------
        channels : (C, h, w) float32
        scale, offset : (n_filters * C,) float32
        threads : int
            At most so many threads (0 = all); the result does not depend on it.

        Returns
        -------
        (n_filters * C, (h + 1) // 2, (w + 1) // 2) uint8

        Raises
        ------
        ValueError
            If there are not as many channels as the filters are for, or not one scale and offset a plane.
        """
        channels = self._checked(channels)
        scale, offset = _checked_map(scale, offset, self.n_planes)
        if not self._has_whole_blocks(channels):
            return quantize(self.apply(channels, threads=threads), scale, offset, threads=threads)
        quantized = np.empty(self._filtered_shape(channels), np.uint8)
        self._fill(channels, np.empty((0, 0, 0), np.float32), scale, offset, quantized, threads)
        return quantized

    @cached_property
    def _grouped_taps(self) -> NDArray[np.float32]:
        """(groups, C, 4, s, s): the filters flipped, for means of 2 x 2 cells, in the order of their application."""
        from .decorrelation_kernels import GROUP

        taps = self.filters[:, :, ::-1, ::-1] / np.float32(4 * NORMALIZATION)
        taps = np.pad(taps, ((0, -len(taps) % GROUP), (0, 0), (0, 0), (0, 0)))
        return np.ascontiguousarray(taps.reshape(-1, GROUP, *taps.shape[1:]).transpose(0, 2, 1, 3, 4))

    def _has_whole_blocks(self, channels: NDArray[np.float32]) -> bool:
        """Whether each result is the mean of 2 x 2 cells."""
        _, height, width = channels.shape
        return height % 2 == 0 and width % 2 == 0 and self.filters.shape[2] <= LARGEST_IN_BLOCKS

    def _fill(
        self,
        channels: NDArray[np.float32],
        filtered: NDArray[np.float32],
        scale: NDArray[np.float32],
        offset: NDArray[np.float32],
        quantized: NDArray[np.uint8],
        threads: int,
    ) -> None:
        """Filter and halve planes of even sides into one of the two, the other being empty."""
        from .decorrelation_kernels import filter_and_halve

        taps, n_filters = self._grouped_taps, len(self.filters)

        def fill(first: int, last: int) -> None:
            filter_and_halve(channels, taps, n_filters, first, last, filtered, scale, offset, quantized)

        run_bands(fill, channels.shape[1] // 2, threads, ROWS_PER_BAND)

    def _fill_resampled(
        self, channels: NDArray[np.float32], filtered: NDArray[np.float32], threads: int
    ) -> None:
        """Filter and resample planes whose halves are no whole cells."""
        from .decorrelation_kernels import filter_and_mix_rows
        from .resample_kernels import ROWS, resample_rows

        _, height, width = channels.shape
        n_planes, n_rows, n_columns = filtered.shape
        rows, columns = axis_weights(height, n_rows), axis_weights(width, n_columns)
        row_weights = rows.weights / np.float32(NORMALIZATION)
        first_column = columns.first.astype(np.uint64)
        correlation = np.ascontiguousarray(self.filters[:, :, ::-1, ::-1])

        def fill(first: int, last: int) -> None:
            count = last - first
            mixed = np.empty((n_planes, count, width), np.float32)
            filter_and_mix_rows(channels, correlation, rows.first, row_weights, first, last, mixed)
            halved = np.empty((n_planes, count, n_columns), np.float32)
            each_row, one = np.arange(count), np.ones((count, 1), np.float32)
            lines = np.zeros((ROWS, width), np.float32)
            resample_rows(mixed, each_row, one, first_column, columns.weights, 0, count, lines, halved, 0)
            filtered[:, first:last] = halved

        run_bands(fill, n_rows, threads, ROWS_PER_BAND)

    def _filtered_shape(self, channels: NDArray[np.float32]) -> tuple[int, int, int]:
        _, height, width = channels.shape
        return self.n_planes, (height + 1) // 2, (width + 1) // 2

    def _checked(self, channels: NDArray[np.float32]) -> NDArray[np.float32]:
        if np.ndim(channels) != 3 or len(channels) != self.filters.shape[1]:
            raise ValueError(
                f"channels of DecorrelationFilters must have {self.filters.shape[1]} planes, "
                f"found shape {np.shape(channels)}"
            )
        return np.ascontiguousarray(channels, np.float32)


def quantize(
    channels: NDArray[np.float32],
    scale: NDArray[np.float32],
    offset: NDArray[np.float32],
    *,
    threads: int = 1,
) -> NDArray[np.uint8]:
    """Map each plane to uint8: ``clip(rint((x - offset) * scale), 0, 255)``.

    Parameters
    ----------
    channels : (C, h, w) float32
    scale, offset : (C,) float32
    threads : int
        At most so many threads (0 = all); the result does not depend on it.

    Returns
    -------
    (C, h, w) uint8

    Raises
    ------
    ValueError
        If there is not one scale and offset a plane.
    """
    from .decorrelation_kernels import quantize_rows

    channels = np.ascontiguousarray(channels, np.float32)
    scale, offset = _checked_map(scale, offset, len(channels))
    quantized = np.empty(channels.shape, np.uint8)

    def fill(first: int, last: int) -> None:
        quantize_rows(channels, scale, offset, first, last, quantized)

    run_bands(fill, channels.shape[1], threads)
    return quantized


def _checked_map(
    scale: NDArray[np.float32], offset: NDArray[np.float32], n_planes: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Fix type and contiguity of an affine map of planes."""
    scale, offset = np.ascontiguousarray(scale, np.float32), np.ascontiguousarray(offset, np.float32)
    if scale.shape != (n_planes,) or offset.shape != (n_planes,):
        raise ValueError(
            f"scale and offset must have one value for each of {n_planes} planes, "
            f"found shapes {scale.shape} and {offset.shape}"
        )
    return scale, offset
