"""Annotated and detected faces of FDDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .detection_table import DetectionTable


@dataclass(frozen=True, kw_only=True, eq=False)
class FddbImage:
    """One annotated image.

    Parameters
    ----------
    name : str
        As in the lists: a path without extension.
    ellipses : (n, 5) float64
        See `fddb_regions.ellipse_masks`.
    height, width : int
        In pixels.
    fold : int or None
        The fold it belongs to.
    """

    name: str
    ellipses: NDArray[np.float64]
    height: int
    width: int
    fold: int | None = None

    def __post_init__(self) -> None:
        if self.ellipses.ndim != 2 or self.ellipses.shape[1] != 5:
            raise ValueError(f"ellipses of FddbImage must be (n, 5), found shape {self.ellipses.shape}")
        if self.height < 1 or self.width < 1:
            raise ValueError(
                f"height and width of FddbImage must be positive, found {self.height} x {self.width}"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class FddbDetections:
    """Detected regions of all images.

    Parameters
    ----------
    regions : sequence of (n, 4) or (n, 5) float64
        An array for each annotated image: boxes ``x1, y1, x2, y2``, or ellipses.
    scores : sequence of (n,) float64
    view_indices : sequence of (n,) int64
        -1 where the detector gives no view.
    """

    regions: Sequence[NDArray[np.float64]]
    scores: Sequence[NDArray[np.float64]]
    view_indices: Sequence[NDArray[np.int64]]

    @classmethod
    def from_boxes(cls, table: DetectionTable, n_images: int) -> FddbDetections:
        """Split the boxes of a table by image."""
        rows = [np.flatnonzero(table.image_indices == index) for index in range(n_images)]
        return cls(
            regions=[table.boxes[chosen] for chosen in rows],
            scores=[table.scores[chosen] for chosen in rows],
            view_indices=[table.view_indices[chosen] for chosen in rows],
        )

    def __len__(self) -> int:
        return sum(len(scores) for scores in self.scores)

    def of_images(self, indices: Sequence[int]) -> FddbDetections:
        """Return the detections of some images, in the given order."""
        return FddbDetections(
            regions=[self.regions[index] for index in indices],
            scores=[self.scores[index] for index in indices],
            view_indices=[self.view_indices[index] for index in indices],
        )

    def at_least(self, min_score: float) -> FddbDetections:
        """Return the detections that reach a score."""
        kept = [scores >= min_score for scores in self.scores]
        return FddbDetections(
            regions=[regions[rows] for regions, rows in zip(self.regions, kept, strict=True)],
            scores=[scores[rows] for scores, rows in zip(self.scores, kept, strict=True)],
            view_indices=[views[rows] for views, rows in zip(self.view_indices, kept, strict=True)],
        )
