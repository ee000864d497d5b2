"""Detections: parallel arrays that stay parallel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from badacost.detector.detections import Detections

NAMES, ANGLES = ("frontal", "half_left"), (0.0, 40.0)


def three() -> Detections:
    boxes = [[0, 0, 10, 10], [-5, 2, 20, 22], [90, 40, 130, 70]]
    return Detections(boxes, [3, 2, 1], [1, 0, 1], NAMES, ANGLES, (60, 100))  # type: ignore[arg-type]


def test_types_and_parallel_arrays() -> None:
    found = three()
    assert found.boxes.dtype == found.scores.dtype == np.float32
    assert found.view_indices.dtype == np.int64
    assert found.views.tolist() == ["half_left", "frontal", "half_left"]
    assert found.angles_deg.tolist() == [40, 0, 40]


def test_index_mask_slice_and_iterate() -> None:
    found = three()
    assert found[found.scores > 1.5].scores.tolist() == [3, 2]
    assert found[1:].views.tolist() == ["frontal", "half_left"]
    assert found[[2, 0]].scores.tolist() == [1, 3]
    assert len(found[-1]) == 1
    assert found[-1].boxes.shape == (1, 4)
    assert [(d.score, d.view, d.angle_deg) for d in found] == [
        (3, "half_left", 40),
        (2, "frontal", 0),
        (1, "half_left", 40),
    ]
    with pytest.raises(IndexError):
        found[3]


def test_empty_has_the_shapes_of_the_full() -> None:
    empty = Detections.empty(NAMES, ANGLES, (60, 100))
    assert empty.boxes.shape == (0, 4)
    assert empty.views.shape == empty.angles_deg.shape == (0,)
    assert list(empty) == []
    assert len(three()[np.zeros(3, bool)]) == 0
    assert empty.clipped().boxes.shape == (0, 4)


def test_merge() -> None:
    found = three()
    both = Detections.merge([found[:1], found[1:]])
    np.testing.assert_array_equal(both.boxes, found.boxes)
    np.testing.assert_array_equal(both.view_indices, found.view_indices)
    with pytest.raises(ValueError, match="must share their views"):
        Detections.merge([found, Detections.empty(("car",), (math.nan,))])
    with pytest.raises(ValueError, match="must not be empty"):
        Detections.merge([])


def test_clipped_to_the_image() -> None:
    assert three().clipped().boxes.tolist() == [[0, 0, 10, 10], [0, 2, 20, 22], [90, 40, 100, 60]]
    with pytest.raises(ValueError, match="image_size of Detections must be known"):
        Detections.empty(NAMES, ANGLES).clipped()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"boxes": np.zeros((2, 4))}, r"found \(2, 4\), \(1,\), \(1,\)"),
        ({"boxes": np.zeros((1, 5))}, r"must have shapes \(n, 4\)"),
        ({"scores": np.zeros((1, 1))}, "must have shapes"),
        ({"view_indices": np.array([2])}, r"must lie in \[0, 2\)"),
        ({"view_indices": np.array([-1])}, r"must lie in \[0, 2\)"),
        ({"view_angles": (0.0,)}, "view_angles of Detections must be one a view, found 1 for 2 views"),
    ],
)
def test_bad_arrays(changes: dict, message: str) -> None:
    arrays = {
        "boxes": np.zeros((1, 4)),
        "scores": np.zeros(1),
        "view_indices": np.zeros(1, np.int64),
        "view_names": NAMES,
        "view_angles": ANGLES,
    }
    with pytest.raises(ValueError, match=message):
        Detections(**(arrays | changes))
