"""The published face detector on photographs of AFW: the boxes, views and scores of its authors' own code.

Their colour conversion uses a reciprocal of 12 bits, so that scores differ by 0.3 (standard deviation), and of two
windows with nearly the same score, a step of scale or position apart, now the one is kept and now the other.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.boxes import box_overlaps
from badacost.detector.detector import Detector
from badacost.detector.toolbox_import import import_toolbox_detectors

IMAGES = ("1004109301.jpg", "134212.jpg", "14424972.jpg", "1602308.jpg")
CLEAR = 2  # score
NEXT_WINDOW = 0.6  # overlap of windows a step apart


@pytest.fixture(scope="module")
def detector(shared: Path) -> Detector:
    (detector,) = import_toolbox_detectors(shared / "reference/acf/models/BadacostFaces.mat")
    return detector


@pytest.mark.parametrize("image", IMAGES)
def test_clear_faces_are_found_alike(shared: Path, detector: Detector, image: str) -> None:
    with (shared / "reference/detections/faces_afw_badacost.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["image"] == image and float(row["score"]) > CLEAR]
    corners = np.array([[float(row[key]) for key in ("x", "y", "w", "h")] for row in rows])
    corners[:, 2:] += corners[:, :2]
    found = detector.detect(shared / "data/faces/test_afw/images" / image)
    overlap = box_overlaps(corners, found.boxes)
    best = overlap.argmax(axis=1)
    assert overlap.max(axis=1).min() > NEXT_WINDOW
    assert [found.views[index] for index in best] == [row["view"] for row in rows]
    np.testing.assert_allclose(found.scores[best], [float(row["score"]) for row in rows], rtol=0, atol=1.2)
