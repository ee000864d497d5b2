"""FDDB (Jain and Learned-Miller, 2010): faces as ellipses, in ten folds.

``FDDB-fold-NN-ellipseList.txt`` has for each image a line with its name (without ``.jpg``), a line with the
number of faces and a line a face: ``major_radius minor_radius angle centre_x centre_y 1``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_file, first_folder, read_lines

FOLDS = tuple(range(1, 11))
LIST_NAME = "FDDB-fold-{fold:02d}-ellipseList.txt"
LIST_FOLDERS = ("FDDB-folds/", "")
IMAGE_FOLDERS = ("originalPics", "images")


@dataclass(frozen=True, kw_only=True)
class FddbOptions:
    """Which part of FDDB is read.

    Parameters
    ----------
    folds : tuple of int
        Among 1..10. The benchmark tests on all ten; to train on FDDB, leave the tested folds out.
    """

    folds: tuple[int, ...] = FOLDS

    def __post_init__(self) -> None:
        if not self.folds or not set(self.folds) <= set(FOLDS):
            raise ValueError(f"folds of FddbOptions must be among 1..10, found {self.folds}")


class FddbEllipse(NamedTuple):
    """A face.

    Parameters
    ----------
    major_radius, minor_radius : float
        Half lengths of the axes in pixels.
    angle : float
        Of the major axis from the horizontal, radians, y pointing down.
    centre_x, centre_y : float
        Pixels.
    """

    major_radius: float
    minor_radius: float
    angle: float
    centre_x: float
    centre_y: float

    def bounds(self) -> tuple[float, float, float, float]:
        """Return the corners of the smallest upright box around the ellipse."""
        cosine, sine = math.cos(self.angle), math.sin(self.angle)
        half_width = math.hypot(self.major_radius * cosine, self.minor_radius * sine)
        half_height = math.hypot(self.major_radius * sine, self.minor_radius * cosine)
        return (
            self.centre_x - half_width,
            self.centre_y - half_height,
            self.centre_x + half_width,
            self.centre_y + half_height,
        )


def read_fddb(folder: Path, options: FddbOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of FDDB, each face as the box around its ellipse, without view.

    Parameters
    ----------
    folder : Path
        Holds ``FDDB-folds`` and ``originalPics`` as published, or the lists and ``images`` directly.
    options : FddbOptions, optional

    Raises
    ------
    DatasetError
        If a fold's list is not found, a line is malformed, or an image occurs twice.
    """
    options = options or FddbOptions()
    images = first_folder(folder, IMAGE_FOLDERS)
    seen: set[str] = set()
    for fold in options.folds:
        name = LIST_NAME.format(fold=fold)
        path = find_file(folder, [place + name for place in LIST_FOLDERS], "FDDB ellipse list")
        for image, ellipses in read_ellipse_list(path):
            if image in seen:
                raise DatasetError(f"{path}: image {image!r} occurs twice")
            seen.add(image)
            boxes = tuple(AnnotatedBox(*face.bounds(), view=None, ignore=False) for face in ellipses)
            yield AnnotatedImage(images / f"{image}.jpg", boxes)


def read_ellipse_list(path: Path) -> Iterator[tuple[str, list[FddbEllipse]]]:
    """Yield each image's name and ellipses.

    Raises
    ------
    DatasetError
        For a malformed line.
    """
    lines = read_lines(path)
    while lines and not lines[-1]:
        lines.pop()
    position = 0
    while position < len(lines):
        name = lines[position]
        found = lines[position + 1] if position + 1 < len(lines) else "the end of the file"
        if not found.isdigit():
            raise DatasetError(
                f"{path}:{position + 2}: found {found!r}, expected the number of faces of {name!r}"
            )
        first, last = position + 2, position + 2 + int(found)
        yield name, [_ellipse(path, lines, row, name) for row in range(first, last)]
        position = last


def _ellipse(path: Path, lines: Sequence[str], row: int, name: str) -> FddbEllipse:
    found = lines[row] if row < len(lines) else "the end of the file"
    try:
        major, minor, angle, centre_x, centre_y, _ = (float(field) for field in found.split())
        ellipse = FddbEllipse(major, minor, angle, centre_x, centre_y)
        if not all(map(math.isfinite, ellipse)) or major <= 0 or minor <= 0:
            raise ValueError
    except ValueError:
        expected = f"`major_radius minor_radius angle centre_x centre_y 1` of a face of {name!r}"
        raise DatasetError(f"{path}:{row + 1}: found {found!r}, expected {expected}") from None
    return ellipse
