"""Ensembles of the framework: draws, weights and votes against slow twins; special cases of equal costs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.framework.base_kind import KINDS
from badacost.boosting.framework.cost_boosting import CostBaseBoostClassifier, CostSampleBoostClassifier
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.sampled_ensembles import (
    CostPreSampleEnsembleClassifier,
    CostSampleEnsembleClassifier,
)
from badacost.boosting.framework.samplers import CostUnderSampler
from badacost.boosting.framework.weighted_ensemble import CostWeightedEnsembleClassifier
from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.trees.cart_classifier import CARTClassifier

from .tables import Table, noisy_table

NO_ROUND = "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
SAMPLED = [CostSampleEnsembleClassifier, CostPreSampleEnsembleClassifier]
EVERY = [
    CostBaseEnsembleClassifier(CostSensitiveTreeClassifier()),
    CostSampleEnsembleClassifier(sampler="rejection"),
    CostPreSampleEnsembleClassifier(sampler="rejection"),
    CostWeightedEnsembleClassifier(),
    CostSampleBoostClassifier(sampler="rejection"),
    CostBaseBoostClassifier(),
]


@pytest.mark.parametrize("ensemble", SAMPLED)
@pytest.mark.parametrize("sampler", ["under", "over", "hybrid", "smote"])
@pytest.mark.parametrize("kind", KINDS)
def test_with_equal_costs_samples_are_bags(ensemble: Any, sampler: str, kind: Any, table: Table) -> None:
    plain = CostBaseEnsembleClassifier(kind=kind, n_estimators=4, random_state=3).fit(table.X, table.y)
    model = ensemble(sampler=sampler, kind=kind, n_estimators=4, cost_fn=2.0, cost_fp=2.0, random_state=3)
    np.testing.assert_array_equal(
        model.fit(table.X, table.y).predict_proba(table.X), plain.predict_proba(table.X)
    )


def test_rejection_sampling_of_equal_costs_is_bagging(table: Table) -> None:
    plain = CostBaseEnsembleClassifier(n_estimators=4, random_state=3).fit(table.X, table.y)
    model = CostSampleEnsembleClassifier(sampler="rejection", n_estimators=4, random_state=3)
    np.testing.assert_array_equal(
        model.fit(table.X, table.y).predict_proba(table.X), plain.predict_proba(table.X)
    )


@pytest.mark.parametrize("sampler", ["under", "over", "hybrid", "smote"])
def test_with_equal_costs_sampled_boosting_is_adaboost(sampler: str, table: Table) -> None:
    ours = CostSampleBoostClassifier(sampler=sampler, n_estimators=15).fit(table.X, table.y)
    theirs = AdaBoostClassifier(n_estimators=15).fit(table.X, table.y)
    assert ours.n_rounds_ == theirs.n_rounds_ == 15
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_)
    np.testing.assert_allclose(ours.decision_function(table.X), theirs.decision_function(table.X))
    for one, other in zip(ours.staged_predict(table.X), theirs.staged_predict(table.X), strict=True):
        np.testing.assert_array_equal(one, other)


def test_boosting_plain_trees_is_adaboost_of_them(table: Table) -> None:
    ours = CostBaseBoostClassifier(CostSensitiveTreeClassifier("gini", max_depth=2), n_estimators=8)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, random_state=0), n_estimators=8)
    np.testing.assert_allclose(
        ours.fit(table.X, table.y, cost_fn=9.0).decision_function(table.X),
        theirs.fit(table.X, table.y).decision_function(table.X),
    )


class Recorder(CARTClassifier):
    """A tree that remembers what it was trained on."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.seen_ = np.asarray(X), np.asarray(y), np.asarray(sample_weight)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    ("sampler", "expected"), [("under", (1, 0.25)), ("over", (4, 1)), ("hybrid", (2, 0.5)), ("smote", (4, 1))]
)
@pytest.mark.parametrize("kind", ["bagging", "random decision forest"])
def test_samples_of_models_have_the_ratio_of_the_costs(
    sampler: str, expected: tuple[float, float], kind: Any, table: Table
) -> None:
    model = CostSampleEnsembleClassifier(
        Recorder(), sampler=sampler, kind=kind, n_estimators=30, cost_fn=4.0, random_state=0
    ).fit(table.X, table.y)
    counts = np.array(
        [[member.seen_[2][member.seen_[1] == code].sum() for code in (1, 0)] for member in model.estimators_]
    )
    n_positive = table.y.sum()
    target = np.array([n_positive, len(table.y) - n_positive]) * expected
    error = 4 * np.sqrt(target / 30) * expected if kind == "bagging" else 1.0
    assert (np.abs(counts.mean(axis=0) - target) < error).all()


