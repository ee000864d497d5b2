"""Bands of rows: the unit of work that threads share."""

from __future__ import annotations

from collections.abc import Callable

from .threads import run_tasks

ROWS_PER_BAND = 64


def run_bands(
    work: Callable[[int, int], None], n_rows: int, threads: int, rows_per_band: int = ROWS_PER_BAND
) -> None:
    """Call ``work(first, last)`` for consecutive bands of rows, on at most `threads` threads.

    By default the bands depend on `n_rows` only, never on the number of threads: neither do results, then,
    even where running sums start anew in every band.
    """

    def task(first: int) -> Callable[[], None]:
        return lambda: work(first, min(first + rows_per_band, n_rows))

    run_tasks([task(first) for first in range(0, n_rows, rows_per_band)], threads)
