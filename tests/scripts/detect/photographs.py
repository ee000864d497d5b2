"""Photographs of squares, and what the command finds in them."""

from __future__ import annotations

import json
from pathlib import Path

from numpy.typing import NDArray
from PIL import Image

from ...detector.square_detector import SIDE

BOTH = [([20, 24, SIDE, SIDE], "frontal"), ([60, 40, SIDE, SIDE], "half_left")]  # in photo.png


def save(image: NDArray, name: str) -> str:
    """Write an image into the current folder, in the format of its name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(name)
    return name


def images(text: str) -> dict[str, list[tuple[list[int], str]]]:
    """Whole-number boxes and views by file, from our JSON."""
    return {
        image["file"]: [([round(v) for v in d["box"]], d["view"]) for d in image["detections"]]
        for image in json.loads(text)["images"]
    }
