"""AFLW's reader on real SQLite databases with AFLW's schema."""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from badacost.training.datasets.aflw import AflwOptions, read_aflw
from badacost.training.datasets.annotated_image import AnnotatedImage, DatasetError

SCHEMA = """
CREATE TABLE Databases (db_id TEXT PRIMARY KEY, path TEXT, description TEXT);
CREATE TABLE FaceImages (image_id INTEGER PRIMARY KEY, db_id TEXT, file_id TEXT, filepath TEXT, bw INTEGER,
                         width INTEGER, height INTEGER);
CREATE TABLE Faces (face_id INTEGER PRIMARY KEY, file_id TEXT, db_id TEXT);
CREATE TABLE AnnotationType (annot_type_id INTEGER PRIMARY KEY, description TEXT, CODE TEXT);
CREATE TABLE FaceRect (face_id INTEGER, x INTEGER, y INTEGER, w INTEGER, h INTEGER, annot_type_id INTEGER);
CREATE TABLE FacePose (face_id INTEGER, roll REAL, pitch REAL, yaw REAL, annot_type_id INTEGER);
CREATE TABLE FaceEllipse (face_id INTEGER, x REAL, y REAL, ra REAL, rb REAL, theta REAL,
                          annot_type_id INTEGER, upsidedown INTEGER);
CREATE TABLE FaceMetaData (face_id INTEGER, sex TEXT, occluded INTEGER, glasses INTEGER, bw INTEGER,
                           annot_type_id INTEGER);
CREATE TABLE FeatureCoords (face_id INTEGER, feature_id INTEGER, x REAL, y REAL, annot_type_id INTEGER);
CREATE TABLE FeatureCoordTypes (feature_id INTEGER PRIMARY KEY, descr TEXT, code TEXT,
                                x REAL, y REAL, z REAL);
CREATE TABLE NearDuplicates (face_id INTEGER);
CREATE TABLE CamPose (face_id INTEGER, camYaw REAL, camPitch REAL, camRoll REAL, annot_type_id INTEGER);
INSERT INTO Databases VALUES ('flickr', 'flickr', 'photographs');
INSERT INTO AnnotationType VALUES (1, 'manual', 'm'), (2, 'computed', 'c');
"""

