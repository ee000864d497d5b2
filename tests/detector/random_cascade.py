"""Random cascades, and the slow, obviously right way to run one: the twin of the scan kernels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from badacost.detector.binary_cascade import BinaryCascade
from badacost.detector.cascade import Cascade


def random_cascade(
    *,
    depth: int,
    n_trees: int = 30,
    n_classes: int = 6,
    window_shape: tuple[int, int, int] = (4, 5, 6),
    cost_matrix: NDArray[np.float64] | None = None,
    dtype: type = np.uint8,
    rejection: float = -0.6,
    seed: int = 0,
) -> Cascade:
    """Trees with random features, thresholds and labels (half of them background)."""
    random = np.random.default_rng(seed)
    nodes = 2**depth - 1
    if cost_matrix is None:
        cost_matrix = 1.0 - np.eye(n_classes)
        cost_matrix[1:, 0] = 1.5
    if dtype is np.uint8:
        threshold = random.integers(60, 190, (n_trees, nodes)).astype(np.uint8)
    else:
        threshold = random.random((n_trees, nodes)).astype(np.float32)
    labels = random.integers(1, n_classes, (n_trees, nodes + 1))
    labels[random.random(labels.shape) < 0.5] = 0
    return Cascade(
        feature=random.integers(0, np.prod(window_shape), (n_trees, nodes)).astype(np.int32),
        threshold=threshold,
        leaf_label=labels.astype(np.uint8),
        beta=random.random(n_trees) * 0.2,
        rejection=np.full(n_trees, rejection, np.float32),
        cost_matrix=cost_matrix,
        window_shape=window_shape,
    )


def scan_window_by_window(features: NDArray, cascade: Cascade) -> dict[tuple[int, int], tuple[float, int]]:
    """Margin vectors and costs as in the paper, one window and one tree at a time."""
    _, height, width = features.shape
    _, rows, columns = cascade.window_shape
    scatter = cascade.cost_matrix - np.diag(cascade.cost_matrix.sum(axis=1))
    codes = np.full((cascade.n_classes, cascade.n_classes), -1 / (cascade.n_classes - 1))
    np.fill_diagonal(codes, 1)
    survivors = {}
    for y in range(height - rows + 1):
        for x in range(width - columns + 1):
            window = features[:, y : y + rows, x : x + columns].ravel()
            margin = np.zeros(cascade.n_classes)
            costs = scatter @ margin
            for t in range(cascade.n_trees):
                margin += cascade.beta[t] * codes[leaf_of(window, cascade, t)]
                costs = scatter @ margin
                if costs[0] - costs[1:].min() <= cascade.rejection[t]:
                    break
            else:
                survivors[y, x] = (costs[0] - costs[1:].min(), 1 + int(costs[1:].argmin()))
    return survivors


def leaf_of(window: NDArray, cascade: Cascade, tree: int) -> int:
    """Label of the leaf that a window falls into."""
    nodes = cascade.feature.shape[1]
    node = 0
    while node < nodes:
        left = window[cascade.feature[tree, node]] < cascade.threshold[tree, node]
        node = 2 * node + 1 if left else 2 * node + 2
    return int(cascade.leaf_label[tree, node - nodes])


def level_of(reference: Mapping[str, NDArray]) -> NDArray[np.float32]:
    """The stored level of a reference detector, channels first."""
    return np.ascontiguousarray(reference["level_chns"].transpose(2, 0, 1))


def random_binary_cascade(
    *, depth: int, n_trees: int = 30, dtype: type = np.uint8, rejection: float = -0.6, seed: int = 0
) -> BinaryCascade:
    """The trees of `random_cascade` with random real leaves."""
    trees = random_cascade(depth=depth, n_trees=n_trees, dtype=dtype, rejection=rejection, seed=seed)
    values = np.random.default_rng(seed).normal(0, 0.3, trees.leaf_label.shape).astype(np.float32)
    return BinaryCascade(trees.feature, trees.threshold, trees.rejection, trees.window_shape, values)
