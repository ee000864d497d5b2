"""The runner: resuming, backends, protocols, reports."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.boosting.experiments import run as run_module
from badacost.boosting.experiments.catalog import SUITES
from badacost.boosting.experiments.resampling import Resampling, seed_of
from badacost.boosting.experiments.results_file import ResultsFile
from badacost.boosting.experiments.run import (
    RunOptions,
    SuiteRun,
    estimated_minutes,
    execute,
    plan,
    write_reports,
)
from badacost.boosting.experiments.runner import Workers
from badacost.boosting.experiments.single_fit import run_job
from badacost.boosting.experiments.suite import DataSource, FitJob, FitResult
from badacost.boosting.experiments.table import ExperimentError
from badacost.boosting.experiments.task_checks import check_class_sizes, check_tasks
from badacost.boosting.experiments.task_table import load_task

from .data_folder import write_data_folder, write_manifest

METHODS = ("AdaBoost", "AdaCC1", "AdaMEC")
HERE = Workers(jobs=1)


def _plan(tmp_path: Path, output: str = "out", **changes: object) -> SuiteRun:
    options = RunOptions(
        suites=("adacc",),
        output=tmp_path / output,
        data=write_data_folder(tmp_path / "data"),
        methods=METHODS,
        folds=2,
        more=True,
    )
    return plan(replace(options, **changes))[0]  # type: ignore[arg-type]


def _numbers(run: SuiteRun) -> list[list[str]]:
    with run.file.path.open() as file:
        return sorted(row[:6] + row[7:] for row in csv.reader(file))  # without the seconds


def test_a_killed_run_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    whole = _plan(tmp_path, "whole")
    assert execute(whole, HERE) == []
    assert len(whole.file.read()) == 2 * 2 * len(METHODS)

    killed = _plan(tmp_path, "killed")
    lines = whole.file.path.read_text().splitlines(keepends=True)
    killed.file.path.parent.mkdir()
    killed.file.path.write_text("".join(lines[:5]) + lines[5][:40])  # killed while writing the fifth row
    again = _plan(tmp_path, "killed")
    done: list[tuple[object, ...]] = []
    execute(again, HERE, lambda result: done.append(result.job.key))
    assert len(done) == len(whole.jobs()) - 4
    assert _numbers(again) == _numbers(whole)
    execute(again, HERE, lambda result: pytest.fail("repeated"))


def test_more_repeats_keep_what_is_there(tmp_path: Path) -> None:
    execute(_plan(tmp_path, datasets=("clouds",)), HERE)
    more = _plan(tmp_path, datasets=("clouds",), repeats=2)
    pending = more.file.pending(more.jobs())
    assert len(more.jobs()) == 2 * len(pending)
    assert {job.repeat for job in pending} == {1}


def test_other_protocols_are_told_apart(tmp_path: Path) -> None:
    first = _plan(tmp_path, datasets=("clouds",), methods=("AdaBoost",))
    execute(first, HERE)
    other_seed = _plan(tmp_path, datasets=("clouds",), methods=("AdaBoost",), seed=1)
    assert len(other_seed.file.pending(other_seed.jobs())) == 2
    execute(other_seed, HERE)
    assert len(first.results()) == len(other_seed.results()) == 2
    assert len(first.file.read()) == 4


def test_two_processes_of_loky_and_two_workers_of_dask_give_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    runs = {}
    for backend in ("loky", "dask"):
        runs[backend] = _plan(tmp_path, backend, datasets=("clouds",), methods=("AdaBoost", "AdaCC1"))
        assert execute(runs[backend], Workers(jobs=2, backend=backend)) == []
    assert _numbers(runs["loky"]) == _numbers(runs["dask"])
    assert len(_numbers(runs["dask"])) == 1 + 4


def test_the_workers_of_a_given_scheduler_do_the_fits(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    run = _plan(tmp_path, datasets=("clouds",), methods=("AdaBoost",))
    with distributed.LocalCluster(n_workers=2, processes=False, dashboard_address=None) as cluster:
        assert execute(run, Workers(backend="dask", scheduler=cluster.scheduler_address)) == []
    assert run.file.pending(run.jobs()) == []


def test_a_failed_fit_is_reported_and_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _plan(tmp_path, datasets=("clouds",), methods=("AdaBoost",))
    broken = replace(SUITES["adacc"], evaluate=lambda fit: (_ for _ in ()).throw(RuntimeError("no luck")))
    monkeypatch.setitem(SUITES, "adacc", broken)
    failed = execute(run, HERE)
    assert [result.error for result in failed] == ["RuntimeError: no luck"] * 2
    monkeypatch.undo()
    assert len(run.file.pending(run.jobs())) == 2
    assert execute(run, HERE) == []


def test_reports_of_whole_and_of_unfinished_runs(tmp_path: Path) -> None:
    options = RunOptions(
        suites=("badacost", "adacc"),
        output=tmp_path / "out",
        data=write_data_folder(tmp_path / "data"),
        folds=2,
        methods=None,
    )
    runs = plan(options)
    write_reports(runs, options.output)  # nothing is done yet
    first = runs[0]
    assert execute(first, HERE) == []
    write_reports(runs, options.output)
    text = (options.output / "badacost" / "report.md").read_text()
    assert "| clouds |" in text
    assert "Finished: all of 8 fits" in text
    assert (options.output / "badacost/tables/badacost_cost.csv").is_file()
    page = (options.output / "index.html").read_text()
    assert page.count("<h1") == 2


def test_a_table_too_small_for_the_costs_of_its_suite_is_refused_before_any_fit(tmp_path: Path) -> None:
    path = tmp_path / "tiny.csv"
    path.write_text("a,y\n1,no\n2,no\n3,yes\n4,yes\n")
    options = RunOptions(suites=("badacost",), output=tmp_path / "out", csv=path, target="y", folds=2)
    with pytest.raises(ExperimentError, match=r"tiny: .* from 5 folds .* found at most 2 of a class"):
        plan(options)


def test_only_tables_of_fits_to_be_done_are_checked(tmp_path: Path) -> None:
    run = _plan(tmp_path, datasets=("clouds",), methods=("AdaBoost",))
    assert execute(run, HERE) == []
    load_task.cache_clear()
    (tmp_path / "data" / "clouds.npz").write_bytes(b"")
    check_tasks([run])
    other = _plan(tmp_path, "other", datasets=("clouds",), methods=("AdaBoost",), folds=3)
    (tmp_path / "data" / "clouds.npz").write_bytes(b"")
    with pytest.raises(ExperimentError, match=r"clouds\.npz: expected"):
        check_tasks([other])


def test_the_estimate_grows_with_the_protocol(tmp_path: Path) -> None:
    options = RunOptions(suites=("adacc",), output=tmp_path, data=write_data_folder(tmp_path / "data"))
    reduced = estimated_minutes(plan(options), 1)
    assert estimated_minutes(plan(options, full=True), 1) == pytest.approx(10 * reduced)
    assert estimated_minutes(plan(options), 2) == pytest.approx(reduced / 2)


@pytest.mark.parametrize(("method", "factor"), [("Bagging", 10 / 3), ("MBagging sum", 10 / 3 * 11 / 6)])
def test_the_estimate_counts_the_ranges_of_margin_bagging(tmp_path: Path, method: str, factor: float) -> None:
    data = write_data_folder(tmp_path / "data")
    options = RunOptions(
        suites=("margin",), output=tmp_path, data=data, methods=(method,), datasets=("clouds",)
    )
    reduced = estimated_minutes(plan(options), 1)
    assert estimated_minutes(plan(options, full=True), 1) == pytest.approx(factor * reduced)


def test_splits_are_the_same_everywhere_and_differ_by_repeat() -> None:
    labels = np.repeat([0, 1], [30, 10])
    folds = Resampling(folds=4, repeats=2)
    parts = [folds.split(labels, 0, fold, seed=3)[1] for fold in range(4)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(40))
    assert all(labels[part].sum() in (2, 3) for part in parts)
    np.testing.assert_array_equal(parts[1], folds.split(labels, 0, 1, seed=3)[1])
    assert folds.split(labels, 1, 1, seed=3)[1].tolist() != parts[1].tolist()
    halves = Resampling(kind="halves", folds=1)
    train, test = halves.split(labels, 0, 0, seed=3)
    assert len(train) == len(test) == 20
    assert sorted([*train, *test]) == list(range(40))
    assert seed_of(1, "a") == 146712746 != seed_of("1a")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: Workers(jobs=0), "jobs of Workers must be positive, or -1"),
        (lambda folder: Workers(backend="threads"), "backend of Workers must be loky or dask"),
        (lambda folder: Workers(scheduler="tcp://x"), "scheduler of Workers needs the backend dask"),
        (lambda folder: Resampling(folds=1), "folds of Resampling must be at least 2, found 1"),
        (lambda folder: Resampling(kind="halves", folds=2), "must be 1 for halves"),
        (lambda folder: Resampling(repeats=0), "repeats of Resampling must be at least 1"),
        (lambda folder: RunOptions(suites=("adacc",), output=folder), "either data or csv"),
        (
            lambda folder: RunOptions(suites=("adacc",), output=folder, csv=folder),
            "target of RunOptions is needed",
        ),
        (lambda folder: RunOptions(suites=("x",), output=folder, data=folder), r"found \['x'\]"),
        (lambda folder: _plan(folder, methods=("Ada",)), "method 'Ada' is not known"),
        (lambda folder: _plan(folder, methods=()), "methods of RunOptions must be at least one name"),
        (lambda folder: _plan(folder, seed=-1), "seed of RunOptions must be from 0 to 4294967295, found -1"),
        (
            lambda folder: _plan(folder, datasets=("x",)),
            r"data set 'x' is not known, .*\n  adacc: clouds, loans\n.*--csv FILE",
        ),
    ],
)
def test_bad_arguments_are_refused(tmp_path: Path, call: object, message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        call(tmp_path)  # type: ignore[operator]


def test_a_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "adacc.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ExperimentError, match="choose another --output"):
        ResultsFile(path, ["x"])


@pytest.mark.parametrize("content", [None, "", "a,b\n", "a,b\n1,2"])
def test_a_file_without_a_whole_result_is_begun_anew_by_the_first(
    tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "new" / "adacc.csv"
    if content is not None:
        path.parent.mkdir()
        path.write_text(content)
    file = ResultsFile(path, ["x"])
    assert file.read() == []
    assert content == (path.read_text() if path.exists() else None)  # reading changes nothing
    file.append(FitResult(job=_job(tmp_path), values={"x": 0.5}, seconds=1.0))
    assert path.read_text() == (
        "suite,protocol,dataset,method,repeat,fold,seconds,x\n"
        "adacc,5 folds; seed 0,x,AdaBoost,0,0,1.000,0.5\n"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\n", "adacc.csv: expected a csv of results in UTF-8"),
        (
            b"suite,protocol,dataset,method,repeat,fold,seconds,x\nadacc,5 folds\n",
            "line 2: expected 8 fields, found 2",
        ),
    ],
)
def test_a_damaged_file_of_results_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "adacc.csv"
    path.write_bytes(content)
    with pytest.raises(ExperimentError, match=message):
        ResultsFile(path, ["x"])


def _job(folder: Path) -> FitJob:
    return FitJob(
        suite="adacc",
        source=DataSource(name="x", folder=folder),
        method="AdaBoost",
        repeat=0,
        fold=0,
        resampling=Resampling(),
        settings=(),
        seed=0,
    )


def _csv_options(folder: Path, **changes: object) -> RunOptions:
    path = folder / "mine.csv"
    if not path.exists():
        path.write_text(
            "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'no' if i % 3 else 'yes'}\n" for i in range(30))
        )
    options = RunOptions(
        suites=("framework",), output=folder / "out", csv=path, target="y", cost_fn="2", cost_fp="1",
        methods=("AdaBoost",),
    )  # fmt: skip
    return replace(options, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"cost_fn": "3"}, {"cost_fp": "a"}, {"target": "a", "suites": ("margin",)}]
)
def test_results_of_a_table_under_other_costs_or_another_target_are_not_taken_for_these(
    tmp_path: Path, change: dict[str, object]
) -> None:
    methods = None if "suites" in change else ("AdaBoost",)
    before = _csv_options(tmp_path, methods=methods, suites=change.get("suites", ("framework",)))
    protocols = {plan(options)[0].jobs()[0].protocol for options in (before, replace(before, **change))}  # type: ignore[arg-type]
    assert len(protocols) == 2


def test_results_of_another_table_of_the_same_name_are_not_taken_for_these(tmp_path: Path) -> None:
    options = _csv_options(tmp_path)
    before = plan(options)[0].jobs()[0].key
    assert plan(options)[0].jobs()[0].key == before
    (tmp_path / "mine.csv").write_text("a,b,y\n1,2,no\n3,4,yes\n5,6,no\n")
    assert plan(options)[0].jobs()[0].key != before


def test_a_run_of_several_suites_asks_each_for_the_names_that_it_has(tmp_path: Path) -> None:
    options = RunOptions(
        suites=("badacost", "adacc", "margin", "framework"),
        output=tmp_path / "out",
        data=write_data_folder(tmp_path / "data"),
        methods=("AdaBoost", "BAdaCost", "AdaBoost: DMECC", "platt"),
    )
    chosen = {run.suite.name: (run.methods, [source.name for source in run.sources]) for run in plan(options)}
    assert chosen == {
        "badacost": (("BAdaCost",), ["clouds"]),
        "adacc": (("AdaBoost",), ["clouds"]),
        "framework": (("AdaBoost", "AdaBoost: DMECC, platt"), ["loans"]),
    }
    of_loans = plan(replace(options, datasets=("loans", "loans")))
    assert {run.suite.name: len(run.sources) for run in of_loans} == {"framework": 1}
    with pytest.raises(ExperimentError, match="nothing to do: no suite has both"):
        plan(replace(options, methods=("BAdaCost",), datasets=("loans",)))
    with pytest.raises(ExperimentError, match="'loans' is of none of the suites badacost, adacc; one suite"):
        plan(replace(options, suites=("badacost", "adacc"), methods=None, datasets=("loans",)))


def test_a_folder_without_a_data_set_of_the_suite_is_named(tmp_path: Path) -> None:
    data = write_data_folder(tmp_path / "data")
    write_manifest(data, [("clouds", "clouds.npz", "", "", "margin", "c")])
    options = RunOptions(suites=("adacc",), output=tmp_path / "out", data=data)
    with pytest.raises(ExperimentError, match="data: no data set of the manifest is of adacc"):
        plan(options)


def test_a_method_of_another_suite_is_said_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(
        ExperimentError, match="'Bagging' belongs to --suite margin and framework, not to adacc"
    ):
        _plan(tmp_path, methods=("Bagging",))
    with pytest.raises(ExperimentError, match=r"did you mean 'AdaCC1'\?.*\n  adacc: AdaBoost"):
        _plan(tmp_path, methods=("AdaC-C1",))


@pytest.mark.parametrize(
    ("counts", "folds", "message"),
    [
        (
            (9, 4),
            5,
            r"data set x of suite adacc: class 'b' has 4 records, fewer than the 5 folds .*\(--folds\)",
        ),
        ((1, 9), 2, "class 'a' has 1 record, fewer than the 2 folds"),
        ((9, 2), 2, "class 'b' has 2 records, of which 2 folds .* leave 1 for training, .* at least 2"),
    ],
)
def test_a_class_of_too_few_records_for_the_folds_is_named(
    counts: tuple[int, int], folds: int, message: str
) -> None:
    labels = np.repeat(["a", "b"], counts)
    with pytest.raises(ExperimentError, match=message):
        check_class_sizes(labels, "x", SUITES["adacc"], Resampling(folds=folds))
    halves = Resampling(kind="halves", folds=1)
    check_class_sizes(labels, "x", SUITES["margin"], halves)
    check_class_sizes(np.repeat(labels, 5), "x", SUITES["adacc"], Resampling(folds=folds))


def test_a_job_on_data_that_are_gone_says_so(tmp_path: Path) -> None:
    assert "datasets.csv: no such file" in run_job(_job(tmp_path)).error
    assert run_module.SUITES is SUITES
