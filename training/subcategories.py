"""One detector a view, the rival of one cascade for all views (SubCat).

Ohn-Bar, Trivedi, "Learning to Detect Vehicles by Clustering Appearance Patterns" (ITS 2015); the baseline of the
BAdaCost paper's experiments. Each detector tells its view from the background, by AdaBoost: BAdaCost with two classes
and equal costs. Objects of other views are neither positives nor background to it. All detectors share the features
and the window, so that they can be compared with one cascade on equal terms, and be run over one pyramid.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..boosting.multiclass.badacost import BoostingRound
from ..detector.detector import Detector
from ..detector.subcategory_detector import MODEL_OF_VIEW, SubcategoryDetector
from .datasets.annotated_image import AnnotatedImage
from .feature_learning import empty_cascade
from .options import CostOptions, TrainingOptions
from .options_file import dump_options
from .parallel_map import Workers
from .run_folder import RunFolder
from .trainer import learn_features, train_rounds
from .training_set import TrainingSet
from .views import ViewSet

log = logging.getLogger("badacost.training")


def train_subcategories(
    images: TrainingSet,
    options: TrainingOptions,
    run: RunFolder,
    *,
    workers: Workers,
    name: str = "detector",
    provenance: Mapping[str, Any] | None = None,
    threads: int = 1,
    on_tree: Callable[[int, BoostingRound], None] | None = None,
) -> SubcategoryDetector:
    """Train a detector a view, continuing whatever the run folder holds.

    Parameters
    ----------
    images, options, run, workers, name, provenance, threads, on_tree
        See `trainer.train_detector`. The run folder receives the learnt features, and a folder ``view_1`` and so on
        with the rounds and the model of each view's detector.

    Returns
    -------
    SubcategoryDetector

    Raises
    ------
    ValueError
        When a view has no positive, or as `trainer.train_detector`.
    """
    run.begin(images.fingerprint())
    detector, positives = learn_features(images, options, run, workers, name=name)
    present = np.bincount(positives.labels, minlength=len(detector.views) + 1)[1:]
    missing = [view.name for view, count in zip(detector.views, present, strict=True) if not count]
    if missing:
        raise ValueError(
            f"images of train_subcategories must hold objects of every view, found none of {', '.join(missing)}"
        )
    equal_costs = CostOptions(kind="faces", missed=1.0, first_round_missed=None)
    of_each = replace(options, costs=equal_costs)
    parts: list[Detector] = []
    for label, view in enumerate(detector.views, start=1):
        log.info("view %s: %d positive windows", view.name, present[label - 1])
        of_view = RunFolder(_folder_of_view(run, label), dump_options(of_each), resume=True)
        of_view.begin(images.fingerprint())
        parts.append(
            train_rounds(
                _detector_of_view(detector, label, of_each),
                positives.of_class(label),
                images_of_view(images, view.name),
                of_each,
                of_view,
                workers=workers,
                provenance=provenance,
                threads=threads,
                on_tree=on_tree,
            )
        )
    return SubcategoryDetector(name, tuple(parts))


def images_of_view(images: TrainingSet, view: str) -> TrainingSet:
    """Return the images with the objects of all other views ignored.

    An object whose mirror image is of the view is a positive by its mirror image only: as it is in the image it is
    ignored like the others.
    """
    angle = images.views.angles[images.views.index()[view]]
    annotated = [_others_ignored(image, view) for image in images.annotated]
    return TrainingSet(annotated, images.negatives, ViewSet((view,), (angle,), (None,)))


def _folder_of_view(run: RunFolder, label: int) -> Path:
    return run.path / Path(MODEL_OF_VIEW.format(number=label)).parent


def _others_ignored(image: AnnotatedImage, view: str) -> AnnotatedImage:
    boxes = tuple(box if box.view == view else replace(box, view=None, ignore=True) for box in image.boxes)
    return replace(image, boxes=boxes)


def _detector_of_view(detector: Detector, label: int, options: TrainingOptions) -> Detector:
    """The untrained detector of one view of several."""
    view = detector.views[label - 1]
    cascade = empty_cascade(options, 2, detector.cascade.window_shape)
    return replace(detector, name=f"{detector.name}: {view.name}", cascade=cascade, views=(view,))
