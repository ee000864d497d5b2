"""The scan kernels against the window-by-window twin."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from badacost.detector.band_scan import BandScan
from badacost.detector.binary_cascade import BinaryCascade
from badacost.detector.cascade import Cascade
from badacost.detector.scan import Windows, scan_level
from badacost.detector.window_traces import window_traces

from .random_cascade import random_binary_cascade, random_cascade, scan_window_by_window

RANDOM_COSTS = np.random.default_rng(3).random((6, 6)) * (1 - np.eye(6))


def level(dtype: type, seed: int = 1, height: int = 21, width: int = 37, channels: int = 4) -> np.ndarray:
    random = np.random.default_rng(seed)
    if dtype is np.uint8:
        return random.integers(0, 256, (channels, height, width)).astype(np.uint8)
    return random.random((channels, height, width)).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("costs", [None, RANDOM_COSTS], ids=["face costs", "any costs"])
@pytest.mark.parametrize("depth", range(1, 10))
def test_survivors_scores_and_views_are_those_of_the_slow_twin(
    depth: int, costs: np.ndarray, dtype: type
) -> None:
    cascade = random_cascade(depth=depth, cost_matrix=costs, dtype=dtype, rejection=-2.0, n_trees=20)
    features = level(dtype)
    windows = scan_level(features, cascade)
    expected = scan_window_by_window(features, cascade)
    found = list(zip(windows.rows.tolist(), windows.columns.tolist(), strict=True))
    assert found == sorted(expected)
    assert 0 < len(found) < windows.n_windows
    np.testing.assert_allclose(windows.scores, [expected[key][0] for key in found], atol=1e-5)
    assert windows.labels.tolist() == [expected[key][1] for key in found]


def same(one: Windows, other: Windows) -> bool:
    names = ("rows", "columns", "scores", "labels", "n_windows", "n_evaluations")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def traces_of(features: np.ndarray, cascade: Cascade | BinaryCascade) -> np.ndarray:
    views = np.lib.stride_tricks.sliding_window_view(features, cascade.window_shape)[0]
    return window_traces(views.reshape(-1, *cascade.window_shape), cascade)


def long_cascades(depth: int, dtype: type) -> list[Cascade | BinaryCascade]:
    """One of each kind, long enough for all stages of the scan; windows are given up all along, but not all of them."""
    sample = level(dtype, seed=2)
    calibrated: list[Cascade | BinaryCascade] = []
    for cascade in (
        random_cascade(depth=depth, n_trees=300, dtype=dtype),
        random_cascade(depth=depth, n_trees=300, dtype=dtype, cost_matrix=RANDOM_COSTS),
        random_binary_cascade(depth=depth, n_trees=300, dtype=dtype),
    ):
        limit = np.quantile(traces_of(sample, cascade), 0.2, axis=0) - 1e-3  # not on a trace
        calibrated.append(replace(cascade, rejection=limit.astype(np.float32)))
    return calibrated


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("depth", [2, 5, 7])
def test_survivors_of_a_long_cascade_are_the_windows_whose_trace_stays_above(depth: int, dtype: type) -> None:
    features = level(dtype, height=30, width=45)
    for cascade in long_cascades(depth, dtype):
        traces = traces_of(features, cascade)
        # A trace at a threshold, up to rounding, may count as above or below.
        margin = (traces - cascade.rejection).min(axis=1)
        windows = scan_level(features, cascade)
        found = np.zeros(len(traces), bool)
        found[windows.rows * (45 - 6 + 1) + windows.columns] = True
        clear = np.abs(margin) > 1e-4
        np.testing.assert_array_equal(found[clear], margin[clear] > 0)
        np.testing.assert_allclose(windows.scores, traces[found, -1], atol=1e-4)
        assert 0 < found.sum() < len(found)
        trees = 1 + (traces > cascade.rejection)[:, :-1].cumprod(axis=1).sum(axis=1)
        assert windows.n_evaluations == pytest.approx(trees.sum(), rel=1e-3)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_result_does_not_depend_on_the_number_of_threads(dtype: type) -> None:
    features = level(dtype, height=200, width=400)
    for cascade in long_cascades(5, dtype):
        one = scan_level(features, cascade)
        assert len(one.rows)
        for threads in (2, 4):
            assert same(one, scan_level(features, cascade, threads=threads))


def test_calls_at_the_same_time_give_the_same_result() -> None:
    features = level(np.uint8, height=90, width=100)
    for cascade in long_cascades(5, np.uint8):
        expected = scan_level(features, cascade)
        fresh = replace(cascade)  # nothing computed yet that calls could share
        with ThreadPoolExecutor(4) as pool:
            calls = [
                pool.submit(scan_level, features, fresh, threads=threads) for threads in [1, 2, 4, 1] * 3
            ]
            assert all(same(expected, call.result()) for call in calls)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_phases_hand_over_anywhere(share: float) -> None:
    features = level(np.uint8, height=40, width=60)
    for cascade in long_cascades(4, np.uint8):
        scan = BandScan(cascade, features)
        expected = scan.survivors(0, 36)
        scan.share = share
        found = scan.survivors(0, 36)
        for name in ("position", "score", "label", "n_evaluations"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("costs", [None, RANDOM_COSTS], ids=["face costs", "any costs"])
def test_no_window_is_given_up_after_a_safe_tree(costs: np.ndarray) -> None:
    cascade = random_cascade(depth=1, cost_matrix=costs, rejection=-1.5)
    safe = cascade.n_safe_trees
    assert 0 < safe < cascade.n_trees
    windows = scan_level(level(np.uint8), cascade.truncated(safe))
    assert len(windows.rows) == windows.n_windows
    lowest = cascade.beta[:, None] * cascade.vote_differences.min(axis=0)
    assert np.cumsum(lowest, axis=0).max(axis=1)[safe] <= -1.5
    assert replace(cascade, rejection=np.full(cascade.n_trees, -np.inf, np.float32)).n_safe_trees == 30


def test_binary_cascade_is_the_case_of_two_classes() -> None:
    costs = np.array([[0, 1.0], [2.5, 0]])
    cascade = random_cascade(depth=2, n_classes=2, cost_matrix=costs)
    assert cascade.vote_weight == pytest.approx(2 * 3.5)
    features = level(np.uint8)
    expected = scan_window_by_window(features, cascade)
    windows = scan_level(features, cascade)
    np.testing.assert_allclose(windows.scores, [expected[key][0] for key in sorted(expected)], atol=1e-4)


def test_evaluations_count_every_tree_of_every_window() -> None:
    cascade = random_cascade(depth=3, n_trees=7, rejection=-1e9)
    windows = scan_level(level(np.uint8), cascade)
    assert windows.n_evaluations == 7 * windows.n_windows == 7 * len(windows.rows)


@pytest.mark.parametrize(("height", "width"), [(4, 37), (21, 5), (1, 1)])
def test_level_smaller_than_the_window_has_no_windows(height: int, width: int) -> None:
    windows = scan_level(level(np.uint8, height=height, width=width), random_cascade(depth=2))
    assert len(windows.rows) == windows.n_windows == 0


def test_slack_keeps_every_survivor_and_adds_some() -> None:
    cascade = random_cascade(depth=4, rejection=-1.0)
    features = level(np.uint8)
    strict, loose = scan_level(features, cascade), scan_level(features, cascade.with_slack(2))
    positions = {(y, x) for y, x in zip(loose.rows.tolist(), loose.columns.tolist(), strict=True)}
    assert {(y, x) for y, x in zip(strict.rows.tolist(), strict.columns.tolist(), strict=True)} < positions


def test_features_of_another_type_or_channel_count_are_refused() -> None:
    cascade = random_cascade(depth=2)
    with pytest.raises(ValueError, match="4 planes of uint8, found 4 of float32"):
        scan_level(level(np.float32), cascade)
    with pytest.raises(ValueError, match="4 planes of uint8, found 3 of uint8"):
        scan_level(level(np.uint8, channels=3), cascade)
