"""The four margins by hand and by slow twins, their shift, and the bags drawn by them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.boosting.bagging.margin_range_search import RangeSearch
from badacost.boosting.bagging.margin_sampler import MarginSampler
from badacost.boosting.bagging.margins import MARGINS, Margin, shifted_margins, vote_margins
from badacost.boosting.bagging.training_table import TrainingTable
from badacost.boosting.metrics import average_accuracy

Codes = NDArray[np.int64]

# Ten members, four classes. Of the rows: clearly right, a close wrong decision, a tie, right without a majority.
VOTES = np.array([[9, 1, 0, 0], [5, 4, 1, 0], [5, 5, 0, 0], [4, 2, 2, 2]])
CODES = np.array([0, 1, 1, 0])


@pytest.mark.parametrize(
    ("margin", "by_hand"),
    [
        ("max", [0.8, -0.1, 0.0, 0.2]),
        ("sum", [0.8, -0.2, 0.0, -0.2]),
        ("unsupervised max", [0.8, 0.1, 0.0, 0.2]),
        ("unsupervised sum", [0.8, 0.0, 0.0, -0.2]),
    ],
)
def test_margins_by_hand(margin: Margin, by_hand: list[float]) -> None:
    np.testing.assert_allclose(vote_margins(VOTES, CODES, margin) / 10, by_hand)


@pytest.mark.parametrize(
    ("margin", "by_hand"),
    [
        ("max", [0.8, -0.1, 0.0, 0.2]),
        ("sum", [1.0, 0.0, 0.2, 0.0]),  # right are rows 0 and 3 (a tie is class 0): the minimum is -0.2
        ("unsupervised max", [0.8, 0.1, 0.0, 0.2]),
        ("unsupervised sum", [1.0, 0.2, 0.2, 0.0]),
    ],
)
def test_shift_by_hand(margin: Margin, by_hand: list[float]) -> None:
    margins = vote_margins(VOTES, CODES, margin)
    np.testing.assert_allclose(shifted_margins(margins, VOTES, CODES, margin) / 10, by_hand)


def test_no_shift_without_a_right_decision() -> None:
    votes, codes = np.array([[4, 1], [1, 4]]), np.array([1, 0])
    margins = vote_margins(votes, codes, "sum")
    np.testing.assert_array_equal(margins, [-3, -3])
    np.testing.assert_array_equal(shifted_margins(margins, votes, codes, "sum"), margins)


def slow_margin(votes: list[int], label: int, margin: str) -> Fraction:
    """The definitions."""
    total = sum(votes)
    ordered = sorted(votes, reverse=True)
    others = votes[:label] + votes[label + 1 :]
    difference = {
        "max": votes[label] - max(others),
        "sum": votes[label] - sum(others),
        "unsupervised max": ordered[0] - ordered[1],
        "unsupervised sum": ordered[0] - sum(ordered[1:]),
    }[margin]
    return Fraction(difference, total)


@st.composite
def ballots(draw: st.DrawFn) -> tuple[Codes, Codes, int]:
    n_rows, n_classes, n_members = draw(st.integers(1, 12)), draw(st.integers(2, 5)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    votes = rng.multinomial(n_members, rng.dirichlet(np.ones(n_classes)), size=n_rows)
    return votes, rng.integers(n_classes, size=n_rows), n_members


@given(ballots(), st.sampled_from(MARGINS))
def test_margins_by_their_definitions(ballot: tuple[Codes, Codes, int], margin: Margin) -> None:
    votes, codes, n_members = ballot
    expected = [
        slow_margin(row, label, margin) for row, label in zip(votes.tolist(), codes.tolist(), strict=True)
    ]
    found = vote_margins(votes, codes, margin)
    assert [Fraction(int(each), n_members) for each in found] == expected
    assert (np.abs(found) <= n_members).all()
    right = [index for index, row in enumerate(votes.tolist()) if row.index(max(row)) == codes[index]]
    shift = min(expected[index] for index in right) if right and margin.endswith("sum") else Fraction(0)
    shifted = shifted_margins(found, votes, codes, margin)
    assert [Fraction(int(each), n_members) for each in shifted] == [each - shift for each in expected]


@given(ballots())
def test_two_classes_have_one_margin(ballot: tuple[Codes, Codes, int]) -> None:
    votes = ballot[0][:, :2]
    codes = ballot[1] % 2
    np.testing.assert_array_equal(vote_margins(votes, codes, "max"), vote_margins(votes, codes, "sum"))
    unsupervised = vote_margins(votes, codes, "unsupervised max")
    np.testing.assert_array_equal(unsupervised, np.abs(vote_margins(votes, codes, "max")))
    np.testing.assert_array_equal(unsupervised, vote_margins(votes, codes, "unsupervised sum"))


def table_of(sizes: list[int], seed: int = 0) -> TrainingTable:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.random.default_rng(seed).normal(size=(len(labels), 2))
    return TrainingTable.of(rows, labels, np.ones(len(labels)), "test")


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=4),
    st.integers(0, 2**32),
    st.integers(0, 40),
    st.integers(1, 12),
)
@settings(deadline=None)
def test_bags_of_margin_bagging(sizes: list[int], seed: int, number: int, n_rates: int) -> None:
    """Balanced; the smallest class whole, once; the others from their rows of smallest |margin| at the rate."""
    table = table_of(sizes, seed)
    margins = np.random.default_rng(seed).integers(-9, 10, len(table.rows))
    sampler = MarginSampler(table, margins, n_rates, n_rates)
    bag = sampler.draw(number, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.bincount(table.codes[bag.rows]), [min(sizes)] * len(sizes))
    smallest = sizes.index(min(sizes))
    assert (
        sorted(bag.rows[table.codes[bag.rows] == smallest])
        == np.flatnonzero(table.codes == smallest).tolist()
    )
    rate = Fraction(1 + number % n_rates, n_rates)
    for code, size in enumerate(sizes):
        if code == smallest:
            continue
        first = max(int(rate * max(sizes)), 1) if size > rate * max(sizes) else size
        own = np.abs(margins[table.codes == code])
        allowed = np.sort(own)[first - 1]
        drawn = np.abs(margins[bag.rows[table.codes[bag.rows] == code]])
        assert (drawn <= allowed).all()
        pool = sampler.pool(code, 1 + number % n_rates)
        assert len(pool) == first
        np.testing.assert_array_equal(np.abs(margins[pool]), np.sort(own)[:first])


def test_the_schedule_of_the_paper() -> None:
    """Ten rates, ten trees each of a hundred."""
    sampler = MarginSampler(table_of([5, 3]), np.zeros(8, np.int64), 10, 10)
    rates = [sampler.step(number) * 10 for number in range(100)]
    assert rates[:12] == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 10, 20]
    assert all(rates.count(rate) == 10 for rate in range(10, 101, 10))


def test_floors_of_rates_are_exact() -> None:
    """0.29 * 100 is below 29 as a float."""
    sampler = MarginSampler(table_of([100, 2]), np.arange(102), 100, 100)
    assert [len(sampler.pool(0, step)) for step in (1, 29, 57, 100)] == [1, 29, 57, 100]


def test_the_lowest_of_equal_classes_is_kept_whole() -> None:
    table = table_of([4, 4])
    sampler = MarginSampler(table, np.array([1, -1, 0, 1, 2, 2, -2, 0]), 2, 2)
    assert sampler.ordered[0][0] == 2
    bag = sampler.draw(0, np.random.default_rng(0))
    assert sorted(bag.rows[:4]) == [0, 1, 2, 3]
    assert set(bag.rows[4:]) <= set(sampler.ordered[1][:2])


def test_equal_margins_are_in_random_order() -> None:
    """Not in the order of the rows' values, which would keep a part of the class out of most bags."""
    table = table_of([40, 5])
    margins = np.repeat([1, 9], [10, 35])
    orders = [MarginSampler(table, margins, 10, 10, seed).ordered[0] for seed in range(300)]
    for order in orders:
        assert set(order[:10]) == set(range(10))
        assert set(order[10:]) == set(range(10, 40))
    first = np.bincount([order[10] for order in orders], minlength=40)[10:]
    assert (first > 0).all()
    assert first.max() < 30
    again = MarginSampler(table, margins, 10, 10, 3).ordered[0]
    np.testing.assert_array_equal(again, orders[3])


