"""Non-maximum suppression: the reference's results, a slow twin, order and options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.detector.boxes import box_overlaps, scale_boxes
from badacost.detector.suppression import SuppressionOptions, suppress


def suppress_slowly(boxes: NDArray, scores: NDArray, options: SuppressionOptions) -> list[int]:
    """The rule, pair by pair."""
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    passes = [(options.kind, options.overlap, options.denominator)]
    if options.contained_overlap is not None:
        passes.append(("maxg", options.contained_overlap, "min"))
    for kind, overlap, denominator in passes:
        gone: set[int] = set()
        for rank, better in enumerate(order):
            if kind == "maxg" and better in gone:
                continue
            for worse in order[rank + 1 :]:
                if box_overlaps(boxes[[better]], boxes[[worse]], denominator)[0, 0] > overlap:
                    gone.add(worse)
        order = [index for index in order if index not in gone]
    return order


@pytest.mark.parametrize("kind", ["max", "maxg"])
@pytest.mark.parametrize("denominator", ["union", "min"])
@pytest.mark.parametrize("overlap", [0.3, 0.5, 0.65])
def test_reference(shared: Path, kind: str, denominator: str, overlap: float) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    rows = golden["boxes"]
    kept = suppress(
        corners(rows),
        rows[:, 4],
        SuppressionOptions(kind=kind, overlap=overlap, denominator=denominator),  # type: ignore[arg-type]
    )
    wanted = golden[f"nms_{kind}_{denominator}_{overlap}".replace("0.", "0p")]
    np.testing.assert_array_equal(rows[kept, :5], wanted)


def test_reference_with_score_limit(shared: Path) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    rows = golden["boxes"][golden["boxes"][:, 4] > 0]
    kept = suppress(corners(rows), rows[:, 4], SuppressionOptions(overlap=0.65, denominator="min"))
    np.testing.assert_array_equal(rows[kept, :5], golden["nms_maxg_min_0p65_thr0"])


def test_reference_with_resized_boxes(shared: Path) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    rows = golden["boxes"]
    boxes = scale_boxes(corners(rows), 1.2, 0.8)
    kept = suppress(boxes, rows[:, 4], SuppressionOptions(overlap=0.5))
    np.testing.assert_allclose(boxes[kept], corners(golden["nms_resize"]), atol=1e-10)


def test_reference_of_each_label_and_of_all(shared: Path) -> None:
    golden = np.load(shared / "reference" / "acf" / "boxes.npz")
    rows, options = golden["boxes"], SuppressionOptions(overlap=0.5)
    kept = suppress(corners(rows), rows[:, 4], options)
    np.testing.assert_array_equal(rows[kept], golden["nms_maxg_union_0p5_6cols"])
    labels = [rows[rows[:, 5] == label] for label in np.unique(rows[:, 5])]
    separate = [part[suppress(corners(part), part[:, 4], options)] for part in labels]
    np.testing.assert_array_equal(np.concatenate(separate), golden["nms_maxg_union_0p5_separate"])


coordinates = st.integers(0, 60)
sides = st.integers(0, 40)


@given(
    rows=st.lists(st.tuples(coordinates, coordinates, sides, sides, st.integers(0, 5)), max_size=25),
    kind=st.sampled_from(["max", "maxg"]),
    denominator=st.sampled_from(["union", "min"]),
    overlap=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    contained=st.sampled_from([None, 0.6]),
)
def test_slow_twin(rows: list, kind: str, denominator: str, overlap: float, contained: float | None) -> None:
    table = np.array(rows, np.float32).reshape(-1, 5)
    options = SuppressionOptions(
        kind=kind,  # type: ignore[arg-type]
        overlap=overlap,
        denominator=denominator,  # type: ignore[arg-type]
        contained_overlap=contained,
    )
    boxes = corners(table)
    assert suppress(boxes, table[:, 4], options).tolist() == suppress_slowly(boxes, table[:, 4], options)


def test_kept_boxes_survive_a_second_run() -> None:
    random = np.random.default_rng(0)
    boxes = corners(random.uniform(5, 80, (300, 4)))
    scores = random.normal(size=300)
    options = SuppressionOptions(overlap=0.4)
    kept = suppress(boxes, scores, options)
    assert np.all(np.diff(scores[kept]) <= 0)
    np.testing.assert_array_equal(suppress(boxes[kept], scores[kept], options), np.arange(len(kept)))


def test_second_pass_removes_boxes_inside_and_around() -> None:
    boxes = np.array([[0, 0, 40, 40], [5, 5, 20, 20], [60, 0, 75, 15], [50, -10, 90, 30]])
    scores = np.array([4.0, 3.0, 2.0, 1.0])
    assert suppress(boxes, scores, SuppressionOptions()).tolist() == [0, 1, 2, 3]
    assert suppress(boxes, scores, SuppressionOptions(contained_overlap=0.8)).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "soft"}, "kind of SuppressionOptions must be max or maxg, found 'soft'"),
        ({"denominator": "first"}, "denominator of SuppressionOptions must be union or min, found 'first'"),
        ({"overlap": 1.5}, r"overlap of SuppressionOptions must lie in \[0, 1\], found 1.5"),
        ({"contained_overlap": float("nan")}, "contained_overlap of SuppressionOptions must lie in"),
    ],
)
def test_bad_options(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SuppressionOptions(**options)


def corners(rows: NDArray) -> NDArray:
    """From x, y, width, height."""
    return np.concatenate([rows[:, :2], rows[:, :2] + rows[:, 2:4]], axis=1)
