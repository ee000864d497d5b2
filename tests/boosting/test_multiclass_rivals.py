"""AdaC2.M1, Lp-CSB, MultiBoost, PIBoost: runs on given predictions, special cases, conformance, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.costs import margin_codes
from badacost.boosting.multiclass.adac2m1 import AdaC2M1Classifier, boost_adac2m1
from badacost.boosting.multiclass.lpcsb import LpCSBClassifier, best_mixing, boost_lpcsb, uniform_over
from badacost.boosting.multiclass.multiboost import MultiBoostClassifier, boost_multiboost, multiboost_step
from badacost.boosting.multiclass.multiclass_ensemble import MulticlassEnsemble
from badacost.boosting.multiclass.piboost import (
    PIBoostClassifier,
    boost_separator,
    separator_scale,
    separator_votes,
    separators,
)
from badacost.boosting.multiclass.samme_classifier import SAMMEClassifier
from badacost.boosting.reweighting.adac import AdaC2Classifier
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning
from badacost.boosting.rounds.exponential_step import exponential_step
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier
from badacost.boosting.trees.tree_classifier import TreeClassifier

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
RIVALS: list[type[MulticlassEnsemble]] = [
    AdaC2M1Classifier,
    LpCSBClassifier,
    MultiBoostClassifier,
    PIBoostClassifier,
]
WITH_COSTS = RIVALS[:3]
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [5.0, 0.5, 0.0]])
QUIET = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
)


@pytest.fixture
def given_predictions(shared: Path) -> dict[str, Any]:
    with np.load(shared / "reference/boosting/given_predictions_multiclass.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def data() -> tuple[Array, Codes]:
    """Three unequal, overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [150, 90, 40])
    centres = np.array([[0.0, 0.0, 0.0], [1.5, 0.5, 0.0], [0.3, 2.0, 0.0]])
    return (centres[y] + rng.normal(size=(280, 3))).round(2), y


class Given:
    """Says what it is told to, round by round."""

    def __init__(self, predictions: NDArray[Any]) -> None:
        self._rounds = iter(predictions)

    def fit(self, weights: Array) -> tuple[None, NDArray[Any]]:
        return None, next(self._rounds)

    choose = fit


def test_given_predictions_of_adac2m1(given_predictions: dict[str, Any]) -> None:
    y, G, C = (given_predictions[name] for name in ("y", "G", "C"))
    run = boost_adac2m1(Given(G), y, C, np.full(len(y), 1 / len(y)), n_rounds=len(G), stop=False)
    np.testing.assert_allclose(run.alphas, given_predictions["adac2m1_nostop/alpha"], 1e-10)
    weights = np.exp(run.log_weights)
    np.testing.assert_allclose(weights, given_predictions["adac2m1_nostop/final_weights"], 1e-10)
    np.testing.assert_allclose(run.votes, given_predictions["adac2m1_nostop/votes"], 1e-10)


def test_given_predictions_of_multiboost(given_predictions: dict[str, Any]) -> None:
    y, G, C = (given_predictions[name] for name in ("y", "G", "C"))
    run = boost_multiboost(Given(G), C[y], n_rounds=len(G))
    np.testing.assert_allclose(run.betas, given_predictions["multiboost/beta"], 1e-10)
    np.testing.assert_allclose(run.scores, given_predictions["multiboost/f"], 1e-10, 1e-12)
    np.testing.assert_allclose(run.weights, given_predictions["multiboost/final_w"], 1e-10)
    np.testing.assert_array_equal(run.scores.argmax(axis=1), given_predictions["multiboost/pred"])


