"""KITTI's evaluation: the official program's numbers, surprising rules, results on paper and on disk."""

from __future__ import annotations

import csv
import json
import math
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.detector.kitti_format import KittiObject
from badacost.eval.kitti import evaluate_kitti, recall_thresholds
from badacost.eval.kitti_files import read_kitti_detections, read_kitti_labels
from badacost.eval.kitti_objects import KittiObjects
from badacost.eval.kitti_result import KittiResult, save_kitti_comparison
from badacost.eval.kitti_rules import KittiVersion

CASES = [
    "s01_mixed",
    "s02_equal_scores",
    "s03_all_scores_equal",
    "s04_dontcare",
    "s05_duplicates",
    "s06_height_limits",
    "s07_neighbours",
    "s08_occluded_truncated",
    "s09_no_orientation",
    "s10_car_only",
    "s11_perfect",
    "s12_perfect_few",
    "s13_low_recall",
    "s14_negative_scores",
    "s15_other_class_small",
    "s16_many_empty",
    "r_kittibox",
    "r_rgb2d_a",
    "r_deepbox_a",
]

Frame = tuple[list[KittiObject], list[KittiObject]]


def read_case(shared: Path, case: str, folder: Path) -> tuple[KittiObjects, KittiObjects]:
    with zipfile.ZipFile(shared / "reference" / "kitti" / f"{case}.zip") as archive:
        archive.extractall(folder)
    frames, labels = read_kitti_labels(folder / "gt")
    return labels, read_kitti_detections(folder / "det", frames)


@pytest.mark.parametrize("case", CASES)
def test_equals_the_official_program(shared: Path, tmp_path: Path, case: str) -> None:
    expected = json.loads((shared / "reference" / "kitti" / "expected.json").read_text())[case]
    labels, detections = read_case(shared, case, tmp_path)
    assert labels.n_frames == expected["frames"]
    for version, classes in expected["results"].items():
        result = evaluate_kitti(labels, detections, version)
        assert {name for name, levels in result.classes.items() if levels is None} == {
            name for name, levels in classes.items() if levels is None
        }
        for class_name, level, curve in result.curves():
            wanted = classes[class_name][level]
            assert curve.n_valid == wanted["n_gt"]
            assert curve.thresholds.tolist() == pytest.approx(wanted["score_thresholds"], abs=1e-9)
            assert curve.true_positives.tolist() == wanted["tp"]
            assert curve.false_positives.tolist() == wanted["fp"]
            assert curve.false_negatives.tolist() == wanted["fn"]
            assert curve.precision == pytest.approx(wanted["precision"], abs=1e-9)
            assert (curve.ap11, curve.ap40) == pytest.approx((wanted["AP11"], wanted["AP40"]), abs=1e-7)
            if "orientation" in wanted:
                assert curve.orientation == pytest.approx(wanted["orientation"], abs=1e-9)
                assert (curve.aos11, curve.aos40) == pytest.approx(
                    (wanted["AOS11"], wanted["AOS40"]), abs=1e-7
                )
            else:
                assert curve.orientation is None
                assert curve.aos11 is None
                assert curve.aos40 is None


def test_every_reference_case_is_tested(shared: Path) -> None:
    assert sorted(path.stem for path in (shared / "reference" / "kitti").glob("*.zip")) == sorted(CASES)


def evaluate_frames(frames: list[Frame], version: KittiVersion = "current") -> KittiResult:
    labels = KittiObjects.from_frames([labels for labels, _ in frames])
    detections = KittiObjects.from_frames([detections for _, detections in frames])
    return evaluate_kitti(labels, detections, version)


def car_row(count: int, per_frame: int = 5) -> list[Frame]:
    """Frames with `count` easy cars side by side, each detected exactly."""
    cars = [
        KittiObject(
            "Car", 0.0, 0, 0.3, 100.0 * (k % per_frame), 10.0, 100.0 * (k % per_frame) + 80, 70.0, math.nan
        )
        for k in range(count)
    ]
    frames: list[Frame] = []
    for start in range(0, count, per_frame):
        labels = cars[start : start + per_frame]
        detections = [car._replace(score=start + k / 10) for k, car in enumerate(labels)]
        frames.append((labels, detections))
    return frames


@pytest.mark.parametrize("count", [1, 5, 6, 40, 41, 42, 57, 80, 83, 200])
def test_perfect_detections_reach_the_cap(count: int) -> None:
    result = evaluate_frames(car_row(count))
    levels = result.classes["car"]
    assert levels is not None
    for level, curve in levels.items():
        assert curve.n_valid == count
        assert curve.ap11 == pytest.approx(curve.highest_ap11)
        assert curve.ap40 == pytest.approx(curve.highest_ap40)
        assert curve.aos40 == pytest.approx(curve.ap40)
        if count >= 41:
            assert curve.ap11 == pytest.approx(100)
            assert curve.voc_ap is None
        else:
            assert curve.voc_ap == pytest.approx(100)
            assert any(line.startswith(f"car {level}: {count} valid labels") for line in result.warnings())
    assert bool(result.warnings()) == (count < 41)


