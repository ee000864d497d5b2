"""The command evaluate_afw: published numbers, the files it writes, a model run, exit status for bad input."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from badacost.detector.detections import Detections
from badacost.detector.detector import Detector
from badacost.scripts.evaluate_afw import main

VIEWS = ("right_profile", "half_right", "frontal", "half_left", "left_profile")


@pytest.fixture
def afw(shared: Path) -> list[str]:
    """Arguments for the stored AFW images with views."""
    folder = shared / "data/faces/test_afw"
    return [
        "--ground-truth",
        str(folder / "new_annotations_AFW.mat"),
        "--scale-csv",
        str(folder / "scale.csv"),
        "--views-from",
        str(folder / "anno.mat"),
    ]


def test_reference_model_on_the_stored_images(
    shared: Path, afw: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    detections = str(shared / "reference/detections/faces_afw_badacost.csv")
    files = {name: tmp_path / f"r.{name}" for name in ("json", "csv", "plot.pdf")}
    outputs = ["--json", str(files["json"]), "--csv", str(files["csv"]), "--plot", str(files["plot.pdf"])]
    options = ["--detections", detections, "--min-score", "0", "--refine-boxes", "--bootstrap", "50"]
    assert main([*afw, *options, *outputs]) == 0
    with (shared / "reference/detections/peers.csv").open(newline="") as stream:
        wanted = {key: value for key, value in next(csv.DictReader(stream)).items() if value}
    found = json.loads(files["json"].read_text())
    refined = found["refined"]
    point = refined["operating_points"]["1"]
    assert (found["images"], found["counted_faces"], found["detections"]) == (120, 255, 845)
    assert found["ap"] == pytest.approx(float(wanted["ap"]), abs=0.01)
    assert found["ap_refined"] == refined["ap"] == pytest.approx(float(wanted["ap_refined"]), abs=0.01)
    assert refined["ap_standard_error"] == pytest.approx(float(wanted["ap_refined_se"]), abs=0.6)
    assert 100 * found["recall_at_fppi"]["1"] == pytest.approx(float(wanted["recall_1fppi"]), abs=0.01)
    assert 100 * point["recall"] == pytest.approx(float(wanted["recall_1fppi_refined"]), abs=0.01)
    assert point["score"] == pytest.approx(float(wanted["score_at_1fppi"]), abs=0.01)
    assert 100 * point["views"]["accuracy"] == pytest.approx(float(wanted["view_accuracy"]), abs=0.01)
    assert point["views"]["mean_abs_error_views"] == pytest.approx(
        float(wanted["view_error_bins"]), abs=0.001
    )
    for view in VIEWS:
        recall = 100 * point["views"]["recall_per_view"][view]
        assert recall == pytest.approx(float(wanted[f"recall_{view}"]), abs=0.06)
    assert len(found["recall"]) == len(found["precision"]) == len(found["score"]) == 845
    assert len(refined["transform"]) == 4
    assert np.sum(found["views"]["confusion"]) == 252
    rows = files["csv"].read_text().splitlines()
    assert rows[0] == "boxes,score,true_positives,false_positives,recall,precision"
    assert len(rows) == 1 + 2 * 845
    assert files["plot.pdf"].read_bytes().startswith(b"%PDF")
    assert f"{found['ap_refined']:.2f}" in capsys.readouterr().out


def test_published_detections_on_pascal(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/faces/annotations_only/PASCAL_faces"
    truth = str(folder / "Annotations_Face_PASCALLayout_large_fixed.mat")
    detections = str(shared / "reference/voc_ap/real/PASCAL_det_headhunter.txt")
    output = tmp_path / "r.json"
    arguments = ["--ground-truth", truth, "--detections", detections, "--refine-boxes", "--json", str(output)]
    assert main(arguments) == 0
    found = json.loads(output.read_text())
    assert found["counted_faces"] == 1341
    assert found["ap_refined"] == pytest.approx(89.62988887310038, abs=1e-6)


def test_several_detectors_share_a_figure(
    shared: Path, afw: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = shared / "reference/detections/faces_afw_badacost.csv"
    lines = first.read_text().splitlines()
    second = tmp_path / "half.csv"
    second.write_text("\n".join(lines[::2] if lines[::2][0] == lines[0] else lines))
    plot = tmp_path / "both.png"
    assert main([*afw, "--detections", str(first), "--compare", str(second), "--plot", str(plot)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert {"faces_afw_badacost", "half"} <= set(printed)
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with annotation, detections and images of two small pictures."""
    import cv2

    records = np.zeros(2, dtype=[("imgname", "O"), ("objects", "O")])
    for record, name in zip(records, ("one.jpg", "two.jpg"), strict=True):
        record["imgname"], record["objects"] = name, np.array([[10.0, 10.0, 60.0, 60.0, 0, 0]])
        cv2.imwrite(str(tmp_path / name), np.zeros((80, 80, 3), np.uint8))
    savemat(tmp_path / "gt.mat", {"Annotations": records})
    (tmp_path / "d.txt").write_text("one 2 10 10 60 60\ntwo.jpg 1 12 10 60 60\n")
    return tmp_path


