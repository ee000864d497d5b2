"""Views of cars: bins of the angle, and how predicted bins agree with true ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.detector.kitti_format import NO_ANGLE, KittiObject
from badacost.eval.kitti import evaluate_kitti
from badacost.eval.kitti_objects import KittiObjects
from badacost.eval.kitti_views import KittiViewMetrics, view_of_alpha
from badacost.training.views import ring_view_name


def car(alpha_deg: float, place: int, score: float = math.nan) -> KittiObject:
    left = 100.0 * place
    return KittiObject("Car", 0.0, 0, math.radians(alpha_deg), left, 10.0, left + 80, 70.0, score)


def evaluate(
    labels: list[KittiObject], detections: list[KittiObject], n_views: int = 20
) -> KittiViewMetrics | None:
    frames = KittiObjects.from_frames([labels]), KittiObjects.from_frames([detections])
    return evaluate_kitti(*frames, n_views=n_views).views


@pytest.mark.parametrize(
    ("alpha_deg", "view"),
    [(0, 0), (-90, 5), (180, 10), (-180, 10), (90, 15), (8.9, 0), (-8.9, 0), (-9.1, 1), (9.1, 19)],
)
def test_bins(alpha_deg: float, view: int) -> None:
    assert view_of_alpha(np.array([math.radians(alpha_deg)]), 20).tolist() == [view]


@given(alpha_deg=st.floats(-360, 360), n_views=st.sampled_from([2, 4, 8, 16, 20, 24]))
def test_bins_are_those_of_training(alpha_deg: float, n_views: int) -> None:
    step = 360 / n_views
    if abs((alpha_deg / step - 0.5) % 1) > 1e-9:  # not on a limit, where degrees and radians may round apart
        found = view_of_alpha(np.array([math.radians(alpha_deg)]), n_views)
        assert str(found[0] + 1) == ring_view_name(alpha_deg, n_views)


def test_confusion_errors_and_averages() -> None:
    labels = [car(0, 0), car(-90, 1), car(170, 2), car(90, 3)]
    detections = [car(2, 0, 4.0), car(-110, 1, 3.0), car(-170, 2, 2.0), car(0, 7, 1.0)]
    views = evaluate(labels, detections)
    assert views is not None
    confusion = np.zeros((20, 21), dtype=int)
    for true, predicted in ((0, 0), (5, 6), (11, 9), (15, 20)):
        confusion[true, predicted] += 1
    assert views.confusion.tolist() == confusion.tolist()
    assert views.accuracy == pytest.approx(1 / 3)
    assert views.within_one_view == pytest.approx(2 / 3)
    assert views.mean_abs_error_deg == pytest.approx((2 + 20 + 20) / 3)
    assert views.median_abs_error_deg == pytest.approx(20)
    assert views.avp == pytest.approx(25)  # one of four views right, at full precision


def test_neighbours_wrap_around() -> None:
    views = evaluate([car(0, 0)], [car(18, 0, 1.0)])
    assert views is not None
    assert (views.accuracy, views.within_one_view) == (0, 1)  # bins 1 and 20


def test_a_duplicate_of_the_right_view_is_a_false_positive() -> None:
    views = evaluate([car(0, 0)], [car(0, 0, 1.0), car(0, 0, 2.0)])
    assert views is not None
    assert views.found == 1
    # Both overlap alike, so the first in the file is taken; the better scored one then costs precision.
    assert views.avp == pytest.approx(50)


def test_detections_without_angles_have_no_views() -> None:
    detection = car(0, 0, 1.0)
    assert evaluate([car(0, 0)], [detection._replace(alpha=NO_ANGLE)]) is None
    low = car(0, 0)._replace(y2=30.0)
    assert evaluate([low], [detection]) is None  # no moderate car at all


def test_nothing_found() -> None:
    views = evaluate([car(0, 0)], [car(0, 5, 1.0)])
    assert views is not None
    assert (views.found, views.accuracy, views.within_one_view, views.mean_abs_error_deg) == (
        0,
        None,
        None,
        None,
    )
    assert "no object found" in views.summary()
    with pytest.raises(ValueError, match="n_views of evaluate_kitti must be at least 2, found 1"):
        evaluate([car(0, 0)], [car(0, 0, 1.0)], n_views=1)


def test_json() -> None:
    frames = KittiObjects.from_frames([[car(0, 0)]]), KittiObjects.from_frames([[car(2, 0, 1.0)]])
    content = evaluate_kitti(*frames).to_json()["views"]
    wanted = {"accuracy", "within_one_view", "confusion", "mean_abs_error_deg", "median_abs_error_deg"}
    assert wanted | {"avp", "avp11", "aos11", "aos40"} <= set(content)
    assert len(content["confusion"]) == 20
    assert content["accuracy"] == 1
