"""Run the experiments of the tabular papers and report them beside the published numbers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from badacost.scripts.command_name import command_name
from badacost.scripts.standard_error import reason_of

if TYPE_CHECKING:
    from badacost.boosting.experiments.run import RunOptions, SuiteRun
    from badacost.boosting.experiments.runner import Workers
    from badacost.boosting.experiments.suite import FitResult

DESCRIPTION = """\
Compare the methods of four papers on their data sets, or on a table of your own. Every fit is appended to
OUTPUT/SUITE.csv when it is finished: a killed run goes on with the same command and repeats nothing. Afterwards
OUTPUT has tables, ranks, tests and plots of each suite, and index.html shows them.

suites:
  badacost   multi-class boosting with costs; 5-fold cross-validation
  adacc      cost-sensitive boosting of imbalanced classes; 5-fold cross-validation once (--full: 10 times)
  margin     bagging of imbalanced classes; 3 random halves (--full: 10)
  framework  records with their own costs; 2-fold cross-validation once (--full: 5 times)

Without --suite all of them are run. Names given to --methods are run in each suite that has them, names given to
--datasets in each suite that they belong to; one --suite takes any data set of the folder.

examples:
  badacost-run-experiments --suite badacost --data tabular --output runs/experiments
  badacost-run-experiments --suite adacc --csv churn.csv --target left --methods AdaBoost,AdaCC1
"""
SUITES = ("badacost", "adacc", "margin", "framework")
LARGEST_SEED = 2**32 - 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if fits failed, 2 for wrong arguments or bad input, 130 if interrupted."""
    arguments = _parse(argv)
    from badacost.boosting.experiments.run import RunOptions
    from badacost.boosting.experiments.runner import Workers

    try:
        options = RunOptions(
            suites=SUITES if arguments.suite == "all" else (arguments.suite,),
            output=arguments.output,
            data=arguments.data,
            csv=arguments.csv,
            target=arguments.target or "",
            cost_fn=arguments.cost_fn,
            cost_fp=arguments.cost_fp,
            datasets=arguments.datasets,
            methods=arguments.methods,
            folds=arguments.folds,
            repeats=arguments.repeats,
            full=arguments.full,
            more=arguments.more,
            seed=arguments.seed,
        )
        workers = Workers(
            jobs=arguments.threads or -1, backend=arguments.backend, scheduler=arguments.scheduler
        )
        return _run(options, workers, arguments)
    except ValueError as error:
        print(f"{command_name('run_experiments')}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{command_name('run_experiments')}: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"{command_name('run_experiments')}: interrupted; the same command goes on where it ended",
            file=sys.stderr,
        )
        return 130


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("run_experiments"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--suite", choices=(*SUITES, "all"), default="all", help="default: all")
    data = parser.add_argument_group("data")
    source = data.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with datasets.csv and the files it names"
    )
    source.add_argument("--csv", type=Path, metavar="FILE", help="your own table, with a header")
    data.add_argument("--target", metavar="COLUMN", help="labels of --csv")
    data.add_argument(
        "--cost-fn", metavar="COLUMN|VALUE", help="cost of a false negative in --csv, a column or a number"
    )
    data.add_argument("--cost-fp", metavar="COLUMN|VALUE", help="cost of a false positive")
    data.add_argument("--datasets", type=_names, metavar="A,B", help="default: those of the suite; see above")
    data.add_argument("--more", action="store_true", help="adacc: also data sets that the paper has not")
    protocol = parser.add_argument_group("protocol")
    protocol.add_argument(
        "--methods", type=_names, metavar="A,B", help="default: all of the suite; see above"
    )
    protocol.add_argument(
        "--full", action="store_true", help="the papers' protocols in place of the reduced ones"
    )
    protocol.add_argument("--folds", type=int, help="default: the suite's")
    protocol.add_argument("--repeats", type=int, help="default: the suite's")
    protocol.add_argument("--seed", type=int, default=0, help="default: 0")
    running = parser.add_argument_group("running")
    running.add_argument("--output", type=Path, default=Path("runs/experiments"), metavar="DIR")
    running.add_argument(
        "--report-only",
        action="store_true",
        help="write the reports of the suites that have results; no fits",
    )
    running.add_argument("--threads", type=int, default=0, help="fits at a time; 0 = all cores; default: 0")
    running.add_argument("--backend", choices=("loky", "dask"), default="loky", help="who does the fits")
    running.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster; default: one on this machine"
    )
    running.add_argument("--quiet", action="store_true", help="no progress, no estimate")
    running.add_argument("--verbose", action="store_true", help="a line a fit")
    arguments = parser.parse_args(argv)
    wrong = _wrong_flags(arguments)
    if wrong:
        parser.error(wrong)
    return arguments


