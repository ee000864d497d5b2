"""Theorem 1, Remark 10, and thresholds of probabilities by cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from badacost.boosting.framework.ballots import Ballots
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.records import Records
from badacost.boosting.framework.samplers import (
    CostHybridSampler,
    CostOverSampler,
    CostProportionateRejectionSampler,
    CostSampler,
    CostUnderSampler,
)
from badacost.boosting.framework.thresholds import (
    cheapest_threshold,
    least_expected_cost,
    theoretical_threshold,
)
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier
from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.rareboost import RareBoostClassifier

from .tables import Table

Array = NDArray[np.float64]
COST = st.floats(0.01, 100)


@given(
    outcomes=arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 5))),
    data=st.data(),
    cost_fn=COST,
    cost_fp=COST,
)
@settings(max_examples=150, deadline=None)
def test_theorem_1_voting_by_cost_is_the_theoretical_majority(
    outcomes: NDArray[np.bool_], data: st.DataObject, cost_fn: float, cost_fp: float
) -> None:
    """S1 > 1/2 iff S2 > C_FP/(C_FP + C_FN), for all vote weights alpha >= 0 and costs."""
    shape = (len(outcomes), 1)
    alpha = data.draw(arrays(np.float64, shape, elements=st.floats(0, 50)))
    tally = Ballots(outcomes, alpha).tally
    weighed = tally.positive * cost_fn, tally.negative * cost_fp
    threshold = theoretical_threshold(cost_fn, cost_fp)
    clear = ~np.isclose(*weighed, rtol=1e-9, atol=1e-12)
    with np.errstate(invalid="ignore"):
        s1 = weighed[0] / (weighed[0] + weighed[1])
    by_cost = tally.minimum_expected_cost(cost_fn, cost_fp)
    np.testing.assert_array_equal(by_cost[clear], s1[clear] > 0.5)
    np.testing.assert_array_equal(by_cost[clear], (tally.share > threshold)[clear])


@pytest.mark.parametrize(("votes", "cost_fn"), [(1, 3.0), (2, 1.0), (3, 1.0 / 3.0)])
def test_theorem_1_a_tie_is_negative_on_both_sides(votes: int, cost_fn: float) -> None:
    tally = Ballots(np.arange(4)[:, None] < votes, np.ones((4, 1))).tally
    assert tally.share[0] == votes / 4
    assert not tally.minimum_expected_cost(cost_fn, 1.0)
    assert not tally.share > theoretical_threshold(cost_fn, 1.0) + 1e-15


@pytest.mark.parametrize(
    "ensemble",
    [
        CostBaseEnsembleClassifier(n_estimators=9, random_state=0),
        AdaBoostClassifier(n_estimators=9),
        RareBoostClassifier(n_estimators=9),
    ],
)
def test_theorem_1_on_ensembles_with_costs_of_records(ensemble: Any, table: Table) -> None:
    costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
    by_cost, by_share = (
        VotingAdjustedClassifier(ensemble, voting=voting, random_state=0)
        .fit(table.X, table.y, **costs)
        .predict(table.X, **costs)
        for voting in ("minimum expected cost", "theoretical majority")
    )
    np.testing.assert_array_equal(by_cost, by_share)


@pytest.mark.parametrize(
    "sampler",
    [CostUnderSampler(), CostOverSampler(), CostHybridSampler(), CostProportionateRejectionSampler()],
)
@given(n_positive=st.integers(1, 30), n_negative=st.integers(1, 30), cost_fn=st.floats(0.2, 5))
@settings(max_examples=12, deadline=None)
def test_remark_10_the_majority_of_a_sample_is_the_threshold_of_all_in_expectation(
    sampler: CostSampler, n_positive: int, n_negative: int, cost_fn: float
) -> None:
    """In a leaf, positive records outnumber the others in the sample as P/(1 - P) C_FN/C_FP says."""
    positive = np.arange(n_positive + n_negative) < n_positive
    records = Records.of(np.zeros((len(positive), 1)), positive, cost_fn, 1.0)
    many = records.with_copies(np.full(len(positive), 2000))  # so that a sample is its expectation
    copies = sampler.drawing(many)(np.random.default_rng(0)).copies
    in_sample = copies[positive].sum() / copies.sum()
    odds = n_positive / n_negative * cost_fn
    assert in_sample == pytest.approx(odds / (1 + odds), abs=0.03)
    if abs(in_sample - 0.5) > 0.03:
        decided = least_expected_cost(np.array([n_positive / len(positive)]), cost_fn, 1.0)
        assert decided[0] == (in_sample > 0.5)


@given(probability=st.floats(0, 1), cost_fn=st.floats(0, 100), cost_fp=st.floats(0, 100))
@settings(max_examples=100, deadline=None)
def test_least_expected_cost_is_the_theoretical_threshold(
    probability: float, cost_fn: float, cost_fp: float
) -> None:
    threshold = theoretical_threshold(cost_fn, cost_fp)
    if abs(probability - threshold) > 1e-9:
        decided = least_expected_cost(np.array([probability]), cost_fn, cost_fp)
        assert decided[0] == (probability > threshold)


def test_where_no_error_costs_anything_the_label_is_negative() -> None:
    assert theoretical_threshold(0.0, 0.0) == 1.0
    assert not least_expected_cost(np.array([1.0]), 0.0, 0.0)[0]


@given(
    scores=arrays(np.float64, 14, elements=st.integers(0, 6).map(lambda k: k / 6)),
    candidates=arrays(np.float64, 5, elements=st.integers(0, 6).map(lambda k: k / 6)),
    costs=arrays(np.float64, 14, elements=st.integers(0, 4).map(float)),
    positive=arrays(np.bool_, 14),
)
@settings(max_examples=150, deadline=None)
def test_cheapest_threshold_equals_its_slow_twin(
    scores: Array, candidates: Array, costs: Array, positive: NDArray[np.bool_]
) -> None:
    records = Records.of(np.zeros((14, 1)), positive, costs, costs)
    of_threshold = {t: costs[(scores > t) != positive].sum() for t in sorted(candidates)}
    least = min(of_threshold.values())
    expected = min(t for t, cost in of_threshold.items() if cost == least)
    assert cheapest_threshold(candidates, scores, records) == expected