def small_arguments(folder: Path) -> list[str]:
    return ["--ground-truth", str(folder / "gt.mat"), "--detections", str(folder / "d.txt")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("three 1 10 10 60 60", "the ground truth has no image 'three'"),
        ("one 1 10 10 60", "expected `image score x1 y1 x2 y2`"),
        ("one 1 10 10 60 inf", "expected finite numbers"),
    ],
)
def test_bad_line_stops_or_is_counted(
    small: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    path = small / "d.txt"
    path.write_text(path.read_text() + line + "\n")
    assert main(small_arguments(small)) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"badacost-evaluate-afw: {path}:3: ")
    assert message in printed.err
    assert printed.out == ""
    assert main([*small_arguments(small), "--skip-bad"]) == 0
    printed = capsys.readouterr()
    assert f"skipped: {path}:3: " in printed.err
    assert "1 bad record was skipped" in printed.err
    assert "100.00" in printed.out


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--plot", "curve.docx"], "cannot draw a figure in the format 'docx'"),
        (["--json", "no/such/folder/r.json"], "its folder does not exist"),
        (["--scale-csv", "no_such.csv"], "no_such.csv: cannot be read"),
        (["--views-from", "no_such.mat"], "no_such.mat: no such file"),
        (["--min-face", "1000"], "no counted face"),
    ],
)
def test_unusable_input_is_status_2(
    small: Path, capsys: pytest.CaptureFixture[str], extra: list[str], message: str
) -> None:
    assert main([*small_arguments(small), *extra]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--ground-truth"),
        (["--ground-truth", "a.mat"], "one of the arguments --detections --model is required"),
        (["--ground-truth", "a.mat", "--model", "faces"], "--model needs --images"),
        (
            ["--ground-truth", "a.mat", "--detections", "d", "--min-face", "-1"],
            "--min-face must be at least 0",
        ),
        (["--ground-truth", "a.mat", "--detections", "d", "--threads", "-1"], "--threads must be 0"),
        (
            ["--ground-truth", "a.mat", "--detections", "d", "--bootstrap", "1"],
            "--bootstrap must be 0 or at least 2",
        ),
        (["--ground-truth", "a.mat", "--detections", "d", "--max-roll", "0"], "--max-roll must be positive"),
    ],
)
def test_wrong_arguments_are_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


class OneFaceDetector:
    """Finds the same face in every image, under a view of its own."""

    def __init__(self, view: str) -> None:
        self.view = view

    def with_options(self, **options: float) -> OneFaceDetector:
        assert options == {"threads": 1, "min_score": 0.5}
        return self

    def detect(self, path: Path) -> Detections:
        return Detections(
            boxes=np.array([[10, 10, 60, 60]], dtype=np.float32),
            scores=np.array([3.0], dtype=np.float32),
            view_indices=np.array([0]),
            view_names=(self.view,),
            view_angles=(0.0,),
        )


def test_model_is_run_over_the_images(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Detector, "load", lambda name: OneFaceDetector(name))
    truth = ["--ground-truth", str(small / "gt.mat"), "--images", str(small), "--min-score", "0.5"]
    assert main([*truth, "--model", "frontal", "--threads", "1"]) == 0
    assert "100.00" in capsys.readouterr().out
    assert main([*truth, "--model", "cat", "--threads", "1"]) == 2
    assert "unknown view 'cat'" in capsys.readouterr().err
    assert main([*truth, "--model", "cat", "--threads", "1", "--no-views"]) == 0
    (small / "two.jpg").unlink()
    capsys.readouterr()
    assert main([*truth, "--model", "frontal", "--threads", "1"]) == 2
    assert "image 'two.jpg' is not there" in capsys.readouterr().err
    assert main([*truth, "--model", "frontal", "--threads", "1", "--skip-bad"]) == 0
    assert "50.00" in capsys.readouterr().out


def test_unknown_model_is_status_2(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--ground-truth", str(small / "gt.mat"), "--images", str(small), "--model", "no_such_model"]
    assert main(arguments) == 2
    assert "no_such_model" in capsys.readouterr().err


def test_help_needs_no_heavy_import() -> None:
    program = (
        "import sys; from badacost.scripts.evaluate_afw import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numba', 'cv2', 'scipy', 'matplotlib'} & set(sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "example:" in printed.stdout
