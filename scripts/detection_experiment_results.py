"""What a report of detection experiments is made of, and the figures that tables, pictures and verdict share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from badacost.scripts.detection_experiment_plan import Experiment, Objects
from badacost.scripts.detection_experiment_scan_costs import ScanCost, ScanCosts
from badacost.scripts.detection_experiment_scoring import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from badacost.scripts.detection_experiment_traces import ExampleTraces

MAIN_SCORE = {"faces": "AP", "cars": "AP40 moderate"}
BADACOST, SAMME = "BAdaCost", "SAMME"


@dataclass(frozen=True)
class Result:
    """An experiment, what came of it, and the folder of its model."""

    experiment: Experiment
    outcome: Outcome
    folder: Path


@dataclass(frozen=True, kw_only=True)
class Study:
    """Everything that a report is about.

    Parameters
    ----------
    objects : {"faces", "cars"}
    results : sequence of Result
        Of the finished experiments.
    unfinished : sequence of Experiment
        Planned, but not finished.
    scan_costs : ScanCosts or None
        Of the methods of one seed, measured together.
    traces : mapping of str to ExampleTraces
        By the name of the experiment.
    """

    objects: Objects
    results: Sequence[Result]
    unfinished: Sequence[Experiment] = ()
    scan_costs: ScanCosts | None = None
    traces: Mapping[str, ExampleTraces] = field(default_factory=dict)

    def of_suite(self, suite: str) -> dict[str, list[Result]]:
        """Results of a suite by variant, in the order of the plan."""
        groups: dict[str, list[Result]] = {}
        for result in self.results:
            if result.experiment.suite == suite:
                groups.setdefault(result.experiment.variant, []).append(result)
        return groups

    def scan_cost(self, results: Iterable[Result]) -> ScanCost | None:
        """What the scan takes one of these results, if it was measured together with others."""
        if self.scan_costs is not None:
            for result in results:
                if result.experiment.name in self.scan_costs.detectors:
                    return self.scan_costs.detectors[result.experiment.name]
        return None

    def view_shares(self, results: Iterable[Result]) -> ViewShares | None:
        """How predicted and true views agree, all seeds together; None without views."""
        confusions = [np.array(r.outcome.confusion, np.int64) for r in results if r.outcome.confusion]
        if not confusions or len({confusion.shape for confusion in confusions}) > 1:
            return None
        return ViewShares(np.sum(confusions, axis=0), around=self.objects == "cars")


@dataclass(frozen=True, eq=False)
class ViewShares:
    """Agreement of views.

    Parameters
    ----------
    confusion : (K, K + 1) int64
        Rows: true view; columns: predicted view, and missed.
    around : bool
        Whether the last view is beside the first.
    """

    confusion: NDArray[np.int64]
    around: bool

    @property
    def found(self) -> int:
        """Objects that are found, whatever their view."""
        return int(self.confusion[:, :-1].sum())

    @property
    def missed(self) -> float:
        """Percentage of objects that are not found at any score."""
        return self._percent(int(self.confusion[:, -1].sum()), int(self.confusion.sum()))

    def by_distance(self) -> NDArray[np.float64]:
        """Percentage of found objects by how many views the prediction is off, from 0 on."""
        distance = self._distances()
        counts = np.bincount(distance.ravel(), weights=self.confusion[:, :-1].ravel())
        return 100 * counts / max(self.found, 1)

    def opposite(self) -> float:
        """Percentage of found objects with the opposite view.

        Around the object that is the view half a turn away, or beside it; else one on the other side of the
        middle view.
        """
        n_views = len(self.confusion)
        if self.around:
            opposite = self._distances() >= max(n_views // 2 - 1, 1)
        else:
            side = np.sign(2 * np.arange(n_views) - (n_views - 1))
            opposite = np.outer(side, side) < 0
        return self._percent(int(self.confusion[:, :-1][opposite].sum()), self.found)

    def _distances(self) -> NDArray[np.int64]:
        n_views = len(self.confusion)
        rows, columns = np.indices((n_views, n_views))
        apart = np.abs(rows - columns)
        return np.minimum(apart, n_views - apart) if self.around else apart

    @staticmethod
    def _percent(part: int, whole: int) -> float:
        return 100 * part / max(whole, 1)


def score_by_seed(results: Iterable[Result], score: str) -> dict[int, float]:
    """A score of each seed that has it."""
    values = {r.experiment.seed: r.outcome.scores.get(score) for r in results}
    return {seed: value for seed, value in values.items() if value is not None}


def mean_and_range(values: Sequence[float], digits: int = 1) -> str:
    """Mean, and smallest and largest value if there are several; a dash if there is none."""
    if not values:
        return "–"
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.{digits}f} to {max(values):.{digits}f})"
