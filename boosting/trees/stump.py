"""The decision stump: one feature, one threshold, two labels; the weak learner of most boosting papers.

A `StumpTrainer` prepares a table once (sorts or bins its columns) and then trains a stump for any weights on
the rows in a time linear in the size of the table.

Cuts lie midway between neighbouring distinct values; values up to the threshold go left. Ties go to the
lowest feature, then to the lowest threshold. Where no cut is an improvement, as all rows are alike or of one
class, the stump is constant: feature -1, threshold infinity.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .split_criterion import SplitCriterion
from .stump_kernels import (
    accumulate_histograms,
    goodness,
    put_into_bins,
    search_histograms,
    search_sorted,
    search_sorted_of_two,
    sum_by_class,
)

Search = Literal["auto", "exact", "histogram"]
WEIGHT_SUM = 2.0**60
"""Integer weights are shares of this sum: finer than float64's rounding of the sum itself."""
TIE = 1e-14
"""Cuts whose impurities differ by less than this share of the weight are ties."""


@dataclass(frozen=True)
class Stump:
    """A trained stump over class codes 0 .. K-1.

    Attributes
    ----------
    feature : int
        -1 for a constant stump.
    threshold : float
        Rows with a value up to it go left.
    left, right : int
        Class codes predicted on either side.
    masses : (2, K) float64
        Class weights on the left and right, of sum 1.
    """

    feature: int
    threshold: float
    left: int
    right: int
    masses: NDArray[np.float64]

    def goes_left(self, X: NDArray[np.floating]) -> NDArray[np.bool_]:
        if self.feature < 0:
            return np.ones(len(X), dtype=bool)
        return np.asarray(X[:, self.feature] <= self.threshold)

    def predict(self, X: NDArray[np.floating]) -> NDArray[np.int64]:
        """Class codes (n,) of the rows of X (n, F)."""
        return np.where(self.goes_left(X), self.left, self.right)

    def with_codes(self, codes: NDArray[np.integer]) -> Stump:
        """The same stump over other class codes: code k becomes ``codes[k]``, a permutation of 0 .. K-1."""
        masses = np.empty_like(self.masses)
        masses[:, codes] = self.masses
        return replace(self, left=int(codes[self.left]), right=int(codes[self.right]), masses=masses)


@dataclass(frozen=True)
class BinnedColumns:
    """Columns of which only the bins of the values are looked at.

    Attributes
    ----------
    features : (F',) int64
        Which columns of the table.
    bins : (F', N) uint8
    thresholds : list of (bins - 1,) float64
        Ascending; a row is in bin b if its value exceeds exactly the first b of them.
    """

    features: NDArray[np.int64]
    bins: NDArray[np.uint8]
    thresholds: list[NDArray[np.float64]]


@dataclass(frozen=True)
class SortedColumns:
    """Columns of which every distinct value counts.

    Attributes
    ----------
    features : (F',) int64
    orders : (F', N) int32
        Rows by ascending value.
    ends : (F', N) uint8
        1 where the next row in that order has another value.
    values : (F', N) float64
        Ascending.
    """

    features: NDArray[np.int64]
    orders: NDArray[np.int32]
    ends: NDArray[np.uint8]
    values: NDArray[np.float64]

    def with_values(self, columns: NDArray[np.float64]) -> SortedColumns:
        """The same columns with further values (F', M) at the end."""
        unsorted = np.empty_like(self.values)
        np.put_along_axis(unsorted, self.orders.astype(np.int64), self.values, axis=1)
        together = np.concatenate([unsorted, columns], axis=1)
        orders = np.argsort(together, axis=1).astype(np.int32)
        values = np.take_along_axis(together, orders, axis=1)
        ends = np.zeros(values.shape, dtype=np.uint8)
        ends[:, :-1] = values[:, 1:] != values[:, :-1]
        return replace(self, orders=orders, ends=ends, values=values)


def midpoint(below: float, above: float) -> float:
    """A threshold with `below` on its left and `above` on its right, also for neighbouring numbers."""
    middle = 0.5 * below + 0.5 * above
    return middle if below <= middle < above else below


