"""The bagging classifiers: votes, bags, threads, labels, weights, absent classes, other members, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.bagging.bagged_ensemble import BaggedEnsemble
from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.bagging.balanced_random_forest import BalancedRandomForestClassifier
from badacost.boosting.bagging.margin_bagging import MarginBaggingClassifier
from badacost.boosting.bagging.over_bagging import OverBaggingClassifier
from badacost.boosting.bagging.random_decision_forest import RandomDecisionForestClassifier
from badacost.boosting.bagging.smote_bagging import SMOTEBaggingClassifier
from badacost.boosting.bagging.under_bagging import UnderBaggingClassifier
from badacost.boosting.trees.cart_classifier import CARTClassifier
from badacost.boosting.trees.tree_classifier import TreeClassifier

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
METHODS: list[type[BaggedEnsemble]] = [
    BaggingClassifier,
    UnderBaggingClassifier,
    OverBaggingClassifier,
    SMOTEBaggingClassifier,
    MarginBaggingClassifier,
    BalancedRandomForestClassifier,
    RandomDecisionForestClassifier,
]
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def data() -> tuple[Array, Codes]:
    """Three overlapping classes of 240, 60 and 20 rows."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [240, 60, 20])
    centres = np.array([[0.0, 0.0, 0.0, 0.0], [1.8, 0.5, 0.0, 0.0], [0.3, 2.2, 1.0, 0.0]])
    return centres[y] + rng.normal(size=(320, 4)), y


def sizes_of_bags(model: BaggedEnsemble, y: Codes) -> set[tuple[int, ...]]:
    return {tuple(np.bincount(y[rows], minlength=3).tolist()) for rows in model.estimators_samples_}


def test_sizes_of_bags(data: tuple[Array, Codes]) -> None:
    X, y = data
    fitted = {method: method(n_estimators=6, random_state=0).fit(X, y) for method in METHODS}
    assert {len(rows) for rows in fitted[BaggingClassifier].estimators_samples_} == {320}
    assert sizes_of_bags(fitted[UnderBaggingClassifier], y) == {(20, 20, 20)}
    assert sizes_of_bags(fitted[OverBaggingClassifier], y) == {(240, 240, 240)}
    assert sizes_of_bags(fitted[SMOTEBaggingClassifier], y) == {(240, 24 * t, 24 * t) for t in range(1, 7)}
    assert sizes_of_bags(fitted[MarginBaggingClassifier], y) == {(20, 20, 20)}
    assert sizes_of_bags(fitted[BalancedRandomForestClassifier], y) == {(20, 20, 20)}
    assert all(
        (np.sort(rows) == np.arange(320)).all()
        for rows in fitted[RandomDecisionForestClassifier].estimators_samples_
    )
    rare = np.flatnonzero(y == 2)
    for rows in fitted[BalancedRandomForestClassifier].estimators_samples_:
        assert len(np.intersect1d(rows, rare)) < 20  # bootstrapped too
    for rows in fitted[MarginBaggingClassifier].estimators_samples_:
        np.testing.assert_array_equal(np.sort(rows[y[rows] == 2]), rare)
    replaced = UnderBaggingClassifier(n_estimators=6, replacement=True, random_state=0).fit(X, y)
    assert sizes_of_bags(replaced, y) == {(20, 20, 20)}
    assert any(len(np.intersect1d(rows, rare)) < 20 for rows in replaced.estimators_samples_)