def test_one_sample_for_all_models(table: Table) -> None:
    model = CostPreSampleEnsembleClassifier(
        Recorder(),
        sampler="under",
        kind="random decision forest",
        max_features=1.0,
        cost_fn=5.0,
        n_estimators=3,
    ).fit(table.X, table.y)
    first, *others = [member.seen_ for member in model.estimators_]
    for other in others:
        for one, another in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, another)
    assert first[2][first[1] == 0].sum() == round((table.y == 0).sum() / 5)
    np.testing.assert_array_equal(model.in_bag_.sum(axis=1), len(first[0]))


def test_subsets_of_attributes(table: Table) -> None:
    forest = CostBaseEnsembleClassifier(kind="random decision forest", n_estimators=30, random_state=0)
    forest.fit(table.X, table.y)
    subsets = {tuple(features.tolist()) for features in forest.estimators_features_}
    assert {len(subset) for subset in subsets} == {2}
    assert len(subsets) == 6  # all pairs of 4
    assert forest.in_bag_.all()
    random_forest = CostBaseEnsembleClassifier(kind="random forest", n_estimators=3, random_state=0)
    random_forest.fit(table.X, table.y)
    assert all(
        (tree.max_features, tree.feature_sampling) == (2, "node") for tree in random_forest.estimators_
    )
    assert not random_forest.in_bag_.all(axis=1).any()


def test_members_see_only_their_attributes(table: Table) -> None:
    forest = CostBaseEnsembleClassifier(
        DecisionTreeClassifier(random_state=0), kind="random decision forest", n_estimators=5, random_state=1
    ).fit(table.X, table.y)
    shares = [
        tree.predict(table.X[:, features])
        for tree, features in zip(forest.estimators_, forest.estimators_features_, strict=True)
    ]
    np.testing.assert_allclose(forest.predict_proba(table.X)[:, 1], np.mean(shares, axis=0))


def test_votes_of_the_weighted_ensemble_are_mean_weights_of_leaves() -> None:
    X = np.arange(12.0)[:, None]
    y = np.array([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0])
    cost_fn, cost_fp = np.linspace(1, 4, 12), np.linspace(2, 0.5, 12)
    model = CostWeightedEnsembleClassifier(
        DecisionTreeClassifier(max_depth=1, random_state=0), kind="random decision forest", n_estimators=1
    ).fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp)  # one tree, on all records
    costs = np.where(y == 1, cost_fn, cost_fp)
    weights = costs / costs.sum()
    stump = model.estimators_[0]
    leaves = stump.apply(X)
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        assert model.leaf_weights_[0][leaf] == pytest.approx(weights[inside].mean())
        mass = [weights[inside & (y == code)].sum() for code in (0, 1)]
        assert (model.predict(X)[inside] == int(mass[1] > mass[0])).all()


def test_weighted_ensemble_votes_add_up(table: Table) -> None:
    model = CostWeightedEnsembleClassifier(n_estimators=6, random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    votes = np.zeros((2, len(table.X)))
    for tree, of_leaves in zip(model.estimators_, model.leaf_weights_, strict=True):
        leaf = tree.apply(table.X)
        np.add.at(votes, (tree.predict(table.X), np.arange(len(table.X))), of_leaves[leaf])
        assert tree.tree_.mass[0].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.predict_proba(table.X)[:, 1], votes[1] / votes.sum(axis=0))


@pytest.mark.parametrize("ensemble", EVERY)
def test_costs_of_records_beat_a_blind_ensemble(ensemble: Any) -> None:
    table, new = noisy_table(0, 400), noisy_table(1, 2000)
    blind = CostBaseEnsembleClassifier(CostSensitiveTreeClassifier("gini", max_depth=3), random_state=0)
    model = clone(ensemble).set_params(random_state=0, n_estimators=30)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert new.cost(model.predict(new.X)) < 0.9 * new.cost(blind.fit(table.X, table.y).predict(new.X))


@pytest.mark.parametrize("ensemble", EVERY)
@pytest.mark.filterwarnings(NO_ROUND)
def test_whole_weights_are_copies(ensemble: Any, table: Table) -> None:
    random = np.random.default_rng(0)
    weights = random.integers(0, 3, len(table.y))
    order = random.permutation(np.repeat(np.arange(len(table.y)), weights))
    model = clone(ensemble).set_params(random_state=0, n_estimators=4, pos_label=1)
    costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
    weighted = model.fit(table.X, table.y, weights, **costs).predict_proba(table.X)
    repeated = {name: cost[order] for name, cost in costs.items()}
    model.fit(table.X[order], table.y[order], **repeated)
    np.testing.assert_allclose(model.predict_proba(table.X), weighted)


