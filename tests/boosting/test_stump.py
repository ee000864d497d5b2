"""The stump's compiled searches against a search that tries everything, and its stated rules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.reweighting.class_rate_stump import ClassRateStumpTrainer
from badacost.boosting.rounds.exponential_step import exponential_step
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.stump import Search, Stump, StumpTrainer, midpoint
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier

Array = NDArray[np.float64]
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [5.0, 0.5, 0.0]])


def impurity(masses: Array, criterion: SplitCriterion) -> float:
    """The definition, from float masses."""
    if criterion.impurity == "expected cost":
        return float((masses @ criterion.leaf_costs).min())
    scaled = criterion.class_factors * masses
    total = (scaled if criterion.scaled_total else masses).sum()
    if total == 0:
        return 0.0
    if criterion.impurity == "gini":
        return float(total - (scaled**2).sum() / total)
    present = scaled[scaled > 0]
    return float(total * np.log(total) - (present * np.log(present)).sum())


def every_cut(X: Array, y: NDArray[np.int64], weights: Array, criterion: SplitCriterion) -> list[tuple]:
    """(impurity, feature, threshold) of all midpoints, in the order of the tie rule."""
    n_classes = criterion.n_classes
    cuts = []
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for below, above in pairwise(values):
            left = X[:, feature] <= below
            sides = [np.bincount(y[s], weights[s], n_classes) for s in (left, ~left)]
            value = sum(impurity(side, criterion) for side in sides)
            cuts.append((value, feature, midpoint(below, above)))
    return cuts


def criteria(n_classes: int) -> list[SplitCriterion]:
    costs = COSTS[:n_classes, :n_classes]
    return [
        SplitCriterion.gini(n_classes),
        SplitCriterion.entropy(n_classes),
        SplitCriterion.expected_cost(costs),
        SplitCriterion.badacost(costs),
        SplitCriterion.badacost(costs, scaled_total=False),
    ]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("max_bins", [256, 4])  # 4 makes the sorted search do what bins do otherwise
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_exact_search_tries_every_cut(kind: int, max_bins: int, n_classes: int, data: st.DataObject) -> None:
    criterion = criteria(n_classes)[kind]
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(1, 12), (n_rows, n_features)).astype(np.float64)
    y = rng.integers(0, n_classes, n_rows)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n_rows)
    weights[rng.integers(n_rows)] = 1.0
    trainer = StumpTrainer(X, y, criterion, search="exact", max_bins=max_bins)
    stump, goes_left = trainer.fit(weights)

    shares = weights / weights.sum()
    whole = impurity(np.bincount(y, shares, n_classes), criterion)
    cuts = every_cut(X, y, shares, criterion)
    best = min((value for value, _, _ in cuts), default=np.inf)
    if whole - best < 1e-12:
        assert stump.feature == -1 or whole - best > -1e-12
    else:
        tied = [(feature, threshold) for value, feature, threshold in cuts if value < best + 1e-12]
        assert (stump.feature, stump.threshold) in tied
    np.testing.assert_array_equal(goes_left, stump.goes_left(X))
    sides = [np.bincount(y[s], shares[s], n_classes) for s in (goes_left, ~goes_left)]
    if stump.feature >= 0:
        np.testing.assert_allclose(stump.masses, sides, atol=1e-15)
        for label, masses in zip((stump.left, stump.right), sides, strict=True):
            costs = masses @ criterion.leaf_costs
            assert costs[label] <= costs.min() + 1e-12


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_bins_and_sorting_find_the_same(seed: int) -> None:
    """Few values: a bin for each. Both searches are exact then, ties included."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (60, 3)).astype(np.float64)
    for n_classes in (2, 3):
        y = rng.integers(0, n_classes, 60)
        weights = rng.integers(0, 3, 60).astype(np.float64)
        weights[0] = 1.0
        for criterion in criteria(n_classes):
            binned, _ = StumpTrainer(X, y, criterion, search="histogram").fit(weights)
            exact, _ = StumpTrainer(X, y, criterion, search="exact", max_bins=2).fit(weights)
            assert (binned.feature, binned.threshold) == (exact.feature, exact.threshold)


