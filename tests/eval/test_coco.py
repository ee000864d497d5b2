"""COCO's numbers equal a direct run of pycocotools; good and bad files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.eval.coco import coco_detections, evaluate_coco
from badacost.eval.coco_files import (
    CocoDetections,
    CocoGroundTruth,
    is_coco_results,
    read_coco_ground_truth,
    read_coco_results,
)
from badacost.eval.detection_table import DetectionTable
from badacost.eval.input_records import BadRecords, EvaluationError
from badacost.eval.views import FACE_VIEWS

from .face_box_cases import corners, read_rows

NAMES_IN_REFERENCE = {"APs": "AP_small", "APm": "AP_medium", "APl": "AP_large"} | {
    "ARs": "AR_small",
    "ARm": "AR_medium",
    "ARl": "AR_large",
}


def bbox(row: dict[str, str]) -> list[float]:
    x1, y1, x2, y2 = corners(row)
    return [x1, y1, x2 - x1, y2 - y1]


def write_reference_case(shared: Path, folder: Path) -> tuple[Path, Path]:
    """Write the reference case of views as COCO's files, with ids that are no places."""
    source = shared / "reference/voc_ap/views"
    faces, found = read_rows(source / "ground_truth.csv"), read_rows(source / "detections.csv")
    names = sorted({row["image"] for row in faces + found})
    image_id = {name: 1000 - place for place, name in enumerate(names)}
    truth = {
        "images": [{"id": image_id[name], "file_name": f"{name}.jpg"} for name in names],
        "categories": [
            {"id": 10 * place, "name": name} for place, name in enumerate(FACE_VIEWS.names, start=1)
        ],
        "annotations": [
            {
                "id": place,
                "image_id": image_id[row["image"]],
                "category_id": 10 * int(row["view"]),
                "bbox": bbox(row),
                "iscrowd": int(row["ignore"]),
            }
            for place, row in enumerate(faces)
        ],
    }
    results = [
        {
            "image_id": image_id[row["image"]],
            "category_id": 10 * int(row["view"]),
            "bbox": bbox(row),
            "score": float(row["score"]),
        }
        for row in found
    ]
    (folder / "gt.json").write_text(json.dumps(truth))
    (folder / "d.json").write_text(json.dumps(results))
    return folder / "gt.json", folder / "d.json"


def test_reference_numbers(shared: Path, tmp_path: Path) -> None:
    expected = json.loads((shared / "reference/voc_ap/views/expected.json").read_text())
    truth_file, results_file = write_reference_case(shared, tmp_path)
    truth = read_coco_ground_truth(truth_file, BadRecords())
    result = evaluate_coco(truth, read_coco_results(results_file, truth, BadRecords()))
    assert result.n_objects == expected["positives"]
    for name, reading in result.readings().items():
        wanted = expected["coco_pycocotools_2.0.11"][name]
        for key, value in reading.numbers.items():
            assert value == pytest.approx(wanted[NAMES_IN_REFERENCE.get(key, key)], abs=1e-9), (name, key)
    assert result.views is not None
    assert (
        result.views.confusion.tolist()
        == expected["confusion_rows_true_view_cols_predicted_view_then_missed"]
    )
    assert result.views.avp == pytest.approx(expected["AVP_allpoint_pascal3d"], abs=1e-9)
    agnostic = read_coco_results(results_file, truth, BadRecords(), class_agnostic=True)
    result = evaluate_coco(truth, agnostic)
    assert result.readings().keys() == {"class_agnostic"}
    assert result.to_json()["views_as_categories"] is None
    assert "-" in result.table()


def content(**changes: Any) -> dict[str, Any]:
    return {
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
        "categories": [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}],
        "annotations": [
            {"id": 0, "image_id": 1, "category_id": 7, "bbox": [0, 0, 40, 40]},
            {"id": 1, "image_id": 2, "category_id": 9, "bbox": [0, 0, 50, 50], "area": 9, "ignore": 1},
            {"id": 2, "image_id": 2, "category_id": 9, "bbox": [60, 0, 50, 50]},
        ],
        **changes,
    }


def write(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def one_result(**changes: Any) -> dict[str, Any]:
    return {"image_id": 1, "category_id": 7, "bbox": [0, 0, 40, 40], "score": 0.5, **changes}


@pytest.fixture
def truth(tmp_path: Path) -> CocoGroundTruth:
    return read_coco_ground_truth(write(tmp_path, "gt.json", content()), BadRecords())


def test_perfect_detections(tmp_path: Path, truth: CocoGroundTruth) -> None:
    results = [
        one_result(),
        one_result(image_id="b.jpg", category_id=9, bbox=[60, 0, 50, 50]),
        one_result(image_id=2, category_id=9, bbox=[0, 0, 50, 50]),  # on an ignored object
    ]
    path = write(tmp_path, "d.json", results)
    assert is_coco_results(path)
    result = evaluate_coco(truth, read_coco_results(path, truth, BadRecords()))
    for reading in result.readings().values():
        assert (reading.numbers["AP"], reading.numbers["AR100"]) == (pytest.approx(1.0), 1.0)
    assert result.class_agnostic.numbers["APs"] == -1
    assert result.views is not None
    assert (result.views.accuracy, result.views.mean_abs_error_deg) == (1.0, None)


def test_wrong_category_costs_the_views_reading_only(tmp_path: Path, truth: CocoGroundTruth) -> None:
    results = [one_result(category_id=9), one_result(image_id=2, category_id=9, bbox=[60, 0, 50, 50])]
    path = write(tmp_path, "d.json", results)
    result = evaluate_coco(truth, read_coco_results(path, truth, BadRecords()))
    assert result.class_agnostic.numbers["AP50"] == pytest.approx(1.0)
    assert result.views_as_categories is not None
    assert result.views_as_categories.numbers["AP50"] < 0.7
    assert result.views_as_categories.categories["cat"]["AP"] == 0


def test_no_detections(truth: CocoGroundTruth) -> None:
    result = evaluate_coco(truth, coco_detections(DetectionTable.create([], [], []), truth))
    assert result.class_agnostic.numbers["AP"] == 0
    assert "COCO, 2 images, 2 objects, 0 detections" in result.table()


def test_a_single_category_is_lent_to_all_detections(tmp_path: Path) -> None:
    one = content(categories=[{"id": 7, "name": "face"}], annotations=content()["annotations"][:1])
    truth = read_coco_ground_truth(write(tmp_path, "gt.json", one), BadRecords())
    table = DetectionTable.create([0], [[0, 0, 40, 40]], [1.0])
    result = evaluate_coco(truth, coco_detections(table, truth))
    assert (result.views, result.readings().keys()) == (None, {"class_agnostic", "views_as_categories"})
    assert coco_detections(table, truth, class_agnostic=True).categories.tolist() == [-1]


def test_nothing_to_find_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "gt.json", content(annotations=[]))
    truth = read_coco_ground_truth(path, BadRecords())
    with pytest.raises(EvaluationError, match="holds no object that counts"):
        evaluate_coco(truth, coco_detections(DetectionTable.create([], [], []), truth))


