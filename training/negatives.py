"""The negatives of a training round: new ones from all images, old ones as far as there is room."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..detector.detector import Detector
from ..detector.feature_levels import FeaturePipeline
from .datasets.annotated_image import AnnotatedImage
from .mining import MinedWindows, mine_image, random_windows
from .options import TrainingOptions
from .parallel_map import Workers, parallel_map
from .random_streams import MINING_IMAGE, MINING_ORDER, NEGATIVES_KEPT
from .training_set import TrainingSet


@dataclass(frozen=True)
class SearchFigures:
    """What the search for a round's negatives took.

    Parameters
    ----------
    n_images : int
        Images searched.
    trees_per_window : float or None
        Mean trees evaluated a window; None where windows were drawn at random.
    seconds : float
    """

    n_images: int
    trees_per_window: float | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Fields by name, for JSON."""
        return asdict(self)


def find_negatives(
    detector: Detector, images: TrainingSet, options: TrainingOptions, workers: Workers, number: int
) -> tuple[NDArray[np.uint8], SearchFigures]:
    """Find a round's new negatives: random windows for the first, then the detector's strongest mistakes.

    Images come in random order, until there are enough windows.

    Parameters
    ----------
    detector : Detector
        Of the round before; without trees for the first round.
    images : TrainingSet
    options : TrainingOptions
    workers : Workers
    number : int
        Of the round, from 1.

    Returns
    -------
    features : (n, F) uint8
    figures : SearchFigures
    """
    started = time.perf_counter()
    pool = images.mined
    order = np.random.default_rng((options.seed, MINING_ORDER, number)).permutation(len(pool))
    items = [(int(index), pool[index]) for index in order]
    if number == 1:
        work: Callable[[tuple[int, AnnotatedImage]], MinedWindows] = partial(
            random_windows_of,
            pipeline=detector.pipeline,
            options=options,
            shape=detector.cascade.window_shape,
        )
    else:
        work = partial(_mined_windows_of, detector=detector, options=options, number=number)
    parts: list[MinedWindows] = []
    n_found = 0
    # Closing the generator stops the work on images that are not needed any more.
    with closing(parallel_map(work, items, workers)) as results:
        for part in results:
            parts.append(part)
            n_found += len(part.scores)
            if n_found >= options.mining.per_round:
                break
    n_features = int(np.prod(detector.cascade.window_shape))
    windows = [part.features.reshape(-1, n_features) for part in parts]
    features = np.concatenate([np.empty((0, n_features), np.uint8), *windows])[: options.mining.per_round]
    scanned = sum(part.n_windows for part in parts)
    evaluations = sum(part.n_evaluations for part in parts)
    return features, SearchFigures(
        n_images=len(parts),
        trees_per_window=evaluations / scanned if scanned else None,
        seconds=time.perf_counter() - started,
    )


def accumulated(
    old: NDArray[np.uint8], new: NDArray[np.uint8], options: TrainingOptions, number: int
) -> NDArray[np.uint8]:
    """Add a round's negatives to those of earlier rounds, a random part of which makes room if need be."""
    room = max(0, options.mining.accumulated - len(new))
    if len(old) > room:
        random = np.random.default_rng((options.seed, NEGATIVES_KEPT, number))
        old = old[np.sort(random.permutation(len(old))[:room])]
    return np.concatenate([old, new])


def random_windows_of(
    item: tuple[int, AnnotatedImage],
    *,
    pipeline: FeaturePipeline,
    options: TrainingOptions,
    shape: tuple[int, int, int],
) -> MinedWindows:
    """Draw background windows of a numbered image; see `mining.random_windows`."""
    number, image = item
    return random_windows(
        pipeline, options.window, shape, image, options.mining, (options.seed, MINING_IMAGE, 1, number)
    )


def _mined_windows_of(
    item: tuple[int, AnnotatedImage], *, detector: Detector, options: TrainingOptions, number: int
) -> MinedWindows:
    index, image = item
    return mine_image(detector, image, options.mining, (options.seed, MINING_IMAGE, number, index))
