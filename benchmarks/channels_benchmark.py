"""Channels of a 640x480 photograph against the same channels composed of OpenCV's functions, one thread each.

python -m benchmarks.channels_benchmark [--repetitions 30] [--image FILE]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from badacost.features.channels import (
    ChannelOptions,
    channels_of_converted,
    composed_channels,
    compute_channels,
)
from badacost.features.color import convert_color
from benchmarks.harness import Timing, format_table, measure

CONFIGURATIONS = {
    "pedestrian (shrink 4, smoothed, hard cells)": ChannelOptions.pedestrian(),
    "BAdaCost (shrink 2, not smoothed, shared cells)": ChannelOptions.badacost(),
}


def channels_benchmark(
    image: NDArray[np.uint8], options: ChannelOptions, *, repetitions: int = 30
) -> list[Timing]:
    """Time the channels of one image; ratios are to the fused passes.

    Parameters
    ----------
    image : (H, W, 3) uint8
        RGB; what lies beyond the last whole cell is cut off before.
    options : ChannelOptions
        One of the two published configurations.
    repetitions : int
    """
    cv2.setNumThreads(1)
    height, width = (side // options.shrink * options.shrink for side in image.shape[:2])
    image = np.ascontiguousarray(image[:height, :width])
    planes = convert_color(image, options.color_space)
    return measure(
        {
            "fused passes": lambda: compute_channels(image, options),
            "fused passes, colours converted before": lambda: channels_of_converted(planes, options),
            "colour conversion alone": lambda: convert_color(image, options.color_space),
            "single steps, colours converted before": lambda: composed_channels(planes, options),
            "OpenCV composition": lambda: opencv_channels(image, options),
        },
        repetitions=repetitions,
    )


def opencv_channels(image: NDArray[np.uint8], options: ChannelOptions) -> NDArray[np.float32]:
    """Compute LUV channels by OpenCV's functions alone, in planes, as one would without kernels of one's own.

    Parameters
    ----------
    image : (H, W, 3) uint8
        RGB; sides are multiples of the shrink.
    options : ChannelOptions
        Of the two published configurations.
    """
    shrink, n_bins = options.shrink, options.orientations
    # Linear RGB to L*u*v*: like the reference, without undoing the image's gamma.
    luv = cv2.cvtColor(np.multiply(image, np.float32(1 / 255), dtype=np.float32), cv2.COLOR_LRGB2Luv)
    planes = [
        cv2.addWeighted(plane, 1 / 270, plane, 0, offset / 270)
        for plane, offset in zip(cv2.split(luv), (0, 88, 134), strict=True)
    ]
    if options.color_smooth:
        taps = np.array([1, 2, 1], np.float32) / 4
        planes = [cv2.sepFilter2D(plane, -1, taps, taps, borderType=cv2.BORDER_REFLECT) for plane in planes]

    across = np.array([[-0.5, 0, 0.5]], np.float32)
    best = [None, None, None]
    for plane in planes:
        horizontal = cv2.filter2D(plane, -1, across, borderType=cv2.BORDER_REPLICATE)
        vertical = cv2.filter2D(plane, -1, across.T, borderType=cv2.BORDER_REPLICATE)
        squared = cv2.add(cv2.multiply(horizontal, horizontal), cv2.multiply(vertical, vertical))
        if best[0] is None:
            best = [squared, horizontal, vertical]
            continue
        wins = cv2.compare(squared, best[0], cv2.CMP_GT)
        for kept, new in zip(best, (squared, horizontal, vertical), strict=True):
            cv2.copyTo(new, wins, kept)
    magnitude, angle = cv2.cartToPolar(best[1], best[2])
    radius = options.normalization_radius
    triangle = np.float32([*range(1, radius + 1), radius + 1, *range(radius, 0, -1)]) / (radius + 1) ** 2
    smooth = cv2.sepFilter2D(magnitude, -1, triangle, triangle, borderType=cv2.BORDER_REFLECT)
    magnitude = cv2.divide(magnitude, cv2.add(smooth, options.normalization_constant))

    # Angles of the full circle in bins of the half circle: bins b and b + n_bins are one.
    position = cv2.multiply(angle, n_bins / np.pi)
    wrapped = cv2.subtract(position, float(n_bins))
    cv2.copyTo(wrapped, cv2.compare(position, float(n_bins), cv2.CMP_GE), position)
    size = image.shape[1] // shrink, image.shape[0] // shrink
    channels = [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in (*planes, magnitude)]
    for b in range(n_bins):
        distance = cv2.absdiff(position, float(b))
        if b == 0:
            distance = cv2.min(distance, cv2.absdiff(position, float(n_bins)))
        share = cv2.threshold(cv2.subtract(1.0, distance), 0, 0, cv2.THRESH_TOZERO)[1]
        weight = cv2.multiply(magnitude, share)
        channels.append(_shared_cells(weight, shrink) if options.shares_cells else _hard_cells(weight, size))
    return np.stack(channels)


def _hard_cells(weight: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    return cv2.resize(weight, size, interpolation=cv2.INTER_AREA)


def _shared_cells(weight: NDArray[np.float32], shrink: int) -> NDArray[np.float32]:
    """Bilinear sharing: hat functions of 2 shrink pixels, here at every pixel and then one a cell."""
    taps = np.float32(1 - np.abs((np.arange(2 * shrink) + 0.5) / shrink - 1)) / shrink
    anchor = shrink // 2, shrink // 2
    shared = cv2.sepFilter2D(weight, -1, taps, taps, anchor=anchor, borderType=cv2.BORDER_CONSTANT)
    cells = np.ascontiguousarray(shared[::shrink, ::shrink])
    for edge in (0, -1):
        cells[edge] *= 8 / 7
        cells[:, edge] *= 8 / 7
    return cells


def main(argv: Sequence[str] | None = None) -> int:
    """Print one table a configuration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30, help="rounds, every variant once in each")
    parser.add_argument("--image", help="file to use instead of the photograph that scikit-image ships")
    parser.add_argument("--size", default="640x480", help="WIDTHxHEIGHT to which the image is resized")
    arguments = parser.parse_args(argv)
    width, height = (int(side) for side in arguments.size.split("x"))
    if arguments.image:
        image = cv2.cvtColor(cv2.imread(arguments.image), cv2.COLOR_BGR2RGB)
    else:
        from skimage.data import astronaut

        image = astronaut()
    image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    for name, options in CONFIGURATIONS.items():
        timings = channels_benchmark(image, options, repetitions=arguments.repetitions)
        print(format_table(f"Channels {arguments.size}, {name}", timings), end="\n\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
