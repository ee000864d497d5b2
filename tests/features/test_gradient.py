"""Gradients and their histograms against the reference, plain numpy, and invariants."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.features.gradient import gradient_histogram, gradient_magnitude, gradients
from badacost.features.hog_descriptors import fhog, hog


def base_planes(steps):
    """The smoothed planes from which the reference took every gradient."""
    base = steps["base_convTri_r1"]
    return base if base.ndim == 3 else base[np.newaxis]


def magnitude_twin(planes, full):
    """The strongest plane's gradient in float64."""
    vertical = np.stack([np.gradient(plane, axis=0) for plane in planes.astype(np.float64)])
    horizontal = np.stack([np.gradient(plane, axis=1) for plane in planes.astype(np.float64)])
    squared = vertical**2 + horizontal**2
    winner = np.argmax(squared, axis=0)[np.newaxis]
    vertical, horizontal, squared = (
        np.take_along_axis(values, winner, axis=0)[0] for values in (vertical, horizontal, squared)
    )
    angle = np.arctan2(vertical, horizontal)
    return np.sqrt(squared), np.mod(angle, 2 * np.pi if full else np.pi)


def histogram_twin(magnitude, orientation, size, n_bins, soft_bin, full):
    """Hat functions over orientations, and over cells, as matrices."""
    position = orientation.astype(np.float64) * n_bins / (2 * np.pi if full else np.pi)
    bins = np.arange(n_bins)[:, np.newaxis, np.newaxis]
    if n_bins == 1:
        shares = np.ones((1, *position.shape))
    elif soft_bin >= 0:
        distance = np.abs(position - bins)
        shares = np.maximum(0, 1 - np.minimum(distance, n_bins - distance))
    else:
        shares = (np.floor(position + 0.5) % n_bins) == bins

    def cells(length):
        number = length // size
        pixel = (np.arange(number * size) + 0.5) / size - 0.5
        if soft_bin % 2 == 1:
            share = np.maximum(0, 1 - np.abs(pixel - np.arange(number)[:, np.newaxis]))
            if size > 1 and number:
                share[[0]] *= 8 / 7
                share[[-1]] *= 8 / 7
        else:
            share = (np.arange(number * size) // size) == np.arange(number)[:, np.newaxis]
        return share / size

    down, across = cells(magnitude.shape[0]), cells(magnitude.shape[1])
    weights = (magnitude * shares)[:, : down.shape[1], : across.shape[1]]
    return np.einsum("ry,byx,cx->brc", down, weights, across)


@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_differences_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    plane = steps["luv"][0] if "luv" in steps else steps["gray"]
    horizontal, vertical = gradients(plane)
    np.testing.assert_array_equal(horizontal, steps["L_gx"])
    np.testing.assert_array_equal(vertical, steps["L_gy"])


@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_magnitudes_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    magnitude, orientation = gradient_magnitude(base_planes(steps))
    # The reference: approximate reciprocal square root, then approximate reciprocal.
    np.testing.assert_allclose(magnitude, steps["M_unnorm"], rtol=5e-4, atol=4e-5)
    # and a table of arccosines, truncated: coarse near 0 and pi.
    assert_orientations(orientation, steps["O"])

    normalized, _ = gradient_magnitude(base_planes(steps), normalization_radius=5)
    np.testing.assert_allclose(normalized, steps["M"], rtol=8e-4, atol=5e-4)
    if "O_full" in steps:
        _, orientation = gradient_magnitude(base_planes(steps), full_orientation=True)
        assert_orientations(orientation, steps["O_full"])
    if "M_colorChn1" in steps:
        normalized, orientation = gradient_magnitude(
            base_planes(steps), color_plane=0, normalization_radius=5
        )
        np.testing.assert_allclose(normalized, steps["M_colorChn1"], rtol=8e-4, atol=5e-4)
        assert_orientations(orientation, steps["O_colorChn1"])


def assert_orientations(orientation, expected):
    error = np.abs(orientation - expected)
    assert np.median(error) < 1e-4
    assert np.quantile(error, 0.98) < 6e-3
    assert error.max() < 0.025


@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_normalisation_is_the_references(name, reference_steps):
    """Given the reference's own magnitude: M is it over its triangle of radius 5, plus 0.005."""
    from badacost.features.smoothing import convolve_triangle

    steps = reference_steps(name)
    smooth = convolve_triangle(steps["M_unnorm"], 5)
    np.testing.assert_allclose(steps["M_unnorm"] / (smooth + 0.005), steps["M"], rtol=3.5e-4, atol=5e-4)


@pytest.mark.parametrize("name", ["astro", "cof", "chel", "odd", "gray"])
def test_histograms_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    found = [key for key in steps if key.startswith("H_")]
    assert found
    for key in found:
        size, bins, minus, soft_bin, full = re.fullmatch(r"H_b(\d+)_o(\d+)_s(m?)(\d+)(_full)?", key).groups()
        histogram = gradient_histogram(
            steps["M"],
            steps["O_full" if full else "O"],
            bin_size=int(size),
            orientations=int(bins),
            soft_bin=-int(soft_bin) if minus else int(soft_bin),
            full_orientation=bool(full),
        )
        np.testing.assert_allclose(histogram, steps[key], rtol=0, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_hogs_are_the_references(name, reference_steps):
    steps = reference_steps(name)
    np.testing.assert_allclose(hog(steps["M"], steps["O"]), steps["HOG_b8_o9"], rtol=0, atol=1e-6)
    if "O_full" in steps:
        np.testing.assert_allclose(fhog(steps["M"], steps["O_full"]), steps["FHOG_b8_o9"], rtol=0, atol=1e-6)
    else:  # with our orientations: a hard bin may change where the reference's is coarse
        _, orientation = gradient_magnitude(base_planes(steps), full_orientation=True)
        error = np.abs(fhog(steps["M"], orientation) - steps["FHOG_b8_o9"])
        assert error.mean() < 2e-4
        assert error.max() < 0.05


@given(
    shape=st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9)),
    full=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_magnitude_is_its_definition(shape, full, seed):
    planes = np.random.default_rng(seed).random(shape, np.float32)
    magnitude, orientation = gradient_magnitude(planes, full_orientation=full)
    planes = np.pad(planes, [(0, 0), *[(0, 1) if side == 1 else (0, 0) for side in shape[1:]]], mode="edge")
    expected, angle = magnitude_twin(planes, full)
    expected, angle = expected[: shape[1], : shape[2]], angle[: shape[1], : shape[2]]
    np.testing.assert_allclose(magnitude, np.maximum(expected, 1e-10), atol=1e-6)
    turn = 2 * np.pi if full else np.pi
    distance = np.abs(orientation - angle)
    distance = np.minimum(distance, turn - distance)
    assert distance[expected > 1e-3].max(initial=0) < 1e-3
    assert orientation.min() >= 0
    assert orientation.max() < turn


@given(
    shape=st.tuples(st.integers(1, 13), st.integers(1, 13)),
    size=st.integers(1, 5),
    bins=st.integers(1, 9),
    soft_bin=st.integers(-4, 3),
    full=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=100, deadline=None)
def test_a_histogram_is_its_definition(shape, size, bins, soft_bin, full, seed):
    random = np.random.default_rng(seed)
    magnitude = random.random(shape, np.float32)
    orientation = random.random(shape, np.float32) * np.float32((2 if full else 1) * np.pi * 0.99999)
    histogram = gradient_histogram(
        magnitude, orientation, bin_size=size, orientations=bins, soft_bin=soft_bin, full_orientation=full
    )
    expected = histogram_twin(magnitude, orientation, size, bins, soft_bin, full)
    assert histogram.shape == (bins, shape[0] // size, shape[1] // size)
    # A pixel halfway between two bins may fall to either side.
    position = orientation * bins / ((2 if full else 1) * np.pi)
    if soft_bin < 0 and (np.abs(position % 1 - 0.5) < 1e-5).any():
        return
    np.testing.assert_allclose(histogram, expected, atol=2e-6)


@pytest.mark.parametrize("soft_bin", [0, -2])
def test_bins_of_hard_cells_sum_to_the_mean_magnitude(soft_bin):
    random = np.random.default_rng(4)
    magnitude, orientation = random.random((24, 16), np.float32), random.random((24, 16), np.float32) * 3
    histogram = gradient_histogram(magnitude, orientation, bin_size=4, orientations=6, soft_bin=soft_bin)
    means = magnitude.reshape(6, 4, 4, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(histogram.sum(axis=0), means, rtol=1e-5)


def test_the_strongest_plane_wins_everywhere():
    ramp = np.tile(np.arange(8, dtype=np.float32), (8, 1))
    planes = np.stack([0.1 * ramp, ramp.T, 0.5 * ramp])
    magnitude, orientation = gradient_magnitude(planes)
    np.testing.assert_allclose(magnitude, 1)
    np.testing.assert_allclose(orientation, np.pi / 2)
    magnitude, orientation = gradient_magnitude(planes, color_plane=2)
    np.testing.assert_allclose(magnitude, 0.5)
    np.testing.assert_allclose(orientation, 0)


def test_opposite_edges_differ_by_half_a_turn_if_full():
    ramp = np.tile(np.arange(8, dtype=np.float32), (8, 1))
    half_turn = np.pi
    for planes, half, full in (
        (ramp, 0, 0),
        (ramp.T, half_turn / 2, half_turn / 2),
        (-ramp, half_turn, half_turn),  # as in the reference: not 0, but just below half a turn
        (-ramp.T, half_turn / 2, 3 * half_turn / 2),
    ):
        np.testing.assert_allclose(gradient_magnitude(planes)[1], half, atol=2e-6)
        np.testing.assert_allclose(gradient_magnitude(planes, full_orientation=True)[1], full, atol=2e-6)


def test_no_gradient_has_the_references_values():
    magnitude, orientation = gradient_magnitude(np.full((3, 5, 5), 0.3, np.float32))
    np.testing.assert_allclose(magnitude, 1e-10)
    np.testing.assert_allclose(orientation, np.pi / 2)


@pytest.mark.parametrize("shape", [(8, 8), (16, 8), (8, 24), (7, 40), (16, 16)])
def test_hogs_of_few_cells_are_finite_and_clipped(shape):
    """One row or column of cells has no 2 x 2 block."""
    random = np.random.default_rng(5)
    magnitude, orientation = random.random(shape, np.float32), random.random(shape, np.float32) * 6
    for descriptor, channels in (
        (hog(magnitude, orientation % np.float32(3.14), bin_size=8, orientations=9), 36),
        (fhog(magnitude, orientation, bin_size=8, orientations=9), 32),
    ):
        assert descriptor.shape == (channels, shape[0] // 8, shape[1] // 8)
        assert np.isfinite(descriptor).all()
        assert descriptor.max(initial=0) <= 0.2 * 9  # texture sums 18 clipped bins, by 0.2357
    assert hog(magnitude, orientation % np.float32(3.14), clip=0.1).max(initial=0) <= np.float32(0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plane: gradient_magnitude(plane, color_plane=1), r"color_plane .* in \[0, 1\), got 1"),
        (lambda plane: gradient_magnitude(plane[0]), "must be .* got"),
        (lambda plane: gradient_histogram(plane, plane[1:]), r"one 2-d shape, got \(4, 4\) and \(3, 4\)"),
        (lambda plane: gradient_histogram(plane, plane, bin_size=0), "bin_size .* got 0"),
        (lambda plane: gradient_histogram(plane, plane, orientations=0), "orientations .* got 0"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.zeros((4, 4), np.float32))