def prepare_columns(
    X: NDArray[np.floating], search: Search, max_bins: int
) -> tuple[BinnedColumns, SortedColumns]:
    """Bin the columns with few distinct values, one a bin; sort or bin the others as `search` says."""
    n_rows, n_features = X.shape
    binned: list[int] = []
    sorted_: list[int] = []
    bins = np.empty((n_features, n_rows), dtype=np.uint8)
    thresholds = []
    orders, ends, values = [], [], []
    for feature in range(n_features):
        column = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        ascending = np.sort(column)
        changes = ascending[1:] != ascending[:-1]
        cuts = np.flatnonzero(changes)
        if len(cuts) < max_bins or search != "exact":
            if len(cuts) >= max_bins:
                cuts = _quantile_cuts(cuts, n_rows, max_bins)
            thresholds.append(np.array([midpoint(*ascending[cut : cut + 2]) for cut in cuts]))
            put_into_bins(column, thresholds[-1], bins[len(binned)])
            binned.append(feature)
        else:
            orders.append(np.argsort(column).astype(np.int32))
            ends.append(np.append(changes, False).view(np.uint8))
            values.append(ascending)
            sorted_.append(feature)
    shape = (len(sorted_), n_rows)
    return (
        BinnedColumns(np.array(binned, dtype=np.int64), bins[: len(binned)], thresholds),
        SortedColumns(
            np.array(sorted_, dtype=np.int64),
            np.array(orders, dtype=np.int32).reshape(shape),
            np.array(ends, dtype=np.uint8).reshape(shape),
            np.array(values, dtype=np.float64).reshape(shape),
        ),
    )


def _quantile_cuts(cuts: NDArray[np.int64], n_rows: int, max_bins: int) -> NDArray[np.int64]:
    """At most max_bins - 1 of the cuts, the ones nearest to equal numbers of rows in every bin."""
    wanted = np.arange(1, max_bins) * (n_rows / max_bins) - 1.0
    above = np.clip(np.searchsorted(cuts, wanted), 1, len(cuts) - 1)
    nearer_below = wanted - cuts[above - 1] <= cuts[above] - wanted
    return np.unique(cuts[above - nearer_below])


