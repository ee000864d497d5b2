"""The detections of a whole data set as parallel arrays, in the order of the file they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .views import UNKNOWN_VIEW, ViewSet

if TYPE_CHECKING:
    from ..detector.detections import Detections


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectionTable:
    """Scored boxes of many images; float64, since box protocols compare overlaps with hard limits.

    Parameters
    ----------
    image_indices : (n,) int64
        Index of each detection's image in the ground truth.
    boxes : (n, 4) float64
        ``x1, y1, x2, y2`` in pixels.
    scores : (n,) float64
    view_indices : (n,) int64
        Index into the evaluation's views, -1 where the detector gives none.
    angles_deg : (n,) float64
        Predicted yaw, NaN where there is none.
    """

    image_indices: NDArray[np.int64]
    boxes: NDArray[np.float64]
    scores: NDArray[np.float64]
    view_indices: NDArray[np.int64]
    angles_deg: NDArray[np.float64]

    def __post_init__(self) -> None:
        count = len(self.scores)
        if self.boxes.shape != (count, 4):
            raise ValueError(f"boxes of DetectionTable must be ({count}, 4), found shape {self.boxes.shape}")
        for field in ("image_indices", "scores", "view_indices", "angles_deg"):
            if getattr(self, field).shape != (count,):
                found = getattr(self, field).shape
                raise ValueError(f"{field} of DetectionTable must be ({count},), found shape {found}")
        if not (np.isfinite(self.scores).all() and np.isfinite(self.boxes).all()):
            raise ValueError("scores and boxes of DetectionTable must be finite, found NaN or infinity")

    @classmethod
    def create(
        cls,
        image_indices: Any,
        boxes: Any,
        scores: Any,
        view_indices: Any = None,
        angles_deg: Any = None,
    ) -> DetectionTable:
        """Build from sequences; without views and angles unless they are given."""
        score_array = np.asarray(scores, dtype=np.float64)
        count = len(score_array)
        views = np.full(count, UNKNOWN_VIEW) if view_indices is None else view_indices
        angles = np.full(count, np.nan) if angles_deg is None else angles_deg
        return cls(
            image_indices=np.asarray(image_indices, dtype=np.int64),
            boxes=np.asarray(boxes, dtype=np.float64).reshape(-1, 4),
            scores=score_array,
            view_indices=np.asarray(views, dtype=np.int64),
            angles_deg=np.asarray(angles, dtype=np.float64),
        )

    @classmethod
    def from_detections(
        cls, per_image: Iterable[tuple[int, Detections]], view_set: ViewSet | None = None
    ) -> DetectionTable:
        """Join the detections of several images, each given with its index in the ground truth.

        Raises
        ------
        ValueError
            If a view is not one of `view_set`; None compares boxes only.
        """
        tables = []
        for index, found in per_image:
            views = angles = None
            if view_set is not None:
                places = np.array([view_set.index_of(name) for name in found.view_names], dtype=np.int64)
                views = places[found.view_indices]
                angles = np.asarray(found.view_angles, dtype=np.float64)[found.view_indices]
            tables.append(cls.create(np.full(len(found), index), found.boxes, found.scores, views, angles))
        if not tables:
            return cls.create([], [], [])
        return cls(
            **{
                field.name: np.concatenate([getattr(table, field.name) for table in tables])
                for field in fields(cls)
            }
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, rows: Any) -> DetectionTable:
        """Return the rows of a mask, slice or index array."""
        return DetectionTable(
            image_indices=self.image_indices[rows],
            boxes=self.boxes[rows],
            scores=self.scores[rows],
            view_indices=self.view_indices[rows],
            angles_deg=self.angles_deg[rows],
        )

    def predicted_angles(self, view_set: ViewSet) -> NDArray[np.float64]:
        """Return each detection's angle: its own where it has one, otherwise its view's, otherwise NaN."""
        of_view = np.append(np.asarray(view_set.angles_deg), np.nan)[self.view_indices]
        return np.where(np.isnan(self.angles_deg), of_view, self.angles_deg)
