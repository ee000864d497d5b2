"""SAMME and BAdaCost as classifiers: the textbook loop, special cases, attributes, degenerate data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.costs import zero_one
from badacost.boosting.multiclass.badacost_classifier import BAdaCostClassifier
from badacost.boosting.multiclass.samme_classifier import SAMMEClassifier
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning
from badacost.boosting.trees.tree_classifier import TreeClassifier

BOOSTERS = [BAdaCostClassifier, SAMMEClassifier]


def some_rows(n_classes: int = 3, n_rows: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        n_rows,
        8,
        n_informative=5,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.1,
        class_sep=0.7,
        random_state=seed,
    )


def textbook_samme(
    X: np.ndarray, y: np.ndarray, n_rounds: int, learner: Any
) -> tuple[list[float], list[float], np.ndarray]:
    """Zhu et al. 2009, Algorithm 2: votes (n, K), alphas, errors."""
    n_classes = len(np.unique(y))
    weights = np.full(len(y), 1 / len(y))
    alphas, errors, votes = [], [], np.zeros((len(y), n_classes))
    for _ in range(n_rounds):
        predicted = clone(learner).fit(X, y, sample_weight=weights * len(y)).predict(X)
        error = weights[predicted != y].sum()
        alpha = np.log((1 - error) / error) + np.log(n_classes - 1)
        weights = weights * np.exp(alpha * (predicted != y))
        weights /= weights.sum()
        votes[np.arange(len(y)), predicted] += alpha
        alphas.append(alpha)
        errors.append(error)
    return alphas, errors, votes


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "estimator", [None, GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)]
)
def test_samme_is_the_textbook_loop(n_classes: int, estimator: Any) -> None:
    X, y = some_rows(n_classes, 200)  # at most 256 values: the bins do not depend on the weights
    learner = TreeClassifier(max_depth=2) if estimator is None else estimator
    model = SAMMEClassifier(estimator, n_estimators=6, max_depth=2, random_state=0).fit(X, y)
    alphas, errors, votes = textbook_samme(X, y, model.n_rounds_, learner)
    assert model.n_rounds_ >= 2
    if isinstance(estimator, DecisionTreeClassifier):  # clones are seeded anew: ties may fall otherwise
        np.testing.assert_allclose(model.estimator_weights_[0], alphas[0])
        return
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-7)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-7)
    decision = model.decision_function(X)
    expected = votes - (votes.sum(axis=1, keepdims=True) - votes) / (n_classes - 1)
    np.testing.assert_allclose(decision, expected[:, 1] if n_classes == 2 else expected, atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


def test_samme_of_two_classes_is_scikit_learns_adaboost() -> None:
    X, y = some_rows(2, 500)
    ours = SAMMEClassifier(GaussianNB(), n_estimators=10).fit(X, y)
    theirs = AdaBoostClassifier(GaussianNB(), n_estimators=ours.n_rounds_).fit(X, y)
    np.testing.assert_allclose(
        ours.estimator_weights_, theirs.estimator_weights_[: ours.n_rounds_], rtol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_badacost_of_equal_costs_is_samme(n_classes: int) -> None:
    """Corollary 1 of the paper: the same learners, beta = (K-1)^2/K alpha for costs of 1/(K(K-1))."""
    X, y = some_rows(n_classes)
    costs = zero_one(n_classes) / (n_classes * (n_classes - 1))
    badacost = BAdaCostClassifier(cost_matrix=costs, n_estimators=15).fit(X, y)
    samme = SAMMEClassifier(n_estimators=15).fit(X, y)
    np.testing.assert_allclose(
        badacost.estimator_weights_, (n_classes - 1) ** 2 / n_classes * samme.estimator_weights_, rtol=1e-6
    )
    np.testing.assert_allclose(badacost.losses_, samme.losses_, rtol=1e-9)
    np.testing.assert_array_equal(badacost.predict(X), samme.predict(X))
    np.testing.assert_allclose(badacost.predict_proba(X), samme.predict_proba(X), atol=1e-9)


def test_samme_probabilities_are_the_softmax_of_the_votes() -> None:
    X, y = some_rows(3)
    model = SAMMEClassifier(n_estimators=4).fit(X, y)
    votes = np.zeros((len(X), 3))
    for learner, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        votes[np.arange(len(X)), learner.predict(X)] += alpha
    expected = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)


def test_probabilities_of_two_classes_with_costs_give_the_decision_of_least_cost() -> None:
    X, y = some_rows(2, 400)
    costs = np.array([[0, 1.0], [6.0, 0]])
    model = BAdaCostClassifier(cost_matrix=costs, n_estimators=8, max_depth=2).fit(X, y)
    expected_cost = model.predict_proba(X) @ costs
    np.testing.assert_array_equal(model.predict(X), expected_cost.argmin(axis=1))
    assert (model.predict_proba(X).argmax(axis=1) != model.predict(X)).any()


def test_costs_move_the_errors() -> None:
    X, y = some_rows(3, 600)
    dear = np.array([[0, 1, 1], [1, 0, 1], [10, 10, 0.0]])
    tables = []
    for costs in (None, dear):
        said = BAdaCostClassifier(cost_matrix=costs, n_estimators=10, max_depth=2).fit(X, y).predict(X)
        tables.append(np.array([[(said[y == j] == k).sum() for k in range(3)] for j in range(3)]))
    equal, moved = tables
    assert moved[2, 2] > equal[2, 2]
    assert (moved * dear).sum() < (equal * dear).sum()


def test_confusion_costs_make_rare_classes_dear() -> None:
    X, y = make_classification(
        600, 6, n_informative=4, n_classes=3, weights=[0.85, 0.1, 0.05], class_sep=0.5, random_state=1
    )
    model = BAdaCostClassifier(cost_matrix="confusion", n_estimators=10, random_state=0).fit(X, y)
    assert model.cost_matrix_[1:, 0].min() > 2 * model.cost_matrix_[0, 1:].max()
    assert not np.diag(model.cost_matrix_).any()
    assert (model.cost_matrix_[~np.eye(3, dtype=bool)] > 0).all()
    again = BAdaCostClassifier(cost_matrix="confusion", n_estimators=10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.cost_matrix_, again.cost_matrix_)
    plain = BAdaCostClassifier(n_estimators=10, random_state=0).fit(X, y)
    recall = [[(m.predict(X)[y == k] == k).mean() for k in range(3)] for m in (plain, model)]
    assert min(recall[1]) >= min(recall[0])


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_end_at_the_whole_model(booster: Any, n_classes: int) -> None:
    X, y = some_rows(n_classes)
    names = np.array(["ant", "bee", "cow"])[y]
    model = booster(n_estimators=5).fit(X, names)
    for staged, whole in (
        (model.staged_predict, model.predict),
        (model.staged_decision_function, model.decision_function),
        (model.staged_predict_proba, model.predict_proba),
    ):
        stages = list(staged(X))
        assert len(stages) == model.n_rounds_ == 5
        np.testing.assert_array_equal(stages[-1], whole(X))
    short = booster(n_estimators=2).fit(X, names)
    np.testing.assert_array_equal(list(model.staged_predict(X))[1], short.predict(X))


@pytest.mark.parametrize("booster", BOOSTERS)
def test_fitted_attributes(booster: Any) -> None:
    X, y = some_rows(3)
    X[:, 5] = 1.0
    model = booster(n_estimators=6, learning_rate=0.5, record_history=True).fit(X, y)
    assert len(model.estimators_) == len(model.estimator_weights_) == len(model.estimator_errors_) == 6
    assert model.stop_reason_ == "all rounds done"
    assert (np.diff(model.losses_, prepend=1.0) < 0).all()
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[5] == 0.0
    history = model.history_
    assert history["recall"].shape == history["class_weights"].shape == (6, 3)
    np.testing.assert_allclose(history["class_weights"].sum(axis=1), 1.0)
    np.testing.assert_array_equal(history["error"], model.estimator_errors_)
    assert history["training_error"][-1] == pytest.approx((model.predict(X) != y).mean())
    assert history["recall"][-1, 1] == pytest.approx((model.predict(X)[y == 1] == 1).mean())
    assert not hasattr(booster(n_estimators=2).fit(X, y), "history_")


def test_shrinkage_shortens_the_first_step() -> None:
    X, y = some_rows(3)
    whole, tenth = (SAMMEClassifier(n_estimators=1, learning_rate=rate).fit(X, y) for rate in (1.0, 0.1))
    np.testing.assert_allclose(tenth.estimator_weights_, 0.1 * whole.estimator_weights_)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_rows_of_no_weight_do_not_count(booster: Any) -> None:
    X, y = some_rows(3)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    X[weights == 0] *= 50
    y[weights == 0] = 7
    weighted = booster(n_estimators=5).fit(X, y, sample_weight=weights)
    repeated = booster(n_estimators=5).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.classes_, [0, 1, 2])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-7)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_random_features_follow_the_seed(booster: Any) -> None:
    X, y = some_rows(3)
    fits = [booster(n_estimators=6, max_features=2, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    scores = [model.decision_function(X) for model in fits]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


@pytest.mark.parametrize("booster", BOOSTERS)
def test_own_tree_with_options_of_its_own(booster: Any) -> None:
    X, y = some_rows(3)
    tree = TreeClassifier("entropy", max_depth=1, max_bins=8)
    model = booster(tree, n_estimators=4, max_depth=5).fit(X, y)
    assert {learner.tree_.leaf_label.size for learner in model.estimators_} == {2}
    assert {learner.max_bins for learner in model.estimators_} == {8}


def test_learners_without_importances_say_so() -> None:
    X, y = some_rows(2)
    model = BAdaCostClassifier(LogisticRegression(), n_estimators=3).fit(X, y)
    with pytest.raises(AttributeError, match="LogisticRegression has no feature_importances_"):
        _ = model.feature_importances_


@pytest.mark.parametrize("booster", BOOSTERS)
def test_faultless_learner_ends_with_a_finite_weight(booster: Any) -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), np.tile([0, 0, 1, 1], 5)
    model = booster().fit(X, y)
    assert model.n_rounds_ == 1
    assert "no error that costs" in model.stop_reason_
    assert np.isfinite(model.estimator_weights_).all()
    assert model.score(X, y) == 1.0


def test_samme_weight_of_a_faultless_learner_is_that_of_half_a_row() -> None:
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    weight = SAMMEClassifier().fit(X, y).estimator_weights_[0]
    assert weight == pytest.approx(np.log((1 - 1 / 40) / (1 / 40)))


@pytest.mark.parametrize("booster", BOOSTERS)
def test_nothing_to_learn_predicts_one_class_with_a_warning(booster: Any) -> None:
    X, y = np.zeros((9, 2)), np.array(["a", "b", "c"] * 3)
    with pytest.warns(NoRoundWarning, match="kept no learner and predicts 'a'"):
        model = booster().fit(X, y)
    assert model.n_rounds_ == 0
    assert set(model.predict(X)) == {"a"}
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (9, 3)
    assert len(list(model.staged_predict(X))) == 1
    assert not model.feature_importances_.any()


def test_the_constant_class_is_the_one_of_least_cost() -> None:
    X, y = np.zeros((10, 1)), np.repeat([0, 1], [7, 3])
    learner = DummyClassifier(strategy="constant", constant=0)  # right more often, and dearer
    with pytest.warns(NoRoundWarning, match="predicts 1"):
        model = BAdaCostClassifier(learner, cost_matrix=[[0, 2], [7, 0]]).fit(X, y)
    assert set(model.predict(X)) == {1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators of BAdaCostClassifier"),
        ({"learning_rate": 2.0}, "learning_rate of BAdaCostClassifier"),
        ({"on_negative_step": "keep"}, "on_negative_step of BAdaCostClassifier"),
        ({"cost_matrix": "confused"}, "cost_matrix of BAdaCostClassifier"),
        ({"cost_matrix": np.ones((3, 3))}, "zero diagonal"),
        ({"cost_matrix": zero_one(2)}, "3 x 3"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_features": 0.0}, "max_features"),
        (
            {"estimator": DecisionTreeClassifier},
            "estimator of BAdaCostClassifier must be a classifier instance",
        ),
        ({"estimator": make_pipeline(GaussianNB())}, "must take sample_weight"),
        ({"estimator": TreeClassifier("misclassification")}, "criterion of TreeClassifier"),
        ({"estimator": TreeClassifier(cost_matrix=zero_one(3))}, "cost_matrix of TreeClassifier needs"),
        ({"estimator": TreeClassifier(max_bins=500)}, "max_bins of TreeClassifier"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    X, y = some_rows(3, 60)
    with pytest.raises(ValueError, match=message):
        BAdaCostClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(8), "got 1 class"),
        (np.arange(8) % 2 * 0.5 + 0.1, "Unknown label type"),
    ],
)
def test_bad_labels_are_named(y: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SAMMEClassifier().fit(np.arange(16.0).reshape(8, 2), y)


def test_confusion_costs_need_two_rows_of_every_class() -> None:
    X, y = some_rows(2, 60)
    y[0] = 2
    with pytest.raises(ValueError, match=r"at least 2 rows of every class .* class .*2.* has 1"):
        BAdaCostClassifier(cost_matrix="confusion").fit(X, y)


# The tree as a classifier


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_tree_equals_scikit_learns(criterion: Any) -> None:
    X, y = some_rows(3, 250)
    ours = TreeClassifier(criterion, max_depth=2).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)
    new = np.random.default_rng(0).normal(size=(500, 8)) * 2
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))  # thresholds half-way, too


def test_exact_tree_of_many_values_equals_scikit_learns() -> None:
    X, y = some_rows(2, 1500)
    ours = TreeClassifier(max_depth=3, max_bins=None).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    binned = TreeClassifier(max_depth=3, max_bins=32).fit(X, y)
    assert binned.score(X, y) > theirs.score(X, y) - 0.03


def test_tree_of_costs_labels_leaves_by_cost() -> None:
    X, y = np.zeros((10, 1)), np.array([0] * 7 + [1] * 3)
    costs = [[0, 1], [5, 0]]
    for criterion in ("expected cost", "badacost"):
        assert set(TreeClassifier(criterion, cost_matrix=costs).fit(X, y).predict(X)) == {1}
    np.testing.assert_allclose(TreeClassifier().fit(X, y).predict_proba(X), [[0.7, 0.3]] * 10)


def test_more_classes_than_leaves_can_name_are_refused() -> None:
    y = np.repeat(np.arange(257), 2)
    with pytest.raises(ValueError, match=r"2 to 256 classes .* got 257"):
        TreeClassifier().fit(y[:, None] * 1.0, y)
