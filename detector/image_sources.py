"""The images that a command's SOURCE arguments stand for."""

from __future__ import annotations

import glob
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from .images import IMAGE_SUFFIXES, ImageError, read_image

VIDEO_SUFFIXES = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm"})


class SourceError(ValueError):
    """A SOURCE argument stands for no image."""


@dataclass(frozen=True)
class SourceImage:
    """An image that has not been read yet.

    Parameters
    ----------
    name : str
        The file as the user named it; a video's frame has its number after a "#".
    load : callable
        Returns (H, W, 3) uint8 RGB, or raises ImageError.
    """

    name: str
    load: Callable[[], NDArray[np.uint8]]


def source_images(
    sources: Iterable[str], standard_input: TextIO | None = None
) -> list[Iterator[SourceImage]]:
    """Resolve SOURCE arguments; what is missing is reported before any image is read.

    Parameters
    ----------
    sources : iterable of str
        Each an image file, a folder (searched recursively), a glob pattern, a video file, a camera's number, or
        "-" for a list of files on standard input, one a line.
    standard_input : text file, optional
        `sys.stdin` by default.

    Returns
    -------
    list of iterators of SourceImage
        One a source, in order; folders and globs sorted by name.

    Raises
    ------
    SourceError
        For a source without images, or of which no such file exists.
    """
    return [_images_of(source, standard_input or sys.stdin) for source in sources]


def is_video(source: str) -> bool:
    """Tell whether a source is a video file or a camera, whose frames have no end known beforehand."""
    path = Path(source)
    return (source.isdigit() and not path.exists()) or path.suffix.lower() in VIDEO_SUFFIXES


def _images_of(source: str, standard_input: TextIO) -> Iterator[SourceImage]:
    path = Path(source)
    if source == "-":
        return (_file(line.strip()) for line in standard_input if line.strip())
    if is_video(source):
        if not source.isdigit() and not path.is_file():
            raise SourceError(f"{source}: no such video file")
        return _frames(source)
    if path.is_dir():
        found = sorted(str(p) for p in path.rglob("*") if p.suffix.lower() in IMAGE_SUFFIXES and p.is_file())
        if not found:
            raise SourceError(f"{source}: the folder holds no image ({', '.join(sorted(IMAGE_SUFFIXES))})")
        return map(_file, found)
    if path.exists():
        return iter([_file(source)])
    if glob.has_magic(source):
        found = sorted(name for name in glob.glob(source, recursive=True) if Path(name).is_file())
        if not found:
            raise SourceError(f"{source}: the pattern matches no file")
        return map(_file, found)
    raise SourceError(f"{source}: no such file or folder")


def _file(name: str) -> SourceImage:
    return SourceImage(name, lambda: read_image(name))


def _frames(source: str) -> Iterator[SourceImage]:
    """Frames of a video or camera; read in order here, because a video cannot be read at random."""
    import cv2

    capture = cv2.VideoCapture(int(source) if source.isdigit() else source)
    try:
        if not capture.isOpened():
            raise SourceError(f"{source}: the video or camera cannot be opened")
        number = 0
        while True:
            ok, frame = capture.read()
            if not ok:
                break
            image = np.ascontiguousarray(frame[..., ::-1])
            yield SourceImage(f"{source}#{number:06d}", lambda image=image: image)  # type: ignore[misc]
            number += 1
        if not number:
            raise ImageError(f"{source}: the video has no readable frame")
    finally:
        capture.release()
