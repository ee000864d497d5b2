"""What must hold between the methods, for equal costs, scaled costs, repeated and permuted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from badacost.boosting.reweighting.adacc import AdaCC1Classifier, AdaCC2Classifier
from badacost.boosting.reweighting.adacost import AdaCostClassifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier, UBoostClassifier
from badacost.boosting.reweighting.adauboost import AdaUBoostClassifier
from badacost.boosting.reweighting.asymmetric_adaboost import AsymmetricAdaBoostClassifier
from badacost.boosting.reweighting.cgada import CGAdaClassifier
from badacost.boosting.reweighting.csadaboost import CSAdaBoostClassifier
from badacost.boosting.reweighting.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from badacost.boosting.reweighting.reweighting import boost_by_reweighting
from badacost.boosting.reweighting.reweighting_classifier import ReweightingClassifier
from badacost.boosting.reweighting.reweighting_rules import ADABOOST, ADAUBOOST, CGADA, csadaboost
from badacost.boosting.rounds.training_rows import TrainingRows
from badacost.boosting.rounds.votes import Votes
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier

from .reweighting_family import EVERY

Array = NDArray[np.float64]
STUMP = DecisionStumpClassifier(search="exact")
LEAST_ERROR = DecisionStumpClassifier("expected cost", search="exact")
QUIET = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
)


def noisy_table(seed: int, n_rows: int = 120) -> tuple[Array, NDArray[np.int64]]:
    """A rare class that no stump separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = (X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=n_rows) > 1.0).astype(np.int64)
    y[:2] = 0, 1
    return X, y


EQUAL_COSTS_ARE_ADABOOST: list[ReweightingClassifier] = [
    AdaC1Classifier(STUMP),
    AdaC2Classifier(STUMP),
    AdaC3Classifier(STUMP),
    CSB2Classifier(STUMP),
    CGAdaClassifier(STUMP),
    AsymmetricAdaBoostClassifier(STUMP),
    AdaUBoostClassifier(STUMP),
    AdaMECClassifier(STUMP),
    UBoostClassifier(STUMP),
    AdaCostClassifier(STUMP, beta="ting"),
]