Execute = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two images, three faces: a plain one, one with two rectangles, one without pose."""
    (tmp_path / "aflw" / "data" / "flickr" / "0").mkdir(parents=True)
    with closing(sqlite3.connect(tmp_path / "aflw" / "data" / "aflw.sqlite")) as database:
        database.executescript(SCHEMA)
        for number in (1, 2):
            name = f"image0000{number}.jpg"
            row = (number, "flickr", name, f"0/{name}", 0, 640, 480)
            database.execute("INSERT INTO FaceImages VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        for face, image in ((11, 1), (12, 2), (13, 2)):
            database.execute("INSERT INTO Faces VALUES (?, ?, 'flickr')", (face, f"image0000{image}.jpg"))
        rectangles = [
            (11, 10, 20, 100, 100, 1),
            (12, 5, 5, 50, 50, 2),
            (12, -7, 8, 60, 60, 1),
            (13, 300, 50, 40, 40, 1),
        ]
        database.executemany("INSERT INTO FaceRect VALUES (?, ?, ?, ?, ?, ?)", rectangles)
        poses = [(11, math.radians(10), 0.1, math.radians(70), 1), (12, 0.0, 0.0, math.radians(-30), 1)]
        database.executemany("INSERT INTO FacePose VALUES (?, ?, ?, ?, ?)", poses)
        database.commit()
    return tmp_path


@pytest.fixture
def execute(folder: Path) -> Execute:
    """Return a function that changes the database."""

    def run(statement: str, *values: object) -> None:
        with closing(sqlite3.connect(folder / "aflw" / "data" / "aflw.sqlite")) as database:
            database.execute(statement, values)
            database.commit()

    return run


def faces(images: list[AnnotatedImage]) -> list[tuple[float, float, float, float, str | None, bool]]:
    return [(box.x1, box.y1, box.x2, box.y2, box.view, box.ignore) for image in images for box in image.boxes]


def test_boxes_views_and_paths(folder: Path) -> None:
    images = list(read_aflw(folder))
    assert [image.path for image in images] == [
        folder / "aflw" / "data" / "flickr" / "0" / f"image0000{number}.jpg" for number in (1, 2)
    ]
    # 70 degrees of AFLW point to the left of the image: the right profile.
    # Of two rectangles that of the first annotation type counts.
    assert faces(images) == [
        (10, 20, 110, 120, "right_profile", False),
        (-7, 8, 53, 68, "half_left", False),
        (300, 50, 340, 90, None, False),
    ]
    assert [len(image.boxes) for image in images] == [1, 2]


def test_yaw_sign_is_the_opposite_of_afw_unless_told(folder: Path) -> None:
    views = [face[4] for face in faces(list(read_aflw(folder, AflwOptions(yaw_sign=1))))]
    assert views == ["left_profile", "half_right", None]


@pytest.mark.parametrize(
    ("yaw_deg", "view"),
    [
        (60.1, "right_profile"),
        (59.9, "half_right"),
        (20.1, "half_right"),
        (19.9, "frontal"),
        (0.0, "frontal"),
        (-19.9, "frontal"),
        (-20.1, "half_left"),
        (-60.1, "left_profile"),
    ],
)
def test_view_limits(folder: Path, execute: Execute, yaw_deg: float, view: str) -> None:
    execute("UPDATE FacePose SET yaw = ? WHERE face_id = 11", math.radians(yaw_deg))
    assert next(read_aflw(folder)).boxes[0].view == view


@pytest.mark.parametrize(
    ("roll_deg", "ignore"), [(34.9, False), (35.1, True), (-34.9, False), (-35.1, True), (180, True)]
)
def test_roll_beyond_the_limit_is_ignored(
    folder: Path, execute: Execute, roll_deg: float, ignore: bool
) -> None:
    execute("UPDATE FacePose SET roll = ? WHERE face_id = 11", math.radians(roll_deg))
    assert next(read_aflw(folder)).boxes[0].ignore is ignore


def test_a_face_without_rectangle_is_ignored_at_its_ellipse(folder: Path, execute: Execute) -> None:
    execute("DELETE FROM FaceRect WHERE face_id = 13")
    execute("INSERT INTO FaceEllipse VALUES (13, 320, 70, 30, 20, 1.5, 1, 0)")
    assert faces(list(read_aflw(folder)))[2] == (290, 40, 350, 100, None, True)


@pytest.mark.parametrize("table_is_there", [True, False])
def test_an_image_with_an_unplaced_face_is_left_out_aloud(
    folder: Path, execute: Execute, caplog: pytest.LogCaptureFixture, table_is_there: bool
) -> None:
    execute("DELETE FROM FaceRect WHERE face_id = 13")
    if not table_is_there:
        execute("DROP TABLE FaceEllipse")
    with caplog.at_level(logging.WARNING):
        images = list(read_aflw(folder))
    assert [image.path.name for image in images] == ["image00001.jpg"]
    assert "1 images left out: a face has neither rectangle nor ellipse" in caplog.text


def test_gray_images_are_skipped_unless_told(folder: Path, execute: Execute) -> None:
    execute("UPDATE FaceImages SET bw = 1 WHERE image_id = 1")
    assert [image.path.name for image in read_aflw(folder)] == ["image00002.jpg"]
    assert len(list(read_aflw(folder, AflwOptions(skip_gray=False)))) == 2


def test_images_without_faces_are_no_negatives(folder: Path, execute: Execute) -> None:
    execute("DELETE FROM Faces WHERE face_id = 11")
    assert [image.path.name for image in read_aflw(folder)] == ["image00002.jpg"]


def test_column_order_and_case_do_not_matter(folder: Path, execute: Execute) -> None:
    expected = list(read_aflw(folder))
    execute("ALTER TABLE FaceRect RENAME TO old")
    execute("CREATE TABLE facerect AS SELECT annot_type_id, h, w, y, x, face_id FROM old")
    assert list(read_aflw(folder)) == expected


def test_without_annotation_types_the_first_rectangle_counts(folder: Path, execute: Execute) -> None:
    execute("ALTER TABLE FaceRect DROP COLUMN annot_type_id")
    assert faces(list(read_aflw(folder)))[1][:4] == (5, 5, 55, 55)


def test_what_cannot_be_read_is_named(folder: Path, execute: Execute, tmp_path: Path) -> None:
    execute("UPDATE FacePose SET yaw = NULL WHERE face_id = 12")
    with pytest.raises(
        DatasetError, match=r"aflw\.sqlite: FacePose of face 12 holds None, expected a finite number"
    ):
        list(read_aflw(folder))
    execute("ALTER TABLE FacePose RENAME COLUMN yaw TO heading")
    with pytest.raises(DatasetError, match="table FacePose has no column yaw"):
        list(read_aflw(folder))
    (folder / "aflw" / "data" / "aflw.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(DatasetError, match="is no readable SQLite database"):
        list(read_aflw(folder))
    (folder / "aflw" / "data" / "aflw.sqlite").unlink()
    with pytest.raises(DatasetError, match="found no AFLW database"):
        list(read_aflw(folder))
    with pytest.raises(DatasetError, match="no such folder"):
        list(read_aflw(tmp_path / "nowhere"))


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="yaw_sign of AflwOptions must be 1 or -1, found 2"):
        AflwOptions(yaw_sign=2)
    with pytest.raises(ValueError, match=r"max_roll_deg of AflwOptions must be in \(0, 180\], found 0"):
        AflwOptions(max_roll_deg=0)


def test_reading_leaves_the_database_alone(folder: Path) -> None:
    path = folder / "aflw" / "data" / "aflw.sqlite"
    before = path.read_bytes()
    list(read_aflw(folder))
    assert path.read_bytes() == before
    assert list(path.parent.glob("*-journal")) == []
