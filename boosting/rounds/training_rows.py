"""The rows that a two-class booster trains on, and a round as its rules see it.

Notation of the cost-sensitive boosting papers: D the distribution over rows, y and h in {-1, +1} the class
and the weak learner's prediction, C a row's cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .votes import Array


@dataclass(frozen=True)
class TrainingRows:
    """What is known of the rows before the first round.

    Attributes
    ----------
    signs : (n,) float64
        y: +1 for the positive (rare) class, -1 for the other.
    weights : (n,) float64
        The user's sample weights, all positive, of sum 1.
    cost_fn, cost_fp : float or (n,) float64
        Cost > 0 of a false negative and of a false positive, already scaled as the method asks.
    n_rounds : int
        T, the number of rounds asked for.
    error_floor : float
        Error that a faultless learner is credited with: 1/(2n), or half the lightest row's share.
    """

    signs: Array
    weights: Array
    cost_fn: Array | float
    cost_fp: Array | float
    n_rounds: int
    error_floor: float

    @classmethod
    def of(
        cls,
        signs: Array,
        weights: Array,
        cost_fn: Array | float = 1.0,
        cost_fp: Array | float = 1.0,
        *,
        n_rounds: int,
    ) -> TrainingRows:
        """Rows with positive weights of any sum."""
        shares = weights / weights.sum()
        return cls(signs, shares, cost_fn, cost_fp, n_rounds, 0.5 * float(shares.min()))

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        return self.signs > 0

    @cached_property
    def costs(self) -> Array:
        """C(i), the cost of misclassifying the row."""
        return np.where(self.positive, self.cost_fn, self.cost_fp).astype(np.float64)

    def by_class(self, of_positives: Array | float, of_negatives: Array | float) -> Array:
        """One number a row, chosen by the row's class."""
        return np.where(self.positive, of_positives, of_negatives)


@dataclass(frozen=True)
class Round:
    """What a rule sees of one round.

    Attributes
    ----------
    rows : TrainingRows
    weights : (n,) float64
        D, the distribution that the learner was trained on; sum 1.
    predicted : (n,) float64
        h in {-1, +1}.
    costs : (n,) float64
        The rows' costs, or this round's own where the rule sets them.
    """

    rows: TrainingRows
    weights: Array
    predicted: Array
    costs: Array

    @cached_property
    def agreement(self) -> Array:
        """y h: +1 where the learner is right, -1 where it is wrong."""
        return self.rows.signs * self.predicted

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        return self.agreement < 0

    @cached_property
    def error(self) -> float:
        """Weighted 0/1 error e of the learner."""
        return mass(self.weights, self.wrong)

    def right_and_wrong(self, factor: Array | float = 1.0) -> tuple[float, float]:
        """Sums of ``factor * D`` over the rightly and over the wrongly predicted rows."""
        weights = self.weights * factor
        return mass(weights, ~self.wrong), mass(weights, self.wrong)


def mass(weights: Array, chosen: NDArray[np.bool_]) -> float:
    """Sum of the weights of the chosen rows. (A product with @ converts the mask slowly.)"""
    return float((weights * chosen).sum())