@every_method
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_vote_and_attributes(method: Any, voting: Any, data: tuple[Array, Codes]) -> None:
    """The vote counted by hand from the members; a prefix of the members is a smaller ensemble."""
    X, y = data
    labels = np.array(["common", "rarer", "zero"])[y]
    model = method(n_estimators=9, voting=voting, random_state=3).fit(X, labels)
    votes = np.zeros((len(X), 3))
    stages = zip(
        model.staged_predict(X), model.staged_predict_proba(X), model.staged_decision_function(X), strict=True
    )
    errors = []
    for t, (predicted, shares, decisions) in enumerate(stages):
        seen = X[:, model.estimators_features_[t]]
        own = model.estimators_[t].predict(seen)
        errors.append((own != labels).mean())
        votes += (
            model.estimators_[t].predict_proba(seen) if voting == "soft" else own[:, None] == model.classes_
        )
        np.testing.assert_allclose(shares, votes / (t + 1))
        np.testing.assert_array_equal(predicted, model.classes_[np.argmax(votes, axis=1)])
        np.testing.assert_allclose(decisions, votes / (t + 1))
    np.testing.assert_allclose(model.estimator_errors_, errors)
    np.testing.assert_array_equal(predicted, model.predict(X))
    np.testing.assert_array_equal(shares, model.predict_proba(X))
    assert model.n_rounds_ == len(model.estimators_) == len(model.estimator_weights_) == 9
    assert model.stop_reason_ == "all rounds done"
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    if method is not MarginBaggingClassifier:  # its first ensemble is as large as the second
        shorter = method(n_estimators=4, voting=voting, random_state=3).fit(X, labels)
        np.testing.assert_array_equal(list(model.staged_predict_proba(X))[3], shorter.predict_proba(X))


