"""Cost-sensitive samplers: ratios of the classes, expectations, imbalanced-learn's contract, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn.pipeline import make_pipeline
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.framework.records import Records, bootstrap
from badacost.boosting.framework.samplers import (
    CostHybridSampler,
    CostOverSampler,
    CostProportionateRejectionSampler,
    CostSampler,
    CostSMOTE,
    CostUnderSampler,
)

CLASS_SAMPLERS = [CostUnderSampler, CostOverSampler, CostHybridSampler, CostSMOTE]
EVERY = [*CLASS_SAMPLERS, CostProportionateRejectionSampler]


def table(n_positive: int, n_negative: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows whose first value is their number."""
    n_rows = n_positive + n_negative
    X = np.column_stack([np.arange(n_rows), np.random.default_rng(0).normal(size=n_rows)]).astype(float)
    return X, np.repeat([1, 0], [n_positive, n_negative])


@pytest.mark.parametrize("sampler", CLASS_SAMPLERS)
@given(
    n_positive=st.integers(1, 40),
    n_negative=st.integers(1, 120),
    cost_fn=st.floats(0.1, 20),
    cost_fp=st.floats(0.1, 20),
    seed=st.integers(0, 1000),
)
@settings(max_examples=40, deadline=None)
def test_ratio_of_the_classes_is_that_of_the_costs(
    sampler: type[CostSampler], n_positive: int, n_negative: int, cost_fn: float, cost_fp: float, seed: int
) -> None:
    X, y = table(n_positive, n_negative)
    model = sampler(cost_fn=cost_fn, cost_fp=cost_fp, pos_label=1, random_state=seed)
    _, labels = model.fit_resample(X, y)
    positive, negative = int((labels == 1).sum()), int((labels == 0).sum())
    # Either number is a whole one next to the number that the ratio asks for.
    share = n_positive / n_negative * cost_fn / cost_fp
    assert positive >= 1
    assert negative >= 1
    lowest = max(positive - 0.5, 0) / (negative + 0.5)
    highest = (positive + 0.5) / max(negative - 0.5, 1e-9)
    assert lowest <= share * (1 + 1e-9) or positive == 1
    assert highest >= share * (1 - 1e-9) or negative == 1


@pytest.mark.parametrize(
    ("sampler", "cost_fn", "cost_fp", "expected"),
    [
        (CostUnderSampler(), 4.0, 1.0, (20, 20)),
        (CostUnderSampler(), 1.0, 4.0, (5, 80)),
        (CostOverSampler(), 4.0, 1.0, (80, 80)),
        (CostOverSampler(), 1.0, 4.0, (20, 320)),
        (CostHybridSampler(), 4.0, 1.0, (40, 40)),
        (CostHybridSampler(share=1.0), 4.0, 1.0, (80, 80)),
        (CostHybridSampler(share=0.0), 4.0, 1.0, (20, 20)),
        (CostHybridSampler(), 1.0, 4.0, (10, 160)),
        (CostSMOTE(), 4.0, 1.0, (80, 80)),
        (CostSMOTE(), 1.0, 4.0, (20, 320)),
    ],
)
def test_numbers_of_rows(
    sampler: CostSampler, cost_fn: float, cost_fp: float, expected: tuple[int, int]
) -> None:
    X, y = table(20, 80)
    sampler.set_params(cost_fn=cost_fn, cost_fp=cost_fp, random_state=3)
    _, labels = sampler.fit_resample(X, y)
    assert ((labels == 1).sum(), (labels == 0).sum()) == expected


@pytest.mark.parametrize("sampler", CLASS_SAMPLERS)
def test_equal_costs_change_nothing(sampler: type[CostSampler]) -> None:
    X, y = table(7, 30)
    rows, labels = sampler(cost_fn=3.0, cost_fp=3.0, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, y)


def test_undersampling_draws_without_replacement() -> None:
    X, y = table(10, 90)
    sampler = CostUnderSampler(cost_fn=3.0, random_state=0)
    rows, labels = sampler.fit_resample(X, y)
    assert len(np.unique(rows[:, 0])) == len(rows) == 40
    np.testing.assert_array_equal(rows, X[sampler.sample_indices_])
    np.testing.assert_array_equal(labels, y[sampler.sample_indices_])


