"""Train a detector: rounds of boosting, each on the mistakes of the one before."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boosting.badacost import BAdaCostOptions, BoostingRound, boost
from ..boosting.boosted_trees import BoostedTrees, costs, score_traces
from ..boosting.costs import face_costs, scaled_costs, view_costs
from ..detector.cascade import Cascade
from ..detector.detector import DetectionOptions, Detector, View
from ..detector.feature_levels import FeaturePipeline
from ..features.decorrelation import DecorrelationFilters
from .calibration import authors_threshold, constant_threshold, per_tree_thresholds
from .datasets.annotated_image import AnnotatedImage
from .feature_learning import learn_quantization
from .feature_matrix import assemble
from .mining import MinedWindows, mine_image, random_windows
from .options import CalibrationOptions, CostOptions, TrainingOptions
from .parallel_map import Workers, parallel_map
from .positives import PositiveWindows, channel_windows, positive_windows
from .round_report import RoundReport
from .run_folder import RunFolder
from .views import ViewSet

log = logging.getLogger("badacost.training")

# Streams of random numbers of a run; each is seeded with (seed, stream, ...), so none depends on another.
MINING_ORDER, MINING_IMAGE, NEGATIVES_KEPT, BOOSTING = range(4)

IMAGES_FOR_QUANTIZATION = 200


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Images to learn from.

    Parameters
    ----------
    annotated : sequence of AnnotatedImage
        Their objects are the positives, their background gives negatives.
    negatives : sequence of AnnotatedImage
        Images without objects.
    views : ViewSet
    """

    annotated: Sequence[AnnotatedImage]
    negatives: Sequence[AnnotatedImage]
    views: ViewSet

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
    ValueError
        When the images hold no positive or no negative window.
    """
    started = time.perf_counter()
    detector = run.untrained_detector()
    if detector is None:
        detector = replace(untrained_detector(images, options, workers), name=name)
        run.save_untrained_detector(detector)
    positives = positive_windows(images.annotated, detector.pipeline, options, images.views, workers)
    log.info("%d positive windows in %.0f s", len(positives.labels), time.perf_counter() - started)
    negatives = np.empty((0, positives.features.shape[1]), np.uint8)
    for number in range(1, len(options.boosting.rounds) + 1):
        found = _negatives_of_round(detector, images, options, run, workers, number)
        negatives = accumulated(negatives, found.features, options, number)
        if not len(negatives):
            raise ValueError("images of train_detector must hold background windows, found none")
        done = run.round_detector(number)
        if done is None:
            done, report = _round(detector, positives, negatives, found, options, number, threads, on_tree)
            run.save_round(number, done, report)
            log.info("%s", report)
        detector = done
    finished = replace(
        detector,
        provenance=dict(provenance or {}),
        options=DetectionOptions(
            min_score=options.finished.min_score,
            cascade_slack=options.finished.cascade_slack,
            suppression=options.finished.suppression,
        ),
    )
    run.save_detector(finished)
    return finished


def untrained_detector(images: TrainingSet, options: TrainingOptions, workers: Workers) -> Detector:
    """Learn the LDCF filters and the map to uint8; return a detector without trees that has them."""
    pipeline = FeaturePipeline(options.channels, options.pyramid)
    plain = replace(options, jitter=replace(options.jitter, copies=0))
    if options.filters.count:
        windows = channel_windows(images.annotated, pipeline, plain, images.views, workers)
        filters = DecorrelationFilters.estimate(
            windows, size=options.filters.size, n_filters=options.filters.count
        )
        pipeline = replace(pipeline, filters=filters)
    rows, columns = options.window.cells(pipeline.shrink)
    shape = (pipeline.n_features, rows, columns)
    sample = _sampled(images.annotated, IMAGES_FOR_QUANTIZATION)
    planes = [positive_windows(sample, pipeline, plain, images.views, workers).features.reshape(-1, *shape)]
    background = _sampled(images.mined, IMAGES_FOR_QUANTIZATION)
    work = partial(_random_windows_of, pipeline=pipeline, options=options, shape=shape)
    planes += [part.features for part in parallel_map(work, list(enumerate(background)), workers)]
    quantization = learn_quantization(np.concatenate(planes), tail=options.quantization_tail)
    return Detector(
        name="untrained",
        cascade=_empty_cascade(options, len(images.views.names) + 1, shape),
        pipeline=replace(pipeline, quantization=quantization),
        window=options.window,
        views=_views_with_aspect_ratios(images),
    )


def cost_matrix(options: CostOptions, n_views: int, *, first_round: bool = False) -> NDArray[np.float64]:
    """Costs of a round, (n_views + 1, n_views + 1)."""
    missed = options.missed
    if first_round and options.first_round_missed is not None:
        missed = options.first_round_missed
    if options.kind == "ring":
        return view_costs(1.0, missed, options.opposite, n_views)
    return face_costs(missed, n_views)


def accumulated(
    old: NDArray[np.uint8], new: NDArray[np.uint8], options: TrainingOptions, number: int
) -> NDArray[np.uint8]:
    """Add a round's negatives to those of earlier rounds, a random part of which makes room if need be."""
    room = max(0, options.mining.accumulated - len(new))
    if len(old) > room:
        random = np.random.default_rng((options.seed, NEGATIVES_KEPT, number))
        old = old[np.sort(random.permutation(len(old))[:room])]
    return np.concatenate([old, new])


