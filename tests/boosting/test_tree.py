"""The tree grower against a node-by-node check, its invariants, and the exact search."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import badacost.boosting.trees.histogram_search as histogram_search
from badacost.boosting.costs import face_costs
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.tree import CompleteTree, TreeGrower, TreeOptions, grow_tree, integer_weights

CRITERIA = {
    "gini": lambda n_classes: SplitCriterion.gini(n_classes),
    "entropy": lambda n_classes: SplitCriterion.entropy(n_classes),
    "expected cost": lambda n_classes: SplitCriterion.expected_cost(some_costs(n_classes)),
    "badacost": lambda n_classes: SplitCriterion.badacost(some_costs(n_classes)),
    "badacost as published": lambda n_classes: SplitCriterion.badacost(
        some_costs(n_classes), scaled_total=False
    ),
}


def some_costs(n_classes: int) -> np.ndarray:
    costs = np.random.default_rng(n_classes).random((n_classes, n_classes)) + 0.1
    np.fill_diagonal(costs, 0.0)
    return costs


def samples_of(
    seed: int, n_samples: int = 200, n_features: int = 11, n_classes: int = 3, n_values: int = 256
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bins that tell something about the labels, labels, heavy-tailed integer weights."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_samples)
    shift = rng.normal(size=(n_features, n_classes))[:, labels]
    values = rng.normal(size=(n_features, n_samples)) + 0.7 * shift
    bins = np.clip((values / 8 + 0.5) * n_values, 0, n_values - 1).astype(np.uint8)
    return bins, labels, integer_weights(rng.random(n_samples) ** 8)


def side_score(masses: np.ndarray, criterion: SplitCriterion) -> float:
    """Minus the impurity that `SplitCriterion` documents, apart from terms that a split does not change."""
    if criterion.impurity == "expected cost":
        return -float((masses @ criterion.leaf_costs).min())
    scaled = masses * criterion.class_factors
    total = scaled.sum() if criterion.scaled_total else masses.sum()
    if criterion.impurity == "gini":
        return float((scaled**2).sum() / total)
    return sum(a * math.log(a) for a in scaled if a > 0) - total * math.log(total)


def best_gain(
    bins: np.ndarray, labels: np.ndarray, weights: np.ndarray, criterion: SplitCriterion, features: Any
) -> float:
    """The largest gain of any cut, as a share of the node's (scaled) weight; 0 if there is none."""
    n_classes = criterion.n_classes
    masses = np.bincount(labels, weights, n_classes)
    scaled = criterion.scaled_total and criterion.impurity != "expected cost"
    scale = float((masses * criterion.class_factors).sum() if scaled else masses.sum())
    gains = [0.0]
    for feature in features:
        for cut in np.unique(bins[feature])[1:]:
            left = np.bincount(labels, weights * (bins[feature] < cut), n_classes)
            right = masses - left
            if left.sum() > 0 and right.sum() > 0:
                both = side_score(left, criterion) + side_score(right, criterion)
                gains.append((both - side_score(masses, criterion)) / scale)
    return max(gains)


