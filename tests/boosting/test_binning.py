"""Bins of feature values and the thresholds that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from badacost.boosting.trees.binning import bin_features, fit_binner, fit_uniform_binner

columns = arrays(np.float64, st.tuples(st.integers(1, 60), st.just(1)), elements=st.floats(-1e300, 1e300))


@settings(max_examples=60)
@given(columns)
def test_few_values_have_a_bin_each_and_thresholds_half_way(values: np.ndarray) -> None:
    bins, binner = bin_features(values)
    distinct, rank = np.unique(values[:, 0], return_inverse=True)
    np.testing.assert_array_equal(bins[0], rank)
    assert bins.dtype == np.uint8
    cuts = np.arange(len(distinct) - 1)
    thresholds = binner.threshold_values(np.zeros(len(cuts), int), cuts, cuts + 1)
    for cut, threshold in zip(cuts, thresholds, strict=True):
        assert distinct[cut] < threshold <= distinct[cut + 1]
        np.testing.assert_array_equal(values[:, 0] < threshold, bins[0] <= cut)


@settings(max_examples=60)
@given(columns, st.integers(2, 12))
def test_bins_keep_the_order_and_their_number(values: np.ndarray, max_bins: int) -> None:
    bins, binner = bin_features(values, max_bins)
    order = np.argsort(values[:, 0], kind="stable")
    assert (np.diff(bins[0, order].astype(int)) >= 0).all()
    assert len(np.unique(bins)) == min(max_bins, len(np.unique(values)))
    for value, bin_number in zip(values[:, 0], bins[0], strict=True):
        assert binner.smallest[0][bin_number] <= value <= binner.largest[0][bin_number]


def test_bins_of_continuous_values_are_about_equally_heavy() -> None:
    values = np.random.default_rng(0).normal(size=(10_000, 1)) ** 3
    counts = np.bincount(bin_features(values)[0][0])
    assert len(counts) == 256
    assert counts.min() >= 38
    assert counts.max() <= 41


def test_a_heavy_value_does_not_starve_the_others() -> None:
    values = np.concatenate([np.zeros(90_000), np.arange(1.0, 10_001.0)])[:, None]
    counts = np.bincount(bin_features(values, 101)[0][0])
    assert len(counts) == 101
    assert counts[0] == 90_000
    assert counts[1:].max() <= 110


def test_weights_count_as_repetitions() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=(300, 2)), rng.integers(1, 5, 300)
    weighted = fit_binner(values, 8, weights)
    repeated = fit_binner(np.repeat(values, weights, axis=0), 8)
    for one, other in zip(weighted.edges, repeated.edges, strict=True):
        np.testing.assert_array_equal(one, other)


def test_exact_bins_of_many_values_are_wide() -> None:
    values = np.random.default_rng(2).permutation(70_000).astype(float)[:, None]
    bins, _ = bin_features(values, None)
    assert bins.dtype == np.uint32
    np.testing.assert_array_equal(bins[0], values[:, 0])
    assert bin_features(values[:300], None)[0].dtype == np.uint16


def test_adjacent_floats_are_separated() -> None:
    values = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    _, binner = bin_features(values)
    assert binner.edges[0][0] == values[1, 0]


def test_unseen_values_fall_into_the_outer_bins() -> None:
    binner = fit_binner(np.array([[0.0], [1.0], [2.0]]))
    np.testing.assert_array_equal(binner.transform([[-9.0], [0.6], [99.0]]), [[0, 1, 2]])


def test_uniform_bins_round_to_the_nearest_step(shared: Path) -> None:
    archive = np.load(shared / "reference/acf/binary_trees.npz")
    samples = np.concatenate([archive["X0"], archive["X1"]])
    for n_bins in (256, 32):
        expected = np.concatenate([archive[f"q_b{n_bins}_X0"], archive[f"q_b{n_bins}_X1"]])
        bins = fit_uniform_binner(samples, n_bins).transform(samples).T
        different = bins != expected  # the reference rounds in float32
        assert different.mean() < 1e-3
        assert np.abs(bins.astype(int) - expected)[different].max(initial=0) <= 1


def test_uniform_bins_know_the_values_they_hold() -> None:
    binner = fit_uniform_binner(np.array([[0.0], [0.4], [0.6], [10.0]]), 11, margin=0.0)
    assert binner.smallest[0][1] == binner.largest[0][1] == 0.6
    assert binner.largest[0][0] == 0.4
    assert binner.threshold_values(np.array([0]), np.array([0]), np.array([1]))[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_binner(np.zeros(3)), "shape"),
        (lambda: fit_binner(np.zeros((0, 2))), "at least 1"),
        (lambda: fit_binner([[1.0, np.nan]]), r"finite, got nan at \[0, 1\]"),
        (lambda: fit_binner(np.zeros((2, 1)), 1), "max_bins"),
        (lambda: fit_binner(np.zeros((2, 1)), 8, [1.0, 0.0]), "positive"),
        (lambda: fit_uniform_binner(np.zeros((2, 1)), 1), "n_bins"),
        (lambda: fit_binner(np.zeros((2, 1))).transform(np.zeros((2, 2))), r"\(N, 1\)"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
