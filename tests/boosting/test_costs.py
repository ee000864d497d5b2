"""Cost matrices: the named ones, the checks, the algebra of BAdaCost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.boosting.costs import (
    CostMatrixError,
    face_costs,
    from_confusion,
    margin_codes,
    scaled_costs,
    stationary_distribution,
    validate,
    view_costs,
    with_negative_row_sums,
    zero_one,
)


def test_face_costs_make_missed_faces_dearer() -> None:
    costs = face_costs(1.5, n_views=2)
    np.testing.assert_array_equal(costs, [[0, 1, 1], [1.5, 0, 1], [1.5, 1, 0]])


def test_view_costs_grow_to_gamma_at_the_opposite_view_of_20() -> None:
    costs = view_costs(1.0, 3.0, 3.0, n_views=20)
    np.testing.assert_array_equal(costs[0, 1:], 1.0)
    np.testing.assert_array_equal(costs[1:, 0], 3.0)
    np.testing.assert_allclose(costs[1, 1:], 3.0 * np.r_[np.arange(11), np.arange(9, 0, -1)] / 10)
    ring = costs[1:, 1:]
    for row in range(20):  # a circle: every view sees the same distances
        np.testing.assert_allclose(np.roll(ring[row], -row), ring[0], atol=1e-15)


def test_view_costs_of_an_odd_number_of_views_never_reach_gamma() -> None:
    np.testing.assert_allclose(view_costs(1, 1, 1, 3)[1], [1, 0, 2 / 3, 2 / 3])


def test_confusion_costs_are_the_rates_of_errors_with_a_floor() -> None:
    costs = from_confusion([[90, 10, 0], [5, 5, 0], [0, 0, 7]], smallest=0.01)
    np.testing.assert_allclose(costs, [[0, 0.1, 0.01], [0.5, 0, 0.01], [0.01, 0.01, 0]])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [1, 0], [1, 1]], "square"),
        ([[0]], "at least 2"),
        ([0, 1], "square"),
        ([[0, 1], [-1, 0]], r"negative, got -1.0 at \[1, 0\]"),
        ([[0, np.nan], [1, 0]], r"finite, got nan at \[0, 1\]"),
        ([[0, np.inf], [1, 0]], "finite"),
        ([[0, 1], [1, 2]], r"zero diagonal .* got 2.0 at \[1, 1\]"),
        ([[0, 0], [0, 0]], "zeros only"),
        ([["a", "b"], ["c", "d"]], "matrix of numbers"),
        ([[0, 1], [1]], "matrix of numbers"),
    ],
)
def test_validate_names_the_broken_rule(matrix: object, message: str) -> None:
    with pytest.raises(CostMatrixError, match=message):
        validate(matrix)  # type: ignore[arg-type]


def test_validate_checks_the_number_of_classes() -> None:
    with pytest.raises(CostMatrixError, match="3 x 3"):
        validate(zero_one(2), 3)


def test_validate_returns_a_copy() -> None:
    given_costs = zero_one(2)
    validate(given_costs)[0, 1] = 7
    assert given_costs[0, 1] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: face_costs(0.0), "beta of face_costs"),
        (lambda: view_costs(1, -1, 1, 4), "beta of view_costs"),
        (lambda: view_costs(1, 1, np.nan, 4), "gamma of view_costs"),
        (lambda: zero_one(1), "at least 2"),
        (lambda: from_confusion([[1, 0], [0, 0]]), "row 1 is empty"),
        (lambda: from_confusion([[1, -1], [0, 1]]), ">= 0"),
        (lambda: from_confusion([[1, 0]]), "square"),
        (lambda: from_confusion([[1, 0], [0, 1]], smallest=0.0), "smallest"),
    ],
)
def test_named_costs_refuse_bad_parameters(call: Callable[[], object], message: str) -> None:
    with pytest.raises(CostMatrixError, match=message):
        call()


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_cost_algebra_equals_the_reference(shared: Path, n_classes: int) -> None:
    archive = np.load(shared / f"reference/acf/badacost_K{n_classes}_exact.npz")
    prefixes = [name.removesuffix("_Cprime") for name in archive if name.endswith("_Cprime")]
    assert len(prefixes) > 5
    for prefix in prefixes:
        costs = scaled_costs(archive[prefix + "_cost"])
        np.testing.assert_allclose(with_negative_row_sums(costs), archive[prefix + "_Cprime"], atol=1e-15)
        np.testing.assert_allclose(margin_codes(n_classes), archive[prefix + "_Y"], atol=1e-15)


def test_only_large_costs_are_scaled() -> None:
    np.testing.assert_array_equal(scaled_costs(np.array([[0, 4.0], [1, 0]])), [[0, 1], [0.25, 0]])
    np.testing.assert_array_equal(scaled_costs(np.array([[0, 0.5], [0.1, 0]])), [[0, 0.5], [0.1, 0]])


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_stationary_distribution_is_left_unchanged(n_classes: int, seed: int) -> None:
    costs = np.random.default_rng(seed).random((n_classes, n_classes)) ** 8 + 1e-6
    np.fill_diagonal(costs, 0.0)
    generator = with_negative_row_sums(costs)
    distribution = stationary_distribution(generator)
    assert (distribution > 0).all()
    assert distribution.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(distribution @ generator, 0.0, atol=1e-14)
