"""Negative windows: where they may lie, which are taken, and that chance is repeatable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from badacost.detector.detector import Detector
from badacost.detector.feature_levels import Quantization
from badacost.detector.suppression import SuppressionOptions
from badacost.detector.window_traces import window_traces
from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.mining import MinedWindows, may_be_negative, mine_image, random_windows
from badacost.training.options import MiningOptions

from ..detector.square_detector import BLUE, CELLS, LUMINANCE, RED, SIDE, V_AXIS, picture, square_detector

RED_BOX = AnnotatedBox(20, 24, 20 + SIDE, 24 + SIDE, "frontal")
BLUE_BOX = AnnotatedBox(60, 40, 60 + SIDE, 40 + SIDE, "half_left")
MINING = MiningOptions(start_scale=1.0, score_share=1.0)
ALL = replace(MINING, per_image=10**6, suppression=SuppressionOptions(overlap=1.0))
FLOOR = 30.0
SEED = (7, 1, 2, 0)


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector of squares whose cascade lets nothing through but squares, and what overlaps them."""
    detector = square_detector()
    rejection = detector.cascade.rejection.copy()
    rejection[-1] = FLOOR
    return replace(detector, cascade=replace(detector.cascade, rejection=rejection))


@pytest.fixture
def squares(tmp_path: Path) -> Path:
    """A red square at (20, 24) and a blue one at (60, 40), which the detector takes for objects."""
    Image.fromarray(picture((20, 24, RED), (60, 40, BLUE))).save(tmp_path / "squares.png")
    return tmp_path / "squares.png"


def is_red(mined: MinedWindows) -> NDArray[np.bool_]:
    """Tell which windows have red in their centre; the others have blue."""
    return mined.features[:, V_AXIS, 5:7, 5:7].mean(axis=(1, 2)) > 0.36


# Where negatives may lie

Corners = tuple[int, int, int, int]
CORNERS = st.tuples(*[st.integers(0, 12)] * 2, *[st.integers(1, 8)] * 2).map(
    lambda v: (v[0], v[1], v[0] + v[2], v[1] + v[3])
)


