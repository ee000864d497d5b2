"""Precision-recall curves and the averages taken of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .input_records import EvaluationError


@dataclass(frozen=True, kw_only=True, eq=False)
class PrecisionRecallCurve:
    """One row for each ranked detection: the detector's state if its threshold stood there.

    Parameters
    ----------
    scores : (n,) float64
        Descending.
    true_positives, false_positives : (n,) int64
        Counts among this and all better detections.
    n_faces : int
        Counted faces, at least 1.
    n_images : int
    """

    scores: NDArray[np.float64]
    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    n_faces: int
    n_images: int

    def __post_init__(self) -> None:
        if self.n_faces < 1:
            raise EvaluationError(
                "the ground truth holds no counted face: precision and recall are undefined"
            )

    @classmethod
    def from_outcomes(
        cls, scores: ArrayLike, is_true: ArrayLike, is_false: ArrayLike, n_faces: int, n_images: int
    ) -> PrecisionRecallCurve:
        """Accumulate the outcomes of detections that are sorted by descending score."""
        return cls(
            scores=np.asarray(scores, dtype=np.float64),
            true_positives=np.cumsum(is_true, dtype=np.int64),
            false_positives=np.cumsum(is_false, dtype=np.int64),
            n_faces=n_faces,
            n_images=n_images,
        )

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the counted faces that are found."""
        return self.true_positives / self.n_faces

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of true positives among the detections that count; 0 where none counts yet."""
        counting = self.true_positives + self.false_positives
        return np.divide(self.true_positives, counting, out=np.zeros(len(counting)), where=counting > 0)

    def average_precision(self) -> float:
        """Return the all-point interpolated average precision, a fraction (VOC 2010 and later)."""
        return average_precision(self.recall, self.precision)

    def eleven_point_average_precision(self) -> float:
        """Return the 11-point average precision, a fraction (VOC 2007)."""
        return average_over_recall(self.recall, self.precision, ELEVEN_RECALLS)

    def rows_at_threshold(self, fp_per_image: float) -> int:
        """Return how many rows the lowest score keeps that allows `fp_per_image` false positives an image.

        Detections of equal score are accepted together or not at all.
        """
        last_of_score = np.append(self.scores[1:] != self.scores[:-1], True)[: len(self.scores)]
        allowed = np.flatnonzero(last_of_score & (self.false_positives <= fp_per_image * self.n_images))
        return int(allowed[-1]) + 1 if len(allowed) else 0

    def recall_at(self, fp_per_image: float) -> float:
        """Return the recall at the lowest score with at most `fp_per_image` false positives an image."""
        rows = self.rows_at_threshold(fp_per_image)
        return float(self.recall[rows - 1]) if rows else 0.0


# Multiples of the floating-point 0.1, as the official programs form them: a recall of 3/10 is below 3 * 0.1.
ELEVEN_RECALLS = tuple((np.arange(11) * 0.1).tolist())
FORTY_RECALLS = tuple((np.arange(1, 41) / 40).tolist())


def average_precision(recall: NDArray[np.float64], precision: NDArray[np.float64]) -> float:
    """Return the area under the curve after making precision fall monotonically, a fraction."""
    steps = np.diff(recall, prepend=0.0)
    return float(np.sum(steps * _largest_from_here(precision)))


def average_over_recall(
    recall: NDArray[np.float64], values: NDArray[np.float64], at: tuple[float, ...]
) -> float:
    """Return the mean, over the given recalls, of the largest value at that recall or a higher one."""
    largest = np.append(_largest_from_here(values), 0.0)
    first = np.searchsorted(recall, np.asarray(at), side="left")
    return float(np.mean(largest[first]))


def _largest_from_here(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum.accumulate(values[::-1])[::-1]
