"""A decision tree as arrays of fixed shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CompleteTree:
    """A decision tree as heap-ordered arrays: the children of node i are 2 i + 1 and 2 i + 2.

    With D split levels there are 2^D - 1 nodes and, below them, 2^D leaves. A node that was not split has
    threshold 0, so that everything goes right; the leaves below it are copies.

    Attributes
    ----------
    feature : (2^D - 1,) int32
    threshold : (2^D - 1,) uint8, uint32 for wider bins
        A sample goes left iff its bin of the feature is smaller.
    leaf_label : (2^D,) uint8
    lower_bin, upper_bin : (2^D - 1,) of that type
        The largest bin below the threshold, and the smallest at or above it, that training samples had in
        the node.
    decrease : (2^D - 1,) float64
        By how much the split decreased the impurity, as a share of the total weight.
    leaf_mass : (2^D, K) float64
        Weight of every class in the leaf, or in the node that it is a copy of.
    leaf_of_sample : (N,) int32
        The leaf of every training sample.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[Any]
    leaf_label: NDArray[np.uint8]
    lower_bin: NDArray[Any]
    upper_bin: NDArray[Any]
    decrease: NDArray[np.float64]
    leaf_mass: NDArray[np.float64]
    leaf_of_sample: NDArray[np.int32]

    @property
    def depth(self) -> int:
        """Number of split levels."""
        return len(self.leaf_label).bit_length() - 1
