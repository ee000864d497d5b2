"""Two-class training records with their costs, counted: equal ones are one record of several copies.

Random draws over counted records treat a row of integer weight w and the same row repeated w times alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..distinct_rows import group_equal_rows
from ..trees.binning import Binner, bin_features

Array = NDArray[np.float64]
Cost = Array | float
"""A cost for all records, or one a record (n,)."""


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Rows as the trees search them.

    Attributes
    ----------
    bins : (F, n) unsigned integers
    binner : Binner
    """

    bins: NDArray[Any]
    binner: Binner

    def taken(self, which: NDArray[Any]) -> BinnedRows:
        """Some of the rows."""
        return BinnedRows(np.ascontiguousarray(self.bins[:, which]), self.binner)

    def with_rows(self, further: NDArray[Any]) -> BinnedRows:
        """The rows and further ones (m, F), in the same bins."""
        return BinnedRows(np.concatenate([self.bins, self.binner.transform(further)], axis=1), self.binner)

    def with_features(self, features: NDArray[np.int64]) -> BinnedRows:
        """The rows with some of their features."""
        binner = self.binner
        parts = (tuple(each[f] for f in features) for each in (binner.edges, binner.smallest, binner.largest))
        return BinnedRows(np.ascontiguousarray(self.bins[features]), Binner(*parts))


@dataclass(frozen=True, eq=False)
class Records:
    """What a cost-sensitive method trains on.

    Attributes
    ----------
    rows : (n, F) array
    positive : (n,) bool
    cost_fn, cost_fp : float or (n,) float64
        Cost >= 0 of taking the record for negative if it is positive, and the reverse.
    copies : (n,) int64
        Number of equal records that each stands for.
    weight : (n,) float64
        Weight > 0 of one copy; 1 unless the user's weights are no whole numbers.
    group : (m,) int64
        Which record each of the m rows of the original table became.
    binned : BinnedRows, optional
        The rows prepared for many trees.
    """

    rows: NDArray[Any]
    positive: NDArray[np.bool_]
    cost_fn: Cost
    cost_fp: Cost
    copies: NDArray[np.int64]
    weight: Array
    group: NDArray[np.int64]
    binned: BinnedRows | None = None

    @classmethod
    def of(cls, rows: NDArray[Any], positive: NDArray[np.bool_], cost_fn: Cost, cost_fp: Cost) -> Self:
        """Every row as a record of its own."""
        n_rows = len(rows)
        one = np.ones(n_rows, dtype=np.int64)
        return cls(rows, positive, cost_fn, cost_fp, one, np.ones(n_rows), np.arange(n_rows))

    @classmethod
    def counted(
        cls, rows: NDArray[Any], positive: NDArray[np.bool_], cost_fn: Cost, cost_fp: Cost, weights: Array
    ) -> Self:
        """The distinct records in their sorted order.

        Parameters
        ----------
        weights : (m,) float64 > 0
            Whole numbers count copies; otherwise each row is one copy, of the mean weight of its equals.
        """
        of_rows = [cost[:, None] for cost in (cost_fn, cost_fp) if not isinstance(cost, float)]
        group, _ = group_equal_rows(np.hstack([rows, *of_rows]), positive)
        whole = bool((weights == np.rint(weights)).all())
        counts = np.bincount(group, weights if whole else None)
        first = np.empty(len(counts), dtype=np.int64)
        first[group[::-1]] = np.arange(len(rows))[::-1]
        return cls(
            rows[first],
            positive[first],
            _taken(cost_fn, first),
            _taken(cost_fp, first),
            np.rint(counts).astype(np.int64),
            np.ones(len(counts)) if whole else np.bincount(group, weights) / counts,
            group,
        )

    @cached_property
    def costs(self) -> Array:
        """C(i) (n,), the cost of misclassifying the record."""
        return np.where(self.positive, self.cost_fn, self.cost_fp).astype(np.float64)

    @property
    def mass(self) -> Array:
        """Weight (n,) of all copies of each record."""
        return self.copies * self.weight

    @property
    def has_record_costs(self) -> bool:
        return not (isinstance(self.cost_fn, float) and isinstance(self.cost_fp, float))

    def class_counts(self) -> tuple[int, int]:
        """Number of positive and of negative records, copies counted."""
        n_positive = int(self.copies[self.positive].sum())
        return n_positive, int(self.copies.sum()) - n_positive

    def with_copies(self, copies: NDArray[np.int64]) -> Records:
        """The records that have copies left, in other numbers; `group` loses its meaning and is empty."""
        kept = np.flatnonzero(copies)
        return replace(
            self.taken(kept), copies=copies[kept].astype(np.int64), group=np.empty(0, dtype=np.int64)
        )

    def taken(self, which: NDArray[Any]) -> Records:
        """Some of the records, by index or by mask; `group` then belongs to the whole table still."""
        return replace(
            self,
            rows=self.rows[which],
            positive=self.positive[which],
            cost_fn=_taken(self.cost_fn, which),
            cost_fp=_taken(self.cost_fp, which),
            copies=self.copies[which],
            weight=self.weight[which],
            binned=None if self.binned is None else self.binned.taken(which),
        )

    def with_bins(self, max_bins: int | None) -> Records:
        """The records with their rows prepared for many trees."""
        return replace(self, binned=BinnedRows(*bin_features(self.rows, max_bins, self.mass)))

    def with_features(self, features: NDArray[np.int64]) -> Records:
        """The records with some of their features."""
        binned = None if self.binned is None else self.binned.with_features(features)
        return replace(self, rows=np.ascontiguousarray(self.rows[:, features]), binned=binned)

    def with_synthetic(self, rows: Array, positive: bool, weight: float = 1.0) -> Records:
        """The records and further rows (m, F) of a class; of records with costs of a class only."""
        if not len(rows):
            return self
        m = len(rows)
        return replace(
            self,
            rows=np.concatenate([self.rows, rows]),
            positive=np.append(self.positive, np.full(m, positive)),
            copies=np.append(self.copies, np.ones(m, dtype=np.int64)),
            weight=np.append(self.weight, np.full(m, weight)),
            binned=None if self.binned is None else self.binned.with_rows(rows),
        )


def bootstrap(records: Records, generator: np.random.Generator) -> NDArray[np.int64]:
    """Copies (n,) of each record among as many draws with replacement as there are copies."""
    total = int(records.copies.sum())
    return np.asarray(generator.multinomial(total, records.copies / total), dtype=np.int64)


def _taken(cost: Cost, which: NDArray[Any]) -> Cost:
    return cost if isinstance(cost, float) else cost[which]
