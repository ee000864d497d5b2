"""FDDB's lists of annotated ellipses, image sizes and detections."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .box_files import read_detections
from .counted_blocks import Row, read_counted_blocks
from .fddb_faces import FddbDetections, FddbImage
from .image_names import ImageNames
from .input_records import BadRecords, EvaluationError, reason
from .views import UNKNOWN_VIEW, ViewSet

FOLD_PATTERN = re.compile(r"FDDB-fold-(\d+)-ellipseList\.txt")
ANNOTATED_LENGTH = 6
RECTANGLE_LENGTH, ELLIPSE_LENGTH = 5, 6
LARGEST_PIXEL = 1e6  # drawing uses fixed-point integers
BOX_SUFFIXES = (".json", ".jsonl", ".csv")


def read_fddb_annotations(
    path: Path, size_of: Callable[[str], tuple[int, int] | None], bad: BadRecords
) -> list[FddbImage]:
    """Read one ellipse list, or the folder of the ten folds.

    Parameters
    ----------
    path : Path
    size_of : callable
        Gives height and width of an image by its name, None if unknown.
    bad : BadRecords
        Receives malformed lines, and images without a size.

    Raises
    ------
    EvaluationError
        If there is no list, or an image is in two folds.
    """
    if path.is_dir():
        lists = sorted(file for file in path.iterdir() if FOLD_PATTERN.fullmatch(file.name))
        if not lists:
            raise EvaluationError(f"{path}: no file FDDB-fold-NN-ellipseList.txt in this folder")
    else:
        lists = [path]
    images: dict[str, FddbImage] = {}
    for file in lists:
        fold = FOLD_PATTERN.fullmatch(file.name)
        for block in read_counted_blocks(file, bad, (ANNOTATED_LENGTH,), "face"):
            if block.name in images:
                bad.add(file, block.line, f"image {block.name!r} occurs in another fold too")
                continue
            size = size_of(block.name)
            if size is None:
                bad.add(file, block.line, f"the size of image {block.name!r} is not known")
                continue
            ellipses = [row.values[:5] for row in block.rows if _is_drawable(file, row, bad)]
            images[block.name] = FddbImage(
                name=block.name,
                ellipses=np.array(ellipses).reshape(-1, 5),
                height=size[0],
                width=size[1],
                fold=int(fold[1]) if fold else None,
            )
    return list(images.values())


def _is_drawable(path: Path, row: Row, bad: BadRecords) -> bool:
    """Report rows with negative radii, or beyond what can be drawn."""
    if min(row.values[:2]) < 0:
        bad.add(
            path, row.line, f"found the radii {row.values[0]:g} and {row.values[1]:g}, expected none below 0"
        )
        return False
    if max(abs(value) for value in row.values[:5]) > LARGEST_PIXEL:
        bad.add(path, row.line, f"found {row.values}, expected pixels below {LARGEST_PIXEL:g}")
        return False
    return True


def read_image_sizes(path: Path, bad: BadRecords) -> dict[str, tuple[int, int]]:
    """Read lines ``name width height`` (a fold number may stand between) as height and width by name."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    sizes: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) not in (3, 4) or not all(field.isdecimal() and int(field) for field in fields[-2:]):
            bad.add(path, number, f"found {line.strip()!r}, expected `name width height` in pixels")
        elif fields[0] in sizes:
            bad.add(path, number, f"image {fields[0]!r} occurs twice")
        else:
            sizes[fields[0]] = int(fields[-1]), int(fields[-2])
    return sizes


def size_lookup(sizes: Mapping[str, tuple[int, int]]) -> Callable[[str], tuple[int, int] | None]:
    """Return a function that finds the size of an image by any spelling of its name."""
    listed = list(sizes)
    names = ImageNames(listed)

    def size_of(name: str) -> tuple[int, int] | None:
        index = names.find(name)
        return None if index is None else sizes[listed[index]]

    return size_of


def read_fddb_detections(
    path: Path, names: Sequence[str], view_set: ViewSet | None, bad: BadRecords
) -> tuple[FddbDetections, list[str]]:
    """Read a detection list of FDDB, or our JSON or csv.

    The rows of a list are rectangles, ``left top width height score``, or ellipses,
    ``ra rb theta cx cy score``; one file holds one kind.

    Parameters
    ----------
    path : Path
    names : sequence of str
        Of the annotated images.
    view_set : ViewSet, optional
        None does not read views.
    bad : BadRecords

    Returns
    -------
    detections : FddbDetections
    unlisted : list of str
        Annotated images that a JSON file does not list. In FDDB's own format they are bad records.
    """
    if not path.is_file():
        raise EvaluationError(f"{path}: no such file")
    if path.suffix.lower() in BOX_SUFFIXES:
        table, unlisted = read_detections(path, names, view_set, bad)
        return FddbDetections.from_boxes(table, len(names)), unlisted
    index = ImageNames(names)
    rows: dict[int, list[list[float]]] = {}
    length = 0
    for block in read_counted_blocks(path, bad, (RECTANGLE_LENGTH, ELLIPSE_LENGTH), "detection"):
        image = index.find(block.name)
        if image is None or image in rows:
            problem = "occurs twice" if image in rows else "is not in the ground truth"
            bad.add(path, block.line, f"image {block.name!r} {problem}")
            continue
        rows[image] = []
        for row in block.rows:
            length = length or len(row.values)
            if len(row.values) != length:
                bad.add(path, row.line, f"found {len(row.values)} numbers, but {length} in the rows before")
            elif _is_region(path, row, bad):
                rows[image].append(row.values)
    for image, name in enumerate(names):
        if image not in rows:
            bad.add(path, None, f"image {name!r} is missing (without detections it has the number 0)")
    return _detections([rows.get(image, []) for image in range(len(names))], length or RECTANGLE_LENGTH), []


def _is_region(path: Path, row: Row, bad: BadRecords) -> bool:
    if len(row.values) == ELLIPSE_LENGTH:
        return _is_drawable(path, row, bad)
    if min(row.values[2:4]) < 0:
        bad.add(
            path, row.line, f"found the size {row.values[2]:g} x {row.values[3]:g}, expected none below 0"
        )
        return False
    return True


def _detections(per_image: Sequence[list[list[float]]], length: int) -> FddbDetections:
    values = [np.array(rows, dtype=np.float64).reshape(-1, length) for rows in per_image]
    return FddbDetections(
        regions=[_corners(rows[:, :-1]) if length == RECTANGLE_LENGTH else rows[:, :-1] for rows in values],
        scores=[rows[:, -1] for rows in values],
        view_indices=[np.full(len(rows), UNKNOWN_VIEW) for rows in values],
    )


def _corners(rectangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``x1, y1, x2, y2`` of ``left, top, width, height``."""
    return np.hstack((rectangles[:, :2], rectangles[:, :2] + rectangles[:, 2:]))
