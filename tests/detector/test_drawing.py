"""Drawing: what changes in the picture, and where."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.detector.detections import Detections
from badacost.detector.drawing import crop, draw_detections, view_colors, write_image
from badacost.detector.images import read_image

NAMES, ANGLES = ("right_profile", "frontal", "left_profile"), (-75.0, 0.0, 75.0)
GRAY = 128


def blank(height: int = 600, width: int = 800) -> NDArray[np.uint8]:
    return np.full((height, width, 3), GRAY, np.uint8)


def one(view: int, box: tuple[float, ...] = (300, 200, 500, 400), angles: tuple = ANGLES) -> Detections:
    return Detections(np.array([box]), np.array([12.3]), np.array([view]), NAMES, angles)


def changed(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.any(picture != GRAY, axis=2)


def test_the_image_itself_is_left_alone() -> None:
    image = blank()
    drawn = draw_detections(image, one(1))
    assert np.all(image == GRAY)
    assert drawn.shape == image.shape
    assert not np.shares_memory(drawn, image)
    np.testing.assert_array_equal(draw_detections(image, one(1)[:0]), image)


def test_box_and_label_are_in_the_view_s_colour() -> None:
    for view, color in enumerate(view_colors(3)):
        drawn = draw_detections(blank(), one(view))
        assert drawn[300, 300].tolist() == list(color)
        assert drawn[300, 500].tolist() == list(color)
        plate = np.all(drawn[170:199, 300:500] == color, axis=2)
        assert plate.any(axis=1).sum() > 10
        assert not changed(drawn)[:150].any()
        assert not changed(drawn)[420:].any()


def needle_mass(drawn: NDArray[np.uint8]) -> tuple[float, float]:
    """Right minus left, and lower minus upper share of what is drawn around the needle's pivot."""
    area = changed(drawn)[280:392, 310:490].astype(float)  # inside the box, below the label
    ground = changed(draw_detections(blank(), one(1, angles=(math.nan,) * 3)))[280:392, 310:490]
    assert not ground.any()
    columns, rows = area.sum(axis=0), area.sum(axis=1)
    pivot_column = 90
    pivot_row = int(np.flatnonzero(rows)[[0, -1]].mean())
    return (
        float(columns[pivot_column + 1 :].sum() - columns[:pivot_column].sum()),
        float(rows[pivot_row + 1 :].sum() - rows[:pivot_row].sum()),
    )


def test_needle_points_where_the_head_faces() -> None:
    """Yaw: negative = nose to the left of the image, 0 = towards the viewer (down)."""
    assert needle_mass(draw_detections(blank(), one(0)))[0] < -100
    assert needle_mass(draw_detections(blank(), one(2)))[0] > 100
    right, near = needle_mass(draw_detections(blank(), one(1)))
    assert abs(right) < 30
    assert near > 100


def test_needle_of_kitti_s_alpha() -> None:
    """Alpha: 0 = to the right, -90 = away from the viewer (up)."""
    cars = ("1", "6", "16")

    def drawn(view: int) -> NDArray[np.uint8]:
        found = Detections(
            np.array([[300, 200, 500, 400]]), np.array([1.0]), np.array([view]), cars, (0.0, -90.0, 90.0)
        )
        return draw_detections(blank(), found)

    assert needle_mass(drawn(0))[0] > 100
    assert needle_mass(drawn(1))[1] < -100
    assert needle_mass(drawn(2))[1] > 100
    same = draw_detections(blank(), one(1, angles=(0.0, 90.0, 45.0)), angle_zero="right")
    assert needle_mass(same)[1] > 100
    with pytest.raises(
        ValueError, match="angle_zero of draw_detections must be viewer or right, found 'north'"
    ):
        draw_detections(blank(), one(1), angle_zero="north")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "shown"),
    [((120, 100), (480, 400)), ((1, 1), (400, 400)), ((3, 20000), (3, 20000)), ((390, 1500), (390, 1500))],
)
def test_small_images_are_enlarged(size: tuple[int, int], shown: tuple[int, int]) -> None:
    drawn = draw_detections(blank(*size), one(0, (-5, -3, 50, 40)))
    assert drawn.shape == (*shown, 3)
    assert changed(drawn).any()


@pytest.mark.parametrize(
    "box", [(-900, -900, -800, -800), (-50, -50, 2000, 2000), (5, 5, 5, 5), (790, 590, 900, 700)]
)
def test_boxes_that_stick_out_or_are_points(box: tuple[float, ...]) -> None:
    assert draw_detections(blank(), one(1, box)).shape == (600, 800, 3)


def test_label_stays_in_the_picture() -> None:
    for box in ((700, 0, 790, 80), (780, 300, 900, 420), (-60, -20, 40, 30)):
        drawn = draw_detections(blank(), one(0, box))
        plate = np.all(drawn == view_colors(3)[0], axis=2)
        assert (plate.sum(axis=1) > 80).sum() > 5


def test_colours_of_many_views_differ() -> None:
    for count in (1, 5, 7, 20):
        assert len({tuple(color) for color in view_colors(count)}) == count


def test_crop() -> None:
    image = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    np.testing.assert_array_equal(crop(image, np.array([1.2, 0.5, 2.1, 2.0])), image[0:2, 1:3])
    np.testing.assert_array_equal(crop(image, np.array([-9, -9, 99, 99])), image)
    assert crop(image, np.array([10, 10, 20, 20])).size == 0
    assert crop(image, np.array([-20, 0, -10, 2])).size == 0


def test_write_image(tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    write_image(tmp_path / "new" / "a.png", image)
    np.testing.assert_array_equal(read_image(tmp_path / "new" / "a.png"), image)
    smooth = np.full((20, 30, 3), (200, 50, 20), np.uint8)
    write_image(tmp_path / "b.jpg", smooth)
    assert np.abs(read_image(tmp_path / "b.jpg").astype(int) - smooth).max() <= 3
    with pytest.raises(OSError, match="cannot be encoded"):
        write_image(tmp_path / "c.jpg", np.zeros((1, 70000, 3), np.uint8))
    with pytest.raises(OSError, match="cannot be encoded"):
        write_image(tmp_path / "c.xyz", smooth)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jpg", "new"]
