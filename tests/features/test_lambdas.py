"""The power law of channels against the reference's fit, and on means that follow it exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.features.channel_kinds import kind_of_channel, lambdas_of_two_scales
from badacost.features.channel_options import ChannelOptions
from badacost.features.lambdas import (
    estimate_lambdas,
    fit_power_law,
    scale_means,
)

CONFIGURATIONS = {"default": ChannelOptions.pedestrian(), "bada": ChannelOptions.badacost()}


@pytest.fixture(scope="module")
def crops(shared: Path, reference_images: dict[str, NDArray]) -> list[NDArray[np.uint8]]:
    photographs = [reference_images[name] for name in ("astronaut", "coffee", "chelsea")]
    offsets = np.load(shared / "reference/acf/lambdas.npz")["crop_offsets"].astype(int)
    return [photographs[n][row : row + height, col : col + width] for n, row, col, height, width in offsets]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_fit_is_that_of_the_reference(shared: Path, name: str) -> None:
    golden = np.load(shared / "reference/acf/lambdas.npz")
    exponents, factors = fit_power_law(golden[f"scales_{name}"].ravel(), golden[f"fs_{name}"])
    np.testing.assert_allclose(exponents, golden[f"lambdas_{name}"].ravel(), atol=1e-12)
    np.testing.assert_allclose(factors, golden[f"as_{name}"].ravel(), atol=1e-12)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_means_over_scales_are_those_of_the_reference(
    shared: Path, crops: list[NDArray[np.uint8]], name: str
) -> None:
    golden = np.load(shared / "reference/acf/lambdas.npz")
    scales, means = scale_means(crops, CONFIGURATIONS[name])
    np.testing.assert_allclose(scales, golden[f"scales_{name}"].ravel(), atol=1e-12)
    np.testing.assert_allclose(means, golden[f"fs_{name}"], atol=3e-4)


def test_exponents_over_images_are_those_of_the_reference(
    shared: Path, crops: list[NDArray[np.uint8]]
) -> None:
    golden = np.load(shared / "reference/acf/lambdas.npz")["lambdas_default"].ravel()
    found = estimate_lambdas(crops, ChannelOptions.pedestrian())
    np.testing.assert_allclose(found, golden, atol=1e-4)
    assert all(value == round(value, 5) for value in found)


def test_images_are_cropped_to_their_common_size(crops: list[NDArray[np.uint8]]) -> None:
    options = ChannelOptions.pedestrian()
    uneven = [np.pad(crops[0], ((0, 0), (0, 30), (0, 0))), np.pad(crops[1], ((0, 7), (0, 0), (0, 0)))]
    assert estimate_lambdas(uneven, options) == estimate_lambdas(crops[:2], options)
    assert estimate_lambdas(uneven, options, threads=2) == estimate_lambdas(crops[:2], options)


@given(st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3), st.floats(0.5, 2))
def test_exact_law_is_recovered(exponents: list[float], factor: float) -> None:
    scales = 2.0 ** (-np.arange(9) / 4)
    law = scales[:, None] ** -np.array(exponents)
    law[1:] *= factor
    found, factors = fit_power_law(scales, law * np.array([3.0, 1.0, 0.2])[:, None, None])
    np.testing.assert_allclose(found, exponents, atol=1e-9)
    np.testing.assert_allclose(factors, factor, rtol=1e-9)
    two = lambdas_of_two_scales(law[2], law[6], scales[2] / scales[6])
    np.testing.assert_allclose(two, exponents, atol=1e-9)


def test_images_that_are_almost_empty_do_not_count() -> None:
    scales = np.array([1, 0.5, 0.25])
    full = np.tile((scales**-0.2)[:, None], (1, 3))
    empty = np.array([[0.01] * 3, [0.9] * 3, [0.4] * 3])
    exponents, _ = fit_power_law(scales, np.stack([full, empty]))
    np.testing.assert_allclose(exponents, 0.2)
    exponents, factors = fit_power_law(scales, np.zeros((2, 3, 3)))
    np.testing.assert_array_equal(exponents, 0)
    np.testing.assert_array_equal(factors, 1)


def test_kinds_that_are_empty_or_equal_scales_have_exponent_zero() -> None:
    means = np.array([0.5, 0, 0.1])
    assert lambdas_of_two_scales(means, means * 2, 4.0) == (0.5, 0.0, 0.5)
    assert lambdas_of_two_scales(means, means, 1.0) == (0.0, 0.0, 0.0)


def test_kinds_of_channels() -> None:
    assert kind_of_channel(ChannelOptions.pedestrian()).tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 2, 2]
    assert kind_of_channel(ChannelOptions(color_space="gray", orientations=2)).tolist() == [0, 1, 2, 2]


def test_too_few_or_too_small_images_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one, found none"):
        estimate_lambdas([], ChannelOptions.pedestrian())
    images = [np.zeros((90, 90, 3), np.uint8), np.zeros((18, 90, 3), np.uint8)]
    with pytest.raises(
        ValueError, match="large enough for three scales, found 1 at the common size of 16 x 88"
    ):
        estimate_lambdas(images, ChannelOptions.pedestrian())
