"""Times of several ways to do one thing, measured fairly: interleaved, in one process, processor time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Timing:
    """How long one variant takes.

    Parameters
    ----------
    name : str
    median_ms, fast_ms : float
        Median and 10th percentile of the processor time of the calling thread, in milliseconds.
    ratio : float
        Median over the median of the baseline.
    """

    name: str
    median_ms: float
    fast_ms: float
    ratio: float


def measure(
    variants: Mapping[str, Callable[[], object]], *, repetitions: int = 30, baseline: str | None = None
) -> list[Timing]:
    """Time each variant `repetitions` times, one after the other in every round.

    Interleaving lets all variants meet the same load of the machine, so that ratios hold where absolute times
    do not. Every variant runs once before, to compile and to warm the caches. Only work on the calling thread
    counts: variants must use one thread.

    Parameters
    ----------
    variants : mapping of name to function
    repetitions : int
    baseline : str, optional
        The variant that the ratios are to; the first one by default.

    Returns
    -------
    list of Timing
        In the order of `variants`.
    """
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for run in variants.values():
        run()
    for _ in range(repetitions):
        for name, run in variants.items():
            start = time.thread_time()
            run()
            seconds[name].append(time.thread_time() - start)
    medians = {name: 1e3 * float(np.median(values)) for name, values in seconds.items()}
    reference = medians[baseline if baseline is not None else next(iter(variants))]
    return [
        Timing(name, medians[name], 1e3 * float(np.quantile(values, 0.1)), medians[name] / reference)
        for name, values in seconds.items()
    ]


def format_table(title: str, timings: Iterable[Timing]) -> str:
    """Lay the timings out as a Markdown table under its title."""
    timings = list(timings)
    width = max([len("variant"), *(len(timing.name) for timing in timings)])
    lines = [
        title,
        "",
        f"| {'variant':<{width}} | median ms | 10 % ms | ratio |",
        f"| {'-' * width} | --------: | ------: | ----: |",
    ]
    lines += [
        f"| {timing.name:<{width}} | {timing.median_ms:9.3f} | {timing.fast_ms:7.3f} | {timing.ratio:5.2f} |"
        for timing in timings
    ]
    return "\n".join(lines)
