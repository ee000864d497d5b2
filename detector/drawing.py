"""Draw detections into a picture."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .detections import Detection, Detections

# Distinct on light and dark pictures; a view keeps its colour.
COLORS = ((255, 99, 71), (255, 179, 0), (0, 200, 83), (0, 184, 212), (126, 87, 255), (236, 64, 180))
SMALLEST_SCALE, LARGEST_SCALE = 0.4, 1.2


def draw_detections(image: NDArray[np.uint8], detections: Detections) -> NDArray[np.uint8]:
    """Return a copy of an image with a box, the view's name and the score of every detection.

    An arrow from the box's centre shows where a view with an angle looks in the picture: to its right for a
    positive yaw, to its left for a negative one.

    Parameters
    ----------
    image : (H, W, 3) uint8 RGB
    detections : Detections

    Returns
    -------
    (H, W, 3) uint8 RGB
    """
    drawn = image.copy()
    scale = float(np.clip(min(image.shape[:2]) / 900, SMALLEST_SCALE, LARGEST_SCALE))
    # The best is drawn last, over the others.
    for detection, view in zip(reversed(list(detections)), detections.view_indices[::-1], strict=True):
        _draw(drawn, detection, COLORS[int(view) % len(COLORS)], scale)
    return drawn


def crop(image: NDArray[np.uint8], box: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the part of an image that a box covers; empty where the box lies outside."""
    height, width = image.shape[:2]
    x1, y1, x2, y2 = (round(float(value)) for value in box)
    return image[max(0, y1) : min(height, max(0, y2)), max(0, x1) : min(width, max(0, x2))]


def write_image(path: Path, image: NDArray[np.uint8]) -> None:
    """Write an RGB image; the format is that of the file's suffix.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    import cv2

    temporary = path.with_name(f".{path.stem}.tmp{path.suffix}")
    try:
        written = cv2.imwrite(str(temporary), image[..., ::-1])
    except cv2.error as error:
        raise OSError(f"{path}: the image cannot be written ({error.err})") from error
    if not written:
        raise OSError(f"{path}: the image cannot be written")
    temporary.replace(path)


def _draw(image: NDArray[np.uint8], detection: Detection, color: tuple[int, int, int], scale: float) -> None:
    import cv2

    thickness = max(1, round(2 * scale))
    x1, y1, x2, y2 = (round(float(value)) for value in detection.box)
    cv2.rectangle(image, (x1, y1), (x2, y2), color, thickness, cv2.LINE_AA)
    if not math.isnan(detection.angle_deg):
        center = ((x1 + x2) // 2, (y1 + y2) // 2)
        reach = round(math.sin(math.radians(detection.angle_deg)) * (x2 - x1) / 2)
        if reach:
            cv2.arrowedLine(
                image, center, (center[0] + reach, center[1]), color, thickness, cv2.LINE_AA, 0, 0.25
            )
        else:
            cv2.circle(image, center, 2 * thickness, color, -1, cv2.LINE_AA)
    text = f"{detection.view} {detection.score:.1f}"
    font = cv2.FONT_HERSHEY_SIMPLEX
    (width, height), baseline = cv2.getTextSize(text, font, scale, thickness)
    # Above the box if there is room, else inside it.
    bottom = y1 if y1 - height - baseline >= 0 else min(y1 + height + baseline, image.shape[0])
    left = max(0, min(x1, image.shape[1] - width))
    cv2.rectangle(image, (left, bottom - height - baseline), (left + width, bottom), color, -1)
    cv2.putText(
        image, text, (left, bottom - baseline // 2 - 1), font, scale, (255, 255, 255), thickness, cv2.LINE_AA
    )
