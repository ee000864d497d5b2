"""The annotated faces of one image, as every box protocol reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .input_records import EvaluationError
from .views import FACE_VIEWS, UNKNOWN_VIEW, ViewSet


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceGroundTruth:
    """The faces of one image.

    Parameters
    ----------
    name : str
        The image's name as the annotation spells it.
    boxes : (n, 4) float64
        ``x1, y1, x2, y2`` in pixels.
    ignored : (n,) bool
        Faces that count neither as found nor as missed.
    view_indices : (n,) int64
        Index into the evaluation's views, -1 where unknown.
    yaws_deg : (n,) float64
        Yaw in degrees, NaN where unknown.
    scale : float
        Size of this copy of the image over the size of the original; size limits are multiplied by it.
    """

    name: str
    boxes: NDArray[np.float64]
    ignored: NDArray[np.bool_]
    view_indices: NDArray[np.int64]
    yaws_deg: NDArray[np.float64]
    scale: float = 1.0

    def __post_init__(self) -> None:
        count = len(self.boxes)
        if self.boxes.shape != (count, 4):
            raise ValueError(f"boxes of FaceGroundTruth must be (n, 4), found shape {self.boxes.shape}")
        for field in ("ignored", "view_indices", "yaws_deg"):
            if getattr(self, field).shape != (count,):
                found = getattr(self, field).shape
                raise ValueError(
                    f"{field} of FaceGroundTruth must be ({count},) as boxes, found shape {found}"
                )
        if not self.scale > 0:
            raise ValueError(f"scale of FaceGroundTruth must be positive, found {self.scale}")

    @classmethod
    def create(
        cls,
        name: str,
        boxes: ArrayLike,
        *,
        ignored: Any = None,
        view_indices: Any = None,
        yaws_deg: Any = None,
        scale: float = 1.0,
        view_set: ViewSet = FACE_VIEWS,
    ) -> FaceGroundTruth:
        """Build from sequences; nothing is ignored by default, and views not given follow from the yaws."""
        box_array = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
        count = len(box_array)
        yaws = np.full(count, np.nan) if yaws_deg is None else np.asarray(yaws_deg, dtype=np.float64)
        views = (
            view_set.index_of_yaw(yaws) if view_indices is None else np.asarray(view_indices, dtype=np.int64)
        )
        flags = np.zeros(count, dtype=bool) if ignored is None else np.asarray(ignored, dtype=bool)
        return cls(name=name, boxes=box_array, ignored=flags, view_indices=views, yaws_deg=yaws, scale=scale)

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def sizes(self) -> NDArray[np.float64]:
        """Width and height of each face, (n, 2)."""
        return self.boxes[:, 2:] - self.boxes[:, :2]

    def with_small_ignored(self, min_side: float) -> FaceGroundTruth:
        """Return a copy where faces narrower or lower than `min_side` original pixels are ignored."""
        small = (self.sizes < min_side * self.scale).any(axis=1)
        return replace(self, ignored=self.ignored | small)


def check_unique_names(images: Sequence[FaceGroundTruth]) -> None:
    """Raise `EvaluationError` if two images have the same name."""
    seen: set[str] = set()
    for image in images:
        if image.name in seen:
            raise EvaluationError(f"image {image.name!r} occurs twice in the ground truth")
        seen.add(image.name)


def counted_faces(images: Sequence[FaceGroundTruth]) -> int:
    """Return the number of faces that are not ignored."""
    return int(sum(np.count_nonzero(~image.ignored) for image in images))


def has_views(images: Sequence[FaceGroundTruth]) -> bool:
    """Return whether any counted face has a known view."""
    return any(bool(np.any(image.view_indices[~image.ignored] != UNKNOWN_VIEW)) for image in images)
