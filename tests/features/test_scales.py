"""Scales of a pyramid against the reference's table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from badacost.features.scales import pyramid_scales


def test_every_row_of_the_reference_table(shared: Path) -> None:
    table = np.load(shared / "reference/acf/scales_table.npz")
    first = 0 if "scales_000" in table.files else 1
    for number, row in enumerate(table["cfg"], first):
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


def test_image_smaller_than_the_object_has_no_scale() -> None:
    scales, scales_hw = pyramid_scales(30, 400, per_octave=8, octaves_up=0, min_size=(40, 40), multiple=4)
    assert scales.shape == (0,)
    assert scales_hw.shape == (0, 2)


def test_fractional_octaves_up_start_at_that_enlargement() -> None:
    scales, _ = pyramid_scales(
        480, 640, per_octave=8, octaves_up=np.log2(40 / 24), min_size=(40, 40), multiple=4
    )
    assert abs(scales[0] - 40 / 24) < 2 / 480
