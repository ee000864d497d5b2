"""BAdaCost: multi-class boosting with any cost matrix, on trees.

Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", Pattern Recognition
2018, Algorithm 1, with the step that minimises the loss which the weights follow (the printed one is too long
by K/(K-1)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .badacost_kernels import reweight, solve_step, weight_table
from .boosted_trees import BoostedTrees
from .costs import margin_codes, scaled_costs, validate, with_negative_row_sums
from .split_criterion import SplitCriterion
from .tree import TreeGrower, TreeOptions, integer_weights

ALL_ROUNDS_DONE = "all rounds done"


@dataclass(frozen=True)
class BAdaCostOptions:
    """How BAdaCost boosts.

    Attributes
    ----------
    n_estimators : int
        Number of trees.
    learning_rate : float in (0, 1]
        Shrinkage: the share of the optimal step that is taken.
    tree : TreeOptions
    on_negative_step : {"stop", "skip"}
        What to do with a tree that the loss does not want: end without it, or draw other features and go on
        (useful only if a tree chooses from some of them).
    scaled_total : bool
        See `SplitCriterion.badacost`.
    """

    n_estimators: int = 100
    learning_rate: float = 0.1
    tree: TreeOptions = field(default_factory=TreeOptions)
    on_negative_step: Literal["stop", "skip"] = "stop"
    scaled_total: bool = True

    def __post_init__(self) -> None:
        if self.n_estimators < 1:
            raise ValueError(f"n_estimators of BAdaCostOptions must be at least 1, got {self.n_estimators}")
        if not 0.0 < self.learning_rate <= 1.0:
            raise ValueError(f"learning_rate of BAdaCostOptions must be in (0, 1], got {self.learning_rate}")
        if self.on_negative_step not in ("stop", "skip"):
            raise ValueError(
                f"on_negative_step of BAdaCostOptions must be 'stop' or 'skip', got {self.on_negative_step!r}"
            )


@dataclass(frozen=True)
class BoostingRound:
    """Figures of one round, on the training samples.

    Attributes
    ----------
    number : int
        1 for the first round.
    n_rounds : int
    beta : float
        Vote weight of the round's tree, shrinkage included.
    loss : float
        Exponential loss after the round.
    error : float
        Weighted 0|1 error of the round's tree, under the weights that it was grown with.
    """

    number: int
    n_rounds: int
    beta: float
    loss: float
    error: float


def boost(
    bins: NDArray[np.uint8],
    labels: ArrayLike,
    cost_matrix: ArrayLike,
    options: BAdaCostOptions | None = None,
    *,
    random_state: int | np.random.Generator | None = None,
    threads: int = 1,
    on_round: Callable[[BoostingRound], None] | None = None,
    sample_weight: ArrayLike | None = None,
) -> BoostedTrees:
    """Train BAdaCost on binned features.

    Parameters
    ----------
    bins : (F, N) uint8, C-contiguous
        Binned features, feature-major; may be memory-mapped.
    labels : (N,) integers in 0 .. K - 1
    cost_matrix : (K, K) array_like
        C[true, predicted]; divided by its largest entry if that exceeds 1.
    options : BAdaCostOptions
    random_state : int, numpy.random.Generator or None
        Source of the draws of features.
    threads : int
        The result does not depend on it. 0 is all cores.
    on_round : callable (BoostingRound)
        Called after every tree that is kept.
    sample_weight : (N,) array_like
        Initial weights >= 0; equal ones by default.

    Returns
    -------
    BoostedTrees

    Raises
    ------
    ValueError
        If an argument breaks its rule, or the first tree already has no positive step.
    """
    options = options or BAdaCostOptions()
    given_costs = validate(cost_matrix)
    n_classes = len(given_costs)
    exponents = with_negative_row_sums(scaled_costs(given_costs)) @ margin_codes(n_classes)
    criterion = SplitCriterion.badacost(given_costs, scaled_total=options.scaled_total)
    rng = np.random.default_rng(random_state)
    trees: list[Any] = []
    betas: list[float] = []
    losses: list[float] = []
    loss = 1.0
    stop_reason = ALL_ROUNDS_DONE
    with TreeGrower(bins, labels, criterion, options.tree, threads=threads) as grower:
        weights = initial_weights(sample_weight, len(grower.labels))
        for number in range(1, options.n_estimators + 1):
            tree = grower.grow(integer_weights(weights), rng)
            predicted = tree.leaf_label[tree.leaf_of_sample]
            table = weight_table(grower.labels, predicted, weights, n_classes)
            step = solve_step(table, exponents)
            if step <= 0:
                stop_reason = (
                    f"the tree of round {number} is not better than none under the costs (beta = {step:.4g})"
                )
                if options.on_negative_step == "skip":
                    stop_reason = f"{ALL_ROUNDS_DONE}; the last one skipped: {stop_reason}"
                    continue
                break
            stop_reason = ALL_ROUNDS_DONE
            faultless = math.isinf(step)
            beta = options.learning_rate * (largest_step(exponents) if faultless else step)
            loss *= reweight(grower.labels, predicted, np.exp(beta * exponents), weights)
            trees.append(tree)
            betas.append(beta)
            losses.append(loss)
            if on_round is not None:
                error = float(table.sum() - np.trace(table)) / float(table.sum())
                on_round(BoostingRound(number, options.n_estimators, beta, loss, error))
            if faultless:
                stop_reason = f"the tree of round {number} makes no error that costs"
                break
    if not trees:
        raise ValueError(f"boost found no tree to start with: {stop_reason}")
    return BoostedTrees(
        np.stack([tree.feature for tree in trees]),
        np.stack([tree.threshold for tree in trees]),
        np.stack([tree.leaf_label for tree in trees]),
        np.array(betas),
        given_costs,
        stop_reason,
        np.array(losses),
        np.stack([tree.lower_bin for tree in trees]),
        np.stack([tree.upper_bin for tree in trees]),
        np.stack([tree.decrease for tree in trees]),
    )


def largest_step(exponents: NDArray[np.float64]) -> float:
    """Step of a tree without an error, whose loss has no minimum: half of ln(1/eps) over the largest |Z|."""
    return 0.5 * math.log(1.0 / np.finfo(np.float64).eps) / float(np.abs(exponents).max())


def initial_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Weights of sum 1, equal unless given."""
    if sample_weight is None:
        return np.full(n_samples, 1.0 / n_samples)
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(f"sample_weight must have shape ({n_samples},), got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be finite, not negative and not all zero")
    return weights / weights.sum()
