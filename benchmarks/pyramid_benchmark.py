"""Feature pyramids of a 640x480 photograph, and LDCF filters, against OpenCV's functions, one thread each.

python -m benchmarks.pyramid_benchmark [--repetitions 20] [--image FILE]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from badacost.features.channels import ChannelOptions, compute_channels
from badacost.features.decorrelation import DecorrelationFilters
from badacost.features.pyramid import PyramidOptions, compute_pyramid
from benchmarks.channels_benchmark import opencv_channels
from benchmarks.harness import Timing, format_table, measure

FAST = PyramidOptions(min_size=(40, 40), lambdas=(0.0, 0.1158, 0.1158))
ALL_COMPUTED = replace(FAST, n_approximate=0)
# That of the face and car detectors: every level computed, its sides whole in LDCF cells.
DETECTOR = replace(ALL_COMPUTED, pad=(16, 16), multiple=4)


def pyramid_benchmark(image: NDArray[np.uint8], *, repetitions: int = 20) -> list[Timing]:
    """Time pyramids of one image; ratios are to OpenCV's channels of the image at its own size alone.

    Parameters
    ----------
    image : (H, W, 3) uint8
        RGB, sides multiples of 4.
    repetitions : int
    """
    pedestrian, badacost = ChannelOptions.pedestrian(), ChannelOptions.badacost()
    return measure(
        {
            "OpenCV composition, shrink 4, one scale": lambda: opencv_channels(image, pedestrian),
            "channels, shrink 4, one scale": lambda: compute_channels(image, pedestrian),
            "fast pyramid, shrink 4": lambda: compute_pyramid(image, pedestrian, FAST),
            "pyramid of computed levels, shrink 4": lambda: compute_pyramid(image, pedestrian, ALL_COMPUTED),
            "fast pyramid, shrink 2": lambda: compute_pyramid(image, badacost, FAST),
            "pyramid of the detectors, shrink 2": lambda: compute_pyramid(image, badacost, DETECTOR),
        },
        repetitions=repetitions,
    )


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
    """Print one table for pyramids, one for filters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20, help="rounds, every variant once in each")
    parser.add_argument("--image", help="file to use instead of the photograph that scikit-image ships")
    parser.add_argument("--size", default="640x480", help="WIDTHxHEIGHT to which the image is resized")
    arguments = parser.parse_args(argv)
    width, height = (int(side) // 4 * 4 for side in arguments.size.split("x"))
    if arguments.image:
        image = cv2.cvtColor(cv2.imread(arguments.image), cv2.COLOR_BGR2RGB)
    else:
        from skimage.data import astronaut

        image = astronaut()
    image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    cv2.setNumThreads(1)
    timings = pyramid_benchmark(image, repetitions=arguments.repetitions)
    print(format_table(f"Pyramids {width}x{height}", timings), end="\n\n")
    channels = compute_channels(image, ChannelOptions.badacost())
    timings = decorrelation_benchmark(channels, repetitions=arguments.repetitions)
    print(format_table(f"LDCF filters, {channels.shape[2]}x{channels.shape[1]} cells", timings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
