"""A run: what is to be done, how long it will take, the fits, the reports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .catalog import SUITES
from .fit_seconds import FitSeconds
from .manifest import read_manifest
from .report import Report
from .report_files import write_page, write_report
from .resampling import Resampling
from .results import Results
from .results_file import ResultsFile
from .runner import Workers, run_jobs
from .selection import select_datasets, select_methods
from .suite import DataSource, FitJob, FitResult, Protocol, Suite, suite_jobs
from .table import ExperimentError
from .task_table import load_task
from .user_table import read_user_table


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What to run.

    Parameters
    ----------
    suites : sequence of str
    output : Path
        Folder of the results and reports.
    data : Path, optional
        Folder with a manifest.
    csv : Path, optional
        The user's own table in its stead; then `target` is the column of labels, and `cost_fn`, `cost_fp` are
        columns or numbers.
    datasets, methods : sequence of str, optional
        Only these, in the suites that have them; None is all of each suite. A single suite takes any data set.
    folds, repeats : int, optional
        In place of the protocol's.
    full : bool
        The paper's protocol in place of the reduced one.
    more : bool
        Also the data sets that the paper does not have.
    seed : int
    """

    suites: Sequence[str]
    output: Path
    data: Path | None = None
    csv: Path | None = None
    target: str = ""
    cost_fn: str | None = None
    cost_fp: str | None = None
    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    folds: int | None = None
    repeats: int | None = None
    full: bool = False
    more: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.data is None) == (self.csv is None):
            raise ExperimentError("RunOptions must have either data or csv")
        if self.csv is not None and not self.target:
            raise ExperimentError("target of RunOptions is needed with csv: the column of the labels")
        if self.csv is None and (self.target or self.cost_fn or self.cost_fp):
            raise ExperimentError("target, cost_fn and cost_fp of RunOptions need csv")
        for name, given in (("datasets", self.datasets), ("methods", self.methods)):
            if given is not None and not given:
                raise ExperimentError(f"{name} of RunOptions must be at least one name, found none")
        if not 0 <= self.seed < 2**32:
            raise ExperimentError(f"seed of RunOptions must be from 0 to {2**32 - 1}, found {self.seed}")
        unknown = [name for name in self.suites if name not in SUITES]
        if unknown or not self.suites:
            raise ExperimentError(f"suites of RunOptions must be of {', '.join(SUITES)}, found {unknown}")


@dataclass(frozen=True, eq=False, kw_only=True)
class SuiteRun:
    """One suite of a run.

    Parameters
    ----------
    suite : Suite
    protocol : Protocol
    sources : sequence of DataSource
    methods : sequence of str
    seed : int
    file : ResultsFile
    """

    suite: Suite
    protocol: Protocol
    sources: Sequence[DataSource]
    methods: Sequence[str]
    seed: int
    file: ResultsFile

    def jobs(self) -> list[FitJob]:
        """All fits."""
        return suite_jobs(self.suite, self.sources, self.methods, self.protocol, self.seed)

    def results(self) -> Results:
        """The results so far that belong to these jobs."""
        wanted = {tuple(map(str, job.key)) for job in self.jobs()}
        keys = ("suite", "protocol", "dataset", "method", "repeat", "fold")
        rows = [row for row in self.file.read() if tuple(row[key] for key in keys) in wanted]
        return Results(rows, [source.name for source in self.sources], self.methods)

    def report(self) -> Report:
        """The suite's report of the results so far."""
        report = self.suite.report(self.results(), self.protocol)
        return replace(report, findings=[*report.findings, self._provenance()])

    def _provenance(self) -> str:
        results, wanted = self.results(), len(self.jobs())
        state = "Finished: all" if len(results) == wanted else f"Not finished: {len(results)}"
        minutes = results.seconds() / 60
        return (
            f"{state} of {wanted} fits are done, seed {self.seed}, {minutes:.0f} minutes of processor time. "
            f"{self.suite.description}"
        )


