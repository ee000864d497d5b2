"""The distribution D over training rows, kept as weights and as their logarithms.

Where costs are constant in each class, whatever a rule of the family computes depends on four numbers, the
masses of the rows by class and prediction. `CellDistribution` shows the rules four rows that stand for these
cells, and a round costs two passes over the real ones; `RowDistribution` is for costs of single records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .reweighting_kernels import multiply_cells, sum_cells
from .training_rows import Round, TrainingRows
from .votes import Array

REFRESH = 16
"""Rounds after which the weights of `CellDistribution` are taken from their logarithms anew."""


class Distribution(Protocol):
    """What the boosting loop needs of D.

    Attributes
    ----------
    rows : TrainingRows
        The rows that the rules are shown.
    weights : (n,) float64
        Of the real rows, sum 1.
    """

    rows: TrainingRows
    weights: Array

    @property
    def log_weights(self) -> Array:
        """Logarithms of the weights (n,)."""
        ...

    def observe(self, predicted: Array) -> Round:
        """The round, as the rules are shown it, of a learner with predictions (n,) in {-1, +1}."""
        ...

    def multiply(self, log_factors: Array, predicted: Array) -> None:
        """Multiply the weights, given a logarithm for every row that the rules are shown; normalise."""
        ...


def distribution_over(rows: TrainingRows, log_weights: Array) -> Distribution:
    """The faster of the two that fits the costs, started from logarithms up to a constant."""
    constant = isinstance(rows.cost_fn, float) and isinstance(rows.cost_fp, float)
    return CellDistribution(rows, log_weights) if constant else RowDistribution(rows, log_weights)


def normalised(log_weights: Array) -> tuple[Array, Array]:
    """Logarithms of weights, shifted so that the weights have sum 1, and these weights."""
    shifted = log_weights - log_weights.max()
    weights = np.exp(shifted)
    total = weights.sum()
    return shifted - np.log(total), weights / total


class RowDistribution:
    """D for costs of single records."""

    def __init__(self, rows: TrainingRows, log_weights: Array) -> None:
        self.rows = rows
        self.log_weights, self.weights = normalised(log_weights)

    def observe(self, predicted: Array) -> Round:
        return Round(self.rows, self.weights, predicted, self.rows.costs)

    def multiply(self, log_factors: Array, predicted: Array) -> None:
        self.log_weights, self.weights = normalised(self.log_weights + log_factors)


class CellDistribution:
    """D for costs that are constant in each class."""

    def __init__(self, rows: TrainingRows, log_weights: Array) -> None:
        signs = np.array([1.0, 1.0, -1.0, -1.0])
        self.rows = replace(rows, signs=signs, weights=np.full(4, 0.25))
        self._predicted = np.array([1.0, -1.0, 1.0, -1.0])
        self._negative: NDArray[np.uint8] = (rows.signs < 0).view(np.uint8)
        self._log_weights, self.weights = normalised(log_weights)  # the former up to a constant from here on
        self._rounds = 0

    @property
    def log_weights(self) -> Array:
        return normalised(self._log_weights)[0]

    def observe(self, predicted: Array) -> Round:
        masses = sum_cells(self._negative, predicted, self.weights)
        return Round(self.rows, masses / masses.sum(), self._predicted, self.rows.costs)

    def multiply(self, log_factors: Array, predicted: Array) -> None:
        log_factors = log_factors - log_factors.max()
        total = multiply_cells(
            self._negative, predicted, log_factors, np.exp(log_factors), self._log_weights, self.weights
        )
        self._rounds += 1
        if self._rounds % REFRESH == 0 or total < 1e-100:
            # Rounding does not pile up, and weights that were once too small for a float64 come back.
            self._log_weights, self.weights = normalised(self._log_weights)
        else:
            self.weights /= total
