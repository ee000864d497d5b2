"""Tables, JSON, CSV and figures that all evaluators share."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from badacost.eval.curve_figure import Curve, Panel, save_panels
from badacost.eval.reporting import format_table, write_csv, write_json


def test_table_aligns_columns_and_marks_missing_values() -> None:
    table = format_table(("class", "AP"), [("car", 9.5), ("pedestrian", None), ("n", 12)], title="KITTI")
    assert table.splitlines() == [
        "KITTI",
        "class         AP",
        "----------  ----",
        "car         9.50",
        "pedestrian     -",
        "n             12",
    ]


def test_table_refuses_a_row_of_another_length() -> None:
    with pytest.raises(ValueError, match="2 columns but a row of 1"):
        format_table(("class", "AP"), [("car",)])


def test_json_keeps_null_and_refuses_nan(tmp_path: Path) -> None:
    write_json(tmp_path / "result.json", {"ap": None, "precision": [1.0]})
    assert json.loads((tmp_path / "result.json").read_text()) == {"ap": None, "precision": [1.0]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "bad.json", {"ap": float("nan")})


def test_csv_leaves_missing_cells_empty(tmp_path: Path) -> None:
    write_csv(tmp_path / "result.csv", ("name", "ap"), [("a, b", None), ("c", 0.25)])
    assert (tmp_path / "result.csv").read_text() == 'name,ap\n"a, b",\nc,0.25\n'


def test_figure_shows_several_detectors_in_several_panels(tmp_path: Path) -> None:
    curves = [Curve("ours", [0, 1], [1.0, 0.5]), Curve("other", [0, 1], [0.8, 0.2])]
    panel = Panel(title="easy", x_label="recall", y_label="precision", curves=curves)
    save_panels(tmp_path / "one.png", [panel])
    save_panels(tmp_path / "four.png", [panel] * 4)
    one, four = (cv2.imread(str(tmp_path / name)) for name in ("one.png", "four.png"))
    assert one is not None
    assert four is not None
    assert four.shape[0] == pytest.approx(2 * one.shape[0], abs=2)
    assert four.shape[1] == pytest.approx(3 * one.shape[1], abs=2)


def test_figure_refuses_what_it_cannot_draw(tmp_path: Path) -> None:
    panel = Panel(title="", x_label="", y_label="", curves=[Curve("a", [0, 1], [1.0])])
    with pytest.raises(ValueError, match=r"cannot draw a figure in the format 'docx'"):
        save_panels(tmp_path / "curve.docx", [panel])
    with pytest.raises(ValueError, match=r"found \(2,\) and \(1,\)"):
        save_panels(tmp_path / "curve.png", [panel])
    with pytest.raises(ValueError, match="at least one panel"):
        save_panels(tmp_path / "curve.png", [])
