"""The same function over many images, on processes or a cluster, results in order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Who does the work that is spread over images.

    Parameters
    ----------
    jobs : int
        Images at a time; 1 works in this process, -1 means all cores. A cluster that `scheduler` names works on
        as many as it has threads.
    backend : {"loky", "threading", "dask"}
        joblib's backend: processes of this machine, threads, or a Dask cluster.
    scheduler : str, optional
        Address of a Dask scheduler; None with "dask" starts a cluster on this machine.

    Raises
    ------
    ValueError
        If a value is out of its range, a scheduler is named without "dask", or Dask is not installed.
    """

    jobs: int = -1
    backend: str = "loky"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in ("loky", "threading", "dask"):
            raise ValueError(f"backend of Workers must be loky, threading or dask, found {self.backend!r}")
        if self.jobs < -1 or self.jobs == 0:
            raise ValueError(f"jobs of Workers must be positive, or -1 for all cores, found {self.jobs}")
        if self.scheduler is not None and self.backend != "dask":
            raise ValueError(
                f"scheduler of Workers must be None without the backend dask, found {self.scheduler!r}"
            )
        if self.backend == "dask" and find_spec("distributed") is None:
            raise ValueError("backend of Workers can only be dask where the extra `cluster` is installed")


def parallel_map(
    function: Callable[[Item], Result], items: Iterable[Item], workers: Workers
) -> Generator[Result, None, None]:
    """Yield ``function(item)`` for every item, in order, without holding all results.

    Abandoning the iterator early stops the work that has not begun.

    Parameters
    ----------
    function : callable
        Must not depend on anything that changes; with processes it is pickled.
    items : iterable
    workers : Workers
    """
    if workers.jobs == 1 and workers.backend != "dask":
        yield from map(function, items)
        return
    import joblib

    if workers.backend == "dask":
        yield from _on_dask(function, items, workers)
        return
    options: dict[str, Any] = {"n_jobs": workers.jobs, "backend": workers.backend, "return_as": "generator"}
    results = joblib.Parallel(pre_dispatch="2*n_jobs", batch_size=1, **options)(
        joblib.delayed(function)(item) for item in items
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


def _on_dask(
    function: Callable[[Item], Result], items: Iterable[Item], workers: Workers
) -> Generator[Result, None, None]:
    """Dask's joblib backend has no generators, so the items go in chunks of a few a worker."""
    import joblib
    from distributed import Client

    if workers.scheduler is None:
        # A thread a process, else `jobs` would not be the images at a time; no port for a dashboard.
        n_local = None if workers.jobs < 0 else workers.jobs
        client = Client(n_workers=n_local, threads_per_worker=1, dashboard_address=None)
    else:
        client = Client(workers.scheduler)
    with client:
        size = 4 * max(1, sum(client.nthreads().values()))
        pending = list(items)
        with joblib.parallel_config(backend="dask"):
            for start in range(0, len(pending), size):
                chunk = pending[start : start + size]
                yield from joblib.Parallel()(joblib.delayed(function)(item) for item in chunk)
