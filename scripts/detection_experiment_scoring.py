"""Run a trained detector over test images, count what its scan takes, and score what it finds."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from badacost.detector.detections import Detections
    from badacost.detector.subcategory_detector import SubcategoryDetector
    from badacost.eval.ground_truth import FaceGroundTruth
    from badacost.eval.kitti_objects import KittiObjects
    from badacost.eval.kitti_result import KittiCurve

# Average precision of the benchmark's version and eleven recalls of the paper's time.
AP11 = "AP11 {level}, pre-2017"
LEVELS = ("easy", "moderate", "hard")
# Scores that an outcome has; a file of an evaluation that lacks one is evaluated again.
SCORES = {
    "faces": (
        "AP",
        "AP refined",
        "standard error",
        "recall at 1 FP/image",
        "highest recall",
        "view accuracy",
    ),
    "cars": (
        *(f"{score} {level}" for level in LEVELS for score in ("AP40", "AOS40")),
        *(AP11.format(level=level) for level in LEVELS),
        "highest recall",
        "view accuracy",
    ),
}


@dataclass(frozen=True, kw_only=True)
class EvaluationData:
    """Test images and their ground truth.

    Parameters
    ----------
    ground_truth : Path
        Faces: an annotation file of AFW, PASCAL Faces or csv. Cars: KITTI's folder of labels.
    images : Path
        Folder.
    split : Path or None
        Cars: list of the frames.
    scale_csv, views_from : Path or None
        Faces: sizes of resized copies; a second annotation that knows the views.
    """

    ground_truth: Path
    images: Path
    split: Path | None = None
    scale_csv: Path | None = None
    views_from: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a detector is and does.

    Parameters
    ----------
    n_detectors, n_trees, n_levels : int
        Cascades, trees and split levels of each.
    trees_per_window : float
        Mean trees evaluated a window, all cascades together.
    seconds_per_image : float
        CPU time of one thread, median over the images.
    scores : dict of str to float or None
        AP and the like, percent.
    views : tuple of str
    confusion : list of lists of int
        Rows: true view; columns: predicted view, and missed.
    curve : dict
        ``recall`` and ``precision``, fractions.
    """

    n_detectors: int
    n_trees: int
    n_levels: int
    trees_per_window: float
    seconds_per_image: float
    scores: dict[str, float | None]
    views: tuple[str, ...] = ()
    confusion: list[list[int]] = field(default_factory=list)
    curve: dict[str, list[float]] = field(default_factory=dict)

    @property
    def nodes_at_worst(self) -> int:
        """Split nodes that a window passes when nothing is rejected."""
        return self.n_detectors * self.n_trees * self.n_levels

    @property
    def nodes_per_window(self) -> float:
        """Split nodes that a window passes on average; a tree is complete, so each takes all its levels."""
        return self.trees_per_window * self.n_levels

    def as_dict(self) -> dict[str, Any]:
        """Fields by name, for JSON."""
        return asdict(self)


def load_detector(folder: Path) -> SubcategoryDetector:
    """Load the detector of a run folder, one cascade or one a view."""
    from badacost.detector.detector import Detector
    from badacost.detector.subcategory_detector import SubcategoryDetector

    model = folder / "model.npz"
    if model.is_file():
        return SubcategoryDetector(folder.name, (Detector.load(model),))
    return SubcategoryDetector.load(folder)


def read_faces(data: EvaluationData) -> list[FaceGroundTruth]:
    """Read the faces of the test images."""
    from badacost.eval.annotations_csv import read_scales
    from badacost.eval.box_files import read_annotations
    from badacost.eval.input_records import BadRecords
    from badacost.eval.second_annotation import with_scales, with_views_of
    from badacost.eval.views import FACE_VIEWS

    bad = BadRecords()
    faces = read_annotations(data.ground_truth, FACE_VIEWS, bad)
    if data.scale_csv is not None:
        faces = with_scales(faces, read_scales(data.scale_csv, bad))
    if data.views_from is not None:
        faces = with_views_of(faces, read_annotations(data.views_from, FACE_VIEWS, bad))
    return faces


def score_faces(detector: SubcategoryDetector, data: EvaluationData) -> Outcome:
    """Score faces with the box protocol of AFW and PASCAL Faces.

    The curve has all that passes the cascade: a lowest score would end the curves of different costs at different
    places, as costs shift the scores.
    """
    from badacost.eval.detection_table import DetectionTable
    from badacost.eval.face_boxes import FaceBoxOptions, evaluate_face_boxes
    from badacost.eval.views import FACE_VIEWS

    faces = read_faces(data)
    found, figures = _run(detector, data.images, [image.name for image in faces])
    table = DetectionTable.from_detections(
        ((i, found[image.name]) for i, image in enumerate(faces)), FACE_VIEWS
    )
    result = evaluate_face_boxes(faces, table, FaceBoxOptions(refine=True, resampling_draws=200))
    views = result.raw.views
    scores: dict[str, float | None] = {
        "AP": result.ap,
        "AP refined": result.ap_refined,
        "standard error": result.raw.ap_standard_error,
        "recall at 1 FP/image": 100 * result.raw.curve.recall_at(1.0),
        "highest recall": 100 * float(result.raw.curve.recall.max(initial=0.0)),
        "view accuracy": None if views is None or views.accuracy is None else 100 * views.accuracy,
    }
    return Outcome(
        **figures,
        scores=scores,
        views=() if views is None else tuple(views.views),
        confusion=[] if views is None else views.confusion.tolist(),
        curve={
            "recall": result.raw.curve.recall.tolist(),
            "precision": result.raw.curve.precision.tolist(),
        },
    )


