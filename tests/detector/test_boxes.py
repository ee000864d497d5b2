"""Arithmetic on boxes against the reference, and its invariants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.detector.boxes import box_areas, box_overlaps, scale_boxes, squarify

KEPT_BY_FLAG = ("outside", "inside", "width", "height", "area")


@pytest.mark.parametrize("flag", range(5))
def test_squarify_reference(shared: Path, flag: int) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    found = squarify(corners(golden["boxes"]), 0.41, KEPT_BY_FLAG[flag])  # type: ignore[arg-type]
    np.testing.assert_allclose(found, corners(golden[f"squarify_flag{flag}_ar0p41"]), atol=1e-10)


def test_scale_reference(shared: Path) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    boxes = corners(golden["boxes"])
    np.testing.assert_allclose(scale_boxes(boxes, 1.2, 0.8), corners(golden["resize_1p2_0p8"]), atol=1e-10)
    for name, factor in (("resize_ar", 1.3), ("resize_h100", 100.0)):
        found = squarify(scale_boxes(boxes, factor, 1), 0.5)
        np.testing.assert_allclose(found, corners(golden[name]), rtol=1e-12, atol=1e-9)


def test_overlap_reference(shared: Path) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    detected, annotated = corners(golden["dt0"]), corners(golden["gt0"])
    by_union = box_overlaps(detected, annotated)
    np.testing.assert_allclose(by_union, golden["oas"], atol=1e-12)
    ignored = golden["gt0"][:, 4] > 0
    with_ignored = np.where(ignored, box_overlaps(detected, annotated, "first"), by_union)
    np.testing.assert_allclose(with_ignored, golden["oas_ig"], atol=1e-12)


numbers = st.floats(-50, 50, width=32)
boxes_strategy = st.lists(
    st.tuples(numbers, numbers, st.floats(0, 50, width=32), st.floats(0, 50, width=32)),
    min_size=1,
    max_size=6,
).map(lambda rows: corners(np.array(rows, np.float64)))


@given(boxes_strategy, boxes_strategy)
def test_overlap_invariants(first: NDArray, second: NDArray) -> None:
    by_union = box_overlaps(first, second)
    assert by_union.shape == (len(first), len(second))
    assert np.all((by_union >= 0) & (by_union <= 1 + 1e-9))
    np.testing.assert_allclose(by_union, box_overlaps(second, first).T)
    assert np.all(box_overlaps(first, second, "min") >= by_union - 1e-9)
    assert np.all(box_overlaps(first, second, "first") >= by_union - 1e-9)
    own = box_overlaps(first, first).diagonal()
    np.testing.assert_allclose(own, box_areas(first) > 0)


@given(boxes_strategy, st.sampled_from(KEPT_BY_FLAG), st.floats(0.2, 4))
def test_squarify_invariants(boxes: NDArray, keep: str, aspect_ratio: float) -> None:
    found = squarify(boxes, aspect_ratio, keep)  # type: ignore[arg-type]
    width, height = (found[:, 2:] - found[:, :2]).T
    np.testing.assert_allclose(width, height * aspect_ratio, atol=1e-9)
    np.testing.assert_allclose(found[:, :2] + found[:, 2:], boxes[:, :2] + boxes[:, 2:], atol=1e-9)
    if keep == "inside":
        assert np.all(found[:, :2] >= boxes[:, :2] - 1e-9)
    if keep == "outside":
        assert np.all(found[:, :2] <= boxes[:, :2] + 1e-9)


def test_no_boxes() -> None:
    assert box_overlaps(np.empty((0, 4)), np.ones((3, 4))).shape == (0, 3)
    assert squarify(np.empty((0, 4))).shape == (0, 4)


def test_bad_arguments() -> None:
    with pytest.raises(
        ValueError, match="denominator of box_overlaps must be union, min or first, found 'iou'"
    ):
        box_overlaps(np.ones((1, 4)), np.ones((1, 4)), "iou")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="keep of squarify must be"):
        squarify(np.ones((1, 4)), 1, "center")  # type: ignore[arg-type]
    for aspect_ratio in (0, -1, np.inf, np.nan):
        with pytest.raises(ValueError, match="aspect_ratio of squarify must be positive"):
            squarify(np.ones((1, 4)), aspect_ratio)


def corners(rows: NDArray) -> NDArray:
    """From x, y, width, height."""
    return np.concatenate([rows[:, :2], rows[:, :2] + rows[:, 2:4]], axis=1)
