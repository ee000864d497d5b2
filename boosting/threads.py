"""Independent pieces of work on threads; the kernels release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor


def available_threads() -> int:
    """Number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(tasks: Sequence[Callable[[], None]], pool: ThreadPoolExecutor | None) -> None:
    """Run independent tasks, on the pool if there is one; the first failure is raised after all ended."""
    if pool is None or len(tasks) < 2:
        for task in tasks:
            task()
        return
    futures = [pool.submit(task) for task in tasks]
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise errors[0]
