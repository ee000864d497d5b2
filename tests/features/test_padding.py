"""Padding against the reference's arrays, and its inverse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.features.padding import pad

CASES = {
    "pad_0": ((3, 5), 0.0),
    "pad_rep": ((3, 5), "replicate"),
    "pad_sym": ((3, 5), "symmetric"),
    "pad_circ": ((3, 5), "circular"),
    "pad_4": ((2, 3, 5, 7), "replicate"),
    "pad_neg": ((-2, -3, -1, -4), "replicate"),
    "pad_mixed": ((-2, 3, 4, -5), "replicate"),
    "pad_0p5": ((4, 4), 0.5),
}


@pytest.mark.parametrize("case", CASES)
def test_padded_as_by_the_reference(shared: Path, case: str) -> None:
    golden = np.load(shared / "reference/acf/prim_astro.npz")
    amounts, border = CASES[case]
    np.testing.assert_array_equal(pad(golden["pad_in"], amounts, border), golden[case])  # type: ignore[arg-type]


amounts_of_cells = st.tuples(*[st.integers(0, 9)] * 4)


@given(amounts_of_cells, st.sampled_from(["replicate", "symmetric", "circular", 0.25]))
def test_cropping_undoes_padding(amounts: tuple[int, int, int, int], border: str | float) -> None:
    planes = np.arange(2 * 4 * 5, dtype=np.float32).reshape(2, 4, 5)
    padded = pad(planes, amounts, border)  # type: ignore[arg-type]
    top, bottom, left, right = amounts
    assert padded.shape == (2, 4 + top + bottom, 5 + left + right)
    assert padded.dtype == planes.dtype
    np.testing.assert_array_equal(pad(padded, (-top, -bottom, -left, -right)), planes)


@pytest.mark.parametrize("amounts", [(1,), (1, 2, 3), (1.5, 2)])
def test_amounts_that_are_not_two_or_four_whole_numbers_are_refused(amounts: tuple) -> None:
    with pytest.raises(ValueError, match="amounts of pad must be two or four whole numbers"):
        pad(np.zeros((3, 3)), amounts)


def test_unknown_border_and_crop_of_everything_are_refused() -> None:
    with pytest.raises(ValueError, match="replicate, symmetric, circular or a number, found 'mirror'"):
        pad(np.zeros((3, 3)), (1, 1), "mirror")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must leave planes of 3 x 3 something"):
        pad(np.zeros((3, 3)), (-2, -2))
    with pytest.raises(ValueError, match="must leave planes of 3 x 3 something"):
        pad(np.zeros((3, 3)), (-3, 2, 0, 0), "replicate")