def test_given_predictions_of_piboost(given_predictions: dict[str, Any]) -> None:
    """One weight vector a separator; the oracle keeps negative steps."""
    y, G = given_predictions["y"], given_predictions["G"]
    scores = np.zeros((len(y), 4))
    for k in range(4):
        says = np.where(k == G, 1.0, -1.0)
        run = boost_separator(
            Given(says), y == k, (4, 1), np.ones(len(y)), n_rounds=len(G), on_negative_step="keep"
        )
        betas = separator_scale(4, 1) * np.array(run.alphas)
        np.testing.assert_allclose(betas, given_predictions["piboost_s1/beta"][:, k], 1e-10)
        weights = np.exp(run.log_weights)
        np.testing.assert_allclose(weights, given_predictions["piboost_s1/final_weights"][k], 1e-10)
        scores += np.einsum("t,ti,k->ik", betas, says, separator_votes(4, (k,)))
    np.testing.assert_allclose(scores, given_predictions["piboost_s1/f"], 1e-10, 1e-12)
    np.testing.assert_array_equal(scores.argmax(axis=1), given_predictions["piboost_s1/pred"])


def test_steps_of_multiboost(shared: Path) -> None:
    with np.load(shared / "reference/boosting/roots.npz") as arrays:
        cases, betas = arrays["multiboost/K_A_B"], arrays["multiboost/beta"]
    for (n_classes, loss, rest), beta in zip(cases, betas, strict=True):
        assert loss + rest == pytest.approx(1.0)
        assert multiboost_step(loss, int(n_classes)) == pytest.approx(beta, rel=1e-10)


@pytest.mark.parametrize("size", [1, 2])
def test_separators_vote_with_margin_vectors(size: int) -> None:
    found = separators(4, size)
    assert len(found) == (4 if size == 1 else 10)
    for separator in found:
        votes = separator_votes(4, separator)
        assert votes.sum() == pytest.approx(0.0)
        if len(separator) == 1:
            np.testing.assert_allclose(votes, margin_codes(4)[separator[0]])


