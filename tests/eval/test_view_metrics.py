"""View metrics equal the reference script's values and their definitions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from badacost.eval.detection_table import DetectionTable
from badacost.eval.greedy_matching import MATHIAS_RULE, GreedyRule
from badacost.eval.ground_truth import FaceGroundTruth
from badacost.eval.view_metrics import view_metrics
from badacost.eval.views import FACE_VIEWS, UNKNOWN_VIEW, ViewSet

from .face_box_cases import corners, read_rows


def load(shared: Path) -> tuple[list[FaceGroundTruth], DetectionTable]:
    folder = shared / "reference/voc_ap/views"
    faces, found = read_rows(folder / "ground_truth.csv"), read_rows(folder / "detections.csv")
    names = sorted({row["image"] for row in faces + found})
    images = []
    for name in names:
        rows = [row for row in faces if row["image"] == name]
        images.append(
            FaceGroundTruth.create(
                name,
                [corners(row) for row in rows],
                ignored=[row["ignore"] == "1" for row in rows],
                yaws_deg=[float(row["yaw_deg"]) for row in rows],
            )
        )
    detections = DetectionTable.create(
        [names.index(row["image"]) for row in found],
        [corners(row) for row in found],
        [float(row["score"]) for row in found],
        [int(row["view"]) - 1 for row in found],
    )
    return images, detections


@pytest.mark.parametrize("pixel_offset", [0.0, 1.0])
def test_reference_values(shared: Path, pixel_offset: float) -> None:
    expected = json.loads((shared / "reference/voc_ap/views/expected.json").read_text())
    images, detections = load(shared)
    found = view_metrics(images, detections, FACE_VIEWS, GreedyRule(pixel_offset=pixel_offset))
    wanted_confusion = expected["confusion_rows_true_view_cols_predicted_view_then_missed"]
    assert found.confusion.tolist() == wanted_confusion
    for value, name in (
        (found.avp, "AVP_allpoint_pascal3d"),
        (found.avp_box_recall, "AVP_recall_of_boxes_precision_of_views"),
        (found.aos11, "AOS_11"),
        (found.aos40, "AOS_40"),
        (found.mean_abs_error_deg, "mean_abs_yaw_error_deg"),
        (found.median_abs_error_deg, "median_abs_yaw_error_deg"),
        (found.accuracy, "view_accuracy"),
        (found.within_one_view, "view_within_one"),
    ):
        assert value == pytest.approx(expected[name], abs=1e-9), name


def one_face(yaw: float, **extra: float) -> list[FaceGroundTruth]:
    return [FaceGroundTruth.create("a", [[0, 0, 50, 50]], yaws_deg=[yaw], **extra)]


def one_detection(view: int, angle: float = np.nan) -> DetectionTable:
    return DetectionTable.create([0], [[0, 0, 50, 50]], [1.0], [view], [angle])


def test_wrong_view_uses_up_its_face() -> None:
    boxes = [[0, 0, 50, 50]] * 2
    detections = DetectionTable.create([0, 0], boxes, [2.0, 1.0], [1, 2])
    found = view_metrics(one_face(0.0), detections, FACE_VIEWS, MATHIAS_RULE)
    assert found.avp == 0.0
    assert (found.accuracy, found.within_one_view) == (0.0, 1.0)


def test_own_angle_goes_before_the_view_and_wraps() -> None:
    found = view_metrics(one_face(175.0), one_detection(4, -175.0), FACE_VIEWS, MATHIAS_RULE)
    assert found.mean_abs_error_deg == pytest.approx(10.0)
    found = view_metrics(one_face(-70.0), one_detection(0), FACE_VIEWS, MATHIAS_RULE)
    assert found.mean_abs_error_deg == pytest.approx(5.0)
    assert found.aos40 == pytest.approx((1 + np.cos(np.deg2rad(5))) / 2)


def test_limits_belong_to_the_upper_view() -> None:
    assert FACE_VIEWS.index_of_yaw([-60.1, -60, -20, 19.9, 20, 60, np.nan]).tolist() == [0, 1, 2, 2, 3, 4, -1]


def test_faces_of_unknown_view_are_neutral() -> None:
    images = [FaceGroundTruth.create("a", [[0, 0, 50, 50], [100, 0, 150, 50]], yaws_deg=[0.0, np.nan])]
    detections = DetectionTable.create([0, 0], images[0].boxes, [1.0, 2.0], [2, 0])
    found = view_metrics(images, detections, FACE_VIEWS, MATHIAS_RULE)
    assert (found.matched, found.avp, found.accuracy) == (1, 1.0, 1.0)


def test_views_without_angles_have_no_errors() -> None:
    views = ViewSet(("front", "side"), (np.nan, np.nan), (45.0,))
    found = view_metrics(one_face(0.0, view_set=views), one_detection(0), views, MATHIAS_RULE)
    assert (found.mean_abs_error_deg, found.aos11, found.accuracy) == (None, None, 1.0)
    assert found.to_json()["aos40"] is None


def test_nothing_found() -> None:
    found = view_metrics(one_face(0.0), DetectionTable.create([], [], []), FACE_VIEWS, MATHIAS_RULE)
    assert (found.accuracy, found.mean_abs_error_deg, found.avp) == (None, None, 0.0)
    assert found.confusion[2].tolist() == [0, 0, 0, 0, 0, 1]
    assert found.recall_per_view == (None, None, 0.0, None, None)
    assert "missed" in found.summary()


def test_detection_without_view_is_refused() -> None:
    with pytest.raises(ValueError, match="must all have a view, found 1 without"):
        view_metrics(one_face(0.0), one_detection(UNKNOWN_VIEW), FACE_VIEWS, MATHIAS_RULE)


@pytest.mark.parametrize(
    ("names", "angles", "edges", "message"),
    [
        (("a", "b"), (0.0,), (1.0,), "2 names need as many angles"),
        (("a", "b", "c"), (0.0, 1.0, 2.0), (5.0, 5.0), "edges_deg of ViewSet must increase"),
    ],
)
def test_view_sets_are_checked(
    names: tuple[str, ...], angles: tuple[float, ...], edges: tuple[float, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ViewSet(names, angles, edges)