@pytest.mark.parametrize("ensemble", EVERY)
@pytest.mark.filterwarnings(NO_ROUND)
def test_labels_frames_pickles_and_the_other_positive_class(ensemble: Any, table: Table) -> None:
    names = np.where(table.y == 1, "bad", "good")
    frame = pd.DataFrame(table.X, columns=list("abcd"))
    model = clone(ensemble).set_params(random_state=0, n_estimators=5, cost_fn=3.0).fit(frame, names)
    assert model.classes_.tolist() == ["bad", "good"]
    assert model.positive_class_ == "bad"
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
    shares, scores = model.predict_proba(frame), model.decision_function(frame)
    np.testing.assert_array_equal(model.classes_[(scores > 0).astype(int)], model.predict(frame))
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(frame))
    numbers = clone(model).fit(table.X, table.y)
    np.testing.assert_array_equal(numbers.predict(table.X) == 1, model.predict(frame) == "bad")
    turned = clone(model).set_params(pos_label="good").fit(frame, names)
    assert (turned.predict(frame) == "good").sum() > (model.predict(frame) == "good").sum()


@pytest.mark.parametrize("ensemble", EVERY)
@pytest.mark.filterwarnings(NO_ROUND)
def test_stages_and_attributes(ensemble: Any, table: Table) -> None:
    model = clone(ensemble).set_params(random_state=0, n_estimators=6, cost_fn=2.0).fit(table.X, table.y)
    assert len(model.estimators_) == len(model.estimator_errors_) == len(model.estimator_weights_)
    assert model.n_rounds_ == len(model.estimators_) <= 6
    assert model.stop_reason_
    stages = [model.staged_predict, model.staged_predict_proba, model.staged_decision_function]
    wholes = [model.predict, model.predict_proba, model.decision_function]
    for staged, whole in zip(stages, wholes, strict=True):
        results = list(staged(table.X))
        assert len(results) == max(model.n_rounds_, 1)
        np.testing.assert_allclose(results[-1], whole(table.X))
    if not isinstance(model, (CostSampleBoostClassifier, CostBaseBoostClassifier)):
        wrong = [(member.predict(table.X) != table.y).mean() for member in model.estimators_]
        np.testing.assert_allclose(model.estimator_errors_, wrong)


@pytest.mark.parametrize("sampler", ["under", "rejection"])
def test_members_that_take_no_weights(sampler: str, table: Table) -> None:
    model = CostSampleEnsembleClassifier(
        KNeighborsClassifier(3), sampler=sampler, n_estimators=5, cost_fn=4.0, random_state=0
    ).fit(table.X, table.y)
    assert model.score(table.X, table.y) > 0.7
    with pytest.raises(ValueError, match="KNeighborsClassifier must take sample_weight in fit here"):
        model.fit(table.X, table.y, np.full(len(table.y), 0.5))


def test_members_that_are_no_trees(table: Table) -> None:
    model = CostSampleBoostClassifier(LogisticRegression(), sampler="smote", n_estimators=5, cost_fn=4.0)
    assert model.fit(table.X, table.y).score(table.X, table.y) > 0.5


def test_bags_of_one_class(table: Table) -> None:
    X, y = table.X[:20], np.array([1] + [0] * 19)
    for member in (None, LogisticRegression()):
        model = CostBaseEnsembleClassifier(member, n_estimators=20, random_state=0).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.predict(X).sum() <= 1
    weighted = CostWeightedEnsembleClassifier(
        DecisionTreeClassifier(random_state=0), n_estimators=20, random_state=0
    )
    assert np.isfinite(weighted.fit(X, y).predict_proba(X)).all()


@pytest.mark.filterwarnings(NO_ROUND)
def test_records_whose_errors_cost_nothing(table: Table) -> None:
    cost_fp = np.where(np.arange(len(table.y)) % 2, 0.0, table.cost_fp)
    for ensemble in EVERY[:5]:
        model = clone(ensemble).set_params(n_estimators=3, random_state=0)
        predicted = model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=cost_fp).predict(table.X)
        assert predicted.sum() > 0


def test_boosting_that_keeps_no_learner_is_the_cheaper_constant() -> None:
    X, y = np.zeros((6, 1)), np.array([1, 1, 1, 0, 0, 0])  # a constant is right on one half
    for cost_fn, label in ((0.9, 0), (1.0, 0), (1.1, 1)):
        model = CostSampleBoostClassifier(cost_fn=cost_fn, pos_label=1, sampler="hybrid", random_state=0)
        with pytest.warns(match=rf"kept no learner and predicts \S*{label}\S*, the class of least cost"):
            model.fit(X, y)
        assert model.n_rounds_ == 0
        assert (model.predict(X) == label).all()
        assert (model.decision_function(X) > 0).all() == (label == 1)


