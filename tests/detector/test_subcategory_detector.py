"""Several cascades as one detector: one part is that part, and parts count their windows once."""

from __future__ import annotations

import numpy as np
import pytest

from badacost.detector.subcategory_detector import SubcategoryDetector

from .square_detector import BLUE, RED, picture, square_detector


def test_a_single_part_finds_what_it_finds_alone() -> None:
    image = picture((10, 12, RED), (50, 30, BLUE))
    alone = square_detector().detect(image)
    found, figures = SubcategoryDetector("one", (square_detector(),)).detect_counting(image)
    assert len(alone) == 2
    np.testing.assert_array_equal(found.boxes, alone.boxes)
    np.testing.assert_array_equal(found.scores, alone.scores)
    assert found.views.tolist() == alone.views.tolist()
    assert found.image_size == alone.image_size
    assert 0 < figures.n_windows <= figures.n_evaluations


def test_options_hold_for_all_parts() -> None:
    detector = SubcategoryDetector("one", (square_detector(),)).with_options(views=("half_left",))
    found = detector.detect(picture((10, 12, RED), (50, 30, BLUE)))
    assert found.views.tolist() == ["half_left"]
    assert len(detector.with_options(views=None, max_detections=1).detect(picture((10, 12, RED)))) == 1


def test_two_detectors_of_a_view_are_refused() -> None:
    with pytest.raises(ValueError, match="different views"):
        SubcategoryDetector("twice", (square_detector(), square_detector()))
