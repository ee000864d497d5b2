"""KITTI's files, read strictly: every bad record is named by file and line, or counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.detector.detections import Detections
from badacost.detector.formats import kitti_results
from badacost.detector.image_result import ImageResult
from badacost.detector.kitti_format import NO_ANGLE, parse_kitti_line
from badacost.eval.input_records import BadRecords, EvaluationError
from badacost.eval.kitti_detections import read_kitti_json
from badacost.eval.kitti_files import read_kitti_detections, read_kitti_labels, read_split

LABEL = "Car 0.00 1 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56"
RESULT = "Car -1 -1 -10 599.41 156.40 629.75 189.25 -1 -1 -1 -1000 -1000 -1000 -10 0.5"


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name.removeprefix('f')}.txt").write_text(content)
    return folder


def test_label_line() -> None:
    label = parse_kitti_line(LABEL, scored=False)
    assert label[:8] == ("Car", 0.0, 1, -1.57, 599.41, 156.40, 629.75, 189.25)
    assert label.score != label.score


def test_result_line() -> None:
    found = parse_kitti_line(RESULT, scored=True)
    assert found.score == 0.5
    assert found.alpha == NO_ANGLE


@pytest.mark.parametrize(
    ("line", "scored", "message"),
    [
        (RESULT, False, "a KITTI label line has 15 fields, found 16"),
        (LABEL, True, "a KITTI result line has 16 fields, found 15"),
        (LABEL.replace("599.41", "left"), False, "left must be a finite number, found 'left'"),
        (RESULT.replace(" 0.5", " nan"), True, "score must be a finite number, found 'nan'"),
        (LABEL.replace("0.00 1 ", "0.00 1.5 "), False, "occluded must be a whole number, found '1.5'"),
        (LABEL.replace("189.25", "inf"), False, "bottom must be a finite number, found 'inf'"),
        (LABEL.replace("12.34", "-inf").replace("2.63", "inf"), False, "width must be a finite number"),
    ],
)
def test_bad_line_names_the_field(line: str, scored: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_kitti_line(line, scored=scored)


def test_bad_line_names_file_and_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "gt", f000000=f"{LABEL}\n\n{LABEL} 3\n")
    with pytest.raises(EvaluationError, match=r"000000\.txt:3: a KITTI label line has 15 fields, found 16"):
        read_kitti_labels(folder)


def test_skipped_records_are_counted_and_the_rest_is_kept(tmp_path: Path) -> None:
    labels = write(tmp_path / "gt", f000000=LABEL, f000001=f"{LABEL}\nrubbish\n{LABEL}", f000002="")
    results = write(tmp_path / "det", f000000=f"{RESULT}\n{RESULT} 1\n", f000002="", f000009=RESULT)
    bad = BadRecords(skip=True)
    frames, truth = read_kitti_labels(labels, bad_records=bad)
    found = read_kitti_detections(results, frames, bad)
    assert frames == ["000000", "000001", "000002"]
    assert truth.frame_starts.tolist() == [0, 1, 3, 3]
    assert found.frame_starts.tolist() == [0, 1, 1, 1]
    assert bad.count == 4
    assert "000001.txt:2: a KITTI label line has 15 fields, found 1" in bad.messages[0]
    assert "000000.txt:2:" in bad.messages[1]
    assert "frame '000001' has no result file" in bad.messages[2]
    assert "the ground truth has no frame '000009'" in bad.messages[3]


def test_missing_and_unknown_result_files_stop(tmp_path: Path) -> None:
    folder = write(tmp_path / "det", f000000=RESULT)
    with pytest.raises(EvaluationError, match=r"000001\.txt: frame '000001' has no result file"):
        read_kitti_detections(folder, ["000000", "000001"])
    write(folder, f000007="")
    with pytest.raises(EvaluationError, match=r"000007\.txt: the ground truth has no frame '000007'"):
        read_kitti_detections(folder, ["000000"])
    assert len(read_kitti_detections(folder, ["000000"], others_allowed=True)) == 1


def test_folders_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="the ground truth must be a folder"):
        read_kitti_labels(tmp_path / "nowhere")
    with pytest.raises(EvaluationError, match="the detections must be a folder"):
        read_kitti_detections(tmp_path / "nowhere", ["000000"])
    with pytest.raises(EvaluationError, match="holds no label file"):
        read_kitti_labels(tmp_path)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "gt", f000000="")
    (folder / "000000.txt").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(EvaluationError, match=r"000000\.txt: is no text file"):
        read_kitti_labels(folder)


def test_split(tmp_path: Path) -> None:
    split = tmp_path / "val.txt"
    split.write_text("000003\n\n000001\n000003\n")
    with pytest.raises(EvaluationError, match=r"val\.txt:4: frame '000003' was listed before, in line 1"):
        read_split(split)
    bad = BadRecords(skip=True)
    assert read_split(split, bad) == ["000003", "000001"]
    assert bad.count == 1
    split.write_text("\n")
    with pytest.raises(EvaluationError, match="names no frame"):
        read_split(split)
    folder = write(tmp_path / "gt", f000001=LABEL, f000002=LABEL)
    with pytest.raises(EvaluationError, match=r"000003\.txt: frame '000003' has no label file"):
        read_kitti_labels(folder, ["000003", "000001"])
    frames, _ = read_kitti_labels(folder, ["000003", "000001"], BadRecords(skip=True))
    assert frames == ["000001"]
    with pytest.raises(EvaluationError, match="none of the 1 frames has a label file"):
        read_kitti_labels(folder, ["000003"], BadRecords(skip=True))


def test_files_of_our_detector_are_read(tmp_path: Path) -> None:
    boxes = np.array([[1.25, 2.5, 300.75, 40.0], [-5, 3, 20, 60]], dtype=np.float32)
    scores = np.array([7.5, -1.25], dtype=np.float32)
    detections = Detections(boxes, scores, np.array([1, 0]), ("1", "6"), (0.0, -90.0))
    write(
        tmp_path,
        f000000=kitti_results("Car").image(
            ImageResult(file="000000.png", output_name="000000", detections=detections)
        ),
    )
    found = read_kitti_detections(tmp_path, ["000000"])
    assert found.types.tolist() == ["car", "car"]
    assert found.boxes.tolist() == boxes.tolist()
    assert found.scores.tolist() == scores.tolist()
    assert np.rad2deg(found.alpha) == pytest.approx([-90, 0], abs=0.01)
    unknown = Detections(boxes, scores, np.zeros(2, np.int64), ("car",), (float("nan"),))
    write(
        tmp_path,
        f000000=kitti_results("Car").image(
            ImageResult(file="000000.png", output_name="000000", detections=unknown)
        ),
    )
    assert read_kitti_detections(tmp_path, ["000000"]).alpha.tolist() == [NO_ANGLE, NO_ANGLE]


def document(**images: list[dict[str, Any]]) -> str:
    entries = [
        {"file": f"image_2/{name.removeprefix('f')}.png", "error": None, "detections": detections}
        for name, detections in images.items()
    ]
    return json.dumps({"format": "badacost-detections", "version": 1, "images": entries})


def test_our_json(tmp_path: Path) -> None:
    path = tmp_path / "detections.json"
    car = {"box": [10, 20, 30, 40], "score": 1.5, "view": "6", "angle_deg": -90.0}
    path.write_text(document(f000002=[], f000001=[car, {**car, "angle_deg": None}]))
    found = read_kitti_json(path, ["000001", "000002"])
    assert found.frame_starts.tolist() == [0, 2, 2]
    assert found.types.tolist() == ["car", "car"]
    assert found.boxes[0].tolist() == [10, 20, 40, 60]
    assert found.alpha.tolist() == pytest.approx([-1.5707963, NO_ANGLE])
    with pytest.raises(EvaluationError, match="frame '000003' is not listed"):
        read_kitti_json(path, ["000001", "000002", "000003"])
    with pytest.raises(EvaluationError, match=r"the ground truth has no image 'image_2/000002\.png'"):
        read_kitti_json(path, ["000001"])
    assert len(read_kitti_json(path, ["000001"], other_frames=["000001", "000002"])) == 2
