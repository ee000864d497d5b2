"""Detections drawn into a picture: box, view, score, and a needle that points where the object faces."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .atomic_write import write_atomic
from .detections import Detection, Detections

Color = tuple[int, int, int]

# Okabe and Ito's colours, which the colour-blind can tell apart too.
_VIEW_COLORS: tuple[Color, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (213, 94, 0),
    (204, 121, 167),
    (0, 114, 178),
)
_READABLE_SIDE = 400  # pixels of the shorter side below which a picture is enlarged
_LARGEST_ENLARGED_SIDE = 2000
_TILT = 0.6  # the ground that needles lie on is seen from above at an angle: depth appears shorter than width


def draw_detections(
    image: NDArray[np.uint8],
    detections: Detections,
    *,
    angle_zero: Literal["viewer", "right"] | None = None,
) -> NDArray[np.uint8]:
    """Return a picture of the detections.

    Every detection gets a box in its view's colour, a label, and if its view has an angle a needle at the
    foot of the box. The needle lies on the ground and points where the object faces: down is towards the
    viewer, right is the right of the image.

    Parameters
    ----------
    image : (H, W, 3) uint8 RGB
    detections : Detections
    angle_zero : {"viewer", "right"}, optional
        Where an object of angle 0 faces; growing angles turn it on: from the viewer to the right of the image
        (yaw of a head), or from the right to the viewer (KITTI's alpha). By default "viewer" if there is a
        view called frontal.

    Returns
    -------
    (H', W', 3) uint8 RGB
        Small images are enlarged by a whole number, so that labels can be read.
    """
    if angle_zero is None:
        angle_zero = "viewer" if "frontal" in detections.view_names else "right"
    elif angle_zero not in ("viewer", "right"):
        raise ValueError(f"angle_zero of draw_detections must be viewer or right, found {angle_zero!r}")
    factor = _enlargement(image.shape[0], image.shape[1])
    picture = np.ascontiguousarray(image.repeat(factor, axis=0).repeat(factor, axis=1))
    colors = view_colors(len(detections.view_names))
    found = list(zip(detections, detections.view_indices, strict=True))
    for detection, view in reversed(found):  # the best ones on top
        _draw_box(picture, detection, colors[view], factor, angle_zero)
    for detection, view in reversed(found):
        _draw_label(picture, detection, colors[view], factor)
    return picture


def view_colors(count: int) -> Sequence[Color]:
    """Return a colour for each view: distinct ones for a few, a ring of hues for many."""
    if count <= len(_VIEW_COLORS):
        return _VIEW_COLORS[:count]
    hues = (colorsys.hsv_to_rgb(index / count, 0.85, 0.95) for index in range(count))
    return tuple((round(255 * r), round(255 * g), round(255 * b)) for r, g, b in hues)


def crop(image: NDArray[np.uint8], box: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the part of an image that a box covers, all its pixels; empty if it lies outside."""
    height, width = image.shape[:2]
    x1, y1 = np.clip(np.floor(box[:2]), 0, (width, height)).astype(int)
    x2, y2 = np.clip(np.ceil(box[2:]), 0, (width, height)).astype(int)
    return image[y1:y2, x1:x2]


def write_image(path: str | Path, image: NDArray[np.uint8]) -> None:
    """Write an RGB image in the format of the file's suffix; JPEG with quality 95.

    Raises
    ------
    OSError
        When it cannot be encoded (JPEG ends at 65,535 pixels a side) or written.
    """
    import cv2

    path = Path(path)
    options = [cv2.IMWRITE_JPEG_QUALITY, 95] if path.suffix.lower() in (".jpg", ".jpeg") else []
    try:
        encoded, content = cv2.imencode(path.suffix, np.ascontiguousarray(image[..., ::-1]), options)
    except cv2.error as error:
        raise OSError(f"{path}: the image cannot be encoded ({error.err})") from error
    if not encoded:
        raise OSError(f"{path}: the image of {image.shape[1]}x{image.shape[0]} pixels cannot be encoded")
    write_atomic(path, content.tobytes())


def _enlargement(height: int, width: int) -> int:
    wanted = -(-_READABLE_SIDE // min(height, width))
    return max(1, min(wanted, _LARGEST_ENLARGED_SIDE // max(height, width)))


def _line_width(picture: NDArray[np.uint8]) -> int:
    return max(1, round(math.sqrt(picture.shape[0] * picture.shape[1]) / 250))


def _draw_box(
    picture: NDArray[np.uint8], detection: Detection, color: Color, factor: int, angle_zero: str
) -> None:
    import cv2

    line = _line_width(picture)
    x1, y1, x2, y2 = (round(float(value) * factor) for value in detection.box)
    cv2.rectangle(picture, (x1, y1), (x2, y2), (0, 0, 0), line + 2)
    cv2.rectangle(picture, (x1, y1), (x2, y2), color, line)
    if math.isnan(detection.angle_deg):
        return
    reach = max(6 * line, min(x2 - x1, y2 - y1) / 3)
    turn = math.radians(detection.angle_deg)
    right, near = (
        (math.sin(turn), math.cos(turn)) if angle_zero == "viewer" else (math.cos(turn), math.sin(turn))
    )
    pivot = ((x1 + x2) // 2, round(y2 - reach * _TILT - 2 * line))
    tip = (round(pivot[0] + reach * right), round(pivot[1] + reach * _TILT * near))
    ground = (round(reach), round(reach * _TILT))
    cv2.ellipse(picture, pivot, ground, 0, 0, 360, color, max(1, line // 2), cv2.LINE_AA)
    for shade, width in (((0, 0, 0), line + 2), (color, line)):
        cv2.arrowedLine(picture, pivot, tip, shade, width, cv2.LINE_AA, tipLength=0.45)


def _draw_label(picture: NDArray[np.uint8], detection: Detection, color: Color, factor: int) -> None:
    """Write view and score on a plate above the box; inside it or narrower where the picture ends."""
    import cv2

    text = f"{detection.view} {detection.score:.1f}"
    font, line = cv2.FONT_HERSHEY_SIMPLEX, max(1, _line_width(picture) // 2)
    scale = max(0.4, math.sqrt(picture.shape[0] * picture.shape[1]) / 1100)
    (width, height), below = cv2.getTextSize(text, font, scale, line)
    if width > picture.shape[1]:
        scale *= picture.shape[1] / width
        (width, height), below = cv2.getTextSize(text, font, scale, line)
    x1, y1 = round(float(detection.box[0]) * factor), round(float(detection.box[1]) * factor)
    left = max(0, min(x1, picture.shape[1] - width))
    top = y1 - height - below if y1 >= height + below else max(0, y1)
    top = max(0, min(top, picture.shape[0] - height - below))
    cv2.rectangle(picture, (left, top), (left + width, top + height + below), color, cv2.FILLED)
    ink = (0, 0, 0) if np.dot(color, (0.299, 0.587, 0.114)) > 110 else (255, 255, 255)
    cv2.putText(picture, text, (left, top + height + below // 2), font, scale, ink, line, cv2.LINE_AA)
