"""RUSBoost and SMOTEBoost: what a round is trained on, AdaBoost.M2 by its formulas, conformance, bad input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from imblearn.combine import SMOTEENN
from imblearn.over_sampling import SMOTE
from imblearn.under_sampling import RandomUnderSampler
from numpy.typing import NDArray
from sklearn.linear_model import Perceptron
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.multiclass.samme_classifier import SAMMEClassifier
from badacost.boosting.sampling import sampling_booster
from badacost.boosting.sampling.class_sampling import (
    EqualRows,
    ForeignSampler,
    Sample,
    SyntheticSampler,
    UnderSampler,
    nearest_rows,
)
from badacost.boosting.sampling.rusboost import RUSBoostClassifier
from badacost.boosting.sampling.sampling_booster import SamplingBooster
from badacost.boosting.sampling.smoteboost import SMOTEBoostClassifier
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier
from badacost.boosting.trees.tree_classifier import TreeClassifier

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
BOTH: list[type[SamplingBooster]] = [RUSBoostClassifier, SMOTEBoostClassifier]
QUIET = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
)


@pytest.fixture(scope="module")
def data() -> tuple[Array, Codes]:
    """Three very unequal, overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [150, 40, 12])
    centres = np.array([[0.0, 0.0], [1.8, 0.5], [0.3, 2.2]])
    return centres[y] + rng.normal(size=(202, 2)), y


def table_of(data: tuple[Array, Codes], weights: Array | None = None) -> EqualRows:
    return EqualRows(*data, np.ones(len(data[1])) if weights is None else weights)


def test_undersampling_keeps_as_many_of_every_class(data: tuple[Array, Codes]) -> None:
    sampler = UnderSampler(table_of(data), 3, np.random.default_rng(0))
    samples = [sampler.draw() for _ in range(200)]
    for sample in samples:
        assert set(np.unique(sample.shares)) <= {0.0, 1.0}  # without replacement
        assert [sample.shares[data[1] == k].sum() for k in range(3)] == [12, 12, 12]
        assert (sample.size, len(sample.extra_rows)) == (36, 0)
    often = np.mean([sample.shares for sample in samples], axis=0)
    assert (often[data[1] == 2] == 1).all()  # the smallest class is kept whole
    np.testing.assert_allclose(often[data[1] == 1], 12 / 40, atol=0.15)


def test_a_row_of_integer_weight_stands_for_equal_rows(data: tuple[Array, Codes]) -> None:
    """The same draw for weights and for repetition."""
    times = np.random.default_rng(1).integers(1, 4, len(data[1]))
    repeated = np.repeat(data[0], times, axis=0), np.repeat(data[1], times)
    for make in (
        lambda table: UnderSampler(table, 3, np.random.default_rng(5)),
        lambda table: SyntheticSampler(table, 3, None, 5, np.random.default_rng(5)),
    ):
        weighted = make(table_of(data, times.astype(np.float64))).draw()
        whole = make(table_of(repeated)).draw()
        np.testing.assert_array_equal(weighted.extra_rows, whole.extra_rows)
        assert weighted.size == whole.size
        np.testing.assert_allclose(np.repeat(weighted.shares, times), whole.shares)


@pytest.mark.parametrize("n_synthetic", [None, 30])
def test_synthetic_rows_lie_towards_a_neighbour_of_their_class(
    data: tuple[Array, Codes], n_synthetic: int | None
) -> None:
    X, y = data
    sampler = SyntheticSampler(table_of(data), 3, n_synthetic, 4, np.random.default_rng(0))
    sample = sampler.draw()
    expected = {1: 110, 2: 138} if n_synthetic is None else {2: 30}
    assert dict(zip(*np.unique(sample.extra_codes, return_counts=True), strict=True)) == expected
    assert (sample.shares == 1).all()
    assert sample.size == len(y) + sum(expected.values())
    for code in expected:
        rows = X[y == code]
        neighbours = NearestNeighbors(n_neighbors=5).fit(rows).kneighbors(rows, return_distance=False)[:, 1:]
        starts = np.repeat(rows, 4, axis=0)
        ways = rows[neighbours.ravel()] - starts
        for row in sample.extra_rows[sample.extra_codes == code]:
            along = ((row - starts) * ways).sum(axis=1) / (ways**2).sum(axis=1)
            off = np.linalg.norm(row - starts - along[:, None] * ways, axis=1)
            assert ((off < 1e-9) & (along > -1e-9) & (along < 1 + 1e-9)).any()


