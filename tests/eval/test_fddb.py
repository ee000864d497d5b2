"""FDDB's evaluation equals the official program (with an exact assignment) and its rasteriser."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.eval.fddb import NO_DETECTION_SCORE, evaluate_fddb
from badacost.eval.fddb_faces import FddbDetections, FddbImage
from badacost.eval.fddb_files import (
    read_fddb_annotations,
    read_fddb_detections,
    read_image_sizes,
    size_lookup,
)
from badacost.eval.fddb_matching import best_assignment, count_at_thresholds
from badacost.eval.fddb_regions import mask_overlaps, region_masks
from badacost.eval.fddb_result import FddbResult, RocCurve, read_official_curve
from badacost.eval.input_records import BadRecords, EvaluationError

CASES = (
    "all_empty",
    "border_ell",
    "crowd_ell",
    "empty_rect",
    "noface_rect",
    "one_image_full",
    "pert_ell",
    "pert_rect",
    "ties_ell",
    "tiny_ell",
    "tiny_rect",
)
PUBLISHED = {
    "BAdaCost": (0.8517, 0.8608, 0.6897, 0.6978),
    "SAMME": (0.8379, 0.8501, 0.6778, 0.6889),
    "SubCat": (0.8149, 0.8329, 0.6468, 0.6618),
}


def evaluate(annotations: Path, sizes: Path, detections: Path) -> FddbResult:
    bad = BadRecords()
    images = read_fddb_annotations(annotations, size_lookup(read_image_sizes(sizes, bad)), bad)
    found, _ = read_fddb_detections(detections, [image.name for image in images], None, bad)
    return evaluate_fddb(images, found)


def assert_equals_file(curve: RocCurve, path: Path) -> None:
    """The official files hold six significant digits."""
    wanted = read_official_curve(path)
    np.testing.assert_array_equal(curve.false_positives, wanted.false_positives)
    np.testing.assert_allclose(curve.true_positive_rate, wanted.true_positive_rate, rtol=0, atol=1e-6)
    if "Disc" in path.name:
        np.testing.assert_allclose(curve.scores, wanted.scores, rtol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_official_cases(shared: Path, case: str) -> None:
    folder = shared / "reference/fddb/cases" / case
    result = evaluate(folder / "annotations.txt", folder / "sizes.txt", folder / "detections.txt")
    for curve, kind in ((result.discrete, "Disc"), (result.continuous, "Cont")):
        exact = folder / f"{kind}ROC_exact.txt"
        assert_equals_file(curve, exact if exact.exists() else folder / f"{kind}ROC.txt")
        official = read_official_curve(folder / f"{kind}ROC.txt")
        assert len(official.scores) == len(curve.scores)
        assert np.abs(official.true_positive_rate - curve.true_positive_rate).max() <= 0.02
        assert np.abs(official.false_positives - curve.false_positives).max() <= 3
        if kind == "Cont":
            assert (curve.true_positive_rate >= official.true_positive_rate - 1e-6).all()


@pytest.mark.parametrize(("kind", "prefix"), [("rect", ""), ("ellipse", "ellipse_")])
def test_real_detector_on_all_images(shared: Path, kind: str, prefix: str) -> None:
    folder = shared / "reference/fddb"
    result = evaluate(
        shared / "data/faces/annotations_only/FDDB-folds",
        folder / "official/FDDB_fold_and_size.txt",
        folder / f"real_zfnet/detections_{kind}.txt",
    )
    assert (result.n_images, result.n_faces, len(result.discrete.scores)) == (2845, 5171, 496)
    assert_equals_file(result.discrete, folder / f"real_zfnet/{prefix}DiscROC.txt")
    assert_equals_file(result.continuous, folder / f"real_zfnet/{prefix}ContROC.txt")
    if kind == "rect":
        assert_equals_file(result.discrete, folder / "real_zfnet/DiscROC_published.txt")
        published = read_official_curve(folder / "real_zfnet/ContROC_published.txt")
        np.testing.assert_allclose(
            result.continuous.true_positive_rate, published.true_positive_rate, atol=2e-5
        )


@pytest.mark.parametrize("detector", PUBLISHED)
def test_published_curves(shared: Path, detector: str) -> None:
    folder = shared / "reference/fddb/published_curves"
    found = [
        read_official_curve(folder / f"{detector}_{kind}ROC.txt").rate_below(limit)
        for kind in ("Disc", "Cont")
        for limit in (1000, 2000)
    ]
    assert found == pytest.approx(PUBLISHED[detector], abs=6e-5)


def test_official_rasteriser(shared: Path) -> None:
    with (shared / "reference/fddb/iou_pairs.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 400
    for row in rows:
        masks = []
        for side in "ab":
            values = [float(row[f"{side}{place}"]) for place in range(1, 6) if row[f"{side}{place}"]]
            region = np.array([values])
            if row[f"{side}_kind"] == "R":
                region[:, 2:] += region[:, :2]
            masks.append(region_masks(region, int(row["height"]), int(row["width"])))
        assert [int(mask.sum(dtype=int)) for mask in masks] == [int(row["area_a"]), int(row["area_b"])]
        wanted = 0.0 if row["iou"] == "-nan" else int(row["inter"]) / int(row["union"])
        assert mask_overlaps(*masks)[0, 0] == pytest.approx(wanted, abs=1e-9)


def image(name: str, *ellipses: list[float]) -> FddbImage:
    return FddbImage(name=name, ellipses=np.array(ellipses).reshape(-1, 5), height=100, width=120)


def boxes_of(*per_image: tuple[list[list[float]], list[float]]) -> FddbDetections:
    return FddbDetections(
        regions=[np.array(boxes, dtype=float).reshape(-1, 4) for boxes, _ in per_image],
        scores=[np.array(scores, dtype=float) for _, scores in per_image],
        view_indices=[np.full(len(scores), -1) for _, scores in per_image],
    )


def test_every_threshold_is_assigned_anew() -> None:
    overlaps = np.array([[0.6, 0.9], [0.0, 0.55]])
    counts = count_at_thresholds(overlaps, np.array([1.0, 2.0]))
    assert counts.scores.tolist() == [2.0, 1.0]
    assert counts.true_positives.tolist() == [1, 2]
    np.testing.assert_allclose(
        counts.overlap, [0.9, 1.15]
    )  # alone it takes the best face, together the other one


def test_pair_at_a_half_is_false_but_its_overlap_counts() -> None:
    counts = count_at_thresholds(np.array([[0.5]]), np.array([1.0]))
    assert (counts.true_positives.tolist(), counts.overlap.tolist()) == ([0], [0.5])


def test_last_row_stands_for_images_without_detections() -> None:
    images = [image("a", [30, 20, 1.57, 60, 50]), image("b")]
    result = evaluate_fddb(images, boxes_of(([[40, 20, 80, 80]], [1.0]), ([], [])))
    assert result.discrete.scores.tolist() == [1.0, NO_DETECTION_SCORE]
    assert result.discrete.true_positive_rate.tolist() == [1.0, 0.0]
    result = evaluate_fddb(images, boxes_of(([[40, 20, 80, 80]], [1.0]), ([[0, 0, 5, 5]], [2.0])))
    assert result.discrete.scores.tolist() == [1.0, 2.0]
    assert result.discrete.false_positives.tolist() == [1, 1]


def test_no_face_and_repeated_images_are_refused() -> None:
    with pytest.raises(EvaluationError, match="holds no face"):
        evaluate_fddb([image("a")], boxes_of(([], [])))
    with pytest.raises(EvaluationError, match="occurs twice"):
        evaluate_fddb([image("a")] * 2, boxes_of(([], []), ([], [])))


Cases = tuple[list[FddbImage], FddbDetections]


@st.composite
def random_cases(draw: st.DrawFn) -> Cases:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    images, found = [], []
    for index in range(draw(st.integers(1, 4))):
        n_faces = int(rng.integers(0, 4)) + (index == 0)
        centres, radii = rng.uniform(15, 90, (n_faces, 2)), rng.uniform(6, 25, (n_faces, 2))
        ellipses = np.column_stack((radii, rng.uniform(-1.5, 1.5, n_faces), centres))
        images.append(image(f"{index}", *ellipses.tolist()))
        chosen = rng.integers(0, n_faces, rng.integers(0, 6)) if n_faces else np.zeros(0, int)
        centres = ellipses[chosen, 3:] + rng.normal(0, 4, (len(chosen), 2))
        half = ellipses[chosen, 1::-1] * rng.uniform(0.8, 1.2, (len(chosen), 2))
        boxes = np.hstack((centres - half, centres + half))
        found.append((boxes.tolist(), rng.permutation(len(chosen)) * 4.0 + index))
    return images, boxes_of(*found)  # type: ignore[arg-type]


@given(random_cases(), st.sampled_from([np.exp, np.cbrt]))
def test_only_the_order_of_scores_matters(case: Cases, change: np.ufunc) -> None:
    images, found = case
    changed = FddbDetections(
        regions=found.regions,
        scores=[change(scores) for scores in found.scores],
        view_indices=found.view_indices,
    )
    before, after = evaluate_fddb(images, found), evaluate_fddb(images, changed)
    np.testing.assert_array_equal(before.discrete.true_positive_rate, after.discrete.true_positive_rate)
    np.testing.assert_array_equal(before.discrete.false_positives, after.discrete.false_positives)


@given(random_cases(), st.integers(0, 2**32 - 1))
def test_order_of_images_changes_nothing(case: Cases, seed: int) -> None:
    images, found = case
    order = np.random.default_rng(seed).permutation(len(images)).tolist()
    before = evaluate_fddb(images, found)
    after = evaluate_fddb([images[index] for index in order], found.of_images(order))
    np.testing.assert_allclose(before.continuous.true_positive_rate, after.continuous.true_positive_rate)
    np.testing.assert_array_equal(before.continuous.false_positives, after.continuous.false_positives)


@given(random_cases())
def test_perfect_detections_find_everything(case: Cases) -> None:
    images, _ = case
    found = FddbDetections(
        regions=[each.ellipses for each in images],
        scores=[np.full(len(each.ellipses), 1.0) for each in images],
        view_indices=[np.full(len(each.ellipses), -1) for each in images],
    )
    result = evaluate_fddb(images, found)
    assert result.discrete.true_positive_rate[0] == 1.0
    assert result.continuous.true_positive_rate[0] == pytest.approx(1.0)
    assert result.discrete.false_positives[0] == 0


def merge_as_described(
    images: list[FddbImage], found: FddbDetections
) -> list[tuple[float, int, float, float]]:
    """The merge of the images as the protocol's text reads: score, false positives, both sums."""
    from badacost.eval.fddb_regions import region_overlaps

    counts = [
        count_at_thresholds(region_overlaps(each.ellipses, regions, each.height, each.width), scores)
        for each, regions, scores in zip(images, found.regions, found.scores, strict=True)
    ]
    rows = []
    for threshold in sorted({float(score) for each in counts for score in each.scores}):
        active, hits, overlap = 0, 0, 0.0
        for each in counts:
            reached = np.flatnonzero(each.scores >= threshold)
            if len(reached):
                active += int(each.active[reached[-1]])
                hits += int(each.true_positives[reached[-1]])
                overlap += float(each.overlap[reached[-1]])
        rows.append((threshold, active - hits, hits, overlap))
    return rows


@given(random_cases())
def test_merging_equals_its_description(case: Cases) -> None:
    images, found = case
    result = evaluate_fddb(images, found)
    rows = merge_as_described(images, found)
    discrete = result.discrete
    n_rows = len(discrete.scores) - (discrete.scores[-1:] == NO_DETECTION_SCORE).sum()
    assert discrete.scores[:n_rows].tolist() == [row[0] for row in rows]
    assert discrete.false_positives[:n_rows].tolist() == [row[1] for row in rows]
    np.testing.assert_allclose(
        discrete.true_positive_rate[:n_rows] * result.n_faces, [row[2] for row in rows]
    )
    np.testing.assert_allclose(
        result.continuous.true_positive_rate[:n_rows] * result.n_faces, [row[3] for row in rows]
    )


def test_assignment_leaves_untouched_pairs_out() -> None:
    rows, columns = best_assignment(np.array([[0.0, 0.3], [0.0, 0.0]]))
    assert (rows.tolist(), columns.tolist()) == ([0], [1])
