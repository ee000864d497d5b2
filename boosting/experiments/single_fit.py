"""Doing one fit of a suite."""

from __future__ import annotations

import time

from .catalog import SUITES
from .resampling import seed_of
from .suite import Fit, FitJob, FitResult
from .table import without_missing
from .task_table import load_task


def run_job(job: FitJob) -> FitResult:
    """Do one fit; an error becomes part of the result."""
    started = time.process_time()
    try:
        suite = SUITES[job.suite]
        table = load_task(suite, job.source, job.seed)
        seen, unseen = job.resampling.split(table.labels, job.repeat, job.fold, job.seed)
        train, test = without_missing(table.rows(seen), table.rows(unseen))
        values = suite.evaluate(
            Fit(
                method=job.method,
                train=train,
                test=test,
                table=table,
                source=job.source,
                settings=dict(job.settings),
                seed=seed_of(job.seed, job.source.name, job.method, job.repeat, job.fold),
                run_seed=job.seed,
            )
        )
    except Exception as error:  # one bad fit must not end a run of hours; it is reported and done again
        message = f"{type(error).__name__}: {error}"
        return FitResult(job=job, values={}, seconds=time.process_time() - started, error=message)
    return FitResult(job=job, values=values, seconds=time.process_time() - started)
