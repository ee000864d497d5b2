"""A window of rows shows what a whole image would."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.features.row_window import RowWindow


@given(
    steps=st.lists(st.integers(0, 12), min_size=1, max_size=9),
    halo=st.integers(0, 6),
    start=st.integers(0, 30),
)
@settings(max_examples=60, deadline=None)
def test_every_row_is_made_once_and_found_again(steps, halo, start):
    """Bands of any height, with a halo above and below, from any row on."""
    window = RowWindow(2, max(steps) + 2 * halo, 3)
    made = []
    for height in steps:
        first, end = start - halo, start + height + halo
        new = window.slide(first, end)
        assert window.first == first
        for row in range(new, end):
            made.append(row)
            window.rows[:, row - first] = row
        np.testing.assert_array_equal(window.rows[1, : end - first, 0], range(first, end))
        start += height
    assert made == list(range(made[0], made[-1] + 1)) if made else True


def test_it_is_finite_from_the_beginning():
    assert not RowWindow(1, 4, 5).rows.any()
