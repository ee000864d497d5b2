"""Samples of counted records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .records import Array, Records


@dataclass(frozen=True, eq=False)
class Drawn:
    """A sample of records.

    Attributes
    ----------
    copies : (n,) int64
        How often each record is in it.
    synthetic : (m, F) float64
        Rows that are none of the records.
    synthetic_positive : bool
        Their class.
    """

    copies: NDArray[np.int64]
    synthetic: Array
    synthetic_positive: bool = True

    @property
    def size(self) -> int:
        return int(self.copies.sum()) + len(self.synthetic)


Draw = Callable[[np.random.Generator], Drawn]


def resized(records: Records, factors: tuple[float, float], generator: np.random.Generator) -> Drawn:
    """Positive and negative records in numbers of `factors` times theirs, at least one of each class.

    Each record is repeated equally often; what is left of the number is drawn without replacement.
    """
    copies = np.zeros(len(records.copies), dtype=np.int64)
    for positive, factor in zip((True, False), factors, strict=True):
        members = np.flatnonzero(records.positive == positive)
        counts = records.copies[members]
        total = int(counts.sum())
        if not total:  # a bag may lack a class
            continue
        times, rest = divmod(max(round(total * factor), 1), total)
        extra = generator.multivariate_hypergeometric(counts, rest, method="marginals") if rest else 0
        copies[members] = times * counts + extra
    return Drawn(copies, no_rows(records))


def no_rows(records: Records) -> Array:
    """No synthetic rows (0, F)."""
    return np.empty((0, records.rows.shape[1]))
