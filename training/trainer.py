"""Train a detector: rounds of boosting, each on the mistakes of the one before."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boosting.costs import scaled_costs
from ..boosting.multiclass.badacost import BAdaCostOptions, BoostingRound, boost
from ..boosting.multiclass.boosted_trees import BoostedTrees, costs, score_traces
from ..detector.cascade import Cascade
from ..detector.detection_options import DetectionOptions
from ..detector.detector import Detector
from .calibration import rejection_thresholds
from .feature_learning import untrained_detector
from .feature_matrix import BLOCK, assemble
from .negatives import SearchFigures, accumulated, find_negatives
from .options import TrainingOptions
from .parallel_map import Workers
from .positives import PositiveWindows, positive_windows
from .random_streams import BOOSTING
from .round_costs import cost_matrix
from .round_report import RoundReport
from .run_folder import RunFolder
from .training_set import TrainingSet

log = logging.getLogger("badacost.training")


def train_detector(
    images: TrainingSet,
    options: TrainingOptions,
    run: RunFolder,
    *,
    workers: Workers,
    name: str = "detector",
    provenance: Mapping[str, Any] | None = None,
    threads: int = 1,
    on_tree: Callable[[int, BoostingRound], None] | None = None,
) -> Detector:
    """Train a detector, continuing whatever rounds the run folder holds.

    Parameters
    ----------
    images : TrainingSet
    options : TrainingOptions
    run : RunFolder
        Receives a checkpoint a round, and the finished model.
    workers : Workers
        Of the work spread over images.
    name : str
    provenance : mapping, optional
        Kept in the model's header.
    threads : int
        Of the boosting. The model depends on neither threads nor workers.
    on_tree : callable, optional
        Called with the number of the training round and the figures of each tree.

    Returns
    -------
    Detector

    Raises
    ------
    RunError
        When the run folder's rounds were trained on other images.
    ImageError
        When an image cannot be read.
    ValueError
        When the images hold no positive or no negative window.
    """
    run.begin(images.fingerprint())
    detector, positives = learn_features(images, options, run, workers, name=name)
    return train_rounds(
        detector,
        positives,
        images,
        options,
        run,
        workers=workers,
        provenance=provenance,
        threads=threads,
        on_tree=on_tree,
    )


def learn_features(
    images: TrainingSet, options: TrainingOptions, run: RunFolder, workers: Workers, *, name: str = "detector"
) -> tuple[Detector, PositiveWindows]:
    """Learn the features, unless the run folder holds them already, and compute those of the positives.

    Returns
    -------
    detector : Detector
        Without trees.
    positives : PositiveWindows
    """
    started = time.perf_counter()
    detector = run.untrained_detector()
    if detector is None:
        detector = untrained_detector(images, options, workers, name=name)
        run.save_untrained_detector(detector)
    positives = positive_windows(images.annotated, detector.pipeline, options, images.views, workers)
    log.info("%d positive windows in %.0f s", len(positives.labels), time.perf_counter() - started)
    return replace(detector, name=name), positives


def train_rounds(
    detector: Detector,
    positives: PositiveWindows,
    images: TrainingSet,
    options: TrainingOptions,
    run: RunFolder,
    *,
    workers: Workers,
    provenance: Mapping[str, Any] | None = None,
    threads: int = 1,
    on_tree: Callable[[int, BoostingRound], None] | None = None,
) -> Detector:
    """Train all rounds on given positives, and on the negatives that the images hold.

    Parameters
    ----------
    detector : Detector
        Without trees, with the features and views of the one to train.
    positives : PositiveWindows
    images, options, run, workers, provenance, threads, on_tree
        See `train_detector`; the run has begun.
    """
    name = detector.name
    negatives = np.empty((0, positives.features.shape[1]), np.uint8)
    for number in range(1, len(options.boosting.rounds) + 1):
        kept = run.negatives(number)
        if kept is None:
            kept = find_negatives(detector, images, options, workers, number)
            if number == 1 and not len(kept[0]):
                raise ValueError("images of train_detector must hold background windows, found none")
            run.save_negatives(number, *kept)
        found, search = kept
        negatives = accumulated(negatives, found, options, number)
        done = run.round_detector(number)
        if done is None:
            windows = _RoundWindows(positives, negatives, len(found), search)
            done, report = _round(detector, windows, options, run, number, threads, on_tree)
            run.save_round(number, done, report)
            log.info("%s", report)
        detector = done
    pyramid = replace(detector.pipeline.pyramid, n_approximate=options.finished.n_approximate)
    finished = replace(
        detector,
        name=name,
        pipeline=replace(detector.pipeline, pyramid=pyramid),
        provenance=dict(provenance or {}),
        options=DetectionOptions(
            min_score=options.finished.min_score,
            cascade_slack=options.finished.cascade_slack,
            suppression=options.finished.suppression,
        ),
    )
    run.save_detector(finished)
    return finished


@dataclass(frozen=True, eq=False)
class _RoundWindows:
    """What a round is trained on: positives, negatives (n, F), how many of them are new and what that took."""

    positives: PositiveWindows
    negatives: NDArray[np.uint8]
    n_new: int
    search: SearchFigures

    @property
    def labels(self) -> NDArray[np.uint8]:
        """Classes of the positives, then of the negatives."""
        return np.concatenate([self.positives.labels, np.zeros(len(self.negatives), np.uint8)])

    @property
    def balanced_weights(self) -> NDArray[np.float64]:
        """Weights that give the positives together as much as the negatives."""
        counts = len(self.positives.labels), len(self.negatives)
        return np.repeat([0.5 / count for count in counts], counts)


def _round(
    detector: Detector,
    windows: _RoundWindows,
    options: TrainingOptions,
    run: RunFolder,
    number: int,
    threads: int,
    on_tree: Callable[[int, BoostingRound], None] | None,
) -> tuple[Detector, RoundReport]:
    """Boost on all positives and negatives, and calibrate the cascade."""
    started = time.perf_counter()
    blocks = [windows.positives.features, windows.negatives]
    bins = assemble(blocks, memory_limit=options.memory_limit, folder=run.path)
    boosting = BAdaCostOptions(
        n_estimators=options.boosting.rounds[number - 1],
        learning_rate=options.boosting.learning_rate,
        tree=options.boosting.tree,
        # Of a few windows of a rare view: a tree of other features still helps.
        on_faultless="continue",
    )
    trees = boost(
        bins,
        windows.labels,
        cost_matrix(options.costs, len(detector.views), first_round=number == 1),
        boosting,
        random_state=np.random.default_rng((options.seed, BOOSTING, number)),
        threads=threads,
        on_round=None if on_tree is None else partial(on_tree, number),
        sample_weight=windows.balanced_weights if options.boosting.start_weights == "balanced" else None,
    )
    error = float(np.mean(costs(trees, bins, threads=threads).argmin(axis=0) != windows.labels))
    traces = _positive_traces(trees, bins, len(windows.positives.labels), threads)
    rejection = rejection_thresholds(traces, options.calibration)
    lost = float(np.mean((traces <= rejection[:, None]).any(axis=0)))
    report = RoundReport(
        number=number,
        n_trees=len(trees),
        stop_reason=trees.stop_reason,
        n_positives=len(windows.positives.labels),
        n_negatives=len(windows.negatives),
        n_new_negatives=windows.n_new,
        n_images_mined=windows.search.n_images,
        first_loss=float(trees.losses[0]),
        last_loss=float(trees.losses[-1]),
        training_error=error,
        positives_lost=lost,
        lowest_threshold=float(rejection.min()),
        trees_per_window=windows.search.trees_per_window,
        mining_seconds=windows.search.seconds,
        boosting_seconds=time.perf_counter() - started,
    )
    cascade = Cascade(
        feature=trees.feature.astype(np.int32),
        threshold=trees.threshold.astype(np.uint8),
        leaf_label=trees.leaf_label,
        beta=trees.beta,
        rejection=rejection,
        cost_matrix=scaled_costs(trees.cost_matrix),
        window_shape=detector.cascade.window_shape,
    )
    return replace(detector, cascade=cascade), report


def _positive_traces(
    trees: BoostedTrees, bins: NDArray[np.uint8], n_positives: int, threads: int
) -> NDArray[np.float32]:
    """Scores of the positives, the first columns of the bins, after every tree: (T, n).

    Part by part: all their features need not fit into memory.
    """
    parts = (
        np.ascontiguousarray(bins[:, first : min(first + BLOCK, n_positives)])
        for first in range(0, n_positives, BLOCK)
    )
    return np.concatenate([score_traces(trees, part, threads=threads) for part in parts], axis=1)
