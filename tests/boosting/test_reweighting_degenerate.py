"""The reweighting family at the edges: no error, no better than chance, one row, extreme weights, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from badacost.boosting.reweighting.adacost import AdaCostClassifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier, UBoostClassifier
from badacost.boosting.reweighting.calibrated_boosting import CalibratedAdaMECClassifier
from badacost.boosting.reweighting.cgada import CGAdaClassifier
from badacost.boosting.reweighting.csadaboost import CSAdaBoostClassifier
from badacost.boosting.reweighting.csb import CSB0Classifier, CSB2Classifier
from badacost.boosting.reweighting.rareboost import RareBoostClassifier
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning, ReweightingClassifier

from .reweighting_family import CLASS_COSTS_ONLY, EVERY, RECORD_COSTS, WITHOUT_COSTS

QUIET = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
)
SEPARABLE = np.arange(10.0)[:, None], np.repeat([0, 1], [7, 3])


def finite(model: ReweightingClassifier, X: NDArray[np.float64]) -> bool:
    outputs = [model.decision_function(X), model.predict_proba(X), model.estimator_weights_]
    return all(np.isfinite(output).all() for output in outputs)


@QUIET
@pytest.mark.parametrize("estimator", EVERY)
def test_a_learner_without_error_is_kept_and_ends_boosting(estimator: type[ReweightingClassifier]) -> None:
    X, y = SEPARABLE
    model = estimator(n_estimators=10, random_state=0).fit(X, y)
    if estimator is AdaCostClassifier:  # equal costs: a right row does not move it
        assert model.n_rounds_ == 0
        return
    assert model.n_rounds_ == 1
    assert model.stop_reason_ == "the learner of round 1 makes no error"
    assert finite(model, X)
    if not estimator.__name__.startswith("Calibrated"):
        np.testing.assert_array_equal(model.predict(X), y)


def test_its_alpha_is_that_of_half_a_row() -> None:
    X, y = SEPARABLE
    expected = 0.5 * np.log((1 - 1 / 20) / (1 / 20))
    assert AdaBoostClassifier().fit(X, y).estimator_weights_[0] == pytest.approx(expected)
    assert AdaC2Classifier(cost_fp=0.2).fit(X, y).estimator_weights_[0] == pytest.approx(expected)
    assert AdaC1Classifier().fit(X, y).estimator_weights_[0] == pytest.approx(expected)
    assert AdaC3Classifier().fit(X, y).estimator_weights_[0] == pytest.approx(expected)
    np.testing.assert_allclose(RareBoostClassifier().fit(X, y).estimator_weights_, [[0.5 * np.log(10)] * 2])


@pytest.mark.parametrize(
    "estimator", [estimator for estimator in EVERY if estimator is not AdaCostClassifier]
)
def test_constant_features(estimator: type[ReweightingClassifier]) -> None:
    """Constant learners, if any; never a NaN."""
    X, y = np.ones((10, 2)), np.repeat([0, 1], [7, 3])
    model = estimator(n_estimators=5, random_state=0).fit(X, y)
    assert finite(model, X)
    assert len(set(model.predict(X))) == 1
    np.testing.assert_array_equal(model.feature_importances_, 0.0)


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def test_no_learner_better_than_chance() -> None:
    """The class of least cost for every row, with a warning; scikit-learn raises an error here."""
    X, y = XOR
    with pytest.warns(NoRoundWarning, match=r"kept no learner and predicts .*not better than chance .*0\.5"):
        model = AdaBoostClassifier().fit(X, y)
    assert model.n_rounds_ == 0
    assert model.estimators_ == []
    assert model.fallback_class_ == 0  # a tie goes to the negative class
    assert "round 1" in model.stop_reason_
    np.testing.assert_array_equal(model.predict(X), 0)
    np.testing.assert_array_equal(list(model.staged_predict(X)), [model.predict(X)])
    np.testing.assert_array_equal(model.decision_function(X), -1.0)
    np.testing.assert_array_equal(model.feature_importances_, 0.0)
    for least_cost in (CSB0Classifier(vote="mec"), AdaMECClassifier(cost_fp=2.0)):
        with pytest.warns(NoRoundWarning):
            least_cost.fit(X, y)
        np.testing.assert_array_equal(least_cost.predict(X), 0)


def test_fallback_follows_the_costs() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), np.repeat([0, 1], [40, 10])
    for cost_fp, expected in ((0.2, 1), (0.25, 0), (0.9, 0)):
        with pytest.warns(NoRoundWarning):
            model = AdaCostClassifier(cost_fp=cost_fp, n_estimators=3).fit(np.ones_like(X), y)
        assert model.fallback_class_ == expected
        np.testing.assert_array_equal(model.predict(X), expected)
    of_records = np.where(np.arange(50) == 49, 100.0, 1.0)
    with pytest.warns(NoRoundWarning):
        model = AdaCostClassifier(n_estimators=3).fit(np.ones_like(X), y, cost_fn=of_records, cost_fp=1.0)
    assert model.fallback_class_ == 1


def test_negative_alphas() -> None:
    """Stop without the learner, skip it, or keep its votes against it."""
    X, y = XOR
    X, y = np.repeat(X, [5, 4, 4, 4], axis=0), np.repeat(y, [5, 4, 4, 4])

    class Inverted(DecisionTreeClassifier):
        def predict(self, X: Any) -> Any:
            return 1 - super().predict(X)

    # Splits tie on this table, and scikit-learn's tree draws between them: hence the seeds.
    learner = Inverted(max_depth=1)
    with pytest.warns(NoRoundWarning):
        stopped = AdaBoostClassifier(learner, n_estimators=3, random_state=0).fit(X, y)
    with pytest.warns(NoRoundWarning):
        skipped = AdaBoostClassifier(learner, n_estimators=3, random_state=0, on_negative_alpha="skip").fit(
            X, y
        )
    kept = AdaBoostClassifier(learner, n_estimators=3, random_state=0, on_negative_alpha="keep").fit(X, y)
    assert (stopped.n_rounds_, skipped.n_rounds_, kept.n_rounds_) == (0, 0, 3)
    assert skipped.stop_reason_.startswith("all rounds done; the last one skipped")
    assert (kept.estimator_weights_ < 0).all()
    plain = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(kept.predict(X), plain.predict(X))
    np.testing.assert_allclose(kept.predict_proba(X), plain.predict_proba(X))


@QUIET
@pytest.mark.parametrize("estimator", EVERY)
def test_a_class_with_one_row(estimator: type[ReweightingClassifier]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.zeros(30, dtype=int)
    y[17] = 1
    model = estimator(n_estimators=5, random_state=0).fit(X, y)
    assert model.positive_class_ == 1
    assert finite(model, X)


@QUIET
@pytest.mark.parametrize("estimator", [*RECORD_COSTS, *CLASS_COSTS_ONLY])
@pytest.mark.parametrize("ratio", [1e-6, 1e6])
def test_extreme_costs_and_many_rounds(estimator: type[ReweightingClassifier], ratio: float) -> None:
    """Weights span hundreds of orders of magnitude; nothing overflows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0.5).astype(int)
    model = estimator(n_estimators=150, cost_fn=ratio, cost_fp=1.0, random_state=0).fit(X, y)  # type: ignore[call-arg]
    assert finite(model, X)