class StumpTrainer:
    """Trains stumps on one table for changing weights.

    Parameters
    ----------
    X : (N, F) array of finite numbers
    labels : (N,) int
        Class codes 0 .. K-1.
    criterion : SplitCriterion
        What a cut minimises and how its sides are labelled.
    search : {"auto", "histogram", "exact"}
        Columns of at most `max_bins` distinct values are searched exactly in any case. The others are put
        into bins of about equally many rows ("auto", "histogram"), or sorted and searched exactly.
    max_bins : int
        2 .. 256.
    """

    def __init__(
        self,
        X: NDArray[np.floating],
        labels: NDArray[np.integer],
        criterion: SplitCriterion,
        *,
        search: Search = "auto",
        max_bins: int = 256,
    ) -> None:
        if search not in ("auto", "exact", "histogram"):
            raise ValueError(f"search of StumpTrainer must be 'auto', 'exact' or 'histogram', got {search!r}")
        if not 2 <= max_bins <= 256:
            raise ValueError(f"max_bins of StumpTrainer must be from 2 to 256, got {max_bins!r}")
        self.binned, self.sorted = prepare_columns(X, search, max_bins)
        self._n_bins = np.array([len(cuts) + 1 for cuts in self.binned.thresholds], dtype=np.int64)
        self._set_labels(labels, criterion)

    def relabelled(self, labels: NDArray[np.integer]) -> StumpTrainer:
        """A trainer on the same columns, with the same criterion, for other class codes (N,)."""
        other = copy.copy(self)
        other._set_labels(labels, self.criterion)
        return other

    def with_rows(self, X: NDArray[np.floating], labels: NDArray[np.integer]) -> StumpTrainer:
        """A trainer on these rows and further ones (M, F); the bins stay, other columns are sorted anew."""
        other = copy.copy(self)
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        bins = np.empty((len(self.binned.features), len(X)), dtype=np.uint8)
        for row, feature in enumerate(self.binned.features):
            put_into_bins(columns[feature], self.binned.thresholds[row], bins[row])
        other.binned = replace(self.binned, bins=np.concatenate([self.binned.bins, bins], axis=1))
        other.sorted = self.sorted.with_values(columns[self.sorted.features])
        other._set_labels(np.concatenate([self._labels, labels]), self.criterion)
        return other

    def _set_labels(self, labels: NDArray[np.integer], criterion: SplitCriterion) -> None:
        n_classes = criterion.n_classes
        most_bins = int(self._n_bins.max(initial=1))
        self.criterion = criterion
        self._labels = np.ascontiguousarray(labels, dtype=np.uint8 if n_classes == 2 else np.int32)
        dtype = np.uint16 if most_bins * n_classes <= 2**16 else np.uint32
        codes = self.binned.bins.astype(dtype)
        np.multiply(codes, n_classes, out=codes)
        self._codes = np.add(codes, self._labels.astype(dtype), out=codes)
        self._histograms = np.empty((len(self._n_bins), most_bins, n_classes), dtype=np.int64)
        self._goodness = criterion.kernel_arguments

    def fit(self, weights: NDArray[np.float64]) -> tuple[Stump, NDArray[np.bool_]]:
        """The best stump for weights (N,) >= 0, and which rows it sends left."""
        integers = (weights * (WEIGHT_SUM / weights.sum())).astype(np.int64)
        n_classes = self.criterion.n_classes
        totals = self._class_masses(integers)
        left, left_of_sorted = np.zeros((2, n_classes), dtype=np.int64)
        slack = TIE * float(totals.sum())
        column, cut, best = self._search_binned(totals, slack, left)
        sorted_column, position, best_of_sorted = self._search_sorted(integers, totals, slack, left_of_sorted)
        feature = int(self.binned.features[column]) if column >= 0 else -1
        sorted_feature = int(self.sorted.features[sorted_column]) if sorted_column >= 0 else -1
        take_sorted = sorted_column >= 0 and (
            column < 0
            or best_of_sorted > best + slack
            or (best_of_sorted >= best - slack and sorted_feature < feature)
        )
        if take_sorted:
            feature, left, best = sorted_feature, left_of_sorted, best_of_sorted
        if feature < 0 or not self._improves(totals, best):
            return self._stump(-1, np.inf, totals, totals), np.ones(len(weights), dtype=bool)
        if take_sorted:
            threshold = midpoint(*self.sorted.values[sorted_column, position : position + 2])
            goes_left = np.zeros(len(weights), dtype=bool)
            goes_left[self.sorted.orders[sorted_column, : position + 1]] = True
        else:
            threshold = float(self.binned.thresholds[column][cut])
            goes_left = self._codes[column] < (cut + 1) * n_classes
        return self._stump(feature, threshold, left, totals), goes_left

    def _class_masses(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Accumulate the histograms, and sum up the classes."""
        n_columns, n_bins, n_classes = self._histograms.shape
        if n_columns:
            accumulate_histograms(
                self._codes, integers, self._histograms.reshape(n_columns, n_bins * n_classes)
            )
            return np.asarray(self._histograms[0].sum(axis=0))
        masses = np.zeros(n_classes, dtype=np.int64)
        sum_by_class(self._labels, integers, masses)
        return masses

    def _search_binned(
        self, totals: NDArray[np.int64], slack: float, left: NDArray[np.int64]
    ) -> tuple[int, int, float]:
        return search_histograms(self._histograms, self._n_bins, totals, *self._goodness, slack, left)

    def _search_sorted(
        self, integers: NDArray[np.int64], totals: NDArray[np.int64], slack: float, left: NDArray[np.int64]
    ) -> tuple[int, int, float]:
        if not len(self.sorted.features):
            return -1, -1, -np.inf
        search = search_sorted_of_two if len(totals) == 2 else search_sorted
        columns = self.sorted
        return search(
            columns.orders, columns.ends, self._labels, integers, totals, *self._goodness, slack, left
        )

    def _improves(self, totals: NDArray[np.int64], best: float) -> bool:
        """Whether a cut of goodness `best` gains more than rounding over no cut."""
        whole = goodness(totals, *self._goodness)
        return bool(best - whole > TIE * float(totals.sum()))

    def _stump(
        self, feature: int, threshold: float, left: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> Stump:
        masses = np.stack([left, totals - left if feature >= 0 else left]).astype(np.float64)
        labels = [self._label(side) for side in masses]
        return Stump(feature, threshold, labels[0], labels[1], masses / float(totals.sum()))

    def _label(self, masses: NDArray[np.float64]) -> int:
        """The label of least expected cost, the first on ties; a side of one class takes that class."""
        present = np.flatnonzero(masses)
        if len(present) == 1:
            return int(present[0])
        return int(np.argmin(masses @ self.criterion.leaf_costs))
