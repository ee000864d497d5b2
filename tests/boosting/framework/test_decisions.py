"""Decisions by cost after training: thresholds, calibration, votes, Theorem 1, Remark 10, MetaCost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.calibration import _SigmoidCalibration
from sklearn.ensemble import BaggingClassifier as SklearnBagging
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.framework.ballots import Ballots
from badacost.boosting.framework.calibration import (
    fitted_calibration,
    logistic_correction,
    unnormalized_logistic_correction,
)
from badacost.boosting.framework.cost_boosting import CostBaseBoostClassifier
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.metacost import MetaCostClassifier, OneLabelWarning
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.records import Records
from badacost.boosting.framework.samplers import (
    CostHybridSampler,
    CostOverSampler,
    CostProportionateRejectionSampler,
    CostSampler,
    CostUnderSampler,
)
from badacost.boosting.framework.thresholds import (
    cheapest_threshold,
    least_expected_cost,
    theoretical_threshold,
)
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier, vote_weights
from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier
from badacost.boosting.reweighting.rareboost import RareBoostClassifier
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning

from .tables import Table, noisy_table

Array = NDArray[np.float64]
COST = st.floats(0.01, 100)


@pytest.fixture(scope="module")
def table() -> Table:
    return noisy_table()


# Theorem 1 and Remark 10


@given(
    outcomes=arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 5))),
    data=st.data(),
    cost_fn=COST,
    cost_fp=COST,
)
@settings(max_examples=150, deadline=None)
def test_theorem_1_voting_by_cost_is_the_theoretical_majority(
    outcomes: NDArray[np.bool_], data: st.DataObject, cost_fn: float, cost_fp: float
) -> None:
    """S1 > 1/2 iff S2 > C_FP/(C_FP + C_FN), for all vote weights alpha >= 0 and costs."""
    shape = (len(outcomes), 1)
    alpha = data.draw(arrays(np.float64, shape, elements=st.floats(0, 50)))
    tally = Ballots(outcomes, alpha).tally
    weighed = tally.positive * cost_fn, tally.negative * cost_fp
    threshold = theoretical_threshold(cost_fn, cost_fp)
    clear = ~np.isclose(*weighed, rtol=1e-9, atol=1e-12)
    with np.errstate(invalid="ignore"):
        s1 = weighed[0] / (weighed[0] + weighed[1])
    by_cost = tally.minimum_expected_cost(cost_fn, cost_fp)
    np.testing.assert_array_equal(by_cost[clear], s1[clear] > 0.5)
    np.testing.assert_array_equal(by_cost[clear], (tally.share > threshold)[clear])


@pytest.mark.parametrize(("votes", "cost_fn"), [(1, 3.0), (2, 1.0), (3, 1.0 / 3.0)])
def test_theorem_1_a_tie_is_negative_on_both_sides(votes: int, cost_fn: float) -> None:
    tally = Ballots(np.arange(4)[:, None] < votes, np.ones((4, 1))).tally
    assert tally.share[0] == votes / 4
    assert not tally.minimum_expected_cost(cost_fn, 1.0)
    assert not tally.share > theoretical_threshold(cost_fn, 1.0) + 1e-15


@pytest.mark.parametrize(
    "ensemble",
    [
        CostBaseEnsembleClassifier(n_estimators=9, random_state=0),
        AdaBoostClassifier(n_estimators=9),
        RareBoostClassifier(n_estimators=9),
    ],
)
def test_theorem_1_on_ensembles_with_costs_of_records(ensemble: Any, table: Table) -> None:
    costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
    by_cost, by_share = (
        VotingAdjustedClassifier(ensemble, voting=voting, random_state=0)
        .fit(table.X, table.y, **costs)
        .predict(table.X, **costs)
        for voting in ("minimum expected cost", "theoretical majority")
    )
    np.testing.assert_array_equal(by_cost, by_share)


@pytest.mark.parametrize(
    "sampler",
    [CostUnderSampler(), CostOverSampler(), CostHybridSampler(), CostProportionateRejectionSampler()],
)
@given(n_positive=st.integers(1, 30), n_negative=st.integers(1, 30), cost_fn=st.floats(0.2, 5))
@settings(max_examples=12, deadline=None)
def test_remark_10_the_majority_of_a_sample_is_the_threshold_of_all_in_expectation(
    sampler: CostSampler, n_positive: int, n_negative: int, cost_fn: float
) -> None:
    """In a leaf, positive records outnumber the others in the sample as P/(1 - P) C_FN/C_FP says."""
    positive = np.arange(n_positive + n_negative) < n_positive
    records = Records.of(np.zeros((len(positive), 1)), positive, cost_fn, 1.0)
    many = records.with_copies(np.full(len(positive), 2000))  # so that a sample is its expectation
    copies = sampler.drawing(many)(np.random.default_rng(0)).copies
    in_sample = copies[positive].sum() / copies.sum()
    odds = n_positive / n_negative * cost_fn
    assert in_sample == pytest.approx(odds / (1 + odds), abs=0.03)
    if abs(in_sample - 0.5) > 0.03:
        decided = least_expected_cost(np.array([n_positive / len(positive)]), cost_fn, 1.0)
        assert decided[0] == (in_sample > 0.5)


# Thresholds


@given(probability=st.floats(0, 1), cost_fn=st.floats(0, 100), cost_fp=st.floats(0, 100))
@settings(max_examples=100, deadline=None)
def test_least_expected_cost_is_the_theoretical_threshold(
    probability: float, cost_fn: float, cost_fp: float
) -> None:
    threshold = theoretical_threshold(cost_fn, cost_fp)
    if abs(probability - threshold) > 1e-9:
        decided = least_expected_cost(np.array([probability]), cost_fn, cost_fp)
        assert decided[0] == (probability > threshold)


def test_where_no_error_costs_anything_the_label_is_negative() -> None:
    assert theoretical_threshold(0.0, 0.0) == 1.0
    assert not least_expected_cost(np.array([1.0]), 0.0, 0.0)[0]


@given(
    scores=arrays(np.float64, 14, elements=st.integers(0, 6).map(lambda k: k / 6)),
    candidates=arrays(np.float64, 5, elements=st.integers(0, 6).map(lambda k: k / 6)),
    costs=arrays(np.float64, 14, elements=st.integers(0, 4).map(float)),
    positive=arrays(np.bool_, 14),
)
@settings(max_examples=150, deadline=None)
def test_cheapest_threshold_equals_its_slow_twin(
    scores: Array, candidates: Array, costs: Array, positive: NDArray[np.bool_]
) -> None:
    records = Records.of(np.zeros((14, 1)), positive, costs, costs)
    of_threshold = {t: costs[(scores > t) != positive].sum() for t in sorted(candidates)}
    least = min(of_threshold.values())
    expected = min(t for t, cost in of_threshold.items() if cost == least)
    assert cheapest_threshold(candidates, scores, records) == expected


# Calibration


def test_logistic_corrections() -> None:
    share = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(logistic_correction(share), 1 / (1 + np.exp(-2 * (2 * share - 1))))
    score = np.array([-900.0, -2.0, 0.0, 0.3, 900.0])
    with np.errstate(over="ignore"):
        expected = 1 / (1 + np.exp(-2 * score))
    np.testing.assert_allclose(unnormalized_logistic_correction(score), expected, atol=1e-15)


def test_platt_and_isotonic_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    shares = random.random(80).round(2)
    positive = random.random(80) < shares
    records = Records.of(shares[:, None], positive, 1.0, 1.0)
    grid = np.linspace(-0.1, 1.1, 30)
    platt = _SigmoidCalibration().fit(shares, positive.astype(int))
    np.testing.assert_allclose(fitted_calibration("platt", shares, records)(grid), platt.predict(grid))
    isotonic = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(shares, positive)
    np.testing.assert_allclose(fitted_calibration("isotonic", shares, records)(grid), isotonic.predict(grid))


def test_platt_maximises_the_likelihood_of_its_targets() -> None:
    random = np.random.default_rng(1)
    shares, positive = random.random(60), random.random(60) < 0.3
    calibrated = fitted_calibration("platt", shares, Records.of(shares[:, None], positive, 1.0, 1.0))
    n_positive = positive.sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (60 - n_positive + 2))
    probability = calibrated(shares)
    # Where the gradient with respect to A and B vanishes.
    assert (probability - target).sum() == pytest.approx(0, abs=1e-3)
    assert ((probability - target) * shares).sum() == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("calibration", ["logistic", "unnormalized logistic", "platt", "isotonic"])
def test_calibrated_boosting(calibration: Any, table: Table) -> None:
    model = MinimumExpectedCostClassifier(
        AdaBoostClassifier(n_estimators=20), calibration=calibration, cost_fn=5.0, random_state=0
    ).fit(table.X, table.y)
    booster = model.estimator_
    shares = model.predict_proba(table.X)[:, 1]
    if calibration == "logistic":
        np.testing.assert_allclose(shares, logistic_correction(booster.predict_proba(table.X)[:, 1]))
    elif calibration == "unnormalized logistic":
        expected = unnormalized_logistic_correction(booster.decision_function(table.X))
        np.testing.assert_allclose(shares, expected)
    else:
        order = np.argsort(booster.decision_function(table.X))
        assert (np.diff(shares[order]) >= -1e-12).all()
    np.testing.assert_array_equal(model.predict(table.X), shares > 1 / 6)


# Minimum expected cost


def test_probabilities_of_an_ensemble_are_means_over_its_models(table: Table) -> None:
    tree = CostSensitiveTreeClassifier("gini", smoothing="laplace")
    model = MinimumExpectedCostClassifier(
        CostBaseEnsembleClassifier(tree, n_estimators=6, random_state=0), cost_fn=4.0, random_state=0
    ).fit(table.X, table.y)
    mean = np.mean([member.predict_proba(table.X)[:, 1] for member in model.estimator_.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(table.X)[:, 1], mean)
    np.testing.assert_array_equal(model.predict(table.X), mean > 0.2)
    assert model.threshold_ == pytest.approx(0.2)


def test_costs_at_prediction(table: Table) -> None:
    model = MinimumExpectedCostClassifier(GaussianNB()).fit(
        table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp
    )
    assert model.threshold_ is None
    shares = model.predict_proba(table.X)[:, 1]
    found = model.predict(table.X, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    np.testing.assert_array_equal(found, shares * table.cost_fn > (1 - shares) * table.cost_fp)
    with pytest.raises(ValueError, match=r"cost_fn of MinimumExpectedCostClassifier.predict is missing"):
        model.predict(table.X)
    with pytest.raises(ValueError, match=r"cost_fp of \w+.predict must have one entry a row"):
        model.predict(table.X, cost_fn=1.0, cost_fp=[1.0, 2.0])


def test_a_validated_threshold_needs_no_costs_at_prediction(table: Table) -> None:
    new = noisy_table(9, 1000)
    blind = GaussianNB().fit(table.X, table.y).predict(new.X)
    model = MinimumExpectedCostClassifier(GaussianNB(), threshold="validation", random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert new.cost(model.predict(new.X)) < new.cost(blind)
    assert 0 < (model.threshold_ or 0) < 0.5


def test_inside_adaboost_the_outcomes_of_least_cost_enter_error_and_weights(table: Table) -> None:
    """DMECC-AdaBoost by hand, with costs of records."""
    tree = CostSensitiveTreeClassifier("gini", max_depth=1)
    model = CostBaseBoostClassifier(MinimumExpectedCostClassifier(tree), n_estimators=6)
    cost_fn = table.cost_fn / 4
    model.fit(table.X, table.y, cost_fn=cost_fn, cost_fp=table.cost_fp)
    weights, sign = np.full(len(table.y), 1 / len(table.y)), 2 * table.y - 1
    score = np.zeros(len(table.y))
    for alpha, error in zip(model.estimator_weights_, model.estimator_errors_, strict=True):
        shares = tree.fit(table.X, table.y, weights * len(weights)).predict_proba(table.X)[:, 1]
        h = np.where(shares * cost_fn > (1 - shares) * table.cost_fp, 1, -1)
        wrong = weights[h != sign].sum()
        assert error == pytest.approx(wrong)
        assert alpha == pytest.approx(0.5 * np.log((1 - wrong) / wrong))
        weights = weights * np.exp(-alpha * sign * h)
        weights /= weights.sum()
        score += alpha * h
    found = model.decision_function(table.X, cost_fn=cost_fn, cost_fp=table.cost_fp)
    np.testing.assert_allclose(found, score, atol=1e-10)


# Vote weights


def test_vote_weights_by_hand() -> None:
    errors = np.array([0.1, 0.25, 0.5, 0.6])
    np.testing.assert_allclose(vote_weights(errors, "log odds", 100), [np.log(9), np.log(3), 0, 0])
    np.testing.assert_allclose(vote_weights(errors, "accuracy", 100), [0.9, 0.75, 0.5, 0.4])
    np.testing.assert_allclose(vote_weights(errors, "squared odds", 100), [81, 9, 1, 4 / 9])
    np.testing.assert_allclose(
        vote_weights(errors, "exponential odds", 100), np.exp([0.0, -6.0, -8.0, 2 / 3 - 9])
    )


@pytest.mark.parametrize("form", ["log odds", "accuracy", "exponential odds", "squared odds"])
def test_vote_weights_are_finite_and_fall_with_the_error(form: Any) -> None:
    errors = np.linspace(0, 1, 41)
    weights = vote_weights(errors, form, 5000)
    assert np.isfinite(weights).all()
    assert (np.diff(weights) <= 0).all()
    assert weights[0] > 0


@pytest.mark.parametrize("on", ["training", "validation"])
def test_errors_are_weighed_by_costs(on: Any, table: Table) -> None:
    ensemble = CostBaseEnsembleClassifier(
        CostSensitiveTreeClassifier("gini", max_depth=2), n_estimators=5, random_state=0
    )
    model = VotingAdjustedClassifier(ensemble, vote_weights="accuracy", errors_on=on, random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert model.vote_weights_ is not None
    outcomes = np.array([member.predict(table.X) for member in model.estimator_.estimators_])
    if on == "training":
        costs = np.where(table.y == 1, table.cost_fn, table.cost_fp)
        errors = ((outcomes != table.y) * costs).sum(axis=1) / costs.sum()
        np.testing.assert_allclose(model.vote_weights_, 1 - errors)
    shares = (outcomes * model.vote_weights_[:, None]).sum(axis=0) / model.vote_weights_.sum()
    np.testing.assert_allclose(model.predict_proba(table.X)[:, 1], shares)


def test_models_no_better_than_chance_are_dropped(table: Table) -> None:
    turned = 1 - table.y
    ensemble = CostBaseEnsembleClassifier(Obstinate(), n_estimators=3)
    model = VotingAdjustedClassifier(ensemble, vote_weights="log odds", cost_fn=20.0, pos_label=1)
    with pytest.warns(NoRoundWarning, match="drops all 3 models and predicts the class of least cost"):
        model.fit(table.X, turned)
    assert (model.predict(table.X) == 1).all()


class Obstinate(GaussianNB):
    """Learns the opposite."""

    def predict(self, X: Any) -> Any:
        return 1 - super().predict(X)


def test_validated_majority_costs_no_more_than_the_half_on_the_held_out_records() -> None:
    table, new = noisy_table(0, 500), noisy_table(1, 2000)
    ensemble = CostBaseEnsembleClassifier(n_estimators=25, random_state=0)
    model = VotingAdjustedClassifier(ensemble, voting="validation majority", random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert new.cost(model.predict(new.X)) < 0.9 * new.cost(ensemble.fit(table.X, table.y).predict(new.X))


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(n_estimators=7, random_state=0),
        SklearnBagging(n_estimators=7, max_features=0.5, random_state=0),
        RandomForestClassifier(n_estimators=7, random_state=0),
    ],
)
def test_other_ensembles_of_classifiers_vote_too(ensemble: Any, table: Table) -> None:
    model = VotingAdjustedClassifier(ensemble, voting="theoretical majority", cost_fn=4.0, random_state=0)
    shares = model.fit(table.X, table.y).predict_proba(table.X)[:, 1]
    np.testing.assert_allclose(shares * 7, np.rint(shares * 7), atol=1e-9)
    np.testing.assert_array_equal(model.predict(table.X), shares > 0.2)


def test_the_votes_of_rareboost_count_by_what_they_say(table: Table) -> None:
    model = VotingAdjustedClassifier(RareBoostClassifier(n_estimators=5), voting="theoretical majority")
    model.fit(table.X, table.y)
    score = model.estimator_.decision_function(table.X)
    np.testing.assert_array_equal(model.predict_proba(table.X)[:, 1] > 0.5, score > 0)


def test_shares_need_no_costs_where_only_the_decision_weighs_them(table: Table) -> None:
    costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
    model = VotingAdjustedClassifier(
        CostBaseEnsembleClassifier(n_estimators=5), voting="theoretical majority"
    )
    model.fit(table.X, table.y, **costs)
    shares = model.predict_proba(table.X)
    np.testing.assert_array_equal(shares, model.predict_proba(table.X, **costs))
    np.testing.assert_allclose(model.decision_function(table.X), shares[:, 1] - 0.5)
    with pytest.raises(ValueError, match=r"cost_fn of VotingAdjustedClassifier.predict is missing"):
        model.predict(table.X)
    *_, last = model.staged_predict(table.X, **costs)
    np.testing.assert_array_equal(last, model.predict(table.X, **costs))


# MetaCost


def test_metacost_trains_on_the_labels_of_the_cost_sensitive_model(table: Table) -> None:
    relabeler = MinimumExpectedCostClassifier(GaussianNB())
    model = MetaCostClassifier(LogisticRegression(), relabeler=relabeler)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    shares = GaussianNB().fit(table.X, table.y).predict_proba(table.X)[:, 1]
    labels = (shares * table.cost_fn > (1 - shares) * table.cost_fp).astype(int)
    expected = LogisticRegression().fit(table.X, labels)
    np.testing.assert_array_equal(model.predict(table.X), expected.predict(table.X))
    np.testing.assert_allclose(model.predict_proba(table.X), expected.predict_proba(table.X), atol=1e-3)
    assert model.relabeled_ == pytest.approx((labels != table.y).mean())


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_metacost_as_published(out_of_bag: bool) -> None:
    tree = CostSensitiveTreeClassifier("gini", max_depth=4)
    relabeler = MinimumExpectedCostClassifier(CostBaseEnsembleClassifier(tree, n_estimators=15))
    model = MetaCostClassifier(tree, relabeler=relabeler, out_of_bag=out_of_bag, cost_fn=5.0, random_state=0)
    paid, blind = 0.0, 0.0
    for seed in range(3):
        table, new = noisy_table(seed, 400), noisy_table(100 + seed, 2000)
        constant = Table(new.X, new.y, np.full(2000, 5.0), np.ones(2000))
        paid += constant.cost(model.fit(table.X, table.y).predict(new.X))
        blind += constant.cost(tree.fit(table.X, table.y).predict(new.X))
    assert paid < 0.9 * blind


def test_out_of_bag_probabilities(table: Table) -> None:
    ensemble = CostBaseEnsembleClassifier(n_estimators=4, random_state=0).fit(table.X, table.y)
    order = np.lexsort((*table.X.T[::-1], table.y))  # distinct records in their sorted order
    rows = table.X[order]
    found = ensemble.out_of_bag_probability(rows)
    each = np.array([member.predict_proba(rows)[:, 1] for member in ensemble.estimators_])
    for i in range(len(rows)):
        out = ~ensemble.in_bag_[:, i]
        assert found[i] == pytest.approx(each[out if out.any() else ~out, i].mean())


def test_one_label_for_all(table: Table) -> None:
    model = MetaCostClassifier(relabeler=MinimumExpectedCostClassifier(GaussianNB()), cost_fp=0.0)
    with pytest.warns(OneLabelWarning, match="labels all records positive"):
        model.fit(table.X, table.y)
    assert (model.predict(table.X) == 1).all()


# Bad input


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MinimumExpectedCostClassifier(threshold="best"), "threshold of .* must be one of 'theoretical'"),
        (
            MinimumExpectedCostClassifier(calibration="beta"),
            "calibration of .* must be one of None, 'logistic'",
        ),
        (
            MinimumExpectedCostClassifier(LinearSVC()),
            "estimator of .* must have predict_proba, LinearSVC has not",
        ),
        (MinimumExpectedCostClassifier("nb"), "estimator of .* must be a classifier instance or None"),
        (
            MinimumExpectedCostClassifier(calibration_fraction=0.0),
            "calibration_fraction of .* 0 and 1, got 0.0",
        ),
        (
            MinimumExpectedCostClassifier(LogisticRegression(), calibration="logistic"),
            "the logistic corrections are those of the votes of a boosted ensemble",
        ),
        (
            MinimumExpectedCostClassifier(AdaMECClassifier(), calibration="platt"),
            "does not go with AdaMECClassifier: it decides by expected cost itself",
        ),
        (
            VotingAdjustedClassifier(vote_weights="cubed"),
            "vote_weights of .* must be one of 'own', 'log odds'",
        ),
        (VotingAdjustedClassifier(voting="unanimous"), "voting of .* must be one of 'majority'"),
        (
            VotingAdjustedClassifier(errors_on="test"),
            "errors_on of .* must be one of 'training', 'validation'",
        ),
        (VotingAdjustedClassifier(validation_fraction=2), "validation_fraction of .* 0 and 1, got 2"),
        (VotingAdjustedClassifier(GaussianNB()), "GaussianNB must be an ensemble of classifiers that vote"),
        (MetaCostClassifier(LinearSVC()), "estimator of MetaCostClassifier must have predict_proba"),
        (MetaCostClassifier(relabeler=3), "relabeler of MetaCostClassifier must be a classifier instance"),
        (
            MetaCostClassifier(relabeler=GaussianNB(), out_of_bag=True),
            "out_of_bag of MetaCostClassifier needs as relabeler",
        ),
    ],
)
def test_bad_parameters(model: Any, message: str, table: Table) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(table.X, table.y)
