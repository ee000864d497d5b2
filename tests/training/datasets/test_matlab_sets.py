"""AFW and PASCAL Faces: real MATLAB files made here, and the published ones."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from badacost.training.datasets.afw import AfwOptions, read_afw, read_posed_faces
from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.pascal_faces import PascalFacesOptions, read_pascal_faces


def cell(*items: Any) -> np.ndarray[Any, Any]:
    """Return a MATLAB cell row."""
    row = np.empty((1, len(items)), dtype=object)
    for index, item in enumerate(items):
        row[0, index] = item
    return row


def save_anno(path: Path, images: list[tuple[str, list[Any], list[Any]]]) -> None:
    """Write `anno` as AFW has it: a cell of name, boxes, poses and landmarks."""
    anno = np.empty((len(images), 4), dtype=object)
    for index, (name, boxes, poses) in enumerate(images):
        landmarks = [np.full((6, 2), np.nan)] * len(boxes)
        anno[index] = [name, cell(*boxes), cell(*poses), cell(*landmarks)]
    savemat(path, {"anno": anno})


def save_struct(path: Path, images: list[tuple[str, Any]]) -> None:
    """Write `Annotations` as the corrected files have it."""
    fields = [("imgname", object), ("imgsize", object), ("objects", object), ("flags", object)]
    records = np.empty((len(images), 1), dtype=fields)
    for index, (name, objects) in enumerate(images):
        records[index, 0] = (name, np.array([[480], [640], [3]], dtype=np.uint16), objects, np.zeros((1, 1)))
    savemat(path, {"Annotations": records})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "testimages").mkdir()
    first = [np.array([[11, 21], [111, 121]], dtype=np.uint8), np.array([[201.5, 31], [231.5, 61]])]
    poses = [np.array([[75, 0, 15]], dtype=np.uint8), np.array([[-30, 0, -45]], dtype=np.int16)]
    save_anno(tmp_path / "anno.mat", [("1.jpg", first, poses), ("2.jpg", first[:1], [np.array([[0, 0, 0]])])])
    return tmp_path


def test_boxes_from_small_integer_types_and_views(folder: Path) -> None:
    images = list(read_afw(folder))
    assert [image.path for image in images] == [folder / "testimages" / name for name in ("1.jpg", "2.jpg")]
    profile, tilted = images[0].boxes
    assert (profile.x1, profile.y1, profile.x2, profile.y2) == (10, 20, 110, 120)
    assert (profile.view, profile.ignore) == (
        "left_profile",
        False,
    )  # yaw > 0: nose to the right of the image
    assert (tilted.x1, tilted.x2) == (200.5, 230.5)
    assert (tilted.view, tilted.ignore) == ("half_right", True)  # roll -45
    assert images[1].boxes[0].view == "frontal"


def test_yaw_sign_and_roll_are_options(folder: Path) -> None:
    boxes = next(read_afw(folder, AfwOptions(yaw_sign=-1, max_roll_deg=60))).boxes
    assert [(box.view, box.ignore) for box in boxes] == [("right_profile", False), ("half_left", False)]


def test_corrected_faces_without_pose_are_ignored(folder: Path) -> None:
    objects = np.array([[12, 22, 112, 122, 0, 0], [301, 1, 341, 41, 0, 0]], dtype=np.uint16)
    save_struct(folder / "new_annotations_AFW.mat", [("1.jpg", objects), ("2.jpg", np.zeros((0, 0)))])
    first, second = read_afw(folder)
    assert len(first.boxes) == 3
    assert (first.boxes[2].x1, first.boxes[2].ignore, first.boxes[2].view) == (300, True, None)
    assert len(second.boxes) == 1

    first, second = read_afw(folder, AfwOptions(annotation="corrected"))
    assert [(box.x1, box.view, box.ignore) for box in first.boxes] == [(11, None, False), (300, None, False)]
    assert second.boxes == ()


def test_ignore_flag_of_the_corrected_file(tmp_path: Path) -> None:
    objects = np.array([[12.0, 22, 112, 122, 0, 1], [1, 1, 41, 41, 0, 0]])
    save_struct(tmp_path / "Annotations_Face_PASCALLayout_large_fixed.mat", [("2008_000008.jpg", objects)])
    (image,) = read_pascal_faces(tmp_path)
    assert image.path == tmp_path / "2008_000008.jpg"
    assert [box.ignore for box in image.boxes] == [True, False]


def test_malformed_files_are_named(folder: Path) -> None:
    path = folder / "anno.mat"
    box = np.array([[11, 21], [111, 121]])
    save_anno(path, [("1.jpg", [box], [])])
    with pytest.raises(DatasetError, match=r"anno\.mat: image 1: has 1 boxes, but 0 poses"):
        list(read_afw(folder))
    save_anno(
        path, [("1.jpg", [box], [np.array([[0, 0, 0]])]), ("2.jpg", [np.arange(3)], [np.zeros((1, 3))])]
    )
    with pytest.raises(DatasetError, match=r"image 2: found a matrix of shape \(1, 3\), expected 2 columns"):
        list(read_afw(folder))
    save_anno(path, [("1.jpg", [box * np.nan], [np.array([[0, 0, 0]])])])
    with pytest.raises(DatasetError, match="image 1: found a number that is not finite"):
        list(read_afw(folder))
    savemat(path, {"anno": np.zeros((3, 4))})
    with pytest.raises(DatasetError, match=r"expected a cell array N x 4"):
        list(read_afw(folder))
    savemat(path, {"other": 1})
    with pytest.raises(DatasetError, match="found the variables other, expected anno"):
        list(read_afw(folder))
    path.write_bytes(b"no MATLAB file")
    with pytest.raises(DatasetError, match="is no readable MATLAB 5 file"):
        list(read_afw(folder))
    path.unlink()
    with pytest.raises(DatasetError, match="found no AFW annotation"):
        list(read_afw(folder))
    save_struct(folder / "new_annotations_AFW.mat", [("1.jpg", np.zeros((2, 5)))])
    with pytest.raises(DatasetError, match=r"shape \(2, 5\), expected 4 or 6 columns"):
        list(read_afw(folder, AfwOptions(annotation="corrected")))


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="annotation of AfwOptions must be one of"):
        AfwOptions(annotation="old")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="yaw_sign of AfwOptions must be 1 or -1"):
        AfwOptions(yaw_sign=0)
    with pytest.raises(ValueError, match="annotation of PascalFacesOptions must be one of"):
        PascalFacesOptions(annotation="old")  # type: ignore[arg-type]


def test_real_afw(shared: Path) -> None:
    folder = shared / "data" / "faces" / "test_afw"
    with (folder / "afw.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    faces = [(name, face) for name, found in read_posed_faces(folder / "anno.mat") for face in found]
    assert len(faces) == len(rows) == 252
    for (name, face), row in zip(faces, rows, strict=True):
        assert name == row["image"]
        one_based = np.array([float(row[side]) for side in ("x1", "y1", "x2", "y2")])
        assert np.abs(np.array(face.corners) + 1 - one_based).max() < 0.051
        assert (face.yaw_deg, face.roll_deg) == (float(row["yaw_deg"]), float(row["roll_deg"]))
    images = list(read_afw(folder, AfwOptions(max_roll_deg=180.5)))
    assert all(image.path.is_file() for image in images)
    posed = [box for image in images for box in image.boxes if box.view is not None]
    assert Counter(box.view for box in posed) == Counter(row["view"] for row in rows)
    added = [box for image in images for box in image.boxes if box.view is None]
    assert added
    assert all(box.ignore for box in added)
    corrected = [box for image in read_afw(folder, AfwOptions(annotation="corrected")) for box in image.boxes]
    assert len(corrected) == pytest.approx(len(posed) + len(added), abs=8)


def test_real_pascal_faces(shared: Path) -> None:
    folder = shared / "data" / "faces" / "annotations_only" / "PASCAL_faces"
    corrected = list(read_pascal_faces(folder))
    boxes = [box for image in corrected for box in image.boxes]
    assert (len(corrected), len(boxes), sum(box.ignore for box in boxes)) == (851, 1635, 55)
    assert all(box.x2 > box.x1 and box.y2 > box.y1 for box in boxes)  # 8-bit corners do not wrap
    original = list(read_pascal_faces(folder, PascalFacesOptions(annotation="original")))
    assert (len(original), sum(len(image.boxes) for image in original)) == (851, 1335)
