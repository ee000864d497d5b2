"""What a detector found in an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Detection:
    """One detected object.

    Parameters
    ----------
    box : (4,) float32
        ``x1, y1, x2, y2`` in pixels of the image as shown.
    score : float
        Margin of the cascade, not a probability; higher is surer.
    view : str
    angle_deg : float
        NaN when the detector has no angles.
    """

    box: NDArray[np.float32]
    score: float
    view: str
    angle_deg: float


@dataclass(frozen=True, eq=False)
class Detections:
    """Parallel arrays of detected objects; index, mask and iterate them like one array.

    Parameters
    ----------
    boxes : (n, 4) float32
        ``x1, y1, x2, y2`` in pixels of the image as shown; they may stick out of it.
    scores : (n,) float32
    view_indices : (n,) int64
        Into `view_names`.
    view_names : tuple of str
    view_angles : tuple of float
        Degrees; NaN when a view has no angle.
    image_size : (height, width), optional

    Examples
    --------
    >>> detections = Detections.empty(("frontal",), (0.0,))
    >>> detections.boxes.shape, len(detections[detections.scores > 10])
    ((0, 4), 0)
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    view_indices: NDArray[np.int64]
    view_names: tuple[str, ...]
    view_angles: tuple[float, ...]
    image_size: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", np.asarray(self.boxes, np.float32))
        object.__setattr__(self, "scores", np.asarray(self.scores, np.float32))
        object.__setattr__(self, "view_indices", np.asarray(self.view_indices, np.int64))
        n = len(self.scores)
        if self.boxes.shape != (n, 4) or self.scores.ndim != 1 or self.view_indices.shape != (n,):
            raise ValueError(
                f"boxes, scores and view_indices of Detections must have shapes (n, 4), (n,), (n,), found "
                f"{self.boxes.shape}, {self.scores.shape}, {self.view_indices.shape}"
            )
        if len(self.view_names) != len(self.view_angles):
            raise ValueError(
                f"view_angles of Detections must be one a view, found {len(self.view_angles)} for "
                f"{len(self.view_names)} views"
            )
        if n and not (self.view_indices.min() >= 0 and self.view_indices.max() < len(self.view_names)):
            raise ValueError(f"view_indices of Detections must lie in [0, {len(self.view_names)})")

    @classmethod
    def empty(
        cls,
        view_names: Sequence[str],
        view_angles: Sequence[float],
        image_size: tuple[int, int] | None = None,
    ) -> Detections:
        """Return detections of nothing."""
        return cls(
            np.empty((0, 4), np.float32),
            np.empty(0, np.float32),
            np.empty(0, np.int64),
            tuple(view_names),
            tuple(view_angles),
            image_size,
        )

    @classmethod
    def merge(cls, parts: Sequence[Detections]) -> Detections:
        """Concatenate detections that share their views.

        Raises
        ------
        ValueError
            When there are none, or their views differ.
        """
        if not parts:
            raise ValueError("parts of Detections.merge must not be empty")
        if any(part.view_names != parts[0].view_names for part in parts):
            raise ValueError("parts of Detections.merge must share their views")
        return replace(
            parts[0],
            boxes=np.concatenate([part.boxes for part in parts]),
            scores=np.concatenate([part.scores for part in parts]),
            view_indices=np.concatenate([part.view_indices for part in parts]),
        )

    @property
    def views(self) -> NDArray[np.str_]:
        """(n,) names of the views."""
        return np.array(self.view_names, dtype=np.str_)[self.view_indices]

    @property
    def angles_deg(self) -> NDArray[np.float64]:
        """(n,) angles of the views in degrees."""
        return np.array(self.view_angles, dtype=np.float64)[self.view_indices]

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, index: Any) -> Detections:
        """Select detections by a mask, a slice, or indices (a single one gives detections of length 1)."""
        if isinstance(index, int | np.integer):
            index = [int(index)]
        return replace(
            self, boxes=self.boxes[index], scores=self.scores[index], view_indices=self.view_indices[index]
        )

    def __iter__(self) -> Iterator[Detection]:
        for box, score, view, angle in zip(self.boxes, self.scores, self.views, self.angles_deg, strict=True):
            yield Detection(box, float(score), str(view), float(angle))

    def clipped(self) -> Detections:
        """Return the detections with boxes cut at the image's borders.

        Raises
        ------
        ValueError
            When the image's size is unknown.
        """
        if self.image_size is None:
            raise ValueError("image_size of Detections must be known to clip boxes")
        height, width = self.image_size
        return replace(
            self, boxes=np.clip(self.boxes, 0, np.array([width, height, width, height], np.float32))
        )
