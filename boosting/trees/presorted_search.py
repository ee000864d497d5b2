"""Exact search for cuts, on features of any number of values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..threads import Workers
from .presorted_kernels import search_presorted
from .tree_level import Bins, Cuts, ImpurityArguments, Level, SampleOrder


class PresortedSearch:
    """Finds the best cuts of a level by visiting each feature's samples in ascending order.

    Parameters
    ----------
    bins : (F, N) unsigned integers
        Values as ranks.
    labels : (N,) int64
    impurity : tuple
        Impurity, class factors, factors of the total, costs (see `split_criterion`).
    workers : Workers
    """

    def __init__(
        self, bins: Bins, labels: NDArray[np.int64], impurity: ImpurityArguments, workers: Workers
    ) -> None:
        self._bins = bins
        self._labels = labels
        self._impurity = impurity
        self._workers = workers
        self._order = np.empty(bins.shape, np.uint32)
        for feature, column in enumerate(bins):
            self._order[feature] = np.argsort(column, kind="stable")

    def find(self, level: Level, order: SampleOrder, bars: NDArray[np.float64]) -> Cuts:
        """The best cut of every splittable node whose score exceeds the node's bar."""
        n_features, n_samples = self._bins.shape
        node_of_sample = np.full(n_samples, -1, np.int32)
        for node in np.flatnonzero(level.splittable):
            begin, end = level.class_starts[node, [0, -1]]
            node_of_sample[order.samples[begin:end]] = node
        weights = np.empty(n_samples)
        weights[order.samples] = order.weights
        allowed = np.zeros((len(level.position), n_features), np.bool_)
        np.put_along_axis(allowed, level.feature_sets[level.set_of_node], True, axis=1)
        allowed &= level.splittable[:, None]
        features = np.flatnonzero(allowed.any(axis=0))
        best: dict[int, tuple[NDArray[np.float64], NDArray[np.int32]]] = {}

        def search(begin: int, end: int) -> None:
            score, cut = bars.copy(), np.zeros((len(bars), 3), np.int32)
            search_presorted(
                features[begin:end],
                self._bins,
                self._order,
                node_of_sample,
                allowed,
                self._labels,
                weights,
                level.masses,
                *self._impurity,
                score,
                cut,
            )
            best[begin] = score, cut

        self._workers.run_blocks(search, 0, len(features))
        blocks = [best[begin] for begin in sorted(best)]
        if not blocks:
            nothing = np.zeros(len(bars), np.int64)
            return Cuts(nothing, nothing, nothing, bars)
        scores = np.stack([score for score, _ in blocks], axis=1)
        nodes, block = np.arange(len(bars)), np.argmax(scores, axis=1)
        cut = np.stack([cut for _, cut in blocks], axis=1)[nodes, block].astype(np.int64)
        return Cuts(cut[:, 0], cut[:, 1], cut[:, 2], scores[nodes, block])

    def release(self, level: Level, nodes: NDArray[np.int64]) -> None:
        """Nothing is kept between levels."""
