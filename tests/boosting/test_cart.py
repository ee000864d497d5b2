"""Unpruned CART: its slow twin, scikit-learn's tree, weights as repeated rows, random features, bad input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.trees.cart import CartGrower, CartTree
from badacost.boosting.trees.cart_classifier import CARTClassifier

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


def slow_tree(rows: Array, codes: Codes, n_classes: int) -> list[tuple[int, float, list[int]]]:
    """Nodes, depth first, as (feature or -1, threshold, class counts), straight from the definition."""
    counts = np.bincount(codes, minlength=n_classes)
    best: tuple[float, int, float] | None = None
    if (counts > 0).sum() > 1:
        for feature in range(rows.shape[1]):
            values = np.unique(rows[:, feature])
            for low, high in pairwise(values):
                threshold = (low + high) / 2
                left = rows[:, feature] < threshold
                here = np.bincount(codes[left], minlength=n_classes)
                there = np.bincount(codes[~left], minlength=n_classes)
                score = (float(here @ here) * there.sum() + float(there @ there) * here.sum()) / (
                    float(here.sum()) * there.sum()
                )
                if best is None or score > best[0]:
                    best = score, feature, threshold
    if best is None:
        return [(-1, -np.inf, counts.tolist())]
    _, feature, threshold = best
    left = rows[:, feature] < threshold
    return [
        (feature, threshold, counts.tolist()),
        *slow_tree(rows[left], codes[left], n_classes),
        *slow_tree(rows[~left], codes[~left], n_classes),
    ]


def nodes_of(tree: CartTree) -> list[tuple[int, float, list[int]]]:
    return list(zip(tree.feature.tolist(), tree.threshold.tolist(), tree.masses.tolist(), strict=True))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Array, Codes, int]:
    n_classes = draw(st.integers(2, 4))
    n_rows, n_features = draw(st.integers(2, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = rng.integers(draw(st.integers(2, 12)), size=(n_rows, n_features)).astype(np.float64)
    return rows, rng.integers(n_classes, size=n_rows), n_classes


@given(tables())
@settings(max_examples=150, deadline=None)
def test_slow_twin(table: tuple[Array, Codes, int]) -> None:
    rows, codes, n_classes = table
    tree = CartGrower(rows, codes, n_classes).grow(np.ones(len(rows)))
    assert nodes_of(tree) == slow_tree(rows, codes, n_classes)


@given(tables(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_weights_are_repeated_rows(table: tuple[Array, Codes, int], seed: int) -> None:
    """Also where so few rows are left that they are sorted anew, or come as further rows."""
    rows, codes, n_classes = table
    rng = np.random.default_rng(seed)
    weights = rng.integers(4, size=len(rows)) * (rng.random(len(rows)) < rng.choice([0.1, 1.0]))
    weights[0] += 1
    picked = np.repeat(np.arange(len(rows)), weights)
    expected = CartGrower(rows[picked], codes[picked], n_classes).grow(np.ones(len(picked)))
    grower = CartGrower(rows, codes, n_classes)
    assert nodes_of(grower.grow(weights.astype(np.float64))) == nodes_of(expected)
    half = rng.random(len(picked)) < 0.5
    with_extra = grower.grow(
        np.bincount(picked[half], minlength=len(rows)).astype(np.float64),
        extra_rows=rows[picked[~half]],
        extra_codes=codes[picked[~half]],
    )
    assert nodes_of(with_extra) == nodes_of(expected)


def test_many_classes_and_the_tree_of_scikit_learn() -> None:
    """Same errors within what ties between features do; training rows are fitted faultlessly by both."""
    X, y = load_digits(return_X_y=True)
    train = np.arange(len(y)) % 2 == 0
    ours = CARTClassifier().fit(X[train], y[train])
    theirs = DecisionTreeClassifier(random_state=0).fit(X[train], y[train])
    assert ours.score(X[train], y[train]) == 1.0
    assert ours.score(X[~train], y[~train]) == pytest.approx(theirs.score(X[~train], y[~train]), abs=0.03)
    assert len(ours.tree_.feature) == pytest.approx(theirs.tree_.node_count, rel=0.05)
    assert np.corrcoef(ours.feature_importances_, theirs.feature_importances_)[0, 1] > 0.9


@pytest.mark.parametrize("max_depth", [1, 2])
def test_limited_depth(max_depth: int) -> None:
    X, y = make_classification(3000, 6, random_state=0)  # enough rows for no ties
    ours = CARTClassifier(max_depth=max_depth).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def test_a_cut_without_gain_is_made() -> None:
    """Exclusive or: no first cut gains anything, and the tree separates all the same."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 1, 1, 0])
    np.testing.assert_array_equal(CARTClassifier().fit(X, y).predict(X), y)


def test_equal_rows_of_different_classes_are_a_leaf_and_the_lowest_class_wins() -> None:
    X, y = np.ones((4, 2)), np.array(["b", "a", "b", "a"])
    model = CARTClassifier().fit(X, y)
    assert len(model.tree_.feature) == 1
    np.testing.assert_array_equal(model.predict(X), ["a"] * 4)
    np.testing.assert_array_equal(model.predict_proba(X), np.full((4, 2), 0.5))


def test_neighbouring_numbers_are_told_apart() -> None:
    low = 1.0
    X, y = np.array([[low], [np.nextafter(low, 2)]]), np.array([0, 1])
    np.testing.assert_array_equal(CARTClassifier().fit(X, y).predict(X), y)


def test_random_features_of_nodes() -> None:
    """One feature a node: every node takes one drawn at random, of those that can be cut."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 4)), np.zeros(200)])
    y = (X[:, 0] > 0).astype(np.int64)
    roots = [
        int(CARTClassifier(max_features=1, random_state=seed).fit(X, y).tree_.feature[0])
        for seed in range(200)
    ]
    counts = np.bincount(roots, minlength=5)
    assert counts[4] == 0  # constant: another one is drawn
    assert (counts[:4] > 25).all()
    same = [CARTClassifier(max_features="sqrt", random_state=3).fit(X, y).tree_ for _ in range(2)]
    assert nodes_of(same[0]) == nodes_of(same[1])
    assert CARTClassifier(max_features=0.4, random_state=0).fit(X, y).score(X, y) == 1.0


def test_a_subset_of_the_features() -> None:
    X, y = make_classification(200, 6, random_state=1)
    features = np.array([1, 4])
    part = CartGrower(X, y, 2).grow(np.ones(200), features=features)
    assert nodes_of(part) == nodes_of(CartGrower(X[:, features], y, 2).grow(np.ones(200)))


@parametrize_with_checks([CARTClassifier(), CARTClassifier(max_depth=4, max_features="sqrt")])
def test_scikit_learn_conformance(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_depth": 0}, "max_depth of CARTClassifier must be an integer >= 1 or None, got 0"),
        ({"max_depth": 2.5}, "max_depth of CARTClassifier"),
        ({"max_features": 0}, "max_features of CARTClassifier must be an integer >= 1, a share"),
        ({"max_features": 1.5}, "max_features of CARTClassifier"),
        ({"max_features": "log2"}, "max_features of CARTClassifier"),
        ({"max_features": True}, "max_features of CARTClassifier"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CARTClassifier(**parameters).fit(np.eye(3), [0, 1, 1])