def test_ties_go_to_the_lowest_feature_then_the_lowest_threshold() -> None:
    X = np.array([[0.0, 5.0, 5.0], [1.0, 6.0, 6.0], [2.0, 7.0, 7.0], [3.0, 8.0, 8.0]])
    y = np.array([0, 1, 0, 1])
    for search in ("exact", "histogram"):
        for max_bins in (256, 2):
            stump, _ = StumpTrainer(X[:, 1:], y, SplitCriterion.gini(2), search=search).fit(np.ones(4))
            assert (stump.feature, stump.threshold) == (0, 5.5)
            mixed = np.column_stack([X[:, 0] > 0, X[:, 1]]).astype(np.float64)
            trainer = StumpTrainer(mixed, y, SplitCriterion.gini(2), search=search, max_bins=max_bins)
            assert trainer.fit(np.ones(4))[0].feature == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_row_order_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(50, 2)).round(1), rng.integers(0, 2, 50), rng.random(50)
    order = rng.permutation(50)
    for search in ("exact", "histogram"):
        stumps = [
            StumpTrainer(X[rows], y[rows], SplitCriterion.gini(2), search=search, max_bins=8).fit(
                weights[rows]
            )[0]
            for rows in (np.arange(50), order)
        ]
        assert stumps[0].feature == stumps[1].feature
        assert stumps[0].threshold == stumps[1].threshold


@pytest.mark.parametrize("search", ["exact", "histogram"])
def test_without_an_improvement_the_stump_is_constant(search: Search) -> None:
    y = np.array([0, 1, 1])
    for X in (np.ones((3, 2)), np.array([[1.0], [1.0], [1.0]])):
        stump, goes_left = StumpTrainer(X, y, SplitCriterion.gini(2), search=search).fit(np.ones(3))
        assert (stump.feature, stump.threshold, stump.left, stump.right) == (-1, np.inf, 1, 1)
        assert goes_left.all()
    pure, _ = StumpTrainer(np.arange(3.0)[:, None], y, SplitCriterion.gini(2)).fit(np.array([0.0, 1.0, 1.0]))
    assert (pure.feature, pure.left) == (-1, 1)


def test_neighbouring_numbers_are_told_apart() -> None:
    below = 1.0
    above = np.nextafter(below, 2.0)
    assert below <= midpoint(below, above) < above
    assert midpoint(-1.7e308, 1.7e308) == 0.0
    X = np.array([[below], [above]])
    stump, goes_left = StumpTrainer(X, np.array([0, 1]), SplitCriterion.gini(2)).fit(np.ones(2))
    assert goes_left.tolist() == [True, False]
    assert stump.predict(X).tolist() == [0, 1]
    single = X.astype(np.float32) + np.array([[0.0], [1e-3]], dtype=np.float32)
    stump, _ = StumpTrainer(single, np.array([0, 1]), SplitCriterion.gini(2)).fit(np.ones(2))
    assert stump.predict(single).tolist() == [0, 1]


def test_bins_hold_about_equally_many_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(10_000, 1))
    trainer = StumpTrainer(X, rng.integers(0, 2, 10_000), SplitCriterion.gini(2), max_bins=50)
    counts = np.bincount(trainer.binned.bins[0])
    assert len(counts) == 50
    assert counts.min() >= 190
    assert counts.max() <= 210
    heavy = np.concatenate([np.zeros(9000), rng.random(1000)])[:, None]
    binned = StumpTrainer(heavy, rng.integers(0, 2, 10_000), SplitCriterion.gini(2), max_bins=50).binned
    assert len(binned.thresholds[0]) == len(np.unique(binned.bins[0])) - 1


