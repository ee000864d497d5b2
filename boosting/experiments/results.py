"""Results as arrays of data sets and methods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .table import Array


class Results:
    """Rows of a results file of one protocol.

    Parameters
    ----------
    rows : sequence of mapping
        As `ResultsFile.read` returns them.
    datasets, methods : sequence of str
        The order of the tables; data sets and methods without any row are left out.
    """

    def __init__(
        self, rows: Sequence[Mapping[str, str]], datasets: Sequence[str], methods: Sequence[str]
    ) -> None:
        self._rows: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: (int(row["repeat"]), int(row["fold"]))):
            self._rows[row["dataset"], row["method"]].append(row)
        self.datasets = tuple(name for name in datasets if any(key[0] == name for key in self._rows))
        self.methods = tuple(name for name in methods if any(key[1] == name for key in self._rows))

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def values(self, dataset: str, method: str, metric: str) -> Array:
        """A metric (m,) of all fits of a method on a data set, by repeat and fold."""
        return np.array([float(row[metric]) for row in self._rows.get((dataset, method), ())])

    def texts(self, dataset: str, method: str, column: str) -> list[str]:
        """The same for a column of texts."""
        return [row[column] for row in self._rows.get((dataset, method), ())]

    def means(
        self, metric: str, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Array:
        """Means (data sets, methods) over the fits that have a number; nan where there is none."""
        return self._over_fits(metric, datasets, methods, np.mean)

    def deviations(
        self, metric: str, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Array:
        """Standard deviations (data sets, methods) over the fits; nan where there are fewer than two."""
        return self._over_fits(
            metric, datasets, methods, lambda values: np.std(values, ddof=1) if len(values) > 1 else np.nan
        )

    def seconds(self) -> float:
        """Processor time of all fits."""
        return sum(float(row["seconds"]) for rows in self._rows.values() for row in rows)

    def _over_fits(
        self,
        metric: str,
        datasets: Sequence[str] | None,
        methods: Sequence[str] | None,
        statistic: Callable[[Array], Any],
    ) -> Array:
        datasets = self.datasets if datasets is None else datasets
        methods = self.methods if methods is None else methods
        table = np.full((len(datasets), len(methods)), np.nan)
        for row, dataset in enumerate(datasets):
            for column, method in enumerate(methods):
                values = self.values(dataset, method, metric)
                values = values[~np.isnan(values)]
                if len(values):
                    table[row, column] = statistic(values)
        return table
