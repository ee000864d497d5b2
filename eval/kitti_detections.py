"""Detections of this project in KITTI's evaluation: from our JSON, or straight from a detector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..detector.kitti_format import NO_ANGLE, KittiObject
from .detection_rows import DetectionRows
from .detections_json import read_json_detections
from .image_names import ImageNames
from .input_records import BadRecords
from .kitti_objects import KittiObjects

if TYPE_CHECKING:
    from ..detector.detections import Detections


def kitti_object(
    corners: Sequence[float], score: float, angle_deg: float, object_type: str = "Car"
) -> KittiObject:
    """Return a detection as KITTI's result files hold it.

    Parameters
    ----------
    corners : sequence of 4 float
        ``x1, y1, x2, y2`` in pixels.
    score : float
    angle_deg : float
        Observation angle alpha in degrees; NaN where the detector has none.
    object_type : str
    """
    alpha = NO_ANGLE if math.isnan(angle_deg) else math.radians(angle_deg)
    x1, y1, x2, y2 = corners
    return KittiObject(object_type, -1.0, -1, alpha, x1, y1, x2, y2, score)


def kitti_objects_of(detections: Detections, object_type: str = "Car") -> list[KittiObject]:
    """Return the detections of one image; the angle of a view is alpha."""
    return [
        kitti_object(box, score, angle, object_type)
        for box, score, angle in zip(
            detections.boxes.tolist(), detections.scores.tolist(), detections.angles_deg.tolist(), strict=True
        )
    ]


def read_kitti_json(
    path: str | Path,
    frames: Sequence[str],
    bad_records: BadRecords | None = None,
    *,
    object_type: str = "Car",
    other_frames: Sequence[str] = (),
) -> KittiObjects:
    """Read detections in this project's JSON or JSON lines; image names may have folders and a suffix.

    Parameters
    ----------
    path : str or Path
    frames : sequence of str
        Evaluated frames, in the order of the labels.
    bad_records : BadRecords or None
        What happens to malformed records and unknown images (left out), and to frames that the file does not
        list (evaluated as without any detection). None: they raise.
    object_type : str
        The type of all detections.
    other_frames : sequence of str
        Frames that the file may list, but that are not evaluated.
    """
    bad = bad_records if bad_records is not None else BadRecords()
    names = [*frames, *(name for name in other_frames if name not in set(frames))]
    rows = _KittiRows(ImageNames(names), len(names), object_type)
    listed = read_json_detections(Path(path), rows, bad)
    for index, name in enumerate(frames):
        if index not in listed:
            bad.add(path, None, f"frame {name!r} is not listed (its list of detections may be empty)")
    return KittiObjects.from_frames(rows.objects[: len(frames)])


class _KittiRows(DetectionRows):
    """Collects rows as KITTI objects, frame by frame."""

    def __init__(self, frames: ImageNames, count: int, object_type: str) -> None:
        super().__init__(frames, None)
        self.objects: list[list[KittiObject]] = [[] for _ in range(count)]
        self._object_type = object_type

    def add(
        self,
        image_index: int,
        corners: Sequence[float],
        score: float,
        view: str = "",
        angle_deg: float = math.nan,
    ) -> None:
        """Add one detection, after the checks of all detection files."""
        super().add(image_index, corners, score, view, angle_deg)
        self.objects[image_index].append(kitti_object(corners, score, angle_deg, self._object_type))