def _wrong_flags(arguments: argparse.Namespace) -> str | None:
    """What is wrong with the flags as they were typed, whatever the data are."""
    if arguments.threads < 0:
        return f"--threads must be 0 (all cores) or more, found {arguments.threads}"
    for flag, value, least in (("--folds", arguments.folds, 2), ("--repeats", arguments.repeats, 1)):
        if value is not None and value < least:
            return f"{flag} must be {least} or more, found {value}"
    if not 0 <= arguments.seed <= LARGEST_SEED:
        return f"--seed must be from 0 to {LARGEST_SEED}, found {arguments.seed}"
    for flag, names in (("--datasets", arguments.datasets), ("--methods", arguments.methods)):
        if names is not None and not names:
            return f"{flag} must be at least one name, found none"
    if arguments.csv is not None:
        if not arguments.target:
            return "--csv needs --target COLUMN, the column of the labels"
        for flag, given in (("--datasets", arguments.datasets), ("--more", arguments.more)):
            if given:
                return f"{flag} is of data sets of --data, not of --csv"
    else:
        of_csv = {
            "--target": arguments.target, "--cost-fn": arguments.cost_fn, "--cost-fp": arguments.cost_fp
        }  # fmt: skip
        for flag, given in of_csv.items():
            if given is not None:
                return f"{flag} needs --csv"
    if arguments.scheduler is not None and arguments.backend != "dask":
        return "--scheduler needs --backend dask"
    return None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _run(options: RunOptions, workers: Workers, arguments: argparse.Namespace) -> int:
    from badacost.boosting.experiments.run import execute, plan, write_reports
    from badacost.boosting.experiments.table import ExperimentError
    from badacost.boosting.experiments.task_checks import check_tasks
    from badacost.detector.atomic_write import make_writable_folder

    runs = plan(options)
    failed = []
    if arguments.report_only:
        runs = [run for run in runs if len(run.results())]
        if not runs:
            raise ExperimentError(
                f"--report-only: nothing is finished in the folder {options.output}, of the suites, data sets, "
                "methods, protocol and seed asked for"
            )
    else:
        make_writable_folder(options.output)
        check_tasks(runs)
        if not arguments.quiet:
            _announce(options, runs, workers)
        for run in runs:
            with _Progress(run, quiet=arguments.quiet, verbose=arguments.verbose) as progress:
                failed += execute(run, workers, progress)
    write_reports(runs, options.output)
    for result in failed:
        job = result.job
        print(
            f"failed: {job.suite}, {job.source.name}, {job.method}, repeat {job.repeat}, fold {job.fold}: "
            f"{result.error}",
            file=sys.stderr,
        )
    print(options.output / "index.html")
    return 1 if failed else 0


def _announce(options: RunOptions, runs: Sequence[SuiteRun], workers: Workers) -> None:
    """Say what is to be done and how long it and the full protocol will take."""
    from badacost.boosting.experiments.run import estimated_minutes, plan

    at_a_time = workers.jobs if workers.jobs > 0 else os.cpu_count() or 1
    for run in runs:
        jobs = run.jobs()
        pending = len(run.file.pending(jobs))
        print(
            f"{run.suite.name}: {len(run.sources)} data sets, {len(run.methods)} methods, {pending} of {len(jobs)} "
            f"fits to do, about {_duration(estimated_minutes([run], at_a_time))}",
            file=sys.stderr,
        )
    print(
        f"together about {_duration(estimated_minutes(runs, at_a_time))} with {at_a_time} fits at a time; the full "
        f"protocol about {_duration(estimated_minutes(plan(options, full=True), at_a_time))}; the first fits on a "
        "machine take up to a minute more, in which kernels are compiled",
        file=sys.stderr,
    )


def _duration(minutes: float) -> str:
    if minutes < 1:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"


class _Progress:
    """A progress bar a suite, if standard error is a terminal; or a line a fit."""

    def __init__(self, run: SuiteRun, *, quiet: bool, verbose: bool) -> None:
        self._run = run
        self._lines = verbose
        self._shown = sys.stderr.isatty() and not (quiet or verbose)
        self._bar: Any = None

    def __enter__(self) -> _Progress:
        if self._shown:
            from tqdm import tqdm

            jobs = self._run.jobs()
            done = len(jobs) - len(self._run.file.pending(jobs))
            self._bar = tqdm(
                total=len(jobs), initial=done, desc=self._run.suite.name, unit="fit", file=sys.stderr
            )
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, result: FitResult) -> None:
        job = result.job
        if self._lines:
            print(
                f"{job.suite}, {job.source.name}, {job.method}, repeat {job.repeat}, fold {job.fold}: "
                f"{result.seconds:.1f} s {'failed' if result.error else 'done'}",
                file=sys.stderr,
            )
        if self._bar is not None:
            self._bar.update(1)
            self._bar.set_postfix_str(f"{job.source.name}, {job.method}")


if __name__ == "__main__":
    sys.exit(main())