def calibrated(cascade: Cascade, traces: NDArray[np.float32], options: CalibrationOptions) -> Cascade:
    """Give a cascade the rejection thresholds that the traces of positives, (T, n), ask for."""
    if options.kind == "constant":
        rejection = constant_threshold(traces, lost=options.lost)
    elif options.kind == "per_tree":
        rejection = per_tree_thresholds(traces, lost=options.lost, slack=options.slack)
    else:
        rejection = authors_threshold(traces)
    return replace(cascade, rejection=rejection)


def _round(
    detector: Detector,
    positives: PositiveWindows,
    negatives: NDArray[np.uint8],
    found: _FoundNegatives,
    options: TrainingOptions,
    number: int,
    threads: int,
    on_tree: Callable[[int, BoostingRound], None] | None,
) -> tuple[Detector, RoundReport]:
    """Boost on all positives and negatives, and calibrate the cascade."""
    started = time.perf_counter()
    bins = assemble([positives.features, negatives], memory_limit=options.memory_limit)
    labels = np.concatenate([positives.labels, np.zeros(len(negatives), np.uint8)])
    boosting = BAdaCostOptions(
        n_estimators=options.boosting.rounds[number - 1],
        learning_rate=options.boosting.learning_rate,
        tree=options.boosting.tree,
    )
    trees = boost(
        bins,
        labels,
        cost_matrix(options.costs, len(detector.views), first_round=number == 1),
        boosting,
        random_state=np.random.default_rng((options.seed, BOOSTING, number)),
        threads=threads,
        on_round=None if on_tree is None else partial(on_tree, number),
    )
    error = float(np.mean(costs(trees, bins, threads=threads).argmin(axis=0) != labels))
    traces = score_traces(trees, np.ascontiguousarray(bins[:, : len(positives.labels)]), threads=threads)
    cascade = calibrated(_cascade_of(trees, detector.cascade.window_shape), traces, options.calibration)
    lost = float(np.mean((traces <= cascade.rejection[:, None]).any(axis=0)))
    report = RoundReport(
        number=number,
        n_trees=len(trees),
        stop_reason=trees.stop_reason,
        n_positives=len(positives.labels),
        n_negatives=len(negatives),
        n_new_negatives=len(found.features),
        n_images_mined=found.n_images,
        first_loss=float(trees.losses[0]),
        last_loss=float(trees.losses[-1]),
        training_error=error,
        positives_lost=lost,
        lowest_threshold=float(cascade.rejection.min()),
        trees_per_window=found.trees_per_window,
        mining_seconds=found.seconds,
        boosting_seconds=time.perf_counter() - started,
    )
    return replace(detector, cascade=cascade), report


@dataclass(frozen=True, eq=False)
class _FoundNegatives:
    """The negatives found for one round, (n, F), and what finding them took."""

    features: NDArray[np.uint8]
    n_images: int = 0
    trees_per_window: float | None = None
    seconds: float = 0.0


