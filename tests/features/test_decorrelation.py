"""LDCF filters against the reference's, and the folded kernel against its slow twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from badacost.features.decorrelation import DecorrelationFilters, quantize
from badacost.features.local_covariance import leading_filters, local_covariance


def test_covariance_of_windows_is_that_of_the_reference(shared: Path) -> None:
    golden = np.load(shared / "reference/acf/ldcf.npz")
    covariance = local_covariance(golden["chns_windows"].transpose(3, 2, 0, 1), 5)
    np.testing.assert_allclose(covariance, golden["cov"].transpose(2, 0, 1), rtol=1e-5)


def test_filters_of_a_covariance_are_those_of_the_reference_up_to_sign(shared: Path) -> None:
    golden = np.load(shared / "reference/acf/ldcf.npz")
    for channel in range(10):
        found = leading_filters(golden["cov"][..., channel], 4)
        expected = golden["filters"][:, :, channel].transpose(2, 0, 1)
        np.testing.assert_allclose(np.abs((found * expected).sum(axis=(1, 2))), 1, atol=1e-6)


def test_filtered_level_is_that_of_the_reference(shared: Path) -> None:
    golden = np.load(shared / "reference/acf/ldcf.npz")
    filters = DecorrelationFilters(golden["filters"].transpose(3, 2, 0, 1).astype(np.float32))
    level = np.ascontiguousarray(golden["pyr3_in"].transpose(2, 0, 1))
    np.testing.assert_allclose(filters.apply(level), golden["pyr3_filtered"].transpose(2, 0, 1), atol=1e-5)


def random_filters(size: int = 5, channels: int = 3, count: int = 2) -> DecorrelationFilters:
    return DecorrelationFilters(
        np.random.default_rng(1).normal(size=(count, channels, size, size)).astype(np.float32)
    )


def filter_and_halve_slowly(filters: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """True convolution with a border of zeros, then means of 2 x 2."""
    count, n_channels, size, _ = filters.shape
    _, height, width = channels.shape
    margin = size // 2
    padded = np.pad(channels.astype(np.float64), ((0, 0), (margin, margin), (margin, margin)))
    planes = np.zeros((count, n_channels, height, width))
    for row in range(size):
        for column in range(size):
            shifted = padded[:, row : row + height, column : column + width]
            planes += filters[:, :, size - 1 - row, size - 1 - column][..., None, None] * shifted
    halves = planes.reshape(count * n_channels, height // 2, 2, width // 2, 2).mean(axis=(2, 4))
    return halves / (1 + 1e-6) ** 2


@pytest.mark.parametrize("size", [1, 3, 5, 7])
@pytest.mark.parametrize(("height", "width"), [(2, 2), (8, 70), (132, 18)])
def test_folded_filter_is_filter_and_mean(size: int, height: int, width: int) -> None:
    filters = random_filters(size)
    channels = np.random.default_rng(2).random((3, height, width)).astype(np.float32)
    expected = filter_and_halve_slowly(filters.filters, channels)
    np.testing.assert_allclose(filters.apply(channels), expected, atol=2e-5)


def test_planes_of_odd_sides_agree_with_even_ones_away_from_the_end() -> None:
    filters = random_filters()
    channels = np.random.default_rng(2).random((3, 31, 40)).astype(np.float32)
    assert filters.apply(channels).shape == (6, 16, 20)


def test_quantised_result_is_the_quantised_float_result() -> None:
    filters = random_filters()
    channels = np.random.default_rng(2).random((3, 40, 60)).astype(np.float32)
    scale = np.linspace(20, 90, 6).astype(np.float32)
    offset = np.linspace(-3, 0, 6).astype(np.float32)
    found = filters.apply_quantized(channels, scale, offset)
    expected = quantize(filters.apply(channels), scale, offset)
    # A value on the edge between two bytes may round either way.
    assert (found != expected).mean() < 1e-3
    assert np.abs(found.astype(int) - expected).max() <= 1


def test_number_of_threads_changes_no_bit() -> None:
    filters = random_filters()
    channels = np.random.default_rng(2).random((3, 300, 60)).astype(np.float32)
    np.testing.assert_array_equal(filters.apply(channels), filters.apply(channels, threads=4))


def test_wrong_number_of_channels_and_even_filters_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must have 3 planes, found shape \(2, 4, 4\)"):
        random_filters().apply(np.zeros((2, 4, 4), np.float32))
    with pytest.raises(ValueError, match="s odd"):
        random_filters(4)
    with pytest.raises(ValueError, match="must fit twice into windows of 8 x 8"):
        local_covariance(np.zeros((2, 1, 8, 8)), 5)
