"""Scales of a pyramid against the reference's table, and their rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.features.scales import nearest_computed, pyramid_scales


def test_every_row_of_the_reference_table(shared: Path) -> None:
    table = np.load(shared / "reference/acf/scales_table.npz")
    assert len(table["cfg"]) == 192
    for number, row in enumerate(table["cfg"]):
        height, width, per_octave, octaves_up, shrink, min_height, min_width, count = row
        scales, scales_hw = pyramid_scales(
            int(height),
            int(width),
            per_octave=int(per_octave),
            octaves_up=octaves_up,
            min_size=(min_height, min_width),
            multiple=int(shrink),
        )
        assert len(scales) == count
        np.testing.assert_allclose(scales, table[f"scales_{number:03d}"].ravel(), atol=1e-12, rtol=0)
        expected = table[f"scaleshw_{number:03d}"].reshape(-1, 2)
        np.testing.assert_allclose(scales_hw, expected, atol=1e-12, rtol=0)


@given(
    st.integers(1, 700),
    st.integers(1, 700),
    st.integers(1, 12),
    st.floats(-2, 2),
    st.integers(1, 40),
    st.sampled_from([1, 2, 4, 6]),
)
def test_sides_are_multiples_close_to_the_scale(
    height: int, width: int, per_octave: int, octaves_up: float, least: int, multiple: int
) -> None:
    scales, scales_hw = pyramid_scales(
        height,
        width,
        per_octave=per_octave,
        octaves_up=octaves_up,
        min_size=(least, least),
        multiple=multiple,
    )
    assert scales_hw.shape == (len(scales), 2)
    assert np.all(np.diff(scales) != 0)
    sides = scales_hw * (height, width)
    np.testing.assert_allclose(sides, np.rint(sides / multiple) * multiple, atol=1e-9)
    assert np.all(sides > 0)
    # Half a multiple of rounding at most.
    assert np.all(np.abs(sides - scales[:, None] * (height, width)) <= multiple / 2 + 1e-9)


def test_image_smaller_than_the_object_has_no_scale() -> None:
    for height in (0, 30):
        scales, scales_hw = pyramid_scales(
            height, 400, per_octave=8, octaves_up=0, min_size=(40, 40), multiple=4
        )
        assert scales.shape == (0,)
        assert scales_hw.shape == (0, 2)


@pytest.mark.parametrize("octaves_up", [np.log2(40 / 24), -0.5])
def test_fractional_octaves_up_start_at_that_enlargement(octaves_up: float) -> None:
    scales, _ = pyramid_scales(480, 640, per_octave=8, octaves_up=octaves_up, min_size=(40, 40), multiple=4)
    assert abs(scales[0] - 2**octaves_up) < 2 / 480


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 12, 13, 28])
@pytest.mark.parametrize("every", [1, 2, 3, 8, 10])
def test_each_scale_is_made_from_the_nearest_computed_one(count: int, every: int) -> None:
    found = nearest_computed(count, every)
    computed = np.arange(0, count, every)
    assert len(found) == count
    for index in range(count):
        distances = np.abs(computed - index)
        assert found[index] == computed[distances.argmin()]  # the first, that is the larger scale, on a tie
