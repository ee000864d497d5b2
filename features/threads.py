"""Independent pieces of work on a shared pool of threads (kernels release the interpreter's lock)."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def _forget_pools() -> None:
    """A forked child has the pools' objects but none of their threads."""
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)


def available_threads() -> int:
    """Number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(tasks: Sequence[Callable[[], None]], threads: int) -> None:
    """Run every task once, on at most `threads` threads; the first failure is raised after all ended.

    Tasks must be independent (each writes its own part of the output), so that the result does not depend
    on their order. A task must not call `run_tasks` itself: the pool could wait for its own threads.

    Parameters
    ----------
    tasks : sequence of callables without arguments
    threads : int
        1 runs them here, in order. 0 means `available_threads()`.
    """
    threads = threads or available_threads()
    if threads < 2 or len(tasks) < 2:
        for task in tasks:
            task()
        return
    with _lock:
        pool = _pools.get(threads)
        if pool is None:
            pool = _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="badacost")
    futures = [pool.submit(task) for task in tasks]
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise errors[0]


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Yield ``function(item)`` in the order of the items, `jobs` at a time and few ahead of the reader.

    Parameters
    ----------
    function : callable
        May use `run_tasks`: this has threads of its own.
    items : iterable
    jobs : int
        1 works in the calling thread; 0 means `available_threads()`.
    """
    jobs = jobs or available_threads()
    if jobs < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(jobs, thread_name_prefix="badacost-map") as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
