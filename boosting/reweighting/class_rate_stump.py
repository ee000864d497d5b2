"""The stump of CS-AdaBoost's full search: the one of least exponential loss with one rate a class.

Every cut and both ways to label its sides is a candidate; each has its own best step, the root of
`exponential_step`, at which its loss is judged (equations 13 and 14 of the BAdaCost paper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rounds.exponential_step_kernels import search_class_rates
from ..trees.stump import WEIGHT_SUM, Search, Stump, midpoint, prepare_columns
from ..trees.stump_kernels import accumulate_histograms

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _BinnedColumn:
    feature: int
    codes: NDArray[np.uint16]  # twice the bin, plus 1 for a positive row
    thresholds: Array

    def left_masses(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        histogram = np.empty((1, 2 * len(self.thresholds) + 2), dtype=np.int64)
        accumulate_histograms(self.codes[None], integers, histogram)
        return histogram.reshape(-1, 2).cumsum(axis=0)[:-1].T

    def threshold(self, cut: int) -> float:
        return float(self.thresholds[cut])

    def goes_left(self, cut: int) -> NDArray[np.bool_]:
        return self.codes < 2 * (cut + 1)


@dataclass(frozen=True)
class _SortedColumn:
    feature: int
    order: NDArray[np.int32]
    positive: NDArray[np.bool_]  # in that order
    ends: NDArray[np.int64]  # last position on the left of every cut
    values: Array

    def left_masses(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        weights = integers[self.order]
        both = weights.cumsum()[self.ends]
        positive = np.where(self.positive, weights, 0).cumsum()[self.ends]
        return np.stack([both - positive, positive])

    def threshold(self, cut: int) -> float:
        end = int(self.ends[cut])
        return midpoint(float(self.values[end]), float(self.values[end + 1]))

    def goes_left(self, cut: int) -> NDArray[np.bool_]:
        left = np.zeros(len(self.order), dtype=bool)
        left[self.order[: self.ends[cut] + 1]] = True
        return left


class ClassRateStumpTrainer:
    """Trains such stumps on one table for changing weights.

    Parameters
    ----------
    X : (N, F) array of finite numbers
    positive : (N,) bool
    rates : tuple of 2 float > 0
        C_1 of the positive and C_2 of the negative class.
    search, max_bins
        Which cuts there are, see `StumpTrainer`.
    """

    def __init__(
        self,
        X: NDArray[np.floating],
        positive: NDArray[np.bool_],
        rates: tuple[float, float],
        *,
        search: Search = "auto",
        max_bins: int = 256,
    ) -> None:
        self._positive = positive
        self._rates = rates
        binned, sorted_ = prepare_columns(X, search, max_bins)
        columns: list[_BinnedColumn | _SortedColumn] = [
            _BinnedColumn(int(feature), 2 * bins.astype(np.uint16) + positive.astype(np.uint16), thresholds)
            for feature, bins, thresholds in zip(binned.features, binned.bins, binned.thresholds, strict=True)
        ]
        columns += [
            _SortedColumn(int(feature), order, positive[order], np.flatnonzero(ends), values)
            for feature, order, ends, values in zip(
                sorted_.features, sorted_.orders, sorted_.ends, sorted_.values, strict=True
            )
        ]
        self._columns = sorted(columns, key=lambda column: column.feature)

    def fit(self, weights: Array) -> tuple[Stump, NDArray[np.bool_]]:
        """The best stump over the codes 0 (negative) and 1 (positive), and which rows it sends left.

        Where no candidate has a positive step, the stump is constant and says the dearer class.
        """
        integers = (weights * (WEIGHT_SUM / weights.sum())).astype(np.int64)
        positive_mass = int(integers[self._positive].sum())
        totals = np.array([int(integers.sum()) - positive_mass, positive_mass]) / WEIGHT_SUM
        loss, step = np.inf, 0.0
        chosen: tuple[_BinnedColumn | _SortedColumn, int, int, Array] | None = None
        for column in self._columns:
            left = column.left_masses(integers) / WEIGHT_SUM
            cut, polarity, loss, step = search_class_rates(
                left[1], left[0], totals[1], totals[0], *self._rates, loss, step
            )
            if cut >= 0:
                chosen = column, cut, polarity, left[:, cut]
        if chosen is None:
            label = int(self._rates[0] * totals[1] > self._rates[1] * totals[0])
            constant = Stump(-1, np.inf, label, label, np.stack([totals, totals]))
            return constant, np.ones(len(weights), dtype=bool)
        column, cut, polarity, masses = chosen
        right = (polarity + 1) // 2
        stump = Stump(
            column.feature,
            column.threshold(cut),
            1 - right,
            right,
            np.stack([masses, totals - masses]),
        )
        return stump, column.goes_left(cut)
