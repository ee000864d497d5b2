"""Pruning by complexity against all subtrees of small trees, and inside ensembles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.experiments.complexity_pruned_cart import ComplexityPrunedCART, pruned_by_complexity
from badacost.boosting.trees.cart import CartTree
from badacost.boosting.trees.cart_classifier import CARTClassifier


def grown(seed: int, n_rows: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, CartTree]:
    generator = np.random.default_rng(seed)
    rows = np.round(generator.normal(size=(n_rows, 3)), 1)
    labels = (rows[:, 0] + generator.normal(size=n_rows) > 0) + generator.integers(n_classes - 1, size=n_rows)
    labels[:2] = 0, 1
    return rows, labels, CARTClassifier(random_state=0).fit(rows, labels).tree_


def subtrees(tree: CartTree, node: int = 0) -> list[tuple[float, int]]:
    """Errors and leaves of every pruned subtree below a node."""
    mass = tree.masses[node]
    found = [(float(mass.sum() - mass.max()), 1)]
    if tree.feature[node] >= 0:
        right = int(tree.right[node])
        found += [
            (errors + other_errors, leaves + other_leaves)
            for errors, leaves in subtrees(tree, node + 1)
            for other_errors, other_leaves in subtrees(tree, right)
        ]
    return found


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), complexity=st.sampled_from([0.0, 0.01, 0.05, 0.2, 1.0, 5.0]))
def test_no_subtree_is_cheaper(seed: int, complexity: float) -> None:
    _, _, tree = grown(seed, 12, 3)
    pruned = pruned_by_complexity(tree, complexity)
    everything = subtrees(tree)
    root = everything[0][0]
    best = min((round(errors + complexity * root * leaves, 9), leaves) for errors, leaves in everything)
    leaf = pruned.feature < 0
    mass = pruned.masses[leaf]
    errors, leaves = float((mass.sum(axis=1) - mass.max(axis=1)).sum()), int(leaf.sum())
    assert (round(errors + complexity * root * leaves, 9), leaves) == best


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_pruned_trees_are_whole_trees(seed: int) -> None:
    """Rows end up in leaves that hold exactly them, whatever was cut away."""
    rows, labels, tree = grown(seed, 60, 4)
    sizes = []
    for complexity in (0.0, 0.01, 0.05, 0.3, 10.0):
        pruned = pruned_by_complexity(tree, complexity)
        leaves = pruned.leaves(rows)
        masses = np.zeros_like(pruned.masses)
        np.add.at(masses, (leaves, np.unique(labels, return_inverse=True)[1]), 1.0)
        leaf = pruned.feature < 0
        np.testing.assert_array_equal(masses[leaf], pruned.masses[leaf])
        if complexity == 0.0:
            np.testing.assert_array_equal(pruned.labels[leaves], tree.labels[tree.leaves(rows)])
        sizes.append(len(leaf))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_members_of_an_ensemble_are_pruned() -> None:
    rows, labels, _ = grown(0, 80, 3)
    ensemble = BaggingClassifier(ComplexityPrunedCART(complexity=0.05), n_estimators=5, random_state=0)
    ensemble.fit(rows, labels)
    for member, sample in zip(ensemble.estimators_, ensemble.estimators_samples_, strict=True):
        alone = ComplexityPrunedCART(complexity=0.05).fit(rows[sample], labels[sample])
        np.testing.assert_array_equal(member.predict(rows), alone.predict(rows))
        assert len(alone.tree_.feature) < len(
            CARTClassifier().fit(rows[sample], labels[sample]).tree_.feature
        )


@pytest.mark.parametrize("complexity", [-0.1, float("nan")])
def test_negative_complexity_is_refused(complexity: float) -> None:
    rows, labels, tree = grown(0, 20, 2)
    with pytest.raises(ValueError, match="complexity of pruned_by_complexity must be at least 0"):
        pruned_by_complexity(tree, complexity)
    with pytest.raises(ValueError, match="complexity"):
        ComplexityPrunedCART(complexity=complexity).fit(rows, labels)
