"""Rank tests against published and hand-computed values and scipy."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from badacost.boosting.statistics import (
    StatisticsError,
    average_ranks,
    bonferroni_dunn,
    critical_difference,
    critical_difference_plot,
    friedman_test,
    holm,
    ranks,
)


def _numbers(path: Path, columns: list[str], last: str | None = None) -> np.ndarray:
    with path.open() as file:
        rows = []
        for row in csv.DictReader(file):
            if row["dataset"] == last:
                break
            rows.append([float(row[column]) for column in columns])
    return np.array(rows)


def test_ranks_by_hand() -> None:
    np.testing.assert_array_equal(ranks([[0.9, 0.8, 0.9], [0.1, 0.2, 0.3]]), [[1.5, 3, 1.5], [3, 2, 1]])
    np.testing.assert_array_equal(average_ranks([[1, 2], [1, 1]], higher_is_better=False), [1.25, 1.75])


@pytest.mark.parametrize(
    ("k", "n", "alpha", "expected"),
    [(4, 12, 0.05, 1.2617), (4, 12, 0.10, 1.1216), (7, 18, 0.05, 1.900)],
)
def test_critical_differences_of_the_papers(k: int, n: int, alpha: float, expected: float) -> None:
    assert critical_difference(k, n, alpha) == pytest.approx(expected, abs=10.0 ** -len(str(expected)[2:]))


def test_critical_differences_have_the_printed_quantiles() -> None:
    at_05 = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]
    at_10 = [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539]
    for alpha, table in ((0.05, at_05), (0.10, at_10)):
        found = [critical_difference(k, 1, alpha) / np.sqrt(k * (k + 1) / 6) for k in range(2, 11)]
        # 2.724 for nine methods is a misprint of the tables in use for 2.734
        np.testing.assert_allclose(found, table, atol=0.011)


def test_friedman_by_hand() -> None:
    # ranks 123 123 213 123: averages 1.25, 1.75, 3; chi2 = 12*4/12 (1.5625 + 3.0625 + 9 - 12) = 6.5
    result = friedman_test([[3, 2, 1], [3, 2, 1], [2, 3, 1], [3, 2, 1]])
    assert result.chi_squared == pytest.approx(6.5)
    assert result.f_statistic == pytest.approx(3 * 6.5 / (8 - 6.5))
    assert result.p_value == pytest.approx(np.exp(-6.5 / 2))  # two degrees of freedom
    assert result.f_p_value < result.p_value


def test_friedman_of_unanimous_and_of_equal_scores() -> None:
    unanimous = friedman_test([[3, 2, 1]] * 5)
    assert (unanimous.chi_squared, unanimous.f_statistic, unanimous.f_p_value) == (10, np.inf, 0)
    equal = friedman_test([[1, 1, 1]] * 5)
    assert (equal.chi_squared, equal.p_value, equal.f_p_value) == (0, 1, 1)


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(3, 6))
def test_friedman_is_scipy_s_where_nothing_ties(seed: int, n_sets: int, k: int) -> None:
    scores = np.random.default_rng(seed).random((n_sets, k))
    result, expected = friedman_test(scores), friedmanchisquare(*scores.T)
    assert result.chi_squared == pytest.approx(expected.statistic, abs=1e-9)
    assert result.p_value == pytest.approx(expected.pvalue, abs=1e-9)


@given(st.integers(0, 10_000))
def test_ranks_sum_to_the_same_in_every_row_and_ignore_monotone_changes(seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 4, (6, 5)).astype(float)
    found = ranks(scores)
    np.testing.assert_allclose(found.sum(axis=1), 15)
    np.testing.assert_array_equal(found, ranks(np.exp(scores)))
    np.testing.assert_array_equal(found, ranks(-scores, higher_is_better=False))


def test_ranks_of_the_badacost_paper_recomputed(shared: Path) -> None:
    path = shared / "reference/boosting/published/badacost_table1_cost_1e-4.csv"
    costs = _numbers(path, ["AdaC2M1", "MultiBoost", "LpCSB", "BAdaCost"])
    average = average_ranks(costs, higher_is_better=False)
    np.testing.assert_allclose(average, [3.33, 2.92, 2.33, 1.42], atol=0.005)
    at_05, at_10 = (bonferroni_dunn(average, 12, alpha=alpha) for alpha in (0.05, 0.10))
    np.testing.assert_allclose(at_05.differences, [1.92, 1.50, 0.92, 0], atol=0.005)
    assert at_05.significant.tolist() == [True, True, False, False]
    assert at_10.significant.tolist() == [True, True, False, False]


def test_ranks_of_the_margin_bagging_paper_recomputed(shared: Path) -> None:
    path = shared / "reference/boosting/published/mbagging_table5_min_accuracy_per_class.csv"
    methods = ["Bagging", "UnderBagging", "SMOTEBagging", "MBagging_max", "MBagging_unsup_max"]
    methods += ["MBagging_sum", "MBagging_unsup_sum"]
    average = average_ranks(_numbers(path, methods, last="PRINTED_MEAN"))
    np.testing.assert_allclose(average, [6.19, 4.22, 4.81, 3.03, 2.75, 3.19, 3.81], atol=0.006)


def test_holm_by_hand() -> None:
    # standard error sqrt(4*5/(6*10)) = 0.57735; z = 3.464, 2.078, 1.732: p = 0.00053, 0.0377, 0.0833
    result = holm([3.0, 1.0, 2.2, 2.0], 10)
    np.testing.assert_allclose(result.p_values, [0.00053, 1.0, 0.0377, 0.0833], atol=5e-5)
    assert result.significant.tolist() == [True, False, False, False]  # 0.0377 is not below 0.05/2
    assert holm([3.0, 1.0, 2.2, 2.0], 10, alpha=0.09).significant.tolist() == [True, False, True, True]
    np.testing.assert_allclose(
        holm([1, 2], 4, control=1).p_values, bonferroni_dunn([1, 2], 4, control=1).p_values
    )


def test_a_plot_is_drawn_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ranks.svg"
    figure = critical_difference_plot([1.4, 2.3, 2.9, 3.4], ["A", "B", "C", "D"], 12, path)
    assert path.read_text().count("<svg") == 1
    texts = {text.get_text().strip() for text in figure.axes[0].texts}
    assert {"A 1.40", "B 2.30", "C 2.90", "D 3.40"} <= texts


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ranks([1, 2]), "at least 1 x 2"),
        (lambda: ranks([[1, np.nan]]), r"got nan at \[0, 1\]"),
        (lambda: friedman_test([[1, 2]]), "at least 2 data sets, got 1"),
        (lambda: critical_difference(1, 5), "n_methods >= 2"),
        (lambda: bonferroni_dunn([1, 2], 3, control=2), "control .* below 2, got 2"),
        (lambda: bonferroni_dunn([1, np.inf], 3), "finite"),
        (lambda: bonferroni_dunn([1, 2], 0), "n_datasets >= 1"),
        (lambda: holm([1, 2], 3, alpha=1), "between 0 and 1"),
        (lambda: holm([1, 2], 0), "at least 1"),
        (lambda: critical_difference_plot([1, 2], ["A"], 3), "one a method, got 1 for 2"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        call()  # type: ignore[operator]
