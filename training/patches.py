"""Cut objects out of images at the model's scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..detector.window import WindowOptions
from ..features.resample import resample
from .datasets.annotated_image import AnnotatedBox
from .options import JitterOptions


@dataclass(frozen=True)
class Placement:
    """Where an object lies in its image.

    Parameters
    ----------
    center_x, center_y : float
        Pixels.
    height : float
        Of the object, in pixels.
    rotation_deg : float
        How far the object is turned back before it is cut out.
    """

    center_x: float
    center_y: float
    height: float
    rotation_deg: float = 0.0

    @classmethod
    def of_box(cls, box: AnnotatedBox) -> Placement:
        """Place the object of a box: its centre and height count, its width becomes the model's."""
        return cls((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, box.y2 - box.y1)

    def jittered(self, options: JitterOptions, random: np.random.Generator) -> Placement:
        """Draw an altered placement."""
        shift_x, shift_y, size, rotation = random.uniform(-1, 1, 4)
        return Placement(
            self.center_x + shift_x * options.shift * self.height,
            self.center_y + shift_y * options.shift * self.height,
            self.height * (1 + size * options.size),
            rotation * options.rotation_deg,
        )


def cut_patch(
    image: NDArray[np.uint8], placement: Placement, window: WindowOptions, margin: int
) -> NDArray[np.uint8]:
    """Cut the window around an object out of an image, at the model's scale.

    Resampling is the pyramid's (means over areas when shrinking), so that a patch looks as its level does.
    Beyond the image's border its outermost pixels are repeated.

    Parameters
    ----------
    image : (H, W, 3) uint8
    placement : Placement
    window : WindowOptions
    margin : int
        Pixels around the window, at the model's scale.

    Returns
    -------
    (window_height + 2 margin, window_width + 2 margin, 3) uint8
    """
    height, width = window.window_height + 2 * margin, window.window_width + 2 * margin
    per_pixel = placement.height / window.object_height
    rows, columns = max(1, round(height * per_pixel)), max(1, round(width * per_pixel))
    if placement.rotation_deg:
        crop = _rotated_crop(image, placement, rows, columns)
    else:
        top, left = round(placement.center_y - rows / 2), round(placement.center_x - columns / 2)
        y = np.clip(np.arange(top, top + rows), 0, image.shape[0] - 1)
        x = np.clip(np.arange(left, left + columns), 0, image.shape[1] - 1)
        crop = image[y[:, None], x[None]]
    planes = np.ascontiguousarray(crop.transpose(2, 0, 1))
    return np.ascontiguousarray(resample(planes, height, width).transpose(1, 2, 0))


def with_brightness(
    patch: NDArray[np.uint8], amount: float, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Multiply a patch by a random factor, and each colour by another of half the spread."""
    factors = np.exp(random.uniform(-amount, amount)) * np.exp(random.uniform(-amount / 2, amount / 2, 3))
    return np.clip(np.rint(patch * factors), 0, 255).astype(np.uint8)


def _rotated_crop(
    image: NDArray[np.uint8], placement: Placement, rows: int, columns: int
) -> NDArray[np.uint8]:
    """Cut at the image's own scale, turned about the object's centre."""
    import cv2

    center = (placement.center_x - 0.5, placement.center_y - 0.5)
    matrix = np.asarray(cv2.getRotationMatrix2D(center, placement.rotation_deg, 1.0), np.float64)
    matrix[:, 2] += np.array([(columns - 1) / 2 - center[0], (rows - 1) / 2 - center[1]])
    return np.asarray(
        cv2.warpAffine(
            image, matrix, (columns, rows), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )
