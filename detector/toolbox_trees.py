"""Trees of the ACF toolbox as complete breadth-first trees.

The toolbox keeps a tree in a column: a node has the index of its feature, a threshold, and the 1-based number of
its left child, the right one being the next; 0 is a leaf. Features are numbered along the columns of a window:
``channel * rows * columns + column * rows + row``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# 2**16 leaves; the published detectors have up to 2**9.
DEEPEST = 16


@dataclass(frozen=True, eq=False)
class CompleteTrees:
    """Breadth-first trees of one depth, as cascades have them.

    Parameters
    ----------
    feature : (T, 2**D - 1) int32
    threshold : (T, 2**D - 1) float32
        -inf where the toolbox's tree has no split.
    leaf : (T, 2**D) float32
        What the toolbox keeps in the leaf: a label or a value.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]


def complete_trees(classifier: Mapping[str, Any], window_shape: tuple[int, int, int]) -> CompleteTrees:
    """Convert the trees of a classifier struct (``clf``); thresholds stay as they are.

    Parameters
    ----------
    classifier : mapping
        With ``fids``, ``thrs``, ``child`` and ``hs``, arrays of shape (nodes, trees).
    window_shape : (channels, rows, columns) in cells

    Raises
    ------
    ValueError
        When arrays do not match, or children or features are out of range.
    """
    fids, thrs, child, hs = (_columns(classifier, name) for name in ("fids", "thrs", "child", "hs"))
    if not fids.shape == thrs.shape == child.shape == hs.shape:
        raise ValueError(
            f"fids, thrs, child and hs must have one shape, found {fids.shape}, {thrs.shape}, {child.shape}, {hs.shape}"
        )
    nodes = len(fids)
    child = child.astype(np.int64)
    own_number = np.arange(nodes)[:, None] + 1  # 1-based
    if np.any((child != 0) & ((child <= own_number) | (child >= nodes))):
        raise ValueError("child must be 0, or the number of a later node with a right neighbour")
    split, leaf = _breadth_first(child)
    is_split = np.take_along_axis(child.T, split, axis=1) != 0
    feature = np.take_along_axis(fids.T.astype(np.int64), split, axis=1)
    threshold = np.take_along_axis(thrs.T, split, axis=1).astype(np.float32)
    if np.any(np.isnan(threshold[is_split])):
        raise ValueError("thrs must be numbers, found NaN")
    size = int(np.prod(window_shape))
    if np.any(is_split & ((feature < 0) | (feature >= size))):
        raise ValueError(
            f"fids must lie in a window of {window_shape[0]} channels of {window_shape[1]}x{window_shape[2]} cells, "
            f"{size} features, found up to {feature[is_split].max()}"
        )
    return CompleteTrees(
        feature=np.where(is_split, _row_major(feature, window_shape), 0).astype(np.int32),
        threshold=np.where(is_split, threshold, np.float32(-np.inf)),
        leaf=np.take_along_axis(hs.T, leaf, axis=1).astype(np.float32),
    )


def _columns(classifier: Mapping[str, Any], name: str) -> NDArray:
    if name not in classifier:
        raise ValueError(f"clf has no field {name}")
    array = np.asarray(classifier[name])
    return array.reshape(-1, 1) if array.ndim == 1 else array  # a single tree


def _breadth_first(child: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which node of the toolbox's tree is at each place of the complete tree: splits, leaves.

    Below a node that is not split, that node is repeated.
    """
    place = np.zeros((child.shape[1], 1), np.int64)
    splits: list[NDArray[np.int64]] = []
    while len(splits) < DEEPEST:
        left = np.take_along_axis(child.T, place, axis=1)
        if splits and not left.any():
            break
        splits.append(place)
        children = np.where(left[..., None] != 0, left[..., None] - 1 + np.arange(2), place[..., None])
        place = children.reshape(len(place), -1)
    if np.take_along_axis(child.T, place, axis=1).any():
        raise ValueError(f"trees must have at most {DEEPEST} split levels")
    return np.concatenate(splits, axis=1), place


def _row_major(feature: NDArray[np.int64], window_shape: tuple[int, int, int]) -> NDArray[np.int64]:
    """Number features along the rows of a window instead of along its columns."""
    _, rows, columns = window_shape
    channel, within = np.divmod(feature, rows * columns)
    column, row = np.divmod(within, rows)
    return (channel * rows + row) * columns + column
