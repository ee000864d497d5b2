"""Rejection thresholds of a cascade from the traces of training positives (direct backward pruning)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .options import CalibrationOptions

# Traces are sums of float32 in another order when a level is scanned.
ROUNDING = 1e-5


def rejection_thresholds(traces: NDArray[np.float32], options: CalibrationOptions) -> NDArray[np.float32]:
    """Rejection thresholds, (T,), that the traces of positives, (T, n), ask for; see the rules below."""
    if options.kind == "constant":
        return constant_threshold(traces, lost=options.lost)
    if options.kind == "per_tree":
        return per_tree_thresholds(traces, lost=options.lost, slack=options.slack)
    return authors_threshold(traces)


def constant_threshold(traces: NDArray[np.float32], *, lost: float) -> NDArray[np.float32]:
    """One threshold for all trees: positives' lowest running score, all but a share `lost` of them above it.

    Parameters
    ----------
    traces : (T, n) float32
        Trace of every positive after every tree.
    lost : float
        Share of the positives that the cascade may reject, in [0, 1).

    Returns
    -------
    (T,) float32
        The same threshold T times. It lies halfway between two positives, so that rounding flips none; where
        positives share the lowest running score at the limit, below all of them.

    Notes
    -----
    `authors_threshold` is the original's rule; it looks at a single positive.
    """
    if traces.shape[1] == 0:
        raise ValueError("traces of constant_threshold must hold a positive, found none")
    lowest = np.sort(traces.min(axis=0))
    weakest_kept = lowest[int(np.floor(lost * len(lowest)))]
    lower = lowest[lowest < weakest_kept]
    if len(lower):
        halfway = np.float32((float(lower[-1]) + float(weakest_kept)) / 2)
        threshold = min(halfway, np.nextafter(weakest_kept, np.float32(-np.inf)))
    else:
        threshold = _below(weakest_kept)
    return np.full(len(traces), threshold, np.float32)


def authors_threshold(traces: NDArray[np.float32]) -> NDArray[np.float32]:
    """The authors' constant: lowest running score of the accepted positive with the least final score.

    Parameters
    ----------
    traces : (T, n) float32

    Returns
    -------
    (T,) float32

    Raises
    ------
    ValueError
        When no positive ends above 0, so that none is accepted.
    """
    accepted = np.flatnonzero(traces[-1] > 0) if traces.shape[1] else np.empty(0, np.int64)
    if not len(accepted):
        raise ValueError(
            "traces of authors_threshold must hold a positive with a final score above 0, found none"
        )
    weakest = accepted[np.argmin(traces[-1, accepted])]
    return np.full(len(traces), _below(traces[:, weakest].min()), np.float32)


def per_tree_thresholds(traces: NDArray[np.float32], *, lost: float, slack: float) -> NDArray[np.float32]:
    """A threshold a tree: the least trace there of the positives that the full classifier accepts.

    Parameters
    ----------
    traces : (T, n) float32
    lost : float
        Share of the positives with the lowest final scores that need not survive, in [0, 1).
    slack : float
        Lowers every threshold by this part of the standard deviation of the accepted positives' traces.

    Returns
    -------
    (T,) float32

    Notes
    -----
    Zhang and Viola 2008, "Multiple-instance pruning for learning efficient cascade detectors", section 2:
    thresholds fitted backwards from the accepted examples.
    """
    if traces.shape[1] == 0:
        raise ValueError("traces of per_tree_thresholds must hold a positive, found none")
    final = np.sort(traces[-1])
    accepted = traces[:, traces[-1] >= final[int(np.floor(lost * len(final)))]]
    lowest = accepted.min(axis=1)
    return np.minimum(lowest - slack * accepted.std(axis=1) - ROUNDING, _below(lowest)).astype(np.float32)


def _below(traces: NDArray[np.float32]) -> NDArray[np.float32]:
    """Less than the traces by what rounding may change, and less in any case."""
    return np.minimum((traces - ROUNDING).astype(np.float32), np.nextafter(traces, np.float32(-np.inf)))
