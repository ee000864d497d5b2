"""Readers of ground truth and detections: the real files, round trips, and what they say about bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from badacost.eval.annotations_csv import read_image_list, read_scales
from badacost.eval.annotations_wider import squares_of_tall_boxes
from badacost.eval.box_files import read_annotations, read_detections
from badacost.eval.ground_truth import FaceGroundTruth
from badacost.eval.input_records import BadRecords, EvaluationError
from badacost.eval.second_annotation import with_ignored_boxes, with_scales, with_views_of
from badacost.eval.views import FACE_VIEWS


def annotations(path: Path, **options: Any) -> list[FaceGroundTruth]:
    return read_annotations(path, FACE_VIEWS, BadRecords(), **options)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_afw_files(shared: Path) -> None:
    folder = shared / "data/faces/test_afw"
    corrected = annotations(folder / "new_annotations_AFW.mat")
    posed = annotations(folder / "anno.mat")
    assert (len(corrected), sum(map(len, posed))) == (120, 252)
    views = np.concatenate([image.view_indices for image in posed])
    assert np.bincount(views).tolist() == [12, 48, 128, 41, 23]
    scaled = with_scales(corrected, read_scales(folder / "scale.csv", BadRecords()))
    assert sum(int((~image.with_small_ignored(30).ignored).sum()) for image in scaled) == 255
    joined = with_views_of(corrected, posed)
    assert sum(int((image.view_indices >= 0).sum()) for image in joined) == 252


def test_roll_limit_leaves_views_unknown(shared: Path) -> None:
    path = shared / "data/faces/test_afw/anno.mat"
    kept = np.concatenate([image.view_indices for image in annotations(path, max_roll_deg=15.0)])
    every = np.concatenate([image.view_indices for image in annotations(path)])
    assert 0 < np.count_nonzero(kept < 0) < len(kept)
    np.testing.assert_array_equal(kept[kept >= 0], every[kept >= 0])


@pytest.mark.parametrize(("name", "faces", "ignored"), [("large", 1335, 0), ("large_fixed", 1635, 55)])
def test_pascal_files(shared: Path, name: str, faces: int, ignored: int) -> None:
    folder = shared / "data/faces/annotations_only/PASCAL_faces"
    images = annotations(folder / f"Annotations_Face_PASCALLayout_{name}.mat")
    assert (len(images), sum(map(len, images))) == (851, faces)
    assert sum(int(image.ignored.sum()) for image in images) == ignored


def test_wider_squares_are_the_stored_ones_up_to_rounding(shared: Path) -> None:
    folder = shared / "data/faces/test_wider"
    official = annotations(folder / "wider_face_val_bbx_gt.txt", squares=True)
    stored = annotations(folder / "views_auto.csv")
    assert (len(official), sum(map(len, official))) == (95, 303)
    by_name = {image.name: image for image in stored}
    for image in official:
        np.testing.assert_allclose(image.boxes, by_name[image.name].boxes, atol=1.2)
    assert sum(int(image.ignored.sum()) for image in official) == 5
    counted = [image.with_small_ignored(30).ignored for image in official]
    assert sum(int((~ignored).sum()) for ignored in counted) == 251
    views = np.concatenate([image.view_indices for image in stored])
    assert np.bincount(views[views >= 0]).tolist() == [7, 29, 114, 40, 12]


def test_squares_by_hand() -> None:
    np.testing.assert_allclose(
        squares_of_tall_boxes(np.array([[0.0, 0.0, 40.0, 90.0]])), [[-7, 29.25, 47, 83.25]]
    )


def test_training_list_is_ground_truth_too(shared: Path) -> None:
    images = annotations(shared / "data/faces/train/train.csv")
    views = np.concatenate([image.view_indices[~image.ignored] for image in images])
    assert np.bincount(views).tolist() == [221, 704, 859, 643, 222]
    assert sum(int(image.ignored.sum()) for image in images) == 584


WIDER = """a/b.jpg
2
1 2 30 40 0 0 0 0 0 0
5 6 0 9 0 0 0 0 0 0
c.jpg
0
0 0 0 0 0 0 0 0 0 0
d.jpg
0
e.jpg
1
1 1 9 9 0 0 0 1 0 0
"""


def test_wider_empty_images_and_invalid_faces(tmp_path: Path) -> None:
    images = annotations(write(tmp_path, "gt.txt", WIDER))
    assert [(image.name, len(image), image.ignored.tolist()) for image in images] == [
        ("a/b.jpg", 2, [False, True]),
        ("c.jpg", 0, []),
        ("d.jpg", 0, []),
        ("e.jpg", 1, [True]),
    ]
    assert images[0].boxes[0].tolist() == [1, 2, 31, 42]


def test_csv_columns(tmp_path: Path) -> None:
    rows = ("a,1,2,3,4,half_left,,0", "a,1,2,3,4,,-70,1", "b,,,,,,,", "c,0,0,9,9,ignore,,0", "c,0,0,9,9,3,,")
    text = "\n".join(("image,x,y,w,h,view,yaw_deg,ignore", *rows))
    a, b, c = annotations(write(tmp_path, "gt.csv", text))
    assert (a.view_indices.tolist(), a.ignored.tolist(), a.boxes[0].tolist()) == (
        [3, 0],
        [False, True],
        [1, 2, 4, 6],
    )
    assert len(b) == 0
    assert (c.view_indices.tolist(), c.ignored.tolist()) == ([-1, 2], [True, False])


GOOD_HEADER = "image,x1,y1,x2,y2,ignore,view\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gt.csv", "", ":1: empty file"),
        ("gt.csv", "name,x,y,w,h\n", ":1: no column image or file among name"),
        ("gt.csv", "image,x,y\n", ":1: no box columns"),
        ("gt.csv", GOOD_HEADER + "a,1,2,3\n", ":2: found 4 fields, expected 7"),
        ("gt.csv", GOOD_HEADER + "a,1,2,x,4,0,\n", ":2: column x2: found 'x', expected a finite number"),
        ("gt.csv", GOOD_HEADER + "a,1,2,nan,4,0,\n", ":2: column x2: found 'nan'"),
        ("gt.csv", GOOD_HEADER + "a,1,2,0,4,0,\n", ":2: box 1,2,0,4 has a negative width or height"),
        ("gt.csv", GOOD_HEADER + "a,1,2,3,4,maybe,\n", ":2: column ignore: found 'maybe', expected 0 or 1"),
        ("gt.csv", GOOD_HEADER + "a,1,2,3,4,0,up\n", ":2: unknown view 'up', expected one of right_profile"),
        ("gt.csv", GOOD_HEADER + ",1,2,3,4,0,\n", ":2: the image has no name"),
        (
            "gt.txt",
            "a.jpg\nb.jpg\n1\n1 1 9 9 0 0 0 0 0 0\n",
            ":2: found 'b.jpg', expected the number of faces of 'a.jpg'",
        ),
        ("gt.txt", "a.jpg\n1\n1 1 9 9 0\n", ":3: found '1 1 9 9 0', expected 10 numbers"),
        (
            "gt.txt",
            "a.jpg\n2\n1 1 9 9 0 0 0 0 0 0\n",
            ":4: found the end of the file after 1 of 2 faces of 'a.jpg'",
        ),
        ("gt.txt", "a.jpg\n0\na.jpg\n0\n", ":3: image 'a.jpg' occurs twice"),
        ("gt.xls", "", "expected .mat"),
        ("gt.mat", "no MATLAB", "not a readable MATLAB 5 file"),
    ],
)
def test_bad_ground_truth(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(EvaluationError) as caught:
        annotations(path)
    assert str(caught.value).startswith(f"{path}")
    assert message in str(caught.value)


def test_bad_records_are_skipped_and_counted(tmp_path: Path) -> None:
    bad = BadRecords(skip=True)
    text = GOOD_HEADER + "a,1,2,3\na,1,2,3,4,0,\nb,1,2,3,4,0,up\n"
    path = write(tmp_path, "gt.csv", text)
    images = read_annotations(path, FACE_VIEWS, bad)
    assert ([(image.name, len(image)) for image in images], bad.count) == ([("a", 1)], 2)
    assert bad.messages[0].startswith(f"{path}:2: ")
    bad = BadRecords(skip=True)
    images = read_annotations(
        write(tmp_path, "gt.txt", "x.jpg\ny.jpg\n1\n1 1 9 9 0 0 0 0 0 0\nz.jpg\n1\n1 1 9\n"), FACE_VIEWS, bad
    )
    assert ([(image.name, len(image)) for image in images], bad.count) == ([("y.jpg", 1), ("z.jpg", 0)], 2)


def matlab_images(*images: tuple[str, Any]) -> np.ndarray[Any, Any]:
    """A MATLAB struct array."""
    records = np.zeros(len(images), dtype=[("imgname", "O"), ("objects", "O")])
    for record, (name, objects) in zip(records, images, strict=True):
        record["imgname"], record["objects"] = name, np.asarray(objects)
    return records


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"other": 1}, "found other, expected the struct array Annotations"),
        (
            {"Annotations": matlab_images(("a", np.ones((1, 3))))},
            "image 1: objects of 'a' must have 4 or 6 columns",
        ),
        (
            {"Annotations": matlab_images(("a", np.ones((1, 6))))},
            "image 1: 'a' has a box without width or height",
        ),
        ({"Annotations": matlab_images(("a", np.full((1, 4), np.nan)))}, "'a' has a box that is not finite"),
        ({"Annotations": matlab_images(("a", []), ("a", []))}, "image 2: image 'a' occurs twice"),
    ],
)
def test_bad_matlab_files(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    path = tmp_path / "gt.mat"
    savemat(path, content)
    with pytest.raises(EvaluationError, match=message):
        annotations(path)


def test_matlab_integers_do_not_wrap(tmp_path: Path) -> None:
    path = tmp_path / "gt.mat"
    savemat(path, {"Annotations": matlab_images(("a", np.array([[200, 100, 250, 220]], dtype=np.uint8)))})
    (image,) = annotations(path)
    assert image.sizes.tolist() == [[50, 120]]


IMAGES = [
    FaceGroundTruth.create("0--Parade/one.jpg", [[0, 0, 9, 9]]),
    FaceGroundTruth.create("two", [[0, 0, 9, 9]]),
]


def found(path: Path, *, views: bool = True) -> tuple[list[tuple[Any, ...]], list[str]]:
    table, unlisted = read_detections(
        path, [image.name for image in IMAGES], FACE_VIEWS if views else None, BadRecords()
    )
    rows = zip(
        table.image_indices.tolist(),
        table.boxes.tolist(),
        table.scores.tolist(),
        table.view_indices.tolist(),
        np.nan_to_num(table.angles_deg, nan=-999).tolist(),
        strict=True,
    )
    return list(rows), unlisted


def json_image(file: str, **changes: Any) -> dict[str, Any]:
    detection = {"box": [1, 2, 3.5, 4], "score": 5, "view": "half_left", "angle_deg": 40.0, **changes}
    return {"file": file, "width": 9, "height": 9, "error": None, "detections": [detection]}


def json_document(*images: dict[str, Any]) -> str:
    return json.dumps({"format": "badacost-detections", "version": 1, "images": list(images)})


def test_all_formats_give_the_same(tmp_path: Path) -> None:
    whole = [(0, [1, 2, 4.5, 6], 5, 3, 40), (1, [1, 2, 4.5, 6], 5, 3, 40)]
    images = json_image("photos/0--Parade/one.jpg"), json_image("two.png")
    assert found(write(tmp_path, "d.json", json_document(*images))) == (whole, [])
    lines = "\n".join(json.dumps(image) for image in images)
    assert found(write(tmp_path, "d.jsonl", lines)) == (whole, [])
    header = "file,x,y,width,height,score,view,angle_deg\n"
    text = header + "one,1,2,3.5,4,5,half_left,40\n" + "C:\\a\\two.jpg,1,2,3.5,4,5,half_left,40\n"
    assert found(write(tmp_path, "d.csv", text)) == (whole, [])
    boxes_only = [(*row[:3], -1, -999) for row in whole]
    text = "0--Parade/one 5 1 2 4.5 6\n\ntwo 5 1 2 4.5 6\n"
    assert found(write(tmp_path, "d.txt", text)) == (boxes_only, [])
    assert found(tmp_path / "d.json", views=False) == (boxes_only, [])


def test_json_without_an_image_says_so(tmp_path: Path) -> None:
    assert found(write(tmp_path, "d.json", json_document(json_image("two"))))[1] == ["0--Parade/one.jpg"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("d.txt", "two 1 2 3 4\n", ":1: found 'two 1 2 3 4', expected `image score x1 y1 x2 y2`"),
        ("d.txt", "two 1 1 2 x 4\n", ":1: found 'two 1 1 2 x 4'"),
        ("d.txt", "two 1 1 2 3 4\nthree 1 1 2 3 4\n", ":2: the ground truth has no image 'three'"),
        ("d.txt", "two 1 5 2 3 4\n", ":1: box with the corners [5.0, 2.0, 3.0, 4.0] has a negative width"),
        ("d.txt", "two nan 1 2 3 4\n", ":1: found box [1.0, 2.0, 3.0, 4.0] and score nan"),
        ("d.csv", "image,x,y,w,h\n", ":1: no column score"),
        ("d.csv", "image,x,y,w,h,score,view\ntwo,1,2,3,4,5,up\n", ":2: unknown view 'up'"),
        ("d.json", "{", ":1: not JSON"),
        ("d.json", "[]", 'expected an object with "format": "badacost-detections"'),
        ("d.json", '{"format": "badacost-detections", "version": 2}', "found version 2, expected 1"),
        ("d.json", '{"format": "badacost-detections", "version": 1}', 'expected a list under "images"'),
        ("d.json", json_document(json_image("x")), "images[0]: the ground truth has no image 'x'"),
        (
            "d.json",
            json_document(json_image("two"), json_image("two.jpg")),
            "images[1]: image 'two.jpg' occurs twice",
        ),
        ("d.json", json_document(json_image("two", box=[1, 2, 3])), "detections[0]: found box [1, 2, 3]"),
        ("d.json", json_document(json_image("two", score=None)), "and score None"),
        ("d.json", json_document(json_image("two", score=10**400)), "detections[0]: int too large"),
        ("d.json", json_document(json_image("two", angle_deg="x")), "found angle_deg 'x'"),
        (
            "d.json",
            json_document({**json_image("two"), "error": "damaged"}),
            "'two' was not searched: damaged",
        ),
        ("d.json", json_document({"detections": []}), "expected an object with the image's name"),
        ("d.json", json_document({"file": "two"}), 'expected a list under "detections"'),
        ("d.jsonl", json.dumps(json_image("two")) + "\n{\n", ":2: not JSON"),
    ],
)
def test_bad_detections(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(EvaluationError) as caught:
        found(path)
    assert str(caught.value).startswith(f"{path}:")
    assert message in str(caught.value)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no such file"):
        annotations(tmp_path / "gt.csv")
    with pytest.raises(EvaluationError, match="no such file"):
        found(tmp_path / "d.csv")


def test_ambiguous_name_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "d.txt", "one.jpg 1 1 2 3 4\n")
    with pytest.raises(EvaluationError, match=r"no image 'one.jpg' \(or several that fit\)"):
        read_detections(path, ["a/one.jpg", "b/one.jpg"], None, BadRecords())


def test_ignored_boxes_mark_faces_or_are_added() -> None:
    listed = [FaceGroundTruth.create("one.jpg", [[1, 0, 9, 9], [50, 50, 60, 60]])]
    first, second = with_ignored_boxes(IMAGES, listed)
    assert (first.boxes.tolist(), first.ignored.tolist()) == ([[0, 0, 9, 9], [50, 50, 60, 60]], [True, True])
    assert second is IMAGES[1]
    with pytest.raises(EvaluationError, match="no image 'x'"):
        with_ignored_boxes(IMAGES, [FaceGroundTruth.create("x", [])])


def test_scales(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "image,scale_from_original\none,0.5\ntwo,0.25\n")
    assert [image.scale for image in with_scales(IMAGES, read_scales(path, BadRecords()))] == [0.5, 0.25]
    path.write_text("image,scale_from_original\ntwo,0.25\n")
    with pytest.raises(EvaluationError, match="none given for image"):
        with_scales(IMAGES, read_scales(path, BadRecords()))
    for row, message in (("two,-1", "expected a positive number"), ("two,1\ntwo,1", "occurs twice")):
        path.write_text(f"image,scale_from_original\n{row}\n")
        with pytest.raises(EvaluationError, match=message):
            read_scales(path, BadRecords())


def test_image_list(tmp_path: Path) -> None:
    assert read_image_list(write(tmp_path, "l.txt", "a\n\nb\n")) == ["a", "b"]
    with pytest.raises(EvaluationError, match=":3: image 'a' occurs twice, first in line 1"):
        read_image_list(write(tmp_path, "l.txt", "a\nb\na\n"))
