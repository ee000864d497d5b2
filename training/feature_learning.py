"""What is learnt about the features before the first round: LDCF filters and the map to uint8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..boosting.costs import scaled_costs
from ..detector.cascade import Cascade
from ..detector.detector import Detector
from ..detector.feature_levels import FeaturePipeline, Quantization
from ..features.decorrelation import DecorrelationFilters
from .datasets.annotated_image import AnnotatedImage
from .negatives import random_windows_of
from .options import TrainingOptions
from .parallel_map import Workers, parallel_map
from .positives import channel_windows, positive_windows
from .round_costs import cost_matrix
from .training_set import TrainingSet
from .view_shapes import views_with_aspect_ratios

# Covariances settle with far fewer windows; all of a large data set's would not fit into memory.
IMAGES_FOR_FILTERS = 4000
IMAGES_FOR_QUANTIZATION = 200


def untrained_detector(
    images: TrainingSet, options: TrainingOptions, workers: Workers, *, name: str = "detector"
) -> Detector:
    """Learn the LDCF filters and the map to uint8; return a detector without trees that has them.

    Parameters
    ----------
    images : TrainingSet
    options : TrainingOptions
    workers : Workers
    name : str

    Raises
    ------
    ValueError
        When the images hold no object with a view.
    """
    pipeline = FeaturePipeline(options.channels, options.pyramid)
    plain = replace(options, jitter=replace(options.jitter, copies=0))
    if options.filters.count:
        sample = _sampled_with_objects(images.annotated, IMAGES_FOR_FILTERS)
        windows = channel_windows(sample, pipeline, plain, images.views, workers)
        filters = DecorrelationFilters.estimate(
            windows, size=options.filters.size, n_filters=options.filters.count
        )
        pipeline = replace(pipeline, filters=filters)
    rows, columns = options.window.cells(pipeline.shrink)
    shape = (pipeline.n_features, rows, columns)
    sample = _sampled_with_objects(images.annotated, IMAGES_FOR_QUANTIZATION)
    planes = [positive_windows(sample, pipeline, plain, images.views, workers).features.reshape(-1, *shape)]
    background = _sampled(images.mined, IMAGES_FOR_QUANTIZATION)
    work = partial(random_windows_of, pipeline=pipeline, options=options, shape=shape)
    planes += [part.features for part in parallel_map(work, list(enumerate(background)), workers)]
    quantization = learn_quantization(np.concatenate(planes), tail=options.quantization_tail)
    return Detector(
        name=name,
        cascade=empty_cascade(options, len(images.views.names) + 1, shape),
        pipeline=replace(pipeline, quantization=quantization),
        window=options.window,
        views=views_with_aspect_ratios(images.annotated, images.views, mirror=options.mirror),
    )


def learn_quantization(planes: NDArray[np.float32], *, tail: float) -> Quantization:
    """Fit each plane's map to uint8, so that all but a small share of its values stay unclipped.

    Training and detection both see the quantised features, so that a learnt threshold is exact.

    Parameters
    ----------
    planes : (n, C, h, w) float32
        Features of object and background windows.
    tail : float
        Share of the values that may be clipped at either end, in [0, 0.5).

    Returns
    -------
    Quantization
        A plane without any spread gets the scale 1.
    """
    values = planes.swapaxes(0, 1).reshape(planes.shape[1], -1)
    low, high = np.quantile(values, [tail, 1 - tail], axis=1)
    spread = high - low
    scale = np.where(spread > 1e-12, 255 / np.maximum(spread, 1e-12), 1.0)
    return Quantization(low.astype(np.float32), scale.astype(np.float32))


def empty_cascade(options: TrainingOptions, n_classes: int, window_shape: tuple[int, int, int]) -> Cascade:
    """Return a cascade without trees."""
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


def _sampled(images: Sequence[AnnotatedImage], count: int) -> list[AnnotatedImage]:
    """At most `count` images, evenly spread over the sequence."""
    return [
        images[i] for i in np.unique(np.linspace(0, len(images) - 1, min(count, len(images))).astype(int))
    ]


def _sampled_with_objects(images: Sequence[AnnotatedImage], count: int) -> list[AnnotatedImage]:
    """A sample that holds an object if one of the images does."""
    sample = _sampled(images, count)
    if any(map(_has_object, sample)):
        return sample
    return _sampled([image for image in images if _has_object(image)], count)


def _has_object(image: AnnotatedImage) -> bool:
    return any(not box.ignore and box.view is not None for box in image.boxes)
