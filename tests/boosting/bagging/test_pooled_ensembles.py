"""EasyEnsemble and BalanceCascade: subsets, the pooled decision, the schedule of false positives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.bagging.balance_cascade import BalanceCascadeClassifier, threshold_for_share
from badacost.boosting.bagging.easy_ensemble import EasyEnsembleClassifier
from badacost.boosting.bagging.pooled_ensemble import PooledEnsemble
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning
from badacost.boosting.trees.tree_classifier import TreeClassifier

Array = NDArray[np.float64]
Labels = NDArray[np.str_]
BOTH: list[type[PooledEnsemble]] = [EasyEnsembleClassifier, BalanceCascadeClassifier]
both = pytest.mark.parametrize("method", BOTH)


@pytest.fixture(scope="module", params=["rare", "zare"])
def data(request: pytest.FixtureRequest) -> tuple[Array, Labels, str]:
    """40 of 400 rows are rare; their label comes last or first."""
    X, y = make_classification(
        400, 5, n_informative=3, n_redundant=0, weights=[0.9], flip_y=0, random_state=1
    )
    name = str(request.param).replace("rare", "a rare").replace("zare", "z rare")
    return X, np.where(y == 1, name, "many"), name


@both
def test_subsets_are_balanced_and_have_all_rare_rows(method: Any, data: tuple[Array, Labels, str]) -> None:
    X, y, rare = data
    model = method(n_estimators=5, random_state=0).fit(X, y)
    assert model.positive_class_ == rare
    rare_rows = np.flatnonzero(y == rare)
    for rows in model.estimators_samples_:
        np.testing.assert_array_equal(np.sort(rows[y[rows] == rare]), rare_rows)
        assert (y[rows] != rare).sum() == len(rare_rows)
        assert len(np.unique(rows)) == len(rows)


def pooled(model: PooledEnsemble, X: Array, rare: str) -> Array:
    """Sum of alpha h over all learners of all subsets."""
    scores = np.zeros(len(X))
    for ensemble in model.estimators_:
        for learner, alpha in zip(ensemble.estimators_, ensemble.estimator_weights_, strict=True):
            scores += alpha * np.where(learner.predict(X) == rare, 1.0, -1.0)
    return scores


@both
@pytest.mark.parametrize("learner", [None, TreeClassifier(max_depth=2), DecisionTreeClassifier(max_depth=1)])
def test_all_learners_are_pooled(method: Any, learner: Any, data: tuple[Array, Labels, str]) -> None:
    X, y, rare = data
    model = method(learner, n_estimators=6, n_boosting_rounds=5, random_state=0).fit(X, y)
    scores = pooled(model, X, rare)
    np.testing.assert_allclose(model.decision_function(X), scores if rare > "many" else -scores, atol=1e-9)
    clear = np.abs(scores) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear], np.where(scores > 0, rare, "many")[clear])
    votes_of_votes = np.mean([each.predict(X) == rare for each in model.estimators_], axis=0) > 0.5
    assert (votes_of_votes != (scores > 0)).any()  # another method
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    total = sum(np.abs(each.estimator_weights_).sum() for each in model.estimators_)
    column = model.classes_.tolist().index(rare)
    np.testing.assert_allclose(shares[:, column], 0.5 + 0.5 * scores / total, atol=1e-9)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.n_rounds_ == len(model.estimators_) == len(model.estimator_errors_) == 6


def test_easy_ensemble_in_parallel(data: tuple[Array, Labels, str]) -> None:
    X, y, _ = data
    models = [
        EasyEnsembleClassifier(n_estimators=6, n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (None, 3)
    ]
    np.testing.assert_array_equal(models[0].decision_function(X), models[1].decision_function(X))
    shorter = EasyEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        list(models[0].staged_decision_function(X))[2], shorter.decision_function(X)
    )


@both
def test_order_of_rows_and_repetition_do_not_matter(method: Any, data: tuple[Array, Labels, str]) -> None:
    X, y, _ = data
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(y))
    picked = rng.permutation(np.repeat(np.arange(len(y)), weights))
    model = method(n_estimators=4, random_state=0).fit(X, y, sample_weight=weights)
    repeated = method(n_estimators=4, random_state=0).fit(X[picked], y[picked])
    np.testing.assert_allclose(model.decision_function(X), repeated.decision_function(X), atol=1e-9)


@both
def test_rare_rows_are_found(method: Any, data: tuple[Array, Labels, str]) -> None:
    X, y, rare = data
    train = np.arange(len(y)) % 2 == 0
    predicted = method(random_state=0).fit(X[train], y[train]).predict(X[~train])
    recalls = [(predicted[y[~train] == name] == name).mean() for name in (rare, "many")]
    assert min(recalls) > 0.6


# BalanceCascade


def cascade_data() -> tuple[Array, NDArray[np.int64]]:
    """27 frequent rows to one that is rare; the classes overlap."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [540, 20])
    return rng.normal(size=(560, 6)) + 0.5 * y[:, None], y


def test_false_positive_rates_follow_the_schedule() -> None:
    """Scores of many learners hardly tie: each stage keeps the share f of the frequent rows, up to whole rows."""
    X, y = cascade_data()
    T = 7
    model = BalanceCascadeClassifier(
        TreeClassifier(max_depth=2, max_features=2), n_estimators=T, n_boosting_rounds=60, random_state=0
    ).fit(X, y)
    f = (20 / 540) ** (1 / (T - 1))
    assert model.n_rounds_ == T
    expected = 540
    for size, rate in zip(model.n_frequent_, model.false_positive_rates_, strict=True):
        assert size == expected
        expected = int(np.ceil(f * size))
        assert rate == expected / size
    assert 20 <= model.n_frequent_[-1] <= 20 + T


