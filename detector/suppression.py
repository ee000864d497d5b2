"""Suppression of weaker detections that overlap a stronger one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
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
        A box goes if its overlap with a better one is larger. 1 turns this pass off.
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
            raise ValueError(
                f"denominator of SuppressionOptions must be union or min, found {self.denominator!r}"
            )
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
    order = np.argsort(-np.asarray(scores, np.float64), kind="stable").astype(np.int64)
    ordered = np.asarray(boxes, np.float64).reshape(-1, 4)[order]
    kept = _unsuppressed(ordered, options.overlap, options.kind == "maxg", options.denominator == "union")
    order, ordered = order[kept], ordered[kept]
    if options.contained_overlap is not None:
        order = order[_unsuppressed(ordered, options.contained_overlap, True, False)]
    return order


def _unsuppressed(
    ordered: NDArray[np.float64], overlap: float, greedy: bool, by_union: bool
) -> NDArray[np.bool_]:
    """Group boxes (best first) by the octave of their width, and find which to keep."""
    from .suppression_kernels import suppress_overlapping

    widths = ordered[:, 2] - ordered[:, 0]
    octaves = np.frexp(widths)[1]
    place = np.lexsort((ordered[:, 0], octaves)).astype(np.int64)
    group_start = np.append(np.flatnonzero(np.diff(octaves[place], prepend=-(2**30))), len(place))
    widest = np.array([widths[place[a:b]].max() for a, b in pairwise(group_start)], np.float64)
    kept = np.ones(len(ordered), np.bool_)
    suppress_overlapping(
        np.ascontiguousarray(ordered),
        np.ascontiguousarray(ordered[place, 0]),
        place,
        group_start.astype(np.int64),
        widest,
        float(overlap),
        greedy,
        by_union,
        kept,
    )
    return kept
