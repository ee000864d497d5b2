"""How a decision tree is grown."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

FeatureSampling = Literal["tree", "parent", "node"]
Threshold = Literal["middle", "lowest"]
DEEPEST = 15


@dataclass(frozen=True)
class TreeOptions:
    """How a tree is grown.

    Attributes
    ----------
    max_depth : int
        Number of split levels: a stump has 1, a tree at most 2^max_depth leaves.
    max_features : int, float in (0, 1] or None
        Number, or share, of the features that a node chooses from; None is all.
    feature_sampling : {"tree", "parent", "node"}
        How often they are drawn: once a tree; at every second level, for a node and its children; for every
        node. The seldomer, the faster; we have seen no difference in accuracy.
    threshold : {"middle", "lowest"}
        Where the cut lies between the two bins that it separates in the node: half-way, or right above the
        lower one (as in the original ACF toolbox). Training samples go the same way.
    min_samples_split : int
        A node of fewer samples is a leaf.
    min_weight_split : float in [0, 1)
        A node of a smaller share of the total weight is a leaf.
    min_gain : float
        A split must decrease the impurity, as a share of the node's weight, by more than this.
    """

    max_depth: int = 6
    max_features: int | float | None = None
    feature_sampling: FeatureSampling = "tree"
    threshold: Threshold = "middle"
    min_samples_split: int = 2
    min_weight_split: float = 0.0
    min_gain: float = 1e-10

    def __post_init__(self) -> None:
        if not 1 <= self.max_depth <= DEEPEST:
            raise ValueError(f"max_depth of TreeOptions must be 1 to {DEEPEST}, got {self.max_depth}")
        drawn = self.max_features
        if drawn is not None:
            number = isinstance(drawn, Real) and not isinstance(drawn, bool)
            if not number or not (drawn >= 1 if isinstance(drawn, Integral) else 0.0 < drawn <= 1.0):
                raise ValueError(
                    "max_features of TreeOptions must be a number >= 1, a share in (0, 1] or None, "
                    f"got {drawn!r}"
                )
        if self.feature_sampling not in ("tree", "parent", "node"):
            raise ValueError(
                "feature_sampling of TreeOptions must be 'tree', 'parent' or 'node', "
                f"got {self.feature_sampling!r}"
            )
        if self.threshold not in ("middle", "lowest"):
            raise ValueError(f"threshold of TreeOptions must be 'middle' or 'lowest', got {self.threshold!r}")
        if self.min_samples_split < 2:
            raise ValueError(
                f"min_samples_split of TreeOptions must be at least 2, got {self.min_samples_split}"
            )
        if not 0.0 <= self.min_weight_split < 1.0:
            raise ValueError(
                f"min_weight_split of TreeOptions must be in [0, 1), got {self.min_weight_split}"
            )
        if not self.min_gain >= 0.0:
            raise ValueError(f"min_gain of TreeOptions must be >= 0, got {self.min_gain}")

    def n_drawn(self, n_features: int) -> int:
        """Number of features that a node chooses from (at least 1)."""
        if self.max_features is None:
            return n_features
        if isinstance(self.max_features, Integral):
            return min(int(self.max_features), n_features)
        return max(1, int(self.max_features * n_features))
