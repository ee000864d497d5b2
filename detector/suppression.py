"""Suppression of weaker detections that overlap a stronger one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class SuppressionOptions:
    """Rule of non-maximum suppression, applied to all views together.

    Parameters
    ----------
    kind : {"maxg", "max"}
        "maxg" is greedy: a suppressed box suppresses no other. With "max" it does.
    overlap : float
        A box goes if its overlap with a better one is larger. 1 turns suppression off.
    denominator : {"union", "min"}
        The intersection is divided by the union, or by the smaller area.
    contained_overlap : float, optional
        Second, greedy pass over what is left with the smaller area as denominator: removes boxes that lie
        (almost) inside a better one, or around it. None omits it.
    """

    kind: Literal["maxg", "max"] = "maxg"
    overlap: float = 0.3
    denominator: Literal["union", "min"] = "union"
    contained_overlap: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("max", "maxg"):
            raise ValueError(f"kind of SuppressionOptions must be max or maxg, found {self.kind!r}")
        if self.denominator not in ("union", "min"):
            raise ValueError(f"denominator of SuppressionOptions must be union or min, found {self.denominator!r}")
        for name in ("overlap", "contained_overlap"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} of SuppressionOptions must lie in [0, 1], found {value}")


def suppress(boxes: NDArray, scores: NDArray, options: SuppressionOptions) -> NDArray[np.int64]:
    """Return the indices of the detections to keep, best score first (equal scores in input order).

    Parameters
    ----------
    boxes : (n, 4) array
    scores : (n,) array
    options : SuppressionOptions

    Returns
    -------
    (m,) int64
    """
    from .suppression_kernels import unsuppressed

    order = np.argsort(-np.asarray(scores, np.float64), kind="stable").astype(np.int64)
    ordered = np.ascontiguousarray(np.asarray(boxes, np.float64).reshape(-1, 4)[order])
    kept = unsuppressed(ordered, float(options.overlap), options.kind == "maxg", options.denominator == "union")
    order, ordered = order[kept], np.ascontiguousarray(ordered[kept])
    if options.contained_overlap is not None:
        order = order[unsuppressed(ordered, float(options.contained_overlap), True, False)]
    return order
