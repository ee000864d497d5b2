"""What the sampling boosters train a round on: rows left out at random, or synthetic rows added.

A row of integer weight w stands for w equal rows, in every draw: a table with weights and the same table with
repeated rows give the same samples. Other weights do not count in the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ..distinct_rows import group_equal_rows
from ..rounds.weak_learners import seeded_clone

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The training set of a round.

    Attributes
    ----------
    shares : (n,) float64
        Share of each original row that is in the sample (of several equal rows, or several times: above 1).
    extra_rows : (m, F) float64
        Synthetic rows.
    extra_codes : (m,) int64
        Their classes.
    size : float
        Number of rows, synthetic ones included.
    """

    shares: Array
    extra_rows: Array
    extra_codes: Codes
    size: float


class Sampler(Protocol):
    """Draws a training set a round."""

    def draw(self) -> Sample: ...


class EqualRows:
    """The rows of a table, counted: which are equal, and how many each stands for.

    Attributes
    ----------
    groups : (n,) int64
        Number of each row's group of equal rows of a class, in sorted order.
    codes : (n_groups,) int64
    counts : (n_groups,) int64
        Rows that the group stands for.
    rows : (n_groups, F) float64
    """

    def __init__(self, rows: NDArray[Any], codes: Codes, weights: Array) -> None:
        whole = bool((weights == np.rint(weights)).all())
        self.groups, self.codes = group_equal_rows(rows, codes)
        copies = weights if whole else np.ones(len(rows))
        self.counts = np.rint(np.bincount(self.groups, weights=copies)).astype(np.int64)
        self.rows = np.empty((len(self.codes), rows.shape[1]))
        self.rows[self.groups] = rows

    def class_counts(self, n_classes: int) -> NDArray[np.int64]:
        """Rows (K,) that every class has."""
        return np.rint(np.bincount(self.codes, self.counts, n_classes)).astype(np.int64)


class UnderSampler:
    """Random undersampling without replacement: every class down to the size of the smallest.

    Parameters
    ----------
    table : EqualRows
    n_classes : int
    generator : numpy.random.Generator
    """

    def __init__(self, table: EqualRows, n_classes: int, generator: np.random.Generator) -> None:
        self._table = table
        self._generator = generator
        self._members = [np.flatnonzero(table.codes == code) for code in range(n_classes)]
        self._smallest = int(table.class_counts(n_classes).min())

    def draw(self) -> Sample:
        """A share of each row."""
        table = self._table
        kept = np.zeros(len(table.codes))
        for members in self._members:
            counts = table.counts[members]
            kept[members] = self._generator.multivariate_hypergeometric(
                counts, self._smallest, method="count"
            )
        shares = (kept / table.counts)[table.groups]
        n_features = table.rows.shape[1]
        return Sample(shares, np.empty((0, n_features)), np.empty(0, dtype=np.int64), float(kept.sum()))


class SyntheticSampler:
    """SMOTE (Chawla et al. 2002): synthetic rows between a row and one of its nearest neighbours of the class.

    The neighbours are those among the original rows, found once. A class of one row is repeated.

    Parameters
    ----------
    table : EqualRows
    n_classes : int
    n_synthetic : int or None
        Rows to add to the smallest class; None fills every class up to the size of the largest.
    n_neighbors : int
        Fewer in a class of fewer rows.
    generator : numpy.random.Generator
    """

    def __init__(
        self,
        table: EqualRows,
        n_classes: int,
        n_synthetic: int | None,
        n_neighbors: int,
        generator: np.random.Generator,
    ) -> None:
        self._table = table
        self._generator = generator
        counts = table.class_counts(n_classes)
        wanted = counts.max() - counts
        if n_synthetic is not None:
            wanted = np.where(np.arange(n_classes) == np.argmin(counts), n_synthetic, 0)
        self._tasks: list[tuple[int, int, Array, NDArray[np.int64]]] = []
        for code in np.flatnonzero(wanted):
            members = np.flatnonzero(table.codes == code)
            rows = np.repeat(table.rows[members], table.counts[members], axis=0)
            self._tasks.append((int(code), int(wanted[code]), rows, nearest_rows(rows, n_neighbors)))

    def draw(self) -> Sample:
        """All rows, and fresh synthetic ones."""
        extra = [np.empty((0, self._table.rows.shape[1]))]
        codes = [np.empty(0, dtype=np.int64)]
        for code, wanted, rows, neighbours in self._tasks:
            base = self._generator.integers(len(rows), size=wanted)
            which = self._generator.integers(neighbours.shape[1], size=wanted)
            way = self._generator.random((wanted, 1))
            extra.append(rows[base] + way * (rows[neighbours[base, which]] - rows[base]))
            codes.append(np.full(wanted, code, dtype=np.int64))
        size = float(self._table.counts.sum() + sum(wanted for _, wanted, _, _ in self._tasks))
        shares = np.ones(len(self._table.groups))
        return Sample(shares, np.concatenate(extra), np.concatenate(codes), size)


class ForeignSampler:
    """A sampler of imbalanced-learn (anything with `fit_resample`), cloned and seeded anew every round.

    Rows that it reports in `sample_indices_`, or that stand unchanged at the head of its output as SMOTE leaves
    them, keep their boosting weights; the others count as synthetic.
    """

    def __init__(
        self, sampler: Any, rows: NDArray[Any], codes: Codes, random_state: np.random.RandomState
    ) -> None:
        self._sampler = sampler
        self._rows = rows
        self._codes = codes
        self._random_state = random_state

    def draw(self) -> Sample:
        """What the sampler makes of the rows."""
        sampler = seeded_clone(self._sampler, self._random_state)
        rows, codes = sampler.fit_resample(self._rows, self._codes)
        rows, codes = np.asarray(rows, dtype=np.float64), np.asarray(codes, dtype=np.int64)
        n_rows = len(self._rows)
        indices = getattr(sampler, "sample_indices_", None)
        if indices is not None:
            shares = np.bincount(indices, minlength=n_rows).astype(np.float64)
            return Sample(shares, rows[:0], codes[:0], float(len(rows)))
        if len(rows) >= n_rows and np.array_equal(rows[:n_rows], self._rows):
            return Sample(np.ones(n_rows), rows[n_rows:], codes[n_rows:], float(len(rows)))
        return Sample(np.zeros(n_rows), rows, codes, float(len(rows)))


def nearest_rows(rows: Array, n_neighbors: int) -> NDArray[np.int64]:
    """Indices (n, k) of the k nearest other rows of each row; of the row itself where it is the only one."""
    if len(rows) == 1:
        return np.zeros((1, 1), dtype=np.int64)
    n_neighbors = min(n_neighbors, len(rows) - 1)
    found = NearestNeighbors(n_neighbors=n_neighbors).fit(rows).kneighbors(return_distance=False)
    return np.asarray(found, dtype=np.int64)
