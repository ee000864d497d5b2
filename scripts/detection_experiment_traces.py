"""Traces of windows of the test images, at objects and in the background, beside the cascade's thresholds.

The BAdaCost paper shows such traces with its calibrated threshold (Fig. 14).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from badacost.detector.detector import Detector
    from badacost.detector.subcategory_detector import SubcategoryDetector
    from badacost.scripts.detection_experiment_plan import Objects
    from badacost.scripts.detection_experiment_scoring import EvaluationData

N_EXAMPLES = 12  # of each kind
AT_OBJECT = 0.5  # intersection over union of a window's box with the object's, at least
RANDOM_OVERLAP, STRONG_OVERLAP = 0.1, 0.3  # of background windows with any box, less than


@dataclass(frozen=True, eq=False)
class AnnotatedTestImage:
    """What is known of a test image.

    Parameters
    ----------
    name : str
    boxes : (n, 4) float64
    counted : (n,) bool
        False for what the evaluation ignores.
    views : (n,) int64
        Index into the detector's views, -1 where unknown.
    """

    name: str
    boxes: NDArray[np.float64]
    counted: NDArray[np.bool_]
    views: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class ExampleTraces:
    """Traces of example windows, evaluated to the end whatever the thresholds say.

    Parameters
    ----------
    detector : str
        Name of the cascade: of several, the one of the view with most objects.
    at_objects, random_background, strong_background : (n, T) float64
        Windows that fit an object best; drawn at random; with the highest score of an image. Background windows
        overlap any box by less than `RANDOM_OVERLAP` and `STRONG_OVERLAP`.
    calibrated, scanned : (T,) float64
        Thresholds at or below which a window is rejected: as calibrated in the training, and with the slack of
        the finished detector.
    """

    detector: str
    at_objects: NDArray[np.float64]
    random_background: NDArray[np.float64]
    strong_background: NDArray[np.float64]
    calibrated: NDArray[np.float64]
    scanned: NDArray[np.float64]

    def save(self, path: Path) -> None:
        """Write to a file ``.npz``."""
        from badacost.detector.atomic_write import write_atomic

        content = io.BytesIO()
        np.savez_compressed(content, **{field.name: getattr(self, field.name) for field in fields(self)})
        write_atomic(path, content.getvalue())

    @classmethod
    def load(cls, path: Path) -> ExampleTraces | None:
        """Read from a file; None if there is none."""
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as content:
            arrays = {field.name: content[field.name] for field in fields(cls)}
        return cls(detector=str(arrays.pop("detector")), **arrays)


def annotated_test_images(
    objects: Objects, data: EvaluationData, view_names: Sequence[str]
) -> list[AnnotatedTestImage]:
    """Read the boxes of the test images, as the evaluation counts them."""
    from badacost.scripts.detection_experiment_scoring import read_cars, read_faces

    if objects == "faces":
        from badacost.eval.face_boxes import FaceBoxOptions
        from badacost.eval.views import FACE_VIEWS

        numbers = {name: number for number, name in enumerate(view_names)}
        index = np.array([*(numbers.get(name, -1) for name in FACE_VIEWS.names), -1])
        faces = (image.with_small_ignored(FaceBoxOptions().min_face) for image in read_faces(data))
        return [
            AnnotatedTestImage(image.name, image.boxes, ~image.ignored, index[image.view_indices])
            for image in faces
        ]
    from badacost.eval.kitti_rules import KITTI_CLASSES, KITTI_LEVELS, VALID, label_parts
    from badacost.eval.kitti_views import view_of_alpha

    names, labels = read_cars(data)
    counted = label_parts(labels, KITTI_CLASSES[0], KITTI_LEVELS[1]) == VALID
    views = view_of_alpha(labels.alpha, len(view_names))
    starts = labels.frame_starts
    return [
        AnnotatedTestImage(name, labels.boxes[frame], counted[frame], views[frame])
        for name, frame in zip(names, map(slice, starts[:-1], starts[1:]), strict=True)
    ]


def example_traces(
    detector: SubcategoryDetector,
    images: Sequence[AnnotatedTestImage],
    files: Mapping[str, Path],
    *,
    n_examples: int = N_EXAMPLES,
    seed: int = 0,
) -> ExampleTraces:
    """Evaluate windows of images spread evenly over the test images.

    Parameters
    ----------
    detector : SubcategoryDetector
    images : sequence of AnnotatedTestImage
    files : mapping of str to Path
        Images by name.
    n_examples : int
        Windows of each kind, at most; one an image.
    seed : int
        Of the choice of random windows.
    """
    from badacost.detector.images import read_image
    from badacost.detector.window_traces import window_traces

    part, view = _most_common(detector, images)
    having = [image for image in images if _wanted(image, view).any()]
    generator = np.random.default_rng(seed)
    chosen: dict[str, list[NDArray]] = {"at_objects": [], "random_background": [], "strong_background": []}
    spread = np.unique(np.linspace(0, len(having) - 1, min(n_examples, len(having))).astype(np.int64))
    for image in (having[index] for index in spread):
        found = _windows_of(part, image, read_image(files[image.name]), view, generator)
        for kind, window in found.items():
            chosen[kind].append(window)
    empty = np.empty((0, part.cascade.n_trees))
    return ExampleTraces(
        detector=part.name,
        calibrated=part.cascade.rejection.astype(np.float64),
        scanned=part.scanned_cascade.rejection.astype(np.float64),
        **{
            kind: window_traces(np.array(windows), part.cascade) if windows else empty
            for kind, windows in chosen.items()
        },
    )


def _most_common(
    detector: SubcategoryDetector, images: Sequence[AnnotatedTestImage]
) -> tuple[Detector, int | None]:
    """The only cascade and None, or the cascade of the view with most counted objects and that view."""
    if len(detector.detectors) == 1:
        return detector.detectors[0], None
    views = np.concatenate([image.views[image.counted] for image in images])
    view = int(np.bincount(views[views >= 0], minlength=1).argmax())
    owners = [part for part in detector.detectors for _ in part.views]
    return owners[view], view


def _wanted(image: AnnotatedTestImage, view: int | None) -> NDArray[np.bool_]:
    return image.counted if view is None else image.counted & (image.views == view)


def _windows_of(
    detector: Detector,
    image: AnnotatedTestImage,
    pixels: NDArray[np.uint8],
    view: int | None,
    generator: np.random.Generator,
) -> dict[str, NDArray]:
    """The features of one window of each kind that the image has, from all levels."""
    from badacost.detector.boxes import box_overlaps
    from badacost.detector.scan import scan_level
    from badacost.detector.window_boxes import object_boxes

    _, height, width = detector.cascade.window_shape
    x1, y1, x2, y2 = image.boxes[generator.choice(np.flatnonzero(_wanted(image, view)))]
    best: dict[str, tuple[float, NDArray]] = {}

    def offer(kind: str, value: float, features: NDArray, row: int, column: int) -> None:
        if value > best.get(kind, (-np.inf, None))[0]:
            best[kind] = (value, features[:, row : row + height, column : column + width].copy())

    for level in detector.levels(pixels):
        n_rows, n_columns = level.features.shape[1] - height + 1, level.features.shape[2] - width + 1
        if n_rows < 1 or n_columns < 1:
            continue
        rows, columns = (index.ravel() for index in np.indices((n_rows, n_columns)))
        fitting = object_boxes(
            level, rows, columns, (x2 - x1) / (y2 - y1), detector.pipeline, detector.window
        )
        overlap = box_overlaps(fitting, [[x1, y1, x2, y2]])[:, 0]
        nearest = int(overlap.argmax())
        if overlap[nearest] >= AT_OBJECT:
            offer("at_objects", overlap[nearest], level.features, rows[nearest], columns[nearest])
        covered = box_overlaps(fitting, image.boxes).max(axis=1)
        free = np.flatnonzero(covered < RANDOM_OVERLAP)
        if len(free):
            # The largest of as many random numbers as there are windows: every window of the image is as likely.
            largest = float(generator.random() ** (1 / len(free)))
            drawn = generator.choice(free)
            offer("random_background", largest, level.features, rows[drawn], columns[drawn])
        windows = scan_level(level.features, detector.scanned_cascade)
        if len(windows.scores):
            boxes = detector.boxes_of_windows(level, windows)
            covered = box_overlaps(boxes, image.boxes).max(axis=1)
            scores = np.where(covered < STRONG_OVERLAP, windows.scores, -np.inf)
            top = int(scores.argmax())
            if scores[top] > -np.inf:
                offer("strong_background", float(scores[top]), level.features,
                      int(windows.rows[top]), int(windows.columns[top]))  # fmt: skip
    return {kind: window for kind, (_, window) in best.items()}
