"""Trees with vote weights, as BAdaCost trains them, and what they say about samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import margin_codes, scaled_costs, with_negative_row_sums
from ..threads import Workers
from ..trees.tree_level import read_only
from ..trees.tree_prediction_kernels import add_votes, find_leaves, trace_scores

SAMPLES_A_BLOCK = 4096  # the columns that a tree reads of these fit the second-level cache


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """T trees of D split levels in heap order (see `complete_tree.CompleteTree`) and their vote weights.

    Attributes
    ----------
    feature : (T, 2^D - 1) int32
    threshold : (T, 2^D - 1), of the type of the bins
    leaf_label : (T, 2^D) uint8
    beta : (T,) float64
        Vote weights, shrinkage included.
    cost_matrix : (K, K) float64
        C[true, predicted] as given.
    stop_reason : str
    losses : (T,) float64
        Exponential loss of the training samples after each tree, 1 before the first.
    decrease : (T, 2^D - 1) float64
        By how much each split decreased the impurity, as a share of the total weight.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[Any]
    leaf_label: NDArray[np.uint8]
    beta: NDArray[np.float64]
    cost_matrix: NDArray[np.float64]
    stop_reason: str
    losses: NDArray[np.float64]
    decrease: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.beta)

    @property
    def n_classes(self) -> int:
        return len(self.cost_matrix)


def predict_labels(trees: BoostedTrees, bins: NDArray[Any], *, threads: int = 1) -> NDArray[np.uint8]:
    """The label that every tree gives to every sample of bins (F, N), (T, N) uint8."""
    leaves = np.empty((len(trees), bins.shape[1]), np.int32)
    _over_samples(
        lambda begin, end: find_leaves(trees.feature, trees.threshold, read_only(bins), begin, end, leaves),
        bins.shape[1],
        threads,
    )
    return np.take_along_axis(trees.leaf_label, leaves, axis=1)


def votes(trees: BoostedTrees, bins: NDArray[Any], *, threads: int = 1) -> NDArray[np.float64]:
    """(K, N) float64: for every class the sum of the vote weights of the trees that say it."""
    found = np.zeros((trees.n_classes, bins.shape[1]))
    _over_samples(
        lambda begin, end: add_votes(
            trees.feature, trees.threshold, trees.leaf_label, trees.beta, read_only(bins), begin, end, found
        ),
        bins.shape[1],
        threads,
    )
    return found


def margins(trees: BoostedTrees, bins: NDArray[Any], *, threads: int = 1) -> NDArray[np.float64]:
    """The additive model f = sum beta_t y_{h_t}, (K, N) float64, of the samples of bins (F, N)."""
    return margin_codes(trees.n_classes) @ votes(trees, bins, threads=threads)


def costs(trees: BoostedTrees, bins: NDArray[Any], *, threads: int = 1) -> NDArray[np.float64]:
    """C* f, (K, N) float64: the label of a sample is the class of least cost (the first on ties)."""
    return with_negative_row_sums(scaled_costs(trees.cost_matrix)) @ margins(trees, bins, threads=threads)


def score_traces(trees: BoostedTrees, bins: NDArray[Any], *, threads: int = 1) -> NDArray[np.float32]:
    """The score ``c_0 - min_{k>0} c_k`` after every tree, (T, N) float32; positive where class 0 loses."""
    traces = np.empty((len(trees), bins.shape[1]), np.float32)
    steps = with_negative_row_sums(scaled_costs(trees.cost_matrix)) @ margin_codes(trees.n_classes)
    cost_steps = np.ascontiguousarray(trees.beta[:, None, None] * steps.T)
    _over_samples(
        lambda begin, end: trace_scores(
            trees.feature, trees.threshold, trees.leaf_label, cost_steps, read_only(bins), begin, end, traces
        ),
        bins.shape[1],
        threads,
    )
    return traces


def _over_samples(function: Callable[[int, int], None], n_samples: int, threads: int) -> None:
    with Workers(threads) as workers:
        workers.run_blocks(function, 0, n_samples, parts=-(-n_samples // SAMPLES_A_BLOCK))
