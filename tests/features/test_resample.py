"""Resampling against the reference's arrays, against a slow twin, and what any resampling must keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.features.resample import NORMALIZATION, axis_weights, resample

CROPS = {
    "astro": ("astronaut", slice(10, 170), slice(160, 280)),
    "cof": ("coffee", slice(120, 240), slice(200, 360)),
    "chel": ("chelsea", slice(60, 220), slice(80, 240)),
    "odd": ("coffee", slice(31, 262), slice(101, 274)),
}


@pytest.mark.parametrize("name", ["astro", "cof", "chel", "odd", "gray"])
def test_plane_resampled_as_by_the_reference(shared: Path, name: str) -> None:
    golden = np.load(shared / f"reference/acf/prim_{name}.npz")
    plane = (golden["luv"][..., 0] if "luv" in golden else golden["gray"]).squeeze()
    cases = [key for key in golden.files if key.startswith("L_resample_")]
    assert len(cases) >= 7
    for key in cases:
        expected = golden[key].reshape(golden[key].shape[:2])
        norm = 1.5 if key.endswith("norm1p5") else 1.0
        found = resample(plane, *expected.shape, norm=norm)
        np.testing.assert_allclose(found, expected, atol=1e-5, err_msg=key)


@pytest.mark.parametrize("name", CROPS)
def test_bytes_resampled_as_by_the_reference(shared: Path, name: str) -> None:
    golden = np.load(shared / f"reference/acf/prim_{name}.npz")
    image, rows, columns = CROPS[name]
    planes = np.load(shared / "reference/acf/images.npz")[image][rows, columns].transpose(2, 0, 1)
    for key in ("I_uint8_resample_half", "I_uint8_resample_1p3"):
        if key in golden.files:
            expected = golden[key].transpose(2, 0, 1).astype(int)
            found = resample(planes, *expected.shape[1:])
            assert found.dtype == np.uint8
            assert np.abs(found.astype(int) - expected).max() <= 1


def covered_lengths(source: int, target: int) -> NDArray[np.float64]:
    """(target, source): the share of each target cell's interval that lies in each source cell, exactly."""
    edges = np.arange(target + 1) * source / target
    cells = np.arange(source)
    overlap = np.minimum(edges[1:, None], cells + 1) - np.maximum(edges[:-1, None], cells)
    return np.maximum(overlap, 0) * target / source


def interpolated(source: int, target: int) -> NDArray[np.float64]:
    """(target, source): weights of linear interpolation between the centres of the source cells."""
    centers = np.clip((np.arange(target) + 0.5) * source / target - 0.5, 0, source - 1)
    return np.maximum(1 - np.abs(centers[:, None] - np.arange(source)), 0)


def resample_slowly(planes: NDArray, height: int, width: int) -> NDArray[np.float64]:
    """Both axes as products with full matrices of weights."""
    matrices = [
        covered_lengths(old, new) if old > new else interpolated(old, new)
        for old, new in zip(planes.shape[-2:], (height, width), strict=True)
    ]
    return matrices[0] @ planes.astype(np.float64) @ matrices[1].T / NORMALIZATION


sides = st.integers(1, 40)


@settings(deadline=None, max_examples=100)
@given(sides, sides, sides, sides)
def test_kernel_is_the_product_with_weights(height: int, width: int, new_height: int, new_width: int) -> None:
    planes = np.random.default_rng(0).random((2, height, width), np.float32)
    found = resample(planes, new_height, new_width)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    # Shares below 1e-3 are left out, at most one at either end of each axis.
    np.testing.assert_allclose(found, resample_slowly(planes, new_height, new_width), atol=5e-3)


@pytest.mark.parametrize("target", [(1, 1), (37, 53), (120, 130), (60, 65), (240, 260), (241, 64), (2, 300)])
def test_kernel_is_the_product_with_weights_up_to_rounding(target: tuple[int, int]) -> None:
    planes = np.random.default_rng(1).random((3, 120, 130), np.float32)
    np.testing.assert_allclose(resample(planes, *target), resample_slowly(planes, *target), atol=2e-4)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 90), st.integers(1, 90))
def test_weights_lie_in_the_source_and_sum_to_one(source: int, target: int) -> None:
    first, weights = axis_weights(source, target)
    assert first.min() >= 0
    assert (first + weights.shape[1]).max() <= source
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=3e-3)


@settings(deadline=None, max_examples=30)
@given(sides, sides, sides, sides)
def test_constant_plane_stays_constant(height: int, width: int, new_height: int, new_width: int) -> None:
    plane = np.full((height, width), 0.7, np.float32)
    np.testing.assert_allclose(resample(plane, new_height, new_width), 0.7, rtol=6e-3)


def test_any_leading_dimensions_strides_and_types_are_taken() -> None:
    planes = np.random.default_rng(0).random((2, 3, 20, 30))
    found = resample(planes[:, :, ::-1, ::2], 7, 22)
    assert found.shape == (2, 3, 7, 22)
    np.testing.assert_array_equal(found[1, 2], resample(planes[1, 2, ::-1, ::2].astype(np.float32), 7, 22))
    assert resample(planes[:0], 4, 4).shape == (0, 3, 4, 4)


def test_bytes_are_rounded_and_clipped() -> None:
    thirds = np.array([[100, 101, 101], [200, 200, 201]], np.uint8)
    np.testing.assert_array_equal(resample(thirds, 2, 1), [[101], [200]])
    plane = np.array([[100, 101], [200, 202]], np.uint8)
    np.testing.assert_array_equal(resample(plane, 2, 2, norm=1.5), [[150, 151], [255, 255]])
    np.testing.assert_array_equal(resample(plane, 2, 2, norm=-1), [[0, 0], [0, 0]])


@pytest.mark.parametrize("size", [(211, 150), (211, 399), (5, 5)])
def test_number_of_threads_changes_no_bit(size: tuple[int, int]) -> None:
    planes = np.random.default_rng(0).random((3, 300, 200), np.float32)
    np.testing.assert_array_equal(resample(planes, *size), resample(planes, *size, threads=4))


@pytest.mark.parametrize(
    ("shape", "size"), [((4, 4), (0, 3)), ((4, 4), (3, -1)), ((0, 4), (2, 2)), ((4,), (2, 2))]
)
def test_size_below_one_is_refused(shape: tuple[int, ...], size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="of resample must be at least 1 x 1, found"):
        resample(np.zeros(shape, np.float32), *size)
