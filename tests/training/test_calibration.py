"""Rejection thresholds: no positive is lost beyond what is allowed, and none is spared for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from badacost.training.calibration import (
    authors_threshold,
    constant_threshold,
    per_tree_thresholds,
    rejection_thresholds,
)
from badacost.training.options import CalibrationOptions

# Whole numbers make ties, which sums of equal steps have, too.
VALUES = st.floats(-50, 50, width=32) | st.integers(-3, 3).map(float)
TRACES = npst.arrays(
    np.float32, npst.array_shapes(min_dims=2, max_dims=2, max_side=12), elements=VALUES, fill=st.nothing()
)
LOST = st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, 0.25, 0.5])


def rejected(traces: NDArray[np.float32], thresholds: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which positives the cascade rejects: their trace falls to the threshold after some tree."""
    return np.array([any(t <= h for t, h in zip(trace, thresholds, strict=True)) for trace in traces.T])


@given(traces=TRACES, lost=LOST, slack=st.floats(0, 3))
def test_no_more_positives_are_lost_than_allowed(
    traces: NDArray[np.float32], lost: float, slack: float
) -> None:
    for kind in ("constant", "per_tree"):
        options = CalibrationOptions(kind=kind, lost=lost, slack=slack)
        thresholds = rejection_thresholds(traces, options)
        assert thresholds.shape == (len(traces),)
        assert thresholds.dtype == np.float32
        assert rejected(traces, thresholds).sum() <= lost * traces.shape[1]


@given(traces=TRACES, lost=LOST)
def test_the_constant_rejects_all_it_may(traces: NDArray[np.float32], lost: float) -> None:
    threshold = constant_threshold(traces, lost=lost)
    assert np.unique(threshold).size == 1
    kept = traces[:, ~rejected(traces, threshold)]
    # A threshold as high as the weakest positive that is kept would lose too many.
    higher = np.full(len(traces), kept.min(axis=0).min(), np.float32)
    assert rejected(traces, higher).sum() > lost * traces.shape[1]


@given(traces=TRACES, lost=LOST, slack=st.floats(0, 3))
def test_per_tree_keeps_the_positives_that_end_best(
    traces: NDArray[np.float32], lost: float, slack: float
) -> None:
    thresholds = per_tree_thresholds(traces, lost=lost, slack=slack)
    final = traces[-1]
    limit = sorted(final)[int(lost * len(final))]
    assert not rejected(traces, thresholds)[final >= limit].any()
    accepted = traces[:, final >= limit]
    for tree, threshold in enumerate(thresholds):
        lowest, spread = accepted[tree].min(), np.std(accepted[tree].astype(np.float64))
        assert threshold < lowest
        assert threshold == pytest.approx(lowest - slack * spread, abs=1e-4)


@given(traces=TRACES)
def test_the_authors_look_at_one_positive(traces: NDArray[np.float32]) -> None:
    accepted = [trace for trace in traces.T if trace[-1] > 0]
    if not accepted:
        with pytest.raises(ValueError, match="must hold a positive with a final score above 0, found none"):
            authors_threshold(traces)
        return
    weakest = min(accepted, key=lambda trace: trace[-1])
    threshold = authors_threshold(traces)
    assert np.unique(threshold).size == 1
    assert not rejected(weakest[:, None], threshold).any()
    assert threshold[0] == pytest.approx(weakest.min(), abs=1e-4)


TRACES_OF_FOUR = np.array(
    # One positive a column: lowest -4, -1, -2, -3; final -1, 2, 1, 3.
    [[-1, -1, -2, -3], [-4, 0, 0, 1], [-1, 2, 1, 3]],
    np.float32,
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (CalibrationOptions(kind="constant", lost=0), [-4] * 3),
        (CalibrationOptions(kind="constant", lost=0.25), [-3.5] * 3),
        (CalibrationOptions(kind="constant", lost=0.49), [-3.5] * 3),
        (CalibrationOptions(kind="constant", lost=0.75), [-1.5] * 3),
        (CalibrationOptions(kind="authors"), [-2] * 3),
        (CalibrationOptions(kind="per_tree", lost=0, slack=0), [-3, -4, -1]),
        (CalibrationOptions(kind="per_tree", lost=0.25, slack=0), [-3, 0, 1]),
        (CalibrationOptions(kind="per_tree", lost=0.5, slack=2), [-5, -1, 1]),
    ],
)
def test_thresholds_worked_out_by_hand(options: CalibrationOptions, expected: list[float]) -> None:
    np.testing.assert_allclose(rejection_thresholds(TRACES_OF_FOUR, options), expected, atol=1e-4)


def test_rounding_flips_no_positive() -> None:
    """Another order of summation changes traces by some 1e-6."""
    traces = np.random.default_rng(0).normal(0, 5, (40, 200)).astype(np.float32)
    noise = np.random.default_rng(1).uniform(-4e-6, 4e-6, traces.shape).astype(np.float32)
    for kind in ("constant", "per_tree", "authors"):
        thresholds = rejection_thresholds(traces, CalibrationOptions(kind=kind, lost=0, slack=0))
        if kind == "authors":
            weakest = np.where(traces[-1] > 0, traces[-1], np.inf).argmin()
            assert not rejected((traces + noise)[:, [weakest]], thresholds).any()
        else:
            assert not rejected(traces + noise, thresholds).any()


def test_a_threshold_below_ties_loses_none_of_them() -> None:
    traces = np.array([[-2, -2, -2, -1]], np.float32)
    assert constant_threshold(traces, lost=0.5)[0] < -2


def test_more_slack_never_raises_a_threshold() -> None:
    traces = np.random.default_rng(0).normal(0, 5, (10, 30)).astype(np.float32)
    found = [per_tree_thresholds(traces, lost=0.1, slack=slack) for slack in (0, 0.25, 1)]
    assert (np.diff(found, axis=0) <= 0).all()


def test_without_positives_there_is_nothing_to_calibrate_on() -> None:
    none = np.empty((3, 0), np.float32)
    with pytest.raises(ValueError, match="traces of constant_threshold must hold a positive, found none"):
        constant_threshold(none, lost=0.1)
    with pytest.raises(ValueError, match="traces of per_tree_thresholds must hold a positive, found none"):
        per_tree_thresholds(none, lost=0.1, slack=0)
    with pytest.raises(ValueError, match="traces of authors_threshold must hold a positive"):
        authors_threshold(none)
