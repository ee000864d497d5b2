"""Pyramids against the reference's, level by level."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.features.channels import ChannelOptions
from badacost.features.pyramid import PyramidOptions, compute_pyramid, iterate_pyramid

PEDESTRIAN, BADACOST = ChannelOptions.pedestrian(), ChannelOptions.badacost()
GRAY = replace(PEDESTRIAN, color_space="gray")
PADDED = PyramidOptions(octaves_up=1, pad=(16, 12), min_size=(40, 40))
CASES = {
    "default_pastro": ("astronaut", (0, 256, 100, 356), PEDESTRIAN, PyramidOptions()),
    "default_odd": ("coffee", (31, 262, 101, 274), PEDESTRIAN, PyramidOptions()),
    "exact_up_pad_astro": ("astronaut", (10, 170, 160, 280), PEDESTRIAN, replace(PADDED, n_approximate=0)),
    "approx_up_pad_astro": (
        "astronaut",
        (10, 170, 160, 280),
        PEDESTRIAN,
        replace(PADDED, n_approximate=7, lambdas=(0, 0.1158, 0.1158)),
    ),
    "bada_astro": (
        "astronaut",
        (10, 170, 160, 280),
        BADACOST,
        replace(PADDED, per_octave=10, pad=(4, 4), lambdas=(0, 0.1766, 0.1778)),
    ),
}


def photograph(shared: Path, name: str, crop: tuple[int, int, int, int]) -> np.ndarray:
    top, bottom, left, right = crop
    return np.load(shared / "reference/acf/images.npz")[name][top:bottom, left:right]


@pytest.mark.parametrize("case", CASES)
def test_scales_lambdas_and_levels_are_those_of_the_reference(shared: Path, case: str) -> None:
    name, crop, channels, options = CASES[case]
    golden = np.load(shared / f"reference/acf/pyr_{case}.npz")
    pyramid = compute_pyramid(photograph(shared, name, crop), channels, options)
    np.testing.assert_allclose([v.scale for v in pyramid.levels], golden["scales"].ravel(), atol=1e-12)
    np.testing.assert_allclose(
        [(v.scale_y, v.scale_x) for v in pyramid.levels], golden["scaleshw"].reshape(-1, 2), atol=1e-12
    )
    if pyramid.lambdas is not None:
        np.testing.assert_allclose(pyramid.lambdas, golden["lambdas"].ravel(), atol=1e-4)
    # The reference's LUV uses an approximate reciprocal unless the number of pixels is odd; its gradients do always.
    mean = 1.5e-4 if case == "default_odd" else 1.5e-3
    for number in golden["stored"].ravel().astype(int):
        expected = golden[f"data_{number:02d}"].transpose(2, 0, 1)
        found = pyramid.levels[number].channels
        assert found.shape == expected.shape
        assert np.abs(found - expected).mean(axis=(1, 2)).max() < mean
    means = np.array([v.channels.mean(axis=(1, 2)) for v in pyramid.levels])
    np.testing.assert_allclose(means, golden["chn_mean"].reshape(means.shape), atol=2e-3)


def test_gray_pyramid_is_that_of_the_reference(shared: Path) -> None:
    import skimage.data

    golden = np.load(shared / "reference/acf/pyr_gray.npz")
    pyramid = compute_pyramid(skimage.data.camera()[60:200, 180:320], GRAY, PyramidOptions())
    np.testing.assert_allclose([v.scale for v in pyramid.levels], golden["scales"].ravel(), atol=1e-12)
    for number in golden["stored"].ravel().astype(int):
        expected = golden[f"data_{number:02d}"].transpose(2, 0, 1)
        assert np.abs(pyramid.levels[number].channels - expected).mean() < 3e-4


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (120, 150, 3)).astype(np.uint8)


@pytest.mark.parametrize("n_approximate", [None, 0])
def test_number_of_threads_changes_no_bit(noise: np.ndarray, n_approximate: int | None) -> None:
    options = PyramidOptions(n_approximate=n_approximate, pad=(16, 16), octaves_up=0.7)
    for one, other in zip(
        iterate_pyramid(noise, BADACOST, options),
        iterate_pyramid(noise, BADACOST, options, threads=3),
        strict=True,
    ):
        np.testing.assert_array_equal(one.channels, other.channels)


def test_multiple_makes_all_levels_even(noise: np.ndarray) -> None:
    options = PyramidOptions(n_approximate=0, pad=(16, 16), multiple=4)
    for level in iterate_pyramid(noise, BADACOST, options):
        assert level.channels.shape[1] % 2 == level.channels.shape[2] % 2 == 0


def test_small_scales_can_be_left_out(noise: np.ndarray) -> None:
    every = compute_pyramid(noise, PEDESTRIAN, PyramidOptions()).levels
    few = compute_pyramid(noise, PEDESTRIAN, PyramidOptions(min_scale=0.5)).levels
    assert [level.scale for level in few] == [level.scale for level in every if level.scale > 0.48]


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 900, 3), (15, 15, 3)])
def test_image_smaller_than_the_window_has_no_level(shape: tuple[int, int, int]) -> None:
    assert compute_pyramid(np.zeros(shape, np.uint8), PEDESTRIAN, PyramidOptions()).levels == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [({"per_octave": 0}, "per_octave"), ({"n_approximate": -1}, "n_approximate"), ({"pad": (-1, 0)}, "pad")],
)
def test_impossible_options_are_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"{message} of PyramidOptions"):
        PyramidOptions(**change)