@pytest.mark.parametrize("estimator", EQUAL_COSTS_ARE_ADABOOST, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_equal_costs_reduce_to_adaboost(estimator: ReweightingClassifier, seed: int) -> None:
    X, y = noisy_table(seed)
    expected = AdaBoostClassifier(STUMP, n_estimators=20).fit(X, y)
    found = estimator.set_params(n_estimators=20).fit(X, y)
    np.testing.assert_allclose(found.estimator_weights_, expected.estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("search", ["full", "fast"])
def test_csadaboost_of_equal_costs_is_adaboost_of_least_error(search: Any) -> None:
    """The least exponential loss is then the least weighted error, as long as the best error is below 1/2."""
    X, y = noisy_table(5)
    expected = AdaBoostClassifier(LEAST_ERROR, n_estimators=15).fit(X, y)
    stump = STUMP if search == "full" else LEAST_ERROR
    found = CSAdaBoostClassifier(stump, n_estimators=15, search=search, initial_weights="uniform").fit(X, y)
    rounds = expected.n_rounds_ if search == "fast" else 1
    np.testing.assert_allclose(
        found.estimator_weights_[:rounds], expected.estimator_weights_[:rounds], rtol=1e-9
    )


@QUIET
@pytest.mark.parametrize("estimator", [AdaCostClassifier, CSB0Classifier, CSB1Classifier])
def test_the_others_do_not_reduce_to_adaboost(estimator: type[ReweightingClassifier]) -> None:
    X, y = noisy_table(0)
    expected = AdaBoostClassifier(STUMP, n_estimators=5).fit(X, y)
    found = estimator(STUMP, n_estimators=5).fit(X, y)
    assert not np.array_equal(found.estimator_weights_, expected.estimator_weights_)


@pytest.mark.parametrize("factor", [0.01, 3.0, 1000.0])
def test_scale_of_the_costs(factor: float) -> None:
    X, y = noisy_table(1)

    def alphas(estimator: type[ReweightingClassifier], scale: float, **parameters: Any) -> Array:
        costs = {"cost_fn": 0.9 * scale, "cost_fp": 0.7 * scale}
        return estimator(STUMP, n_estimators=6, **costs, **parameters).fit(X, y).estimator_weights_

    for estimator in (
        AdaC2Classifier,
        CGAdaClassifier,
        AsymmetricAdaBoostClassifier,
        AdaUBoostClassifier,
        AdaC1Classifier,  # by its default normalisation
        AdaC3Classifier,
    ):
        np.testing.assert_allclose(alphas(estimator, factor), alphas(estimator, 1.0), rtol=1e-9)
    for estimator in (CSB0Classifier, CSB2Classifier, CSAdaBoostClassifier):
        parameters = {"search": "fast"} if estimator is CSAdaBoostClassifier else {}
        changed = alphas(estimator, factor, **parameters)
        unchanged = alphas(estimator, 1.0, **parameters)
        assert len(changed) != len(unchanged) or not np.allclose(changed, unchanged)
        np.testing.assert_allclose(
            alphas(estimator, factor, normalize_costs="max", **parameters),
            alphas(estimator, 1.0, normalize_costs="max", **parameters),
            rtol=1e-9,
        )
    for estimator in (AdaC1Classifier, AdaC3Classifier):
        if factor < 1:
            changed = alphas(estimator, factor, normalize_costs=None)
            assert not np.allclose(changed[0], alphas(estimator, 1.0, normalize_costs=None)[0])


@QUIET
@pytest.mark.parametrize("estimator", EVERY)
def test_integer_sample_weights_repeat_rows(estimator: type[ReweightingClassifier]) -> None:
    X, y = noisy_table(2, 60)
    times = np.random.default_rng(0).integers(0, 4, 60)
    times[:2] = 1
    parameters: dict[str, Any] = {"n_estimators": 8, "random_state": 0, "estimator": STUMP, "pos_label": 1}
    weighted = estimator(**parameters).fit(X, y, sample_weight=times)
    repeated = estimator(**parameters).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.estimator_weights_, repeated.estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_cgada_of_integer_costs_is_adaboost_of_repeated_rows() -> None:
    X, y = noisy_table(3)
    times = np.where(y == 1, 5, 2)
    by_cost = CGAdaClassifier(STUMP, n_estimators=15, cost_fn=5, cost_fp=2).fit(X, y)
    repeated = AdaBoostClassifier(STUMP, n_estimators=15).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(by_cost.estimator_weights_, repeated.estimator_weights_, rtol=1e-9)


@QUIET
@pytest.mark.parametrize("estimator", EVERY)
def test_order_of_rows(estimator: type[ReweightingClassifier]) -> None:
    X, y = noisy_table(4)
    order = np.random.default_rng(1).permutation(len(y))
    models = [
        estimator(n_estimators=12, random_state=0).fit(X[rows], y[rows]) for rows in (slice(None), order)
    ]
    np.testing.assert_allclose(models[0].estimator_weights_, models[1].estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("cost_fp", [0.0, 0.1, 0.5, 1.0, 4.0])
def test_minimum_expected_cost_is_a_threshold_on_the_share_of_votes(cost_fp: float) -> None:
    """AdaMEC's vote = share of the votes above C_FP/(C_FP + C_FN), with a tie going to the negative class."""
    X, y = noisy_table(6)
    model = AdaMECClassifier(STUMP, n_estimators=25, cost_fn=1.0, cost_fp=cost_fp, pos_label=1).fit(X, y)
    share = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), (share > cost_fp / (1.0 + cost_fp)).astype(int))
    plain = AdaBoostClassifier(STUMP, n_estimators=25).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_costs_of_records_at_prediction_set_a_threshold_for_each() -> None:
    X, y = noisy_table(6)
    rng = np.random.default_rng(0)
    cost_fn, cost_fp = rng.lognormal(size=len(y)), rng.lognormal(size=len(y))
    model = AdaMECClassifier(STUMP, n_estimators=9).fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp)
    found = model.predict(X, cost_fn=cost_fn, cost_fp=cost_fp)
    expected = model.predict_proba(X)[:, 1] > cost_fp / (cost_fp + cost_fn)
    np.testing.assert_array_equal(found, expected.astype(int))
    stages = list(model.staged_predict(X, cost_fn=cost_fn, cost_fp=cost_fp))
    np.testing.assert_array_equal(stages[-1], found)


