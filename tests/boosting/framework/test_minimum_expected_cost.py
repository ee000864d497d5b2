"""Calibrated probabilities, and decisions of minimum expected cost by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.naive_bayes import GaussianNB

from badacost.boosting.framework.calibration import (
    fitted_calibration,
    logistic_correction,
    unnormalized_logistic_correction,
)
from badacost.boosting.framework.cost_boosting import CostBaseBoostClassifier
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.records import Records
from badacost.boosting.reweighting.adaboost import AdaBoostClassifier

from .tables import Table, noisy_table


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
