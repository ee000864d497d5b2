"""Ground truth in csv, one row a face, and what goes with it: scales of image copies, lists of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .csv_records import CsvFile, box, number
from .ground_truth import FaceGroundTruth
from .input_records import BadRecords, EvaluationError, reason
from .views import UNKNOWN_VIEW, ViewSet

IGNORE_VIEW = "ignore"
TRUE_WORDS, FALSE_WORDS = ("1", "true", "yes"), ("0", "false", "no", "")


@dataclass
class _Faces:
    boxes: list[NDArray[np.float64]] = field(default_factory=list)
    ignored: list[bool] = field(default_factory=list)
    views: list[int] = field(default_factory=list)
    yaws: list[float] = field(default_factory=list)


def read_csv_annotations(path: Path, view_set: ViewSet, bad: BadRecords) -> list[FaceGroundTruth]:
    """Read faces from csv; images in the order of their first row.

    Columns: ``image`` (or ``file``), a box (see `csv_records.CsvFile`), and optionally ``ignore`` (0 or 1),
    ``view`` (or ``view_auto``: name or number of a view, ``ignore``, or empty) and ``yaw_deg`` (or
    ``yaw_deg_auto``). Without a view the yaw decides it. A row whose box fields are all empty stands for an
    image without faces.
    """
    table = CsvFile(path)
    image_column = table.column("image", "file")
    box_columns, corners = table.box_columns()
    ignore_column = table.optional_column("ignore")
    view_column = table.optional_column("view", "view_auto")
    yaw_column = table.optional_column("yaw_deg", "yaw_deg_auto")
    images: dict[str, _Faces] = {}
    for line, row in table.rows():
        try:
            name = row.get(image_column, "")
            if not name:
                raise ValueError("the image has no name")
            if "" not in row and all(not row[column] for column in box_columns):
                images.setdefault(name, _Faces())
                continue
            corners_of_face = box(row, box_columns, corners)
            view_name = row[view_column] if view_column else ""
            ignored = view_name == IGNORE_VIEW or (bool(ignore_column) and _flag(row, str(ignore_column)))
            yaw = number(row, yaw_column) if yaw_column and row[yaw_column] else math.nan
            view = UNKNOWN_VIEW if view_name == IGNORE_VIEW else view_set.index_of(view_name)
            if not view_name and not math.isnan(yaw):
                view = int(view_set.index_of_yaw(yaw))
        except ValueError as error:
            bad.add(path, line, str(error))
            continue
        faces = images.setdefault(name, _Faces())
        faces.boxes.append(corners_of_face)
        faces.ignored.append(ignored)
        faces.views.append(view)
        faces.yaws.append(yaw)
    return [
        FaceGroundTruth.create(
            name, faces.boxes, ignored=faces.ignored, view_indices=faces.views, yaws_deg=faces.yaws
        )
        for name, faces in images.items()
    ]


def _flag(row: dict[str, str], column: str) -> bool:
    word = row[column].lower()
    if word not in TRUE_WORDS + FALSE_WORDS:
        raise ValueError(f"column {column}: found {row[column]!r}, expected 0 or 1")
    return word in TRUE_WORDS


def read_scales(path: Path, bad: BadRecords) -> dict[str, float]:
    """Read ``image,scale_from_original``: size of each stored copy over the size of its original."""
    table = CsvFile(path)
    image_column = table.column("image")
    scale_column = table.column("scale_from_original")
    scales: dict[str, float] = {}
    for line, row in table.rows():
        try:
            scale = number(row, scale_column)
            if scale <= 0:
                raise ValueError(f"column {scale_column}: found {scale}, expected a positive number")
            if row[image_column] in scales:
                raise ValueError(f"image {row[image_column]!r} occurs twice")
        except ValueError as error:
            bad.add(path, line, str(error))
            continue
        scales[row[image_column]] = scale
    return scales


def read_image_list(path: Path) -> list[str]:
    """Read image names, one a line; empty lines are left out.

    Raises
    ------
    EvaluationError
        If the file cannot be read, or a name occurs twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    names: dict[str, int] = {}
    for line, text in enumerate(lines, start=1):
        name = text.strip()
        if not name:
            continue
        if name in names:
            raise EvaluationError(f"{path}:{line}: image {name!r} occurs twice, first in line {names[name]}")
        names[name] = line
    return list(names)


def with_listed_images(images: Sequence[FaceGroundTruth], names: Sequence[str]) -> list[FaceGroundTruth]:
    """Return the listed images in that order; those that were not annotated have no faces.

    Raises
    ------
    EvaluationError
        If an annotated image is not listed.
    """
    by_name = {image.name: image for image in images}
    unlisted = sorted(by_name.keys() - set(names))
    if unlisted:
        raise EvaluationError(f"the list of images lacks the annotated image {unlisted[0]!r}")
    return [by_name[name] if name in by_name else FaceGroundTruth.create(name, []) for name in names]


def with_images_beside(images: Sequence[FaceGroundTruth], path: Path) -> list[FaceGroundTruth]:
    """Add the images without faces that a list beside the annotation names.

    A missing list, or one that lacks annotated images and so belongs to other data, adds none.
    """
    if path.is_file():
        names = read_image_list(path)
        if {image.name for image in images} <= set(names):
            return with_listed_images(images, names)
    return list(images)
