"""The rows that bags are drawn from.

A row whose sample weight is a whole number w stands for w equal rows in every draw. Draws go through the rows in
sorted order, so that neither their order nor the choice between weights and repetition changes what is drawn.
Other weights do not count in the draws; the members are trained with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trees.tree_classifier import check_n_classes

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Rows of positive weight.

    Attributes
    ----------
    rows : (n, F) array
    classes : (K,) array
        Sorted labels.
    codes : (n,) int64
        Index of every row's class.
    numbers : (n,) int64
        Where the rows are in what the user gave.
    places : (N,) int64
        The rows, sorted by class and values, each as often as its whole weight says.
    weights : (n,) float64 or None
        For the members, of mean 1; None where whole weights, or none, were given.
    """

    rows: NDArray[Any]
    classes: NDArray[Any]
    codes: Codes
    numbers: Codes
    places: Codes
    weights: Array | None

    @classmethod
    def of(cls, rows: NDArray[Any], labels: NDArray[Any], sample_weight: Array, owner: str) -> TrainingTable:
        """Checked rows, labels and weights (n,) >= 0."""
        numbers = np.flatnonzero(sample_weight > 0)
        rows, labels, given = rows[numbers], labels[numbers], sample_weight[numbers]
        classes, codes = np.unique(labels, return_inverse=True)
        check_n_classes(classes, owner)
        order = np.lexsort((*rows.T[::-1], codes))
        whole = bool((given == np.rint(given)).all())
        places = np.repeat(order, given[order].astype(np.int64)) if whole else order
        weights = None if whole else given * (len(given) / given.sum())
        return cls(rows, classes, codes.astype(np.int64), numbers, places, weights)

    @cached_property
    def members(self) -> list[Codes]:
        """`places` of every class."""
        ends = np.cumsum(self.class_sizes)
        return [self.places[end - size : end] for end, size in zip(ends, self.class_sizes, strict=True)]

    @cached_property
    def class_sizes(self) -> Codes:
        """Number of rows (K,) of every class, repeated ones counted."""
        return np.bincount(self.codes[self.places], minlength=len(self.classes))

    @property
    def smallest_class(self) -> int:
        """The first of the classes of fewest rows."""
        return int(np.argmin(self.class_sizes))

    def part(self, kept: NDArray[np.bool_]) -> TrainingTable:
        """The table of some of the rows (n,); classes that none of them has are gone."""
        classes, codes = np.unique(self.codes[kept], return_inverse=True)
        number = np.cumsum(kept) - 1
        return TrainingTable(
            self.rows[kept],
            self.classes[classes],
            codes.astype(np.int64),
            self.numbers[kept],
            number[self.places[kept[self.places]]],
            None if self.weights is None else self.weights[kept],
        )
