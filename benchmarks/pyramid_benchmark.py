"""Feature pyramids of a 640x480 photograph against OpenCV's channels of one scale, one thread each.

python -m benchmarks.pyramid_benchmark [--repetitions 20] [--image FILE]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from badacost.features.channel_options import ChannelOptions
from badacost.features.channels import compute_channels
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


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
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
    print(format_table(f"Pyramids {width}x{height}", timings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
