"""Every valid combination of the framework's parts trains and predicts; the others say why they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from badacost.boosting.framework.combination_rules import InvalidCombinationError
from badacost.boosting.framework.combinations import (
    BASES,
    BUILT_BY,
    Combination,
    estimator_of,
    reason_against,
    valid_combinations,
)
from badacost.boosting.framework.metacost import MetaCostClassifier
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier

from .tables import noisy_table

VALID = valid_combinations()
DEGENERATE = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning",
    "ignore::badacost.boosting.framework.metacost.OneLabelWarning",
)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("post", ["none", "minimum expected cost", "adjusted votes", "metacost"])
@DEGENERATE
def test_every_valid_combination_trains_and_predicts(base: str, post: str) -> None:
    X, y, *_ = noisy_table(0, 48, 2)
    chosen = [combination for combination in VALID if (combination.base, combination.post) == (base, post)]
    assert chosen
    for combination in chosen:
        model = estimator_of(combination, n_estimators=2, random_state=0, max_depth=2)
        costs = {"cost_fn": 3.0, "cost_fp": 1.0} if has_fit_parameter(model, "cost_fn") else {}
        predicted = model.fit(X, y, **costs).predict(X)
        assert set(np.unique(predicted)) <= {0, 1}, combination
        shares = model.predict_proba(X)
        assert np.isfinite(shares).all(), combination
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_what_the_list_holds() -> None:
    assert len(VALID) == len(set(VALID)) == 2010
    assert {combination.base for combination in VALID} == set(BASES)
    assert {combination.built_by for combination in VALID} == set(BUILT_BY)
    for combination in VALID:
        assert reason_against(combination) is None


MEC: dict[str, Any] = {"post": "minimum expected cost", "threshold": "theoretical"}
VALIDATED: dict[str, Any] = {"post": "minimum expected cost", "threshold": "validation"}
VOTES: dict[str, Any] = {"post": "adjusted votes", "voting": "theoretical majority"}


@pytest.mark.parametrize(
    ("combination", "reason"),
    [
        (Combination("random forest", "reduced-cost pruning"), "averages unpruned trees"),
        (Combination("random forest", "cost splitting, cost-complexity pruning", **MEC), "unpruned trees"),
        (Combination("bagging", "CGAda"), "its base is 'adaboost'"),
        (Combination("adaboost", "weights"), "weights as 'CGAda'"),
        (Combination("adaboost", "pre-sample", "under"), "for ensembles of the bagging kind"),
        (Combination("bagging", "plain"), "no part would count them"),
        (Combination("adaboost", "RareBoost"), "no part would count them"),
        (Combination("bagging", "plain", post="metacost"), "no part would count them"),
        (Combination("bagging", "sample"), "sampling of Combination must be one of"),
        (Combination("bagging", "weights", "under"), "sampling of Combination must be one of"),
        (Combination("bagging", "weights", estimate="laplace", **MEC), "no counts of records"),
        (Combination("bagging", "weights", calibration="platt", **MEC), "no counts of records"),
        (Combination("bagging", "plain", calibration="isotonic", **MEC), "smoothing and curtailment"),
        (Combination("bagging", "plain", calibration="logistic", **MEC), "smoothing and curtailment"),
        (Combination("adaboost", "plain", **MEC), "is no probability"),
        (Combination("adaboost", "theoretical outcomes", calibration="platt", **MEC), "would count again"),
        (Combination("bagging", "theoretical outcomes", **VALIDATED), "would count again"),
        (Combination("bagging", "validation outcomes", **VOTES), "would count again"),
        (
            Combination("bagging", "theoretical outcomes", post="adjusted votes", vote_weights="accuracy"),
            "would count again",
        ),
        (Combination("adaboost", "AdaMEC", calibration="platt", **MEC), "decides by expected cost itself"),
        (Combination("adaboost", "UBoost", **VOTES), "would count again"),
        (
            Combination("adaboost", "plain", post="adjusted votes", vote_weights="log odds"),
            "alpha of a boosted model is its vote weight",
        ),
        (
            Combination("bagging", "sample", "under", estimate="laplace"),
            "no part takes probabilities of leaves",
        ),
        (Combination("bagging", "sample", "under", calibration="platt"), "takes no probabilities"),
        (Combination("bagging", "sample", "under", post="adjusted votes"), "must adjust the votes"),
        (Combination("bagging", "sample", "under", voting="theoretical majority"), "must adjust the votes"),
        (
            Combination("bagging", "sample", "under", threshold="validation"),
            "threshold of Combination must be",
        ),
        (Combination("stacking"), "base of Combination must be one of 'bagging'"),  # type: ignore[arg-type]
        (Combination("bagging", "luck"), "built_by of Combination must be one of 'plain'"),
    ],
)
def test_invalid_combinations_are_refused_with_the_reason(combination: Combination, reason: str) -> None:
    assert combination not in VALID
    assert reason in (reason_against(combination) or "")
    with pytest.raises(InvalidCombinationError, match=r".* of \w+ "):
        estimator_of(combination)


@pytest.mark.parametrize(
    ("outer", "inner", "reason"),
    [
        (MinimumExpectedCostClassifier, MetaCostClassifier(), "single cost-insensitive model"),
        (VotingAdjustedClassifier, MetaCostClassifier(), "single cost-insensitive model"),
        (MinimumExpectedCostClassifier, MinimumExpectedCostClassifier(), "decides by expected cost itself"),
        (MinimumExpectedCostClassifier, VotingAdjustedClassifier(), "decides by expected cost itself"),
        (VotingAdjustedClassifier, MinimumExpectedCostClassifier(), "decides by expected cost itself"),
        (VotingAdjustedClassifier, VotingAdjustedClassifier(), "decides by expected cost itself"),
    ],
)
def test_estimators_refuse_as_the_list_does(outer: Any, inner: Any, reason: str) -> None:
    X, y, *_ = noisy_table(0, 40)
    with pytest.raises(InvalidCombinationError, match=reason):
        outer(inner).fit(X, y)
    with pytest.raises(InvalidCombinationError, match="single cost-insensitive model"):
        MetaCostClassifier(relabeler=MetaCostClassifier()).fit(X, y)


@pytest.mark.parametrize("post", [MEC, VOTES])
def test_sampling_and_a_cost_threshold_count_costs_twice(post: dict[str, Any]) -> None:
    """Allowed, as the paper reports such hybrids: the dear class is predicted more often than by either alone."""
    table, new = noisy_table(3, 300), noisy_table(4, 500)

    def predicted(combination: Combination) -> NDArray[np.int64]:
        model = estimator_of(combination, n_estimators=10, random_state=0, max_depth=3)
        return model.fit(table.X, table.y, cost_fn=3.0).predict(new.X)

    twice = predicted(Combination("bagging", "sample", "over", **post))
    for once in (Combination("bagging", "sample", "over"), Combination("bagging", "plain", **post)):
        assert twice.sum() > 1.2 * predicted(once).sum()