def test_known_cap_of_six_objects() -> None:
    levels = evaluate_frames(car_row(6)).classes["car"]
    assert levels is not None
    assert levels["easy"].ap11 == pytest.approx(18.1818, abs=1e-3)
    assert levels["easy"].ap40 == pytest.approx(12.5)


@settings(max_examples=200, deadline=None)
@given(n_valid=st.integers(1, 400), found=st.floats(0, 1))
def test_never_more_thresholds_than_places(n_valid: int, found: float) -> None:
    scores = np.arange(round(found * n_valid), dtype=np.float64)
    thresholds = recall_thresholds(scores, n_valid)
    assert len(thresholds) <= 41
    assert np.all(np.diff(thresholds) < 0)
    if len(scores):
        assert thresholds[0] == scores[-1]
        assert thresholds[-1] == scores[0]


def test_low_objects_of_another_class_take_labels_only_since_2017() -> None:
    label = KittiObject("Car", 0.0, 0, 0.0, 0.0, 0.0, 60.0, 30.0, math.nan)
    low = label._replace(type="Pedestrian", y2=24.9, score=9.0)
    car = label._replace(score=1.0, y2=26.0)
    frames: list[Frame] = [([label], [low, car])]
    now, before = evaluate_frames(frames), evaluate_frames(frames, "pre2017")
    assert now.classes["car"] is not None
    assert before.classes["car"] is not None
    # The first pass gives the label to the higher score, which is ignored: no score is recorded at all.
    assert len(now.classes["car"]["moderate"].thresholds) == 0
    assert before.classes["car"]["moderate"].thresholds.tolist() == [1.0]


def test_a_class_needs_a_detection_that_starts_inside_the_image_since_2017() -> None:
    label = KittiObject("Car", 0.0, 0, 0.0, 0.0, 0.0, 60.0, 50.0, math.nan)
    frames: list[Frame] = [([label], [label._replace(x1=-1.0, score=1.0)])]
    assert evaluate_frames(frames).classes["car"] is None
    assert evaluate_frames(frames, "pre2017").classes["car"] is not None


def test_no_detection_at_all_evaluates_nothing(tmp_path: Path) -> None:
    frames: list[Frame] = [(labels, []) for labels, _ in car_row(7)]
    result = evaluate_frames(frames)
    assert result.to_json()["classes"] == {"car": None, "pedestrian": None, "cyclist": None}
    assert "no detection" in result.table()
    result.save_plot(tmp_path / "empty.png")
    assert (tmp_path / "empty.png").stat().st_size > 0


def test_frames_of_labels_and_detections_must_agree() -> None:
    empty = KittiObjects.from_frames([[]])
    with pytest.raises(ValueError, match="must have the same frames, found 1 and 2"):
        evaluate_kitti(empty, KittiObjects.from_frames([[], []]))
    with pytest.raises(ValueError, match=r"version of evaluate_kitti must be one of .* found '2018'"):
        evaluate_kitti(empty, empty, "2018")  # type: ignore[arg-type]
    unscored = KittiObjects.from_frames([car_row(1)[0][0]])
    with pytest.raises(ValueError, match=r"scores of the detections .* must be finite"):
        evaluate_kitti(unscored, unscored)


def test_result_prints_and_saves(shared: Path, tmp_path: Path) -> None:
    labels, detections = read_case(shared, "s10_car_only", tmp_path / "case")
    result = evaluate_kitti(labels, detections)
    result.save_json(tmp_path / "result.json")
    content = json.loads((tmp_path / "result.json").read_text())
    assert content["version"] == "current"
    assert content["classes"]["pedestrian"] is None
    easy = content["classes"]["car"]["easy"]
    assert {"ap11", "ap40", "aos11", "aos40", "precision", "orientation", "thresholds", "n_valid"} <= set(
        easy
    )
    assert len(easy["precision"]) == len(easy["orientation"]) == 41
    assert f"{easy['ap11']:.2f}" in result.table()

    result.save_csv(tmp_path / "result.csv")
    with (tmp_path / "result.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 41
    assert [float(row["precision"]) for row in rows[:41]] == easy["precision"]
    assert rows[40]["level"] == "easy"
    assert sum(row["threshold"] != "" for row in rows[:41]) == len(easy["thresholds"])


def test_figures_of_one_and_of_several_detectors(shared: Path, tmp_path: Path) -> None:
    labels, detections = read_case(shared, "s10_car_only", tmp_path / "case")
    result = evaluate_kitti(labels, detections)
    result.save_plot(tmp_path / "one.png")
    save_kitti_comparison(tmp_path / "two.png", {"ours": result, "again": result})
    save_kitti_comparison(tmp_path / "angles.pdf", {"ours": result}, "orientation")
    one = cv2.imread(str(tmp_path / "one.png"))
    two = cv2.imread(str(tmp_path / "two.png"))
    assert one is not None
    assert two is not None
    assert two.shape[1] > one.shape[1]  # a panel a level; precision and orientation of the one class
    assert (tmp_path / "angles.pdf").read_bytes().startswith(b"%PDF")
