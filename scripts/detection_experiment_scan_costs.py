"""What scans take, of several detectors that take turns: an image after the other, all detectors at each.

Times of detectors that ran hours apart tell more of the machine's load than of the detectors. Here the load is the same
for all, and so are images and process; the time is the CPU's, of the one thread that scans.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from badacost.detector.subcategory_detector import SubcategoryDetector


@dataclass(frozen=True, kw_only=True)
class ScanCost:
    """What the scan of the images takes one detector.

    Parameters
    ----------
    nodes_per_window : float
        Mean split nodes that a window of the pyramid passes, all cascades together.
    seconds : list of float
        CPU time of each image, all stages.
    feature_seconds : list of float
        CPU time of the features of each image alone.
    """

    nodes_per_window: float
    seconds: list[float]
    feature_seconds: list[float]

    @property
    def seconds_per_image(self) -> float:
        """Median over the images."""
        return statistics.median(self.seconds)

    @property
    def feature_seconds_per_image(self) -> float:
        """Median over the images."""
        return statistics.median(self.feature_seconds)

    @property
    def scan_seconds(self) -> float:
        """Median over the images of what a detection takes beyond the features."""
        both = zip(self.seconds, self.feature_seconds, strict=True)
        return statistics.median(max(whole - features, 0.0) for whole, features in both)


@dataclass(frozen=True, kw_only=True)
class ScanCosts:
    """What the scan of the same images takes several detectors, measured in one process.

    Parameters
    ----------
    seed : int
        Of the training of all of them.
    detectors : dict of str to ScanCost
        By the name of the experiment.
    """

    seed: int
    detectors: dict[str, ScanCost]

    @property
    def n_images(self) -> int:
        """Number of images."""
        return max((len(cost.seconds) for cost in self.detectors.values()), default=0)

    def covers(self, names: Sequence[str]) -> bool:
        """Tell whether these experiments were measured together."""
        return set(names) <= self.detectors.keys()

    def save(self, path: Path) -> None:
        """Write to a JSON file."""
        from badacost.detector.atomic_write import open_atomic

        with open_atomic(path) as file:
            json.dump(asdict(self), file)

    @classmethod
    def load(cls, path: Path) -> ScanCosts | None:
        """Read from a JSON file; None if there is none."""
        if not path.is_file():
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
        costs = {name: ScanCost(**fields) for name, fields in content["detectors"].items()}
        return cls(seed=content["seed"], detectors=costs)


def measure_scans(
    detectors: Mapping[str, SubcategoryDetector], files: Sequence[Path], seed: int
) -> ScanCosts:
    """Scan every image with every detector, the first one of an image another each time.

    Parameters
    ----------
    detectors : mapping of str to SubcategoryDetector
        By the name of the experiment.
    files : sequence of Path
        At least one image.
    seed : int
        Of their training.
    """
    from badacost.detector.images import read_image

    single = {name: detector.with_options(threads=1) for name, detector in detectors.items()}
    tallies = {name: _Tally() for name in single}
    names = list(single)
    for name in names:  # compiles what is not compiled yet
        single[name].detect(read_image(files[0]))
    for number, path in enumerate(files):
        image = read_image(path)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            tallies[name].add(single[name], image)
    return ScanCosts(
        seed=seed,
        detectors={
            name: ScanCost(
                nodes_per_window=tally.n_evaluations * _levels(single[name]) / max(tally.n_windows, 1),
                seconds=tally.seconds,
                feature_seconds=tally.feature_seconds,
            )
            for name, tally in tallies.items()
        },
    )


@dataclass
class _Tally:
    """What one detector's scans have taken so far."""

    n_windows: int = 0
    n_evaluations: int = 0
    seconds: list[float] = field(default_factory=list)
    feature_seconds: list[float] = field(default_factory=list)

    def add(self, detector: SubcategoryDetector, image: NDArray[np.uint8]) -> None:
        """Scan one image more."""
        started = time.thread_time()
        _, scan = detector.detect_counting(image)
        self.seconds.append(time.thread_time() - started)
        started = time.thread_time()
        for _ in detector.detectors[0].levels(image):
            pass
        self.feature_seconds.append(time.thread_time() - started)
        self.n_windows += scan.n_windows
        self.n_evaluations += scan.n_evaluations


def _levels(detector: SubcategoryDetector) -> int:
    return detector.detectors[0].cascade.depth