def plan(options: RunOptions, *, full: bool | None = None) -> list[SuiteRun]:
    """The suites with their data sets, methods and protocols.

    Parameters
    ----------
    options : RunOptions
    full : bool, optional
        In place of the options' own.

    Raises
    ------
    ExperimentError
        If a data set or method is known to none of the suites, or the user's table does not suit one.
    """
    suites = [SUITES[name] for name in options.suites]
    methods = select_methods(suites, options.methods)
    sources = _user_source(suites, options) if options.csv else _sources_of_folder(suites, options)
    runs = []
    for suite in suites:
        protocol = suite.full if (options.full if full is None else full) else suite.default
        if suite.name in methods and suite.name in sources:
            runs.append(
                SuiteRun(
                    suite=suite,
                    protocol=_with_overrides(protocol, options),
                    sources=sources[suite.name],
                    methods=methods[suite.name],
                    seed=options.seed,
                    file=ResultsFile(options.output / f"{suite.name}.csv", suite.metrics),
                )
            )
    if not runs:
        raise ExperimentError(
            f"nothing to do: no suite has both a wanted method (found in {', '.join(methods)}) "
            f"and a wanted data set (found in {', '.join(sources)})"
        )
    return runs


def _sources_of_folder(suites: Sequence[Suite], options: RunOptions) -> dict[str, list[DataSource]]:
    """The data sets of each suite that has some."""
    assert options.data is not None
    entries = read_manifest(options.data)
    chosen = select_datasets(suites, entries, options.datasets, more=options.more)
    if not any(chosen.values()):
        raise ExperimentError(
            f"{options.data}: no data set of the manifest is of {', '.join(suite.name for suite in suites)} "
            "(its column suites)"
        )
    return {
        suite: [DataSource(name=name, folder=options.data) for name in names]
        for suite, names in chosen.items()
        if names
    }


def _user_source(suites: Sequence[Suite], options: RunOptions) -> dict[str, list[DataSource]]:
    """The user's table for each suite; what is wrong with it should not come up fit by fit."""
    assert options.csv is not None
    read_user_table(options.csv, options.target, cost_fn=options.cost_fn, cost_fp=options.cost_fp)
    source = DataSource(
        name=options.csv.name.partition(".")[0],
        csv=options.csv,
        csv_digest=hashlib.sha256(options.csv.read_bytes()).hexdigest()[:12],
        target=options.target,
        cost_fn=options.cost_fn,
        cost_fp=options.cost_fp,
    )
    for suite in suites:
        try:
            load_task(suite, source, options.seed)
        except ExperimentError as error:
            hint = "" if len(suites) == 1 else "; choose a suite that the table suits (--suite)"
            raise ExperimentError(f"{error}{hint}") from error
    return {suite.name: [source] for suite in suites}


def estimated_minutes(runs: Iterable[SuiteRun], jobs: int) -> float:
    """Minutes that the fits still to be done will take on a number of cores, from recorded times."""
    seconds = FitSeconds.recorded()
    return sum(seconds.of(job) for run in runs for job in run.file.pending(run.jobs())) / (60 * max(jobs, 1))


def execute(
    run: SuiteRun, workers: Workers, on_result: Callable[[FitResult], None] | None = None
) -> list[FitResult]:
    """Do the fits of a suite that are not in its file yet; return those that failed."""
    failed = []
    for result in run_jobs(run.file.pending(run.jobs()), workers):
        if result.error:
            failed.append(result)
        else:
            run.file.append(result)
        if on_result is not None:
            on_result(result)
    return failed


def write_reports(runs: Sequence[SuiteRun], output: Path) -> None:
    """Write a folder of tables and figures a suite, and `index.html`."""
    reports = {run.suite.name: run.report() for run in runs}
    for name, report in reports.items():
        write_report(report, output / name)
    write_page(reports, output / "index.html")


def _with_overrides(protocol: Protocol, options: RunOptions) -> Protocol:
    def changed(usual: Resampling) -> Resampling:
        return Resampling(
            kind=usual.kind if options.folds is None else "folds",
            folds=usual.folds if options.folds is None else options.folds,
            repeats=usual.repeats if options.repeats is None else options.repeats,
        )

    exceptions = {name: changed(usual) for name, usual in protocol.exceptions.items()}
    return replace(protocol, resampling=changed(protocol.resampling), exceptions=exceptions)
