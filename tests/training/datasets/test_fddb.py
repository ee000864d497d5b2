"""FDDB's folds: ellipses to boxes, malformed lists, the real folds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.fddb import FddbEllipse, FddbOptions, read_ellipse_list, read_fddb


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "FDDB-folds").mkdir()
    (tmp_path / "originalPics").mkdir()
    for fold in (1, 2):
        face = f"40 20 {math.pi / 2} 100 120  1"
        lines = (f"2002/08/{fold:02d}/big/img_1", "1", face, f"2003/0{fold}/big/img_2", "0", "")
        content = "\r\n".join(lines)
        (tmp_path / "FDDB-folds" / f"FDDB-fold-{fold:02d}-ellipseList.txt").write_text(content)
    return tmp_path


def test_boxes_and_paths(folder: Path) -> None:
    images = list(read_fddb(folder, FddbOptions(folds=(1, 2))))
    assert images[0].path == folder / "originalPics" / "2002" / "08" / "01" / "big" / "img_1.jpg"
    box = images[0].boxes[0]
    assert (box.x1, box.y1, box.x2, box.y2) == pytest.approx((80, 80, 120, 160))
    assert (box.view, box.ignore) == (None, False)
    assert [len(image.boxes) for image in images] == [1, 0, 1, 0]


@given(
    major=st.floats(1, 200),
    minor=st.floats(1, 200),
    angle=st.floats(-4, 4),
    centre=st.tuples(st.floats(0, 400), st.floats(0, 400)),
)
def test_bounds_touch_the_ellipse(
    major: float, minor: float, angle: float, centre: tuple[float, float]
) -> None:
    turn = np.linspace(0, 2 * np.pi, 20001)
    along, across = major * np.cos(turn), minor * np.sin(turn)
    x = centre[0] + along * math.cos(angle) - across * math.sin(angle)
    y = centre[1] + along * math.sin(angle) + across * math.cos(angle)
    bounds = FddbEllipse(major, minor, angle, *centre).bounds()
    assert bounds == pytest.approx((x.min(), y.min(), x.max(), y.max()), abs=1e-4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("img_1\n1\n40 20 1.5 100\n", r":3: found '40 20 1.5 100', expected `major_radius"),
        ("img_1\n1\n40 20 1.5 100 x 1\n", ":3: found"),
        ("img_1\n1\n40 0 1.5 100 120 1\n", ":3: found"),
        ("img_1\n2\n40 20 1.5 100 120 1\n", ":4: found 'the end of the file'"),
        ("img_1\n", ":2: found 'the end of the file', expected the number of faces of 'img_1'"),
        ("img_1\n-1\n", ":2: found '-1', expected the number of faces"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "FDDB-fold-01-ellipseList.txt"
    path.write_text(content)
    with pytest.raises(DatasetError, match=message):
        list(read_ellipse_list(path))


def test_missing_folds_and_repeated_images(folder: Path) -> None:
    with pytest.raises(DatasetError, match=r"expected one of FDDB-folds/FDDB-fold-03-ellipseList\.txt"):
        list(read_fddb(folder))
    first, second = (folder / "FDDB-folds" / f"FDDB-fold-0{fold}-ellipseList.txt" for fold in (1, 2))
    second.write_text(first.read_text())
    with pytest.raises(DatasetError, match=r"FDDB-fold-02.*image '2002/08/01/big/img_1' occurs twice"):
        list(read_fddb(folder, FddbOptions(folds=(1, 2))))
    with pytest.raises(ValueError, match=r"folds of FddbOptions must be among 1\.\.10, found \(0, 1\)"):
        FddbOptions(folds=(0, 1))


def test_real_folds(shared: Path) -> None:
    images = list(read_fddb(shared / "data" / "faces" / "annotations_only"))
    assert len(images) == 2845
    boxes = [box for image in images for box in image.boxes]
    assert len(boxes) == 5171
    assert all(box.x2 > box.x1 and box.y2 > box.y1 for box in boxes)
