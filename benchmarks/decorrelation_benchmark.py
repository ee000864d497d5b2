"""LDCF filters of a level's channels against OpenCV's filter, one thread each.

python -m benchmarks.decorrelation_benchmark [--repetitions 30] [--size 320x240]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from badacost.features.decorrelation import DecorrelationFilters
from benchmarks.harness import Timing, format_table, measure


def decorrelation_benchmark(channels: NDArray[np.float32], *, repetitions: int = 30) -> list[Timing]:
    """Time four 5x5 filters a channel; ratios are to OpenCV's filters alone, on planes of the results' size.

    Parameters
    ----------
    channels : (C, h, w) float32
        Sides are even.
    repetitions : int
    """
    n_channels, height, width = channels.shape
    taps = np.random.default_rng(0).normal(size=(4, n_channels, 5, 5)).astype(np.float32)
    filters = DecorrelationFilters(taps)
    halved = np.ascontiguousarray(channels[:, ::2, ::2])
    scale, offset = np.full(4 * n_channels, 20, np.float32), np.full(4 * n_channels, -5, np.float32)
    odd = np.ascontiguousarray(channels[:, :-1, :-1])
    title = f"{4 * n_channels} x cv2.filter2D"
    return measure(
        {
            f"{title}, {width // 2}x{height // 2} planes": lambda: opencv_filters(halved, taps),
            f"{title}, {width}x{height} planes, and cv2.resize": lambda: opencv_filters_halved(
                channels, taps
            ),
            "filter and halve": lambda: filters.apply(channels),
            "filter, halve and quantise": lambda: filters.apply_quantized(channels, scale, offset),
            "filter and halve planes of odd sides": lambda: filters.apply(odd),
        },
        repetitions=repetitions,
    )


def opencv_filters(channels: NDArray[np.float32], taps: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Filter each channel by its filters, filter-major; zero outside.

    Parameters
    ----------
    channels : (C, h, w) float32
    taps : (n_filters, C, s, s) float32
        Kernels for true convolution.
    """
    return [
        cv2.filter2D(plane, -1, kernel[::-1, ::-1], borderType=cv2.BORDER_CONSTANT)
        for bank in taps
        for plane, kernel in zip(channels, bank, strict=True)
    ]


def opencv_filters_halved(channels: NDArray[np.float32], taps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Filter like `opencv_filters`, then average 2 x 2 cells."""
    size = channels.shape[2] // 2, channels.shape[1] // 2
    return np.stack(
        [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in opencv_filters(channels, taps)]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30, help="rounds, every variant once in each")
    parser.add_argument("--size", default="320x240", help="WIDTHxHEIGHT of the level in cells, even")
    arguments = parser.parse_args(argv)
    width, height = (int(side) // 2 * 2 for side in arguments.size.split("x"))
    channels = np.random.default_rng(0).random((10, height, width), np.float32)
    cv2.setNumThreads(1)
    timings = decorrelation_benchmark(channels, repetitions=arguments.repetitions)
    print(format_table(f"LDCF filters, {width}x{height} cells", timings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
