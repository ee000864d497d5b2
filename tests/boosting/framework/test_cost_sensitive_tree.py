"""Cost-sensitive trees: splits, labels, probabilities and pruning against slow twins and hand-computed cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.node_probabilities import ProbabilityEstimate
from badacost.boosting.framework.node_tree import NodeTree
from badacost.boosting.framework.pruning import (
    complexity_prices,
    prune_by_cost_complexity,
    prune_by_reduced_cost,
)
from badacost.boosting.framework.records import Records

Array = NDArray[np.float64]


def random_table(seed: int, n_rows: int = 60) -> tuple[Array, NDArray[np.int64], Array, Array]:
    random = np.random.default_rng(seed)
    X = random.integers(0, 8, (n_rows, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + random.normal(0, 3, n_rows) > 9).astype(int)
    y[:2] = 0, 1
    return X, y, random.uniform(0.2, 9.0, n_rows), random.uniform(0.2, 3.0, n_rows)


def label_cost(y: NDArray[np.int64], costs: Array) -> float:
    """Of the cheaper label."""
    return min(costs[y == 1].sum(), costs[y == 0].sum())


def best_gain(X: Array, y: NDArray[np.int64], costs: Array) -> float:
    gains = [0.0]
    for feature in range(X.shape[1]):
        for value in np.unique(X[:, feature])[1:]:
            left = X[:, feature] < value
            children = label_cost(y[left], costs[left]) + label_cost(y[~left], costs[~left])
            gains.append(label_cost(y, costs) - children)
    return max(gains)


def nodes_of(tree: NodeTree, X: Array) -> list[NDArray[np.bool_]]:
    """The rows that reach every node."""
    reached = [np.zeros(len(X), dtype=bool) for _ in range(tree.n_nodes)]
    reached[0][:] = True
    for node in range(tree.n_nodes):
        if tree.left[node] >= 0:
            left = X[:, tree.feature[node]] < tree.threshold[node]
            reached[tree.left[node]] = reached[node] & left
            reached[tree.right[node]] = reached[node] & ~left
    return reached


@pytest.mark.parametrize("seed", range(4))
def test_splits_decrease_the_cost_of_records_the_most_and_end_where_none_does(seed: int) -> None:
    X, y, cost_fn, cost_fp = random_table(seed)
    costs = np.where(y == 1, cost_fn, cost_fp)
    model = CostSensitiveTreeClassifier(random_state=0).fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp)
    tree = model.tree_
    assert tree.n_nodes > 1
    for node, rows in enumerate(nodes_of(tree, X)):
        gain = best_gain(X[rows], y[rows], costs[rows])
        if tree.left[node] < 0:
            assert gain == pytest.approx(0, abs=1e-9)
        else:
            children = [nodes_of(tree, X)[child] for child in (tree.left[node], tree.right[node])]
            found = label_cost(y[rows], costs[rows]) - sum(label_cost(y[c], costs[c]) for c in children)
            assert found == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_nodes_hold_and_what_they_say(seed: int) -> None:
    X, y, cost_fn, cost_fp = random_table(seed)
    model = CostSensitiveTreeClassifier("gini", pruning="cost complexity", ccp_alpha=0.0)
    model.fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp)
    tree = model.tree_
    predicted, leaves = model.predict(X), model.apply(X)
    for node, rows in enumerate(nodes_of(tree, X)):
        misses, alarms = cost_fn[rows & (y == 1)].sum(), cost_fp[rows & (y == 0)].sum()
        np.testing.assert_allclose(tree.mass[node], [(rows & (y == 0)).sum(), (rows & (y == 1)).sum()])
        np.testing.assert_allclose(tree.class_cost[node], [alarms, misses])
        if tree.left[node] < 0:
            np.testing.assert_array_equal(leaves == node, rows)
            assert (predicted[rows] == int(misses > alarms)).all()


@pytest.mark.parametrize("cost_fn", [0.25, 1.0, 3.0])
def test_label_of_constant_costs_is_that_of_the_theoretical_threshold(cost_fn: float) -> None:
    X, y, *_ = random_table(7)
    model = CostSensitiveTreeClassifier(cost_fn=cost_fn, pos_label=1, max_depth=2).fit(X, y)
    threshold = 1.0 / (1.0 + cost_fn)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > threshold)


def test_a_plain_tree_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] * X[:, 1] > 0.3).astype(int)
    ours = CostSensitiveTreeClassifier("gini", cost_fn=50.0, max_depth=4).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    grid = random.normal(size=(500, 3))
    np.testing.assert_allclose(ours.predict_proba(grid), theirs.predict_proba(grid))
    np.testing.assert_array_equal(ours.predict(grid), theirs.predict(grid))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("pruning", [None, "reduced cost", "cost complexity"])
def test_whole_weights_are_copies_and_the_order_of_rows_does_not_matter(pruning: Any) -> None:
    X, y, cost_fn, cost_fp = random_table(3)
    random = np.random.default_rng(0)
    weights = random.integers(0, 4, len(y))
    order = random.permutation(np.repeat(np.arange(len(y)), weights))
    model = CostSensitiveTreeClassifier(pruning=pruning, pos_label=1, random_state=5)
    weighted = model.fit(X, y, weights, cost_fn=cost_fn, cost_fp=cost_fp).predict_proba(X)
    repeated = model.fit(X[order], y[order], cost_fn=cost_fn[order], cost_fp=cost_fp[order])
    np.testing.assert_allclose(repeated.predict_proba(X), weighted)


# Hand-made trees: 0 -> (1, 2), 1 -> (3, 4), 2 -> (5, 6)


def hand_made(mass: list[list[float]], cost_fn: float = 1.0, cost_fp: float = 1.0) -> NodeTree:
    """Splits at 2, then at 1 and 3; leaves hold (negative, positive) records."""
    leaves = np.array(mass, dtype=float)
    masses = np.vstack([leaves.sum(axis=0), leaves[:2].sum(axis=0), leaves[2:].sum(axis=0), leaves])
    return NodeTree(
        feature=np.zeros(7, dtype=np.int64),
        threshold=np.array([2.0, 1.0, 3.0, -np.inf, -np.inf, -np.inf, -np.inf]),
        left=np.array([1, 3, 5, -1, -1, -1, -1]),
        right=np.array([2, 4, 6, -1, -1, -1, -1]),
        parent=np.array([-1, 0, 0, 1, 1, 2, 2]),
        decrease=np.array([0.3, 0.2, 0.1, 0, 0, 0, 0]),
        mass=masses,
        class_cost=masses * [cost_fp, cost_fn],
    )


def records_at(values: list[float], positive: list[bool], costs: list[float]) -> Records:
    of_rows = np.array(costs)
    return Records.of(np.array(values)[:, None], np.array(positive), of_rows, of_rows)


def test_reduced_cost_pruning_by_hand() -> None:
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 9]])  # labels: -, +, +, +; node 1: -, node 2: +
    # Left side: as a leaf (negative) it costs the positive row, 4; the subtree costs the negative one, 1.
    # Right side: both leaves say what their parent says, so that it goes whatever is held out.
    held_out = records_at([0.5, 1.5, 1.5, 3.5], [False, True, False, True], [1.0, 4.0, 1.0, 2.0])
    pruned = prune_by_reduced_cost(tree, held_out)
    np.testing.assert_array_equal(pruned.left, [1, 3, -1, -1, -1])
    np.testing.assert_array_equal(pruned.right, [2, 4, -1, -1, -1])
    np.testing.assert_array_equal(pruned.parent, [-1, 0, 0, 1, 1])
    np.testing.assert_array_equal(pruned.mass, tree.mass[:5])
    # With the costs of the two rows at 1.5 turned round, the subtree costs 4 and the leaf 1.
    turned = records_at([0.5, 1.5, 1.5, 3.5], [False, True, False, True], [1.0, 1.0, 4.0, 2.0])
    np.testing.assert_array_equal(prune_by_reduced_cost(tree, turned).left, [1, -1, -1])
    # A tie goes to the smaller tree.
    tied = records_at([0.5, 1.5, 1.5, 3.5], [False, True, False, True], [1.0, 2.0, 2.0, 2.0])
    np.testing.assert_array_equal(prune_by_reduced_cost(tree, tied).left, [1, -1, -1])


def test_a_tree_without_held_out_records_below_it_becomes_a_leaf() -> None:
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 9]])
    assert prune_by_reduced_cost(tree, records_at([0.5], [True], [1.0])).n_nodes == 1


def test_cost_complexity_prices_by_hand() -> None:
    # 30 records; C_FN = 2. Leaves cost 4, 2, 1, 0; node 1 costs min(10, 12) = 10, node 2 1, the root 11.
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 10]], cost_fn=2.0)
    prices = complexity_prices(tree)
    # Node 2 goes for nothing: (1 - 1)/(2 - 1). The root then has 3 leaves of cost 4 + 2 + 1 and as a leaf
    # costs 11: (11 - 7)/2 = 2 a leaf, less than node 1: (10 - 6)/1 = 4.
    np.testing.assert_allclose(prices * 30, [2, np.inf, 0, np.inf, np.inf, np.inf, np.inf])
    assert prune_by_cost_complexity(tree, ccp_alpha=0.0).n_nodes == 5
    assert prune_by_cost_complexity(tree, ccp_alpha=1.9 / 30).n_nodes == 5
    assert prune_by_cost_complexity(tree, ccp_alpha=2.1 / 30).n_nodes == 1


def test_cost_complexity_takes_the_smallest_of_the_cheapest_trees() -> None:
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 10]], cost_fn=2.0)
    at_leaves = records_at([0.5, 1.5, 2.5], [False, True, True], [1.0, 1.0, 1.0])
    assert prune_by_cost_complexity(tree, validation=at_leaves).n_nodes == 5
    all_positive = records_at([0.5, 1.5], [True, True], [1.0, 1.0])
    assert prune_by_cost_complexity(tree, validation=all_positive).n_nodes == 1
    with pytest.raises(ValueError, match="needs ccp_alpha or validation"):
        prune_by_cost_complexity(tree)


def slow_prices(tree: NodeTree) -> Array:
    """Weakest links by recomputing everything in every step."""
    costs = tree.label_costs(tree.class_cost) / tree.mass[0].sum()
    prices, reached = np.full(tree.n_nodes, np.inf), 0.0

    def below(node: int) -> tuple[float, int]:
        if tree.left[node] < 0 or np.isfinite(prices[node]):
            return costs[node], 1
        parts = [below(child) for child in (tree.left[node], tree.right[node])]
        return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]

    def alive(node: int) -> bool:
        return node < 0 or (not np.isfinite(prices[node]) and alive(tree.parent[node]))

    while not np.isfinite(prices[0]) and tree.left[0] >= 0:
        links = {}
        for node in range(tree.n_nodes):
            if tree.left[node] >= 0 and alive(node):
                cost, n_leaves = below(node)
                links[node] = (costs[node] - cost) / (n_leaves - 1)
        weakest = min(links, key=lambda node: (links[node], node))
        reached = max(reached, links[weakest])
        prices[weakest] = reached
    return prices


@pytest.mark.parametrize("seed", range(6))
def test_weakest_links_equal_their_slow_twin_and_scikit_learn(seed: int) -> None:
    X, y, cost_fn, cost_fp = random_table(seed, 80)
    model = CostSensitiveTreeClassifier("gini", max_depth=5, pos_label=1)
    tree = model.fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp).tree_
    slow, fast = slow_prices(tree), complexity_prices(tree)
    for price in (0.0, 0.01, 0.05, 0.2, 1.0, 10.0):
        assert tree.pruned(fast <= price).n_nodes == tree.pruned(slow <= price).n_nodes
    np.testing.assert_allclose(np.unique(fast.round(9)), np.unique(slow.round(9)))


@pytest.mark.parametrize("seed", range(4))
def test_reduced_cost_pruning_costs_held_out_records_the_least_of_all_prunings(seed: int) -> None:
    X, y, *_ = random_table(seed, 50)
    tree = CostSensitiveTreeClassifier("gini", max_depth=3).fit(X, y).tree_
    X_new, y_new, new_fn, new_fp = random_table(100 + seed, 40)
    held_out = Records.of(X_new, y_new == 1, new_fn, new_fp)

    def cost(pruned: NodeTree) -> float:
        positive = pruned.least_cost_label[pruned.leaves(X_new)]
        return float(held_out.costs[positive != held_out.positive].sum())

    inner = np.flatnonzero(~tree.is_leaf)
    least = np.inf
    for chosen in range(2 ** len(inner)):
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[inner[(chosen >> np.arange(len(inner))) & 1 == 1]] = True
        least = min(least, cost(tree.pruned(mask)))
    assert cost(prune_by_reduced_cost(tree, held_out)) == pytest.approx(least)


@pytest.mark.parametrize("pruning", ["reduced cost", "cost complexity"])
def test_pruned_trees_are_smaller_and_count_costs(pruning: Any) -> None:
    X, y, cost_fn, cost_fp = random_table(11, 300)
    plain = CostSensitiveTreeClassifier("gini", random_state=0).fit(X, y)
    pruned = CostSensitiveTreeClassifier("gini", pruning=pruning, random_state=0)
    pruned.fit(X, y, cost_fn=cost_fn, cost_fp=cost_fp)
    assert 1 < pruned.tree_.n_nodes < plain.tree_.n_nodes
    dear = pruned.fit(X, y, cost_fn=20.0).predict(X).sum()
    cheap = pruned.fit(X, y, cost_fn=0.05).predict(X).sum()
    assert cheap < y.sum() < dear


# Probabilities


def test_probabilities_by_hand() -> None:
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 10]])  # the root: 11, 19 of 30
    leaves = slice(3, 7)
    rate = 19 / 30
    for estimate, expected in [
        (ProbabilityEstimate(), [0.2, 4 / 6, 0.75, 1.0]),
        (ProbabilityEstimate("laplace"), [3 / 12, 5 / 8, 4 / 6, 11 / 12]),
        (
            ProbabilityEstimate("m-estimation", m=6.0),
            [(2 + 6 * rate) / 16, (4 + 6 * rate) / 12, (3 + 6 * rate) / 10, (10 + 6 * rate) / 16],
        ),
        (
            ProbabilityEstimate("m-estimation"),
            [12 / (10 + 10 / rate), 14 / (6 + 10 / rate), 13 / (4 + 10 / rate), 20 / (10 + 10 / rate)],
        ),
        (ProbabilityEstimate(curtailment=5), [0.2, 4 / 6, 13 / 14, 1.0]),
        (ProbabilityEstimate(curtailment=10), [0.2, 6 / 16, 13 / 14, 1.0]),
        (ProbabilityEstimate(curtailment=15), [6 / 16, 6 / 16, rate, rate]),
        (ProbabilityEstimate(curtailment=99), [rate] * 4),
        (ProbabilityEstimate("laplace", curtailment=5), [3 / 12, 5 / 8, 14 / 16, 11 / 12]),
    ]:
        np.testing.assert_allclose(estimate.of_nodes(tree)[leaves], expected)


@given(
    mass=arrays(np.float64, (4, 2), elements=st.integers(0, 30).map(float)),
    m=st.floats(0.01, 1000),
)
@settings(max_examples=60, deadline=None)
def test_estimates_lie_between_the_share_and_what_they_shrink_to(mass: Array, m: float) -> None:
    mass[:, 0] += 1.0
    mass[0, 1] += 1.0
    tree = hand_made(mass.tolist())
    raw = ProbabilityEstimate().of_nodes(tree)
    np.testing.assert_array_equal(ProbabilityEstimate(curtailment=1).of_nodes(tree), raw)
    for estimate, centre in [
        (ProbabilityEstimate("laplace"), 0.5),
        (ProbabilityEstimate("m-estimation", m=m), raw[0]),
    ]:
        shares = estimate.of_nodes(tree)
        assert (shares >= np.minimum(raw, centre) - 1e-12).all()
        assert (shares <= np.maximum(raw, centre) + 1e-12).all()


def test_pruning_at_the_root_leaves_a_leaf() -> None:
    tree = hand_made([[8, 2], [2, 4], [1, 3], [0, 10]])
    root = tree.pruned(np.array([True] + [False] * 6))
    assert root.n_nodes == 1
    np.testing.assert_array_equal(root.leaves(np.zeros((3, 1))), 0)
    np.testing.assert_array_equal(root.importances(1), 0.0)
    assert replace(root).parent[0] == -1


# Degenerate cases and bad input


def test_where_nothing_can_be_split_the_label_is_the_cheaper_one() -> None:
    X, y = np.zeros((5, 2)), np.array([0, 0, 0, 0, 1])
    assert (CostSensitiveTreeClassifier(cost_fn=3.0).fit(X, y).predict(X) == 0).all()
    assert (CostSensitiveTreeClassifier(cost_fn=4.0).fit(X, y).predict(X) == 0).all()  # a tie
    assert (CostSensitiveTreeClassifier(cost_fn=4.1).fit(X, y).predict(X) == 1).all()


def test_errors_on_one_class_that_cost_nothing() -> None:
    X, y, *_ = random_table(5)
    assert (CostSensitiveTreeClassifier(cost_fp=0.0, pos_label=1).fit(X, y).predict(X) == 1).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"splitting": "twoing"}, "splitting of CostSensitiveTreeClassifier must be one of 'cost', 'gini'"),
        ({"pruning": "error"}, "pruning of CostSensitiveTreeClassifier must be one of 'reduced cost'"),
        ({"validation_fraction": 1.0}, "validation_fraction .* must lie between 0 and 1, got 1.0"),
        ({"ccp_alpha": 0.1}, "ccp_alpha of .* needs pruning='cost complexity', pruning is None"),
        (
            {"pruning": "cost complexity", "ccp_alpha": -1.0},
            "ccp_alpha of .* must be finite and >= 0, got -1",
        ),
        ({"smoothing": "wilson"}, "smoothing of ProbabilityEstimate must be 'laplace'"),
        (
            {"m": 2.0},
            "m of ProbabilityEstimate must be a finite number > 0 and needs smoothing='m-estimation'",
        ),
        ({"curtailment": 0}, "curtailment of ProbabilityEstimate must be >= 1, got 0"),
        ({"max_depth": 16}, "max_depth of TreeOptions must be 1 to 15, got 16"),
        ({"max_bins": 1}, "max_bins of CostSensitiveTreeClassifier must be an integer from 2 to 256 or None"),
        ({"cost_fn": -1.0}, "cost_fn of CostSensitiveTreeClassifier must be finite and >= 0, got -1.0"),
        ({"cost_fn": [1.0, 2.0]}, "give the costs of single records to fit"),
        ({"cost_fn": 0.0, "cost_fp": 0.0}, "cost_fn and cost_fp of .* must not all be zero"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    X, y, *_ = random_table(0)
    with pytest.raises(ValueError, match=message):
        CostSensitiveTreeClassifier(**parameters).fit(X, y)


def test_bad_costs_of_records() -> None:
    X, y, cost_fn, _ = random_table(0)
    with pytest.raises(ValueError, match=r"cost_fn of CostSensitiveTreeClassifier.fit must have one entry"):
        CostSensitiveTreeClassifier().fit(X, y, cost_fn=cost_fn[1:])
    cost_fn[3] = -1.0
    with pytest.raises(ValueError, match=r"must be >= 0, got -1.0 in row 3"):
        CostSensitiveTreeClassifier().fit(X, y, cost_fn=cost_fn)
    model = CostSensitiveTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"predict have no use: its decision does not weigh costs"):
        model.predict(X, cost_fn=2.0)
