"""Images that cannot be read are found before the training, not hours into it."""

from __future__ import annotations

from collections.abc import Sequence

from ..detector.images import ImageError, read_image
from .datasets.annotated_image import AnnotatedImage
from .parallel_map import Workers, parallel_map


def split_unreadable(
    images: Sequence[AnnotatedImage], workers: Workers
) -> tuple[list[AnnotatedImage], list[str]]:
    """Decode every image once.

    Parameters
    ----------
    images : sequence of AnnotatedImage
    workers : Workers

    Returns
    -------
    readable : list of AnnotatedImage
        In the order of `images`.
    problems : list of str
        Of each image that is left out, naming the file.
    """
    problems = list(parallel_map(_problem_of, images, workers))
    readable = [image for image, problem in zip(images, problems, strict=True) if problem is None]
    return readable, [problem for problem in problems if problem is not None]


def _problem_of(image: AnnotatedImage) -> str | None:
    try:
        read_image(image.path)
    except ImageError as error:
        return str(error)
    return None
