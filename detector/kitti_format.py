"""Lines of KITTI's object files: labels with 15 fields, results with a score as the sixteenth.

Source: the readme of the KITTI object development kit (Geiger, Lenz, Urtasun, CVPR 2012).
"""

from __future__ import annotations

import math
from typing import NamedTuple

FIELD_NAMES = (
    "type",
    "truncated",
    "occluded",
    "alpha",
    "left",
    "top",
    "right",
    "bottom",
    "height",
    "width",
    "length",
    "x",
    "y",
    "z",
    "rotation_y",
    "score",
)
LABEL_FIELDS = 15
RESULT_FIELDS = 16
NO_ANGLE = -10.0  # alpha of a DontCare region, or of a detector without angles


class KittiObject(NamedTuple):
    """What the 2D tasks use of a line.

    Parameters
    ----------
    type : str
        As written: Car, Van, Truck, Pedestrian, Person_sitting, Cyclist, Tram, Misc, DontCare.
    truncated : float
        Share of the object outside the image, 0..1; -1 where it has no meaning.
    occluded : int
        0 visible, 1 partly, 2 largely occluded, 3 unknown, -1 where it has no meaning.
    alpha : float
        Angle of the heading against the viewing ray, radians; `NO_ANGLE` if not given.
    x1, y1, x2, y2 : float
        Box in pixels, 0-based, x2 - x1 wide.
    score : float
        Higher is better; NaN for labels.
    """

    type: str
    truncated: float
    occluded: int
    alpha: float
    x1: float
    y1: float
    x2: float
    y2: float
    score: float


def parse_kitti_line(line: str, *, scored: bool) -> KittiObject:
    """Read one label line (15 fields) or, with `scored`, one result line (16 fields).

    Raises
    ------
    ValueError
        Naming the field, what was found and what was expected; the caller adds file and line number.
    """
    fields = line.split()
    expected = RESULT_FIELDS if scored else LABEL_FIELDS
    if len(fields) != expected:
        kind = "result" if scored else "label"
        raise ValueError(f"a KITTI {kind} line has {expected} fields, found {len(fields)}")
    try:
        numbers = [float(field) for field in fields[1:]]
    except ValueError:
        raise ValueError(_describe_bad_number(fields)) from None
    if not all(map(math.isfinite, numbers)):
        raise ValueError(_describe_bad_number(fields))
    if numbers[1] != int(numbers[1]):
        raise ValueError(f"occluded must be a whole number, found {fields[2]!r}")
    score = numbers[14] if scored else math.nan
    truncated, occluded, alpha, x1, y1, x2, y2 = numbers[:7]
    return KittiObject(fields[0], truncated, int(occluded), alpha, x1, y1, x2, y2, score)


def _describe_bad_number(fields: list[str]) -> str:
    """Name the first field that is no finite number."""
    for name, field in zip(FIELD_NAMES[1:], fields[1:], strict=False):
        if not _is_finite_number(field):
            return f"{name} must be a finite number, found {field!r}"
    raise AssertionError(f"every field is a finite number: {fields}")


def _is_finite_number(field: str) -> bool:
    try:
        return math.isfinite(float(field))
    except ValueError:
        return False
