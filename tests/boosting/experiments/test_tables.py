"""Reading and encoding data sets, of the manifest and of the user."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.boosting.experiments.csv_records import read_columns
from badacost.boosting.experiments.manifest import load_table, read_manifest
from badacost.boosting.experiments.table import (
    ExperimentError,
    Table,
    complete_rows,
    encode,
    without_missing,
)
from badacost.boosting.experiments.two_class_tasks import two_class_task
from badacost.boosting.experiments.user_table import read_user_table

from .data_folder import write_data_folder, write_manifest


def _table(features: Any, labels: Any, names: tuple[str, ...]) -> Table:
    return Table(name="t", features=np.array(features, float), labels=np.array(labels), feature_names=names)


def test_categories_become_columns_and_missing_ones_zeros() -> None:
    features, names = encode({"colour": ["red", "", "blue"], "size": ["1", "2.5", ""]}, ["colour"], "t")
    assert names == ("colour=blue", "colour=red", "size")
    np.testing.assert_array_equal(features, [[0, 1, 1], [0, 0, 2.5], [1, 0, np.nan]])


def test_missing_numbers_become_medians_of_the_training_rows() -> None:
    train = _table([[1, np.nan], [3, np.nan], [np.nan, np.nan]], [0, 1, 1], ("a", "b"))
    test = _table([[np.nan, 5], [9, np.nan]], [0, 1], ("a", "b"))
    filled_train, filled_test = without_missing(train, test)
    np.testing.assert_array_equal(filled_train.features, [[1, 0], [3, 0], [2, 0]])
    np.testing.assert_array_equal(filled_test.features, [[2, 5], [9, 0]])


def test_complete_rows_have_every_number_and_category() -> None:
    table = _table([[1, 0, 5], [0, 0, 5], [0, 1, np.nan]], [0, 1, 2], ("c=x", "c=y", "n"))
    assert complete_rows(table).labels.tolist() == [0]


def test_data_sets_of_a_folder(tmp_path: Path) -> None:
    entries = read_manifest(write_data_folder(tmp_path))
    assert list(entries) == ["clouds", "loans"]
    clouds, loans = load_table(entries["clouds"]), load_table(entries["loans"])
    assert clouds.features.shape == (130, 3)
    assert clouds.features.dtype == np.float64
    assert loans.feature_names == ("income", "colour=green", "colour=red")
    assert loans.record_costs().shape == (150, 4)
    assert loans.record_costs()[:, 0].max() < 2.01  # false positives first
    assert not loans.record_costs()[:, 2:].any()
    some = loans.rows(np.arange(5))
    np.testing.assert_array_equal(some.costs["C_FN"], loans.costs["C_FN"][:5])


def test_the_papers_encodings(shared: Path) -> None:
    entries = read_manifest(shared / "data/tabular")
    car = load_table(entries["car_eval_34"])
    assert (len(car), len(car.feature_names)) == (1728, 21)  # the columns that the AdaCC log counts
    isolet = load_table(entries["isolet_subset"])
    assert np.abs(isolet.features).max() <= 1
    wine = two_class_task(load_table(entries["winequality_white"]), "wine", "score <= 4")
    assert np.bincount(wine.labels).tolist() == [4715, 183]
    adult = complete_rows(load_table(entries["adult"]))
    assert len(adult) == 45222


@pytest.mark.parametrize("name", ["telco_churn", "churn_tv", "creditcard_fraud_sample"])
def test_costs_of_records_are_no_features(shared: Path, name: str) -> None:
    table = load_table(read_manifest(shared / "data/tabular")[name])
    assert {"C_FP", "C_FN"} <= set(table.costs)
    assert not {"C_FP", "C_FN", "C_TP", "C_TN"} & set(table.feature_names)


def test_tasks_of_two_classes() -> None:
    table = _table([[0], [1], [2]], ["x", "y", "y"], ("a",))
    assert two_class_task(table, "t", "").labels.tolist() == [1, 0, 0]
    assert two_class_task(table, "t", "y").labels.tolist() == [0, 1, 1]
    numbers = table.with_labels(np.array(["3", "4", "5"]))
    assert two_class_task(numbers, "t", "score <= 4").labels.tolist() == [1, 1, 0]
    with pytest.raises(ExperimentError, match="two classes, found 3: 3, 4, 5"):
        two_class_task(numbers, "t", "")
    # tables that wrote the same class with and without a decimal point
    assert two_class_task(numbers, "t", "4.0").labels.tolist() == [0, 1, 0]
    with pytest.raises(ExperimentError, match=r"positive class '6\.0'"):
        two_class_task(numbers, "t", "6.0")
    with pytest.raises(ExperimentError, match="rule 'score <= 4' needs classes that are numbers, found 'x'"):
        two_class_task(table, "t", "score <= 4")
    with pytest.raises(ExperimentError, match="positive class 'z'"):
        two_class_task(table, "t", "z")


def test_a_user_s_csv(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("age,town,price,left\n31,Bonn,4.5,no\n?,Ulm,3,yes\n40,NA,7,no\n")
    table = read_user_table(path, "left", cost_fn="price", cost_fp="2")
    assert table.name == "mine"
    assert table.feature_names == ("age", "town=Bonn", "town=Ulm")
    assert np.isnan(table.features[1, 0])
    np.testing.assert_array_equal(table.costs["C_FN"], [4.5, 3, 7])
    np.testing.assert_array_equal(table.costs["C_FP"], [2, 2, 2])
    assert "price" in read_user_table(path, "left").feature_names


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("a,b\n1,2\n", {"target": "c"}, r"no column 'c' for --target, found \['a', 'b'\]"),
        ("a,b\n1,x\n2,x\n", {"target": "b"}, "at least two classes, found 'x'"),
        ("a,b\n1,x\n2,\n", {"target": "b"}, "record 2: the label in column 'b' is missing"),
        ("a,b\n1,x\n2\n", {"target": "b"}, "line 3: expected 2 fields as in the header, found 1"),
        ("a,a\n1,x\n", {"target": "a"}, "line 1: expected a header of distinct names"),
        ("a,b\n", {"target": "b"}, "at least one record"),
        ("", {"target": "b"}, r"bad\.csv: expected a csv with a header, found an empty file"),
        ("a,b\n1,x\n2,y\n3,z\n", {"target": "b"}, "must hold classes, found 3 different values in 3 records"),
        ("a;b\n1;x\n", {"target": "b"}, "no column 'b' .* fields must be separated by commas"),
        ('a,b\n1,x\n"' + 140_000 * "2", {"target": "b"}, r"bad\.csv: expected a csv, .*field limit"),
        ("a,b\n1,x\n-inf,y\n", {"target": "b"}, r"bad\.csv, column 'a', record 2: .* found '-inf'"),
        ("a,b\n1,x\n2,y\n", {"target": "b", "cost_fn": "z"}, "--cost-fn must be a column or a number"),
        ("a,b\n1,x\n2,y\n", {"target": "b", "cost_fp": "-1"}, "--cost-fp must be finite and not negative"),
        ("a,b\n1,x\n2,y\n", {"target": "b", "cost_fn": "a"}, "no column is left for the features"),
        ("a,c,b\n1,1,x\n2,q,y\n", {"target": "b", "cost_fn": "c"}, "column 'c', record 2: .* found 'q'"),
        (
            "a,c,b\n1,1,x\n2,,y\n",
            {"target": "b", "cost_fp": "c"},
            r"bad\.csv: --cost-fp, column 'c', record 2: expected a finite number .* found ''",
        ),
        ("a,c,b\n1,-1,x\n2,3,y\n", {"target": "b", "cost_fn": "c"}, "'c', record 1: .* found '-1'"),
        ("a,c,b\n1,1,x\n2,inf,y\n", {"target": "b", "cost_fn": "c"}, "'c', record 2: .* found 'inf'"),
    ],
)
def test_bad_csv_files_are_refused(
    tmp_path: Path, text: str, arguments: dict[str, Any], message: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ExperimentError, match=message):
        read_user_table(path, **arguments)


def test_bad_manifests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"datasets\.csv: no such file"):
        read_manifest(tmp_path)
    write_manifest(tmp_path, [("x", "x.npz", "", "", "adacc", "")])
    with pytest.raises(ExperimentError, match=r"line 2: there is no file .*x\.npz"):
        read_manifest(tmp_path)
    (tmp_path / "datasets.csv").write_text("name,file\n")
    with pytest.raises(ExperimentError, match=r"missing .*suites, binary_target"):
        read_manifest(tmp_path)
    (tmp_path / "x.csv").write_text("a,class\n1,2\n")
    write_manifest(tmp_path, [("x", "x.csv", "", "", "", "")] * 2)
    with pytest.raises(ExperimentError, match="line 3: expected another name than 'x'"):
        read_manifest(tmp_path)
    write_manifest(tmp_path, [("x", "x.csv")])
    with pytest.raises(ExperimentError, match="line 2: expected 6 fields as in the header, found 2"):
        read_manifest(tmp_path)
    write_manifest(tmp_path, [("x", "x.csv", "b", "", "adacc", "")])
    with pytest.raises(ExperimentError, match="expected a column 'b'"):
        load_table(read_manifest(tmp_path)["x"])
    with pytest.raises(ExperimentError, match="column 'a', record 1: expected a finite number"):
        encode({"a": ["inf"]}, [], "t.csv")
    with pytest.raises(ExperimentError, match="costs of Table t"):
        Table(
            name="t",
            features=np.ones((1, 1)),
            labels=np.ones(1),
            feature_names=("a",),
            costs={"C_FN": np.array([np.nan])},
        )
    assert read_columns(tmp_path / "x.csv") == {"a": ["1"], "class": ["2"]}


def test_the_mark_of_spreadsheets_and_empty_lines_are_neither_names_nor_records(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbfleft,age\r\nno,3\r\n\r\nyes,4\r\n\r\n")
    table = read_user_table(path, "left")
    assert table.labels.tolist() == ["no", "yes"]
    assert table.features.tolist() == [[3], [4]]


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.npz"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04rubbish", b"\x1f\x8b\x08\x00rubbish"])
def test_damaged_files_of_data_are_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    write_manifest(tmp_path, [("x", name, "", "", "adacc", "")])
    with pytest.raises(ExperimentError, match=f"{name}.*: expected "):
        load_table(read_manifest(tmp_path)["x"])


def test_a_damaged_archive_of_text_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,class\n" + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(999)))
    (tmp_path / "x.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ExperimentError, match=r"x\.csv\.gz: expected a csv, or a whole csv\.gz"):
        read_user_table(tmp_path / "x.csv.gz", "class")
    with pytest.raises(ExperimentError, match=": expected a file, found a folder"):
        read_user_table(tmp_path, "class")


@pytest.mark.parametrize(
    ("features", "labels", "names", "message"),
    [
        (np.array([["a"]] * 3), np.arange(3), ["u"], "X must hold finite numbers, or nan, found <U1"),
        (np.full((3, 1), np.inf), np.arange(3), ["u"], "X must hold finite numbers"),
        (np.ones((3, 2)), np.arange(4), ["u"], r"found \(3, 2\), \(4,\) and \(1,\)"),
        (np.ones(3), np.ones((3, 1)), "u", r"found \(3,\), \(3, 1\) and \(\)"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    tmp_path: Path, features: np.ndarray, labels: np.ndarray, names: object, message: str
) -> None:
    np.savez(tmp_path / "x.npz", X=features, y=labels, feature_names=np.array(names))
    write_manifest(tmp_path, [("x", "x.npz", "", "", "badacost", "")])
    with pytest.raises(ExperimentError, match=f"x.npz: .*{message}"):
        load_table(read_manifest(tmp_path)["x"])
