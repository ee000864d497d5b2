"""What trees take: weights, options and criteria, and those that are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.boosting.costs import face_costs, view_costs
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.tree import TreeOptions, grow_tree, integer_weights


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=50).filter(any))
def test_integer_weights_zero_nothing_and_keep_proportions(weights: list[float]) -> None:
    found = integer_weights(weights)
    shares = np.array(weights) / max(weights)
    shares /= shares.sum()
    assert found.sum() <= 2**53
    assert ((found > 0) == (np.array(weights) > 0)).all()
    np.testing.assert_allclose(found / 2**53, shares, rtol=1e-6, atol=2.0**-52)


@pytest.mark.parametrize("weights", [[], [0.0, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_integer_weights_refuse_what_is_no_weight(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must be finite"):
        integer_weights(weights)


def test_badacost_criterion_of_equal_costs_is_gini() -> None:
    criterion = SplitCriterion.badacost(1 - np.eye(4))
    np.testing.assert_allclose(criterion.class_factors, 1.0)
    off = criterion.leaf_costs[~np.eye(4, dtype=bool)]
    np.testing.assert_allclose(off, off[0])


def test_badacost_class_factors_of_the_published_detectors() -> None:
    faces = SplitCriterion.badacost(face_costs(1.5)).class_factors
    cars = SplitCriterion.badacost(view_costs(1.0, 3.0, 3.0, 20)).class_factors
    np.testing.assert_allclose([faces[0], faces[1]], [0.922, 1.016], atol=5e-4)
    np.testing.assert_allclose([cars[0], cars[1]], [0.770, 1.012], atol=5e-4)


GOOD: dict[str, Any] = {
    "bins": np.zeros((2, 3), np.uint8),
    "labels": np.array([0, 1, 1]),
    "weights": np.ones(3, np.int64),
    "criterion": SplitCriterion.gini(2),
}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bins", np.zeros((2, 3), np.float32), "bins must be .* float32"),
        ("bins", np.zeros(3, np.uint8), "bins must be"),
        ("bins", [[0, 1, 2]], "got list"),
        ("bins", np.zeros((3, 2), np.uint8).T, "C-contiguous"),
        ("bins", np.zeros((0, 3), np.uint8), "at least one feature"),
        ("labels", np.array([0, 1]), "3 integers"),
        ("labels", np.array([0.0, 1.0, 1.0]), "3 integers"),
        ("labels", np.array([0, 1, 2]), r"0 \.\. 1, got 0 to 2"),
        ("labels", np.array([0, 1, -1]), r"got -1 to 1"),
        ("weights", np.ones(3), "int64"),
        ("weights", np.ones(2, np.int64), "3 int64"),
        ("weights", np.array([1, -1, 1]), "smallest of -1"),
        ("weights", np.zeros(3, np.int64), "total of 0"),
        ("weights", np.full(3, 2**53), "2\\^53"),
    ],
)
def test_bad_samples_are_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grow_tree(**(GOOD | {name: value}))


def test_drawing_features_needs_a_source() -> None:
    with pytest.raises(ValueError, match="rng of grow"):
        grow_tree(**GOOD, options=TreeOptions(max_features=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": 0}, "max_depth of TreeOptions must be 1 to 15, got 0"),
        ({"max_depth": 16}, "got 16"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_features": True}, "max_features"),
        ({"feature_sampling": "leaf"}, "feature_sampling"),
        ({"threshold": "upper"}, "threshold"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"min_weight_split": 1.0}, "min_weight_split"),
        ({"min_gain": -1.0}, "min_gain"),
        ({"min_gain": math.nan}, "min_gain"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TreeOptions(**options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("misclassification", np.ones(2), 1 - np.eye(2)), "impurity of SplitCriterion"),
        (("gini", np.array([1.0, -1.0]), 1 - np.eye(2)), "class_factors"),
        (("gini", np.ones(1), 1 - np.eye(2)), "class_factors"),
        (("gini", np.ones(3), 1 - np.eye(2)), "3 x 3"),
    ],
)
def test_bad_criteria_are_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SplitCriterion(*arguments)


def test_number_of_drawn_features() -> None:
    for drawn, expected in ((None, 48), (5, 5), (99, 48), (1 / 16, 3), (1e-9, 1), (1.0, 48)):
        assert TreeOptions(max_features=drawn).n_drawn(48) == expected
