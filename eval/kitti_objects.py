"""Labels or detections of many KITTI frames as parallel arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..detector.kitti_format import KittiObject


@dataclass(frozen=True, kw_only=True, eq=False)
class KittiObjects:
    """All labels or all detections of a data set, frame after frame in file order.

    Parameters
    ----------
    types : (n,) str
        Lower case.
    truncated, alpha, scores : (n,) float64
        As in `KittiObject`.
    occluded : (n,) int64
    boxes : (n, 4) float64
        ``x1, y1, x2, y2`` in pixels.
    frame_starts : (n_frames + 1,) int64
        Frame ``f`` owns the rows from ``frame_starts[f]`` up to ``frame_starts[f + 1]``.
    """

    types: NDArray[np.str_]
    truncated: NDArray[np.float64]
    occluded: NDArray[np.int64]
    alpha: NDArray[np.float64]
    boxes: NDArray[np.float64]
    scores: NDArray[np.float64]
    frame_starts: NDArray[np.int64]

    def __post_init__(self) -> None:
        count = len(self.types)
        if self.boxes.shape != (count, 4):
            raise ValueError(f"boxes of KittiObjects must be ({count}, 4), found shape {self.boxes.shape}")
        for field in ("truncated", "occluded", "alpha", "scores"):
            if getattr(self, field).shape != (count,):
                found = getattr(self, field).shape
                raise ValueError(f"{field} of KittiObjects must be ({count},), found shape {found}")
        starts = self.frame_starts
        if starts[0] != 0 or starts[-1] != count or np.any(np.diff(starts) < 0):
            raise ValueError(f"frame_starts of KittiObjects must rise from 0 to {count}, found {starts!r}")

    @classmethod
    def from_frames(cls, frames: Sequence[Sequence[KittiObject]]) -> KittiObjects:
        """Join the objects of the frames, given in order."""
        rows = [item for frame in frames for item in frame]
        types, truncated, occluded, alpha, *corners, scores = zip(*rows, strict=True) if rows else [()] * 9
        return cls(
            types=np.array([name.lower() for name in types], dtype=np.str_),
            truncated=np.array(truncated, dtype=np.float64),
            occluded=np.array(occluded, dtype=np.int64),
            alpha=np.array(alpha, dtype=np.float64),
            boxes=np.array(corners, dtype=np.float64).reshape(4, -1).T.copy(),
            scores=np.array(scores, dtype=np.float64),
            frame_starts=np.concatenate(([0], np.cumsum([len(frame) for frame in frames], dtype=np.int64))),
        )

    def chosen(self, kept: NDArray[np.bool_]) -> KittiObjects:
        """Return the objects of an (n,) mask; all frames stay."""
        starts = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))[self.frame_starts]
        return KittiObjects(
            types=self.types[kept],
            truncated=self.truncated[kept],
            occluded=self.occluded[kept],
            alpha=self.alpha[kept],
            boxes=self.boxes[kept],
            scores=self.scores[kept],
            frame_starts=starts,
        )

    def __len__(self) -> int:
        return len(self.types)

    @property
    def n_frames(self) -> int:
        """Number of frames, also those without an object."""
        return len(self.frame_starts) - 1

    @property
    def heights(self) -> NDArray[np.float64]:
        """Height of each box in pixels, never negative."""
        return np.abs(self.boxes[:, 3] - self.boxes[:, 1])
