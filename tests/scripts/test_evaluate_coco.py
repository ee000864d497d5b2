"""The command evaluate_coco: numbers, files, detections in every format, exit status for bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from badacost.detector.detections import Detections
from badacost.detector.detector import Detector
from badacost.scripts.evaluate_coco import main

TRUTH = {
    "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
    "categories": [{"id": 1, "name": "frontal"}, {"id": 2, "name": "half_left"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40]},
        {"id": 2, "image_id": 2, "category_id": 2, "bbox": [0, 0, 50, 50]},
    ],
}
RESULTS = [
    {"image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40], "score": 2},
    {"image_id": 2, "category_id": 1, "bbox": [0, 0, 50, 50], "score": 1},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ground truth of two views, pictures, and detections with one wrong view."""
    (tmp_path / "gt.json").write_text(json.dumps(TRUTH))
    (tmp_path / "d.json").write_text(json.dumps(RESULTS))
    for name in "ab":
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), np.zeros((60, 60, 3), np.uint8))
    return tmp_path


def arguments(folder: Path, detections: str = "d.json") -> list[str]:
    return ["--ground-truth", str(folder / "gt.json"), "--detections", str(folder / detections)]


def numbers(folder: Path, *extra: str) -> dict[str, Any]:
    assert main([*extra, "--json", str(folder / "r.json")]) == 0
    return json.loads((folder / "r.json").read_text())


def test_numbers_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--csv", str(folder / "r.csv"), "--plot", str(folder / "r.png")]
    found = numbers(folder, *arguments(folder), *outputs)
    names = {"AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"}
    assert names <= found["class_agnostic"].keys()
    assert found["class_agnostic"]["AP"] == pytest.approx(1.0)
    assert found["views_as_categories"]["AP"] == pytest.approx(0.5)
    assert found["views"]["accuracy"] == 0.5
    assert found["views"]["mean_abs_error_deg"] == pytest.approx(20.0)
    lines = (folder / "r.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("reading,overlap,recall,precision", 1 + 2 * 10 * 101)
    assert (folder / "r.png").read_bytes().startswith(b"\x89PNG")
    assert "views as categories" in capsys.readouterr().out


def test_every_format_gives_the_same(folder: Path) -> None:
    wanted = numbers(folder, *arguments(folder))
    rows = "file,x,y,width,height,score,view,angle_deg\na.jpg,0,0,40,40,2,frontal,\nb,0,0,50,50,1,frontal,\n"
    (folder / "d.csv").write_text(rows)
    assert numbers(folder, *arguments(folder, "d.csv")) == wanted
    images = [
        {"file": "a.jpg", "detections": [{"box": [0, 0, 40, 40], "score": 2, "view": "frontal"}]},
        {"file": "b.jpg", "detections": [{"box": [0, 0, 50, 50], "score": 1, "view": "frontal"}]},
    ]
    document = {"format": "badacost-detections", "version": 1, "images": images}
    (folder / "ours.json").write_text(json.dumps(document))
    assert numbers(folder, *arguments(folder, "ours.json")) == wanted
    agnostic = numbers(folder, *arguments(folder, "ours.json"), "--class-agnostic")
    assert agnostic["class_agnostic"] == wanted["class_agnostic"]
    assert agnostic["views_as_categories"] is None
    (folder / "d.txt").write_text("a 2 0 0 40 40\nb 1 0 0 50 50\n")
    assert numbers(folder, *arguments(folder, "d.txt"))["class_agnostic"] == wanted["class_agnostic"]


def test_detections_without_views_warn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "d.txt").write_text("a 2 0 0 40 40\n")
    assert main(arguments(folder, "d.txt")) == 0
    assert "d has detections without a view: only boxes are compared" in capsys.readouterr().err


def test_several_detectors_and_a_score_limit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.json").write_text(json.dumps(RESULTS[:1]))
    extra = ["--compare", str(folder / "other.json"), "--min-score", "1.5", "--plot", str(folder / "r.pdf")]
    assert main([*arguments(folder), *extra]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert {"d", "other"} <= set(printed)
    assert printed.count("COCO, 2 images, 2 objects, 1 detections") == 2


def test_bad_record_stops_or_is_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "d.json").write_text(json.dumps([*RESULTS, {"image_id": 9}]))
    assert main(arguments(folder)) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"badacost-evaluate-coco: {folder / 'd.json'}: [2]: found the image_id 9")
    assert printed.out == ""
    assert main([*arguments(folder), "--skip-bad"]) == 0
    assert "1 bad record was skipped" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("detections", "extra", "message"),
    [
        ("no_such.json", [], "no_such.json: cannot be read"),
        ("no_such.csv", [], "no_such.csv: no such file"),
        ("gt.json", [], 'expected an object with "format"'),
        ("d.json", ["--json", "no/such/folder/r.json"], "its folder does not exist"),
        ("d.json", ["--compare", "no_such.json"], "no_such.json: cannot be read"),
    ],
)
def test_unusable_input_is_status_2(
    folder: Path, capsys: pytest.CaptureFixture[str], detections: str, extra: list[str], message: str
) -> None:
    assert main([*arguments(folder, detections), *extra]) == 2
    assert message in capsys.readouterr().err


class OneFaceDetector:
    """Finds the same face in every image."""

    def __init__(self, view: str) -> None:
        self.view = view

    def with_options(self, **options: float) -> OneFaceDetector:
        return self

    def detect(self, path: Path) -> Detections:
        return Detections(
            boxes=np.array([[0, 0, 40, 40]], dtype=np.float32),
            scores=np.array([3.0], dtype=np.float32),
            view_indices=np.array([0]),
            view_names=(self.view,),
            view_angles=(0.0,),
        )


def test_model_is_run_over_the_images(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Detector, "load", lambda name: OneFaceDetector(name))
    truth = ["--ground-truth", str(folder / "gt.json"), "--images", str(folder)]
    found = numbers(folder, *truth, "--model", "frontal")
    assert found["class_agnostic"]["AP50"] == pytest.approx(1.0)
    assert found["views_as_categories"]["AP50"] == pytest.approx(0.5)
    assert main([*truth, "--model", "cat"]) == 2
    assert "unknown view 'cat'" in capsys.readouterr().err
    assert main([*truth, "--model", "cat", "--class-agnostic"]) == 0
