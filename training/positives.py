"""Positive windows: every object of the training images, mirrored and altered, as features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..detector.feature_levels import FeaturePipeline
from ..detector.images import read_image
from .datasets.annotated_image import AnnotatedImage
from .options import TrainingOptions
from .parallel_map import Workers, parallel_map
from .patches import Placement, cut_patch, with_brightness
from .random_streams import JITTER
from .views import ViewSet


@dataclass(frozen=True, eq=False)
class PositiveWindows:
    """Features and classes of positive windows.

    Parameters
    ----------
    features : (n, F) uint8, or float32 of a pipeline that does not quantise
    labels : (n,) uint8
        Class, 1 = first view.
    """

    features: NDArray
    labels: NDArray[np.uint8]

    def of_class(self, label: int) -> PositiveWindows:
        """Return the windows of one class, as class 1."""
        chosen = self.labels == label
        return PositiveWindows(self.features[chosen], np.ones(int(chosen.sum()), np.uint8))


def positive_windows(
    images: Sequence[AnnotatedImage],
    pipeline: FeaturePipeline,
    options: TrainingOptions,
    views: ViewSet,
    workers: Workers,
) -> PositiveWindows:
    """Compute the features of all positives.

    Parameters
    ----------
    images : sequence of AnnotatedImage
    pipeline : FeaturePipeline
    options : TrainingOptions
    views : ViewSet
    workers : Workers

    Returns
    -------
    PositiveWindows
        In the order of images, boxes and copies, whatever the workers.

    Raises
    ------
    ValueError
        When the images hold no object with a view.
    """
    work = partial(_features_of_image, pipeline=pipeline, options=options, views=views)
    parts = list(parallel_map(work, list(enumerate(images)), workers))
    rows, columns = options.window.cells(pipeline.shrink)
    n_features = pipeline.n_features * rows * columns
    features = np.concatenate(
        [np.empty((0, n_features), np.uint8), *(p.features for p in parts if len(p.labels))]
    )
    labels = np.concatenate([np.empty(0, np.uint8), *(part.labels for part in parts)])
    if not len(labels):
        raise ValueError("images of positive_windows must hold an object with a view, found none")
    return PositiveWindows(features, labels)


def object_patches(
    image: NDArray[np.uint8], annotated: AnnotatedImage, number: int, options: TrainingOptions, views: ViewSet
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Yield the patch and the view index of every object: itself, its altered copies, all of them mirrored.

    Mirror images that have no view among `views` are left out.

    Parameters
    ----------
    image : (H, W, 3) uint8
    annotated : AnnotatedImage
        Of the same image.
    number : int
        Of the image in its data set; random numbers depend on it, the seed, the box and the copy.
    options : TrainingOptions
    views : ViewSet
    """
    index = views.index()
    for box_number, box in enumerate(annotated.boxes):
        if box.ignore or box.view is None:
            continue
        view = index[box.view]
        for copy in range(options.jitter.copies + 1):
            placement = Placement.of_box(box)
            random = np.random.default_rng((options.seed, JITTER, number, box_number, copy))
            if copy:
                placement = placement.jittered(options.jitter, random)
            patch = cut_patch(image, placement, options.window, options.patch_margin)
            if copy and options.jitter.brightness:
                patch = with_brightness(patch, options.jitter.brightness, random)
            yield patch, view
            mirrored = views.mirrored[view] if options.mirror else None
            if mirrored is not None:
                yield np.ascontiguousarray(patch[:, ::-1]), mirrored


def _features_of_image(
    item: tuple[int, AnnotatedImage], *, pipeline: FeaturePipeline, options: TrainingOptions, views: ViewSet
) -> PositiveWindows:
    number, annotated = item
    rows, columns = options.window.cells(pipeline.shrink)
    features, labels = [], []
    if any(not box.ignore and box.view is not None for box in annotated.boxes):
        image = read_image(annotated.path)
        for patch, view in object_patches(image, annotated, number, options, views):
            features.append(pipeline.window_of_patch(patch, rows, columns).reshape(-1))
            labels.append(view + 1)
    n_features = pipeline.n_features * rows * columns
    dtype = np.uint8 if pipeline.quantization is not None else np.float32
    return PositiveWindows(np.array(features, dtype).reshape(-1, n_features), np.array(labels, np.uint8))


def channel_windows(
    images: Sequence[AnnotatedImage],
    pipeline: FeaturePipeline,
    options: TrainingOptions,
    views: ViewSet,
    workers: Workers,
) -> NDArray[np.float32]:
    """Smoothed channels of the positive windows without filters, (n, C, h, w), for learning the filters."""
    unfiltered = replace(pipeline, filters=None, quantization=None)
    windows = positive_windows(images, unfiltered, options, views, workers)
    return windows.features.reshape(-1, unfiltered.n_features, *options.window.cells(unfiltered.shrink))
