"""Train a detector: rounds of boosting, each on the mistakes of the one before."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boosting.badacost import BoostedTrees, boost, score_traces
from ..detector.cascade import Cascade
from ..detector.detector import DetectionOptions, Detector, View
from ..detector.feature_levels import FeaturePipeline
from .calibration import authors_threshold, constant_threshold, per_tree_thresholds
from .datasets.annotated_image import AnnotatedImage
from .feature_matrix import assemble
from .mining import mine_image, random_windows, shuffled_images
from .options import CalibrationOptions, TrainingOptions
from .parallel_map import Workers, parallel_map
from .positives import PositiveWindows, positive_windows
from .round_report import RoundReport
from .run_folder import RunFolder

log = logging.getLogger("badacost.training")

# Streams of random numbers of a run; each is seeded with (seed, stream, ...), so none depends on another.
MINING_ORDER, MINING_IMAGE, NEGATIVES_KEPT, BOOSTING = range(4)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Images to learn from.

    Parameters
    ----------
    annotated : sequence of AnnotatedImage
        Their objects are the positives, their background gives negatives.
    negatives : sequence of AnnotatedImage
        Images without objects.
    views : tuple of View
    """

    annotated: Sequence[AnnotatedImage]
    negatives: Sequence[AnnotatedImage]
    views: tuple[View, ...]

    @property
    def mined(self) -> list[AnnotatedImage]:
        """All images that negatives are looked for in."""
        return [*self.negatives, *self.annotated]


def train_detector(
    images: TrainingSet,
    options: TrainingOptions,
    run: RunFolder,
    *,
    workers: Workers,
    provenance: dict[str, Any] | None = None,
    on_tree: Callable[[int, int], None] | None = None,
) -> Detector:
    """Train a detector, continuing whatever rounds the run folder holds.

    Parameters
    ----------
    images : TrainingSet
    options : TrainingOptions
    run : RunFolder
    workers : Workers
        Of the work spread over images; the model does not depend on them.
    provenance : dict, optional
        Kept in the model's header.
    on_tree : callable, optional
        Called with (round, tree) numbers, for a progress bar.

    Returns
    -------
    Detector
    """
    detector, positives = _prepare(images, options, run, workers)
    detector = replace(detector, provenance=dict(provenance or {}))
    negatives = np.empty((0, positives.features.shape[1]), np.uint8)
    for number in range(1, len(options.rounds) + 1):
        started = time.perf_counter()
        found, mined, depth = _new_negatives(detector, images, options, run, workers, number)
        negatives = _accumulate(negatives, found, options, number)
        done = run.round_detector(number)
        if done is not None:
            detector = replace(done, provenance=dict(provenance or {}))
            continue
        mining_seconds = time.perf_counter() - started
        started = time.perf_counter()
        trees, labels = _boost_round(positives, negatives, options, number, on_tree)
        cascade, traces = _calibrated_cascade(trees, positives.features, detector.cascade, options.calibration)
        detector = replace(detector, cascade=cascade)
        report = RoundReport(
            number=number,
            n_trees=cascade.n_trees,
            stop_reason=trees.stop_reason,
            n_positives=len(positives.features),
            n_negatives=len(negatives),
            n_new_negatives=len(found),
            n_images_mined=mined,
            first_loss=float(trees.losses[0]),
            last_loss=float(trees.losses[-1]),
            training_error=float(trees.training_error),
            positives_lost=float(np.mean((traces <= cascade.rejection[:, None]).any(axis=0))),
            lowest_threshold=float(cascade.rejection.min()),
            trees_per_window=depth,
            mining_seconds=mining_seconds,
            boosting_seconds=time.perf_counter() - started,
        )
        run.save_round(number, detector, report)
        log.info("%s", report)
    return detector
