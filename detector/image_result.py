"""A detector over many pictures: results in order, failures among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..features.threads import map_in_order
from .detections import Detections
from .frames import Frame
from .images import ImageError

Detect = Callable[[NDArray[np.uint8]], Detections]


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageResult:
    """What was found in a picture, or why it was not searched.

    Parameters
    ----------
    file : str
        As the user named it; see `Frame`.
    output_name : str
        Path without suffix for files that are written for this picture.
    pixels : (H, W, 3) uint8 RGB or None
        None when the picture cannot be read.
    detections : Detections or None
        None exactly when there is an error.
    error : str or None
    """

    file: str
    output_name: str
    pixels: NDArray[np.uint8] | None = None
    detections: Detections | None = None
    error: str | None = None

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width in pixels."""
        return None if self.pixels is None else (self.pixels.shape[0], self.pixels.shape[1])


def search_frames(detect: Detect, frames: Iterable[Frame], *, jobs: int = 1) -> Iterator[ImageResult]:
    """Yield the result of each frame, in order; a frame that fails does not stop the others.

    Parameters
    ----------
    detect : callable
        From pixels to detections, such as `Detector.detect`; called from `jobs` threads at once. Threads
        suffice, since the decoders and all kernels release the interpreter's lock.
    frames : iterable of Frame
    jobs : int
        Frames at a time; 0 = all cores.
    """
    return map_in_order(partial(_search, detect), frames, jobs)


def _search(detect: Detect, frame: Frame) -> ImageResult:
    pixels, found, error = None, None, None
    try:
        pixels = frame.read()
        found = detect(pixels)
    except ImageError as reason:
        error = str(reason)
    except MemoryError:
        size = "" if pixels is None else f" of {pixels.shape[1]}x{pixels.shape[0]} pixels"
        error = f"{frame.name}: not enough memory to search this image{size}"
    return ImageResult(
        file=frame.name, output_name=frame.output_name, pixels=pixels, detections=found, error=error
    )