@pytest.mark.parametrize(("ratio", "times"), [(3.0, {3}), (2.5, {2, 3})])
def test_oversampling_repeats_all_rows_equally(ratio: float, times: set[int]) -> None:
    X, y = table(10, 40)
    sampler = CostOverSampler(cost_fn=ratio, random_state=0)
    sampler.fit_resample(X, y)
    copies = np.bincount(sampler.sample_indices_, minlength=50)
    assert set(copies[y == 1].tolist()) == times
    assert copies[y == 1].sum() == 10 * ratio
    assert (copies[y == 0] == 1).all()


@pytest.mark.parametrize("step", ["row", "attribute"])
def test_synthetic_rows_lie_towards_near_positive_rows(step: str) -> None:
    X, y = table(30, 60)
    rows, labels = CostSMOTE(cost_fn=3.0, n_neighbors=4, step=step, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(rows[:90], X)
    assert (labels[90:] == 1).all()
    positive = X[y == 1]
    for row in rows[90:]:
        fits = []
        for start in positive:
            near = np.argsort(((positive - start) ** 2).sum(axis=1), kind="stable")[1:5]
            with np.errstate(divide="ignore", invalid="ignore"):
                way = (row - start) / (positive[near] - start)
            inside = ((way >= -1e-9) & (way <= 1 + 1e-9)).all(axis=1)
            alike = np.abs(way[:, 0] - way[:, 1]) < 1e-6
            fits.append((inside & (alike | (step == "attribute"))).any())
        assert any(fits)


def test_a_single_positive_row_is_repeated() -> None:
    X, y = table(1, 9)
    rows, labels = CostSMOTE(cost_fn=4.0, random_state=0).fit_resample(X, y)
    assert (labels == 1).sum() == 4
    np.testing.assert_array_equal(rows[labels == 1], np.repeat(X[:1], 4, axis=0))


def test_rejection_sampling_accepts_in_proportion_to_the_costs_of_records() -> None:
    X, y = table(5, 15)
    random = np.random.default_rng(1)
    cost_fn, cost_fp = random.uniform(0.5, 8.0, 20), random.uniform(0.0, 2.0, 20)
    costs = np.where(y == 1, cost_fn, cost_fp)
    drawing = CostProportionateRejectionSampler().drawing(Records.of(X, y == 1, cost_fn, cost_fp))
    copies = np.array([drawing(random).copies for _ in range(20_000)])
    expected = costs / costs.max()
    error = 5 * np.sqrt(expected / len(copies)) + 1e-12
    assert (np.abs(copies.mean(axis=0) - expected) < error).all()


def test_rejection_sampling_of_equal_costs_is_the_bootstrap() -> None:
    X, y = table(5, 15)
    records = Records.of(X, y == 1, 2.0, 2.0)
    drawn = CostProportionateRejectionSampler().drawing(records)(np.random.default_rng(4))
    np.testing.assert_array_equal(drawn.copies, bootstrap(records, np.random.default_rng(4)))


def test_rejection_sampling_keeps_a_row_where_nearly_all_costs_vanish() -> None:
    X, y = table(1, 30)
    cost_fn, cost_fp = np.full(31, 1.0), np.full(31, 1e-9)
    for seed in range(20):
        sampler = CostProportionateRejectionSampler(random_state=seed)
        rows, labels = sampler.fit_resample(X, y, cost_fn=cost_fn, cost_fp=cost_fp)
        assert len(rows) >= 1
        assert (labels == 1).all()


@pytest.mark.parametrize("sampler", EVERY)
def test_costs_of_the_call_replace_the_parameters(sampler: type[CostSampler]) -> None:
    X, y = table(12, 48)
    called = sampler(random_state=5).fit_resample(X, y, cost_fn=4.0, cost_fp=2.0)
    given = sampler(cost_fn=4.0, cost_fp=2.0, random_state=5).fit_resample(X, y)
    for one, other in zip(called, given, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sampler", EVERY)
def test_frames_come_back_as_frames(sampler: type[CostSampler]) -> None:
    X, y = table(12, 48)
    frame, series = pd.DataFrame(X, columns=["number", "value"]), pd.Series(y, name="bought")
    rows, labels = sampler(cost_fn=3.0, random_state=0).fit_resample(frame, series)
    assert list(rows.columns) == ["number", "value"]
    assert labels.name == "bought"
    plain, plain_labels = sampler(cost_fn=3.0, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(rows.to_numpy(), plain)
    np.testing.assert_array_equal(labels.to_numpy(), plain_labels)


@pytest.mark.parametrize("sampler", EVERY)
def test_a_step_of_an_imbalanced_learn_pipeline(sampler: type[CostSampler]) -> None:
    X, y = table(12, 48)
    pipeline = make_pipeline(sampler(cost_fn=3.0, random_state=0), DecisionTreeClassifier(random_state=0))
    assert clone(pipeline).fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize("sampler", EVERY)
def test_labels_of_any_kind_and_either_positive_class(sampler: type[CostSampler]) -> None:
    X, y = table(12, 48)
    names = np.where(y == 1, "bad", "good")
    _, labels = sampler(cost_fn=2.0, random_state=0).fit_resample(X, names)
    _, numbers = sampler(cost_fn=2.0, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(labels == "bad", numbers == 1)
    _, turned = sampler(cost_fn=2.0, pos_label="good", random_state=0).fit_resample(X, names)
    assert (turned == "good").mean() > (numbers == 0).mean()


def test_counted_records_have_the_copies_of_whole_weights() -> None:
    X = np.array([[2.0], [1.0], [2.0], [1.0], [2.0]])
    positive = np.array([True, False, True, True, True])
    cost_fp = np.array([1.0, 1.0, 1.0, 1.0, 3.0])
    records = Records.counted(X, positive, 5.0, cost_fp, np.array([2.0, 1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(records.rows[records.group], X)
    np.testing.assert_array_equal(records.positive[records.group], positive)
    assert isinstance(records.cost_fp, np.ndarray)
    np.testing.assert_array_equal(records.cost_fp[records.group], cost_fp)
    np.testing.assert_array_equal(records.copies[records.group], [5, 1, 5, 1, 1])
    fractional = Records.counted(X, positive, 5.0, 1.0, np.array([0.5, 1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(fractional.copies[fractional.group], [3, 1, 3, 1, 3])
    np.testing.assert_allclose(fractional.mass[fractional.group], [4.5, 1.0, 4.5, 1.0, 4.5])


@pytest.mark.parametrize("sampler", CLASS_SAMPLERS)
def test_costs_of_single_records_are_refused(sampler: type[CostSampler]) -> None:
    X, y = table(3, 9)
    with pytest.raises(ValueError, match=r"cost_fn and cost_fp of Cost\w+ must be one number for all rows"):
        sampler().fit_resample(X, y, cost_fn=np.ones(12))


@pytest.mark.parametrize(
    ("sampler", "costs", "message"),
    [
        (CostUnderSampler(cost_fn=0.0), {}, "cost_fn of CostUnderSampler must be finite and > 0, got 0.0"),
        (CostUnderSampler(pos_label=7), {}, r"pos_label of CostUnderSampler must be one of the classes"),
        (CostHybridSampler(share=1.5), {}, r"share of CostHybridSampler must lie in \[0, 1\], got 1.5"),
        (CostSMOTE(n_neighbors=0), {}, "n_neighbors of CostSMOTE must be an integer >= 1, got 0"),
        (CostSMOTE(step="both"), {}, "step of CostSMOTE must be one of 'row', 'attribute', got 'both'"),
        (CostOverSampler(cost_fp=[1.0, 2.0]), {}, "give the costs of single records to fit_resample"),
        (
            CostProportionateRejectionSampler(),
            {"cost_fn": np.zeros(12), "cost_fp": np.zeros(12)},
            "must not all be zero",
        ),
        (
            CostProportionateRejectionSampler(),
            {"cost_fn": np.ones(11)},
            r"cost_fn of CostProportionateRejectionSampler.fit_resample must have one entry a row",
        ),
        (
            CostProportionateRejectionSampler(),
            {"cost_fp": np.full(12, np.nan)},
            r"cost_fp of \w+.fit_resample must be finite, got nan in row 0",
        ),
    ],
)
def test_bad_input(sampler: CostSampler, costs: dict[str, Any], message: str) -> None:
    X, y = table(3, 9)
    with pytest.raises(ValueError, match=message):
        sampler.fit_resample(X, y, **costs)


@pytest.mark.parametrize(("labels", "message"), [([1] * 12, "1 class: "), ([0, 1, 2] * 4, "binary")])
def test_one_class_and_three_classes(labels: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostUnderSampler().fit_resample(table(3, 9)[0], labels)
