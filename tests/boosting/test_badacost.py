"""BAdaCost against the original implementation's runs, its special cases, its degenerate cases."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from badacost.boosting.costs import margin_codes, scaled_costs, with_negative_row_sums, zero_one
from badacost.boosting.multiclass import boosted_trees
from badacost.boosting.multiclass.badacost import (
    BAdaCostOptions,
    BAdaCostRun,
    BoostingRound,
    TreeLearner,
    boost,
    boost_learners,
)
from badacost.boosting.multiclass.badacost_kernels import reweight, solve_step, weight_table
from badacost.boosting.multiclass.boosted_trees import BoostedTrees
from badacost.boosting.rounds.exponential_step import exponential_step
from badacost.boosting.trees.binning import Binner, bin_features, fit_uniform_binner
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.tree import TreeGrower, TreeOptions

ROUNDS = 12


@dataclass
class Golden:
    """One run of the original implementation."""

    arrays: dict[str, np.ndarray]
    samples: np.ndarray
    test_samples: np.ndarray
    labels: np.ndarray
    binned: bool
    options: BAdaCostOptions

    def binner(self) -> Binner:
        return fit_uniform_binner(self.samples) if self.binned else bin_features(self.samples, None)[1]


@functools.cache
def load_golden(path: Path, prefix: str) -> Golden:
    """Read a run; its name says bins or exact search, shrinkage, and depth (counted from 0 to the last split)."""
    archive = np.load(path)
    _, quantised, shrinkage, depth = prefix.split("_")
    binned = quantised == "q1"
    return Golden(
        {n.removeprefix(prefix + "_"): archive[n] for n in archive if n.startswith(prefix + "_")},
        archive["X"].astype(np.float64),
        archive["Xtest"].astype(np.float64),
        archive["y"].ravel().astype(np.int64) - 1,
        binned,
        BAdaCostOptions(
            n_estimators=ROUNDS,
            learning_rate=0.1 if shrinkage == "s0p1" else 1.0,
            tree=TreeOptions(
                max_depth=int(depth[1:]) + 1, min_samples_split=11 if binned else 2, threshold="lowest"
            ),
            scaled_total=False,
        ),
    )


CASES = [
    (n_classes, f"{costs}_{kind}")
    for n_classes in (2, 3, 6)
    for costs in ("c01", "casym", "cgen")
    for kind in ("q1_s1_d2", "q1_s0p1_d2", "q0_s1_d2", "q1_s1_d4", "q1_s0p1_d4")
    if not ("d4" in kind and n_classes == 2) and (costs, kind) != ("cgen", "q1_s0p1_d4")
]


def golden_of(shared: Path, n_classes: int, prefix: str) -> Golden:
    return load_golden(shared / f"reference/acf/badacost_K{n_classes}_exact.npz", prefix)


class WatchedLearner(TreeLearner):
    """Remembers the weights that it was given and the labels that it said."""

    def __init__(self, grower: TreeGrower, rng: np.random.Generator) -> None:
        super().__init__(grower, rng)
        self.weights: list[np.ndarray] = []
        self.predicted: list[np.ndarray] = []

    def fit(self, weights: np.ndarray) -> Any:
        tree, predicted = super().fit(weights)
        self.weights.append(weights.copy())
        self.predicted.append(predicted)
        return tree, predicted


def watched_run(golden: Golden, rounds: int) -> tuple[WatchedLearner, BAdaCostRun]:
    bins = golden.binner().transform(golden.samples)
    costs = golden.arrays["cost"]
    criterion = SplitCriterion.badacost(costs, scaled_total=False)
    with TreeGrower(bins, golden.labels, criterion, golden.options.tree) as grower:
        learner = WatchedLearner(grower, np.random.default_rng(0))
        run = boost_learners(
            learner,
            golden.labels,
            costs,
            np.ones(len(golden.labels)),
            n_rounds=rounds,
            learning_rate=golden.options.learning_rate,
        )
    return learner, run


@pytest.mark.parametrize(("n_classes", "prefix"), CASES)
def test_rounds_equal_the_original(shared: Path, n_classes: int, prefix: str) -> None:
    golden = golden_of(shared, n_classes, prefix)
    learner, run = watched_run(golden, ROUNDS + 1)
    np.testing.assert_allclose(run.betas[:ROUNDS], golden.arrays["alpha_shrunk"].ravel(), rtol=1e-9)
    np.testing.assert_array_equal(
        np.array(learner.predicted[:ROUNDS]).T, golden.arrays["wl_pred"].astype(int) - 1
    )
    np.testing.assert_allclose(learner.weights[1], golden.arrays["weights_first"].ravel(), rtol=1e-9)
    np.testing.assert_allclose(learner.weights[ROUNDS], golden.arrays["weights_last"].ravel(), rtol=1e-9)


@pytest.mark.parametrize(("n_classes", "prefix"), [case for case in CASES if "_q1_" in case[1]])
def test_scores_and_traces_equal_the_original(shared: Path, n_classes: int, prefix: str) -> None:
    golden = golden_of(shared, n_classes, prefix)
    arrays, binner = golden.arrays, golden.binner()
    bins = binner.transform(golden.samples)
    trees = boost(bins, golden.labels, arrays["cost"], golden.options)
    test_bins = binner.transform(golden.test_samples)
    costs = boosted_trees.costs(trees, test_bins)
    np.testing.assert_allclose(boosted_trees.margins(trees, test_bins), arrays["test_margin"], atol=1e-12)
    np.testing.assert_allclose(costs, arrays["test_costs"], atol=1e-12)
    np.testing.assert_array_equal(costs.argmin(axis=0), arrays["test_pred"].ravel().astype(int) - 1)
    traces = boosted_trees.score_traces(trees, test_bins, threads=2)
    assert traces.shape == (ROUNDS, test_bins.shape[1])
    np.testing.assert_allclose(traces[-1], arrays["test_score"].ravel(), rtol=1e-6, atol=1e-6)
    if "traces_neg" in arrays:
        traces = boosted_trees.score_traces(trees, bins)
        np.testing.assert_allclose(traces[:, golden.labels == 0], arrays["traces_neg"], atol=5e-6)
        np.testing.assert_allclose(traces[:, golden.labels > 0], arrays["traces_pos"], atol=5e-6)


@pytest.mark.parametrize(("n_classes", "prefix"), [case for case in CASES if "_q0_" in case[1]])
def test_exact_trees_equal_the_original_up_to_ties(shared: Path, n_classes: int, prefix: str) -> None:
    """Features and thresholds too. In small nodes the original breaks some ties by its float32 rounding."""
    golden = golden_of(shared, n_classes, prefix)
    binner = golden.binner()
    _, run = watched_run(golden, ROUNDS)
    compared = ties = 0
    for number, tree in enumerate(run.learners):
        child = golden.arrays["child"][:, number].astype(int)
        feature, threshold = golden.arrays["fids"][:, number], golden.arrays["thrs"][:, number]
        pending = [(0, 0, np.ones(len(golden.labels), bool))]
        while pending:
            theirs, ours, inside = pending.pop()
            if ours >= len(tree.feature) or not child[theirs]:
                assert ours >= len(tree.feature) or tree.threshold[ours] == 0
                continue
            column = golden.samples[:, feature[theirs]]
            left = inside & (column < threshold[theirs])
            compared += 1
            if tree.feature[ours] != feature[theirs]:
                ties += 1
                assert inside.sum() < 50
                assert np.bincount(tree.leaf_of_sample[left]).any()
                continue
            value = binner.threshold_values(
                tree.feature[[ours]], tree.lower_bin[[ours]], tree.upper_bin[[ours]]
            )
            np.testing.assert_allclose(value, threshold[theirs], rtol=1e-6, atol=1e-6)
            pending += [
                (child[theirs] - 1, 2 * ours + 1, left),
                (child[theirs], 2 * ours + 2, inside & ~left),
            ]
    assert compared > 70
    assert ties <= 3


def test_the_scaled_total_is_another_criterion(shared: Path) -> None:
    golden = golden_of(shared, 3, "casym_q1_s1_d2")
    bins = golden.binner().transform(golden.samples)
    criteria = [
        SplitCriterion.badacost(golden.arrays["cost"], scaled_total=scaled) for scaled in (True, False)
    ]
    trees = [TreeGrower(bins, golden.labels, c, golden.options.tree) for c in criteria]
    weights = np.ones(len(golden.labels), np.int64)
    ours, theirs = (grower.grow(weights) for grower in trees)
    assert (ours.threshold != theirs.threshold).any() or (ours.decrease != theirs.decrease).any()


# The step


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


# The loop


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
