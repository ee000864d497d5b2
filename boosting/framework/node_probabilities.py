"""Estimates of the probability of the positive class in the nodes of a tree (Zadrozny and Elkan 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .node_tree import NodeTree
from .records import Array

Smoothing = Literal["laplace", "m-estimation"] | None
BASE_RATE_RECORDS = 10.0
"""b m of the default m-estimation."""


@dataclass(frozen=True)
class ProbabilityEstimate:
    """How a node's share of positive records becomes a probability.

    Attributes
    ----------
    smoothing : {"laplace", "m-estimation"} or None
        (N+ + 1)/(N + 2); (N+ + b m)/(N + m) with b the share at the root; or N+/N.
    m : float > 0, optional
        Of the m-estimation; None is 10/b.
    curtailment : float >= 1
        A node of fewer records takes the estimate of its nearest ancestor that has as many, or of the root.
        1 leaves all nodes as they are.
    """

    smoothing: Smoothing = None
    m: float | None = None
    curtailment: float = 1

    def __post_init__(self) -> None:
        if self.smoothing not in (None, "laplace", "m-estimation"):
            raise ValueError(
                "smoothing of ProbabilityEstimate must be 'laplace', 'm-estimation' or None, "
                f"got {self.smoothing!r}"
            )
        if self.m is not None and not (self.smoothing == "m-estimation" and 0 < self.m < np.inf):
            raise ValueError(
                "m of ProbabilityEstimate must be a finite number > 0 and needs smoothing='m-estimation', "
                f"got {self.m!r} with smoothing={self.smoothing!r}"
            )
        if not 1 <= self.curtailment < np.inf:
            raise ValueError(f"curtailment of ProbabilityEstimate must be >= 1, got {self.curtailment!r}")

    def of_nodes(self, tree: NodeTree) -> Array:
        """The probability (m,) of every node."""
        total = tree.mass.sum(axis=1)
        shares = self._smoothed(tree.mass[:, 1], total)
        if self.curtailment > 1:
            for node in range(1, tree.n_nodes):  # parents come first
                if total[node] < self.curtailment:
                    shares[node] = shares[tree.parent[node]]
        return shares

    def _smoothed(self, positive: Array, total: Array) -> Array:
        if self.smoothing == "laplace":
            return (positive + 1.0) / (total + 2.0)
        if self.smoothing is None:
            return positive / total
        base_rate = positive[0] / total[0]
        m = BASE_RATE_RECORDS / base_rate if self.m is None else self.m
        return (positive + base_rate * m) / (total + m)
