"""Margin bagging as a classifier: its first ensemble, rates, ranges and their search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.bagging.margin_bagging import MarginBaggingClassifier
from badacost.boosting.bagging.margins import MARGINS, Margin
from badacost.boosting.metrics import average_accuracy

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@pytest.fixture(scope="module")
def data() -> tuple[Array, Codes]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [200, 60, 15])
    centres = np.array([[0.0, 0.0], [1.8, 0.5], [0.3, 2.2]])
    return centres[y] + rng.normal(size=(275, 2)), y


def slow_margins(votes: Codes, y: Codes, margin: str) -> Array:
    """Row by row, then the shift of the sum margins."""
    found = []
    for row, label in zip(votes, y, strict=True):
        winner = label if not margin.startswith("unsupervised") else int(np.argmax(row))
        others = np.delete(row, winner)
        found.append((row[winner] - (others.max() if margin.endswith("max") else others.sum())) / row.sum())
    margins = np.array(found)
    right = votes.argmax(axis=1) == y
    return margins - margins[right].min() if margin.endswith("sum") else margins


@pytest.mark.parametrize("margin", MARGINS)
def test_margins_are_those_of_a_bagging_ensemble_on_its_training_rows(
    margin: Margin, data: tuple[Array, Codes], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    seen: list[Codes] = []
    original = MarginBaggingClassifier._votes_of_first

    def watched(self: MarginBaggingClassifier, *arguments: Any) -> Codes:
        seen.append(original(self, *arguments))
        return seen[-1]

    monkeypatch.setattr(MarginBaggingClassifier, "_votes_of_first", watched)
    model = MarginBaggingClassifier(n_estimators=25, margin=margin, random_state=0).fit(X, y)
    (votes,) = seen
    assert (votes.sum(axis=1) == 25).all()
    np.testing.assert_allclose(model.margins_, slow_margins(votes, y, margin), atol=1e-12)
    like_it = BaggingClassifier(n_estimators=25, random_state=0).fit(X, y).predict_proba(X)
    assert np.abs(votes / 25 - like_it).mean() < 0.1  # other bags, in-bag rows included


@pytest.mark.parametrize(
    ("resampling_range", "rates"),
    [
        (1.0, [0.25, 0.5, 0.75, 1.0, 0.25, 0.5]),
        (0.5, [0.25, 0.5] * 3),
        (0.6, [0.25, 0.5] * 3),
        (0.01, [0.25] * 6),
    ],
)
def test_range_of_rates(resampling_range: float, rates: list[float], data: tuple[Array, Codes]) -> None:
    model = MarginBaggingClassifier(
        n_estimators=6, n_rates=4, resampling_range=resampling_range, random_state=0
    ).fit(*data)
    np.testing.assert_allclose(model.rates_, rates)
    assert model.resampling_range_ == pytest.approx(max(rates))


def test_ranges_as_floats_count_the_rates_they_name(data: tuple[Array, Codes]) -> None:
    """0.7 * 10 and 0.3 * 10 are not whole as floats."""
    for tenths in range(1, 11):
        model = MarginBaggingClassifier(n_estimators=2, resampling_range=tenths / 10, random_state=0).fit(
            *data
        )
        assert model.resampling_range_ == pytest.approx(tenths / 10)


def test_bags_come_from_the_least_certain_rows(data: tuple[Array, Codes]) -> None:
    X, y = data
    model = MarginBaggingClassifier(n_estimators=20, margin="max", random_state=0).fit(X, y)
    size_of_largest = 200
    for rows, rate in zip(model.estimators_samples_, model.rates_, strict=True):
        for code, size in ((0, 200), (1, 60)):
            first = min(int(np.floor(rate * size_of_largest + 1e-9)), size)
            limit = np.sort(np.abs(model.margins_[y == code]))[first - 1]
            assert (np.abs(model.margins_[rows[y[rows] == code]]) <= limit).all()


def test_search(data: tuple[Array, Codes]) -> None:
    X, y = data
    for metric in ("average accuracy", "F-measure", "minimum accuracy"):
        parameters: dict[str, Any] = {
            "n_estimators": 20,
            "n_rates": 5,
            "search_metric": metric,
            "random_state": 0,
        }
        model = MarginBaggingClassifier(resampling_range="search", **parameters).fit(X, y)
        scores = model.search_scores_
        assert scores.shape == (5,)
        best = max(number for number in range(5) if scores[number] == scores.max())
        assert model.resampling_range_ == pytest.approx((best + 1) / 5)
        same = MarginBaggingClassifier(resampling_range=model.resampling_range_, **parameters).fit(X, y)
        np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
        jobs = MarginBaggingClassifier(resampling_range="search", n_jobs=2, **parameters).fit(X, y)
        np.testing.assert_array_equal(jobs.search_scores_, scores)
    assert not hasattr(same, "search_scores_")


def test_searched_scores_are_those_of_rows_left_out(data: tuple[Array, Codes]) -> None:
    """Labels without any relation to the rows: the metric is that of chance, not that of the training rows."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(240, 3)), rng.permutation(np.repeat([0, 1, 2], 80))
    model = MarginBaggingClassifier(
        n_estimators=15, n_rates=3, resampling_range="search", random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(model.search_scores_, 1 / 3, atol=0.1)
    assert average_accuracy(y, model.predict(X)) > 0.6


def test_search_with_classes_of_one_row() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.array([0] * 9 + [1, 1, 2])
    model = MarginBaggingClassifier(n_estimators=3, resampling_range="search", random_state=0).fit(X, y)
    assert np.isfinite(model.search_scores_).all()
    pair = MarginBaggingClassifier(n_estimators=3, resampling_range="search", random_state=0).fit(
        X[:2], [0, 1]
    )
    assert pair.resampling_range_ == 1.0  # nothing can be left out: all ranges tie


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": "minimum"}, "margin of MarginBaggingClassifier must be one of 'max', 'sum'"),
        ({"n_rates": 0}, "n_rates of MarginBaggingClassifier must be an integer >= 1"),
        (
            {"resampling_range": 0.0},
            r"resampling_range of MarginBaggingClassifier must be a share in \(0, 1\]",
        ),
        ({"resampling_range": 50}, "resampling_range of MarginBaggingClassifier"),
        ({"resampling_range": "best"}, "resampling_range of MarginBaggingClassifier"),
        ({"search_metric": "accuracy"}, "search_metric of MarginBaggingClassifier must be one of"),
        ({"search_folds": 1}, "search_folds of MarginBaggingClassifier must be an integer >= 2"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str, data: tuple[Array, Codes]) -> None:
    with pytest.raises(ValueError, match=message):
        MarginBaggingClassifier(**parameters).fit(*data)
