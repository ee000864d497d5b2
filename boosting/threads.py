"""Independent pieces of work on threads; the kernels release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType


class Workers:
    """A pool of threads that exists while it is used as a context manager.

    Parameters
    ----------
    threads : int
        1 works in the calling thread; 0 is one a processor core.
    """

    def __init__(self, threads: int) -> None:
        if threads < 0:
            raise ValueError(f"threads must be at least 0 (0: one a processor core), got {threads}")
        self.threads = threads or available_threads()
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Workers:
        if self.threads > 1:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="boosting")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def run_blocks(self, function: Callable[[int, int], None], begin: int, end: int, parts: int = 0) -> None:
        """Call ``function(a, b)`` for consecutive parts of begin .. end - 1, in any order, at once.

        Parameters
        ----------
        function : callable (int, int)
            Each call must write its own part of the output, so that the result does not depend on the cut.
        parts : int
            Number of parts; by default 4 a thread, so that a slow one is made up for.
        """
        parts = min(end - begin, parts or (1 if self._pool is None else 4 * self.threads))
        edges = [begin + (end - begin) * part // parts for part in range(parts + 1)] if parts > 0 else []
        if self._pool is None or parts < 2:
            for a, b in pairwise(edges):
                function(a, b)
            return
        futures: list[Future[None]] = [self._pool.submit(function, a, b) for a, b in pairwise(edges)]
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            raise errors[0]


def available_threads() -> int:
    """Number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
