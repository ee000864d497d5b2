"""Tables for the framework's tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Table(NamedTuple):
    """Rows of two classes, 1 the rare one, and what it costs to miss each record or to raise an alarm on it."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    cost_fn: NDArray[np.float64]
    cost_fp: NDArray[np.float64]

    def cost(self, predicted: NDArray[np.int64]) -> float:
        wrong = predicted != self.y
        return float(np.where(self.y == 1, self.cost_fn, self.cost_fp)[wrong].sum())


def noisy_table(seed: int = 0, n_rows: int = 200, n_features: int = 4) -> Table:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features)).round(2)
    y = (X[:, 0] + X[:, 1] + random.normal(0, 1.0, n_rows) > 1.3).astype(np.int64)
    y[:4] = 0, 1, 0, 1
    return Table(X, y, random.uniform(1.0, 9.0, n_rows), random.uniform(0.3, 2.0, n_rows))
