"""How the multi-class boosters do on their training rows, round by round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..costs import margin_codes, scaled_costs, with_negative_row_sums
from .badacost import BoostingRound

Array = NDArray[np.float64]


class MulticlassHistory:
    """Follows the ensemble's labels of the training rows.

    Parameters
    ----------
    codes : (n,) int64
        Class of every row.
    weights : (n,) float64
        The user's weights.
    cost_matrix : (K, K) float64
    """

    def __init__(self, codes: NDArray[np.int64], weights: Array, cost_matrix: Array) -> None:
        self._codes = codes
        self._weights = weights / weights.sum()
        self._cost_matrix = cost_matrix
        self._costs = np.zeros((len(codes), len(cost_matrix)))
        self._steps = (with_negative_row_sums(scaled_costs(cost_matrix)) @ margin_codes(len(cost_matrix))).T
        self._entries: dict[str, list[float | Array]] = {}

    def add(self, current: BoostingRound) -> None:
        """Record a round."""
        n_classes = len(self._cost_matrix)
        self._costs += current.beta * self._steps[current.predicted]
        decided = np.argmin(self._costs, axis=1)
        table = np.zeros((n_classes, n_classes))
        np.add.at(table, (self._codes, decided), self._weights)
        entry = {
            "loss": current.loss,
            "error": current.error,
            "class_weights": current.class_weights,
            "recall": np.diag(table) / table.sum(axis=1),
            "training_error": float(1.0 - np.trace(table)),
            "training_cost": float((table * self._cost_matrix).sum()),
        }
        for name, value in entry.items():
            self._entries.setdefault(name, []).append(value)

    def arrays(self) -> dict[str, Array]:
        """One array a figure, first axis the rounds."""
        return {name: np.array(values) for name, values in self._entries.items()}
