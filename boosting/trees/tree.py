"""Grow complete decision trees on binned features.

The weights are integers, so that sums do not depend on their order: the histogram of a node is exactly its
parent's minus its sibling's, and the tree is the same whatever the number of threads or the memory granted.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..threads import Workers
from .complete_tree import CompleteTree
from .histogram_search import HistogramSearch
from .presorted_search import PresortedSearch
from .split_criterion import SplitCriterion
from .tree_growth import CutSearch, TreeGrowth
from .tree_level import Bins, SampleOrder, read_only
from .tree_options import TreeOptions

__all__ = ["CompleteTree", "TreeGrower", "TreeOptions", "grow_tree", "integer_weights"]

LARGEST_TOTAL = 2**53  # integers up to it are exact in float64
MEMORY = 2**29


def integer_weights(weights: ArrayLike) -> NDArray[np.int64]:
    """Scale weights to integers of a total just below 2^53, which float64 adds without rounding.

    That keeps as many digits as float64 has for the total; smaller weights become 1, not 0.

    Parameters
    ----------
    weights : (N,) array_like
        Finite, >= 0, not all zero.

    Returns
    -------
    (N,) int64
    """
    given = np.asarray(weights, dtype=np.float64)
    least, most = (given.min(), given.max()) if given.size else (0.0, 0.0)
    if not (least >= 0 and 0 < most < np.inf):
        raise ValueError(
            f"weights must be finite, not negative and not all zero, got values from {least} to {most}"
        )
    shares = given / most  # so that their sum neither overflows nor vanishes
    scaled = np.rint(shares * ((LARGEST_TOTAL - given.size) / shares.sum())).astype(np.int64)
    return np.maximum(scaled, given > 0)


class TreeGrower:
    """Grows trees on the same samples under changing weights; a context manager, which ends its threads.

    Parameters
    ----------
    bins : (F, N) uint8, uint16 or uint32, C-contiguous
        Binned features, feature-major; may be memory-mapped. uint8 is searched by histograms, a wider type by
        presorting, which is exact for any number of values and slower.
    labels : (N,) integers in 0 .. K - 1
    criterion : SplitCriterion
    options : TreeOptions
    threads : int
        0 is one a processor core.
    memory : int
        Bytes granted for packed columns, and as many for kept histograms.
    """

    def __init__(
        self,
        bins: Bins,
        labels: ArrayLike,
        criterion: SplitCriterion,
        options: TreeOptions | None = None,
        *,
        threads: int = 1,
        memory: int = MEMORY,
    ) -> None:
        self.bins = _checked_bins(bins)
        n_features, n_samples = self.bins.shape
        self.labels = _checked_labels(labels, n_samples, criterion.n_classes)
        self.criterion = criterion
        self.options = options or TreeOptions()
        self._workers = Workers(threads)
        self._class_order = np.argsort(self.labels.astype(np.uint8), kind="stable").astype(np.uint32)
        counts = np.bincount(self.labels, minlength=criterion.n_classes)
        self._class_starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._n_drawn = self.options.n_drawn(n_features)
        self._search: CutSearch
        if self.bins.dtype == np.uint8:
            self._search = HistogramSearch(
                self.bins,
                criterion.kernel_arguments,
                self._n_drawn,
                self.options.max_depth,
                memory,
                self._workers,
            )
        else:
            self._search = PresortedSearch(self.bins, self.labels, criterion.kernel_arguments, self._workers)

    def __enter__(self) -> TreeGrower:
        self._workers.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._workers.__exit__(kind, error, trace)

    def grow(self, weights: NDArray[np.int64], rng: np.random.Generator | None = None) -> CompleteTree:
        """Grow a tree.

        Parameters
        ----------
        weights : (N,) int64 >= 0
            Of total at most 2^53, not all zero (see `integer_weights`).
        rng : numpy.random.Generator
            Draws the features; needed only if `max_features` excludes some.
        """
        checked = _checked_weights(weights, len(self.labels))
        if rng is None and self._n_drawn < len(self.bins):
            raise ValueError("rng of grow must be given when max_features excludes features, got None")
        samples = self._class_order.copy()
        rows = np.arange(len(samples), dtype=np.uint32)
        order = SampleOrder(samples, rows, checked[samples].astype(np.float64))
        return TreeGrowth(
            self.bins, order, self._class_starts, self.criterion, self.options, self._search, rng
        ).run()


def grow_tree(
    bins: Bins,
    labels: ArrayLike,
    weights: NDArray[np.int64],
    criterion: SplitCriterion,
    options: TreeOptions | None = None,
    rng: np.random.Generator | None = None,
    threads: int = 1,
) -> CompleteTree:
    """Grow one tree; parameters as those of `TreeGrower` and its `grow`, which prepares the samples once.

    Returns
    -------
    CompleteTree
    """
    with TreeGrower(bins, labels, criterion, options, threads=threads) as grower:
        return grower.grow(weights, rng)


def _checked_bins(bins: Any) -> Bins:
    if (
        not isinstance(bins, np.ndarray)
        or bins.ndim != 2
        or bins.dtype not in (np.uint8, np.uint16, np.uint32)
    ):
        raise ValueError(
            f"bins must be a (features, samples) array of uint8, uint16 or uint32, got {_described(bins)}"
        )
    if 0 in bins.shape or not bins.flags.c_contiguous:
        raise ValueError(
            f"bins must be C-contiguous with at least one feature and one sample, got {_described(bins)}"
        )
    return read_only(bins if bins.dtype == np.uint8 else bins.astype(np.uint32, copy=False))


def _checked_labels(labels: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.int64]:
    found = np.asarray(labels)
    if found.shape != (n_samples,) or found.dtype.kind not in "iu":
        raise ValueError(f"labels must be {n_samples} integers, one a sample, got {_described(found)}")
    if found.min() < 0 or found.max() >= n_classes:
        raise ValueError(f"labels must be in 0 .. {n_classes - 1}, got {found.min()} to {found.max()}")
    return found.astype(np.int64)


def _checked_weights(weights: NDArray[np.int64], n_samples: int) -> NDArray[np.int64]:
    found = np.asarray(weights)
    if found.shape != (n_samples,) or found.dtype != np.int64:
        raise ValueError(f"weights must be {n_samples} int64, one a sample, got {_described(found)}")
    total = float(found.sum(dtype=np.float64))
    if found.min() < 0 or not 0 < total <= LARGEST_TOTAL:
        raise ValueError(
            "weights must be >= 0 with a total in 1 .. 2^53, "
            f"got a smallest of {found.min()}, a total of {total:.17g}"
        )
    return found


def _described(array: Any) -> str:
    return f"{getattr(array, 'dtype', type(array).__name__)} of shape {getattr(array, 'shape', None)}"
