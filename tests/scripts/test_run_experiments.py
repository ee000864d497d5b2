"""The command run_experiments."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.boosting.experiments.catalog import SUITES
from badacost.boosting.experiments.suite import Fit, Values
from badacost.scripts.run_experiments import main

from ..boosting.experiments.data_folder import write_data_folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    path = tmp_path / "customers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "plan", "value", "left"])
        for _ in range(60):
            left = random.random() < 0.4
            writer.writerow(
                [
                    f"{random.normal() + left:.2f}",
                    random.choice(["x", "y"]),
                    f"{random.uniform(2, 9):.2f}",
                    ["no", "yes"][left],
                ]
            )
    return path


def test_a_user_s_table(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out"
    arguments = ["--suite", "framework", "--csv", str(table), "--target", "left", "--cost-fn", "value"]
    arguments += ["--cost-fp", "1", "--methods", "AdaBoost,AdaC2", "--threads", "1", "--output", str(output)]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(output / "index.html")
    assert "framework: 1 data sets, 2 methods, 4 of 4 fits to do" in printed.err
    assert "the full protocol about" in printed.err
    rows = (output / "framework.csv").read_text()
    assert rows.count("\n") == 5
    assert main([*arguments, "--repeats", "2", "--verbose"]) == 0
    assert "framework, customers, AdaC2, repeat 1, fold 1: " in capsys.readouterr().err
    rows = (output / "framework.csv").read_text()
    assert rows.count("\n") == 9
    assert main([*arguments, "--quiet"]) == 0
    assert (output / "framework.csv").read_text() == rows  # nothing was repeated
    assert capsys.readouterr().err == ""
    assert "customers" in (output / "framework/report.md").read_text()


def test_report_only_is_of_the_suites_that_have_results(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = ["--csv", str(table), "--target", "left", "--cost-fn", "value", "--cost-fp", "1"]
    arguments += ["--output", str(output), "--quiet", "--threads", "1", "--methods", "AdaBoost"]
    assert main(["--suite", "framework", *arguments]) == 0
    (output / "index.html").unlink()
    assert main([*arguments, "--report-only"]) == 0
    assert (output / "index.html").is_file()
    assert {path.name for path in output.iterdir() if path.is_dir()} == {"framework"}


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_report_only_where_nothing_is_finished_says_so_and_writes_nothing(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, output = write_data_folder(tmp_path / "data"), tmp_path / folder
    (tmp_path / "empty").mkdir()
    assert main(["--data", str(data), "--output", str(output), "--report-only"]) == 2
    assert f"nothing is finished in the folder {output}" in capsys.readouterr().err
    assert not output.exists() or not list(output.iterdir())


def test_a_class_of_fewer_records_than_folds_is_refused_before_any_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "rare.csv"
    table.write_text("age,left\n" + "".join(f"{age},{'yes' if age < 3 else 'no'}\n" for age in range(30)))
    arguments = ["--suite", "adacc", "--csv", str(table), "--target", "left", "--methods", "AdaBoost"]
    assert main([*arguments, "--folds", "5", "--output", str(tmp_path / "out"), "--verbose"]) == 2
    assert capsys.readouterr().err == (
        "badacost-run-experiments: data set rare of suite adacc: class 'yes' has 3 records, fewer than the 5 folds of "
        "the cross-validation (--folds), each of which needs one\n"
    )


def test_an_output_that_is_a_file_is_named_before_any_fit(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("")
    arguments = ["--suite", "adacc", "--csv", str(table), "--target", "left", "--methods", "AdaBoost"]
    assert main([*arguments, "--output", str(tmp_path / "out"), "--verbose"]) == 2
    assert capsys.readouterr().err == f"badacost-run-experiments: {tmp_path / 'out'}: Not a directory\n"


def test_failed_fits_are_named(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def evaluate(fit: Fit) -> Values:
        raise RuntimeError("no luck")

    monkeypatch.setitem(SUITES, "adacc", replace(SUITES["adacc"], evaluate=evaluate))
    arguments = ["--suite", "adacc", "--csv", str(table), "--target", "left", "--threads", "1", "--quiet"]
    assert main([*arguments, "--methods", "AdaBoost", "--output", str(tmp_path / "out")]) == 1
    message = "failed: adacc, customers, AdaBoost, repeat 0, fold 0: RuntimeError: no luck"
    assert message in capsys.readouterr().err


def test_a_table_that_does_not_suit_is_refused_at_once(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--csv", str(table), "--target", "left", "--output", str(tmp_path / "out")]
    assert main(["--suite", "framework", *arguments]) == 2
    assert "needs the costs of a false negative" in capsys.readouterr().err


def test_a_photograph_for_a_table_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    assert main(["--csv", str(tmp_path / "photo.jpg"), "--target", "y"]) == 2
    assert "photo.jpg: expected a csv in UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--csv", "gone.csv", "--target", "y"], "gone.csv: no such file"),
        (["--data", "."], "datasets.csv: no such file"),
        (["--csv", ".", "--target", "y"], ".: expected a file, found a folder"),
    ],
)
def test_unusable_arguments(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "--suite", "adacc", "--methods", "AdaBoost", "--threads", "1"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--csv t.csv", "--csv needs --target COLUMN"),
        ("--data . --target y", "--target needs --csv"),
        ("--data . --cost-fn 1", "--cost-fn needs --csv"),
        ("--csv t.csv --target y --datasets a", "--datasets is of data sets of --data, not of --csv"),
        ("--csv t.csv --target y --more", "--more is of data sets of --data, not of --csv"),
        ("--data . --folds 1", "--folds must be 2 or more, found 1"),
        ("--data . --repeats 0", "--repeats must be 1 or more, found 0"),
        ("--data . --seed -1", "--seed must be from 0 to 4294967295, found -1"),
        ("--data . --threads -1", "--threads must be 0 (all cores) or more, found -1"),
        ("--data . --methods ,", "--methods must be at least one name, found none"),
        ("--data . --scheduler tcp://nowhere:1", "--scheduler needs --backend dask"),
    ],
)
def test_messages_name_the_flag_that_was_typed(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    assert f"badacost-run-experiments: error: {message}" in capsys.readouterr().err


def test_help_and_wrong_flags_end_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "--full" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["--data", ".", "--suite", "none"])