def test_decisions_by_the_costs_of_the_rows_predicted(table: Table) -> None:
    model = CostBaseEnsembleClassifier(
        MinimumExpectedCostClassifier(CostSensitiveTreeClassifier("gini", max_depth=3)),
        n_estimators=5,
        random_state=0,
    ).fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    with pytest.raises(ValueError, match=r"cost_fn of CostBaseEnsembleClassifier\.predict is missing"):
        model.predict(table.X)
    dear = model.predict(table.X, cost_fn=50.0, cost_fp=1.0)
    cheap = model.predict(table.X, cost_fn=0.02, cost_fp=1.0)
    assert cheap.sum() < table.y.sum() < dear.sum()
    mixed = np.where(np.arange(len(table.y)) % 2, 50.0, 0.02)
    np.testing.assert_array_equal(
        model.predict(table.X, cost_fn=mixed, cost_fp=1.0), np.where(mixed > 1, dear, cheap)
    )


def test_costs_travel_through_cross_validation(table: Table) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = CostSampleEnsembleClassifier(sampler="rejection", n_estimators=5, random_state=0)
        model.set_fit_request(cost_fn=True, cost_fp=True)
        costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
        found = cross_validate(model, table.X, table.y, cv=3, params=costs, return_estimator=True)
    assert (found["test_score"] > 0.5).all()
    assert all(fitted.cost_fn_ is None for fitted in found["estimator"])


def test_the_sampler_may_be_given_and_its_costs_are_the_ensembles(table: Table) -> None:
    named = CostSampleEnsembleClassifier(sampler="under", cost_fn=4.0, n_estimators=3, random_state=0)
    given = clone(named).set_params(sampler=CostUnderSampler(cost_fn=99.0))
    np.testing.assert_array_equal(
        named.fit(table.X, table.y).predict_proba(table.X),
        given.fit(table.X, table.y).predict_proba(table.X),
    )


@pytest.mark.parametrize(
    ("model", "costs", "message"),
    [
        (CostBaseEnsembleClassifier(kind="stacking"), {}, "kind of .* must be one of 'bagging'"),
        (CostBaseEnsembleClassifier(n_estimators=0), {}, "n_estimators of .* must be an integer >= 1, got 0"),
        (CostBaseEnsembleClassifier(max_features=1.5), {}, "max_features of .* must be a number >= 1"),
        (CostBaseEnsembleClassifier(max_features=True), {}, "max_features of .* must be a number >= 1"),
        (CostBaseEnsembleClassifier("tree"), {}, "estimator of .* must be a classifier instance or None"),
        (
            CostBaseEnsembleClassifier(LogisticRegression(), kind="random forest"),
            {},
            "estimator of a random forest must have max_features",
        ),
        (CostSampleEnsembleClassifier(sampler="tomek"), {}, "sampler of .* must be one of 'under', 'over'"),
        (CostSampleBoostClassifier(sampler=3), {}, "sampler of CostSampleBoostClassifier must be one of"),
        (
            CostSampleEnsembleClassifier(sampler="over"),
            {"cost_fn": np.ones(200)},
            "cost_fn and cost_fp of CostOverSampler must be one number for all rows, got an array",
        ),
        (
            CostSampleBoostClassifier(KNeighborsClassifier()),
            {},
            "estimator of CostSampleBoostClassifier must take sample_weight in fit",
        ),
        (
            CostWeightedEnsembleClassifier(LogisticRegression()),
            {},
            "estimator of CostWeightedEnsembleClassifier must be a tree with apply",
        ),
        (
            CostWeightedEnsembleClassifier(CostSensitiveTreeClassifier()),
            {},
            "must not split or be pruned by costs: the records weigh their costs already",
        ),
        (
            CostWeightedEnsembleClassifier(CostSensitiveTreeClassifier("gini", curtailment=9)),
            {},
            "must neither smooth nor curtail its probabilities",
        ),
        (CostBaseBoostClassifier(on_negative_alpha="flip"), {}, "on_negative_alpha of .* must be one of"),
        (CostBaseEnsembleClassifier(cost_fn="dear"), {}, "cost_fn of"),
    ],
)
def test_bad_input(model: Any, costs: dict[str, Any], message: str, table: Table) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(table.X, table.y, **costs)
