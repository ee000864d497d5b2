"""What KITTI's 2D benchmark counts: classes, levels, and the part that each label and detection plays.

Source: the evaluation program of the KITTI object development kit, before and after its correction of
25 April 2017 (Geiger, Lenz, Urtasun, CVPR 2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .kitti_objects import KittiObjects

KittiVersion = Literal["current", "pre2017"]
KITTI_VERSIONS: tuple[KittiVersion, ...] = get_args(KittiVersion)

DONT_CARE = "dontcare"

# The part that a label or a detection plays in the evaluation of one class at one level.
VALID = 0
IGNORED = 1  # may be matched, but is then neither right nor wrong
NOT_CONSIDERED = 2
EXCUSES = 3  # a DontCare region: detections inside it are no false positives

# What a detection turns out to be, if it is not the number of the label that it found.
FALSE_POSITIVE = -1
NEUTRAL = -2


@dataclass(frozen=True)
class KittiClass:
    """An evaluated class.

    Parameters
    ----------
    name : str
        Type in lower case; the case of types never matters.
    overlap : float
        Intersection over union that a match must exceed.
    neighbour : str or None
        A type so similar that its labels are ignored.
    """

    name: str
    overlap: float
    neighbour: str | None


@dataclass(frozen=True)
class KittiLevel:
    """A level of difficulty: its inclusive limits for a label to count.

    Parameters
    ----------
    name : str
    min_height : int
        Of the box, pixels.
    max_occluded : int
    max_truncated : float
    """

    name: str
    min_height: int
    max_occluded: int
    max_truncated: float


KITTI_CLASSES = (
    KittiClass("car", 0.7, "van"),
    KittiClass("pedestrian", 0.5, "person_sitting"),
    KittiClass("cyclist", 0.5, None),
)
KITTI_LEVELS = (
    KittiLevel("easy", 40, 0, 0.15),
    KittiLevel("moderate", 25, 1, 0.30),
    KittiLevel("hard", 25, 2, 0.50),
)


def label_parts(labels: KittiObjects, kitti_class: KittiClass, level: KittiLevel) -> NDArray[np.uint8]:
    """Return the part that each label plays, (n,) uint8."""
    same_class = labels.types == kitti_class.name
    within_limits = (
        (labels.heights >= level.min_height)
        & (labels.occluded <= level.max_occluded)
        & (labels.truncated <= level.max_truncated)
    )
    parts = np.full(len(labels), NOT_CONSIDERED, dtype=np.uint8)
    parts[same_class] = IGNORED
    parts[same_class & within_limits] = VALID
    if kitti_class.neighbour is not None:
        parts[labels.types == kitti_class.neighbour] = IGNORED
    parts[labels.types == DONT_CARE] = EXCUSES
    return parts


def detection_parts(
    detections: KittiObjects, kitti_class: KittiClass, level: KittiLevel, version: KittiVersion
) -> NDArray[np.uint8]:
    """Return the part that each detection plays, (n,) uint8.

    In the current version a detection below the level's height is ignored whatever its class, so that a low
    pedestrian may be matched to a car. Before 2017 no detection was ignored.
    """
    parts = np.full(len(detections), NOT_CONSIDERED, dtype=np.uint8)
    parts[detections.types == kitti_class.name] = VALID
    if version == "current":
        # The program compares the whole part of the height; with limits in whole pixels that is the same.
        parts[detections.heights < level.min_height] = IGNORED
    return parts


def is_evaluated(detections: KittiObjects, kitti_class: KittiClass, version: KittiVersion) -> bool:
    """Return whether the detections name the class, which decides whether it is evaluated at all."""
    named = detections.types == kitti_class.name
    if version == "current":
        named &= detections.boxes[:, 0] >= 0
    return bool(named.any())
