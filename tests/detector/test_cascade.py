"""What a cascade checks of its arrays, and its vote algebra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .random_cascade import random_cascade


@given(st.floats(0.1, 10), st.integers(2, 8))
def test_face_costs_score_is_weighted_difference_of_votes(missed: float, n_classes: int) -> None:
    costs = 1.0 - np.eye(n_classes)
    costs[1:, 0] = missed
    cascade = random_cascade(depth=1, n_classes=n_classes, cost_matrix=costs)
    weight = cascade.vote_weight
    assert weight == pytest.approx(n_classes / (n_classes - 1) * (n_classes - 1 + missed))


def test_costs_that_tell_views_apart_have_no_single_vote_weight() -> None:
    costs = 1.0 - np.eye(4)
    costs[1, 2] = 3
    assert random_cascade(depth=1, n_classes=4, cost_matrix=costs).vote_weight is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beta": np.ones(3)}, r"beta of Cascade must have shape \(30,\)"),
        ({"beta": np.full(30, -1.0)}, "must not be negative"),
        ({"threshold": np.zeros((30, 3), np.int64)}, "uint8 or float32, found int64"),
        ({"feature": np.full((30, 3), 10**6, np.int32)}, "a window of 120 features"),
        ({"leaf_label": np.full((30, 4), 6, np.uint8)}, "below the number of classes, 6"),
    ],
)
def test_inconsistent_arrays_are_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(random_cascade(depth=2), **change)


def test_slack_moves_positive_thresholds_down_too() -> None:
    cascade = replace(random_cascade(depth=1, n_trees=2), rejection=np.array([-2, 1], np.float32))
    np.testing.assert_allclose(cascade.with_slack(1.5).rejection, [-3, 0.5])


def test_any_slack_is_a_threshold() -> None:
    cascade = replace(random_cascade(depth=1, n_trees=4), rejection=np.array([-2, 0, 3, -0.5], np.float32))
    np.testing.assert_array_equal(cascade.with_slack(2).rejection, np.float32([-4, 0, 0, -1]))
    np.testing.assert_array_equal(cascade.with_slack(1e300).rejection[:2], np.float32([-np.inf, 0]))
    assert not np.isnan(cascade.with_slack(1e300).rejection).any()
