"""Doing many fits on the cores of this machine or on a Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .single_fit import run_job
from .suite import FitJob, FitResult
from .table import ExperimentError

# A machine at work may take long to start processes.
PATIENCE = {"distributed.comm.timeouts.connect": "180s", "distributed.comm.timeouts.tcp": "180s"}


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Who does the fits.

    Parameters
    ----------
    jobs : int
        Fits at a time; -1 means all cores.
    backend : {"loky", "dask"}
        Processes of this machine by joblib, or a Dask cluster.
    scheduler : str, optional
        Address of a Dask scheduler; None with "dask" starts a cluster of `jobs` processes on this machine. The
        workers of a cluster must see the data under the same path.
    """

    jobs: int = -1
    backend: str = "loky"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in ("loky", "dask"):
            raise ExperimentError(f"backend of Workers must be loky or dask, found {self.backend!r}")
        if self.jobs == 0 or self.jobs < -1:
            raise ExperimentError(f"jobs of Workers must be positive, or -1 for all cores, found {self.jobs}")
        if self.scheduler is not None and self.backend != "dask":
            raise ExperimentError("scheduler of Workers needs the backend dask")


def run_jobs(jobs: Sequence[FitJob], workers: Workers) -> Iterator[FitResult]:
    """Yield the results as they are finished, in any order."""
    if not jobs:
        return
    if workers.backend == "dask":
        yield from _on_dask(jobs, workers)
    else:
        yield from _on_loky(jobs, workers)


def _on_loky(jobs: Sequence[FitJob], workers: Workers) -> Iterator[FitResult]:
    import joblib

    if workers.jobs == 1:
        yield from map(run_job, jobs)
        return
    options: dict[str, Any] = {"n_jobs": workers.jobs, "return_as": "generator_unordered", "backend": "loky"}
    results = joblib.Parallel(pre_dispatch="2*n_jobs", batch_size=1, **options)(
        joblib.delayed(run_job)(job) for job in jobs
    )
    try:
        # `yield from` would close the results outside the filter below.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings():
            # joblib warns of what is wanted here: work that nobody waits for is cancelled.
            warnings.filterwarnings("ignore", message=".*have been cancelled", category=UserWarning)
            results.close()


def _on_dask(jobs: Sequence[FitJob], workers: Workers) -> Iterator[FitResult]:
    """Dask's own futures, as its joblib backend hands results over in batches only."""
    import dask
    from distributed import Client, LocalCluster, as_completed

    if workers.scheduler is not None:
        with Client(workers.scheduler) as client:
            yield from _completed(client, jobs, as_completed)
        return
    n_workers = None if workers.jobs < 0 else workers.jobs
    with dask.config.set(PATIENCE):
        cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield from _completed(client, jobs, as_completed)


def _completed(client: Any, jobs: Sequence[FitJob], as_completed: Any) -> Iterator[FitResult]:
    futures = client.map(run_job, jobs, pure=False)
    try:
        for _, result in as_completed(futures, with_results=True):
            yield result
    finally:
        client.cancel(futures)
