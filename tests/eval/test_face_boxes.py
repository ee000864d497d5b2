"""The box protocol equals the toolbox of Mathias et al. and the VOC devkit on their reference cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.eval.box_refinement import BoxTransform, refine_boxes
from badacost.eval.detection_table import DetectionTable
from badacost.eval.face_boxes import FaceBoxOptions, evaluate_face_boxes
from badacost.eval.greedy_matching import MATHIAS_RULE, VOC_DEVKIT_RULE, GreedyRule
from badacost.eval.ground_truth import FaceGroundTruth, counted_faces
from badacost.eval.input_records import EvaluationError

from .face_box_cases import outcome_columns, read_detections, read_ground_truth, read_rows

CASES = ("basic", "biased", "biased_views", "crowded", "edge", "few", "ignore", "integer", "ties")
Case = tuple[list[FaceGroundTruth], DetectionTable, dict[str, Any]]


def load(folder: Path) -> Case:
    images = read_ground_truth(folder / "ground_truth.csv", folder / "images.txt")
    expected = json.loads((folder / "expected.json").read_text())
    return images, read_detections(folder / "detections.txt", images), expected


@pytest.mark.parametrize("case", CASES)
def test_unfiltered_cases(shared: Path, case: str) -> None:
    images, detections, expected = load(shared / "reference/voc_ap/cases" / case)
    options = FaceBoxOptions(min_face=expected["min_size"], filter_small_detections=False)
    result = evaluate_face_boxes(images, detections, options)
    wanted = expected["results"]["all_detections"]
    assert result.counted_faces == wanted["positives"]
    assert result.ap == pytest.approx(100 * wanted["ap_allpoint"], abs=1e-9)
    assert result.raw.ap11 == pytest.approx(100 * wanted["ap_11point"], abs=1e-9)
    found = outcome_columns(result)
    if case == "edge":
        assert found["tp"].tolist() == wanted["tp_by_rank"]
        assert found["fp"].tolist() == wanted["fp_by_rank"]
        return
    rows = read_rows(shared / "reference/voc_ap/cases" / case / "all_detections_rows.csv")
    for column, tolerance in (("tp", 0), ("fp", 0), ("recall", 1e-9), ("precision", 1e-9)):
        np.testing.assert_allclose(
            found[column], [float(row[column]) for row in rows], rtol=0, atol=tolerance
        )


@pytest.mark.parametrize("case", [case for case in CASES if case != "edge"])
def test_filtered_and_refined_cases(shared: Path, case: str) -> None:
    images, detections, expected = load(shared / "reference/voc_ap/cases" / case)
    for rounds in (1, 2, 3, 5):
        options = FaceBoxOptions(min_face=expected["min_size"], refine=True, refinement_rounds=rounds)
        result = evaluate_face_boxes(images, detections, options)
        assert result.n_detections == expected["results"]["filtered"]["n"]
        assert result.ap == pytest.approx(100 * expected["results"]["filtered"]["ap_allpoint"], abs=1e-9)
        wanted = expected["results"][f"refined_{rounds}"]
        assert result.ap_refined == pytest.approx(100 * wanted["ap_allpoint"], abs=1e-9)
        transform = result.to_json()["refined"]["transform"]
        np.testing.assert_allclose(transform, [wanted[key] for key in ("tx", "ty", "sx", "sy")], atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_voc_devkit_rule(shared: Path, case: str) -> None:
    images, detections, expected = load(shared / "reference/voc_ap/cases" / case)
    options = FaceBoxOptions(
        min_face=expected["min_size"], filter_small_detections=False, rule=VOC_DEVKIT_RULE
    )
    result = evaluate_face_boxes(images, detections, options)
    wanted = expected["results"]["voc_devkit"]
    assert result.ap == pytest.approx(100 * wanted["ap_allpoint"], abs=1e-9)
    assert result.raw.ap11 == pytest.approx(100 * wanted["ap_11point"], abs=1e-9)


@pytest.mark.parametrize("data_set", ["AFW", "PASCAL"])
def test_published_detectors(shared: Path, data_set: str) -> None:
    folder = shared / "reference/voc_ap/real"
    images = read_ground_truth(folder / f"{data_set}_ground_truth.csv", folder / f"{data_set}_images.txt")
    expected = json.loads((folder / "expected.json").read_text())[data_set]
    assert sum(len(image) for image in images) == expected["faces"]
    assert sum(len(image) for image in images) - counted_faces(images) == expected["ignored_by_annotation"]
    for detector, wanted in expected["results"].items():
        detections = read_detections(folder / f"{data_set}_det_{detector}.txt", images)
        result = evaluate_face_boxes(images, detections, FaceBoxOptions(refine=True))
        assert result.ignored_faces == expected["ignored_after_30px_rule"]
        assert result.counted_faces == wanted["positives"]
        assert result.n_detections == wanted["after_filter"]
        assert result.ap == pytest.approx(wanted["ap_no_refinement"], abs=1e-9)
        assert result.raw.ap11 == pytest.approx(wanted["ap11_no_refinement"], abs=1e-9)
        assert result.ap_refined == pytest.approx(wanted["ap_nit5"], abs=1e-9)
        transform = result.to_json()["refined"]["transform"]
        np.testing.assert_allclose(transform, wanted["transform_nit5_tx_ty_sx_sy"], atol=1e-9)


def test_applied_transform_leads_to_the_refined_boxes(shared: Path) -> None:
    images, detections, _ = load(shared / "reference/voc_ap/cases/biased")
    refinement = refine_boxes(images, detections, MATHIAS_RULE)
    np.testing.assert_allclose(
        refinement.applied.apply(detections.boxes), refinement.detections.boxes, atol=1e-9
    )


def test_transforms_compose() -> None:
    boxes = np.array([[10.0, 20.0, 50.0, 40.0], [0.0, 0.0, 7.0, 9.0]])
    first, second = BoxTransform(0.1, -0.2, 1.5, 0.5), BoxTransform(-0.3, 0.05, 0.8, 1.1)
    np.testing.assert_allclose(first.then(second).apply(boxes), second.apply(first.apply(boxes)))


def test_size_rules_follow_the_scale_of_a_copy() -> None:
    boxes, scores = [[0, 0, 16, 16], [100, 100, 112, 112]], [1.0, 0.5]
    detections = DetectionTable.create([0, 0], boxes, scores)
    for scale, counted, kept in ((1.0, 0, 0), (0.5, 1, 2), (0.4, 2, 2)):
        image = FaceGroundTruth.create("a", boxes, scale=scale)
        if counted == 0:
            with pytest.raises(EvaluationError, match="no counted face"):
                evaluate_face_boxes([image], detections)
            continue
        result = evaluate_face_boxes([image], detections)
        assert (result.counted_faces, result.n_detections, result.ap) == (counted, kept, 100.0)


def test_operating_point_takes_equal_scores_together() -> None:
    faces = [[0, 0, 50, 50], [100, 0, 150, 50], [200, 0, 250, 50]]
    image = FaceGroundTruth.create("a", faces)
    boxes = [faces[0], [300, 0, 350, 50], faces[1], [400, 0, 450, 50], [500, 0, 550, 50], faces[2]]
    detections = DetectionTable.create([0] * 6, boxes, [5, 4, 4, 3, 3, 2])
    points = evaluate_face_boxes([image], detections, FaceBoxOptions(fp_per_image=(1, 0.5, 2.5))).raw
    found = [(point.recall, point.score, point.fp_per_image) for point in points.operating_points]
    assert found == [(pytest.approx(2 / 3), 4, 1), (pytest.approx(1 / 3), 5, 0), (pytest.approx(2 / 3), 4, 1)]


def test_standard_error_is_that_of_repeated_evaluation(shared: Path) -> None:
    images, detections, _ = load(shared / "reference/voc_ap/cases/basic")
    options = FaceBoxOptions(min_face=0, resampling_draws=60, random_state=3)
    error = evaluate_face_boxes(images, detections, options).raw.ap_standard_error
    rng = np.random.default_rng(3)
    values = []
    for _ in range(60):
        drawn = rng.integers(len(images), size=len(images))
        copies = [
            FaceGroundTruth.create(f"{number}", images[index].boxes, ignored=images[index].ignored)
            for number, index in enumerate(drawn)
        ]
        rows = [np.flatnonzero(detections.image_indices == index) for index in drawn]
        numbers = np.repeat(np.arange(len(drawn)), [len(chosen) for chosen in rows])
        chosen = np.concatenate(rows)
        table = DetectionTable.create(numbers, detections.boxes[chosen], detections.scores[chosen])
        values.append(evaluate_face_boxes(copies, table, FaceBoxOptions(min_face=0)).ap)
    assert error == pytest.approx(np.std(values, ddof=1), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_face": -1}, "min_face of FaceBoxOptions must be at least 0, found -1"),
        ({"fp_per_image": (0.0,)}, "fp_per_image of FaceBoxOptions must be positive"),
        ({"resampling_draws": 1}, "resampling_draws of FaceBoxOptions must be 0 or at least 2, found 1"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FaceBoxOptions(**options)


def test_rule_is_checked() -> None:
    with pytest.raises(ValueError, match=r"overlap of GreedyRule must be in \[0, 1\), found 1"):
        GreedyRule(overlap=1)
    with pytest.raises(ValueError, match="equal_overlaps of GreedyRule"):
        GreedyRule(equal_overlaps="best")  # type: ignore[arg-type]


def test_no_detections_give_zero() -> None:
    image = FaceGroundTruth.create("a", [[0, 0, 50, 50]])
    result = evaluate_face_boxes([image], DetectionTable.create([], [], []), FaceBoxOptions(refine=True))
    assert (result.ap, result.ap_refined, result.raw.operating_points[0].score) == (0.0, 0.0, None)
    assert "counted faces" in result.table()


def test_image_twice_is_refused() -> None:
    image = FaceGroundTruth.create("a", [[0, 0, 50, 50]])
    with pytest.raises(EvaluationError, match="image 'a' occurs twice"):
        evaluate_face_boxes([image, image], DetectionTable.create([], [], []))