@given(st.integers(1, 40), st.integers(1, 12))
def test_ranges_share_their_members(n_members: int, n_rates: int) -> None:
    """A range of j rates has T members, each rate as many as the cycle gives it, none more than were trained."""
    search = RangeSearch(table_of([3, 3]), n_rates, n_members, average_accuracy)
    trained = [int(search.members_of_rates(step)[step - 1]) for step in range(1, n_rates + 1)]
    for n_used in range(1, n_rates + 1):
        cycle = [1 + number % n_used for number in range(n_members)]
        found = search.members_of_rates(n_used).tolist()
        assert found == [cycle.count(step) for step in range(1, n_used + 1)]
        assert all(few <= many for few, many in zip(found, trained, strict=False))


@given(st.lists(st.integers(1, 20), min_size=2, max_size=4), st.integers(2, 5), st.integers(0, 99))
@settings(deadline=None)
def test_folds_deal_out_every_class(sizes: list[int], n_folds: int, seed: int) -> None:
    table = table_of(sizes, seed)
    fold_of = RangeSearch(table, 10, 10, average_accuracy).folds(n_folds, seed)
    for code, size in enumerate(sizes):
        counts = np.bincount(fold_of[table.codes == code], minlength=n_folds)
        assert counts.sum() == size
        assert np.ptp(counts) <= 1