def test_synthetic_rows_are_fresh_and_from_the_original_rows(
    data: tuple[Array, Codes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not SMOTE once and AdaBoost after it: every round has new rows, and none grows out of older ones."""
    drawn: list[Sample] = []
    original = SyntheticSampler.draw

    def watched(self: SyntheticSampler) -> Sample:
        drawn.append(original(self))
        return drawn[-1]

    monkeypatch.setattr(SyntheticSampler, "draw", watched)
    X, y = data
    SMOTEBoostClassifier(n_estimators=6, random_state=0).fit(X, y)
    assert len(drawn) == 6
    for before, after in pairwise(drawn):
        assert len(before.extra_rows) == len(after.extra_rows) == 248
        assert not np.intersect1d(before.extra_rows, after.extra_rows).size
    inside = [X[y == code].min(axis=0) for code in (1, 2)], [X[y == code].max(axis=0) for code in (1, 2)]
    for sample in drawn:
        for number, code in enumerate((1, 2)):
            rows = sample.extra_rows[sample.extra_codes == code]
            assert (rows >= inside[0][number] - 1e-12).all()
            assert (rows <= inside[1][number] + 1e-12).all()


def test_small_classes() -> None:
    np.testing.assert_array_equal(nearest_rows(np.zeros((1, 2)), 5), [[0]])
    assert nearest_rows(np.arange(6.0)[:, None], 9).shape == (6, 5)
    X, y = np.arange(8.0)[:, None], np.array([0] * 7 + [1])
    sample = SyntheticSampler(table_of((X, y)), 2, None, 5, np.random.default_rng(0)).draw()
    np.testing.assert_array_equal(sample.extra_rows, np.full((6, 1), 7.0))


def test_samplers_of_imbalanced_learn(data: tuple[Array, Codes]) -> None:
    random_state = np.random.RandomState(0)
    X, y = data
    under = ForeignSampler(RandomUnderSampler(), X, y, random_state).draw()
    assert [under.shares[y == k].sum() for k in range(3)] == [12, 12, 12]
    over = ForeignSampler(SMOTE(), X, y, random_state)
    first, second = over.draw(), over.draw()
    assert (first.shares == 1).all()
    assert len(first.extra_rows) == 248
    assert not np.array_equal(first.extra_rows, second.extra_rows)
    both = ForeignSampler(SMOTEENN(), X, y, random_state).draw()
    assert both.size > 0
    for sampler in (RandomUnderSampler(), SMOTE(k_neighbors=3), SMOTEENN()):
        for estimator in BOTH:
            model = estimator(n_estimators=4, sampler=sampler, random_state=0).fit(X, y)
            assert model.score(X, y) > 0.5


def slow_m2(model: SamplingBooster, X: Array, y: Codes) -> tuple[list[float], list[float], Array]:
    """AdaBoost.M2 by its definition, on the learners that the model has."""
    n_rows, n_classes = len(y), len(model.classes_)
    D = np.full((n_rows, n_classes), 1.0 / (n_rows * (n_classes - 1)))
    D[np.arange(n_rows), y] = 0.0
    losses, alphas, scores = [], [], np.zeros((n_rows, n_classes))
    for learner in model.estimators_:
        h = learner.predict_proba(X)
        own = h[np.arange(n_rows), y][:, None]
        loss = 0.5 * (D * (1 - own + h)).sum()
        b = loss / (1 - loss)
        D = D * b ** (0.5 * (1 + own - h))
        D /= D.sum()
        losses.append(loss)
        alphas.append(np.log(1 / b))
        scores += alphas[-1] * h
    return losses, alphas, scores


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    "learner", [DecisionStumpClassifier(), TreeClassifier(max_depth=2), DecisionTreeClassifier(max_depth=2)]
)
def test_m2_by_its_definition(estimator: Any, learner: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    model = estimator(learner, n_estimators=40, random_state=0, on_negative_alpha="stop").fit(X, y)
    assert model.n_rounds_ > 3
    losses, alphas, scores = slow_m2(model, X, y)
    np.testing.assert_allclose(model.estimator_errors_, losses, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), scores / np.sum(alphas), rtol=1e-9)


@pytest.mark.parametrize("estimator", BOTH)
def test_samme_by_its_definition(estimator: Any, data: tuple[Array, Codes]) -> None:
    X, y = data
    model = estimator(max_depth=2, n_estimators=15, algorithm="SAMME", random_state=0).fit(X, y)
    D = np.full(len(y), 1 / len(y))
    for learner, alpha, error in zip(
        model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True
    ):
        wrong = learner.predict(X) != y
        assert error == pytest.approx(D[wrong].sum())
        assert alpha == pytest.approx(np.log((1 - error) / error) + np.log(2))
        D = D * np.exp(alpha * wrong)
        D /= D.sum()


def test_without_anything_to_sample_rusboost_is_samme() -> None:
    """Equal classes: the sample is the table."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 40)
    X = np.array([[0.0, 0.0], [1.5, 0.5], [0.3, 2.0]])[y] + rng.normal(size=(120, 2))
    found = RUSBoostClassifier(algorithm="SAMME", max_depth=2, n_estimators=8).fit(X, y)
    expected = SAMMEClassifier(max_depth=2, n_estimators=8).fit(X, y)
    np.testing.assert_allclose(found.estimator_weights_, expected.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


def test_weights_of_the_training_set(data: tuple[Array, Codes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Boosting weights for original rows, 1/size for synthetic ones, normalised."""
    X, y = data
    seen: list[Array] = []

    class Watched(DecisionTreeClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            seen.append(np.asarray(sample_weight))
            return super().fit(X, y, sample_weight)

    SMOTEBoostClassifier(Watched(max_depth=2), n_estimators=2, random_state=0).fit(X, y)
    size = len(y) + 248
    weights = np.concatenate([np.full(len(y), 1 / len(y)), np.full(248, 1 / size)])
    np.testing.assert_allclose(seen[0] / seen[0].sum(), weights / weights.sum())
    assert len(np.unique(seen[1][: len(y)].round(12))) > 1
    assert np.ptp(seen[1][len(y) :]) < 1e-12


def test_vanishing_weights_of_m2_come_back(
    data: tuple[Array, Codes], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    parameters: dict[str, Any] = {"n_estimators": 40, "random_state": 0}
    expected = RUSBoostClassifier(TreeClassifier(max_depth=2), **parameters).fit(X, y)
    monkeypatch.setattr(sampling_booster, "REFRESH", 1)
    found = RUSBoostClassifier(TreeClassifier(max_depth=2), **parameters).fit(X, y)
    np.testing.assert_allclose(found.estimator_weights_, expected.estimator_weights_, rtol=1e-9)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("algorithm", ["M2", "SAMME"])
@pytest.mark.parametrize("learner", [None, TreeClassifier(max_depth=2), DecisionTreeClassifier(max_depth=2)])
def test_attributes_and_stages(
    estimator: Any, algorithm: str, learner: Any, data: tuple[Array, Codes]
) -> None:
    X, y = data
    labels = np.array(["c", "a", "b"])[y]
    model = estimator(learner, n_estimators=6, algorithm=algorithm, random_state=0, record_history=True)
    model.fit(X, labels)
    assert model.n_rounds_ == len(model.estimators_) == len(model.estimator_weights_) >= 1
    for t, predicted in enumerate(model.staged_predict(X)):
        assert model.history_["training_error"][t] == pytest.approx((predicted != labels).mean())
    np.testing.assert_array_equal(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    again = estimator(learner, n_estimators=6, algorithm=algorithm, random_state=0).fit(X, labels)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    other = estimator(learner, n_estimators=6, algorithm=algorithm, random_state=1).fit(X, labels)
    assert not np.array_equal(other.predict_proba(X), model.predict_proba(X))


def test_the_rare_classes_gain(data: tuple[Array, Codes]) -> None:
    X, y = data
    plain = SAMMEClassifier(max_depth=1, n_estimators=20).fit(X, y).predict(X)
    for estimator in BOTH:
        found = estimator(n_estimators=20, algorithm="SAMME", random_state=0).fit(X, y).predict(X)
        assert (found[y == 2] == 2).mean() >= (plain[y == 2] == 2).mean()
        assert np.mean([(found[y == k] == k).mean() for k in range(3)]) > 0.6


@parametrize_with_checks(
    [estimator() for estimator in BOTH] + [estimator(algorithm="SAMME") for estimator in BOTH]
)
@QUIET
def test_scikit_learn_conformance(estimator: Any, check: Any) -> None:
    check(estimator)


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RUSBoostClassifier(algorithm="M1"), "algorithm of RUSBoostClassifier must be one of 'M2', 'SAMME'"),  # type: ignore[arg-type]
        (
            RUSBoostClassifier(sampler="SMOTE"),
            "sampler of RUSBoostClassifier must have fit_resample or be None",
        ),
        (RUSBoostClassifier(on_negative_alpha="keep"), "on_negative_alpha of RUSBoostClassifier"),  # type: ignore[arg-type]
        (RUSBoostClassifier(Perceptron()), "must have predict_proba for algorithm='M2', Perceptron has not"),
        (SMOTEBoostClassifier(n_neighbors=0), "n_neighbors of SMOTEBoostClassifier must be an integer >= 1"),
        (SMOTEBoostClassifier(n_synthetic=0), "n_synthetic of SMOTEBoostClassifier must be an integer >= 1"),
        (SMOTEBoostClassifier(n_estimators=0), "n_estimators of SMOTEBoostClassifier"),
    ],
)
def test_bad_parameters(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize("estimator", BOTH)
def test_bad_weights(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"sample_weight of .*fit must have one entry a row"):
        estimator().fit(X, Y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match=r"sample_weight of .*fit must be >= 0"):
        estimator().fit(X, Y, sample_weight=-np.ones(6))
