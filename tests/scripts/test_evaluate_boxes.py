"""The command evaluate_boxes: WIDER and csv ground truth, all formats of detections."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from badacost.scripts.evaluate_boxes import main


def result(path: Path, *arguments: str) -> dict:
    assert main([*arguments, "--json", str(path)]) == 0
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("BAdaCost, nOctUp 0 (shipped)", "faces_wider_badacost"),
        ("BAdaCost, nOctUp 1", "faces_wider_badacost_up1"),
    ],
)
def test_reference_model_on_wider(shared: Path, tmp_path: Path, name: str, file: str) -> None:
    folder = shared / "data/faces/test_wider"
    arguments = [
        "--ground-truth",
        str(folder / "wider_face_val_bbx_gt.txt"),
        "--squares",
        "--views-from",
        str(folder / "views_auto.csv"),
        "--detections",
        str(shared / f"reference/detections/{file}.csv"),
        "--min-score",
        "0",
        "--refine-boxes",
    ]
    with (shared / "reference/detections/peers.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if (row["set"], row["detector"]) == ("wider", name)]
    (wanted,) = ({key: float(value) for key, value in rows[0].items() if key not in ("set", "detector")},)
    found = result(tmp_path / "r.json", *arguments)
    point = found["refined"]["operating_points"]["1"]
    assert (found["images"], found["counted_faces"]) == (wanted["images"], wanted["faces"])
    assert found["detections"] == wanted["detections"]
    assert found["ap"] == pytest.approx(wanted["ap"], abs=0.01)
    assert found["ap_refined"] == pytest.approx(wanted["ap_refined"], abs=0.01)
    assert 100 * found["recall_at_fppi"]["1"] == pytest.approx(wanted["recall_1fppi"], abs=0.01)
    assert 100 * point["recall"] == pytest.approx(wanted["recall_1fppi_refined"], abs=0.01)
    assert 100 * point["views"]["accuracy"] == pytest.approx(wanted["view_accuracy"], abs=0.01)
    assert 100 * point["views"]["recall_per_view"]["half_right"] == pytest.approx(
        wanted["recall_half_right"], abs=0.06
    )
    every = result(tmp_path / "r.json", *arguments, "--min-face", "0")
    assert every["counted_faces"] == 298
    assert every["ap"] == pytest.approx(wanted["ap_all_sizes"], abs=0.01)
    assert every["ap_refined"] == pytest.approx(wanted["ap_all_sizes_refined"], abs=0.01)


def test_boxes_to_ignore_make_their_detections_neutral(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/faces/test_wider"
    dolls = tmp_path / "dolls.csv"
    image = "20_Family_Group_Family_Group_20_374"
    dolls.write_text(f"image,x,y,w,h\n{image},333,441,99,99\n{image},303,591,70,70\n")
    arguments = [
        "--ground-truth",
        str(folder / "wider_face_val_bbx_gt.txt"),
        "--squares",
        "--detections",
        str(shared / "reference/detections/faces_wider_badacost.csv"),
    ]
    plain = result(tmp_path / "r.json", *arguments)
    ignoring = result(tmp_path / "r.json", *arguments, "--ignore-csv", str(dolls))
    assert ignoring["counted_faces"] == plain["counted_faces"] == 251
    assert ignoring["ignored_faces"] == plain["ignored_faces"] + 2
    assert ignoring["false_positives"][-1] == plain["false_positives"][-1] - 2
    assert ignoring["ap"] > plain["ap"]


def test_view_metrics_of_the_reference_case(shared: Path, tmp_path: Path) -> None:
    folder = shared / "reference/voc_ap/views"
    expected = json.loads((folder / "expected.json").read_text())
    names = {
        line.split(",")[0] for path in folder.glob("*.csv") for line in path.read_text().splitlines()[1:]
    }
    (tmp_path / "list.txt").write_text("\n".join(sorted(names)))
    found = result(
        tmp_path / "r.json",
        "--ground-truth",
        str(folder / "ground_truth.csv"),
        "--image-list",
        str(tmp_path / "list.txt"),
        "--detections",
        str(folder / "detections.csv"),
        "--min-face",
        "0",
    )
    views = found["views"]
    assert found["ap"] == pytest.approx(100 * expected["AP_allpoint"], abs=1e-7)
    assert views["avp"] == pytest.approx(100 * expected["AVP_allpoint_pascal3d"], abs=1e-7)
    assert views["aos11"] == pytest.approx(100 * expected["AOS_11"], abs=1e-7)
    assert views["aos40"] == pytest.approx(100 * expected["AOS_40"], abs=1e-7)
    assert views["mean_abs_error_deg"] == pytest.approx(expected["mean_abs_yaw_error_deg"], abs=1e-9)
    assert views["confusion"] == expected["confusion_rows_true_view_cols_predicted_view_then_missed"]


@pytest.mark.parametrize("case", ["basic", "integer"])
def test_list_beside_the_ground_truth_is_found(shared: Path, tmp_path: Path, case: str) -> None:
    folder = shared / "reference/voc_ap/cases" / case
    expected = json.loads((folder / "expected.json").read_text())
    found = result(
        tmp_path / "r.json",
        "--ground-truth",
        str(folder / "ground_truth.csv"),
        "--detections",
        str(folder / "detections.txt"),
        "--min-face",
        str(expected["min_size"]),
    )
    assert found["images"] == expected["images"]
    assert found["ap"] == pytest.approx(100 * expected["results"]["filtered"]["ap_allpoint"], abs=1e-7)


def test_image_list_adds_images_without_faces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gt.csv").write_text("image,x1,y1,x2,y2\na,0,0,50,50\n")
    (tmp_path / "d.csv").write_text("image,x1,y1,x2,y2,score\na,0,0,50,50,1\nb,0,0,50,50,2\n")
    (tmp_path / "list.txt").write_text("a\nb\n")
    arguments = ["--ground-truth", str(tmp_path / "gt.csv"), "--detections", str(tmp_path / "d.csv")]
    assert main(arguments) == 2
    assert f"{tmp_path / 'd.csv'}:3: the ground truth has no image 'b'" in capsys.readouterr().err
    found = result(tmp_path / "r.json", *arguments, "--image-list", str(tmp_path / "list.txt"))
    assert (found["images"], found["ap"]) == (2, 50.0)
    (tmp_path / "list.txt").write_text("b\n")
    assert main([*arguments, "--image-list", str(tmp_path / "list.txt")]) == 2
    assert "image 'a'" in capsys.readouterr().err


def test_json_that_lists_fewer_images_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gt.csv").write_text("image,x1,y1,x2,y2\na,0,0,50,50\nb,0,0,50,50\n")
    image = {"file": "a", "detections": [{"box": [0, 0, 50, 50], "score": 1}]}
    document = {"format": "badacost-detections", "version": 1, "images": [image]}
    (tmp_path / "d.json").write_text(json.dumps(document))
    arguments = ["--ground-truth", str(tmp_path / "gt.csv"), "--detections", str(tmp_path / "d.json")]
    assert main(arguments) == 0
    assert "does not list 1 of the 2 images, first b" in capsys.readouterr().err
    assert main([*arguments, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
