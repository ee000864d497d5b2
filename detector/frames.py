"""The single pictures of image sources: files that are still to be read, and decoded frames of videos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .image_sources import ImageSource
from .images import ImageError, read_image


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A picture to be searched.

    Parameters
    ----------
    name : str
        The file, for videos and cameras with ``#`` and the number of the frame, from 0.
    output_name : str
        Path without suffix for files that are written for this picture.
    pixels : (H, W, 3) uint8 RGB, optional
        None when the file is still to be read.
    error : str, optional
        Why there is no picture.
    """

    name: str
    output_name: str
    pixels: NDArray[np.uint8] | None = None
    error: str | None = None

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels.

        Raises
        ------
        ImageError
            When there are none.
        """
        if self.error is not None:
            raise ImageError(self.error)
        return self.pixels if self.pixels is not None else read_image(self.name)


def iterate_frames(source: ImageSource) -> Iterator[Frame]:
    """Yield the pictures of a source: one for an image, all frames of a video, endless ones of a camera."""
    if source.kind == "image" or source.error is not None:
        yield Frame(name=source.name, output_name=source.output_name, error=source.error)
    else:
        yield from _captured(source)


def _captured(source: ImageSource) -> Iterator[Frame]:
    import cv2

    error = None
    if source.kind == "video":
        try:
            with Path(source.name).open("rb"):
                pass
        except OSError as reason:
            error = f"{source.name}: cannot be read ({reason.strerror or reason})"
    index = 0
    if error is None:
        capture = cv2.VideoCapture(int(source.name) if source.kind == "camera" else source.name)
        try:
            while capture.isOpened():
                there_is_one, picture = capture.read()
                if not there_is_one:
                    break
                yield Frame(
                    name=f"{source.name}#{index}",
                    output_name=f"{source.output_name}_{index:06d}",
                    pixels=np.ascontiguousarray(picture[..., ::-1]),
                )
                index += 1
        finally:
            capture.release()
        if not index:
            error = f"camera {source.name}: gives no picture"
            if source.kind == "video":
                error = f"{source.name}: not a video of a known format, or damaged"
    if error is not None:
        yield Frame(name=source.name, output_name=source.output_name, error=error)
