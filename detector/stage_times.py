"""How long each stage of a detection takes."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.pyramid import iterate_pyramid
from .detector import Detector
from .scan import scan_level
from .suppression import suppress

STAGES = ("channels and pyramid", "filters and quantisation", "scan", "boxes and suppression")


@dataclass(frozen=True)
class StageTime:
    """Time of one stage.

    Parameters
    ----------
    stage : str
    median_ms, fastest_ms : float
        Wall time.
    """

    stage: str
    median_ms: float
    fastest_ms: float


def stage_times(detector: Detector, image: NDArray[np.uint8], *, repetitions: int = 5) -> list[StageTime]:
    """Time the stages of `Detector.detect` on an image; the last row is their sum.

    It runs once before, to compile and to warm the caches.

    Parameters
    ----------
    detector : Detector
    image : (H, W, 3) uint8 RGB
    repetitions : int
    """
    _seconds(detector, image)
    runs = 1e3 * np.array([_seconds(detector, image) for _ in range(repetitions)])
    runs = np.column_stack([runs, runs.sum(axis=1)])
    return [
        StageTime(stage, float(median), float(fastest))
        for stage, median, fastest in zip(
            (*STAGES, "total"), np.median(runs, axis=0), runs.min(axis=0), strict=True
        )
    ]


def _seconds(detector: Detector, image: NDArray[np.uint8]) -> list[float]:
    pipeline, threads = detector.pipeline, detector.options.threads
    spent = dict.fromkeys(STAGES, 0.0)
    boxes, scores = [np.empty((0, 4), np.float32)], [np.empty(0, np.float32)]
    levels = iterate_pyramid(image, pipeline.channels, detector.scanned_pyramid, threads=threads)
    start = time.perf_counter()
    while (channels := next(levels, None)) is not None:
        made = time.perf_counter()
        level = pipeline.level_of(channels, threads=threads)
        filtered = time.perf_counter()
        windows = scan_level(level.features, detector.scanned_cascade, threads=threads)
        scanned = time.perf_counter()
        windows = windows.from_score(detector.options.min_score)
        boxes.append(detector.boxes_of_windows(level, windows))
        scores.append(windows.scores)
        done = time.perf_counter()
        for stage, seconds in zip(
            STAGES, (made - start, filtered - made, scanned - filtered, done - scanned), strict=True
        ):
            spent[stage] += seconds
        start = time.perf_counter()
    suppress(np.concatenate(boxes), np.concatenate(scores), detector.options.suppression)
    spent[STAGES[-1]] += time.perf_counter() - start
    return list(spent.values())
