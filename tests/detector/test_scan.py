"""The scan kernels against the window-by-window twin."""

from __future__ import annotations

import numpy as np
import pytest

from badacost.detector.scan import scan_level

from .random_cascade import random_cascade, scan_window_by_window

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


@pytest.mark.parametrize("costs", [None, RANDOM_COSTS], ids=["face costs", "any costs"])
def test_result_does_not_depend_on_the_number_of_threads(costs: np.ndarray) -> None:
    cascade = random_cascade(depth=5, cost_matrix=costs, rejection=-0.8)
    features = level(np.uint8, height=200, width=190)
    one = scan_level(features, cascade)
    for threads in (2, 4):
        other = scan_level(features, cascade, threads=threads)
        for name in ("rows", "columns", "scores", "labels", "n_evaluations"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


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
