"""The trace of single windows: how their score grows with every tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detector import Detector
from .scan import scan_level


def window_traces(windows: NDArray, cascade: Cascade | BinaryCascade) -> NDArray[np.float64]:
    """Evaluate all trees for each window, without rejection.

    Parameters
    ----------
    windows : (n, C, rows, columns)
        Features, of the type of the cascade's thresholds.
    cascade : Cascade or BinaryCascade

    Returns
    -------
    (n, T) float64

    Raises
    ------
    ValueError
        If the windows have not the cascade's shape.
    """
    if windows.shape[1:] != cascade.window_shape:
        raise ValueError(f"windows must have shape (n, *{cascade.window_shape}), found {windows.shape}")
    flat = windows.reshape(len(windows), -1)
    trees = np.arange(cascade.n_trees)
    traces = np.empty((len(windows), cascade.n_trees))
    for number, features in enumerate(flat):
        node = np.zeros(cascade.n_trees, np.int64)
        for _ in range(cascade.depth):
            goes_left = features[cascade.feature[trees, node]] < cascade.threshold[trees, node]
            node = 2 * node + 2 - goes_left
        leaf = node - cascade.feature.shape[1]
        if isinstance(cascade, BinaryCascade):
            traces[number] = np.cumsum(cascade.leaf_value[trees, leaf], dtype=np.float64)
        else:
            votes = cascade.vote_differences[cascade.leaf_label[trees, leaf]]
            traces[number] = np.cumsum(cascade.beta[:, None] * votes, axis=0).max(axis=1)
    return traces


def best_window_traces(detector: Detector, image: NDArray[np.uint8], count: int) -> NDArray[np.float64]:
    """Traces of the windows of an image that have the highest scores, best first.

    Parameters
    ----------
    detector : Detector
    image : (H, W, 3) uint8 RGB
    count : int
        At most so many windows.

    Returns
    -------
    (n, T) float64
    """
    cascade = detector.cascade
    _, height, width = cascade.window_shape
    scores: list[float] = []
    windows: list[NDArray] = []
    for level in detector.levels(image):
        found = scan_level(level.features, cascade, threads=detector.options.threads)
        for index in np.argsort(-found.scores, kind="stable")[:count]:
            row, column = found.rows[index], found.columns[index]
            scores.append(float(found.scores[index]))
            windows.append(level.features[:, row : row + height, column : column + width].copy())
    best = np.argsort(-np.array(scores), kind="stable")[:count]
    if not len(best):
        return np.empty((0, cascade.n_trees))
    return window_traces(np.array([windows[index] for index in best]), cascade)
