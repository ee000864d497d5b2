"""The step of the two-rate exponential loss against roots found by bisection, and its limits."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.boosting.multiclass.piboost import separator_scale
from badacost.boosting.rounds.exponential_step import exponential_step


@pytest.fixture
def roots(shared: Path) -> dict[str, np.ndarray]:
    with np.load(shared / "reference/boosting/roots.npz") as arrays:
        return dict(arrays)


def test_roots_of_csadaboost(roots: dict[str, np.ndarray]) -> None:
    for (t1, t2, b, d, c1, c2), alpha in zip(
        roots["csadaboost/T1_T2_b_d_C1_C2"], roots["csadaboost/alpha"], strict=True
    ):
        assert exponential_step((b, d), (t1 - b, t2 - d), (c1, c2)) == pytest.approx(alpha, rel=1e-10)


def test_roots_of_adauboost(roots: dict[str, np.ndarray]) -> None:
    for (pos_ok, pos_bad, neg_ok, neg_bad, ratio), alpha in zip(
        roots["adauboost/Pok_Perr_Nok_Nerr_beta"], roots["adauboost/alpha"], strict=True
    ):
        found = exponential_step((pos_bad, neg_bad), (pos_ok, neg_ok), (1.0 / ratio, 1.0))
        assert found == pytest.approx(alpha, rel=1e-10)


def test_roots_of_piboost(roots: dict[str, np.ndarray]) -> None:
    for (n_classes, size, a1, a2, e1, e2), ratio, beta in zip(
        roots["piboost/K_s_A1_A2_E1_E2"], roots["piboost/R"], roots["piboost/beta"], strict=True
    ):
        step = exponential_step((e1, e2), (a1 - e1, a2 - e2), (n_classes - size, size))
        assert math.exp(step) == pytest.approx(ratio, rel=1e-10)
        assert separator_scale(int(n_classes), int(size)) * step == pytest.approx(beta, rel=1e-10)


positive = st.floats(1e-12, 1e3)


@settings(deadline=None)
@given(positive, positive, positive, positive, st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_step_is_where_the_pulls_are_equal(
    wrong_1: float, wrong_2: float, right_1: float, right_2: float, rate_1: float, rate_2: float
) -> None:
    step = exponential_step((wrong_1, wrong_2), (right_1, right_2), (rate_1, rate_2))

    def log_pull(sign: float, weights: tuple[float, float]) -> float:
        rates = (rate_1, rate_2)
        terms = [math.log(r * w) + sign * r * step for r, w in zip(rates, weights, strict=True)]
        return float(np.logaddexp(*terms))

    balance = log_pull(1.0, (wrong_1, wrong_2)) - log_pull(-1.0, (right_1, right_2))
    assert abs(balance) < 1e-9 * max(1.0, abs(step) * max(rate_1, rate_2))


@settings(deadline=None)
@given(positive, positive)
def test_equal_rates_of_one_are_adaboost(wrong: float, right: float) -> None:
    step = exponential_step((0.3 * wrong, 0.7 * wrong), (0.6 * right, 0.4 * right), (1.0, 1.0))
    assert step == pytest.approx(0.5 * math.log(right / wrong), abs=1e-12)


def test_limits() -> None:
    assert exponential_step((0.0, 0.0), (0.5, 0.5), (2.0, 1.0)) == math.inf
    assert exponential_step((0.5, 0.5), (0.0, 0.0), (2.0, 1.0)) == -math.inf
    assert math.isfinite(exponential_step((0.0, 0.1), (0.5, 0.4), (2.0, 1.0)))


@pytest.mark.parametrize(
    ("wrong", "right", "rates", "found"),
    [
        ((0.1, 0.1), (0.4, 0.4), (0.0, 1.0), r"rates .* positive and finite, got \(0.0, 1.0\)"),
        ((0.1, 0.1), (0.4, 0.4), (1.0, math.inf), "rates .* positive and finite"),
        ((-0.1, 0.1), (0.4, 0.4), (1.0, 1.0), r"weights >= 0, not all zero, got wrong=\(-0.1, 0.1\)"),
        ((0.0, 0.0), (0.0, 0.0), (1.0, 1.0), "not all zero"),
        ((math.nan, 0.0), (0.0, 0.0), (1.0, 1.0), "finite weights"),
    ],
)
def test_bad_input(
    wrong: tuple[float, float], right: tuple[float, float], rates: tuple[float, float], found: str
) -> None:
    with pytest.raises(ValueError, match=found):
        exponential_step(wrong, right, rates)
