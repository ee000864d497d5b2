"""BAdaCost: multi-class boosting with any cost matrix.

Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", Pattern Recognition
2018, Algorithm 1, with the step that minimises the loss which the weights follow (the printed one is too long
by K/(K-1)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs import margin_codes, scaled_costs, validate, with_negative_row_sums
from ..row_values import check_sample_weight
from ..trees.complete_tree import CompleteTree
from ..trees.split_criterion import SplitCriterion
from ..trees.tree import TreeGrower, TreeOptions, integer_weights
from .badacost_kernels import reweight, solve_step, weight_table
from .boosted_trees import BoostedTrees

OnNegativeStep = Literal["stop", "skip"]
OnFaultless = Literal["stop", "continue"]
ALL_ROUNDS_DONE = "all rounds done"


@dataclass(frozen=True)
class BAdaCostOptions:
    """How BAdaCost boosts trees.

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
    on_faultless : {"stop", "continue"}
        What to do after a tree that makes no error that costs: end with it, or go on (useful only if a tree chooses
        from some of the features: the next ones are others, and one tree is seldom enough on unseen samples).
    scaled_total : bool
        See `SplitCriterion.badacost`.
    """

    n_estimators: int = 100
    learning_rate: float = 0.1
    tree: TreeOptions = field(default_factory=TreeOptions)
    on_negative_step: OnNegativeStep = "stop"
    on_faultless: OnFaultless = "stop"
    scaled_total: bool = True

    def __post_init__(self) -> None:
        check_boosting_options(
            "BAdaCostOptions", self.n_estimators, self.learning_rate, self.on_negative_step
        )
        if self.on_faultless not in ("stop", "continue"):
            raise ValueError(
                f"on_faultless of BAdaCostOptions must be 'stop' or 'continue', got {self.on_faultless!r}"
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
        Vote weight of the round's learner, shrinkage included.
    loss : float
        Exponential loss after the round; 1 before the first.
    error : float
        Weighted 0|1 error of the round's learner, under the weights that it was trained with.
    class_weights : (K,) float64
        Share of the weights that each class had then.
    predicted : (N,) integers
        The learner's labels.
    """

    number: int
    n_rounds: int
    beta: float
    loss: float
    error: float
    class_weights: NDArray[np.float64]
    predicted: NDArray[np.integer]


class WeakLearner(Protocol):
    """Trains one learner a round."""

    def fit(self, weights: NDArray[np.float64]) -> tuple[Any, NDArray[np.integer]]:
        """Train under weights (N,) of sum 1; return the learner and its labels (N,) of the training samples."""
        ...


@dataclass
class BAdaCostRun:
    """Outcome of `boost_learners`: the learners kept, their vote weights, losses and errors, why it ended."""

    learners: list[Any] = field(default_factory=list)
    betas: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stop_reason: str = ALL_ROUNDS_DONE


