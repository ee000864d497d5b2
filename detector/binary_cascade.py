"""The cascade of a detector of one class: boosted trees whose leaves hold real values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tree_cascade import TreeCascade


@dataclass(frozen=True, eq=False)
class BinaryCascade(TreeCascade):
    """Boosted trees whose leaf values add up to the score of a window (ACF, LDCF).

    Parameters
    ----------
    feature, threshold, rejection, window_shape
        See `TreeCascade`.
    leaf_value : (T, 2**D) float32
        What a leaf adds to the trace of a window; positive speaks for the object.

    Notes
    -----
    Dollár et al., "Fast Feature Pyramids for Object Detection" (PAMI 2014): AdaBoost with "soft cascade"
    thresholds (Bourdev and Brandt, CVPR 2005).
    """

    leaf_value: NDArray[np.float32]

    def __post_init__(self) -> None:
        super().__post_init__()
        trees, nodes = self.feature.shape
        self._check_shapes({"leaf_value": (trees, nodes + 1)})
        if self.leaf_value.dtype != np.float32 or not np.all(np.isfinite(self.leaf_value)):
            raise ValueError("leaf_value of BinaryCascade must be finite and float32")

    @property
    def n_classes(self) -> int:
        """Number of classes, background included."""
        return 2
