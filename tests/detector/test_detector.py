"""The detector as a whole, on pictures whose answer is known, and on the bundled photograph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import skimage.data

from badacost import Detector
from badacost.detector.boxes import box_overlaps
from badacost.detector.detection_options import DetectionOptions
from badacost.detector.images import ImageError

from .square_detector import SIDE, picture, square_detector

RED, BLUE = (230, 60, 60), (70, 70, 255)


def test_objects_are_found_where_they_are_with_their_views() -> None:
    found = square_detector().detect(picture((12, 20, RED), (60, 44, BLUE)))
    expected = np.array([[12, 20, 12 + SIDE, 20 + SIDE], [60, 44, 60 + SIDE, 44 + SIDE]], np.float32)
    overlaps = box_overlaps(expected, found.boxes)
    best = overlaps.argmax(axis=1)
    assert overlaps.max(axis=1).min() > 0.7
    assert found.views[best].tolist() == ["frontal", "half_left"]
    assert found.image_size == (72, 96)


def test_views_can_be_chosen_and_detections_limited() -> None:
    image = picture((12, 20, RED), (60, 44, BLUE))
    detector = square_detector()
    assert set(detector.with_options(views=["half_left"]).detect(image).views) == {"half_left"}
    assert len(detector.with_options(max_detections=1).detect(image)) == 1
    assert len(detector.with_options(min_score=1e9).detect(image)) == 0
    assert detector.options.views is None


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 2000, 3), (10, 10, 3), (40, 40), (40, 40, 4)])
def test_odd_images_give_empty_arrays_of_the_right_shape(shape: tuple[int, ...]) -> None:
    found = square_detector().detect(np.zeros(shape, np.uint8))
    assert found.boxes.shape == (0, 4)


def test_what_is_no_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"missing\.jpg"):
        square_detector().detect(tmp_path / "missing.jpg")
    with pytest.raises(ImageError, match=r"\(5,\)"):
        square_detector().detect(np.zeros(5, np.uint8))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_size": 0}, "min_size of DetectionOptions must be positive"),
        ({"min_size": 50, "max_size": 40}, "must not exceed max_size"),
        ({"cascade_slack": -1}, "cascade_slack"),
        ({"threads": -1}, "threads"),
        ({"min_score": float("nan")}, "min_score"),
        ({"views": ("nose",)}, "found nose"),
    ],
)
def test_impossible_options_are_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        square_detector().with_options(**change)


def test_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        DetectionOptions(minimum=3)  # type: ignore[call-arg]


@pytest.fixture(scope="module")
def faces() -> Detector:
    return Detector.load("faces")


@pytest.fixture(scope="module")
def astronaut() -> np.ndarray:
    return skimage.data.astronaut()


def test_shipped_model_finds_the_astronaut_and_her_view_first(faces: Detector, astronaut: np.ndarray) -> None:
    best = next(iter(faces.detect(astronaut)))
    # By the eye: eyebrows to chin, ear to ear.
    assert box_overlaps(best.box[None], [[177, 80, 270, 173]])[0, 0] > 0.6
    assert best.view == "frontal"


def test_threads_and_repeated_calls_change_no_bit(faces: Detector, astronaut: np.ndarray) -> None:
    one = faces.detect(astronaut)
    many = [faces.with_options(threads=n).detect(astronaut) for n in (2, 4)]
    with ThreadPoolExecutor(4) as pool:
        many += pool.map(faces.detect, [astronaut] * 4)
    for other in many:
        np.testing.assert_array_equal(one.boxes, other.boxes)
        np.testing.assert_array_equal(one.scores, other.scores)


def test_mirrored_photograph_has_mirrored_boxes(faces: Detector, astronaut: np.ndarray) -> None:
    plain = faces.detect(astronaut)[:1]
    mirrored = faces.detect(np.ascontiguousarray(astronaut[:, ::-1]))[:1]
    width = astronaut.shape[1]
    flipped = mirrored.boxes[:, [2, 1, 0, 3]] * [-1, 1, -1, 1] + [width, 0, width, 0]
    assert box_overlaps(plain.boxes, flipped)[0, 0] > 0.7


def test_smaller_faces_need_a_smaller_least_size(faces: Detector, astronaut: np.ndarray) -> None:
    small = np.ascontiguousarray(astronaut[::3, ::3])
    best = next(iter(faces.with_options(min_size=24).detect(small)))
    assert box_overlaps(best.box[None], [[59, 27, 90, 58]])[0, 0] > 0.5
    assert all(box[3] - box[1] > 60 for box in faces.with_options(min_size=70).detect(astronaut).boxes)


def test_many_images_come_in_order(faces: Detector, astronaut: np.ndarray) -> None:
    images = [astronaut, np.zeros((50, 50, 3), np.uint8), astronaut[::2, ::2].copy()]
    counts = [len(found) for found in faces.detect_many(images, jobs=2)]
    assert counts == [len(faces.detect(image)) for image in images]


def test_representation_is_one_short_line() -> None:
    assert repr(square_detector()) == "<Detector squares: 144 trees, views frontal, half_left>"
