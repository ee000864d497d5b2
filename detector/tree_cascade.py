"""What all cascades have: complete trees over windows of feature cells, and when a window is given up."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TreeCascade:
    """Trees and rejection thresholds; what a leaf gives is up to the cascade derived from this one.

    Trees are complete and stored breadth-first: the children of node `k` are `2 k + 1` (left) and
    `2 k + 2`. A window goes left iff ``feature < threshold``. A node that was never split has the lowest
    threshold (0 for uint8, -inf for float32), so that every window goes right, and equal leaves below it.

    Parameters
    ----------
    feature : (T, 2**D - 1) int32
        Index of the feature of each node in the flattened (channel, row, column) window.
    threshold : (T, 2**D - 1) uint8 or float32
        uint8 for a detector on quantised features.
    rejection : (T,) float32
        A window is rejected after tree `t` when its trace is at or below ``rejection[t]``.
    window_shape : (channels, rows, columns) of the window in cells.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.uint8] | NDArray[np.float32]
    rejection: NDArray[np.float32]
    window_shape: tuple[int, int, int]

    def __post_init__(self) -> None:
        owner = type(self).__name__
        trees, nodes = self.feature.shape
        self._check_shapes({"threshold": (trees, nodes), "rejection": (trees,)})
        if nodes & (nodes + 1):
            raise ValueError(f"feature of {owner} must have 2**depth - 1 columns, found {nodes}")
        if self.threshold.dtype not in (np.uint8, np.float32):
            raise ValueError(f"threshold of {owner} must be uint8 or float32, found {self.threshold.dtype}")
        size = int(np.prod(self.window_shape))
        if trees and not (self.feature.min() >= 0 and self.feature.max() < size):
            raise ValueError(f"feature of {owner} must lie in a window of {size} features")

    def _check_shapes(self, expected: dict[str, tuple[int, ...]]) -> None:
        for name, shape in expected.items():
            found = getattr(self, name).shape
            if found != shape:
                raise ValueError(
                    f"{name} of {type(self).__name__} must have shape {shape} to match its trees, found {found}"
                )

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.feature)

    @property
    def depth(self) -> int:
        """Number of split levels of every tree."""
        return int(self.feature.shape[1] + 1).bit_length() - 1

    @cached_property
    def node_cells(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
        """Channel, row and column in the window of each node's feature, each (T, 2**D - 1)."""
        channel, row, column = np.unravel_index(self.feature, self.window_shape)
        return channel.astype(np.uint32), row.astype(np.uint32), column.astype(np.uint32)

    def with_slack(self, slack: float) -> Self:
        """Return the cascade with its rejection thresholds lowered: ``rejection - (slack - 1) |rejection|``.

        Negative thresholds are so multiplied by `slack`: 1 = as calibrated, larger = slower, more complete.
        """
        if slack == 1:
            return self
        # Beyond float32 a threshold is minus infinity, which no window falls to.
        factor = min(slack - 1, float(np.finfo(np.float32).max))
        with np.errstate(over="ignore"):
            lowered = self.rejection - factor * np.abs(self.rejection)
        return replace(self, rejection=lowered.astype(np.float32))

    def truncated(self, n_trees: int) -> Self:
        """Return the cascade of the first `n_trees` trees."""
        of_trees = {field.name for field in fields(self)} - {"window_shape", "cost_matrix"}
        return replace(self, **{name: getattr(self, name)[:n_trees] for name in of_trees})
