"""Views, their angles, and what a mirror makes of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.training.views import (
    FACE_VIEWS,
    ViewSet,
    face_view_name,
    face_views,
    named_views,
    ring_view_name,
    ring_views,
    single_view,
)

angles = st.floats(-180, 180, allow_nan=False)
counts = st.integers(1, 40).map(lambda half: 2 * half)


@pytest.mark.parametrize(
    ("yaw", "view"),
    [
        *((-105, "right_profile"), (-60.01, "right_profile"), (-60, "half_right"), (-20.01, "half_right")),
        *((-20, "frontal"), (19.99, "frontal"), (20, "half_left"), (59.99, "half_left")),
        *((60, "left_profile"), (90, "left_profile")),
    ],
)
def test_limits_of_face_views_belong_to_the_upper_view(yaw: float, view: str) -> None:
    assert face_view_name(yaw) == view


@given(yaw=angles.filter(lambda yaw: abs(yaw) not in (20, 60)))
def test_a_mirror_turns_the_face_view_of_a_yaw_into_that_of_the_opposite_yaw(yaw: float) -> None:
    views = face_views()
    mirrored = views.mirrored[views.index()[face_view_name(yaw)]]
    assert mirrored is not None
    assert views.names[mirrored] == face_view_name(-yaw)


def test_each_face_view_holds_its_own_angle() -> None:
    views = face_views()
    assert tuple(face_view_name(angle) for angle in views.angles) == views.names == FACE_VIEWS


@given(alpha=angles, count=counts)
def test_an_angle_lies_within_half_a_bin_of_its_ring_view(alpha: float, count: int) -> None:
    views = ring_views(count)
    center = views.angles[views.index()[ring_view_name(alpha, count)]]
    distance = abs((alpha - center + 180) % 360 - 180)
    assert distance <= 180 / count + 1e-9


@given(count=counts, offset=st.floats(-0.49, 0.49), data=st.data())
def test_a_mirror_turns_alpha_into_180_minus_alpha(count: int, offset: float, data: st.DataObject) -> None:
    views = ring_views(count)
    number = data.draw(st.integers(0, count - 1))
    alpha = views.angles[number] + offset * 360 / count
    mirrored = views.mirrored[number]
    assert mirrored is not None
    assert ring_view_name(180 - alpha, count) == views.names[mirrored]


def test_the_twenty_views_of_kitti() -> None:
    views = ring_views(20)
    assert views.names == tuple(str(number) for number in range(1, 21))
    # Nose right, rear, nose left, front.
    assert [views.angles[number - 1] for number in (1, 6, 11, 16)] == [0, -90, -180, 90]
    assert [views.mirrored[number - 1] for number in (1, 6, 11, 16)] == [10, 5, 0, 15]
    # Bins are half-open on the side of -alpha: [-9, 9) of bin 1.
    assert ring_view_name(9, 20) == "1"
    assert ring_view_name(-9, 20) == "2"


@pytest.mark.parametrize("count", [0, 1, 7, -2])
def test_a_ring_needs_an_even_number_of_views(count: int) -> None:
    with pytest.raises(ValueError, match=f"count of ring_views must be even and at least 2, found {count}"):
        ring_views(count)


def test_named_views_swap_left_and_right() -> None:
    views = named_views(("left_side", "front", "right_side"))
    assert views.mirrored == (2, 1, 0)
    assert all(math.isnan(angle) for angle in views.angles)


def test_the_mirror_image_of_one_side_is_not_the_same_side() -> None:
    assert named_views(("frontal", "half_left")).mirrored == (0, None)


def test_a_single_view_mirrors_into_itself() -> None:
    assert single_view("face").mirrored == (0,)


def test_malformed_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="names of ViewSet must differ"):
        ViewSet(("a", "a"), (0, 1), (0, 1))
    with pytest.raises(ValueError, match="an angle and a mirrored view each"):
        ViewSet(("a", "b"), (0,), (0, 1))
    with pytest.raises(ValueError, match="must lead back to each view"):
        ViewSet(("a", "b", "c"), (0, 1, 2), (1, 2, 0))
