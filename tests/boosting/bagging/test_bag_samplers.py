"""What bags are made of: sizes, classes, repetition, synthetic rows, and rows of whole weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from badacost.boosting.bagging.bag_samplers import (
    AllRows,
    Bag,
    BagSampler,
    Bootstrap,
    ClassBootstrap,
    RandomUndersampling,
    SyntheticOversampling,
)
from badacost.boosting.bagging.training_table import TrainingTable

Array = NDArray[np.float64]

SAMPLERS: list[Callable[[TrainingTable], BagSampler]] = [
    AllRows,
    Bootstrap,
    lambda table: ClassBootstrap(table, int(table.class_sizes.min())),
    lambda table: ClassBootstrap(table, int(table.class_sizes.max())),
    RandomUndersampling,
    lambda table: SyntheticOversampling(table, 10, 5),
]


def table_of(sizes: list[int], seed: int = 0, weights: Array | None = None) -> TrainingTable:
    """Classes 0, 1, ... of these sizes, in random order; rows are told apart by both features."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = rng.normal(size=(len(labels), 2))
    return TrainingTable.of(rows, labels, np.ones(len(labels)) if weights is None else weights, "test")


def counts_of(bag: Bag, table: TrainingTable) -> tuple[list[int], list[int]]:
    """Original and synthetic rows of every class."""
    n_classes = len(table.classes)
    original = np.bincount(table.codes[bag.rows], minlength=n_classes)
    return original.tolist(), np.bincount(bag.synthetic_codes, minlength=n_classes).tolist()


sizes_of_classes = st.lists(st.integers(1, 40), min_size=2, max_size=5)
seeds = st.integers(0, 2**32)


@given(sizes_of_classes, seeds)
@settings(deadline=None)
def test_bootstrap_has_as_many_rows_as_there_are(sizes: list[int], seed: int) -> None:
    table = table_of(sizes, seed)
    bag = Bootstrap(table).draw(0, np.random.default_rng(seed))
    assert len(bag.rows) == sum(sizes)
    assert not len(bag.synthetic_rows)


def test_bootstrap_draws_every_row_alike_and_with_replacement() -> None:
    table = table_of([30, 10])
    drawn = [Bootstrap(table).draw(0, np.random.default_rng(seed)).rows for seed in range(3000)]
    np.testing.assert_allclose(np.bincount(np.concatenate(drawn)) / 3000, np.ones(40), atol=0.09)
    distinct = np.mean([len(np.unique(rows)) for rows in drawn])
    assert distinct == pytest.approx(40 * (1 - (1 - 1 / 40) ** 40), abs=0.2)


@given(sizes_of_classes, seeds)
@settings(deadline=None)
def test_undersampling_keeps_the_smallest_class_whole_and_repeats_nothing(
    sizes: list[int], seed: int
) -> None:
    table = table_of(sizes, seed)
    bag = RandomUndersampling(table).draw(0, np.random.default_rng(seed))
    assert counts_of(bag, table) == ([min(sizes)] * len(sizes), [0] * len(sizes))
    assert len(np.unique(bag.rows)) == len(bag.rows)
    for code in np.flatnonzero(np.array(sizes) == min(sizes)):
        assert set(np.flatnonzero(table.codes == code)) <= set(bag.rows)


@given(sizes_of_classes, seeds, st.sampled_from([min, max]))
@settings(deadline=None)
def test_classes_are_bootstrapped_to_one_size(sizes: list[int], seed: int, size: Any) -> None:
    table = table_of(sizes, seed)
    bag = ClassBootstrap(table, size(sizes)).draw(0, np.random.default_rng(seed))
    assert counts_of(bag, table) == ([size(sizes)] * len(sizes), [0] * len(sizes))


@given(sizes_of_classes, seeds, st.integers(0, 25), st.integers(1, 12))
@settings(deadline=None)
def test_smote_bagging_fills_every_class_at_the_members_rate(
    sizes: list[int], seed: int, number: int, n_rates: int
) -> None:
    table = table_of(sizes, seed)
    bag = SyntheticOversampling(table, n_rates, 5).draw(number, np.random.default_rng(seed))
    largest = max(sizes)
    repeated = (1 + number % n_rates) * largest // n_rates
    original = [largest if size == largest else repeated for size in sizes]
    assert counts_of(bag, table) == (original, [largest - count for count in original])