def boost_learners(
    learner: WeakLearner,
    labels: NDArray[np.int64],
    cost_matrix: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    n_rounds: int,
    learning_rate: float = 1.0,
    on_negative_step: OnNegativeStep = "stop",
    on_faultless: OnFaultless = "stop",
    on_round: Callable[[BoostingRound], None] | None = None,
) -> BAdaCostRun:
    """The rounds of BAdaCost, whatever is boosted.

    A round trains a learner, takes the step beta that minimises ``sum W(j, k) exp(beta Z(j, k))``, with W the
    weight of class j predicted as k and ``Z = C* Y``, and multiplies the weights by ``exp(beta Z)``. It ends early
    with a learner whose step is not positive. A learner which makes no error that costs would have an infinite best
    step; it gets that of a learner that errs in a share of every class, half the initial share of the lightest
    sample, and is the last one unless `on_faultless` says otherwise.

    Parameters
    ----------
    learner : WeakLearner
    labels : (N,) int64
    cost_matrix : (K, K) float64
        Checked; divided by its largest entry if that exceeds 1.
    weights : (N,) float64
        Initial weights >= 0, of any sum.
    n_rounds : int
    learning_rate, on_negative_step, on_faultless
        See `BAdaCostOptions`.
    on_round : callable (BoostingRound)
        Called after every learner that is kept.
    """
    n_classes = len(cost_matrix)
    exponents = with_negative_row_sums(scaled_costs(cost_matrix)) @ margin_codes(n_classes)
    weights = weights / weights.sum()
    error_floor = 0.5 * float(weights[weights > 0].min())
    run = BAdaCostRun()
    loss = 1.0
    for number in range(1, n_rounds + 1):
        fitted, predicted = learner.fit(weights)
        table = weight_table(labels, predicted, weights, n_classes)
        step = solve_step(table, exponents)
        if step <= 0:
            run.stop_reason = (
                f"the learner of round {number} does not lower the expected cost: step {step:.4g}"
            )
            if on_negative_step == "skip":
                run.stop_reason = f"{ALL_ROUNDS_DONE}; the last one skipped: {run.stop_reason}"
                continue
            break
        run.stop_reason = ALL_ROUNDS_DONE
        faultless = math.isinf(step)
        if faultless:
            step = solve_step(_with_errors(table, error_floor), exponents)
        beta = learning_rate * step
        loss *= reweight(labels, predicted, np.exp(beta * exponents), weights)
        run.learners.append(fitted)
        run.betas.append(beta)
        run.losses.append(loss)
        run.errors.append(float(1.0 - np.trace(table) / table.sum()))
        if on_round is not None:
            class_weights = table.sum(axis=1)
            on_round(BoostingRound(number, n_rounds, beta, loss, run.errors[-1], class_weights, predicted))
        if faultless and on_faultless == "stop":
            run.stop_reason = f"the learner of round {number} makes no error that costs"
            break
    return run


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
        The result does not depend on it. 0 is one a processor core.
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
    costs = validate(cost_matrix)
    criterion = SplitCriterion.badacost(costs, scaled_total=options.scaled_total)
    with TreeGrower(bins, labels, criterion, options.tree, threads=threads) as grower:
        run = boost_learners(
            TreeLearner(grower, np.random.default_rng(random_state)),
            grower.labels,
            costs,
            check_sample_weight(sample_weight, len(grower.labels), "boost"),
            n_rounds=options.n_estimators,
            learning_rate=options.learning_rate,
            on_negative_step=options.on_negative_step,
            on_faultless=options.on_faultless,
            on_round=on_round,
        )
    if not run.learners:
        raise ValueError(f"boost found no tree to start with: {run.stop_reason}")
    trees = run.learners
    return BoostedTrees(
        feature=np.stack([tree.feature for tree in trees]),
        threshold=np.stack([tree.threshold for tree in trees]),
        leaf_label=np.stack([tree.leaf_label for tree in trees]),
        beta=np.array(run.betas),
        cost_matrix=costs,
        stop_reason=run.stop_reason,
        losses=np.array(run.losses),
        decrease=np.stack([tree.decrease for tree in trees]),
    )


class TreeLearner:
    """Grows trees on binned features."""

    def __init__(self, grower: TreeGrower, rng: np.random.Generator) -> None:
        self._grower = grower
        self._rng = rng

    def fit(self, weights: NDArray[np.float64]) -> tuple[CompleteTree, NDArray[np.uint8]]:
        tree = self._grower.grow(integer_weights(weights), self._rng)
        return tree, tree.leaf_label[tree.leaf_of_sample]


def check_boosting_options(
    owner: str, n_estimators: int, learning_rate: float, on_negative_step: str
) -> None:
    """Refuse what no booster can do.

    Raises
    ------
    ValueError
        Naming the parameter, its owner, the rule and the value found.
    """
    whole = isinstance(n_estimators, (int, np.integer)) and not isinstance(n_estimators, bool)
    if not (whole and n_estimators >= 1):
        raise ValueError(f"n_estimators of {owner} must be an integer >= 1, got {n_estimators!r}")
    if not 0.0 < learning_rate <= 1.0:
        raise ValueError(f"learning_rate of {owner} must be in (0, 1], got {learning_rate!r}")
    if on_negative_step not in ("stop", "skip"):
        raise ValueError(f"on_negative_step of {owner} must be 'stop' or 'skip', got {on_negative_step!r}")


def _with_errors(table: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """The weight table if a share of every class were predicted wrongly, evenly over the other classes."""
    n_classes = len(table)
    others = 1.0 - np.eye(n_classes)
    spread = table.sum(axis=1, keepdims=True) * others / (n_classes - 1)
    return (1.0 - share) * table + share * spread
