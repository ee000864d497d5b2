"""The step of a round of BAdaCost: a root, its special cases, the weights after it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from badacost.boosting.costs import margin_codes, with_negative_row_sums, zero_one
from badacost.boosting.multiclass.badacost_kernels import reweight, solve_step, weight_table
from badacost.boosting.rounds.exponential_step import exponential_step


def tables(n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A table of weights, mostly right, and exponents Z of some costs."""
    rng = np.random.default_rng(seed)
    table = rng.random((n_classes, n_classes)) ** 4 + 3 * np.eye(n_classes)
    table *= rng.random((n_classes, n_classes)) > 0.2
    table[0, 0] = max(table[0, 0], 0.1)  # never all zero
    costs = rng.random((n_classes, n_classes)) ** 3
    np.fill_diagonal(costs, 0.0)
    return table / table.sum(), with_negative_row_sums(costs) @ margin_codes(n_classes)


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_step_is_the_root_of_the_derivative(n_classes: int, seed: int) -> None:
    table, exponents = tables(n_classes, seed)

    def derivative(beta: float) -> float:
        used = table > 0
        powers = beta * exponents[used]  # scaled so that nothing overflows: only the sign counts
        return float((table[used] * exponents[used] * np.exp(powers - powers.max())).sum())

    step = solve_step(table, exponents)
    if not np.isfinite(step):
        sign = 1 if step < 0 else -1  # nothing right, or nothing wrong
        assert not (table * (sign * exponents < 0)).any()
        return
    span = abs(step) + 1.0
    while derivative(-span) > 0 or derivative(span) < 0:
        span *= 2
    assert step == pytest.approx(brentq(derivative, -span, span, xtol=1e-14), rel=1e-9, abs=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_step_of_two_classes_is_half_of_cs_adaboosts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, rates = rng.random((2, 2)) + 0.01, tuple(rng.random(2) + 0.05)
    exponents = with_negative_row_sums(np.array([[0, rates[0]], [rates[1], 0]])) @ margin_codes(2)
    alpha = exponential_step((table[0, 1], table[1, 0]), (table[0, 0], table[1, 1]), rates)
    assert solve_step(table, exponents) == pytest.approx(alpha / 2, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_step_of_equal_costs_is_sammes(n_classes: int) -> None:
    error = 0.3
    table = np.full((n_classes, n_classes), error / (n_classes * (n_classes - 1)))
    np.fill_diagonal(table, (1 - error) / n_classes)
    exponents = with_negative_row_sums(zero_one(n_classes) / (n_classes * (n_classes - 1))) @ margin_codes(
        n_classes
    )
    samme = np.log((1 - error) / error) + np.log(n_classes - 1)
    assert solve_step(table, exponents) == pytest.approx((n_classes - 1) ** 2 / n_classes * samme, rel=1e-12)


def test_step_of_extreme_tables() -> None:
    exponents = with_negative_row_sums(zero_one(2)) @ margin_codes(2)
    assert solve_step(np.diag([0.5, 0.5]), exponents) == np.inf
    assert solve_step(np.array([[0, 0.5], [0.5, 0]]), exponents) == -np.inf
    tiny = np.array([[0.5, 1e-300], [0.0, 0.5]])
    assert solve_step(tiny, exponents) == pytest.approx(0.25 * 300 * np.log(10))
    huge = 1e3 * exponents
    assert solve_step(np.array([[0.5, 0.1], [0.1, 0.3]]), huge) == pytest.approx(0.25 * np.log(4) / 1e3)


def test_reweighting_and_table_equal_their_definitions() -> None:
    rng = np.random.default_rng(0)
    labels, predicted, weights = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.random(50)
    factors = rng.random((3, 3))
    table = np.zeros((3, 3))
    np.add.at(table, (labels, predicted), weights)
    np.testing.assert_allclose(weight_table(labels, predicted, weights, 3), table)
    expected = weights * factors[labels, predicted]
    assert reweight(labels, predicted, factors, weights) == pytest.approx(expected.sum())
    np.testing.assert_allclose(weights, expected / expected.sum())
