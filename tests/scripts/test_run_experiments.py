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


def test_only_the_report(tmp_path: Path) -> None:
    data, output = write_data_folder(tmp_path / "data"), tmp_path / "out"
    arguments = ["--suite", "all", "--data", str(data), "--output", str(output), "--quiet", "--report-only"]
    assert main(arguments) == 0
    assert (output / "index.html").is_file()
    assert {path.name for path in output.iterdir() if path.is_dir()} == {
        "badacost",
        "adacc",
        "margin",
        "framework",
    }


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
        (["--csv", "gone.csv"], "target of RunOptions is needed with csv"),
        (["--data", "."], "datasets.csv: no such file"),
        (["--data", ".", "--scheduler", "tcp://nowhere:1"], "needs the backend dask"),
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


def test_help_and_wrong_flags_end_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "--full" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["--data", ".", "--threads", "-1"])
