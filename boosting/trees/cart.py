"""Unpruned CART trees: samples that are sorted once and grown into many trees, and the trees themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cart_kernels import HALF, LOW, find_cart_leaves, grow_cart, pick_entries

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
UNLIMITED = np.iinfo(np.int32).max
SORTED_ANEW = 8  # samples of fewer than one in so many rows are sorted anew rather than picked out of all


@dataclass(frozen=True, eq=False)
class CartTree:
    """A binary tree, its nodes numbered depth first: the left child of a node follows it.

    Attributes
    ----------
    feature : (n_nodes,) int32
        -1 for a leaf.
    threshold : (n_nodes,) float64
        A row goes left iff its value is smaller.
    right : (n_nodes,) int32
        The right child, -1 of a leaf.
    masses : (n_nodes, K) float64
        Training weight of every class, of inner nodes too.
    """

    feature: NDArray[np.int32]
    threshold: Array
    right: NDArray[np.int32]
    masses: Array

    def leaves(self, rows: Array, begin: int = 0, end: int | None = None) -> NDArray[np.int32]:
        """Number of the leaf of the rows begin .. end - 1 of a C-contiguous (n, F) float64 array."""
        end = len(rows) if end is None else end
        found = np.empty(len(rows), np.int32)
        find_cart_leaves(self.feature, self.threshold, self.right, rows, begin, end, found)
        return found[begin:end]

    @cached_property
    def labels(self) -> Codes:
        """The heaviest class (n_nodes,) of every node, the first of them on ties."""
        return np.argmax(self.masses, axis=1)

    @property
    def shares(self) -> Array:
        """Class shares (n_nodes, K) of every node."""
        return np.asarray(self.masses / self.masses.sum(axis=1, keepdims=True))

    def importances(self, n_features: int) -> Array:
        """Share (F,) of the decrease of Gini impurity that every feature brought; zeros if there was none."""
        mass = self.masses.sum(axis=1)
        purity = (self.masses**2).sum(axis=1) / mass
        inner = np.flatnonzero(self.feature >= 0)
        decrease = purity[inner + 1] + purity[self.right[inner]] - purity[inner]
        total = np.bincount(self.feature[inner], weights=np.maximum(decrease, 0.0), minlength=n_features)
        return np.asarray(total / total.sum() if total.any() else total)


class CartGrower:
    """Rows that are sorted once, by every feature, for growing trees on samples of them.

    Parameters
    ----------
    rows : (n, F) array of finite numbers
    codes : (n,) int
        Class of every row, 0 .. K - 1.
    n_classes : int
    max_depth : int or None
    max_features : int or None
        Features that every node chooses from, drawn at random; None is all.
    """

    def __init__(
        self,
        rows: NDArray[Any],
        codes: NDArray[np.integer],
        n_classes: int,
        max_depth: int | None = None,
        max_features: int | None = None,
    ) -> None:
        self._columns = np.ascontiguousarray(rows.T, dtype=np.float64)
        self._codes = np.ascontiguousarray(codes, dtype=np.int64)
        self._n_classes = n_classes
        self._max_depth = max_depth
        self._max_features = max_features
        self._entries = sorted_entries(self._columns)
        n_features, n_rows = self._columns.shape
        self._ranks = np.empty((n_features, n_rows), np.uint64)
        places = (self._entries & LOW).astype(np.int64)
        np.put_along_axis(self._ranks, places, self._entries & ~LOW, axis=1)

    def grow(
        self,
        weights: Array,
        seed: int = 0,
        *,
        features: NDArray[np.int64] | None = None,
        extra_rows: Array | None = None,
        extra_codes: Codes | None = None,
        extra_weights: Array | None = None,
    ) -> CartTree:
        """Grow a tree on the rows of positive weight.

        Parameters
        ----------
        weights : (n,) float64 >= 0
            Whole numbers, or sums of them, are exact: a row of weight 2 is the same as two rows.
        seed : int
            Of the features that nodes draw.
        features : (m,) int64, optional
            The only features that the tree sees, ascending; it numbers them 0 .. m - 1.
        extra_rows, extra_codes, extra_weights : (s, F), (s,), (s,), optional
            Further rows.
        """
        used = np.flatnonzero(weights > 0)
        columns = self._columns if features is None else self._columns[features]
        if extra_rows is None or not len(extra_rows):
            values, sample_of = columns, used
            entries = self._entries_of(used, features)
            codes, masses = self._codes[used], weights[used]
        else:
            extra = extra_rows if features is None else extra_rows[:, features]
            values = np.concatenate([columns[:, used], extra.T], axis=1)
            sample_of = np.arange(values.shape[1])
            entries = sorted_entries(values)
            codes = np.concatenate([self._codes[used], np.asarray(extra_codes, dtype=np.int64)])
            extra_masses = np.ones(len(extra_rows)) if extra_weights is None else extra_weights
            masses = np.concatenate([weights[used], extra_masses])
        return self._grown(entries, codes, np.ascontiguousarray(masses), values, sample_of, seed)

    def _entries_of(self, used: Codes, features: NDArray[np.int64] | None) -> NDArray[np.uint64]:
        """The entries (F, len(used)) of some rows, numbered in their order."""
        n_rows = len(self._codes)
        if len(used) * SORTED_ANEW < n_rows:
            ranks = self._ranks[:, used] if features is None else self._ranks[np.ix_(features, used)]
            entries = ranks | np.arange(len(used), dtype=np.uint64)
            entries.sort(axis=1)
            return entries
        every = self._entries if features is None else self._entries[features]
        number = np.full(n_rows, -1, np.int64)
        number[used] = np.arange(len(used))
        picked = np.empty((len(every), len(used)), np.uint64)
        pick_entries(every, number, picked)
        return picked

    def _grown(
        self,
        entries: NDArray[np.uint64],
        codes: Codes,
        weights: Array,
        values: Array,
        sample_of: Codes,
        seed: int,
    ) -> CartTree:
        n_features, n_samples = entries.shape
        most = 2 * n_samples - 1
        feature, below, above, right = (np.empty(most, np.int32) for _ in range(4))
        masses = np.empty((most, self._n_classes))
        n_drawn = n_features if self._max_features is None else min(self._max_features, n_features)
        n_nodes = grow_cart(
            entries,
            codes,
            weights,
            UNLIMITED if self._max_depth is None else self._max_depth,
            n_drawn,
            np.array([seed], np.uint64),
            feature,
            below,
            above,
            right,
            masses,
        )
        feature, right = feature[:n_nodes].copy(), right[:n_nodes].copy()
        inner = np.flatnonzero(feature >= 0)
        threshold = np.full(n_nodes, -np.inf)
        threshold[inner] = _midway(
            values[feature[inner], sample_of[below[inner]]], values[feature[inner], sample_of[above[inner]]]
        )
        return CartTree(feature, threshold, right, masses[:n_nodes].copy())


def sorted_entries(columns: Array) -> NDArray[np.uint64]:
    """The entries of `cart_kernels` for all samples of columns (F, n)."""
    entries = np.empty(columns.shape, np.uint64)
    for feature, column in enumerate(columns):
        order = np.argsort(column, kind="stable")
        ascending = column[order]
        ranks = np.concatenate([[0], np.cumsum(ascending[1:] != ascending[:-1])]).astype(np.uint64)
        entries[feature] = (ranks << HALF) | order.astype(np.uint64)
    return entries


def _midway(below: Array, above: Array) -> Array:
    """A number in (below, above], the mean of both where rounding allows."""
    mean = 0.5 * below + 0.5 * above
    return np.where((mean > below) & (mean <= above), mean, above)
