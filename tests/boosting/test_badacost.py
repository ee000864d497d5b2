"""The rounds of BAdaCost: loss, seeds, weights, when they end, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from badacost.boosting.costs import margin_codes, scaled_costs, with_negative_row_sums, zero_one
from badacost.boosting.multiclass import boosted_trees
from badacost.boosting.multiclass.badacost import (
    BAdaCostOptions,
    BoostingRound,
    boost,
    boost_learners,
)
from badacost.boosting.multiclass.boosted_trees import BoostedTrees
from badacost.boosting.trees.tree import TreeOptions


def some_samples(n_samples: int = 400, n_classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_samples)
    values = rng.normal(size=(12, n_samples)) + 1.0 * rng.normal(size=(12, n_classes))[:, labels]
    return np.clip(128 + 30 * values, 0, 255).astype(np.uint8), labels


COSTS = np.array([[0, 1, 2], [4, 0, 1], [1, 2, 0.0]])


def same_trees(one: BoostedTrees, other: BoostedTrees) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def test_loss_falls_and_is_the_mean_exponential_loss() -> None:
    bins, labels = some_samples()
    trees = boost(bins, labels, COSTS, BAdaCostOptions(n_estimators=20, tree=TreeOptions(max_depth=2)))
    assert (np.diff(trees.losses, prepend=1.0) < 0).all()
    f = boosted_trees.margins(trees, bins)
    generator = with_negative_row_sums(scaled_costs(COSTS))
    exponents = (generator[labels] * f.T).sum(axis=1)
    assert trees.losses[-1] == pytest.approx(np.exp(exponents).mean(), rel=1e-9)


def test_scores_are_those_of_the_labels_of_the_trees() -> None:
    bins, labels = some_samples(5000)
    trees = boost(bins, labels, COSTS, BAdaCostOptions(n_estimators=6, tree=TreeOptions(max_depth=3)))
    said = boosted_trees.predict_labels(trees, bins, threads=2)
    assert said.shape == (6, 5000)
    f = np.zeros((3, 5000))
    for tree, (beta, row) in enumerate(zip(trees.beta, said, strict=True)):
        f += beta * margin_codes(3)[:, row]
        costs = with_negative_row_sums(scaled_costs(COSTS)) @ f
        np.testing.assert_allclose(
            boosted_trees.score_traces(trees, bins)[tree], costs[0] - costs[1:].min(axis=0), atol=1e-5
        )
    np.testing.assert_allclose(boosted_trees.margins(trees, bins), f, atol=1e-12)
    np.testing.assert_allclose(boosted_trees.costs(trees, bins, threads=3), costs, atol=1e-12)


def test_result_depends_on_the_seed_not_on_threads() -> None:
    bins, labels = some_samples()
    options = BAdaCostOptions(n_estimators=8, tree=TreeOptions(max_depth=3, max_features=4))
    first = boost(bins, labels, COSTS, options, random_state=1)
    assert same_trees(first, boost(bins, labels, COSTS, options, random_state=1, threads=2))
    assert not same_trees(first, boost(bins, labels, COSTS, options, random_state=2))


def test_costs_above_one_are_scaled() -> None:
    bins, labels = some_samples()
    options = BAdaCostOptions(n_estimators=5, tree=TreeOptions(max_depth=2))
    scaled, given_costs = (boost(bins, labels, costs, options) for costs in (COSTS / 4, COSTS))
    np.testing.assert_array_equal(scaled.beta, given_costs.beta)
    np.testing.assert_array_equal(given_costs.cost_matrix, COSTS)


def test_sample_weights_are_repetitions() -> None:
    bins, labels = some_samples()
    weights = np.random.default_rng(1).integers(0, 4, len(labels))
    options = BAdaCostOptions(n_estimators=8, learning_rate=0.5, tree=TreeOptions(max_depth=3))
    weighted = boost(bins, labels, COSTS, options, sample_weight=weights)
    repeated = boost(np.repeat(bins, weights, axis=1), np.repeat(labels, weights), COSTS, options)
    np.testing.assert_array_equal(weighted.feature, repeated.feature)
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_allclose(weighted.beta, repeated.beta, rtol=1e-9)


def test_every_round_is_reported() -> None:
    bins, labels = some_samples()
    seen: list[BoostingRound] = []
    options = BAdaCostOptions(n_estimators=4, tree=TreeOptions(max_depth=2))
    trees = boost(bins, labels, COSTS, options, on_round=seen.append)
    assert [current.number for current in seen] == [1, 2, 3, 4]
    assert {current.n_rounds for current in seen} == {4}
    np.testing.assert_array_equal([current.beta for current in seen], trees.beta)
    np.testing.assert_array_equal([current.loss for current in seen], trees.losses)
    first = seen[0]
    assert first.error == pytest.approx((first.predicted != labels).mean())
    np.testing.assert_allclose(first.class_weights, np.bincount(labels) / len(labels))
    assert trees.stop_reason == "all rounds done"


def test_a_faultless_tree_ends_with_a_bounded_step() -> None:
    bins = np.repeat(np.array([[0, 9, 20]], np.uint8), 5, axis=1)
    labels = np.repeat([0, 1, 2], 5)
    options = BAdaCostOptions(n_estimators=50, learning_rate=1.0, tree=TreeOptions(max_depth=2))
    trees = boost(bins, labels, zero_one(3), options)
    assert len(trees) == 1
    assert trees.stop_reason == "the learner of round 1 makes no error that costs"
    share = 1 / 30  # half a sample of 15
    samme = np.log((1 - share) / share) + np.log(2)
    # SAMME's costs are 1/6 of these, and its beta is 4/3 alpha.
    assert trees.beta[0] == pytest.approx(samme * 4 / 3 / 6)
    np.testing.assert_array_equal(boosted_trees.costs(trees, bins).argmin(axis=0), labels)


def test_boosting_goes_on_after_a_faultless_tree_if_wanted() -> None:
    bins = np.repeat(np.array([[0, 9, 20], [5, 50, 90]], np.uint8), 5, axis=1)
    labels = np.repeat([0, 1, 2], 5)
    tree = TreeOptions(max_depth=2, max_features=1)
    options = BAdaCostOptions(n_estimators=40, learning_rate=0.5, tree=tree, on_faultless="continue")
    trees = boost(bins, labels, zero_one(3), options, random_state=0)
    assert len(trees) == 40
    assert trees.stop_reason == "all rounds done"
    assert set(trees.feature[:, 0]) == {0, 1}
    assert np.all(np.isfinite(trees.beta))
    assert np.all(np.diff(trees.losses) < 0)
    with pytest.raises(ValueError, match="on_faultless of BAdaCostOptions must be 'stop' or 'continue'"):
        BAdaCostOptions(on_faultless="skip")  # type: ignore[arg-type]


def test_errors_that_cost_nothing_are_no_errors() -> None:
    bins = np.array([[0, 0, 9, 9]], np.uint8)
    costs = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0.0]])
    trees = boost(bins, [0, 1, 2, 2], costs, BAdaCostOptions(tree=TreeOptions(max_depth=1)))
    assert len(trees) == 1
    assert "no error that costs" in trees.stop_reason


def test_nothing_to_learn_is_an_error() -> None:
    with pytest.raises(ValueError, match="boost found no tree to start with: the learner of round 1"):
        boost(np.zeros((3, 8), np.uint8), [0, 1] * 4, zero_one(2))


class ScriptedLearner:
    """Says prepared labels."""

    def __init__(self, *said: list[int]) -> None:
        self.said = [np.array(labels) for labels in said]
        self.calls = 0

    def fit(self, weights: np.ndarray) -> tuple[int, np.ndarray]:
        self.calls += 1
        return self.calls, self.said[self.calls - 1]


LABELS = np.array([0, 0, 0, 1, 1, 1])
GOOD, BAD, OTHER = [0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 1, 0]


def test_a_bad_learner_stops_the_rounds() -> None:
    run = boost_learners(ScriptedLearner(GOOD, BAD, OTHER), LABELS, zero_one(2), np.ones(6), n_rounds=3)
    assert run.learners == [1]
    assert "round 2 does not lower the expected cost" in run.stop_reason


def test_a_bad_learner_can_be_skipped() -> None:
    learner = ScriptedLearner(GOOD, BAD, OTHER)
    run = boost_learners(learner, LABELS, zero_one(2), np.ones(6), n_rounds=3, on_negative_step="skip")
    assert run.learners == [1, 3]
    assert run.stop_reason == "all rounds done"
    run = boost_learners(
        ScriptedLearner(GOOD, BAD), LABELS, zero_one(2), np.ones(6), n_rounds=2, on_negative_step="skip"
    )
    assert run.stop_reason.startswith("all rounds done; the last one skipped: the learner of round 2")


def test_the_rounds_do_not_change_the_given_weights() -> None:
    weights = np.ones(6)
    boost_learners(ScriptedLearner(GOOD), LABELS, zero_one(2), weights, n_rounds=1)
    assert (weights == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators of BAdaCostOptions must be an integer >= 1, got 0"),
        ({"n_estimators": 2.5}, "n_estimators"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": 1.1}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"on_negative_step": "keep"}, "on_negative_step"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BAdaCostOptions(**options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost_matrix": np.ones((2, 2))}, "zero diagonal"),
        ({"labels": [0, 1, 2, 0]}, "labels must be"),
        ({"bins": np.zeros((1, 4))}, "bins must be"),
        ({"sample_weight": [1.0, 1.0]}, "sample_weight of boost"),
        ({"sample_weight": [1.0, -1.0, 1.0, 1.0]}, "sample_weight of boost"),
        ({"threads": -1}, "threads"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    good = {"bins": np.arange(4, dtype=np.uint8)[None], "labels": [0, 1, 0, 1], "cost_matrix": zero_one(2)}
    with pytest.raises(ValueError, match=message):
        boost(**(good | arguments))