def test_two_classes_of_adac2m1_are_adac2(data: tuple[Array, Codes]) -> None:
    X, y = data[0], (data[1] == 1).astype(int)
    stump = DecisionStumpClassifier()
    expected = AdaC2Classifier(stump, cost_fn=0.9, cost_fp=0.7, n_estimators=15).fit(X, y)
    found = AdaC2M1Classifier(stump, cost_matrix=[[0, 0.7], [0.9, 0]], n_estimators=15).fit(X, y)
    np.testing.assert_allclose(found.estimator_weights_, expected.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


def test_first_step_of_a_separator(data: tuple[Array, Codes]) -> None:
    """beta of the paper's polynomial, from the weights in and out of S."""
    X, y = data
    model = PIBoostClassifier(DecisionStumpClassifier(), n_estimators=1).fit(X, y)
    for k in range(3):
        inside = y == k
        wrong = (model.estimators_[0][k].predict(X) == 1) != inside
        errors = (inside & wrong).mean(), (~inside & wrong).mean()
        right = (inside & ~wrong).mean(), (~inside & ~wrong).mean()
        beta = 1 * 2 * 2 * exponential_step(errors, right, (2.0, 1.0))  # s (K - s) (K - 1), K = 3, s = 1
        assert model.estimator_weights_[0, k] == pytest.approx(max(beta, 0.0))


def test_adac2m1_of_equal_costs_has_the_weights_of_adaboost_m1(data: tuple[Array, Codes]) -> None:
    """alpha = 1/2 ln((1-e)/e): SAMME's without ln(K-1)."""
    X, y = data
    found = AdaC2M1Classifier(max_depth=2, n_estimators=1).fit(X, y)
    samme = SAMMEClassifier(max_depth=2, n_estimators=1).fit(X, y)
    error = samme.estimator_errors_[0]
    assert found.estimator_weights_[0] == pytest.approx(0.5 * np.log((1 - error) / error))


@pytest.mark.parametrize("estimator", WITH_COSTS)
def test_scale_of_the_costs_does_not_matter(estimator: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    parameters: dict[str, Any] = {"n_estimators": 6, "random_state": 0}
    models = [estimator(cost_matrix=scale * COSTS, **parameters).fit(X, y) for scale in (1.0, 7.0)]
    np.testing.assert_allclose(models[0].estimator_weights_, models[1].estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("estimator", WITH_COSTS)
def test_costs_move_decisions(estimator: Any, data: tuple[Array, Codes]) -> None:
    """Rows = true: making it dear to miss class 2 gives more of class 2, not fewer."""
    X, y = data
    dear = np.ones((3, 3)) - np.eye(3)
    dear[2] *= 8.0
    parameters: dict[str, Any] = {"n_estimators": 8, "max_depth": 2, "random_state": 0}
    plain = estimator(**parameters).fit(X, y)
    costly = estimator(cost_matrix=dear, **parameters).fit(X, y)
    assert (costly.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()


def test_losses_fall(data: tuple[Array, Codes]) -> None:
    X, y = data
    model = LpCSBClassifier(cost_matrix=COSTS, n_estimators=12, record_history=True).fit(X, y)
    assert (np.diff(model.losses_) < 0).all()
    assert model.losses_[-1] < model.losses_[0]
    np.testing.assert_array_equal(model.history_["loss"], model.losses_)
    start_share = np.prod(1.0 - model.mixing_)
    assert model.estimator_weights_.sum() + start_share == pytest.approx(1.0)


def test_best_mixing_is_the_minimiser() -> None:
    rng = np.random.default_rng(0)
    for p in (1.0, 1.5, 2.0, 5.0):
        H, f = rng.dirichlet(np.ones(4), 50), uniform_over(rng.random((50, 4)) < 0.4)
        costs = rng.random((50, 4)) * (f < 0.9)
        found = best_mixing(H, f, costs, p)
        grid = np.linspace(0, 1, 201)
        losses = [(((1 - a) * H + a * f) ** p * costs).sum() for a in grid]
        assert (((1 - found) * H + found * f) ** p * costs).sum() <= min(losses) + 1e-9


def test_distribution_over_the_labels_called_right() -> None:
    said = np.array([[True, False, True, False], [False, False, False, False], [False, True, False, False]])
    expected = [[0.5, 0, 0.5, 0], [0.25, 0.25, 0.25, 0.25], [0, 1, 0, 0]]
    np.testing.assert_array_equal(uniform_over(said), expected)


def test_weights_of_the_labels() -> None:
    """w(n, k) = H^(p-1) C, and the sum of these for the right label."""
    seen: list[Array] = []

    class Watch:
        def fit(self, weights: Array) -> tuple[None, NDArray[np.bool_]]:
            seen.append(weights)
            return None, np.eye(3, dtype=bool)[[0, 1, 1]]

    codes = np.array([0, 1, 2])
    boost_lpcsb(Watch(), codes, COSTS[codes], p=3.0, n_rounds=2)
    first = (1 / 3) ** 2 * COSTS[codes]
    first[np.arange(3), codes] = first.sum(axis=1)
    np.testing.assert_allclose(seen[0], first / first.sum())


def test_costs_of_records(data: tuple[Array, Codes]) -> None:
    X, y = data
    by_matrix = LpCSBClassifier(cost_matrix=COSTS, n_estimators=5).fit(X, y)
    by_record = LpCSBClassifier(n_estimators=5).fit(X, y, record_costs=COSTS[y])
    np.testing.assert_array_equal(by_record.predict_proba(X), by_matrix.predict_proba(X))
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted = LpCSBClassifier(n_estimators=5).fit(X, y, weights, record_costs=COSTS[y])
    cut = LpCSBClassifier(n_estimators=5).fit(X[kept], y[kept], record_costs=COSTS[y[kept]])
    np.testing.assert_array_equal(weighted.predict_proba(X), cut.predict_proba(X))
    for costs, message in (
        (COSTS, r"shape \(rows, classes\) = \(280, 3\), got \(3, 3\)"),
        (COSTS[y] + 1.0, r"0 for the row's own class, got 1.0 at \[0, 0\]"),
        (-COSTS[y], r">= 0, got -1.0 at \[0, 1\]"),
        (np.where(COSTS[y] == 4.0, np.nan, COSTS[y]), "finite, got nan"),
        (0.0 * COSTS[y], "zeros only"),
        ("dear", "numbers"),
    ):
        with pytest.raises(ValueError, match=f"record_costs of LpCSBClassifier.fit must.*{message}"):
            LpCSBClassifier().fit(X, y, record_costs=costs)  # type: ignore[arg-type]


def test_pool(data: tuple[Array, Codes]) -> None:
    X, y = data
    model = MultiBoostClassifier(n_estimators=30, pool_size=20, random_state=0).fit(X, y)
    assert len({id(learner) for learner in model.estimators_}) <= 20
    assert (model.estimator_errors_ < 1 / 3).all()
    again = MultiBoostClassifier(n_estimators=30, pool_size=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.estimator_weights_, model.estimator_weights_)
    other = MultiBoostClassifier(n_estimators=30, pool_size=20, random_state=1).fit(X, y)
    assert not np.array_equal(other.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("estimator", RIVALS)
@pytest.mark.parametrize("learner", ["stump", "tree", "other"])
def test_attributes_and_stages(estimator: Any, learner: str, data: tuple[Array, Codes]) -> None:
    X, y = data
    weak = {"stump": DecisionStumpClassifier(), "tree": None, "other": LogisticRegression()}[learner]
    labels = np.array(["c", "a", "b"])[y]
    model = estimator(weak, n_estimators=5, random_state=0, record_history=True)
    if isinstance(model, MultiBoostClassifier):
        model.set_params(pool_size=20)
    model.fit(X, labels)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.n_rounds_ == len(model.estimators_) == len(model.estimator_weights_) >= 1
    assert all(len(values) == model.n_rounds_ for values in model.history_.values())
    for t, predicted in enumerate(model.staged_predict(X)):
        assert model.history_["training_error"][t] == pytest.approx((predicted != labels).mean())
        for k, name in enumerate(model.classes_):
            recall = (predicted[labels == name] == name).mean()
            assert model.history_["recall"][t, k] == pytest.approx(recall)
    for whole, staged in (
        (model.predict, model.staged_predict),
        (model.decision_function, model.staged_decision_function),
        (model.predict_proba, model.staged_predict_proba),
    ):
        stages = list(staged(X))
        assert len(stages) == model.n_rounds_
        np.testing.assert_array_equal(stages[-1], whole(X))
    assert (model.predict(X) == labels).mean() > 0.55
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    if learner == "other":
        with pytest.raises(AttributeError, match="LogisticRegression has no feature_importances_"):
            _ = model.feature_importances_
    else:
        assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_larger_separators(data: tuple[Array, Codes]) -> None:
    X, y = data
    four = y.copy()
    four[::2] += 3 * (four[::2] == 0)
    model = PIBoostClassifier(max_separator_size=2, n_estimators=3).fit(X, four)
    assert model.separators_[:5] == [(0,), (1,), (2,), (3,), (0, 1)]
    assert model.estimator_weights_.shape == (model.n_rounds_, 10)
    with pytest.raises(ValueError, match=r"max_separator_size .* at most half .*, 1 of 3, got 2"):
        PIBoostClassifier(max_separator_size=2).fit(X, y)


def test_stop_rules_of_adac2m1(data: tuple[Array, Codes]) -> None:
    """A class whose errors are very dear stops it early; the program goes on with negative alphas."""
    X, y = data
    costs = np.ones((3, 3)) - np.eye(3)
    costs[2] *= 100.0
    stump = DecisionStumpClassifier()
    with pytest.warns(NoRoundWarning, match="kept no learner"):
        stopped = AdaC2M1Classifier(stump, cost_matrix=costs, n_estimators=9).fit(X, y)
    assert stopped.n_rounds_ == 0
    assert set(stopped.predict(X)) == {2}
    going_on = AdaC2M1Classifier(stump, cost_matrix=costs, n_estimators=9, stop=False).fit(X, y)
    assert going_on.n_rounds_ == 9
    assert going_on.estimator_weights_.min() < 0


@QUIET
@pytest.mark.parametrize("estimator", RIVALS)
def test_degenerate_tables(estimator: Any) -> None:
    separable = np.repeat([0.0, 1.0, 2.0], 5)[:, None]
    y = np.repeat([0, 1, 2], 5)
    model = estimator(n_estimators=10, random_state=0).fit(separable, y)
    np.testing.assert_array_equal(model.predict(separable), y)
    assert model.n_rounds_ <= 2
    assert "error" in model.stop_reason_ or "at risk" in model.stop_reason_
    constant = estimator(n_estimators=10, random_state=0).fit(
        np.ones((15, 2)), np.repeat([0, 1, 2], [8, 4, 3])
    )
    assert set(constant.predict(np.ones((2, 2)))) == {0}
    assert np.isfinite(constant.predict_proba(np.ones((2, 2)))).all()
    lonely = np.array([0] * 9 + [1] * 5 + [2])
    model = estimator(n_estimators=3, random_state=0).fit(
        np.random.default_rng(0).normal(size=(15, 2)), lonely
    )
    assert np.isfinite(model.decision_function(np.zeros((1, 2)))).all()


@parametrize_with_checks(
    [AdaC2M1Classifier(), LpCSBClassifier(), MultiBoostClassifier(pool_size=30), PIBoostClassifier()]
)
@QUIET
def test_scikit_learn_conformance(estimator: Any, check: Any) -> None:
    check(estimator)


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("estimator", RIVALS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators of .* must be an integer >= 1, got 0"),
        ({"estimator": "tree"}, "estimator of .* must be a classifier instance or None"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_bad_parameters(estimator: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, Y)


@pytest.mark.parametrize("estimator", WITH_COSTS)
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.ones((3, 2)), "cost_matrix must be square"),
        (np.ones((2, 2)) - np.eye(2), r"cost_matrix must be 3 x 3, .* got shape \(2, 2\)"),
        (np.ones((3, 3)), "zero diagonal"),
        (-COSTS, "must not be negative"),
        (np.full((3, 3), np.nan), "finite"),
    ],
)
def test_bad_costs(estimator: Any, costs: Array, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(cost_matrix=costs).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LpCSBClassifier(p=0.5), "p of LpCSBClassifier must be a number >= 1, got 0.5"),
        (MultiBoostClassifier(pool_size=0), "pool_size of MultiBoostClassifier must be an integer >= 1"),
        (MultiBoostClassifier(pool_fractions=(0.5, 1.5)), r"pool_fractions .* shares in \(0, 1\], got"),
        (MultiBoostClassifier(pool_fractions=()), r"pool_fractions .* got \(\)"),
        (PIBoostClassifier(on_negative_step="go"), "on_negative_step of PIBoostClassifier must be one of"),  # type: ignore[arg-type]
        (AdaC2M1Classifier(stop="no"), "stop of AdaC2M1Classifier must be one of True, False"),  # type: ignore[arg-type]
    ],
)
def test_bad_choices(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_same_trees_in_one_preparation_and_in_many(data: tuple[Array, Codes]) -> None:
    """Columns prepared once for all separators give the trees that each would have alone."""
    X, y = data
    model = PIBoostClassifier(max_depth=2, n_estimators=1).fit(X, y)
    for k in range(3):
        alone = TreeClassifier(max_depth=2).fit(X, (y == k).astype(int))
        together = model.estimators_[0][k]
        np.testing.assert_array_equal(together.tree_.threshold, alone.tree_.threshold)
        np.testing.assert_array_equal(together.tree_.feature, alone.tree_.feature)
