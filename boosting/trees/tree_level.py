"""What is known of the samples and nodes while a tree grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class SampleOrder:
    """The samples sorted by node, within a node by class, within a class by number.

    Attributes
    ----------
    samples : (N,) uint32
        Numbers of the samples.
    rows : (N,) uint32
        Places of the samples where their bins were packed last (see `histogram_search`).
    weights : (N,) float64
        Their weights, integers of total below 2^53.
    """

    samples: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    weights: NDArray[np.float64]


@dataclass
class Level:
    """The nodes of one depth; the children of one parent are neighbours, left first.

    Attributes
    ----------
    depth : int
    position : (n,) int64
        Where the node is in the full level, 0 .. 2^depth - 1.
    class_starts : (n, K + 1) int64
        Where each class of the node begins in the order of the samples.
    masses : (n, K) float64
        Weight of each class.
    splittable : (n,) bool
        Whether a split of the node is looked for.
    feature_sets : (n_sets, n_features) int64
        Ascending numbers of the features that nodes choose from.
    set_of_node : (n,) int64
    features_are_new : bool
        Whether the feature sets differ from those of the parents.
    features_will_change : bool
        Whether those of the children will differ, or there will be none.
    slot, parent_slot : (n,) int64
        Where masses of the node, and of its parent, are kept by the histogram search; -1 is nowhere.
    """

    depth: int
    position: NDArray[np.int64]
    class_starts: NDArray[np.int64]
    masses: NDArray[np.float64]
    splittable: NDArray[np.bool_]
    feature_sets: NDArray[np.int64]
    set_of_node: NDArray[np.int64]
    features_are_new: bool
    features_will_change: bool
    slot: NDArray[np.int64]
    parent_slot: NDArray[np.int64]

    @property
    def n_samples(self) -> NDArray[np.int64]:
        return self.class_starts[:, -1] - self.class_starts[:, 0]


@dataclass
class Cuts:
    """The best cut of every node of a level; threshold 0 where none is good enough.

    Attributes
    ----------
    feature, threshold, upper_bin : (n,) int64
    score : (n,) float64
        Sum of the scores of both sides.
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.int64]
    upper_bin: NDArray[np.int64]
    score: NDArray[np.float64]


ImpurityArguments = tuple[int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
Bins = NDArray[Any]


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written, as a memory-mapped file's: the kernels are compiled for this kind only."""
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view
