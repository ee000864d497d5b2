"""Traces of single windows against the scan."""

from __future__ import annotations

import numpy as np
import pytest

from badacost.detector.binary_cascade import BinaryCascade
from badacost.detector.scan import scan_level
from badacost.detector.window_traces import best_window_traces, window_traces

from .random_cascade import random_binary_cascade, random_cascade
from .square_detector import picture, square_detector


def windows_of(features: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    views = np.lib.stride_tricks.sliding_window_view(features, shape)[0]
    return views.reshape(-1, *shape)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_binary_scan_keeps_the_windows_whose_trace_stays_above(depth: int, dtype: type) -> None:
    random = np.random.default_rng(depth)
    cascade = random_binary_cascade(depth=depth, dtype=dtype, rejection=-1.0)
    features = (random.random((4, 60, 70)) * (256 if dtype is np.uint8 else 1)).astype(dtype)
    traces = window_traces(windows_of(features, cascade.window_shape), cascade)
    lives = (traces > -1).all(axis=1)
    for threads in (1, 2):
        found = scan_level(features, cascade, threads=threads)
        np.testing.assert_array_equal(found.rows * (70 - 6 + 1) + found.columns, np.flatnonzero(lives))
        np.testing.assert_allclose(found.scores, traces[lives, -1], atol=1e-4)
        assert set(found.labels.tolist()) == {1}
        assert (
            found.n_evaluations
            == np.minimum(1 + (traces > -1).cumprod(axis=1).sum(axis=1), cascade.n_trees).sum()
        )
    assert 0 < lives.sum() < lives.size


def test_last_trace_is_the_score_of_the_scan() -> None:
    cascade = random_cascade(depth=4, rejection=-1e9)
    features = np.random.default_rng(5).integers(0, 256, (4, 12, 13)).astype(np.uint8)
    traces = window_traces(windows_of(features, cascade.window_shape), cascade)
    np.testing.assert_allclose(scan_level(features, cascade).scores, traces[:, -1], atol=1e-5)
    with pytest.raises(ValueError, match="windows must have shape"):
        window_traces(np.zeros((1, 4, 5, 5), np.uint8), cascade)


def test_best_windows_of_an_image_come_first() -> None:
    detector = square_detector()
    image = picture((20, 30, (230, 60, 60)))
    traces = best_window_traces(detector, image, 4)
    assert traces.shape == (4, detector.cascade.n_trees)
    assert np.all(np.diff(traces[:, -1]) <= 0)
    assert traces[0, -1] == pytest.approx(detector.detect(image).scores[0], abs=1e-3)


def test_leaves_that_are_no_numbers_are_refused() -> None:
    good = random_binary_cascade(depth=2)
    for leaves, message in (
        (good.leaf_value[:, :3], "leaf_value of BinaryCascade must have shape"),
        (good.leaf_value * np.float32(np.inf), "leaf_value of BinaryCascade must be finite"),
    ):
        with pytest.raises(ValueError, match=message):
            BinaryCascade(good.feature, good.threshold, good.rejection, good.window_shape, leaves)
