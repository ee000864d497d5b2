"""A detector built by hand for tests: bright squares on black, the view being their colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from badacost.detector.cascade import Cascade
from badacost.detector.detection_options import DetectionOptions, View
from badacost.detector.detector import Detector
from badacost.detector.feature_levels import FeaturePipeline
from badacost.detector.window import WindowOptions
from badacost.features.channel_options import ChannelOptions
from badacost.features.pyramid import PyramidOptions

SIDE = 16  # of the squares that the model finds without enlarging the image
RED, BLUE = (230, 60, 60), (70, 70, 255)
LUMINANCE, V_AXIS = 0, 2
CELLS = 12  # a side of the window; the object's are the central 8
BRIGHT, REDDISH = 0.12, 0.36


def square_detector() -> Detector:
    """Return a detector of the views "frontal" (red) and "half_left" (blue).

    A cell that is as bright as it should be votes for the view of the window's central colour.
    """
    middle = _feature(V_AXIS, 5, 5)
    feature, leaf_label = [], []
    for row in range(CELLS):
        for column in range(CELLS):
            inside = 2 <= row < 10 and 2 <= column < 10
            feature.append((_feature(LUMINANCE, row, column), middle, middle))
            leaf_label.append((0, 0, 2, 1) if inside else (2, 1, 0, 0))
    n_trees = len(feature)
    return Detector(
        name="squares",
        cascade=Cascade(
            feature=np.array(feature, np.int32),
            threshold=np.tile(np.array([BRIGHT, REDDISH, REDDISH], np.float32), (n_trees, 1)),
            leaf_label=np.array(leaf_label, np.uint8),
            beta=np.full(n_trees, 0.1),
            rejection=np.full(n_trees, -10, np.float32),
            cost_matrix=1.0 - np.eye(3),
            window_shape=(10, CELLS, CELLS),
        ),
        pipeline=FeaturePipeline(
            ChannelOptions.badacost(),
            PyramidOptions(pad=(4, 4), min_size=(24, 24), n_approximate=0, lambdas=(0, 0, 0)),
        ),
        window=WindowOptions(object_height=SIDE, object_width=SIDE, window_height=24, window_width=24),
        views=(View(name="frontal", angle_deg=0.0), View(name="half_left", angle_deg=40.0)),
        options=DetectionOptions(min_score=30.0),
    )


def picture(
    *squares: tuple[int, int, tuple[int, int, int]], size: tuple[int, int] = (72, 96)
) -> NDArray[np.uint8]:
    """Return a black (H, W, 3) image with squares at (x, y) of a colour."""
    image = np.zeros((*size, 3), np.uint8)
    for x, y, color in squares:
        image[y : y + SIDE, x : x + SIDE] = color
    return image


def _feature(plane: int, row: int, column: int) -> int:
    return (plane * CELLS + row) * CELLS + column