def check_tree(
    tree: CompleteTree,
    bins: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    criterion: SplitCriterion,
    options: TreeOptions,
) -> None:
    """Walk the tree: every split is the best there is, every leaf has the right label, mass and samples."""
    n_nodes = len(tree.feature)
    total = weights.sum()

    def visit(node: int, inside: np.ndarray, ended: bool) -> None:
        masses = np.bincount(labels[inside], weights[inside], criterion.n_classes)
        if node >= n_nodes:
            leaf = node - n_nodes
            if not ended:
                expected = masses @ criterion.leaf_costs
                label = tree.leaf_label[leaf]
                assert expected[label] == pytest.approx(expected.min(), rel=1e-9, abs=1e-6)
                np.testing.assert_array_equal(tree.leaf_mass[leaf], masses)
            assert (tree.leaf_of_sample[inside] == leaf).all()
            return
        node_bins, node_labels, node_weights = bins[:, inside], labels[inside], weights[inside]
        gain = best_gain(node_bins, node_labels, node_weights, criterion, range(len(bins)))
        if tree.threshold[node] == 0:
            if not ended and len(node_labels) >= options.min_samples_split:
                pure = (masses > 0).sum() < 2
                light = masses.sum() < options.min_weight_split * total
                assert pure or light or gain <= options.min_gain * (1 + 1e-6) + 1e-12
            if not ended:  # the node is a leaf: all leaves below are copies of it
                height = tree.depth - (node + 1).bit_length() + 1
                first = ((node + 1) << height) - n_nodes - 1
                copies = slice(first, first + 2**height)
                assert len(set(tree.leaf_label[copies])) == 1
                np.testing.assert_array_equal(tree.leaf_mass[copies], np.tile(masses, (2**height, 1)))
            visit(2 * node + 1, inside & False, True)
            visit(2 * node + 2, inside, True)
            return
        assert not ended
        column = bins[tree.feature[node]]
        left, right = inside & (column < tree.threshold[node]), inside & (column >= tree.threshold[node])
        heavy = weights > 0
        assert tree.lower_bin[node] == column[left & heavy].max()
        assert tree.upper_bin[node] == column[right & heavy].min()
        assert tree.lower_bin[node] < tree.threshold[node] <= tree.upper_bin[node]
        own = best_gain(
            (column[inside] >= tree.threshold[node])[None], node_labels, node_weights, criterion, [0]
        )
        assert own == pytest.approx(gain, rel=1e-9, abs=1e-13)
        assert tree.decrease[node] == pytest.approx(own * masses.sum() / total, rel=1e-6, abs=1e-12)
        visit(2 * node + 1, left, False)
        visit(2 * node + 2, right, False)

    visit(0, np.ones(len(labels), bool), False)


def assert_same_tree(one: CompleteTree, other: CompleteTree) -> None:
    for name in vars(one):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_every_split_and_leaf_is_the_best(name: str, n_classes: int) -> None:
    options = TreeOptions(max_depth=3)
    bins, labels, weights = samples_of(n_classes, 120, 5, n_classes, n_values=40)
    criterion = CRITERIA[name](n_classes)
    check_tree(
        grow_tree(bins, labels, weights, criterion, options), bins, labels, weights, criterion, options
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 9), st.integers(1, 4), st.integers(2, 6))
@example(22770, 36, 6, 2, 6)  # a sample of no weight between two bins that have some
def test_small_and_degenerate_samples(
    seed: int, n_samples: int, n_features: int, depth: int, n_values: int
) -> None:
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, n_values, (n_features, n_samples)).astype(np.uint8)
    labels = rng.integers(0, 3, n_samples)
    weights = rng.integers(0, 4, n_samples)
    weights[0] = 1
    options = TreeOptions(max_depth=depth, threshold="lowest" if seed % 2 else "middle")
    criterion = SplitCriterion.badacost(some_costs(3))
    tree = grow_tree(bins, labels, weights, criterion, options)
    check_tree(tree, bins, labels, weights, criterion, options)


def test_a_constant_feature_does_not_stop_the_growth() -> None:
    bins = np.array([[5, 5, 5, 5], [1, 1, 9, 9]], np.uint8)
    tree = grow_tree(
        bins, [0, 0, 1, 1], np.ones(4, np.int64), SplitCriterion.gini(2), TreeOptions(max_depth=1)
    )
    assert tree.feature[0] == 1
    assert tree.threshold[0] == 5  # half-way between 1 and 9
    np.testing.assert_array_equal(tree.leaf_label, [0, 1])


def test_the_lowest_threshold_lies_right_above_the_lower_bin() -> None:
    bins = np.array([[1, 1, 9, 9]], np.uint8)
    options = TreeOptions(max_depth=1, threshold="lowest")
    tree = grow_tree(bins, [0, 0, 1, 1], np.ones(4, np.int64), SplitCriterion.gini(2), options)
    assert tree.threshold[0] == 2


def test_ties_go_to_the_first_feature_cut_and_class() -> None:
    column = np.array([0, 3, 3, 7], np.uint8)
    bins = np.stack([column * 0, 9 - column, column, column])
    options = TreeOptions(max_depth=1, threshold="lowest")
    tree = grow_tree(bins, [0, 1, 0, 1], np.ones(4, np.int64), SplitCriterion.gini(2), options)
    assert tree.feature[0] == 1
    assert tree.threshold[0] == 3  # 2 | 6 6 9 and 2 6 6 | 9 are mirror images
    np.testing.assert_array_equal(tree.leaf_label, [1, 0])
    tie = grow_tree(bins, [2, 1, 1, 2], np.ones(4, np.int64), SplitCriterion.gini(3), options)
    assert tie.leaf_label[1] == 1  # classes 1, 1, 2 or 1 and 2 alike


