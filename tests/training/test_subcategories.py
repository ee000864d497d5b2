"""A detector a view: what each one learns from, the run as a whole, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.boxes import box_overlaps
from badacost.detector.detector import Detector
from badacost.detector.images import read_image
from badacost.detector.model_file import ModelError
from badacost.detector.scan import scan_level
from badacost.detector.subcategory_detector import SubcategoryDetector
from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.options import TrainingOptions
from badacost.training.options_file import dump_options
from badacost.training.parallel_map import Workers
from badacost.training.positives import PositiveWindows
from badacost.training.run_folder import RunFolder
from badacost.training.subcategories import images_of_view, train_subcategories
from badacost.training.training_set import TrainingSet
from badacost.training.views import named_views

from .conftest import Synthetic

ONE = Workers(jobs=1)


def train(folder: Path, images: TrainingSet, options: TrainingOptions) -> SubcategoryDetector:
    run = RunFolder(folder, dump_options(options), resume=True)
    return train_subcategories(images, options, run, workers=ONE, name=folder.name)


def balanced(options: TrainingOptions) -> TrainingOptions:
    """As in the preset, with a few more trees than one cascade needs."""
    return replace(options, boosting=replace(options.boosting, rounds=(8, 16), start_weights="balanced"))


@pytest.fixture(scope="module")
def finished(synthetic: Synthetic, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subcategories") / "run"
    train(folder, synthetic.images, balanced(synthetic.options))
    return folder


def test_other_views_are_neither_objects_nor_background() -> None:
    boxes = (AnnotatedBox(0, 0, 9, 9, "left"), AnnotatedBox(20, 0, 29, 9, "right"))
    views = named_views(("left", "right"))
    images = TrainingSet([AnnotatedImage(Path("a.png"), boxes)], [AnnotatedImage(Path("b.png"))], views)
    of_left = images_of_view(images, "left")
    left, right = of_left.annotated[0].boxes
    assert (left.view, left.ignore) == ("left", False)
    assert (right.view, right.ignore) == (None, True)
    assert of_left.views.names == ("left",)
    assert of_left.negatives == images.negatives


def test_positives_of_a_class() -> None:
    positives = PositiveWindows(np.arange(8).reshape(4, 2), np.array([1, 2, 1, 2], np.uint8))
    chosen = positives.of_class(2)
    assert chosen.features.tolist() == [[2, 3], [6, 7]]
    assert chosen.labels.tolist() == [1, 1]


def test_objects_are_found_with_their_views(finished: Path, synthetic: Synthetic) -> None:
    detector = SubcategoryDetector.load(finished)
    assert detector.view_names == synthetic.images.views.names
    found = right = 0
    for image, objects in zip(synthetic.images.annotated, synthetic.objects, strict=True):
        detections = detector.detect(image.path)
        for item, row in zip(
            objects, box_overlaps([item.box for item in objects], detections.boxes), strict=True
        ):
            if row.max(initial=0) > 0.5:
                found += 1
                right += detections.views[row.argmax()] == item.view
    assert found >= 40
    assert right >= 0.8 * found


def test_a_finished_run_is_not_trained_again(
    finished: Path, synthetic: Synthetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("badacost.training.trainer.boost", None)
    again = train(finished, synthetic.images, balanced(synthetic.options))
    assert [part.cascade.n_trees for part in again.detectors] == [16, 16, 16]


def test_figures_of_a_scan_are_those_of_the_parts(finished: Path, synthetic: Synthetic) -> None:
    detector = SubcategoryDetector.load(finished)
    path = synthetic.images.annotated[0].path
    detections, figures = detector.detect_counting(path)
    assert len(detections) == len(detector.detect(path))
    n_windows = n_evaluations = 0
    for part in detector.detectors:
        scans = [scan_level(level.features, part.scanned_cascade) for level in part.levels(read_image(path))]
        n_windows = sum(scan.n_windows for scan in scans)
        n_evaluations += sum(scan.n_evaluations for scan in scans)
    assert figures == (n_windows, n_evaluations)


def test_suppression_is_joint(finished: Path, synthetic: Synthetic) -> None:
    detector = SubcategoryDetector.load(finished)
    boxes = detector.detect(synthetic.images.annotated[0].path).boxes
    overlaps = box_overlaps(boxes, boxes) - np.eye(len(boxes))
    assert overlaps.max(initial=0) <= detector.detectors[0].options.suppression.overlap + 1e-6


def test_what_cannot_be_one_detector_is_refused(finished: Path, tmp_path: Path) -> None:
    parts = SubcategoryDetector.load(finished).detectors
    with pytest.raises(ValueError, match="must not be empty"):
        SubcategoryDetector("none", ())
    with pytest.raises(ValueError, match="different views"):
        SubcategoryDetector("twice", (parts[0], parts[0]))
    other = replace(parts[1], window=replace(parts[1].window, object_height=15))
    with pytest.raises(ValueError, match="share window and features"):
        SubcategoryDetector("mixed", (parts[0], other))
    with pytest.raises(ModelError, match="holds no detectors of views"):
        SubcategoryDetector.load(tmp_path)


def test_each_part_is_a_detector_of_its_own(finished: Path) -> None:
    assert Detector.load(finished / "view_2" / "model.npz").view_names == ("frontal",)


def test_a_view_without_objects_is_named(synthetic: Synthetic, tmp_path: Path) -> None:
    annotated = [
        replace(image, boxes=tuple(box for box in image.boxes if box.view != "frontal"))
        for image in synthetic.images.annotated
    ]
    images = TrainingSet(annotated, synthetic.images.negatives, synthetic.images.views)
    with pytest.raises(ValueError, match="objects of every view, found none of frontal"):
        train(tmp_path / "run", images, synthetic.options)
