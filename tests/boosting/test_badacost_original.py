"""BAdaCost against the runs of the original implementation."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.boosting.multiclass import boosted_trees
from badacost.boosting.multiclass.badacost import (
    BAdaCostOptions,
    BAdaCostRun,
    TreeLearner,
    boost,
    boost_learners,
)
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
