"""How well the observation angles of detected objects agree with the true ones, in bins around the object.

The pairs are those of KITTI's matching with all detections. Misses are left out of accuracy and errors: read
the recall beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kitti_matching import KittiMatching, KittiTask
from .kitti_rules import FALSE_POSITIVE, VALID
from .precision_recall import ELEVEN_RECALLS, average_over_recall, average_precision


@dataclass(frozen=True, kw_only=True, eq=False)
class KittiViewMetrics:
    """Agreement of views of one class at one level.

    Parameters
    ----------
    class_name, level_name : str
    confusion : (n_views, n_views + 1) int64
        Rows: true view. Columns: predicted view, and in the last one the missed objects.
    mean_abs_error_deg, median_abs_error_deg : float or None
        Of alpha over the found objects; None if none is found.
    avp, avp11 : float
        All-point and 11-point average precision, percent, where a detection of the wrong view is a false
        positive that uses up its object (PASCAL3D+, Xiang et al., WACV 2014).
    """

    class_name: str
    level_name: str
    confusion: NDArray[np.int64]
    mean_abs_error_deg: float | None
    median_abs_error_deg: float | None
    avp: float
    avp11: float

    @property
    def found(self) -> int:
        """Objects that are found, whatever the view."""
        return int(self.confusion[:, :-1].sum())

    @property
    def accuracy(self) -> float | None:
        """Share of the found objects with the right view; None if none is found."""
        return self._share_within(0)

    @property
    def within_one_view(self) -> float | None:
        """Share of the found objects with the right view or a neighbour of it around the object."""
        return self._share_within(1)

    def summary(self) -> str:
        """Return one line of text."""
        where = f"views of {self.class_name} {self.level_name} ({len(self.confusion)} bins)"
        if self.accuracy is None or self.within_one_view is None:
            return f"{where}: no object found"
        return (
            f"{where}: accuracy {100 * self.accuracy:.1f} %, "
            f"within one view {100 * self.within_one_view:.1f} %, AVP {self.avp:.2f}, "
            f"angle error mean {self.mean_abs_error_deg:.1f}, median {self.median_abs_error_deg:.1f} degrees"
        )

    def _share_within(self, distance: int) -> float | None:
        n_views = len(self.confusion)
        rows, columns = np.indices((n_views, n_views))
        apart = np.abs(rows - columns)
        close = self.confusion[:, :-1][np.minimum(apart, n_views - apart) <= distance].sum()
        return float(close / self.found) if self.found else None

    def to_json(self) -> dict[str, Any]:
        """Return plain Python values; averages in percent, shares as fractions."""
        return {
            "class": self.class_name,
            "level": self.level_name,
            "views": [str(view + 1) for view in range(len(self.confusion))],
            "matched": self.found,
            "accuracy": self.accuracy,
            "within_one_view": self.within_one_view,
            "confusion": self.confusion.tolist(),
            "mean_abs_error_deg": self.mean_abs_error_deg,
            "median_abs_error_deg": self.median_abs_error_deg,
            "avp": self.avp,
            "avp11": self.avp11,
        }


def view_of_alpha(alpha: NDArray[np.float64], n_views: int) -> NDArray[np.int64]:
    """Return the bin of each angle in radians, counted from 0.

    Bin k is centred on ``-k`` bin widths of alpha and holds its limit of greater alpha, not the other
    (the BAdaCost paper's views of KITTI's cars).
    """
    step = 2 * math.pi / n_views
    return np.floor(np.mod(-alpha, 2 * math.pi) / step + 0.5).astype(np.int64) % n_views


def kitti_view_metrics(
    matching: KittiMatching, task: KittiTask, n_views: int, class_name: str, level_name: str
) -> KittiViewMetrics:
    """Compare predicted with true views.

    Parameters
    ----------
    matching : KittiMatching
        All detections with an angle.
    task : KittiTask
        With at least one label that counts.
    n_views : int
        Bins around the object.
    class_name, level_name : str
        What `task` is.
    """
    labels, detections = matching.labels, matching.detections
    outcomes = matching.second_pass(task, np.array([-math.inf])).of_detections
    true_views = view_of_alpha(labels.alpha, n_views)
    views = view_of_alpha(detections.alpha, n_views)
    found = np.flatnonzero(outcomes >= 0)
    hit_labels = outcomes[found]

    confusion = np.zeros((n_views, n_views + 1), dtype=np.int64)
    np.add.at(confusion, (true_views[hit_labels], views[found]), 1)
    np.add.at(confusion[:, -1], true_views[task.label_parts == VALID], 1)
    confusion[:, -1] -= confusion[:, :-1].sum(axis=1)

    errors = labels.alpha[hit_labels] - detections.alpha[found]
    errors = np.abs(np.rad2deg((errors + math.pi) % (2 * math.pi) - math.pi))
    is_right = np.zeros(len(outcomes), dtype=bool)
    is_right[found] = views[found] == true_views[hit_labels]
    counting = np.flatnonzero((outcomes >= 0) | (outcomes == FALSE_POSITIVE))
    ranked = counting[np.argsort(-detections.scores[counting], kind="stable")]
    right = np.cumsum(is_right[ranked])
    recall, precision = right / task.n_valid, right / np.arange(1, len(ranked) + 1)
    return KittiViewMetrics(
        class_name=class_name,
        level_name=level_name,
        confusion=confusion,
        mean_abs_error_deg=float(errors.mean()) if len(errors) else None,
        median_abs_error_deg=float(np.median(errors)) if len(errors) else None,
        avp=100 * average_precision(recall, precision),
        avp11=100 * average_over_recall(recall, precision, ELEVEN_RECALLS),
    )
