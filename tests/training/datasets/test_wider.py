"""WIDER FACE's list: limits, boxes, malformed lines; the real list."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.wider import WiderOptions, read_wider, read_wider_list, square_of_tall_box

LIST = """0--Parade/0_Parade_849.jpg
3
449 330 122 149 0 0 0 0 0 0 
10 20 15 40 0 0 0 0 0 0 
60 20 40 40 2 0 0 0 0 0 
1--Handshaking/empty.jpg
0
0 0 0 0 0 0 0 0 0 0 
2--Demonstration/one.jpg
4
60 20 40 40 1 0 0 0 1 0 
60 20 40 40 0 0 0 1 0 0
60 20 40 40 0 0 0 0 2 0
60 20 0 40 0 0 0 0 0 0
"""  # noqa: W291 (the official lists have a blank at the end of a line)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wider_face_split").mkdir()
    (tmp_path / "WIDER_train" / "images").mkdir(parents=True)
    (tmp_path / "wider_face_split" / "wider_face_train_bbx_gt.txt").write_text(LIST)
    return tmp_path


def test_paths_limits_and_images_without_faces(folder: Path) -> None:
    images = list(read_wider(folder))
    assert [image.path.relative_to(folder / "WIDER_train" / "images").as_posix() for image in images] == [
        "0--Parade/0_Parade_849.jpg",
        "1--Handshaking/empty.jpg",
        "2--Demonstration/one.jpg",
    ]
    assert [[box.ignore for box in image.boxes] for image in images] == [
        [False, True, True],  # narrower than 20 pixels; heavy blur
        [],
        [False, True, True, True],  # invalid; heavy occlusion; no area
    ]
    assert all(box.view is None for image in images for box in image.boxes)


def test_limits_are_options(folder: Path) -> None:
    options = WiderOptions(max_blur=2, max_occlusion=2, min_size=0)
    assert [[box.ignore for box in image.boxes] for image in read_wider(folder, options)] == [
        [False, False, False],
        [],
        [False, True, False, True],
    ]


def test_box_shapes(folder: Path) -> None:
    box = next(read_wider(folder, WiderOptions(box_shape="official"))).boxes[0]
    assert (box.x1, box.y1, box.x2, box.y2) == (449, 330, 571, 479)
    box = next(read_wider(folder)).boxes[0]
    assert box.x2 - box.x1 == pytest.approx(box.y2 - box.y1)
    assert box.x2 - box.x1 == pytest.approx(0.9 * (122 * 149) ** 0.5)
    assert (box.x1 + box.x2) / 2 == pytest.approx(510)
    assert (box.y1 + box.y2) / 2 == pytest.approx(330 + 149 * 0.625)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a.jpg\n1\n1 2 3 4 0 0 0 0 0\n",
            r":3: found '1 2 3 4 0 0 0 0 0', expected 10 numbers of a face of 'a.jpg'",
        ),
        ("a.jpg\n1\n1 2 3 x 0 0 0 0 0 0\n", ":3: found"),
        ("a.jpg\n1\n1 2 3 nan 0 0 0 0 0 0\n", ":3: found"),
        ("a.jpg\n2\n1 2 3 4 0 0 0 0 0 0\n", ":4: found 'the end of the file'"),
        ("a.jpg\nb.jpg\n", ":2: found 'b.jpg', expected the number of faces of 'a.jpg'"),
        ("a.jpg\n", ":2: found 'the end of the file', expected the number of faces"),
        ("a.jpg\n0\na.jpg\n0\n", ":3: image 'a.jpg' occurs twice"),
        ("a.jpg\n0\n\nb.jpg\n0\n", ":3: found an empty line, expected an image's name"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "wider_face_train_bbx_gt.txt"
    path.write_text(content)
    with pytest.raises(DatasetError, match=message):
        list(read_wider_list(path))


def test_lists_without_the_line_of_zeros(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("a.jpg\n0\nb.jpg\n1\n1 2 3 4 0 0 0 0 0 0\n")
    assert [(name, len(faces)) for name, faces in read_wider_list(path)] == [("a.jpg", 0), ("b.jpg", 1)]


def test_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="subset of WiderOptions must be one of"):
        WiderOptions(subset="test")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="box_shape of WiderOptions must be one of"):
        WiderOptions(box_shape="round")  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match=r"found no WIDER FACE list, expected one of wider_face_split/"):
        list(read_wider(tmp_path))


def test_real_list(shared: Path) -> None:
    folder = shared / "data" / "faces" / "test_wider"
    images = list(read_wider(folder, WiderOptions(subset="val")))
    assert len(images) == 95
    assert sum(len(image.boxes) for image in images) == 303
    assert all(image.path.is_file() for image in images)
    with (folder / "views_auto.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    squares = [square_of_tall_box(*(float(row[side]) for side in "xywh")) for row in rows]
    # The squares were computed from boxes before these were rounded to whole pixels.
    for row, (x1, y1, x2, _) in zip(rows, squares, strict=True):
        assert (x1, y1, x2 - x1) == pytest.approx(
            tuple(float(row[side]) for side in ("sq_x", "sq_y", "sq_w")), abs=0.9
        )
