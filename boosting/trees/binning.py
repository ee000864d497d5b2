"""Bins of feature values: exact ones where there are few distinct values, quantiles elsewhere.

The trees compare bins (``bin < threshold`` goes left); a `Binner` knows the values on both sides of a split, so
that a trained tree can be applied to values: its thresholds lie midway between the neighbouring values that
the node's samples have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Binner:
    """Maps the values of F features to bins.

    Attributes
    ----------
    edges : tuple of F arrays float64
        Ascending; bin b of a feature holds ``edges[b - 1] <= x < edges[b]``, the outer bins are open.
    smallest, largest : tuple of F arrays float64
        Smallest and largest value that was seen in every bin.
    """

    edges: tuple[Values, ...]
    smallest: tuple[Values, ...]
    largest: tuple[Values, ...]

    @property
    def n_features(self) -> int:
        return len(self.edges)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest unsigned type for all bins."""
        return np.min_scalar_type(max((len(edges) for edges in self.edges), default=0))

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Bins (F, N), feature-major, of the samples X (N, F)."""
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.n_features:
            raise ValueError(f"X of Binner must have shape (N, {self.n_features}), got {values.shape}")
        bins = np.empty(values.shape[::-1], self.dtype)
        for feature, edges in enumerate(self.edges):
            bins[feature] = np.searchsorted(edges, values[:, feature], side="right")
        return bins

    def threshold_values(
        self, feature: NDArray[np.integer], lower_bin: NDArray[np.integer], upper_bin: NDArray[np.integer]
    ) -> Values:
        """Values midway between the largest of `lower_bin` and the smallest of `upper_bin`, elementwise."""
        below = np.array([self.largest[f][b] for f, b in zip(feature, lower_bin, strict=True)])
        above = np.array([self.smallest[f][b] for f, b in zip(feature, upper_bin, strict=True)])
        return _midway(below, above)


def fit_binner(X: ArrayLike, max_bins: int | None = 256, sample_weight: ArrayLike | None = None) -> Binner:
    """Choose bins for samples.

    A feature with at most `max_bins` distinct values gets one bin a value. Otherwise the bins hold about equal
    shares of the weight; a value that is heavier than that has a bin of its own.

    Parameters
    ----------
    X : (N, F) array_like
        Finite values.
    max_bins : int or None
        Most bins a feature, at least 2; None is one a distinct value, however many there are.
    sample_weight : (N,) array_like, optional
        Positive weights.

    Returns
    -------
    Binner
    """
    return bin_features(X, max_bins, sample_weight)[1]


def fit_uniform_binner(X: ArrayLike, n_bins: int = 256, margin: float = 0.01) -> Binner:
    """Bins of equal width, as the original ACF toolbox quantises features.

    Values are rounded to the nearest of `n_bins` numbers evenly spaced from the smallest value minus `margin`
    to the largest plus `margin`.

    Parameters
    ----------
    X : (N, F) array_like
    n_bins : int
    margin : float
        In the unit of the values.
    """
    values = _checked(X)
    if n_bins < 2:
        raise ValueError(f"n_bins of fit_uniform_binner must be at least 2, got {n_bins}")
    first, last = values.min(axis=0) - margin, values.max(axis=0) + margin
    step = (last - first) / (n_bins - 1)
    edges = tuple(first[:, None] + (np.arange(n_bins - 1) + 0.5) * step[:, None])
    smallest, largest = [], []
    for column, inner in zip(values.T, edges, strict=True):
        low = np.concatenate([[-np.inf], inner])
        high = np.concatenate([inner, [np.inf]])
        bins = np.searchsorted(inner, column, side="right")
        filled = np.unique(bins)
        low[filled], high[filled] = np.inf, -np.inf
        np.minimum.at(low, bins, column)
        np.maximum.at(high, bins, column)
        smallest.append(low)
        largest.append(high)
    return Binner(edges, tuple(smallest), tuple(largest))


def bin_features(
    X: ArrayLike, max_bins: int | None = 256, sample_weight: ArrayLike | None = None
) -> tuple[NDArray[Any], Binner]:
    """`fit_binner`, and the bins (F, N) of the samples that it was fitted on."""
    values = _checked(X)
    if max_bins is not None and max_bins < 2:
        raise ValueError(f"max_bins of fit_binner must be at least 2 or None, got {max_bins}")
    weights = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (len(values),) or not (weights > 0).all():
        raise ValueError(f"sample_weight of fit_binner must be {len(values)} positive numbers")
    edges, smallest, largest, bins = [], [], [], []
    for column in np.ascontiguousarray(values.T):
        distinct, position = _distinct_values(column)
        first, last = _groups_of_distinct(position, len(distinct), weights, max_bins)
        bin_of_distinct = np.repeat(np.arange(len(first)), last - first + 1)
        smallest.append(distinct[first])
        largest.append(distinct[last])
        edges.append(_midway(distinct[last[:-1]], distinct[first[1:]]))
        bins.append(bin_of_distinct.astype(np.min_scalar_type(len(first) - 1))[position])
    binner = Binner(tuple(edges), tuple(smallest), tuple(largest))
    return np.stack(bins).astype(binner.dtype, copy=False), binner


def _checked(X: ArrayLike) -> Values:
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"X must have shape (samples, features), both at least 1, got {values.shape}")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"X must be finite, got {values[row, column]} at [{row}, {column}]")
    return values


def _distinct_values(column: Values) -> tuple[Values, NDArray[np.int64]]:
    """The distinct values of a column (N,), ascending, and the position (N,) of each sample's among them."""
    least = column.min()
    span = column.max() - least
    if span < 4 * len(column) and (column == np.floor(column)).all():
        # Whole numbers of a small range are counted, which is much faster than sorting.
        offsets = (column - least).astype(np.int64)
        present = np.bincount(offsets) > 0
        return np.flatnonzero(present) + least, (np.cumsum(present) - 1)[offsets]
    distinct, position = np.unique(column, return_inverse=True)
    return distinct, position


def _groups_of_distinct(
    position: NDArray[np.int64], n_distinct: int, weights: Values, max_bins: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last distinct value of every bin of one feature."""
    if max_bins is None or n_distinct <= max_bins:
        each = np.arange(n_distinct)
        return each, each
    mass = np.bincount(position, weights=weights).astype(np.float64)
    last = _last_of_groups(mass, max_bins)
    return np.concatenate([[0], last[:-1] + 1]), last


def _last_of_groups(mass: Values, n_groups: int) -> NDArray[np.int64]:
    """Split masses into `n_groups` consecutive groups of about equal sums; the last index of each."""
    ends: list[int] = []
    remaining, gathered = float(mass.sum()), 0.0
    for index, value in enumerate(mass.tolist()):
        more_groups = n_groups - len(ends) - 1
        share = remaining / (more_groups + 1)
        nearer_without = gathered + value - share > share - gathered
        needed = len(mass) - index <= more_groups  # a value for each of the other groups
        if gathered > 0 and more_groups and (nearer_without or needed):
            ends.append(index - 1)
            remaining -= gathered
            gathered = 0.0
        gathered += value
    ends.append(len(mass) - 1)
    return np.array(ends)


def _midway(below: Values, above: Values) -> Values:
    """A number in (below, above], the mean of both where rounding allows."""
    mean = 0.5 * below + 0.5 * above
    return np.where((mean > below) & (mean <= above), mean, above)
