"""The folder of a run of detection experiments: models, outcomes, traces, and what scans take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from badacost.detector.atomic_write import open_atomic
from badacost.scripts.detection_experiment_plan import Experiment, Objects
from badacost.scripts.detection_experiment_results import Result, Study
from badacost.scripts.detection_experiment_scan_costs import ScanCosts
from badacost.scripts.detection_experiment_scoring import SCORES, Outcome
from badacost.scripts.detection_experiment_traces import ExampleTraces


@dataclass(frozen=True)
class StudyFolder:
    """Where everything of a run is.

    Parameters
    ----------
    path : Path
    objects : {"faces", "cars"}
    """

    path: Path
    objects: Objects

    @property
    def scan_costs_file(self) -> Path:
        """What the scans of the methods take."""
        return self.path / "scan_costs.json"

    def model(self, experiment: Experiment) -> Path:
        """The run folder of a training."""
        return self.path / "models" / experiment.name

    def traces_file(self, experiment: Experiment) -> Path:
        """Traces of example windows."""
        return self.path / "traces" / f"{experiment.name}.npz"

    def outcome(self, experiment: Experiment) -> Outcome | None:
        """What came of an experiment; None before its evaluation."""
        file = self._outcome_file(experiment)
        return Outcome(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None

    def save_outcome(self, experiment: Experiment, outcome: Outcome) -> None:
        """Write what came of an experiment."""
        with open_atomic(self._outcome_file(experiment)) as file:
            json.dump(outcome.as_dict(), file)

    def is_finished(self, experiment: Experiment) -> bool:
        """Whether a detector is trained and evaluated, with all the scores that reports have now."""
        outcome = self.outcome(experiment)
        return outcome is not None and set(SCORES[self.objects]) <= outcome.scores.keys()

    def methods_of_one_seed(self, experiments: Sequence[Experiment]) -> list[Experiment]:
        """Return the finished detectors of the suite of methods, of the first seed that has most of them."""
        by_seed: dict[int, list[Experiment]] = {}
        for item in experiments:
            if item.suite == "methods" and self.is_finished(item):
                by_seed.setdefault(item.seed, []).append(item)
        return max(by_seed.values(), key=len, default=[])

    def study(self, experiments: Sequence[Experiment]) -> Study:
        """Gather what there is for a report."""
        results, unfinished, traces = [], [], {}
        for item in experiments:
            outcome = self.outcome(item)
            if outcome is None:
                unfinished.append(item)
                continue
            results.append(Result(item, outcome, self.model(item)))
            of_item = ExampleTraces.load(self.traces_file(item))
            if of_item is not None:
                traces[item.name] = of_item
        return Study(
            objects=self.objects,
            results=results,
            unfinished=unfinished,
            scan_costs=ScanCosts.load(self.scan_costs_file),
            traces=traces,
        )

    def _outcome_file(self, experiment: Experiment) -> Path:
        return self.path / "outcomes" / f"{experiment.name}.json"