def _negatives_of_round(
    detector: Detector,
    images: TrainingSet,
    options: TrainingOptions,
    run: RunFolder,
    workers: Workers,
    number: int,
) -> _FoundNegatives:
    """Read a round's negatives from the run folder, or find and keep them."""
    kept = run.negatives(number)
    if kept is not None:
        return _FoundNegatives(kept)
    started = time.perf_counter()
    pool = images.mined
    order = np.random.default_rng((options.seed, MINING_ORDER, number)).permutation(len(pool))
    items = [(int(index), pool[index]) for index in order]
    if number == 1:
        work: Callable[[tuple[int, AnnotatedImage]], MinedWindows] = partial(
            _random_windows_of,
            pipeline=detector.pipeline,
            options=options,
            shape=detector.cascade.window_shape,
        )
    else:
        work = partial(_mined_windows_of, detector=detector, options=options, number=number)
    parts: list[MinedWindows] = []
    # Closing the generator stops the work on images that are not needed any more.
    with closing(parallel_map(work, items, workers)) as results:
        for part in results:
            parts.append(part)
            if sum(len(p.scores) for p in parts) >= options.mining.per_round:
                break
    n_features = int(np.prod(detector.cascade.window_shape))
    windows = [part.features.reshape(-1, n_features) for part in parts]
    features = np.concatenate([np.empty((0, n_features), np.uint8), *windows])[: options.mining.per_round]
    scanned = sum(part.n_windows for part in parts)
    evaluations = sum(part.n_evaluations for part in parts)
    run.save_negatives(number, features)
    return _FoundNegatives(
        features, len(parts), evaluations / scanned if scanned else None, time.perf_counter() - started
    )


def _random_windows_of(
    item: tuple[int, AnnotatedImage],
    *,
    pipeline: FeaturePipeline,
    options: TrainingOptions,
    shape: tuple[int, int, int],
) -> MinedWindows:
    number, image = item
    return random_windows(
        pipeline, options.window, shape, image, options.mining, (options.seed, MINING_IMAGE, 1, number)
    )


def _mined_windows_of(
    item: tuple[int, AnnotatedImage], *, detector: Detector, options: TrainingOptions, number: int
) -> MinedWindows:
    index, image = item
    return mine_image(detector, image, options.mining, (options.seed, MINING_IMAGE, number, index))


def _cascade_of(trees: BoostedTrees, window_shape: tuple[int, int, int]) -> Cascade:
    """The cascade of boosted trees that rejects nothing yet."""
    return Cascade(
        feature=trees.feature.astype(np.int32),
        threshold=trees.threshold.astype(np.uint8),
        leaf_label=trees.leaf_label,
        beta=trees.beta,
        rejection=np.full(len(trees), -np.inf, np.float32),
        cost_matrix=scaled_costs(trees.cost_matrix),
        window_shape=window_shape,
    )


def _empty_cascade(options: TrainingOptions, n_classes: int, window_shape: tuple[int, int, int]) -> Cascade:
    nodes = 2**options.boosting.tree.max_depth - 1
    return Cascade(
        feature=np.empty((0, nodes), np.int32),
        threshold=np.empty((0, nodes), np.uint8),
        leaf_label=np.empty((0, nodes + 1), np.uint8),
        beta=np.empty(0),
        rejection=np.empty(0, np.float32),
        cost_matrix=scaled_costs(cost_matrix(options.costs, n_classes - 1)),
        window_shape=window_shape,
    )


def _views_with_aspect_ratios(images: TrainingSet) -> tuple[View, ...]:
    """The views with the mean width / height of their objects (1 for a view that has none)."""
    ratios: dict[str, list[float]] = {name: [] for name in images.views.names}
    for image in images.annotated:
        for box in image.boxes:
            if not box.ignore and box.view is not None:
                ratios[box.view].append((box.x2 - box.x1) / (box.y2 - box.y1))
    return tuple(
        View(name=name, angle_deg=angle, aspect_ratio=float(np.mean(ratios[name])) if ratios[name] else 1.0)
        for name, angle in zip(images.views.names, images.views.angles, strict=True)
    )


def _sampled(images: Sequence[AnnotatedImage], count: int) -> list[AnnotatedImage]:
    """At most `count` images, evenly spread over the sequence."""
    return [
        images[i] for i in np.unique(np.linspace(0, len(images) - 1, min(count, len(images))).astype(int))
    ]
