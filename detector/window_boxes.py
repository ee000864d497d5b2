"""From windows in feature cells to object boxes in the image."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .feature_levels import FeatureLevel, FeaturePipeline
from .window import WindowOptions


def object_boxes(
    level: FeatureLevel,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    aspect_ratio: ArrayLike,
    pipeline: FeaturePipeline,
    window: WindowOptions,
) -> NDArray[np.float32]:
    """Return the boxes of the objects that windows of a level stand for.

    The height and the centre are those of the window's object; the width is the height times the aspect ratio
    of the view (the paper's per-view correction).

    Parameters
    ----------
    level : FeatureLevel
    rows, columns : (n,) int64
        Top-left cells of the windows.
    aspect_ratio : float or (n,) float
        Width / height.
    pipeline : FeaturePipeline
    window : WindowOptions

    Returns
    -------
    (n, 4) float32
        ``x1, y1, x2, y2`` in pixels of the image, not clipped.
    """
    pad_rows, pad_columns = pipeline.pyramid.pad
    top = (rows + level.top) * pipeline.shrink - pad_rows + (window.window_height - window.object_height) / 2
    left = columns * pipeline.shrink - pad_columns + (window.window_width - window.object_width) / 2
    height = window.object_height / level.scale
    width = height * np.asarray(aspect_ratio, np.float64)
    y1 = top / level.scale_y
    center_x = left / level.scale_x + window.object_width / level.scale / 2
    return np.stack([center_x - width / 2, y1, center_x + width / 2, y1 + height], axis=1).astype(np.float32)
