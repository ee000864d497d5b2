"""From an image to the levels of features that a cascade is run over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..features.channel_options import ChannelOptions
from ..features.channels import compute_channels
from ..features.decorrelation import DecorrelationFilters
from ..features.pyramid import iterate_pyramid
from ..features.pyramid_levels import PyramidLevel, PyramidLevels
from ..features.pyramid_options import PyramidOptions
from ..features.pyramid_strips import LevelRows, can_be_cut, iterate_level_rows
from ..features.smoothing import convolve_triangle
from ..features.threads import available_threads, run_tasks

# Pixels of an image's largest level above which levels are made in strips: they would take more than a gigabyte.
LARGEST_WHOLE = 2**24
# Pixels of a level's image in a strip.
PIXELS_OF_STRIP = 2**22
# Pixels of a level's image up to which threads work on a level each; on a larger one they work together, so that there
# is memory for one only.
LARGEST_FOR_A_THREAD = 2**20

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Quantization:
    """The affine map of each feature plane to uint8: ``clip(rint((x - offset) * scale), 0, 255)``.

    Parameters
    ----------
    offset, scale : (C,) float32
    """

    offset: NDArray[np.float32]
    scale: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.offset.shape != self.scale.shape or self.offset.ndim != 1:
            raise ValueError(
                f"offset and scale of Quantization must be vectors of one length, "
                f"found shapes {self.offset.shape} and {self.scale.shape}"
            )
        if not (np.all(np.isfinite(self.offset)) and np.all(self.scale > 0)):
            raise ValueError("offset of Quantization must be finite and its scale positive")


@dataclass(frozen=True, eq=False)
class FeatureLevel:
    """One level of features, or a strip of its rows.

    Parameters
    ----------
    features : (C, h, w) uint8 or float32
        Padding included.
    scale : float
        Size of the level's image relative to the input.
    scale_y, scale_x : float
        Exact ratios of the sides, which positions are divided by.
    top : int
        Rows of the level above the strip.
    """

    features: NDArray
    scale: float
    scale_y: float
    scale_x: float
    top: int = 0


@dataclass(frozen=True, eq=False)
class FeaturePipeline:
    """How a detector turns an image into features; training and detection share one.

    Parameters
    ----------
    channels : ChannelOptions
    pyramid : PyramidOptions
    filters : DecorrelationFilters or None
        LDCF filters; they halve the resolution.
    quantization : Quantization or None
        None leaves the features float32.
    """

    channels: ChannelOptions
    pyramid: PyramidOptions
    filters: DecorrelationFilters | None = None
    quantization: Quantization | None = None

    @property
    def shrink(self) -> int:
        """Pixels of a level's image that one feature cell spans."""
        return self.channels.shrink * (2 if self.filters is not None else 1)

    @property
    def n_features(self) -> int:
        """Number of feature planes."""
        return self.channels.n_channels * (len(self.filters.filters) if self.filters is not None else 1)

    def levels(
        self,
        image: NDArray[np.uint8],
        *,
        pyramid: PyramidOptions | None = None,
        threads: int = 1,
        window_rows: int | None = None,
    ) -> Iterator[FeatureLevel]:
        """Yield the levels of an image, largest first.

        A level of a large image comes in strips if `window_rows` is given: those of a level have together the
        windows of the level, each window once. Memory is then that of the image and a strip. No level is approximated
        then, since that takes the whole of another one.

        Parameters
        ----------
        image : (H, W, 3) uint8 RGB
        pyramid : PyramidOptions, optional
            Other scales than the pipeline's own.
        threads : int
        window_rows : int, optional
            Rows of features that a window spans.
        """
        pyramid = pyramid or self.pyramid
        if window_rows and self._needs_strips(image, pyramid):
            pyramid = replace(pyramid, n_approximate=0)
            for rows in iterate_level_rows(image, self.channels, pyramid, threads=threads):
                yield from self._strips(rows, window_rows, threads)
            return
        for level in iterate_pyramid(image, self.channels, pyramid, threads=threads):
            yield self.level_of(level, threads=threads)

    def map_levels(
        self,
        function: Callable[[FeatureLevel, int], Result],
        image: NDArray[np.uint8],
        *,
        pyramid: PyramidOptions,
        window_rows: int,
        threads: int,
    ) -> list[Result]:
        """Apply a function to the levels, or strips, that `levels` yields, several levels at a time.

        Parameters
        ----------
        function : callable
            Of a level and the number of threads that it may use.
        image, pyramid, window_rows, threads
            As of `levels`.

        Returns
        -------
        list
            Results in the order of the levels.
        """
        threads = threads or available_threads()
        if threads == 1 or self._needs_strips(image, pyramid):
            levels = self.levels(image, pyramid=pyramid, threads=threads, window_rows=window_rows)
            return [function(level, threads) for level in levels]
        makers = PyramidLevels(image, self.channels, pyramid, threads)
        small = [index for index in makers.wanted if makers.pixels(index) <= LARGEST_FOR_A_THREAD]
        if len(small) < 2 * threads:
            small = []
        results: dict[int, Result] = {}

        def work(index: int, threads: int) -> None:
            level = self.level_of(makers.level(index, threads=threads), threads=threads)
            results[index] = function(level, threads)

        for index in makers.wanted[: len(makers.wanted) - len(small)]:
            makers.prepare([index])
            work(index, threads)
        makers.prepare(small)
        run_tasks([partial(work, index, 1) for index in small], threads)
        return [results[index] for index in makers.wanted]

    def _needs_strips(self, image: NDArray[np.uint8], pyramid: PyramidOptions) -> bool:
        pixels = image.shape[0] * image.shape[1] * 4 ** max(pyramid.octaves_up, 0)
        return pixels > LARGEST_WHOLE and can_be_cut(image, self.channels, replace(pyramid, n_approximate=0))

    def _strips(self, level: LevelRows, window_rows: int, threads: int) -> Iterator[FeatureLevel]:
        """Yield a level in strips that overlap by what windows need, and whole if its halves are no whole cells."""
        height, width = level.shape
        halved = 2 if self.filters is not None else 1
        n_rows = -(-height // halved)
        step = max(1, PIXELS_OF_STRIP // (width * self.channels.shrink * self.shrink))
        if height % halved or width % halved:
            step = n_rows
        for top in range(0, max(n_rows - window_rows + 1, 1), step):
            bottom = min(top + step + window_rows - 1, n_rows)
            features = self._rows(level, top, bottom, threads)
            yield FeatureLevel(features, level.scale, level.scale_y, level.scale_x, top)

    def _rows(self, level: LevelRows, top: int, bottom: int, threads: int) -> NDArray:
        """Features of some rows of a level; filters look at some more rows of channels."""
        if self.filters is None:
            return self.features_of_channels(level.channels(top, bottom), threads=threads)
        margin = self.filters.filters.shape[2]
        margin += margin % 2
        first, last = max(2 * top - margin, 0), min(2 * bottom + margin, level.shape[0])
        features = self.features_of_channels(level.channels(first, last), threads=threads)
        start = top - first // 2
        return np.ascontiguousarray(features[:, start : start + bottom - top])

    def level_of(self, level: PyramidLevel, *, threads: int = 1) -> FeatureLevel:
        """Filter and quantise a level of the pyramid."""
        features = self.features_of_channels(level.channels, threads=threads)
        return FeatureLevel(features, level.scale, level.scale_y, level.scale_x)

    def features_of_channels(self, channels: NDArray[np.float32], *, threads: int = 1) -> NDArray:
        """Filter and quantise the smoothed channels of a level or window."""
        if self.quantization is None:
            return self.filters.apply(channels, threads=threads) if self.filters is not None else channels
        offset, scale = self.quantization.offset, self.quantization.scale
        if self.filters is not None:
            return self.filters.apply_quantized(channels, scale, offset, threads=threads)
        from ..features.decorrelation import quantize

        return quantize(channels, scale, offset)

    def channels_of_patch(self, patch: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Smoothed channels of an image that is at the model's scale already (a training window)."""
        return convolve_triangle(compute_channels(patch, self.channels), self.pyramid.smooth)

    def window_of_patch(self, patch: NDArray[np.uint8], rows: int, columns: int) -> NDArray:
        """Features of the central window, `rows` x `columns` cells, of a patch with a margin around it.

        Where the margins differ by a cell, the larger one is at the end.
        """
        features = self.features_of_channels(self.channels_of_patch(patch))
        top, left = (features.shape[1] - rows) // 2, (features.shape[2] - columns) // 2
        if top < 0 or left < 0:
            raise ValueError(
                f"patch of {patch.shape[0]}x{patch.shape[1]} pixels is smaller than the window "
                f"of {rows}x{columns} cells"
            )
        return np.ascontiguousarray(features[:, top : top + rows, left : left + columns])
