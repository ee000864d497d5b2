"""LDCF filters against the reference's, and the fast kernels against a slow twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.features.decorrelation import DecorrelationFilters, quantize
from badacost.features.local_covariance import leading_filters, local_covariance
from badacost.features.resample import resample


@pytest.fixture(scope="module")
def golden(shared: Path) -> dict[str, NDArray]:
    with np.load(shared / "reference/acf/ldcf.npz") as stored:
        return dict(stored)


@pytest.fixture
def golden_filters(golden: dict[str, NDArray]) -> DecorrelationFilters:
    return DecorrelationFilters(golden["filters"].transpose(3, 2, 0, 1))


def test_covariance_of_windows_is_that_of_the_reference(golden: dict[str, NDArray]) -> None:
    covariance = local_covariance(golden["chns_windows"].transpose(3, 2, 0, 1), 5)
    np.testing.assert_allclose(covariance, golden["cov"].transpose(2, 0, 1), rtol=1e-5)
    eigenvalues = np.linalg.eigvalsh(covariance)[:, ::-1].T
    np.testing.assert_allclose(eigenvalues, golden["eigvals"], rtol=1e-4, atol=1e-6 * eigenvalues.max())


def test_filters_of_a_covariance_are_those_of_the_reference_up_to_sign(golden: dict[str, NDArray]) -> None:
    for channel in range(10):
        found = leading_filters(golden["cov"][..., channel], 4)
        expected = golden["filters"][:, :, channel].transpose(2, 0, 1)
        np.testing.assert_allclose(np.abs((found * expected).sum(axis=(1, 2))), 1, atol=1e-6)


def test_filters_of_windows_are_those_of_the_reference_up_to_sign(
    golden: dict[str, NDArray], golden_filters: DecorrelationFilters
) -> None:
    found = DecorrelationFilters.estimate(golden["chns_windows"].transpose(3, 2, 0, 1))
    products = (found.filters * golden_filters.filters).sum(axis=(2, 3))
    np.testing.assert_allclose(np.abs(products), 1, atol=1e-4)


def test_filtered_level_of_odd_sides_is_that_of_the_reference(
    golden: dict[str, NDArray], golden_filters: DecorrelationFilters
) -> None:
    level = golden["pyr3_in"].transpose(2, 0, 1)
    expected = golden["pyr3_filtered"].transpose(2, 0, 1)
    np.testing.assert_allclose(golden_filters.apply(level), expected, atol=1e-5)


def test_filtered_windows_of_even_sides_are_those_of_the_reference_inside(
    golden: dict[str, NDArray], golden_filters: DecorrelationFilters
) -> None:
    for window in range(3):
        channels = golden["chns_windows"][..., window].transpose(2, 0, 1)
        expected = golden["filtered_windows_0to2"][..., window].transpose(2, 0, 1)
        found = golden_filters.apply(channels)
        assert found.shape == expected.shape
        # The reference filtered larger windows, and cut off their margins afterwards.
        np.testing.assert_allclose(found[:, 1:-1, 1:-1], expected[:, 1:-1, 1:-1], atol=1e-5)


def random_filters(size: int = 5, channels: int = 3, count: int = 4) -> DecorrelationFilters:
    taps = np.random.default_rng(1).normal(size=(count, channels, size, size))
    return DecorrelationFilters(taps.astype(np.float32))


def random_channels(height: int, width: int, channels: int = 3) -> NDArray[np.float32]:
    return np.random.default_rng(2).random((channels, height, width), np.float32)


def filter_and_halve_slowly(filters: NDArray, channels: NDArray) -> NDArray:
    """True convolution with a border of zeros, then the resampling to half, rounded up."""
    count, n_channels, size, _ = filters.shape
    _, height, width = channels.shape
    margin = size // 2
    padded = np.pad(channels.astype(np.float64), ((0, 0), (margin, margin), (margin, margin)))
    planes = np.zeros((count, n_channels, height, width))
    for row in range(size):
        for column in range(size):
            shifted = padded[:, row : row + height, column : column + width]
            planes += filters[:, :, size - 1 - row, size - 1 - column][..., None, None] * shifted
    planes = planes.reshape(count * n_channels, height, width)
    return resample(planes, (height + 1) // 2, (width + 1) // 2)


@pytest.mark.parametrize("size", [1, 3, 5, 7, 17, 61])
@pytest.mark.parametrize("shape", [(2, 2), (8, 70), (132, 18), (6, 318), (4, 322), (1, 1), (31, 40), (8, 33)])
def test_kernels_filter_and_halve(size: int, shape: tuple[int, int]) -> None:
    filters, channels = random_filters(size), random_channels(*shape)
    expected = filter_and_halve_slowly(filters.filters, channels)
    np.testing.assert_allclose(filters.apply(channels), expected, atol=4e-6 * size * size + 2e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("shape", [(20, 24), (21, 23)])
def test_any_number_of_filters_is_applied_filter_major(count: int, shape: tuple[int, int]) -> None:
    filters, channels = random_filters(count=count), random_channels(*shape)
    filtered = filters.apply(channels)
    assert len(filtered) == filters.n_planes == 3 * count
    expected = filter_and_halve_slowly(filters.filters, channels)
    np.testing.assert_allclose(filtered, expected, atol=2e-5)
    alone = DecorrelationFilters(filters.filters[-1:, 1:2]).apply(channels[1:2])
    np.testing.assert_allclose(filtered[3 * (count - 1) + 1], alone[0], atol=2e-6)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 60), st.integers(1, 60))
def test_filter_of_one_tap_only_halves(height: int, width: int) -> None:
    tap = np.zeros((1, 1, 5, 5), np.float32)
    tap[..., 2, 2] = 1
    channels = random_channels(height, width, 1)
    half = resample(channels, (height + 1) // 2, (width + 1) // 2)
    np.testing.assert_allclose(DecorrelationFilters(tap).apply(channels), half, atol=1e-6)


@pytest.mark.parametrize("shape", [(40, 60), (41, 59)])
def test_quantised_result_is_the_quantised_float_result(shape: tuple[int, int]) -> None:
    filters, channels = random_filters(), random_channels(*shape)
    scale = np.linspace(20, 90, 12).astype(np.float32)
    offset = np.linspace(-3, 0, 12).astype(np.float32)
    found = filters.apply_quantized(channels, scale, offset)
    expected = quantize(filters.apply(channels), scale, offset)
    assert found.dtype == expected.dtype == np.uint8
    # A value on the edge between two bytes may round either way.
    assert (found != expected).mean() < 1e-3
    assert np.abs(found.astype(int) - expected).max() <= 1


def test_quantisation_rounds_and_clips() -> None:
    planes = random_channels(70, 33, 2) * 4 - 2
    scale, offset = np.array([100, 64], np.float32), np.array([-1.5, 0], np.float32)
    expected = np.clip(np.rint((planes - offset[:, None, None]) * scale[:, None, None]), 0, 255)
    found = quantize(planes, scale, offset)
    np.testing.assert_array_equal(found, expected)
    assert found.min() == 0
    assert found.max() == 255
    np.testing.assert_array_equal(quantize(planes, scale, offset, threads=3), found)


@pytest.mark.parametrize("shape", [(300, 60), (301, 61)])
def test_number_of_threads_changes_no_bit(shape: tuple[int, int]) -> None:
    filters, channels = random_filters(), random_channels(*shape)
    scale, offset = np.full(12, 30, np.float32), np.full(12, -3, np.float32)
    np.testing.assert_array_equal(filters.apply(channels), filters.apply(channels, threads=4))
    np.testing.assert_array_equal(
        filters.apply_quantized(channels, scale, offset),
        filters.apply_quantized(channels, scale, offset, threads=4),
    )


def test_strides_and_types_of_channels_do_not_matter() -> None:
    filters, channels = random_filters(), random_channels(20, 22)
    expected = filters.apply(channels)
    np.testing.assert_array_equal(filters.apply(channels.astype(np.float64)), expected)
    np.testing.assert_array_equal(filters.apply(np.asfortranarray(channels)), expected)
    reversed_filters = DecorrelationFilters(np.asfortranarray(filters.filters, np.float64))
    np.testing.assert_array_equal(reversed_filters.apply(channels), expected)


def test_empty_planes_stay_empty() -> None:
    assert random_filters().apply(random_channels(0, 6)).shape == (12, 0, 3)
    assert random_filters().apply(random_channels(5, 0)).shape == (12, 3, 0)


def test_filters_decorrelate_and_do_not_depend_on_the_sign_of_eigenvectors() -> None:
    random = np.random.default_rng(3)
    noise = random.normal(size=(60, 1, 26, 26)).cumsum(axis=2)[:, :, 6:] + 50
    filters = DecorrelationFilters.estimate(noise.astype(np.float32), size=3, n_filters=9)
    taps = filters.filters[:, 0].reshape(9, 9)
    np.testing.assert_allclose(taps @ taps.T, np.eye(9), atol=1e-5)
    assert (taps.sum(axis=1) > -1e-5).all()
    covariance = local_covariance(noise, 3)[0]
    flipped = filters.filters[:, 0, ::-1, ::-1].transpose(0, 2, 1).reshape(9, 9).astype(np.float64)
    projected = flipped @ covariance @ flipped.T
    assert np.abs(projected - np.diag(np.diag(projected))).max() < 1e-4 * projected.max()
    assert (np.diff(np.diag(projected)) < 1e-4 * projected.max()).all()


def test_windows_in_which_a_channel_is_almost_empty_count_only_if_all_are() -> None:
    random = np.random.default_rng(4)
    bright = random.random((5, 1, 12, 12))
    dark = random.random((5, 1, 12, 12)) * 0.02
    mixed = local_covariance(np.concatenate([bright, dark]), 3)
    shifted = bright - np.concatenate([bright, dark]).mean() + 1
    expected = np.mean([(shifted[i, 0] - 1) ** 2 for i in range(5)]) * 144
    np.testing.assert_allclose(mixed[0].diagonal(), expected, rtol=1e-9)
    assert np.isfinite(local_covariance(dark, 3)).all()
    assert local_covariance(dark, 3)[0, 0, 0] > 0


def test_bad_filters_windows_and_channels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must have 3 planes, found shape \(2, 4, 4\)"):
        random_filters().apply(np.zeros((2, 4, 4), np.float32))
    with pytest.raises(ValueError, match=r"must have 3 planes, found shape \(4, 4\)"):
        random_filters().apply_quantized(np.zeros((4, 4), np.float32), np.ones(12), np.ones(12))
    with pytest.raises(ValueError, match="one value for each of 12 planes"):
        random_filters().apply_quantized(random_channels(4, 4), np.ones(11), np.ones(12))
    with pytest.raises(ValueError, match="one value for each of 3 planes"):
        quantize(random_channels(4, 4), np.float32(1), np.ones(3, np.float32))
    with pytest.raises(ValueError, match="at most 61, found"):
        DecorrelationFilters(np.zeros((1, 1, 63, 63), np.float32))
    with pytest.raises(ValueError, match="s odd"):
        random_filters(4)
    with pytest.raises(ValueError, match="must have shape"):
        DecorrelationFilters(np.zeros((0, 3, 5, 5), np.float32))
    with pytest.raises(ValueError, match="must fit twice into windows of 8 x 8"):
        local_covariance(np.zeros((2, 1, 8, 8)), 5)
    with pytest.raises(ValueError, match="with n > 0"):
        DecorrelationFilters.estimate(np.zeros((0, 1, 8, 8), np.float32))
    with pytest.raises(ValueError, match=r"size of DecorrelationFilters.estimate must be odd"):
        DecorrelationFilters.estimate(np.zeros((1, 1, 8, 8), np.float32), size=4)
    with pytest.raises(ValueError, match=r"n_filters of DecorrelationFilters.estimate must be in \[1, 9\]"):
        DecorrelationFilters.estimate(np.zeros((1, 1, 8, 8), np.float32), size=3, n_filters=10)
