"""Smoothing against the reference, a padded convolution, and invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.features.smoothing import convolve_box, convolve_triangle

# Tolerances: the reference sums in float32, we in float64.
TRIANGLES = {
    "L_convTri_r0p5": (0.5, 1, 2e-7),
    "L_convTri_r1": (1, 1, 2e-7),
    "L_convTri_r2": (2, 1, 2e-5),
    "L_convTri_r5": (5, 1, 5e-6),
    "L_convTri_r1_s2": (1, 2, 2e-7),
    "L_convTri_r5_s2": (5, 2, 5e-6),
}


def convolution_twin(planes, taps, downsample=1):
    """Separable convolution of the mirrored image in float64."""
    radius = len(taps) // 2
    for axis in (-2, -1):
        size = planes.shape[axis]
        shown = np.pad(np.arange(size), radius, mode="symmetric")
        source = np.take(np.asarray(planes, np.float64), shown, axis=axis)
        parts = [tap * np.take(source, range(k, k + size), axis=axis) for k, tap in enumerate(taps)]
        planes = np.sum(parts, axis=0)
    start, height, width = downsample // 2, planes.shape[-2] // downsample, planes.shape[-1] // downsample
    return planes[..., start::downsample, start::downsample][..., :height, :width]


def triangle_taps(radius):
    if radius == 0:
        return np.ones(1)
    if radius <= 1:
        p = 12 / (radius * (radius + 2)) - 2
        return np.array([1, p, 1]) / (2 + p)
    return np.array([*range(1, radius + 1), radius + 1, *range(radius, 0, -1)]) / (radius + 1) ** 2


@pytest.mark.parametrize("name", ["astro", "cof", "chel", "odd", "gray"])
def test_triangles_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    plane = steps["luv"][0] if "luv" in steps else steps["gray"]
    found = [key for key in TRIANGLES if key in steps]
    assert found
    for key in found:
        radius, downsample, tolerance = TRIANGLES[key]
        smooth = convolve_triangle(plane, radius, downsample)
        np.testing.assert_allclose(smooth, steps[key], rtol=0, atol=tolerance, err_msg=key)


@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_all_planes_are_smoothed_as_in_the_reference(name, reference_steps):
    steps = reference_steps(name)
    planes = steps["luv"] if "luv" in steps else steps["gray"]
    np.testing.assert_allclose(convolve_triangle(planes, 1), steps["base_convTri_r1"], rtol=0, atol=2e-7)


@pytest.mark.parametrize("name", ["astro", "gray"])
def test_boxes_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    plane = steps["luv"][0] if "luv" in steps else steps["gray"]
    np.testing.assert_allclose(convolve_box(plane, 3), steps["L_convBox_r3"], rtol=0, atol=1e-6)


@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(1, 12)),
    radius=st.one_of(st.floats(0, 1), st.integers(2, 20)),
    downsample=st.integers(1, 4),
    seed=st.integers(0, 99),
)
@settings(max_examples=80, deadline=None)
def test_a_triangle_is_its_convolution_at_any_size(shape, radius, downsample, seed):
    planes = np.random.default_rng(seed).random(shape, np.float32)
    if 0 < radius < 1e-3:
        radius = 0.0  # the centre tap grows beyond what float32 divides well
    expected = convolution_twin(planes, triangle_taps(radius), downsample)
    np.testing.assert_allclose(convolve_triangle(planes, radius, downsample), expected, atol=3e-7)


@given(
    shape=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    radius=st.integers(0, 20),
    downsample=st.integers(1, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_a_box_is_its_convolution_at_any_size(shape, radius, downsample, seed):
    plane = np.random.default_rng(seed).random(shape, np.float32)
    expected = convolution_twin(plane, np.full(2 * radius + 1, 1 / (2 * radius + 1)), downsample)
    np.testing.assert_allclose(convolve_box(plane, radius, downsample), expected, atol=3e-7)


@pytest.mark.parametrize("radius", [0.3, 1, 2, 7])
def test_constants_stay_and_the_sum_is_kept(radius):
    np.testing.assert_allclose(convolve_triangle(np.full((9, 11), 0.7, np.float32), radius), 0.7, atol=1e-6)
    plane = np.random.default_rng(3).random((20, 30), np.float32)  # mirrored borders lose nothing
    assert convolve_triangle(plane, radius).sum() == pytest.approx(plane.sum(), rel=1e-5)


def test_a_great_value_leaves_no_trace_far_away():
    """Running sums must not drift."""
    plane = np.zeros((4, 2000), np.float32)
    plane[:, 5] = 1e6
    assert convolve_triangle(plane, 5)[:, 40:].max() == 0


def test_an_empty_plane_stays_empty():
    assert convolve_triangle(np.zeros((2, 0, 5), np.float32), 1).shape == (2, 0, 5)
    assert convolve_box(np.zeros((0, 5), np.float32), 2, 2).shape == (0, 2)


def test_the_input_is_left_alone():
    plane = np.ones((4, 4), np.float32)
    convolve_triangle(plane, 0)[:] = 5
    assert (plane == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plane: convolve_triangle(plane, -1), "radius of convolve_triangle .* got -1"),
        (lambda plane: convolve_triangle(plane, 1.5), "radius of convolve_triangle .* got 1.5"),
        (lambda plane: convolve_triangle(plane, float("nan")), "radius of convolve_triangle .* got nan"),
        (lambda plane: convolve_box(plane, 0.5), "radius of convolve_box .* got 0.5"),
        (lambda plane: convolve_triangle(plane, 1, 0), "downsample must be at least 1, got 0"),
        (lambda plane: convolve_triangle(plane[0], 1), "at least 2 dimensions"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.zeros((4, 4), np.float32))
