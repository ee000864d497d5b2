"""AFLW (Koestinger, Wohlhart, Roth, Bischof, ICCV workshops 2011): faces with pose in an SQLite database.

The rules for training are those of the BAdaCost paper's experiments, except that faces of a roll beyond the
limit are ignored, where the authors' script gives them the view of the face before.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..views import face_view_name
from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_file, first_folder

log = logging.getLogger("badacost.training")

DATABASES = ("aflw.sqlite", "data/aflw.sqlite", "aflw/data/aflw.sqlite")
IMAGE_FOLDERS = ("flickr", "data/flickr", "aflw/data/flickr", "images")
# Columns are selected by name: their order differs between releases.
NEEDED_COLUMNS = {
    "Faces": ("face_id", "file_id"),
    "FaceImages": ("file_id", "filepath"),
    "FaceRect": ("face_id", "x", "y", "w", "h"),
    "FacePose": ("face_id", "roll", "yaw"),
}
ELLIPSE_COLUMNS = ("face_id", "x", "y", "ra", "rb")


@dataclass(frozen=True, kw_only=True)
class AflwOptions:
    """How AFLW is read.

    Parameters
    ----------
    yaw_sign : {-1, 1}
        Sign that makes the yaw positive where the nose points to the right side of the image. AFLW's own yaw
        has the opposite sign of AFW's: the views of the detector that the paper's authors trained on it show
        so.
    max_roll_deg : float
        Faces of a roll outside ``[-max_roll_deg, max_roll_deg)`` are ignored; the paper's 35.
    skip_gray : bool
        Leave out images that the database marks as black and white, as the paper's authors did.
    """

    yaw_sign: int = -1
    max_roll_deg: float = 35.0
    skip_gray: bool = True

    def __post_init__(self) -> None:
        if self.yaw_sign not in (1, -1):
            raise ValueError(f"yaw_sign of AflwOptions must be 1 or -1, found {self.yaw_sign}")
        if not 0 < self.max_roll_deg <= 180:
            raise ValueError(f"max_roll_deg of AflwOptions must be in (0, 180], found {self.max_roll_deg}")


class _Rectangle(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class _Pose(NamedTuple):
    roll: float
    yaw: float


def read_aflw(folder: Path, options: AflwOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of AFLW that hold a face.

    * A face with several rectangles has the first one of the lowest annotation type.
    * A face without rectangle is ignored where its ellipse is; without an ellipse either nobody knows which
      part of the image is background, so the image is left out (and counted in the log).
    * A face without pose has no view.

    Parameters
    ----------
    folder : Path
        Holds ``aflw.sqlite`` and ``flickr``, directly or in ``data`` or ``aflw/data``.
    options : AflwOptions, optional

    Raises
    ------
    DatasetError
        If the database is not found, is none, lacks a table or column, or a value is no number.
    """
    options = options or AflwOptions()
    path = find_file(folder, DATABASES, "AFLW database")
    images = first_folder(folder, IMAGE_FOLDERS)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as database:
            yield from _read(database, path, images, options)
    except sqlite3.DatabaseError as error:
        raise DatasetError(f"{path}: is no readable SQLite database ({error})") from error


def _read(
    database: sqlite3.Connection, path: Path, images: Path, options: AflwOptions
) -> Iterator[AnnotatedImage]:
    for table, columns in NEEDED_COLUMNS.items():
        missing = [name for name in columns if name not in _columns(database, table)]
        if missing:
            raise DatasetError(f"{path}: table {table} has no column {', '.join(missing)}")
    rectangles = _rectangles(database, path)
    poses = _poses(database, path)
    ellipses = _ellipses(database, path)
    faces: dict[str, list[int]] = {}
    for face, file in database.execute("SELECT face_id, file_id FROM Faces ORDER BY face_id"):
        faces.setdefault(file, []).append(face)
    left_out = 0
    for file, image in _image_paths(database, options.skip_gray):
        found = faces.get(file, [])
        if any(face not in rectangles and face not in ellipses for face in found):
            left_out += 1
        elif found:
            boxes = (_annotated_box(face, rectangles, poses, ellipses, options) for face in found)
            yield AnnotatedImage(images / image, tuple(boxes))
    if left_out:
        log.warning("%s: %d images left out: a face has neither rectangle nor ellipse", path, left_out)


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table in lower case; none if there is no such table."""
    return {str(row[1]).lower() for row in database.execute(f"PRAGMA table_info({table})")}


def _image_paths(database: sqlite3.Connection, skip_gray: bool) -> Iterator[tuple[str, str]]:
    chosen = "WHERE bw IS NULL OR bw = 0" if skip_gray and "bw" in _columns(database, "FaceImages") else ""
    yield from database.execute(f"SELECT file_id, filepath FROM FaceImages {chosen} ORDER BY filepath")


def _rectangles(database: sqlite3.Connection, path: Path) -> dict[int, _Rectangle]:
    """Return one rectangle a face, those without area left out."""
    by_type = "annot_type_id" in _columns(database, "FaceRect")
    order = "annot_type_id IS NULL, annot_type_id, rowid" if by_type else "rowid"
    rows = database.execute(f"SELECT face_id, x, y, w, h FROM FaceRect ORDER BY face_id, {order}")
    found: dict[int, _Rectangle] = {}
    for face, *values in rows:
        rectangle = _Rectangle(*_numbers(path, "FaceRect", face, values))
        if rectangle.width > 0 and rectangle.height > 0:
            found.setdefault(face, rectangle)
    return found


def _poses(database: sqlite3.Connection, path: Path) -> dict[int, _Pose]:
    """Return roll and yaw of each face in degrees; the database holds radians."""
    found: dict[int, _Pose] = {}
    for face, *values in database.execute("SELECT face_id, roll, yaw FROM FacePose ORDER BY face_id, rowid"):
        roll, yaw = map(math.degrees, _numbers(path, "FacePose", face, values))
        found.setdefault(face, _Pose(roll, yaw))
    return found


def _ellipses(database: sqlite3.Connection, path: Path) -> dict[int, _Rectangle]:
    """Return for each face the upright square around its ellipse, whatever the ellipse's angle."""
    if not set(ELLIPSE_COLUMNS) <= _columns(database, "FaceEllipse"):
        return {}
    found: dict[int, _Rectangle] = {}
    for face, *values in database.execute("SELECT face_id, x, y, ra, rb FROM FaceEllipse ORDER BY rowid"):
        x, y, first, second = _numbers(path, "FaceEllipse", face, values)
        radius = max(first, second)
        if radius > 0:
            found.setdefault(face, _Rectangle(x - radius, y - radius, 2 * radius, 2 * radius))
    return found


def _numbers(path: Path, table: str, face: int, values: list[Any]) -> list[float]:
    for value in values:
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise DatasetError(f"{path}: {table} of face {face} holds {value!r}, expected a finite number")
    return [float(value) for value in values]


def _annotated_box(
    face: int,
    rectangles: dict[int, _Rectangle],
    poses: dict[int, _Pose],
    ellipses: dict[int, _Rectangle],
    options: AflwOptions,
) -> AnnotatedBox:
    rectangle = rectangles.get(face) or ellipses[face]
    pose = poses.get(face)
    view = None if pose is None else face_view_name(options.yaw_sign * pose.yaw)
    upright = pose is None or -options.max_roll_deg <= pose.roll < options.max_roll_deg
    return AnnotatedBox(
        rectangle.x,
        rectangle.y,
        rectangle.x + rectangle.width,
        rectangle.y + rectangle.height,
        view=view,
        ignore=face not in rectangles or not upright,
    )
