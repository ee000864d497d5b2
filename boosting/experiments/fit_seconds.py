"""How long fits take: recorded processor times, for the estimate before a run starts."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files
from typing import Self

import numpy as np

from .catalog import SUITES
from .margin_suite import MARGINS
from .suite import FitJob

UNKNOWN = 1.0  # seconds of a fit that nothing is known of


class FitSeconds:
    """Mean processor seconds of a fit by suite, data set and method.

    Parameters
    ----------
    recorded : mapping of (suite, data set, method) to float
        Of the reduced protocol.
    """

    def __init__(self, recorded: Mapping[tuple[str, str, str], float]) -> None:
        self._recorded = recorded

    @classmethod
    def recorded(cls) -> Self:
        """The times that come with the package, of a server; for some data sets extrapolated by their size."""
        source = files(__package__).joinpath("published", "fit_seconds.csv")
        with source.open(encoding="utf-8") as file:
            return cls(
                {
                    (row["suite"], row["dataset"], row["method"]): float(row["seconds"])
                    for row in csv.DictReader(file)
                }
            )

    def of(self, job: FitJob) -> float:
        """Seconds that a fit is expected to take; for an unknown data set the median over the known ones."""
        key = (job.suite, job.source.name, job.method)
        if key in self._recorded:
            return self._recorded[key] * _larger(job)
        others = [
            seconds
            for (suite, _, method), seconds in self._recorded.items()
            if suite == job.suite and method == job.method
        ]
        return float(np.median(others)) * _larger(job) if others else UNKNOWN


def _larger(job: FitJob) -> float:
    """How much more work the settings of a job are than those of the recorded, reduced protocol."""
    reduced = SUITES[job.suite].default.settings
    factor = 1.0
    for name, value in job.settings:
        usual = reduced.get(name)
        if name == "pool" and job.method == "MultiBoost" and usual:
            factor *= value / usual
        elif name == "ranges" and job.method in MARGINS and usual:
            factor *= (len(value) + 1) / (len(usual) + 1)  # an ensemble a range, and one of whole trees
    return factor