def test_tiny_weights_count() -> None:
    """One row of weight 2^-40 decides where the rest leaves a tie."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0], [1.4, 2.6]])
    y = np.array([0, 0, 1, 1, 0])
    stump, _ = StumpTrainer(X, y, SplitCriterion.expected_cost([[0, 1], [1, 0]])).fit(
        np.array([1, 1, 1, 1, 2.0**-40])
    )
    assert (stump.feature, stump.threshold) == (0, 1.7)


def test_depth_one_tree_of_scikit_learn() -> None:
    """The same cut by Gini and entropy for random weights (no ties)."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5)).astype(np.float32)
    y = (X[:, 2] + rng.normal(size=200) > 0).astype(np.int64)
    for criterion in ("gini", "entropy"):
        for _ in range(20):
            weights = rng.random(200)
            ours = DecisionStumpClassifier(criterion).fit(X, y, weights)  # type: ignore[arg-type]
            theirs = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y, weights)
            assert ours.stump_.feature == theirs.tree_.feature[0]
            assert ours.stump_.threshold == pytest.approx(theirs.tree_.threshold[0], rel=1e-6)
            np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def class_rate_loss(stump: Stump, X: Array, y: NDArray[np.int64], weights: Array, rates: tuple) -> float:
    wrong = stump.predict(X) != y
    of_class = [y == 1, y == 0]
    bad = tuple(float(weights[rows & wrong].sum()) for rows in of_class)
    good = tuple(float(weights[rows & ~wrong].sum()) for rows in of_class)
    step = exponential_step(bad, good, rates)  # type: ignore[arg-type]
    if step == np.inf:
        return 0.0
    if step <= 0:
        return np.inf
    return sum(b * np.exp(r * step) + g * np.exp(-r * step) for b, g, r in zip(bad, good, rates, strict=True))


@pytest.mark.parametrize("max_bins", [256, 2])
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_class_rate_stump_has_the_least_loss(max_bins: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (30, 2)).astype(np.float64)
    y = rng.integers(0, 2, 30)
    weights = rng.dirichlet(np.ones(30))
    rates = tuple(rng.choice([0.3, 1.0, 2.5], 2))
    trainer = ClassRateStumpTrainer(X, y == 1, rates, search="exact", max_bins=max_bins)
    stump, goes_left = trainer.fit(weights)
    np.testing.assert_array_equal(goes_left, stump.goes_left(X))
    candidates = [
        Stump(feature, threshold, 1 - right, right, np.zeros((2, 2)))
        for _, feature, threshold in every_cut(X, y, weights, SplitCriterion.gini(2))
        for right in (0, 1)
    ]
    losses = [class_rate_loss(candidate, X, y, weights, rates) for candidate in candidates]
    if np.isfinite(min(losses)):
        found = class_rate_loss(stump, X, y, weights, rates)
        assert found == pytest.approx(min(losses), rel=1e-9, abs=1e-12)
    else:
        assert stump.feature == -1


@parametrize_with_checks([DecisionStumpClassifier(), DecisionStumpClassifier("badacost")])
@pytest.mark.filterwarnings("ignore:.*SCIPY_ARRAY_API:UserWarning")
def test_scikit_learn_conformance(estimator: DecisionStumpClassifier, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_bad_parameters() -> None:
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    for parameters, message in (
        ({"criterion": "log"}, "criterion of DecisionStumpClassifier must be .* got 'log'"),
        ({"search": "fast"}, "search of StumpTrainer must be 'auto', 'exact' or 'histogram', got 'fast'"),
        ({"max_bins": 1}, "max_bins of StumpTrainer must be from 2 to 256, got 1"),
        ({"max_bins": 257}, "max_bins .* got 257"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, "cost_matrix .* needs criterion='expected cost' or"),
        ({"criterion": "expected cost", "cost_matrix": np.ones((2, 2))}, "diagonal"),
        ({"criterion": "expected cost", "cost_matrix": COSTS}, "2 x 2.* got shape"),
    ):
        with pytest.raises(ValueError, match=message):
            DecisionStumpClassifier(**parameters).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="got 1 class"):
        DecisionStumpClassifier().fit(X, y, sample_weight=[1, 1, 0, 0])
