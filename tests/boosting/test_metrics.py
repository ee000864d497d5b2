"""Metrics against independent numbers, hand-computed cases and their own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.boosting.metrics import (
    MetricError,
    auc_score,
    average_accuracy,
    balanced_accuracy,
    binary_rates,
    caught_amount_percentage,
    caught_amount_percentages_at_fpr,
    class_precisions,
    class_recalls,
    cost_matrix_predictions,
    cost_reduction_percentage,
    expected_cost,
    f1_of_positives,
    gmean_score,
    kw_diversity,
    maximum_profit_percentage,
    mean_f_measure,
    minimum_class_accuracy,
    net_profit,
    overall_performance_measure,
    record_costs,
    return_on_investment,
    savings_score,
    total_cost,
)

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-10}


@pytest.fixture(scope="module")
def cases(shared: Path) -> Any:
    with np.load(shared / "reference/boosting/metrics_cases.npz") as file:
        return dict(file)


def test_two_class_metrics_are_the_reference_s(cases: Any) -> None:
    rows = zip(cases["binary/y"], cases["binary/pred"], cases["binary/score"], strict=True)
    found = [
        (
            binary_rates(y, predicted).true_positive_rate,
            binary_rates(y, predicted).true_negative_rate,
            gmean_score(y, predicted),
            balanced_accuracy(y, predicted),
            f1_of_positives(y, predicted),
            auc_score(y, score),
            overall_performance_measure(y, predicted, score),
        )
        for y, predicted, score in rows
    ]
    np.testing.assert_allclose(found, cases["binary/TPR_TNR_gmean_BA_F1_AUC_OPM"], **EXACT)


def test_metrics_of_many_classes_are_the_reference_s(cases: Any) -> None:
    found = [
        (average_accuracy(*pair), minimum_class_accuracy(*pair), mean_f_measure(*pair))
        for pair in zip(cases["multi/y"], cases["multi/pred"], strict=True)
    ]
    np.testing.assert_allclose(found, cases["multi/avgacc_minacc_Fmeasure8"], **EXACT)


def test_diversity_is_the_reference_s(cases: Any) -> None:
    n_members = int(cases["votes/T"])
    for votes, y, diversity in zip(cases["votes/v"], cases["votes/y"], cases["votes/KW"], strict=True):
        predicted = np.array([np.repeat(np.arange(4), row) for row in votes]).T
        assert predicted.shape == (n_members, len(y))
        np.testing.assert_allclose(kw_diversity(y, predicted), diversity, **EXACT)


def test_costs_of_records_are_the_reference_s(cases: Any) -> None:
    found = []
    for y, predicted, costs in zip(
        cases["cost/y"], cases["cost/pred"], cases["cost/FP_FN_TP_TN"], strict=True
    ):
        total = total_cost(y, predicted, costs)
        found.append(
            (
                total,
                total / len(y),
                savings_score(y, predicted, costs),
                caught_amount_percentage(y, predicted, costs[:, 1]),
            )
        )
    np.testing.assert_allclose(found, cases["cost/total_mean_savings_TotFpct"], **EXACT)


def test_predictions_of_least_cost_are_the_reference_s(cases: Any) -> None:
    found = cost_matrix_predictions(cases["mincost/P"], cases["mincost/C"])
    np.testing.assert_array_equal(found, cases["mincost/argmin"])


def test_recalls_and_precisions_by_hand() -> None:
    y, predicted = list("aaaabbc"), list("aabbbba")
    np.testing.assert_allclose(class_recalls(y, predicted), [0.5, 1.0, 0.0])
    np.testing.assert_allclose(class_precisions(y, predicted), [2 / 3, 0.5, 0.0])
    assert mean_f_measure(y, predicted) == pytest.approx(2 * 0.5 * (7 / 18) / (0.5 + 7 / 18))
    assert minimum_class_accuracy(y, predicted) == 0.0
    assert mean_f_measure([0, 1], [1, 0]) == 0.0


def test_overall_performance_without_scores_is_the_mean_of_five() -> None:
    y, predicted = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    five = (0.5, 0.75, (0.5 + 0.75) / 2, 0.5, np.sqrt(0.375))
    assert overall_performance_measure(y, predicted, None) == pytest.approx(np.mean(five))


def test_expected_cost_by_hand_in_the_order_of_labels() -> None:
    costs = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert expected_cost([0, 1, 2, 2], [2, 1, 0, 2], costs) == (2 + 5) / 4
    assert expected_cost([0, 1, 2, 2], [2, 1, 0, 2], costs, labels=[2, 1, 0]) == (5 + 2) / 4
    assert expected_cost(["x", "y"], ["y", "y"]) == 0.5
    with pytest.raises(MetricError, match=r"y_pred of expected_cost must hold labels of \[0, 1\], got 7"):
        expected_cost([0, 1], [0, 7], [[0, 1], [1, 0]], labels=[0, 1])


def test_savings_by_hand() -> None:
    costs = record_costs(cost_fn=[10, 20, 0, 0], cost_fp=3, cost_tp=1, n_rows=4)
    np.testing.assert_array_equal(costs[1], [3, 20, 1, 0])
    y = [1, 1, 0, 0]
    assert total_cost(y, [1, 0, 1, 0], costs) == 1 + 20 + 3 + 0
    assert savings_score(y, [1, 1, 1, 1], costs) == 0.0  # 2 + 6 against 30
    assert savings_score(y, [1, 1, 0, 0], costs) == 1 - 2 / 8
    assert np.isnan(savings_score([0, 0], [1, 0], [1, 1, 0, 0]))  # predicting all negative is free


def test_profit_of_a_campaign_by_hand() -> None:
    y, predicted = [1, 0, 1, 0], [1, 1, 0, 0]
    sums: dict[str, Any] = {"gain": [15.0, 99.0, 20.0, 0.0], "expenditure": [0.68, 0.68, 0.5, 0.5]}
    assert net_profit(y, predicted, **sums) == pytest.approx(15 - 1.36)
    assert return_on_investment(y, predicted, **sums) == pytest.approx((15 - 1.36) / 1.36)
    assert return_on_investment(y, [0, 0, 0, 0], **sums) == 0.0
    # the figures that the framework paper prints: a net profit of 10560.08 for 65529.56 is an ROI of 0.16
    published = return_on_investment([1, 0], [1, 1], gain=[76089.64, 0], expenditure=[65529.56, 0])
    assert round(published, 2) == 0.16
    assert cost_reduction_percentage(75.0, 100.0) == 25.0
    assert cost_reduction_percentage(125.0, 100.0) == -25.0


def test_profit_of_credit_by_hand() -> None:
    bad, rejected = [1, 0, 0, 1, 0], [1, 0, 1, 0, 0]
    found = maximum_profit_percentage(
        bad, rejected, expected_profit=[9, 10, 20, 9, 30], expected_loss=[50, 9, 9, 15, 9]
    )
    assert found == pytest.approx(100 * (10 + 30 - 15) / 60)


def test_caught_amounts_at_false_positive_rates_by_hand() -> None:
    y = np.array([1, 0, 1, 1, 0, 0, 0, 1])
    scores = np.array([9, 8, 7, 7, 7, 2, 1, 0])
    amounts = np.array([10, 1, 20, 30, 1, 1, 1, 40])
    found = caught_amount_percentages_at_fpr(y, scores, amounts, largest_fpr=[0, 0.25, 0.5, 1])
    # the two frauds of score 7 come with a second false alarm of the same score
    np.testing.assert_allclose(found, [10, 10, 60, 100])
    assert caught_amount_percentage(y, scores >= 7, amounts) == 60


def _slow_caught(y: Any, scores: Any, amounts: Any, bound: float) -> float:
    """The best over all thresholds, one by one."""
    best = 0.0
    for threshold in [*np.unique(scores), np.inf]:
        said = scores >= threshold
        if (said & (y == 0)).sum() <= bound * (y == 0).sum() + 1e-9:
            best = max(best, float(amounts[said & (y == 1)].sum()))
    return 100 * best / amounts[y == 1].sum()


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.01, 0.1, 1 / 3, 0.7, 1.0]))
def test_caught_amounts_equal_a_search_over_thresholds(seed: int, bound: float) -> None:
    random = np.random.default_rng(seed)
    y = np.append(random.integers(0, 2, 30), [0, 1])
    scores, amounts = random.integers(0, 8, 32), random.uniform(1, 5, 32)
    found = caught_amount_percentages_at_fpr(y, scores, amounts, largest_fpr=[bound])
    assert found[0] == pytest.approx(_slow_caught(y, scores, amounts, bound))


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_diversity_is_zero_only_where_members_agree_on_what_is_right(seed: int, n_members: int) -> None:
    random = np.random.default_rng(seed)
    y, predicted = random.integers(0, 3, 12), random.integers(0, 3, (n_members, 12))
    right = predicted == y
    agree = bool((right.all(axis=0) | ~right.any(axis=0)).all())
    diversity = kw_diversity(y, predicted)
    assert 0 <= diversity <= 0.25
    assert (diversity == 0) == agree


def test_the_positive_label_may_be_any() -> None:
    y, predicted = ["bad", "ok", "ok"], ["bad", "bad", "ok"]
    assert gmean_score(y, predicted, pos_label="bad") == pytest.approx(np.sqrt(0.5))
    assert f1_of_positives(y, predicted, pos_label="bad") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gmean_score([0, 1], [0]), "equal length, got 2 and 1"),
        (lambda: gmean_score([], []), "at least one row"),
        (lambda: gmean_score([0, 1], [0, 2]), r"two classes, the positive one being 1, got \[0, 1, 2\]"),
        (lambda: gmean_score([1, 1], [0, 1]), "no negative row"),
        (lambda: auc_score([0, 0], [1.0, 2.0]), "no positive row"),
        (lambda: auc_score([0, 1], [1.0, np.nan]), "finite"),
        (lambda: total_cost([0, 1], [0, 1], [1, 2, 3]), r"costs of total_cost must be \(4,\) or \(2, 4\)"),
        (lambda: savings_score([0, 1], [0, 1], [1, np.inf, 0, 0]), "must be finite"),
        (lambda: caught_amount_percentage([0, 1], [0, 1], 0.0), "amounts .* positive in sum"),
        (lambda: caught_amount_percentages_at_fpr([0, 1], [0, 1], 1.0, largest_fpr=[2]), "rates in"),
        (lambda: cost_reduction_percentage(1.0, 0.0), "positive number"),
        (lambda: kw_diversity([0, 1], [0, 1]), r"must be \(T, N\)"),
        (
            lambda: maximum_profit_percentage([0, 1], [0, 1], expected_profit=0, expected_loss=1),
            "expected_profit",
        ),
        (lambda: record_costs(cost_fn=[1, 2], cost_fp=1, n_rows=3), r"cost_fn .* must be a number or \(3,\)"),
        (lambda: cost_matrix_predictions([0.5, 0.5], [[0, 1], [1, 0]]), r"must be \(n, K\)"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        call()
