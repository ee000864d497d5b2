"""Detectors on 8-bit features made from detectors on float features."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.detector.boxes import box_overlaps
from badacost.detector.scan import scan_level
from badacost.detector.threshold_quantization import quantize_thresholds, quantized_detector
from badacost.detector.toolbox_import import import_toolbox_detectors
from badacost.detector.window_traces import window_traces
from badacost.features.decorrelation import quantize

from .random_cascade import random_binary_cascade, random_cascade


def test_thresholds_on_a_grid_are_kept_exactly() -> None:
    random = np.random.default_rng(0)
    cascade = random_cascade(depth=4, dtype=np.float32)
    # Both ends of the grid are thresholds of every plane; features lie between the grid's points.
    steps = random.integers(0, 255, cascade.threshold.shape)
    steps[:, 0], steps[:, 1] = 0, 254
    cascade = replace(cascade, threshold=(3 + steps / 8).astype(np.float32))
    cascade.feature[:, :2] = (np.arange(60) % 4 * 30).reshape(30, 2)
    cascade.feature[0, :2], cascade.feature[1, :2], cascade.feature[2, :2], cascade.feature[3, :2] = (
        0,
        30,
        60,
        90,
    )
    quantization, threshold = quantize_thresholds(cascade)
    planes = (3 + (random.integers(-3, 258, (4, 9, 11)) + 0.5) / 8).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(planes, cascade.window_shape)[0].reshape(-1, 4, 5, 6)
    bytes_ = quantize(planes, quantization.scale, quantization.offset)
    byte_windows = np.lib.stride_tricks.sliding_window_view(bytes_, cascade.window_shape)[0].reshape(
        -1, 4, 5, 6
    )
    np.testing.assert_array_equal(
        window_traces(byte_windows, replace(cascade, threshold=threshold)), window_traces(windows, cascade)
    )


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(-4, 4))
def test_no_threshold_inside_the_range_moves_more_than_half_a_step(
    seed: int, place: float, size: float
) -> None:
    cascade = random_cascade(depth=3, dtype=np.float32, seed=seed)
    thresholds = (place + 10**size * cascade.threshold).astype(np.float32)
    quantization, edges = quantize_thresholds(replace(cascade, threshold=thresholds))
    plane = cascade.node_cells[0]
    scale, offset = (values.astype(np.float64)[plane] for values in (quantization.scale, quantization.offset))
    inside = (edges > 1) & (edges < 255)
    shift = np.abs(offset + (edges - 0.5) / scale - thresholds) * scale
    assert inside.mean() > 0.8
    assert shift[inside].max() < 0.5 + 1e-2


def test_nodes_that_send_every_window_right_still_do() -> None:
    cascade = random_binary_cascade(depth=3, dtype=np.float32)
    threshold = cascade.threshold.copy()
    threshold[::2, 1] = -np.inf
    _, edges = quantize_thresholds(replace(cascade, threshold=threshold))
    assert np.all(edges[::2, 1] == 0)
    assert np.all(edges[1::2, 1] > 0)
    threshold[0, 0] = np.inf
    with pytest.raises(ValueError, match="threshold of a cascade to be quantised must be below infinity"):
        quantize_thresholds(replace(cascade, threshold=threshold))


def test_clear_faces_of_the_reference_are_found_by_the_quantised_detector(shared: Path) -> None:
    (detector,) = import_toolbox_detectors(shared / "reference/acf/models/BadacostFaces.mat")
    faster = quantized_detector(detector)
    assert faster.cascade.threshold.dtype == np.uint8
    assert faster.pipeline.features_of_channels(np.zeros((10, 8, 8), np.float32)).dtype == np.uint8
    image = np.load(shared / "reference/acf/images.npz")["astronaut"]
    expected, found = detector.detect(image), faster.detect(image)
    expected = expected[expected.scores > 5]
    assert len(expected) == 2
    for detection, overlap in zip(expected, box_overlaps(expected.boxes, found.boxes, "union"), strict=True):
        same = int(overlap.argmax())
        assert overlap[same] > 0.8
        assert found.views[same] == detection.view
        assert abs(found.scores[same] - detection.score) < 1.5
    with pytest.raises(ValueError, match="must be float32, found quantised ones"):
        quantized_detector(faster)


def test_scores_stay_close() -> None:
    cascade = random_binary_cascade(depth=3, dtype=np.float32, rejection=-1e9)
    features = np.random.default_rng(1).random((4, 40, 50), np.float32)
    quantization, threshold = quantize_thresholds(cascade)
    exact = scan_level(features, cascade).scores
    close = scan_level(
        quantize(features, quantization.scale, quantization.offset), replace(cascade, threshold=threshold)
    ).scores
    assert np.mean(exact == close) > 0.5
    assert np.corrcoef(exact, close)[0, 1] > 0.98
