"""The views that detectors tell apart, and what a mirror makes of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

# Yaw < 0: the nose points to the left of the image. A limit itself belongs to the upper class.
FACE_VIEWS = ("right_profile", "half_right", "frontal", "half_left", "left_profile")
FACE_ANGLES = (-75.0, -40.0, 0.0, 40.0, 75.0)
FACE_LIMITS = (-60.0, -20.0, 20.0, 60.0)


@dataclass(frozen=True)
class ViewSet:
    """Named views of an object class.

    Parameters
    ----------
    names : tuple of str
    angles : tuple of float
        Centre of each view in degrees; NaN where views have none.
    mirrored : tuple of int or None
        Index of the view that each becomes when the image is mirrored; None where that is no view of the set.
    """

    names: tuple[str, ...]
    angles: tuple[float, ...]
    mirrored: tuple[int | None, ...]

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.angles) == len(self.mirrored) == len(set(self.names)):
            raise ValueError("names of ViewSet must differ, and have an angle and a mirrored view each")
        if any(other is not None and self.mirrored[other] != i for i, other in enumerate(self.mirrored)):
            raise ValueError("mirrored of ViewSet must lead back to each view when applied twice")

    def index(self) -> Mapping[str, int]:
        """Return the number of each view by name."""
        return {name: number for number, name in enumerate(self.names)}


def face_views() -> ViewSet:
    """Return the five yaw views of faces."""
    return ViewSet(FACE_VIEWS, FACE_ANGLES, tuple(reversed(range(5))))


def face_view_name(yaw_deg: float) -> str:
    """Name of the view of a yaw angle in degrees, < 0 = nose to the left of the image."""
    return FACE_VIEWS[sum(yaw_deg >= limit for limit in FACE_LIMITS)]


def single_view(name: str = "object") -> ViewSet:
    """Return the one view of a detector that tells none apart."""
    return ViewSet((name,), (math.nan,), (0,))


def named_views(names: tuple[str, ...]) -> ViewSet:
    """Return views of the given names without angles.

    A mirror swaps "left" and "right" in a name, and leaves other names as they are. Without "half_left" among
    the names, the mirror image of a "half_right" has no view.
    """
    index = {name: number for number, name in enumerate(names)}
    swapped = (name.replace("left", "\0").replace("right", "left").replace("\0", "right") for name in names)
    mirrored = tuple(index.get(name) for name in swapped)
    return ViewSet(names, (math.nan,) * len(names), mirrored)


def ring_views(count: int) -> ViewSet:
    """Return `count` equal bins of a full turn, numbered from 1, bin 1 centred on angle 0 (KITTI's alpha).

    Bin b has its centre at ``-(b - 1) * 360 / count`` degrees; a mirror turns alpha into ``180 - alpha``.

    Raises
    ------
    ValueError
        When `count` is not even: no bin would mirror into a bin.
    """
    if count < 2 or count % 2:
        raise ValueError(f"count of ring_views must be even and at least 2, found {count}")
    step = 360 / count
    angles = tuple((-(b * step) + 180) % 360 - 180 for b in range(count))
    return ViewSet(
        tuple(str(b + 1) for b in range(count)), angles, tuple((count // 2 - b) % count for b in range(count))
    )


def ring_view_name(alpha_deg: float, count: int) -> str:
    """Name of the ring's bin that holds an angle in degrees."""
    step = 360 / count
    return str(math.floor((-alpha_deg) % 360 / step + 0.5) % count + 1)
