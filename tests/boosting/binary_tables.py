"""Tables and reference runs of the two-class tests: what the files hold, and a learner that replays them."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from badacost.boosting.rounds.training_rows import TrainingRows

TABLES = ("wdbc", "keel_pima", "keel_yeast3", "phoneme")
ROUNDS = 25

Array = NDArray[np.float64]


@cache
def read_table(shared: Path, name: str) -> tuple[Array, NDArray[np.int64]]:
    """X (n, F) and y (n,) with 1 for the positive class."""
    if name == "wdbc":
        table = load_breast_cancer()
        return table.data, 1 - table.target
    with gzip.open(shared / "data/tabular" / f"{name}.csv.gz", "rt", newline="") as file:
        rows = list(csv.reader(file))[1:]
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    return X, np.array([int(row[-1] in ("positive", "1")) for row in rows])


@dataclass(frozen=True)
class ReferenceRun:
    """One method on one table: its name, its costs, its arrays."""

    name: str
    method: str
    cost_fn: float
    cost_fp: float
    arrays: dict[str, NDArray[Any]]

    def __getitem__(self, quantity: str) -> NDArray[Any]:
        return self.arrays[quantity]

    def __contains__(self, quantity: str) -> bool:
        return quantity in self.arrays

    @property
    def alpha(self) -> Array:
        return self.arrays["alpha" if "alpha" in self.arrays else "alpha_pos"]


@cache
def read_runs(shared: Path, family: str, table: str) -> list[ReferenceRun]:
    """All runs of the file, e.g. of family "formula"."""
    runs: dict[str, dict[str, NDArray[Any]]] = {}
    with np.load(shared / "reference/boosting" / f"{family}_{table}.npz") as arrays:
        for key in arrays.files:
            name, _, quantity = key.rpartition("/")
            if name:
                runs.setdefault(name, {})[quantity] = arrays[key]
    found = []
    for name, quantities in runs.items():
        method, _, costs = name.partition("[")
        cost_fn, cost_fp = 1.0, 1.0
        if costs:
            cost_fn, cost_fp = (float(part.split("=")[1]) for part in costs.rstrip("]").split(","))
        found.append(ReferenceRun(name, method, cost_fn, cost_fp, quantities))
    return found


def training_rows(y: NDArray[np.int64], run: ReferenceRun, *, single_records: bool = False) -> TrainingRows:
    """The rows of a reference run; optionally with its costs given for every row."""
    n_rows = len(y)
    costs: list[Array | float] = [run.cost_fn, run.cost_fp]
    if single_records:
        costs = [np.full(n_rows, cost) for cost in costs]
    return TrainingRows.of(np.where(y == 1, 1.0, -1.0), np.ones(n_rows), *costs, n_rounds=ROUNDS)


class Replay:
    """A weak learner that repeats the stumps of a reference run, and afterwards says -1."""

    def __init__(self, X: NDArray[np.floating], run: ReferenceRun) -> None:
        self._X = X
        self._run = run
        self._round = 0

    def fit(self, weights: Array) -> tuple[int, Array]:
        t = self._round
        self._round += 1
        if t >= len(self._run["stump_feature"]):
            return t, np.full(len(weights), -1.0)
        left = self._X[:, self._run["stump_feature"][t]] <= self._run["stump_threshold"][t]
        return t, np.where(left, self._run["stump_left"][t], self._run["stump_right"][t]).astype(np.float64)