@pytest.mark.parametrize("name", CRITERIA)
def test_presorted_search_equals_the_histograms(name: str) -> None:
    for seed in range(3):
        bins, labels, weights = samples_of(seed, 150, 9, 4)
        weights[::7] = 0
        options = TreeOptions(
            max_depth=4, max_features=0.6, feature_sampling=("tree", "parent", "node")[seed]
        )
        trees = [
            grow_tree(
                bins.astype(kind), labels, weights, CRITERIA[name](4), options, np.random.default_rng(7)
            )
            for kind in (np.uint8, np.uint16)
        ]
        assert_same_tree(*trees)


@pytest.mark.parametrize("sampling", ["tree", "parent", "node"])
def test_result_does_not_depend_on_threads_memory_or_subtraction(
    sampling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bins, labels, weights = samples_of(3, 1500, 50, 3)
    options = TreeOptions(max_depth=5, max_features=37, feature_sampling=sampling, min_samples_split=11)
    criterion = SplitCriterion.badacost(face_costs(1.5, 2))
    trees = []
    for threads, memory, samples_a_class in (
        (1, 2**29, 10**6),  # nothing is kept
        (1, 2**29, 10),  # all that can be is got by subtraction
        (3, 2**29, 40),
        (2, 400_000, 20),  # a part of the blocks is kept
        (2, 30_000, 20),  # two blocks are packed at a time
        (1, 0, 20),  # one block is packed at a time, nothing kept
    ):
        monkeypatch.setattr(histogram_search, "SAMPLES_A_CLASS", samples_a_class)
        with TreeGrower(bins, labels, criterion, options, threads=threads, memory=memory) as grower:
            rng = np.random.default_rng(5)
            trees.append([grower.grow(weights, rng), grower.grow(weights[::-1].copy(), rng)])
    for others in trees[1:]:
        for one, other in zip(trees[0], others, strict=True):
            assert_same_tree(one, other)


def test_prepared_samples_serve_many_trees() -> None:
    bins, labels, weights = samples_of(4, 900, 20, 2)
    criterion, options = SplitCriterion.gini(2), TreeOptions(max_depth=4)
    with TreeGrower(bins, labels, criterion, options) as grower:
        for power in (1, 3, 2):
            current = integer_weights(weights.astype(float) ** (1 / power))
            assert_same_tree(grower.grow(current), grow_tree(bins, labels, current, criterion, options))


@pytest.mark.parametrize(("sampling", "least"), [("tree", 2), ("parent", 5), ("node", 10)])
def test_features_are_drawn_as_often_as_said(sampling: Any, least: int) -> None:
    bins, labels, weights = samples_of(5, 4000, 64, 2)
    options = TreeOptions(max_depth=4, max_features=0.05, feature_sampling=sampling)  # 3 of 64
    tree = grow_tree(bins, labels, weights, SplitCriterion.gini(2), options, np.random.default_rng(0))
    assert (tree.threshold > 0).all()
    families = {
        "tree": [range(15)],
        "node": [],
        "parent": [(0, 1, 2), *((n, 2 * n + 1, 2 * n + 2) for n in range(3, 7))],
    }
    for family in families[sampling]:
        assert len(set(tree.feature[list(family)].tolist())) <= 3
    assert len(set(tree.feature.tolist())) >= least


def test_feature_order_matters_for_ties_only() -> None:
    bins, labels, _ = samples_of(6, 1000, 12, 3)
    weights = integer_weights(np.random.default_rng(0).random(1000) + 0.5)  # no ties
    criterion, options = SplitCriterion.gini(3), TreeOptions(max_depth=3)
    order = np.random.default_rng(1).permutation(12)
    tree = grow_tree(bins, labels, weights, criterion, options)
    permuted = grow_tree(bins[order], labels, weights, criterion, options)
    split = tree.threshold > 0
    np.testing.assert_array_equal(order[permuted.feature[split]], tree.feature[split])
    np.testing.assert_array_equal(permuted.threshold, tree.threshold)
    np.testing.assert_array_equal(permuted.leaf_of_sample, tree.leaf_of_sample)


@pytest.mark.parametrize("name", CRITERIA)
def test_sample_order_does_not_matter(name: str) -> None:
    bins, labels, weights = samples_of(7)
    order = np.random.default_rng(2).permutation(len(labels))
    criterion, options = CRITERIA[name](3), TreeOptions(max_depth=4)
    tree = grow_tree(bins, labels, weights, criterion, options)
    shuffled = grow_tree(bins[:, order].copy(), labels[order], weights[order], criterion, options)
    for field in ("feature", "threshold", "leaf_label", "leaf_mass", "decrease"):
        np.testing.assert_array_equal(getattr(shuffled, field), getattr(tree, field))
    np.testing.assert_array_equal(shuffled.leaf_of_sample, tree.leaf_of_sample[order])


def test_integer_weights_are_repetitions() -> None:
    bins, labels, _ = samples_of(8)
    weights = np.random.default_rng(3).integers(0, 4, len(labels))
    criterion, options = SplitCriterion.badacost(some_costs(3)), TreeOptions(max_depth=4)
    weighted = grow_tree(bins, labels, weights, criterion, options)
    repeated = grow_tree(
        np.repeat(bins, weights, axis=1),
        np.repeat(labels, weights),
        np.ones(weights.sum(), np.int64),
        criterion,
        options,
    )
    for field in ("feature", "threshold", "leaf_label", "leaf_mass", "upper_bin"):
        np.testing.assert_array_equal(getattr(weighted, field), getattr(repeated, field))


def test_small_nodes_and_light_nodes_are_leaves() -> None:
    bins, labels, weights = samples_of(9, 400, 10, 2)
    criterion = SplitCriterion.gini(2)
    options = TreeOptions(max_depth=6, min_samples_split=80, min_weight_split=0.2, min_gain=1e-3)
    tree = grow_tree(bins, labels, weights, criterion, options)
    check_tree(tree, bins, labels, weights, criterion, options)
    assert 1 < len(set(tree.leaf_of_sample.tolist())) < 20


def test_memory_mapped_bins(tmp_path: Path) -> None:
    bins, labels, weights = samples_of(10)
    np.save(tmp_path / "bins.npy", bins)
    mapped = np.load(tmp_path / "bins.npy", mmap_mode="r")
    criterion, options = SplitCriterion.gini(3), TreeOptions(max_depth=3)
    assert_same_tree(
        grow_tree(mapped, labels.astype(np.uint8), weights, criterion, options),
        grow_tree(bins, labels, weights, criterion, options),
    )


def test_a_mass_of_zero_is_no_side_of_a_split() -> None:
    bins = np.array([[0, 1, 2, 3]], np.uint8)
    weights = np.array([0, 5, 5, 0])
    tree = grow_tree(bins, [0, 1, 1, 0], weights, SplitCriterion.gini(2), TreeOptions(max_depth=2))
    assert (tree.threshold == 0).all()
    assert (tree.leaf_label == 1).all()


def test_decrease_is_zero_where_nothing_was_split() -> None:
    tree = grow_tree(
        np.zeros((2, 5), np.uint8), [0, 1, 0, 1, 1], np.ones(5, np.int64), SplitCriterion.entropy(2)
    )
    assert not tree.decrease.any()
    assert not tree.threshold.any()
    assert set(tree.leaf_label.tolist()) == {1}
    assert tree.depth == 6


def test_weights_of_many_magnitudes_still_order_the_cuts() -> None:
    labels = np.tile([0, 1], 30)
    bins = np.arange(60, dtype=np.uint8)[None]
    weights = integer_weights(10.0 ** -np.arange(60))
    criterion = SplitCriterion.gini(2)
    tree = grow_tree(bins, labels, weights, criterion, TreeOptions(max_depth=1))
    assert tree.upper_bin[0] == 1  # the heaviest sample against the rest
    assert list(itertools.islice(tree.leaf_label, 2)) == [0, 1]
