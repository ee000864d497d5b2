"""What is measured with trained detectors: scans that take turns, and traces of example windows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from badacost.detector.detection_options import View
from badacost.detector.subcategory_detector import SubcategoryDetector
from badacost.scripts.detection_experiment_scan_costs import ScanCosts, measure_scans
from badacost.scripts.detection_experiment_scoring import EvaluationData
from badacost.scripts.detection_experiment_traces import (
    AnnotatedTestImage,
    ExampleTraces,
    annotated_test_images,
    example_traces,
)

from ..detector.square_detector import BLUE, RED, SIDE, picture, square_detector

VIEWS = ("frontal", "half_left")


def one() -> SubcategoryDetector:
    return SubcategoryDetector("one", (square_detector(),))


def two() -> SubcategoryDetector:
    """The same cascade twice, for other views."""
    others = (View(name="back"), View(name="side"))
    return SubcategoryDetector(
        "two", (square_detector(), replace(square_detector(), name="two: back", views=others))
    )


@pytest.fixture
def images(tmp_path: Path) -> dict[str, Path]:
    """Pictures of a red, a blue and no square."""
    pictures = {"red": picture((10, 20, RED)), "blue": picture((50, 20, BLUE)), "none": picture()}
    files = {name: tmp_path / f"{name}.png" for name in pictures}
    for name, pixels in pictures.items():
        Image.fromarray(pixels).save(files[name])
    return files


def test_scans_of_all_detectors_are_measured_on_all_images(images: dict[str, Path], tmp_path: Path) -> None:
    costs = measure_scans({"one": one(), "two": two()}, list(images.values()), seed=3)
    assert costs.n_images == 3
    assert costs.covers(["one", "two"])
    assert not costs.covers(["one", "three"])
    for cost in costs.detectors.values():
        assert len(cost.seconds) == len(cost.feature_seconds) == 3
        assert min(cost.seconds) > 0
        assert cost.scan_seconds >= 0
    assert costs.detectors["two"].nodes_per_window == pytest.approx(
        2 * costs.detectors["one"].nodes_per_window
    )
    costs.save(tmp_path / "costs.json")
    assert ScanCosts.load(tmp_path / "costs.json") == costs
    assert ScanCosts.load(tmp_path / "other.json") is None


def annotated(views: tuple[int, int] = (0, 1)) -> list[AnnotatedTestImage]:
    def boxes(*corners: int) -> np.ndarray:
        return np.array([[x, 20, x + SIDE, 20 + SIDE] for x in corners], np.float64).reshape(-1, 4)

    return [
        AnnotatedTestImage("red", boxes(10), np.array([True]), np.array([views[0]])),
        AnnotatedTestImage("blue", boxes(50), np.array([True]), np.array([views[1]])),
        AnnotatedTestImage("none", boxes(), np.array([], bool), np.array([], np.int64)),
    ]


def test_traces_end_high_at_objects_and_low_in_the_background(
    images: dict[str, Path], tmp_path: Path
) -> None:
    traces = example_traces(one(), annotated(), images)
    n_trees = square_detector().cascade.n_trees
    assert traces.at_objects.shape == traces.random_background.shape == (2, n_trees)
    found = [one().detect(images[name]).scores.max() for name in ("red", "blue")]
    np.testing.assert_allclose(traces.at_objects[:, -1], found, rtol=1e-5)
    assert traces.random_background[:, -1].max() < traces.at_objects[:, -1].min()
    assert traces.strong_background[:, -1].max() < traces.at_objects[:, -1].min()
    traces.save(tmp_path / "traces.npz")
    loaded = ExampleTraces.load(tmp_path / "traces.npz")
    assert loaded is not None
    assert loaded.detector == "squares"
    np.testing.assert_array_equal(loaded.at_objects, traces.at_objects)
    assert ExampleTraces.load(tmp_path / "other.npz") is None


def test_traces_of_several_detectors_are_of_the_view_with_most_objects(images: dict[str, Path]) -> None:
    traces = example_traces(two(), annotated(views=(-1, 2)), images)
    assert traces.detector == "two: back"
    assert len(traces.at_objects) == 1


def test_no_traces_without_objects(images: dict[str, Path]) -> None:
    for detector in (one(), two()):
        traces = example_traces(detector, annotated()[2:], images)
        assert len(traces.at_objects) == len(traces.strong_background) == 0


def test_thresholds_are_those_of_the_training_and_of_the_scan(images: dict[str, Path]) -> None:
    slack = SubcategoryDetector("slack", (square_detector().with_options(cascade_slack=2.0),))
    traces = example_traces(slack, annotated(), images)
    assert (traces.calibrated == -10).all()
    assert (traces.scanned == -20).all()


def test_faces_of_the_test_images_are_counted_as_the_evaluation_does(tmp_path: Path) -> None:
    (tmp_path / "faces.csv").write_text(
        "image,x,y,w,h,view\na.png,10,20,40,40,half_left\na.png,60,20,12,12,frontal\nb.png,1,2,40,40,left_profile\n"
    )
    data = EvaluationData(ground_truth=tmp_path / "faces.csv", images=tmp_path)
    first, second = annotated_test_images("faces", data, VIEWS)
    assert first.counted.tolist() == [True, False]
    assert first.views.tolist() == [1, 0]
    assert second.views.tolist() == [-1]


def test_cars_of_the_test_images_are_those_of_level_moderate(tmp_path: Path) -> None:
    rest = "1.5 1.6 4 1 1.5 20 0.1"
    (tmp_path / "000001.txt").write_text(
        f"Car 0 1 3.1 10 20 50 60 {rest}\nCar 0 2 0 10 20 50 60 {rest}\nVan 0 0 0 10 20 50 60 {rest}\n"
    )
    (tmp_path / "000002.txt").write_text("")
    data = EvaluationData(ground_truth=tmp_path, images=tmp_path)
    first, second = annotated_test_images("cars", data, tuple("1234"))
    assert first.counted.tolist() == [True, False, False]
    assert first.views.tolist() == [2, 0, 0]
    assert len(second.boxes) == 0
