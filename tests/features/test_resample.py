"""Resampling against the reference's arrays, and what any resampling must keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.features.resample import axis_weights, resample

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
        np.testing.assert_allclose(
            resample(plane, *expected.shape, norm=norm), expected, atol=1e-5, err_msg=key
        )


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


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 90), st.integers(1, 90))
def test_weights_lie_in_the_source_and_sum_to_one(source: int, target: int) -> None:
    first, weights = axis_weights(source, target)
    assert first.min() >= 0
    assert (first + weights.shape[1]).max() <= source
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=3e-3)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_constant_plane_stays_constant(height: int, width: int, new_height: int, new_width: int) -> None:
    plane = np.full((height, width), 0.7, np.float32)
    np.testing.assert_allclose(resample(plane, new_height, new_width), 0.7, rtol=6e-3)


def test_number_of_threads_changes_no_bit() -> None:
    planes = np.random.default_rng(0).random((3, 300, 200), np.float32)
    np.testing.assert_array_equal(resample(planes, 211, 150), resample(planes, 211, 150, threads=4))


def test_size_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        resample(np.zeros((4, 4), np.float32), 0, 3)