@every_method
@pytest.mark.parametrize(
    "estimator", [None, TreeClassifier(max_features=2), DecisionTreeClassifier(max_features=2)]
)
def test_any_number_of_jobs_gives_the_same_bits(
    method: Any, estimator: Any, data: tuple[Array, Codes]
) -> None:
    X, y = data
    models = [
        method(estimator, n_estimators=7, voting="soft", n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (None, 2, 3)
    ]
    new = X + 0.3
    for model in models[1:]:
        np.testing.assert_array_equal(model.predict_proba(new), models[0].predict_proba(new))
        for rows, expected in zip(model.estimators_samples_, models[0].estimators_samples_, strict=True):
            np.testing.assert_array_equal(rows, expected)
    other = method(estimator, n_estimators=7, voting="soft", random_state=1).fit(X, y)
    assert not np.array_equal(other.predict_proba(new), models[0].predict_proba(new))


@every_method
def test_order_of_rows_and_repetition_do_not_matter(method: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    rng = np.random.default_rng(5)
    X = X.round(1)  # some rows are equal
    weights = rng.integers(0, 4, len(y))
    model = method(n_estimators=5, random_state=0).fit(X, y, sample_weight=weights)
    picked = rng.permutation(np.repeat(np.arange(len(y)), weights))
    repeated = method(n_estimators=5, random_state=0).fit(X[picked], y[picked])
    np.testing.assert_array_equal(model.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_allclose(model.estimator_errors_, repeated.estimator_errors_)
    assert all((weights[rows] > 0).all() for rows in model.estimators_samples_)


@every_method
def test_weights_that_are_no_whole_numbers_are_for_the_members(
    method: Any, data: tuple[Array, Codes]
) -> None:
    """The same bags as without weights; members that feel the weights."""
    X, y = data
    weights = np.where(y == 2, 400.5, 0.5)
    plain = method(CARTClassifier(max_depth=1), n_estimators=5, random_state=0)
    if method is MarginBaggingClassifier:
        plain.set_params(resampling_range=0.1)
    weighted = clone(plain).fit(X, y, sample_weight=weights)
    plain.fit(X, y)
    if method is not MarginBaggingClassifier:  # whose first ensemble feels them too
        for rows, expected in zip(weighted.estimators_samples_, plain.estimators_samples_, strict=True):
            np.testing.assert_array_equal(rows, expected)
    assert (weighted.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()
    with pytest.raises(
        ValueError, match=r"sample_weight of \w+\.fit must be whole numbers .*KNeighborsClassifier"
    ):
        method(KNeighborsClassifier(1), n_estimators=2).fit(X, y, sample_weight=weights)
    whole = method(KNeighborsClassifier(1), n_estimators=2, random_state=0).fit(X, y, sample_weight=y + 1)
    assert whole.n_rounds_ == 2


@every_method
def test_pandas(method: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    frame, labels = pd.DataFrame(X, columns=list("abcd")), pd.Series(np.array(["x", "y", "z"])[y])
    model = method(n_estimators=3, random_state=0).fit(frame, labels)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert set(model.predict(frame)) <= {"x", "y", "z"}
    plain = method(n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(frame), plain.predict_proba(X))


@every_method
@pytest.mark.parametrize("estimator", [None, GaussianNB(), LogisticRegression(), TreeClassifier()])
def test_a_class_of_one_row(method: Any, estimator: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    X, y = np.vstack([X, [[9.0, 9.0, 9.0, 9.0]]]), np.append(y, 3)
    model = method(estimator, n_estimators=6, random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (321, 4)
    assert np.isfinite(model.predict_proba(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_classes_that_a_bag_lacks(voting: Any) -> None:
    """Two rows of different classes: a bag has one of them in half of the cases, and no member fails."""
    X, y = np.array([[0.0], [1.0]]), np.array(["a", "b"])
    for estimator in (None, GaussianNB(), Perceptron() if voting == "hard" else LogisticRegression()):
        model = BaggingClassifier(estimator, n_estimators=40, voting=voting, random_state=0).fit(X, y)
        one_class = [len(np.unique(rows)) == 1 for rows in model.estimators_samples_]
        assert 10 < sum(one_class) < 30
        shares = model.predict_proba(X)
        assert shares.shape == (2, 2)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_ties_go_to_the_first_class() -> None:
    X, y = np.zeros((4, 1)), np.array(["b", "a", "b", "a"])
    for method in (UnderBaggingClassifier, RandomDecisionForestClassifier):
        model = method(n_estimators=4, random_state=0).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), ["a"] * 4)
    model = BaggingClassifier(n_estimators=2, random_state=4).fit(np.array([[0.0], [1.0]]), ["a", "b"])
    model.estimators_ = [model.estimators_[0].with_tree(tree, model.classes_, 1) for tree in _leaves()]
    np.testing.assert_array_equal(model.predict([[0.5]]), ["a"])
    assert model.decision_function([[0.5]]) == 0.0


def _leaves() -> list[Any]:
    """Two trees of one leaf each, for either class."""
    return [
        CARTClassifier().grower(np.zeros((1, 1)), np.array([code]), 2).grow(np.ones(1)) for code in (0, 1)
    ]


def test_random_decision_forest_sees_subsets_of_the_features() -> None:
    X, y = make_classification(200, 9, random_state=0)
    for max_features, size in ((0.5, 4), (3, 3), ("sqrt", 3), (None, 9), (20, 9)):
        model = RandomDecisionForestClassifier(
            n_estimators=30, max_features=max_features, random_state=0
        ).fit(X, y)  # type: ignore[arg-type]
        for features in model.estimators_features_:
            assert len(np.unique(features)) == len(features) == size
        assert all(estimator.n_features_in_ == size for estimator in model.estimators_)
        assert len(np.unique(np.concatenate(model.estimators_features_))) == 9
    foreign = RandomDecisionForestClassifier(
        GaussianNB(), n_estimators=5, max_features=3, random_state=0
    ).fit(X, y)
    assert {estimator.n_features_in_ for estimator in foreign.estimators_} == {3}
    bags = RandomDecisionForestClassifier(n_estimators=5, bootstrap=True, random_state=0).fit(X, y)
    assert all(len(np.unique(rows)) < 160 for rows in bags.estimators_samples_)


def test_balanced_random_forest_chooses_features_at_nodes() -> None:
    X, y = make_classification(300, 16, weights=[0.9], random_state=0)
    model = BalancedRandomForestClassifier(n_estimators=40, random_state=0).fit(X, y)
    assert len({int(estimator.tree_.feature[0]) for estimator in model.estimators_}) > 5
    assert model.estimators_[0].max_features == "sqrt"


def test_balance_lifts_the_rare_classes(data: tuple[Array, Codes]) -> None:
    X, y = data
    train = np.arange(len(y)) % 2 == 0

    def worst_recall(method: Any) -> float:
        predicted = method(n_estimators=50, random_state=0).fit(X[train], y[train]).predict(X[~train])
        return float(min((predicted[y[~train] == k] == k).mean() for k in range(3)))

    plain = worst_recall(BaggingClassifier)
    for method in (UnderBaggingClassifier, MarginBaggingClassifier, BalancedRandomForestClassifier):
        assert worst_recall(method) > plain


def test_missing_values_if_the_member_takes_them(data: tuple[Array, Codes]) -> None:
    X, y = data[0].copy(), data[1]
    X[::7, 1] = np.nan
    member = HistGradientBoostingClassifier(max_iter=2)
    assert UnderBaggingClassifier(member, n_estimators=2, random_state=0).fit(X, y).predict(X).shape == (320,)
    with pytest.raises(ValueError, match="contains NaN"):
        SMOTEBaggingClassifier(member, n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="contains NaN"):
        UnderBaggingClassifier(n_estimators=2).fit(X, y)


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            BaggingClassifier(n_estimators=0),
            "n_estimators of BaggingClassifier must be an integer >= 1, got 0",
        ),
        (BaggingClassifier(n_estimators=2.0), "n_estimators of BaggingClassifier"),  # type: ignore[arg-type]
        (BaggingClassifier(voting="mean"), "voting of BaggingClassifier must be one of 'hard', 'soft'"),  # type: ignore[arg-type]
        (BaggingClassifier(n_jobs=0), "n_jobs of BaggingClassifier must be an integer other than 0 or None"),
        (BaggingClassifier("tree"), "estimator of BaggingClassifier must be a classifier instance or None"),
        (BaggingClassifier(GaussianNB), "estimator of BaggingClassifier must be a classifier instance"),
        (BaggingClassifier(Perceptron(), voting="soft"), "must have predict_proba for voting='soft'"),
        (UnderBaggingClassifier(replacement="yes"), "replacement of UnderBaggingClassifier"),  # type: ignore[arg-type]
        (SMOTEBaggingClassifier(n_rates=0), "n_rates of SMOTEBaggingClassifier must be an integer >= 1"),
        (SMOTEBaggingClassifier(n_neighbors=0), "n_neighbors of SMOTEBaggingClassifier"),
        (BalancedRandomForestClassifier(max_features=0.0), "max_features of BalancedRandomForestClassifier"),
        (RandomDecisionForestClassifier(max_features="log"), "max_features of RandomDecisionForest"),  # type: ignore[arg-type]
        (RandomDecisionForestClassifier(bootstrap=2), "bootstrap of RandomDecisionForestClassifier"),
        (BaggingClassifier(CARTClassifier(max_depth=0)), "max_depth of CARTClassifier"),
    ],
)
def test_bad_parameters(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@every_method
def test_bad_input(method: Any) -> None:
    with pytest.raises(ValueError, match=r"sample_weight of \w+\.fit must be >= 0"):
        method().fit(X, Y, sample_weight=-np.ones(6))
    with pytest.raises(ValueError, match=r"sample_weight of \w+\.fit must have one entry a row"):
        method().fit(X, Y, sample_weight=np.ones(5))
    with pytest.raises(ValueError, match="classes among the rows of positive weight, got 1 class"):
        method().fit(X, Y, sample_weight=[1, 1, 1, 1, 0, 0])


def test_the_base_is_no_method() -> None:
    with pytest.raises(TypeError, match="BaggedEnsemble is no method by itself"):
        BaggedEnsemble().fit(X, Y)