@given(
    boxes=st.lists(CORNERS, max_size=4),
    objects=st.lists(st.tuples(CORNERS, st.booleans()), max_size=4),
    overlap=st.sampled_from([0.1, 0.3, 1.0]),
    coverage=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_negatives_overlap_objects_little_and_ignored_ones_less(
    boxes: list[Corners],
    objects: list[tuple[Corners, bool]],
    overlap: float,
    coverage: float,
) -> None:
    def shared(first: Corners, second: Corners) -> float:
        width = min(first[2], second[2]) - max(first[0], second[0])
        height = min(first[3], second[3]) - max(first[1], second[1])
        return max(width, 0) * max(height, 0)

    def area(box: Corners) -> float:
        return shared(box, box)

    def allowed(box: Corners) -> bool:
        for other, ignored in objects:
            common = shared(box, other)
            union = area(box) + area(other) - common
            if not ignored and common / union >= options.object_overlap:
                return False
            if ignored and (common / union >= options.ignored_overlap or common / area(box) > coverage):
                return False
        return True

    options = MiningOptions(
        object_overlap=overlap, ignored_overlap=min(overlap, 0.1), ignored_coverage=coverage
    )
    annotated = AnnotatedImage(
        Path("photo.jpg"), tuple(AnnotatedBox(*corners, ignore=ignored) for corners, ignored in objects)
    )
    found = may_be_negative(np.array(boxes, np.float32).reshape(-1, 4), annotated, options)
    assert found.tolist() == [allowed(box) for box in boxes]


def test_parts_and_surroundings_of_an_object_may_be_negatives_but_not_of_an_ignored_one() -> None:
    boxes = np.array(
        [[0, 0, 100, 100], [40, 60, 60, 80], [-100, -100, 200, 200], [90, 90, 190, 190]], np.float32
    )
    face = AnnotatedBox(0, 0, 100, 100)
    options = MiningOptions()
    annotated = AnnotatedImage(Path("photo.jpg"), (face,))
    assert may_be_negative(boxes, annotated, options).tolist() == [False, True, True, True]
    ignored = replace(annotated, boxes=(replace(face, ignore=True),))
    assert may_be_negative(boxes, ignored, options).tolist() == [False, False, False, True]


# The detector's mistakes


def test_mistakes_come_strongest_first_with_their_features(squares: Path, detector: Detector) -> None:
    mined = mine_image(detector, AnnotatedImage(squares), MINING, SEED)
    assert len(mined.scores) >= 2
    assert (np.diff(mined.scores) <= 0).all()
    assert mined.scores.min() > FLOOR
    np.testing.assert_allclose(
        window_traces(mined.features, detector.cascade)[:, -1], mined.scores, atol=1e-4
    )
    assert set(is_red(mined)[:2]) == {True, False}  # one of each square
    best = detector.with_options(min_score=0).detect(squares)
    assert mined.scores[0] == pytest.approx(best.scores.max())
    assert mined.n_windows >= len(mined.scores)
    assert mined.n_evaluations >= mined.n_windows


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_strongest_of_an_image_are_kept(count: int, squares: Path, detector: Detector) -> None:
    everything = mine_image(detector, AnnotatedImage(squares), MINING, SEED)
    some = mine_image(detector, AnnotatedImage(squares), replace(MINING, per_image=count), SEED)
    assert len(some.scores) == min(count, len(everything.scores))
    np.testing.assert_array_equal(some.scores, everything.scores[:count])
    np.testing.assert_array_equal(some.features, everything.features[:count])


def test_score_share_asks_for_stronger_mistakes(squares: Path) -> None:
    """The thresholds are -10: at a share of 0.5, a window above -5 is a mistake."""
    scores = {
        share: mine_image(
            square_detector(), AnnotatedImage(squares), replace(ALL, score_share=share), SEED
        ).scores
        for share in (0.0, 0.5, 1.0)
    }
    assert 0 < len(scores[0.0]) < len(scores[0.5]) < len(scores[1.0])
    for share, found in scores.items():
        assert found.min() > -10 * share
        np.testing.assert_array_equal(found, scores[1.0][: len(found)])


def test_a_loosened_cascade_makes_more_mistakes(squares: Path) -> None:
    """With thresholds of -3, what is found at twice that is what they just reject."""
    detector = square_detector()
    rejection = np.full(detector.cascade.n_trees, -3, np.float32)
    detector = replace(detector, cascade=replace(detector.cascade, rejection=rejection))
    as_trained = mine_image(detector, AnnotatedImage(squares), ALL, SEED)
    loose = mine_image(detector, AnnotatedImage(squares), replace(ALL, cascade_slack=2.0), SEED)
    assert len(loose.scores) > len(as_trained.scores)
    assert as_trained.scores.min() > -3 > loose.scores.min() > -6
    assert loose.n_evaluations > as_trained.n_evaluations


@pytest.mark.parametrize(("ignored", "other_is_red"), [(RED_BOX, False), (BLUE_BOX, True)])
def test_ignored_objects_and_their_parts_are_not_mined(
    ignored: AnnotatedBox, other_is_red: bool, squares: Path, detector: Detector
) -> None:
    annotated = AnnotatedImage(squares, (replace(ignored, view=None, ignore=True),))
    mined = mine_image(detector, annotated, MINING, SEED)
    assert len(mined.scores) >= 1
    assert (is_red(mined) == other_is_red).all()
    everywhere = replace(ignored, x1=-50, y1=-50, x2=200, y2=200, ignore=True)
    nothing = mine_image(detector, replace(annotated, boxes=(everywhere,)), MINING, SEED)
    assert nothing.features.shape == (0, 10, CELLS, CELLS)
    assert nothing.features.dtype == mined.features.dtype
    assert nothing.scores.shape == (0,)
    assert nothing.n_windows == mined.n_windows


def test_objects_are_not_mined_but_what_overlaps_them_little(squares: Path) -> None:
    detector = square_detector()  # parts of squares are among its mistakes
    annotated = AnnotatedImage(squares, (RED_BOX, BLUE_BOX))
    scores = {
        overlap: mine_image(detector, annotated, replace(ALL, object_overlap=overlap), SEED).scores
        for overlap in (0.01, 0.3, 0.6, 1.0)
    }
    counts = [len(found) for found in scores.values()]
    assert 0 < counts[0] < counts[1] < counts[2] < counts[3]
    strongest = mine_image(detector, AnnotatedImage(squares), ALL, SEED).scores.max()
    assert scores[0.3].max() < scores[0.6].max() < scores[1.0].max() <= strongest


def test_mistakes_that_overlap_a_stronger_one_go(squares: Path, detector: Detector) -> None:
    counts = []
    for overlap in (0.0, 0.5, 1.0):
        options = replace(ALL, suppression=SuppressionOptions(overlap=overlap))
        counts.append(len(mine_image(detector, AnnotatedImage(squares), options, SEED).scores))
    assert counts[0] == 2
    assert counts[0] < counts[1] < counts[2]


def test_scales_are_drawn_anew_for_each_seed_only(squares: Path, detector: Detector) -> None:
    options = replace(MINING, start_scale=1.6, per_image=3)
    first = mine_image(detector, AnnotatedImage(squares), options, SEED)
    again = mine_image(detector, AnnotatedImage(squares), options, SEED)
    np.testing.assert_array_equal(first.features, again.features)
    np.testing.assert_array_equal(first.scores, again.scores)
    other = mine_image(detector, AnnotatedImage(squares), options, (7, 1, 3, 0))
    assert other.n_windows != first.n_windows  # of another size


def test_windows_of_a_quantised_detector_are_its_bytes(squares: Path, detector: Detector) -> None:
    quantised = quantised_squares(detector)
    mined = mine_image(quantised, AnnotatedImage(squares), MINING, SEED)
    assert mined.features.dtype == np.uint8
    np.testing.assert_allclose(
        window_traces(mined.features, quantised.cascade)[:, -1], mined.scores, atol=1e-4
    )
    assert mine_image(detector, AnnotatedImage(squares), MINING, SEED).features.dtype == np.float32


def quantised_squares(detector: Detector) -> Detector:
    """The same detector on bytes: 400 steps to one."""
    scale = np.full(10, 400, np.float32)
    threshold = np.ceil(detector.cascade.threshold * 400 - 0.5).astype(np.uint8)
    return replace(
        detector,
        cascade=replace(detector.cascade, threshold=threshold),
        pipeline=replace(detector.pipeline, quantization=Quantization(np.zeros(10, np.float32), scale)),
    )


# Random windows


def drawn(
    detector: Detector, annotated: AnnotatedImage, options: MiningOptions, seed: tuple[int, ...] = SEED
) -> MinedWindows:
    return random_windows(
        detector.pipeline, detector.window, detector.cascade.window_shape, annotated, options, seed
    )


def test_random_windows_avoid_objects(detector: Detector, tmp_path: Path) -> None:
    """White everywhere but for a margin: no window has its centre there."""
    path = tmp_path / "white.png"
    pixels = np.zeros((96, 128, 3), np.uint8)
    pixels[20:76, 20:108] = 255
    Image.fromarray(pixels).save(path)
    options = MiningOptions(per_image=50)
    white = AnnotatedBox(20, 20, 108, 76, "frontal")
    free = drawn(detector, AnnotatedImage(path), options)
    assert free.features.shape == (50, 10, CELLS, CELLS)
    assert (free.scores == 0).all()
    assert (free.features[:, LUMINANCE, 4:8, 4:8].min(axis=(1, 2)) > 0.3).any()
    avoiding = drawn(
        detector,
        AnnotatedImage(path, (replace(white, ignore=True),)),
        replace(options, ignored_overlap=1e-6, ignored_coverage=0.0),
    )
    assert 0 < len(avoiding.features) < 50
    assert avoiding.features[:, LUMINANCE, 4:8, 4:8].max() < 0.3
    apart = drawn(detector, AnnotatedImage(path, (white,)), replace(options, object_overlap=1e-6))
    np.testing.assert_array_equal(apart.features, avoiding.features)


def test_random_windows_are_repeatable(squares: Path, detector: Detector) -> None:
    first, again = (drawn(detector, AnnotatedImage(squares), MINING) for _ in range(2))
    np.testing.assert_array_equal(first.features, again.features)
    other = drawn(detector, AnnotatedImage(squares), MINING, (7, 1, 1, 5))
    assert not np.array_equal(first.features, other.features)


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (23, 24)])
def test_an_image_smaller_than_the_window_has_none(
    size: tuple[int, int], detector: Detector, tmp_path: Path
) -> None:
    path = tmp_path / "small.png"
    Image.fromarray(np.zeros((*size, 3), np.uint8)).save(path)
    assert drawn(detector, AnnotatedImage(path), MINING).features.shape == (0, 10, CELLS, CELLS)
    mined = mine_image(detector, AnnotatedImage(path), MINING, SEED)
    assert mined.features.shape == (0, 10, CELLS, CELLS)
    assert mined.n_windows == 0
