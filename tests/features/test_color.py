"""Colour conversion against the reference, definitions and invariants."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from badacost.features.color import GRAY_WEIGHTS, convert_color, lightness_table

RGB_IMAGES = npst.arrays(np.uint8, st.tuples(st.integers(1, 6), st.integers(1, 9), st.just(3)))


def luv_twin(image):
    """L*u*v* of gamma-compressed RGB in double precision, with the reference's table of lightness."""
    matrix = np.array(
        [[0.430574, 0.341550, 0.178325], [0.222015, 0.706655, 0.071330], [0.020183, 0.129553, 0.939180]]
    )
    x, y, z = np.tensordot(matrix, image / 255, axes=(1, 2))
    lightness = lightness_table()[np.floor(y * 1024 + 1e-9).astype(int)]
    total = np.maximum(x + 15 * y + 3 * z, 1e-35)
    u = lightness * 13 * (4 * x / total - 0.197833) + 88 / 270
    v = lightness * 13 * (9 * y / total - 0.468331) + 134 / 270
    return np.stack([lightness, u, v])


@pytest.mark.parametrize("name", ["astro", "cof", "chel", "odd"])
def test_luv_is_the_references(name, reference_images, reference_steps):
    luv, expected = convert_color(reference_images[name], "luv"), reference_steps(name)["luv"]
    error = np.abs(luv - expected)
    assert error[0].max() < 1e-7  # the same entry of the table at every pixel
    if name == "odd":  # the reference divides exactly where the number of pixels is no multiple of 4
        assert error[1:].max() < 2e-7
    else:  # and elsewhere by a 12-bit reciprocal
        assert error[1].max() < 3e-4
        assert error[2].max() < 7e-4
        assert error[1].mean() < 6.5e-5
        assert error[2].mean() < 1.6e-4


@pytest.mark.parametrize("name", ["astro", "gray"])
def test_gray_is_the_references(name, reference_images, reference_steps):
    gray = convert_color(reference_images[name], "gray")
    assert gray.shape[0] == 1
    np.testing.assert_allclose(gray[0], reference_steps(name)["gray"], atol=3e-7)


@given(RGB_IMAGES)
@settings(max_examples=40, deadline=None)
def test_luv_is_its_definition(image):
    luv, expected = convert_color(image, "luv"), luv_twin(image)
    one_step = np.abs(np.diff(lightness_table())).max() + 1e-5
    assert np.abs(luv[0] - expected[0]).max() <= one_step
    same_entry = np.abs(luv[0] - expected[0]) < 1e-6
    np.testing.assert_allclose(luv[1:, same_entry], expected[1:, same_entry], atol=3e-6)


@given(RGB_IMAGES)
@settings(max_examples=40, deadline=None)
def test_hsv_is_its_definition(image):
    hsv = convert_color(image, "hsv")
    expected = [colorsys.rgb_to_hsv(*(pixel / 255)) for pixel in image.reshape(-1, 3)]
    np.testing.assert_allclose(hsv.reshape(3, -1).T, expected, atol=1e-6)


def test_rgb_is_scaled_and_planar():
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    np.testing.assert_allclose(convert_color(image, "rgb"), image.transpose(2, 0, 1) / 255, atol=1e-7)


@pytest.mark.parametrize("space", ["luv", "gray", "rgb", "hsv"])
def test_a_gray_image_is_one_of_equal_colors(space):
    gray = np.random.default_rng(1).integers(0, 256, (9, 6), dtype=np.uint8)
    planes = convert_color(gray, space)
    np.testing.assert_allclose(planes, convert_color(np.dstack([gray] * 3), space), atol=2e-7)


def test_extreme_values_stay_in_range():
    """Pure white must not fall off the end of the table of lightness, nor black divide by zero."""
    image = np.array([[[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]]], np.uint8)
    luv = convert_color(image, "luv")
    assert np.isfinite(luv).all()
    assert luv.min() > -0.01
    assert luv.max() < 1.01
    np.testing.assert_allclose(luv[:, 0, 0], [0, 88 / 270, 134 / 270], atol=1e-6)
    np.testing.assert_allclose(luv[0, 0, 1], 100 / 270, atol=1e-5)


def test_the_number_of_threads_and_the_memory_layout_do_not_matter():
    image = np.random.default_rng(2).integers(0, 256, (200, 31, 3), dtype=np.uint8)
    planes = convert_color(image, "luv")
    np.testing.assert_array_equal(convert_color(image, "luv", threads=3), planes)
    np.testing.assert_array_equal(convert_color(np.asfortranarray(image), "luv"), planes)
    np.testing.assert_array_equal(convert_color(image[:, ::-1], "luv"), planes[:, :, ::-1])


@pytest.mark.parametrize("space", ["luv", "gray", "rgb", "hsv"])
@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 3), (0, 0)])
def test_an_empty_image_has_empty_planes(space, shape):
    planes = convert_color(np.zeros(shape, np.uint8), space)
    assert planes.shape == (1 if space == "gray" else 3, *shape[:2])
    assert planes.dtype == np.float32


def test_the_weights_of_gray_sum_to_one():
    assert GRAY_WEIGHTS.sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((4, 4, 3), np.float32), "dtype uint8"),
        (np.zeros((4, 4, 4), np.uint8), r"\(4, 4, 4\)"),
        (np.zeros(4, np.uint8), r"\(4,\)"),
    ],
)
def test_other_arrays_are_refused(image, message):
    with pytest.raises(ValueError, match=message):
        convert_color(image, "luv")


def test_an_unknown_color_space_is_refused():
    with pytest.raises(ValueError, match=r"color_space of convert_color must be one of .* got 'lab'"):
        convert_color(np.zeros((4, 4, 3), np.uint8), "lab")