def test_synthetic_rows_lie_towards_a_neighbour_of_their_class() -> None:
    table = table_of([60, 12, 3])
    bag = SyntheticOversampling(table, 10, 5).draw(2, np.random.default_rng(0))
    for code, n_neighbors in ((1, 5), (2, 2)):
        rows = table.rows[table.codes == code]
        finder = NearestNeighbors(n_neighbors=n_neighbors).fit(rows)
        ends = rows[finder.kneighbors(return_distance=False)].reshape(-1, 2)
        starts = np.repeat(rows, n_neighbors, axis=0)
        ways = ends - starts
        for row in bag.synthetic_rows[bag.synthetic_codes == code]:
            along = ((row - starts) * ways).sum(axis=1) / (ways**2).sum(axis=1)
            off = np.linalg.norm(row - starts - along[:, None] * ways, axis=1)
            assert ((off < 1e-9) & (along > -1e-9) & (along < 1 + 1e-9)).any()


def test_a_class_of_one_row_is_repeated() -> None:
    table = table_of([9, 1])
    bag = SyntheticOversampling(table, 10, 5).draw(0, np.random.default_rng(0))
    only = table.rows[table.codes == 1]
    np.testing.assert_array_equal(bag.synthetic_rows, np.repeat(only, 9, axis=0))
    assert counts_of(bag, table) == ([9, 0], [0, 9])  # the floor of a tenth of 9 rows is none


@given(sizes_of_classes, seeds, st.sampled_from(range(len(SAMPLERS))))
@settings(deadline=None, max_examples=60)
def test_whole_weights_are_repeated_rows(sizes: list[int], seed: int, which: int) -> None:
    """The same bags for a table with weights, for one with repeated rows, and for one in another order."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = rng.integers(5, size=(len(labels), 2)).astype(np.float64)
    times = rng.integers(1, 4, len(labels))
    weighted = TrainingTable.of(rows, labels, times.astype(np.float64), "test")
    picked = rng.permutation(np.repeat(np.arange(len(labels)), times))
    repeated = TrainingTable.of(rows[picked], labels[picked], np.ones(len(picked)), "test")
    bags = [SAMPLERS[which](table).draw(3, np.random.default_rng(seed)) for table in (weighted, repeated)]
    np.testing.assert_array_equal(weighted.rows[bags[0].rows], repeated.rows[bags[1].rows])
    np.testing.assert_array_equal(weighted.codes[bags[0].rows], repeated.codes[bags[1].rows])
    np.testing.assert_array_equal(bags[0].synthetic_rows, bags[1].synthetic_rows)


def test_other_weights_do_not_count_in_draws() -> None:
    weights = np.random.default_rng(1).random(40)
    weights[3] = 0.0
    table = table_of([30, 10], weights=weights)
    assert table.weights is not None
    assert table.weights.mean() == pytest.approx(1.0)
    assert len(table.places) == len(table.rows) == 39  # weight 0 is left out
    assert 3 not in table.numbers


@given(sizes_of_classes, seeds)
@settings(deadline=None)
def test_part_of_a_table(sizes: list[int], seed: int) -> None:
    whole = table_of(sizes, seed, np.random.default_rng(seed).integers(1, 3, sum(sizes)).astype(np.float64))
    kept = np.random.default_rng(seed + 1).random(sum(sizes)) < 0.6
    kept[0] = True
    part = whole.part(kept)
    np.testing.assert_array_equal(part.rows, whole.rows[kept])
    np.testing.assert_array_equal(part.classes[part.codes], whole.classes[whole.codes[kept]])
    np.testing.assert_array_equal(part.numbers, np.flatnonzero(kept))
    np.testing.assert_array_equal(part.numbers[part.places], whole.places[kept[whole.places]])
    assert part.class_sizes.sum() == len(part.places)
