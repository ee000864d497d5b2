"""Locally decorrelated channels (LDCF): filters learnt from windows, and their application."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bands import run_bands
from .resample import resample

# Windows with a channel darker than this on average say nothing of its covariance.
SMALLEST_MEAN = 1 / 50


@dataclass(frozen=True, eq=False)
class DecorrelationFilters:
    """Filters that decorrelate neighbouring cells of each channel.

    Parameters
    ----------
    filters : (n_filters, C, s, s) float32
        Kernels for true convolution, s odd.

    Notes
    -----
    Nam, Dollár, Han 2014, "Local decorrelation for improved pedestrian detection": filters are the leading
    eigenvectors of the local covariance. The filtered planes are halved, so that a cell spans twice as much.
    """

    filters: NDArray[np.float32]

    shrink_factor = 2

    def __post_init__(self) -> None:
        shape = self.filters.shape
        if len(shape) != 4 or shape[2] != shape[3] or shape[2] % 2 == 0:
            raise ValueError(
                f"filters of DecorrelationFilters must have shape (filters, channels, s, s) with s odd, found {shape}"
            )

    @classmethod
    def estimate(
        cls, windows: NDArray[np.float32], *, size: int = 5, n_filters: int = 4
    ) -> DecorrelationFilters:
        """Learn the filters from windows of channels.

        Parameters
        ----------
        windows : (n, C, h, w) float32
        size : int
            Side of the filters, odd and at most half of the windows' smaller side.
        n_filters : int
            Filters a channel.
        """
        covariance = local_covariance(windows, size)
        filters = np.stack([leading_filters(matrix, n_filters) for matrix in covariance], axis=1)
        return cls(filters.astype(np.float32))

    @property
    def n_planes(self) -> int:
        """Number of filtered planes."""
        return self.filters.shape[0] * self.filters.shape[1]

    def apply(self, channels: NDArray[np.float32], *, threads: int = 1) -> NDArray[np.float32]:
        """Filter and halve.

        Parameters
        ----------
        channels : (C, h, w) float32
        threads : int

        Returns
        -------
        (n_filters * C, round(h / 2), round(w / 2)) float32
            Filter-major: plane ``filter * C + channel``.
        """
        _, height, width = self._checked(channels)
        if height % 2 or width % 2:
            return self._filter_then_halve(channels, threads)
        from .decorrelation_kernels import filter_and_halve

        phases, folded = self._phases(channels), self.folded()
        filtered = np.empty((self.n_planes, height // 2, width // 2), np.float32)
        run_bands(lambda a, b: filter_and_halve(phases, folded, a, b, filtered), height // 2, threads)
        return filtered

    def apply_quantized(
        self,
        channels: NDArray[np.float32],
        scale: NDArray[np.float32],
        offset: NDArray[np.float32],
        *,
        threads: int = 1,
    ) -> NDArray[np.uint8]:
        """Filter, halve and map each plane to uint8: ``clip((x - offset) * scale, 0, 255)``, rounded.

        Parameters
        ----------
        channels : (C, h, w) float32
        scale, offset : (n_filters * C,) float32
        threads : int

        Returns
        -------
        (n_filters * C, round(h / 2), round(w / 2)) uint8
        """
        _, height, width = self._checked(channels)
        if height % 2 or width % 2:
            return quantize(self._filter_then_halve(channels, threads), scale, offset)
        from .decorrelation_kernels import filter_halve_and_quantize

        phases, folded = self._phases(channels), self.folded()
        filtered = np.empty((self.n_planes, height // 2, width // 2), np.uint8)
        run_bands(
            lambda a, b: filter_halve_and_quantize(phases, folded, scale, offset, a, b, filtered),
            height // 2,
            threads,
        )
        return filtered

    def folded(self) -> NDArray[np.float32]:
        """(n_filters, C, s + 1, s + 1) kernels that filter and average 2 x 2 results in one step."""
        n_filters, n_channels, size, _ = self.filters.shape
        correlation = self.filters[:, :, ::-1, ::-1].astype(np.float64) / (4 * (1 + 1e-6) ** 2)
        folded = np.zeros((n_filters, n_channels, size + 1, size + 1))
        for row in (0, 1):
            for column in (0, 1):
                folded[:, :, row : row + size, column : column + size] += correlation
        return folded.astype(np.float32)

    def _phases(self, channels: NDArray[np.float32]) -> NDArray[np.float32]:
        """(C, h + s - 1, 2, (w + s - 1) / 2): even and odd columns of the planes with a border of zeros."""
        n_channels, height, width = channels.shape
        margin = self.filters.shape[2] // 2
        columns = (width + 2 * margin) // 2
        phases = np.zeros((n_channels, height + 2 * margin, 2, columns), np.float32)
        inner = phases[:, margin : margin + height]
        for phase in (0, 1):
            # Column x of the image is column x + margin of the padded one.
            first = (phase - margin) % 2
            start = (first + margin) // 2
            count = len(range(first, width, 2))
            inner[:, :, phase, start : start + count] = channels[:, :, first::2]
        return phases

    def _filter_then_halve(self, channels: NDArray[np.float32], threads: int) -> NDArray[np.float32]:
        """The two steps one after the other, for planes whose halves are no whole cells."""
        import cv2

        _, height, width = channels.shape
        filtered = np.empty((*self.filters.shape[:2], height, width), np.float32)
        for index, bank in enumerate(self.filters):
            for channel, kernel in enumerate(bank):
                # filter2D correlates, so the kernel is flipped.
                flipped = np.ascontiguousarray(kernel[::-1, ::-1])
                cv2.filter2D(
                    channels[channel],
                    -1,
                    flipped,
                    dst=filtered[index, channel],
                    borderType=cv2.BORDER_CONSTANT,
                )
        half = (height + 1) // 2, (width + 1) // 2
        return resample(filtered.reshape(-1, height, width), *half, threads=threads)

    def _checked(self, channels: NDArray[np.float32]) -> tuple[int, int, int]:
        if channels.ndim != 3 or len(channels) != self.filters.shape[1]:
            raise ValueError(
                f"channels of DecorrelationFilters must have {self.filters.shape[1]} planes, found shape {channels.shape}"
            )
        return channels.shape


def quantize(
    channels: NDArray[np.float32], scale: NDArray[np.float32], offset: NDArray[np.float32]
) -> NDArray[np.uint8]:
    """Map each plane to uint8: ``clip((x - offset) * scale, 0, 255)``, rounded to nearest.

    Parameters
    ----------
    channels : (C, h, w) float32
    scale, offset : (C,) float32
    """
    mapped = (channels - offset[:, None, None]) * scale[:, None, None]
    return (np.clip(mapped, 0, 255) + np.float32(0.5)).astype(np.uint8)


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

    Notes
    -----
    From the autocorrelation with periodic borders, by FFT, of windows whose channel is not almost empty.
    """
    windows = np.asarray(windows, np.float64)
    n, n_channels, height, width = windows.shape
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
        values = windows[:, channel]
        centered = values - values.mean()
        bright = values.mean(axis=(1, 2)) > SMALLEST_MEAN
        spectra = np.abs(np.fft.rfft2(centered[bright])) ** 2
        correlation = np.fft.irfft2(spectra.sum(axis=0) / max(int(bright.sum()), 1), s=(height, width))
        matrix = correlation[row_lags, column_lags]
        covariance[channel] = (matrix + matrix.T) / 2
    return covariance


def leading_filters(covariance: NDArray[np.float64], n_filters: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the greatest eigenvalues as kernels for true convolution.

    Parameters
    ----------
    covariance : (s**2, s**2) float64
        Column-major patches.
    n_filters : int

    Returns
    -------
    (n_filters, s, s) float64
        Flipped in both axes, because convolution flips them again. The sign is such that the sum is positive
        (or else the largest entry), so that the same data give the same filters everywhere.
    """
    _, vectors = np.linalg.eigh(covariance)
    size = round(np.sqrt(len(covariance)))
    kernels = vectors[:, ::-1][:, :n_filters].T.reshape(n_filters, size, size).transpose(0, 2, 1)
    sums = kernels.sum(axis=(1, 2))
    largest = np.take_along_axis(
        kernels.reshape(n_filters, -1), np.abs(kernels).reshape(n_filters, -1).argmax(1)[:, None], 1
    )[:, 0]
    signs = np.where(np.abs(sums) > 1e-6, np.sign(sums), np.sign(largest))
    return kernels[:, ::-1, ::-1] * signs[:, None, None]