def test_weights_that_vanished_come_back() -> None:
    """CSB0 multiplies by 1e-9 a round; after 60 rounds the weights are 1e-540 apart."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + rng.normal(size=80) > 0.3).astype(int)
    model = CSB0Classifier(n_estimators=60, cost_fn=1.0, cost_fp=1e-9).fit(X, y)
    by_record = CSB0Classifier(n_estimators=60).fit(X, y, cost_fn=np.ones(80), cost_fp=np.full(80, 1e-9))
    assert finite(model, X)
    np.testing.assert_allclose(model.estimator_weights_, by_record.estimator_weights_, rtol=1e-6)


def test_rows_of_zero_weight_are_left_out() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0.2).astype(int)
    weights = np.ones(40)
    weights[:10] = 0.0
    X[:5] = 1e6
    costs = rng.lognormal(size=40)
    kept = CGAdaClassifier(n_estimators=4).fit(X, y, sample_weight=weights, cost_fn=costs)
    cut = CGAdaClassifier(n_estimators=4).fit(X[10:], y[10:], cost_fn=costs[10:])
    np.testing.assert_array_equal(kept.decision_function(X), cut.decision_function(X))


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 0])
HOLES = np.where(X == 4.0, np.nan, X)


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((HOLES, Y), "Input X contains NaN"),
        ((np.where(X == 4.0, np.inf, X), Y), "Input X contains infinity"),
        ((X, np.zeros(6)), "y of .*fit must have 2 classes .* got 1 class: "),
        ((X, np.arange(6) % 3), "Only binary classification is supported.*got 3 classes"),
        ((X, Y, np.zeros(6)), "sample_weight of .*fit must have a positive entry, all 6 are zero"),
        ((X, Y, -np.ones(6)), r"sample_weight of .*fit must be >= 0, got -1.0 in row 0 \(6 of 6 rows"),
        ((X, Y, [1, 1, np.nan, 1, 1, 1]), "sample_weight of .* must be finite, got nan in row 2"),
        ((X, Y, [1, 1]), "sample_weight of .* one entry a row: X has 6 rows, got 2"),
        ((X, Y, np.ones((6, 1))), r"sample_weight of .* 1D array, one number a row, got shape \(6, 1\)"),
        ((X, Y, ["a"] * 6), "sample_weight of .* must be numbers"),
        ((X, Y, [0, 0, 0, 1, 1, 0]), "2 classes among the rows of positive weight, got 1 class"),
    ],
)
def test_bad_data(estimator: type[ReweightingClassifier], arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator().fit(*arguments)


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators of .* must be an integer >= 1, got 0"),
        ({"n_estimators": 2.5}, "n_estimators of .* got 2.5"),
        ({"n_estimators": True}, "n_estimators of .* got True"),
        ({"pos_label": 7}, r"pos_label of .* must be one of the classes \[.*0.*1.*\], got 7"),
        (
            {"on_negative_alpha": "go"},
            "on_negative_alpha of .* must be one of 'stop', 'skip', 'keep', got 'go'",
        ),
        ({"estimator": "tree"}, "estimator of .* must be a classifier instance or None, got 'tree'"),
        ({"estimator": DecisionTreeClassifier}, "estimator of .* must be a classifier instance"),
    ],
)
def test_bad_parameters(
    estimator: type[ReweightingClassifier], parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, Y)


@pytest.mark.parametrize("estimator", [*RECORD_COSTS, *CLASS_COSTS_ONLY])
@pytest.mark.parametrize(
    ("parameters", "costs", "message"),
    [
        ({"cost_fn": -1.0}, {}, "cost_fn of .* must be finite and >=? 0, got -1.0"),
        ({"cost_fp": np.nan}, {}, "cost_fp of .* must be finite and >=? 0, got nan"),
        (
            {"cost_fp": np.ones(6)},
            {},
            r"cost_fp of .* one number, got ndarray of shape \(6,\); give .* to fit",
        ),
        ({"cost_fp": "dear"}, {}, "cost_fp of .* must be numbers"),
        ({"normalize_costs": "mean"}, {}, "normalize_costs of .* must be one of 'max', 'min', None"),
        ({}, {"cost_fn": [1.0, 2.0]}, "cost_fn of .*fit must have one entry a row: X has 6 rows, got 2"),
        ({}, {"cost_fp": np.ones((2, 2))}, r"cost_fp of .*fit must be a 1D array, .* got shape \(2, 2\)"),
        ({}, {"cost_fp": [1, 1, np.inf, 1, 1, 1]}, "cost_fp of .*fit must be finite, got inf in row 2"),
        ({}, {"cost_fn": [1, 1, 1, -3, 1, 1]}, "cost_fn of .*fit must be >=? 0, got -3.0 in row 3"),
    ],
)
def test_bad_costs(
    estimator: type[ReweightingClassifier], parameters: dict[str, Any], costs: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, Y, **costs)  # type: ignore[call-arg]


@pytest.mark.parametrize("estimator", CLASS_COSTS_ONLY)
def test_costs_of_records_are_refused_with_the_reason(estimator: type[ReweightingClassifier]) -> None:
    for name in ("cost_fn", "cost_fp"):
        with pytest.raises(ValueError, match=rf"{name} of .*fit must be one number .* inside the exponents"):
            estimator().fit(X, Y, **{name: np.ones(6)})  # type: ignore[arg-type]


@pytest.mark.parametrize("estimator", WITHOUT_COSTS)
def test_methods_that_set_their_own_costs_take_none(estimator: type[ReweightingClassifier]) -> None:
    with pytest.raises(TypeError, match=r"cost_fn"):
        estimator(cost_fn=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"cost_fn"):
        estimator().fit(X, Y, cost_fn=np.ones(6))  # type: ignore[call-arg]


def test_zero_costs_only_where_they_have_a_meaning() -> None:
    """With free false positives AdaMEC says negative only where no learner says positive."""
    model = AdaMECClassifier(cost_fp=0.0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > 0)
    with pytest.raises(ValueError, match=r"cost_fp of CGAdaClassifier must be finite and > 0, got 0\.0"):
        CGAdaClassifier(cost_fp=0.0).fit(X, Y)


def test_costs_beyond_one() -> None:
    """AdaC1, AdaC3 and AdaCost divide by the largest cost; told not to, they refuse what breaks their alphas."""
    for estimator in (AdaC1Classifier, AdaC3Classifier, AdaCostClassifier):
        message = r"must lie in \(0, 1\] after normalize_costs=None, got 3; normalize_costs='max'"
        with pytest.raises(ValueError, match=message):
            estimator(cost_fn=3.0, normalize_costs=None).fit(X, Y)


def test_missing_costs_at_prediction() -> None:
    for model in (UBoostClassifier(), AdaMECClassifier(), CalibratedAdaMECClassifier(random_state=0)):
        model.fit(X, Y, cost_fn=np.ones(6))
        with pytest.raises(ValueError, match=r"cost_fn of .*predict is missing: .* single records in fit"):
            model.predict(X)
        assert len(model.predict(X, cost_fn=2.0)) == 6
        with pytest.raises(
            ValueError, match=r"cost_fn of .*predict must have one entry a row: X has 6 rows, got 3"
        ):
            model.predict(X, cost_fn=np.ones(3))
    with pytest.raises(ValueError, match=r"cost_fn and cost_fp of CSB2Classifier.predict have no use"):
        CSB2Classifier().fit(X, Y).predict(X, cost_fn=1.0)
    assert len(CSB2Classifier(vote="mec", cost_fp=0.5).fit(X, Y).predict(X, cost_fp=np.ones(6))) == 6


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            AdaCostClassifier(beta="fang"),
            "beta of AdaCostClassifier must be one of 'fan', 'ting', got 'fang'",
        ),
        (AdaCostClassifier(alpha_rule="e"), "alpha_rule of AdaCostClassifier"),
        (AdaC2Classifier(form="book"), "form of AdaC2Classifier must be one of 'paper', 'code', got 'book'"),
        (CSB0Classifier(vote="all"), "vote of CSB0Classifier must be one of 'plain', 'mec'"),
        (UBoostClassifier(cost_update="yes"), "cost_update of UBoostClassifier must be one of False, True"),
        (CSAdaBoostClassifier(search="wide"), "search of CSAdaBoostClassifier must be one of 'full', 'fast'"),
        (CSAdaBoostClassifier(initial_weights=1), "initial_weights of CSAdaBoostClassifier"),
        (
            CSAdaBoostClassifier(DecisionTreeClassifier()),
            "estimator of .* search='full', which judges every cut",
        ),
        (
            CalibratedAdaMECClassifier(calibration="beta"),
            "calibration of .* must be one of 'platt', 'isotonic'",
        ),
        (
            CalibratedAdaMECClassifier(calibration_fraction=1.0),
            "calibration_fraction of .* between 0 and 1, got 1.0",
        ),
        (CalibratedAdaMECClassifier(threshold=0.5), "threshold of .* must be one of 'cost', 'skew', got 0.5"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_choices(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