@pytest.mark.parametrize("method", ["AdaBoost", "CGAda", "CSAdaBoost", "AdaUBoost"])
def test_training_error_bound(method: str) -> None:
    """The start's weighted training error is at most the product of the normalisers Z."""
    X, y = noisy_table(7)
    signs = np.where(y == 1, 1.0, -1.0)
    rule = {
        "AdaBoost": ADABOOST,
        "CGAda": CGADA,
        "CSAdaBoost": csadaboost("class-balanced"),
        "AdaUBoost": ADAUBOOST,
    }[method]
    rows = TrainingRows.of(signs, np.ones(len(y)), 3.0, 1.0, n_rounds=15)
    exponents = {
        "CSAdaBoost": np.where(y == 1, 3.0, 1.0),
        "AdaUBoost": np.where(y == 1, 1.0 / 3.0, 1.0),
    }.get(method, np.ones(len(y)))
    votes = Votes(np.zeros(len(y)))
    learner = _StumpSigns(X, y)
    run = boost_by_reweighting(rule, rows, learner)
    start = np.exp(rule.start(rows))
    start /= start.sum()
    weights = start.copy()
    bound = 1.0
    for predicted, alpha in zip(learner.predictions[: len(run.alphas)], run.alphas, strict=True):
        assert isinstance(alpha, float)
        weights = weights * np.exp(-alpha * exponents * signs * predicted)
        bound *= weights.sum()
        weights /= weights.sum()
        votes.add(predicted, alpha)
        assert start @ (signs * votes.score <= 0) <= bound + 1e-12
    assert bound < 1.0
    np.testing.assert_allclose(weights, np.exp(run.log_weights), rtol=1e-8)


class _StumpSigns:
    """A stump learner that remembers what it said."""

    def __init__(self, X: Array, y: NDArray[np.int64]) -> None:
        self._trainer = STUMP.trainer(X, y, 2)
        self.predictions: list[Array] = []

    def fit(self, weights: Array) -> tuple[None, Array]:
        stump, goes_left = self._trainer.fit(weights)
        self.predictions.append(np.where(goes_left, 2.0 * stump.left - 1.0, 2.0 * stump.right - 1.0))
        return None, self.predictions[-1]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_alphas_of_csadaboost_minimise_its_normaliser(seed: int, cost_fn: float, cost_fp: float) -> None:
    X, y = noisy_table(seed % 1000, 40)
    signs = np.where(y == 1, 1.0, -1.0)
    costs = np.where(y == 1, cost_fn, cost_fp)
    learner = _StumpSigns(X, y)
    rows = TrainingRows.of(signs, np.ones(len(y)), cost_fn, cost_fp, n_rounds=1)
    run = boost_by_reweighting(csadaboost("uniform"), rows, learner)
    if not run.alphas or run.errors[0] == 0:
        return
    alpha = run.alphas[0]
    assert isinstance(alpha, float)
    predicted = learner.predictions[0]

    def normaliser(step: float) -> float:
        return float(np.exp(-step * costs * signs * predicted).mean())

    assert normaliser(alpha) <= normaliser(0.99 * alpha) + 1e-12
    assert normaliser(alpha) <= normaliser(1.01 * alpha) + 1e-12


def test_adacc_raises_the_weight_of_the_class_with_more_errors() -> None:
    """The paper's Figure 1: the share of the rare class grows with the unequal error rates."""
    X, y = noisy_table(8, 400)
    plain = AdaBoostClassifier(STUMP, n_estimators=25, record_history=True).fit(X, y)
    for estimator in (AdaCC1Classifier, AdaCC2Classifier):
        model = estimator(STUMP, n_estimators=25, record_history=True).fit(X, y)
        history = model.history_
        assert history["balanced_error"][-1] < plain.history_["balanced_error"][-1]
        dearer = history["cost_of_wrong_positives"] > 1
        rates = history["true_positive_rate"], history["true_negative_rate"]
        np.testing.assert_array_equal(dearer, rates[0] <= rates[1])
        one_of_them = np.minimum(history["cost_of_wrong_positives"], history["cost_of_wrong_negatives"])
        np.testing.assert_array_equal(one_of_them, 1.0)
