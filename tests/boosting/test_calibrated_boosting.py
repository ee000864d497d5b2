"""Calibrated AdaMEC and CGAda: what is held out, what is calibrated, where the threshold lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.calibrated_boosting import (
    CalibratedAdaMECClassifier,
    CalibratedCGAdaClassifier,
    split_distinct_rows,
)
from badacost.boosting.reweighting.cgada import CGAdaClassifier

Array = NDArray[np.float64]


def noisy_table(seed: int, n_rows: int) -> tuple[Array, NDArray[np.int64], Array]:
    """X, y and the true probability of class 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    probability = 1.0 / (1.0 + np.exp(2.0 - 1.5 * X[:, 0] - X[:, 1]))
    return X, (rng.random(n_rows) < probability).astype(np.int64), probability


def test_rows_are_held_out_by_class_and_equal_rows_together() -> None:
    rows = np.repeat(np.arange(50.0)[:, None], 3, axis=0)
    positive = rows[:, 0] < 10
    for fraction, expected in ((0.5, (5, 20)), (0.01, (1, 1)), (0.99, (9, 39))):
        train, calibrate = split_distinct_rows(rows, positive, fraction, 0)
        np.testing.assert_array_equal(train, ~calibrate)
        assert (calibrate & positive).sum() == 3 * expected[0]
        assert (calibrate & ~positive).sum() == 3 * expected[1]
        assert (calibrate.reshape(-1, 3).std(axis=1) == 0).all()
    first, second = (split_distinct_rows(rows, positive, 0.5, seed)[0] for seed in (0, 1))
    assert not np.array_equal(first, second)


def test_a_class_with_one_distinct_row_lends_it_to_both() -> None:
    train, calibrate = split_distinct_rows(np.arange(5.0)[:, None], np.arange(5) == 2, 0.5, 0)
    assert train[2]
    assert calibrate[2]


@pytest.mark.parametrize("estimator", [CalibratedAdaMECClassifier, CalibratedCGAdaClassifier])
@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_probabilities_are_calibrated(estimator: Any, calibration: str) -> None:
    """Nearer to the true probabilities than the shares of votes, whatever the costs."""
    X, y, probability = noisy_table(0, 4000)
    model = estimator(n_estimators=30, cost_fp=0.2, calibration=calibration, random_state=0).fit(X, y)
    uncalibrated = (AdaBoostClassifier if "MEC" in estimator.__name__ else CGAdaClassifier)(n_estimators=30)
    shares = uncalibrated.fit(X, y).predict_proba(X)[:, 1]
    assert np.abs(model.predict_proba(X)[:, 1] - probability).mean() < 0.07
    assert brier_score_loss(y, model.predict_proba(X)[:, 1]) < brier_score_loss(y, shares)


def test_only_the_training_part_is_boosted_and_only_the_rest_calibrates() -> None:
    X, y, _ = noisy_table(1, 300)
    model = CalibratedAdaMECClassifier(n_estimators=5, calibration="isotonic", random_state=3).fit(X, y)
    train, calibrate = split_distinct_rows(X, y == 1, 0.5, 3)
    booster = AdaBoostClassifier(n_estimators=5).fit(X[train], y[train])
    np.testing.assert_array_equal(model.estimator_weights_, booster.estimator_weights_)
    scores = booster.decision_function(X)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores[calibrate], y[calibrate])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], isotonic.predict(scores), atol=1e-12)


@pytest.mark.parametrize("threshold", ["cost", "skew"])
def test_thresholds(threshold: str) -> None:
    X, y, _ = noisy_table(2, 400)
    model = CalibratedAdaMECClassifier(cost_fn=3.0, cost_fp=2.0, threshold=threshold, random_state=0)
    probability = model.fit(X, y).predict_proba(X)[:, 1]
    masses = ((y == 1).sum(), (y == 0).sum()) if threshold == "skew" else (1, 1)
    cut = 2.0 * masses[1] / (3.0 * masses[0] + 2.0 * masses[1])
    np.testing.assert_array_equal(model.predict(X), (probability > cut).astype(int))
    np.testing.assert_allclose(model.decision_function(X), probability - cut, atol=1e-15)


def test_costs_of_records() -> None:
    X, y, _ = noisy_table(3, 300)
    costs = np.random.default_rng(0).lognormal(size=300)
    model = CalibratedCGAdaClassifier(n_estimators=5, random_state=0).fit(X, y, cost_fn=costs)
    probability = model.predict_proba(X)[:, 1]
    expected = probability > 1.0 / (1.0 + costs)
    np.testing.assert_array_equal(model.predict(X, cost_fn=costs), expected.astype(int))
    np.testing.assert_allclose(model.decision_function(X), probability - 0.5)


def test_calibrating_with_costs_moves_them_into_the_probability() -> None:
    X, y, _ = noisy_table(4, 2000)
    parameters: dict[str, Any] = {"n_estimators": 20, "cost_fn": 4.0, "random_state": 0}
    plain = CalibratedCGAdaClassifier(**parameters).fit(X, y)
    weighted = CalibratedCGAdaClassifier(**parameters, calibrate_with_costs=True).fit(X, y)
    assert weighted.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1
    np.testing.assert_array_equal(weighted.predict(X), (weighted.predict_proba(X)[:, 1] > 0.5).astype(int))
    assert (weighted.predict(X) == plain.predict(X)).mean() > 0.95


def test_forms_of_the_comparison_program() -> None:
    """Isotonic on the training rows; AdaMEC's threshold the wrong way round, CGAda's costs in the calibrator."""
    X, y, _ = noisy_table(5, 300)
    booster = AdaBoostClassifier(n_estimators=8).fit(X, y)
    scores = booster.decision_function(X)
    adamec = CalibratedAdaMECClassifier(n_estimators=8, cost_fp=0.4, form="code").fit(X, y)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, y)
    np.testing.assert_allclose(adamec.predict_proba(X)[:, 1], isotonic.predict(scores), atol=1e-12)
    masses = (y == 1).sum(), 0.4 * (y == 0).sum()
    expected = isotonic.predict(scores) > masses[0] / sum(masses)
    np.testing.assert_array_equal(adamec.predict(X), expected.astype(int))
    cgada = CalibratedCGAdaClassifier(n_estimators=8, cost_fp=0.4, form="code").fit(X, y)
    isotonic.fit(scores, y, sample_weight=np.where(y == 1, 1.0, 0.4))
    np.testing.assert_allclose(cgada.predict_proba(X)[:, 1], isotonic.predict(scores), atol=1e-12)
    np.testing.assert_array_equal(cgada.predict(X), (isotonic.predict(scores) > 0.5).astype(int))
