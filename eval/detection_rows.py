"""Collecting the detections of a file while it is read."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .detection_table import DetectionTable
from .image_names import ImageNames
from .views import UNKNOWN_VIEW, ViewSet


class DetectionRows:
    """Detections under the names that a file gives its images.

    Parameters
    ----------
    images : ImageNames
        The annotated images.
    view_set : ViewSet, optional
        Views that the file may name; None leaves all views unknown.
    """

    def __init__(self, images: ImageNames, view_set: ViewSet | None) -> None:
        self._images = images
        self._view_set = view_set
        self._indices: list[int] = []
        self._boxes: list[Sequence[float]] = []
        self._scores: list[float] = []
        self._views: list[int] = []
        self._angles: list[float] = []

    def image_index(self, name: str) -> int:
        """Return the index of an annotated image.

        Raises
        ------
        ValueError
            If the ground truth has no such image.
        """
        index = self._images.find(name)
        if index is None:
            raise ValueError(f"the ground truth has no image {name!r} (or several that fit)")
        return index

    def add(
        self,
        image_index: int,
        corners: Sequence[float],
        score: float,
        view: str = "",
        angle_deg: float = math.nan,
    ) -> None:
        """Add one detection.

        Raises
        ------
        ValueError
            If a value is not finite, a side is negative, or the view is unknown.
        """
        if not all(math.isfinite(value) for value in (*corners, score)):
            raise ValueError(f"found box {list(corners)} and score {score}, expected finite numbers")
        if corners[2] < corners[0] or corners[3] < corners[1]:
            raise ValueError(f"box with the corners {list(corners)} has a negative width or height")
        view_index = UNKNOWN_VIEW if self._view_set is None else self._view_set.index_of(view)
        self._indices.append(image_index)
        self._boxes.append(corners)
        self._scores.append(score)
        self._views.append(view_index)
        self._angles.append(angle_deg if self._view_set is not None else math.nan)

    def table(self) -> DetectionTable:
        """Return what was added, in that order."""
        return DetectionTable.create(
            self._indices, np.asarray(self._boxes), self._scores, self._views, self._angles
        )
