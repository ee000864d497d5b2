"""Images that cannot be read are found and named before the training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.image_check import split_unreadable
from badacost.training.parallel_map import Workers


@pytest.fixture
def images(tmp_path: Path) -> list[AnnotatedImage]:
    """Five images, of which the second, third and fifth cannot be read."""
    pixels = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    for name in ("0.png", "1.png", "3.jpg"):
        Image.fromarray(pixels).save(tmp_path / name)
    cut = (tmp_path / "1.png").read_bytes()[:2000]
    (tmp_path / "1.png").write_bytes(cut)  # its header is whole
    (tmp_path / "2.jpg").write_text("dear diary")
    names = ("0.png", "1.png", "2.jpg", "3.jpg", "gone.jpg")
    return [AnnotatedImage(tmp_path / name, (AnnotatedBox(1, 2, 3, 4),)) for name in names]


@pytest.mark.parametrize("workers", [Workers(jobs=1), Workers(jobs=2, backend="threading")])
def test_unreadable_images_are_named(workers: Workers, images: list[AnnotatedImage]) -> None:
    readable, problems = split_unreadable(images, workers)
    assert readable == [images[0], images[3]]
    assert problems == [
        f"{images[1].path}: the image is truncated (its end marker is missing)",
        f"{images[2].path}: not an image of a known format, or damaged",
        f"{images[4].path}: cannot be read (No such file or directory)",
    ]


def test_no_images_have_no_problems() -> None:
    assert split_unreadable([], Workers(jobs=1)) == ([], [])