def score_cars(detector: SubcategoryDetector, data: EvaluationData) -> Outcome:
    """Score cars with KITTI's rules, version current, and AP11 of the version of the paper.

    Of all that passes the cascade, as `score_faces`.
    """
    from badacost.eval.kitti import evaluate_kitti
    from badacost.eval.kitti_detections import kitti_objects_of
    from badacost.eval.kitti_objects import KittiObjects

    frames, labels = read_cars(data)
    found, figures = _run(detector, data.images, frames)
    objects = KittiObjects.from_frames([kitti_objects_of(found[name].clipped()) for name in frames])
    result = evaluate_kitti(labels, objects, n_views=max(len(detector.view_names), 2))
    before = evaluate_kitti(labels, objects, "pre2017")
    curves, views = result.classes["car"], result.views
    accuracy = None if views is None else views.accuracy
    return Outcome(
        **figures,
        scores={
            **_car_scores(curves, before.classes["car"]),
            "highest recall": 0.0
            if curves is None
            else 100 * max(_curve_of(curves["moderate"])["recall"], default=0.0),
            "view accuracy": None if accuracy is None else 100 * accuracy,
        },
        views=() if views is None else detector.view_names,
        confusion=[] if views is None else views.confusion.tolist(),
        curve={} if curves is None else _curve_of(curves["moderate"]),
    )


def read_cars(data: EvaluationData) -> tuple[list[str], KittiObjects]:
    """Read the names of the test frames and their labels."""
    from badacost.eval.input_records import BadRecords
    from badacost.eval.kitti_files import read_kitti_labels, read_split

    bad = BadRecords()
    wanted = None if data.split is None else read_split(data.split, bad)
    return read_kitti_labels(data.ground_truth, wanted, bad)


def _car_scores(
    curves: Mapping[str, KittiCurve] | None, before: Mapping[str, KittiCurve] | None
) -> dict[str, float | None]:
    """Scores of each level; 0 where nothing was found, which the benchmark does not evaluate."""
    scores: dict[str, float | None] = {}
    for level in LEVELS:
        scores[f"AP40 {level}"] = 0.0 if curves is None else curves[level].ap40
        scores[f"AOS40 {level}"] = 0.0 if curves is None else curves[level].aos40
        scores[AP11.format(level=level)] = 0.0 if before is None else before[level].ap11
    return scores


def _curve_of(curve: KittiCurve) -> dict[str, list[float]]:
    return {
        "recall": (curve.true_positives / max(curve.n_valid, 1)).tolist(),
        "precision": curve.precision[: len(curve.true_positives)].tolist(),
    }


def image_files(folder: Path, names: Sequence[str]) -> Mapping[str, Path]:
    """Find the files of the test images by their names.

    Raises
    ------
    EvaluationError
        When one is missing.
    """
    from badacost.eval.image_names import find_image_files
    from badacost.eval.input_records import EvaluationError

    files, missing = find_image_files(folder, names)
    if missing:
        others = f" (nor {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise EvaluationError(f"{folder}: test image {missing[0]!r} is not there{others}")
    return files


def _run(
    detector: SubcategoryDetector, folder: Path, names: Sequence[str]
) -> tuple[Mapping[str, Detections], dict[str, Any]]:
    """Detect in all images; return the detections by image, and the figures that an `Outcome` starts with."""
    import numpy as np

    from badacost.detector.images import read_image

    files = image_files(folder, names)
    detector = detector.with_options(min_score=-math.inf)
    found: dict[str, Detections] = {}
    seconds, n_windows, n_evaluations = [], 0, 0
    for name, path in files.items():
        image = read_image(path)
        started = time.thread_time()
        found[name], scan = detector.detect_counting(image)
        seconds.append(time.thread_time() - started)
        n_windows += scan.n_windows
        n_evaluations += scan.n_evaluations
    cascades = [part.cascade for part in detector.detectors]
    return found, {
        "n_detectors": len(cascades),
        "n_trees": max(cascade.n_trees for cascade in cascades),
        "n_levels": cascades[0].depth,
        "trees_per_window": n_evaluations / max(n_windows, 1),
        "seconds_per_image": float(np.median(seconds)),
    }
