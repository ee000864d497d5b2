"""Run a cascade over all windows of one level of features."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..features.threads import available_threads, run_tasks
from .band_scan import BandScan, Survivors
from .binary_cascade import BinaryCascade
from .cascade import Cascade

# Positions of a band: few enough that what is kept of each window is no burden.
LARGEST_BAND = 1 << 16
# Positions below which starting a band costs more than its work.
SMALLEST_BAND = 1 << 12


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows of a level that survived the cascade.

    Parameters
    ----------
    rows, columns : (n,) int64
        Top-left cell of each window, row-major order.
    scores : (n,) float32
        Final trace.
    labels : (n,) uint8
        Class of least cost among the views, 1 = first view. All 1 with a binary cascade.
    n_windows, n_evaluations : int
        Windows of the level, and trees evaluated for all of them together.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scores: NDArray[np.float32]
    labels: NDArray[np.uint8]
    n_windows: int
    n_evaluations: int

    def from_score(self, least: float) -> Windows:
        """Return the windows of a score from `least` on."""
        kept = self.scores >= least
        if kept.all():
            return self
        parts = (self.rows[kept], self.columns[kept], self.scores[kept], self.labels[kept])
        return Windows(*parts, self.n_windows, self.n_evaluations)


def scan_level(features: NDArray, cascade: Cascade | BinaryCascade, *, threads: int = 1) -> Windows:
    """Evaluate the cascade at every cell position where its window fits.

    Parameters
    ----------
    features : (C, h, w) uint8 or float32, C-contiguous
        Same type as the cascade's thresholds.
    cascade : Cascade or BinaryCascade
    threads : int
        Bands of rows are scanned in parallel; the result does not depend on the number.

    Returns
    -------
    Windows
        Empty where the level is smaller than the window.

    Raises
    ------
    ValueError
        When the type or the number of channels is not the cascade's.
    """
    channels, window_rows, window_columns = cascade.window_shape
    if features.dtype != cascade.threshold.dtype or features.shape[0] != channels:
        raise ValueError(
            f"features of scan_level must be {channels} planes of {cascade.threshold.dtype}, "
            f"found {features.shape[0]} of {features.dtype}"
        )
    width = features.shape[2]
    rows, columns = features.shape[1] - window_rows + 1, width - window_columns + 1
    if rows < 1 or columns < 1 or cascade.n_trees == 0:
        empty = np.empty(0, np.int64)
        n_windows = max(rows, 0) * max(columns, 0)
        return Windows(empty, empty, np.empty(0, np.float32), np.empty(0, np.uint8), n_windows, 0)
    scan = BandScan(cascade, np.ascontiguousarray(features))
    threads = threads or available_threads()
    bands = _bands(rows, width, threads)
    survivors: dict[int, Survivors] = {}

    def scan_band(index: int) -> None:
        survivors[index] = scan.survivors(*bands[index])

    run_tasks([lambda i=i: scan_band(i) for i in range(len(bands))], threads)  # type: ignore[misc]
    found = [survivors[index] for index in range(len(bands))]
    position = np.concatenate([band.position for band in found]).astype(np.int64)
    return Windows(
        rows=position // width,
        columns=position % width,
        scores=np.concatenate([band.score for band in found]),
        labels=np.concatenate([band.label for band in found]),
        n_windows=rows * columns,
        n_evaluations=sum(band.n_evaluations for band in found),
    )


def _bands(rows: int, width: int, threads: int) -> list[tuple[int, int]]:
    """Row ranges of similar cost: several a thread, neither too small nor too large."""
    count = -(-rows * width // LARGEST_BAND)
    if threads > 1:
        count = max(count, min(4 * threads, rows * width // SMALLEST_BAND))
    count = min(max(count, 1), rows)
    edges = [rows * i // count for i in range(count + 1)]
    return list(pairwise(edges))