def test_what_a_stage_classifies_rightly_is_put_aside() -> None:
    """The frequent rows of later subsets are those that lie above the thresholds of all stages before."""
    X, y = cascade_data()
    model = BalanceCascadeClassifier(n_estimators=5, random_state=1).fit(X, y)
    there = y == 0
    for number, rows in enumerate(model.estimators_samples_):
        assert there.sum() == model.n_frequent_[number]
        assert there[rows[y[rows] == 0]].all()
        there &= model.estimators_[number].decision_function(X) > model.thresholds_[number]


@pytest.mark.parametrize("swap", [False, True])
def test_the_papers_decision_subtracts_the_thresholds(swap: bool) -> None:
    X, y = cascade_data()
    labels = 1 - y if swap else y
    parameters: dict[str, Any] = {"n_estimators": 4, "random_state": 0}
    plain = BalanceCascadeClassifier(**parameters).fit(X, labels)
    paper = BalanceCascadeClassifier(subtract_thresholds=True, **parameters).fit(X, labels)
    np.testing.assert_array_equal(plain.thresholds_, paper.thresholds_)
    sign = -1.0 if swap else 1.0
    expected = sign * plain.decision_function(X) - paper.thresholds_.sum()
    np.testing.assert_allclose(sign * paper.decision_function(X), expected, atol=1e-9)
    clear = np.abs(expected) > 1e-9
    np.testing.assert_array_equal((paper.predict(X) == paper.positive_class_)[clear], (expected > 0)[clear])
    shares = paper.predict_proba(X)
    assert ((shares >= 0) & (shares <= 1)).all()


@pytest.mark.parametrize("n_estimators", [1, 2])
def test_few_subsets(n_estimators: int) -> None:
    X, y = cascade_data()
    model = BalanceCascadeClassifier(n_estimators=n_estimators, random_state=0).fit(X, y)
    assert model.n_rounds_ == n_estimators
    assert model.n_frequent_[0] == 540


def test_equal_classes_put_nothing_aside() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    model = BalanceCascadeClassifier(n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.n_frequent_, [30, 30, 30])
    np.testing.assert_array_equal(model.false_positive_rates_, [1.0, 1.0, 1.0])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.floats(0.01, 1.0))
def test_threshold_is_the_highest_that_leaves_the_share(values: list[int], share: float) -> None:
    scores = np.array(values, dtype=np.float64)
    threshold = threshold_for_share(scores, share)
    assert (scores > threshold).mean() >= share - 1e-9
    above = scores[scores > threshold]
    assert not (scores == threshold).any()  # midway, or below all
    fewer = (scores > above.min()).mean()  # the next threshold there is
    assert fewer < share or fewer == 0.0


# Degenerate


@both
def test_one_rare_row(method: Any) -> None:
    X, y = np.arange(10.0)[:, None], np.array([0] * 9 + [1])
    model = method(n_estimators=3, random_state=0).fit(X, y)
    assert model.predict([[9.0]]) == [1]


@both
def test_no_learner_better_than_chance(method: Any) -> None:
    """The same row in both classes: the frequent class is predicted, with a warning."""
    X, y = np.zeros((10, 1)), np.array(["b"] * 7 + ["a"] * 3)
    with pytest.warns(NoRoundWarning, match="kept no learner and predicts the class b for every row"):
        model = method(n_estimators=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), ["b"] * 10)
    np.testing.assert_array_equal(model.predict_proba(X), np.full((10, 2), 0.5))


@both
def test_other_weights_multiply_those_of_adaboost(method: Any, data: tuple[Array, Labels, str]) -> None:
    X, y, rare = data
    light = method(n_estimators=3, n_boosting_rounds=1, random_state=0).fit(
        X, y, np.where(y == rare, 0.1, 1.1)
    )
    heavy = method(n_estimators=3, n_boosting_rounds=1, random_state=0).fit(
        X, y, np.where(y == rare, 9.1, 1.1)
    )
    assert (heavy.predict(X) == rare).sum() >= (light.predict(X) == rare).sum()


@both
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators of {} must be an integer >= 1, got 0"),
        ({"n_boosting_rounds": 1.5}, "n_boosting_rounds of {} must be an integer >= 1"),
        ({"estimator": KNeighborsClassifier()}, "estimator of {} must take sample_weight in fit"),
        ({"estimator": GaussianNB}, "estimator of {} must be a classifier instance or None"),
    ],
)
def test_bad_parameters(method: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.format(method.__name__)):
        method(**parameters).fit(np.arange(4.0)[:, None], [0, 0, 0, 1])


def test_bad_parameters_of_one() -> None:
    X, y = np.arange(4.0)[:, None], [0, 0, 0, 1]
    with pytest.raises(ValueError, match="n_jobs of EasyEnsembleClassifier must be an integer other than 0"):
        EasyEnsembleClassifier(n_jobs=0).fit(X, y)
    with pytest.raises(
        ValueError, match="subtract_thresholds of BalanceCascadeClassifier must be True or False"
    ):
        BalanceCascadeClassifier(subtract_thresholds="no").fit(X, y)  # type: ignore[arg-type]


@both
def test_two_classes_only(method: Any) -> None:
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*got 3 classes"):
        method().fit(X, [0, 1, 2, 0, 1, 2])
    with pytest.raises(ValueError, match="got 1 class"):
        method().fit(X, np.zeros(6, dtype=np.int64))