def annotation(**changes: Any) -> dict[str, Any]:
    return {"image_id": 1, "category_id": 7, "bbox": [0, 0, 40, 40], **changes}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", ":1: not JSON"),
        ([], "found an array, expected an object with images and annotations"),
        (content(images=None), 'found nothing under "images", expected a list'),
        (content(images=[{"id": 1}]), "images[0]: found the id 1 and the file_name None"),
        (content(images=[{"id": 1, "file_name": "a"}] * 2), "images[1]: the id 1 occurs twice"),
        (
            content(images=[{"id": 1, "file_name": "a"}, {"id": 2, "file_name": "a"}]),
            "images[1]: the file_name 'a' occurs twice",
        ),
        (content(categories=["cat"]), "categories[0]: found a text, expected an object"),
        (
            content(annotations=[annotation(image_id=5)]),
            "annotations[0]: found the image_id 5, which the ground truth",
        ),
        (content(annotations=[annotation(category_id=None)]), "annotations[0]: found the category_id None"),
        (content(annotations=[annotation(bbox=[0, 0, 1])]), "annotations[0]: found the bbox [0, 0, 1]"),
        (content(annotations=[annotation(bbox=[0, 0, -1, 1])]), "with a negative width or height"),
        (content(annotations=[annotation(area="x")]), "annotations[0]: found the area 'x'"),
    ],
)
def test_bad_ground_truth(tmp_path: Path, value: Any, message: str) -> None:
    path = write(tmp_path, "gt.json", value)
    with pytest.raises(EvaluationError) as caught:
        read_coco_ground_truth(path, BadRecords())
    assert str(caught.value).startswith(f"{path}:")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "found an object, expected an array of results"),
        ([1], "[0]: found a number, expected an object"),
        (
            [one_result(), one_result(image_id=3)],
            "[1]: found the image_id 3, which the ground truth does not have",
        ),
        ([one_result(image_id="c.jpg")], "[0]: found the image_id 'c.jpg'"),
        ([one_result(category_id=1)], "[0]: found the category_id 1"),
        ([one_result(bbox=[0, 0, float("nan"), 1])], "[0]: found the bbox [0, 0, nan, 1]"),
        ([one_result(score=None)], "[0]: found the score None, expected a number"),
    ],
)
def test_bad_results(tmp_path: Path, truth: CocoGroundTruth, value: Any, message: str) -> None:
    path = write(tmp_path, "d.json", value)
    with pytest.raises(EvaluationError) as caught:
        read_coco_results(path, truth, BadRecords())
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    if isinstance(value, list):
        bad = BadRecords(skip=True)
        read_coco_results(path, truth, bad)
        assert bad.count == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.exp, np.cbrt]))
def test_only_the_order_of_scores_matters(seed: int, change: np.ufunc) -> None:
    rng = np.random.default_rng(seed)
    truth = CocoGroundTruth(
        image_ids=(4, 2),
        image_names=("a", "b"),
        category_ids=(1,),
        category_names=("cat",),
        annotations=read_boxes(rng, 5),
    )
    boxes = truth.annotations.boxes[rng.integers(0, 5, 8)] + rng.uniform(0, 4, (8, 4))
    found = CocoDetections(
        image_indices=rng.integers(0, 2, 8),
        categories=np.zeros(8, np.int64),
        boxes=boxes,
        scores=rng.permutation(8).astype(float),
    )
    changed = CocoDetections(
        image_indices=found.image_indices,
        categories=found.categories,
        boxes=found.boxes,
        scores=change(found.scores),
    )
    before, after = evaluate_coco(truth, found), evaluate_coco(truth, changed)
    assert before.class_agnostic.numbers == after.class_agnostic.numbers


def read_boxes(rng: np.random.Generator, n: int) -> Any:
    from badacost.eval.coco_files import CocoAnnotations

    boxes = np.hstack((rng.uniform(0, 50, (n, 2)), rng.uniform(20, 60, (n, 2))))
    return CocoAnnotations(
        image_indices=rng.integers(0, 2, n),
        categories=np.zeros(n, np.int64),
        boxes=boxes,
        areas=boxes[:, 2] * boxes[:, 3],
        crowd=np.zeros(n, bool),
    )
