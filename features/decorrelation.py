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

# Rows of results that a task makes.
ROWS_PER_BAND = 32

# Cells along a side of a filter for which the kernels have room.
LARGEST_SIDE = 61


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
        if (
            len(shape) != 4
            or 0 in shape
            or shape[2] != shape[3]
            or shape[2] % 2 == 0
            or shape[2] > LARGEST_SIDE
        ):
            raise ValueError(
                f"filters of DecorrelationFilters must have shape (filters, channels, s, s) "
                f"with s odd and at most {LARGEST_SIDE}, found {shape}"
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
        quantized = np.empty(self._filtered_shape(channels), np.uint8)
        self._fill(channels, np.empty((0, 0, 0), np.float32), scale, offset, quantized, threads)
        return quantized

    @cached_property
    def _grouped_taps(self) -> NDArray[np.float32]:
        """(groups, C, 4, s, s): the filters flipped, in the order of their application."""
        from .decorrelation_kernels import GROUP

        taps = self.filters[:, :, ::-1, ::-1]
        taps = np.pad(taps, ((0, -len(taps) % GROUP), (0, 0), (0, 0), (0, 0)))
        return np.ascontiguousarray(taps.reshape(-1, GROUP, *taps.shape[1:]).transpose(0, 2, 1, 3, 4))

    @cached_property
    def _grouped_mean_taps(self) -> NDArray[np.float32]:
        """The same for sums of 2 x 2 cells of which the mean is filtered."""
        return self._grouped_taps / np.float32(4 * NORMALIZATION)

    def _fill(
        self,
        channels: NDArray[np.float32],
        filtered: NDArray[np.float32],
        scale: NDArray[np.float32],
        offset: NDArray[np.float32],
        quantized: NDArray[np.uint8],
        threads: int,
    ) -> None:
        """Filter and halve planes into one of the two, the other being empty."""
        from .decorrelation_kernels import GROUP, PARITY, TILE, filter_and_halve, filter_and_halve_weighted

        n_filters, side = len(self.filters), self.filters.shape[2]
        output = (filtered, scale, offset, quantized)
        _, height, width = channels.shape
        if not channels.size:
            return
        if height % 2 == 0 and width % 2 == 0:

            def fill(first: int, last: int) -> None:
                scratch = _zeros((_ring(side), 2 * PARITY), 2 * PARITY + 2, GROUP * TILE)
                filter_and_halve(channels, self._grouped_mean_taps, n_filters, first, last, *output, *scratch)

        else:
            row_weights = _halving_weights(height) / np.float32(NORMALIZATION)
            column_weights = np.ascontiguousarray(_halving_weights(width).T)

            def fill(first: int, last: int) -> None:
                rows = _ring(side + 2), side * TILE
                scratch = _zeros(2 * PARITY, 3 * TILE, rows, side * TILE, GROUP * TILE)
                filter_and_halve_weighted(
                    *(channels, self._grouped_taps, n_filters, row_weights, column_weights),
                    *(first, last, *output, *scratch),
                )

        run_bands(fill, (height + 1) // 2, threads, ROWS_PER_BAND)

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


def _ring(rows: int) -> int:
    """Smallest power of two that is not below `rows`, which are kept modulo it."""
    return 1 << (rows - 1).bit_length()


def _zeros(*shapes: int | tuple[int, int]) -> list[NDArray[np.float32]]:
    return [np.zeros(shape, np.float32) for shape in shapes]


def _halving_weights(size: int) -> NDArray[np.float32]:
    """Weights of the cells 2 i - 1, 2 i and 2 i + 1 in cell `i` of the half, rounded up; (cells of the half, 3)."""
    cells, weights = axis_weights(size, (size + 1) // 2)
    place = cells[:, None] + np.arange(weights.shape[1]) - 2 * np.arange(len(cells))[:, None] + 1
    rows, taps = np.nonzero(weights)
    halving = np.zeros((len(cells), 3), np.float32)
    halving[rows, place[rows, taps]] = weights[rows, taps]
    return halving


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
