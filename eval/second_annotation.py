"""Taking views, ignore flags and scales from a second annotation of the same images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .box_overlap import box_overlaps
from .ground_truth import FaceGroundTruth
from .image_names import ImageNames
from .input_records import EvaluationError
from .views import UNKNOWN_VIEW

SAME_FACE_OVERLAP = 0.5


def _same_faces(image: FaceGroundTruth, other: FaceGroundTruth) -> NDArray[np.int64]:
    """Return for each face the one of `other` that overlaps it most; -1 unless by more than a half."""
    if not len(image) or not len(other):
        return np.full(len(image), -1, dtype=np.int64)
    overlaps = box_overlaps(image.boxes, other.boxes)
    best = np.argmax(overlaps, axis=1)
    return np.where(overlaps.max(axis=1) > SAME_FACE_OVERLAP, best, -1)


def with_views_of(
    images: Sequence[FaceGroundTruth], posed: Sequence[FaceGroundTruth]
) -> list[FaceGroundTruth]:
    """Give the faces of `images` the views and yaws they have in `posed`, unknown where they lack."""
    names = ImageNames([other.name for other in posed])
    result = []
    for image in images:
        index = names.find(image.name)
        if index is None:
            result.append(image)
            continue
        other = posed[index]
        same = _same_faces(image, other)
        result.append(
            replace(
                image,
                view_indices=np.append(other.view_indices, UNKNOWN_VIEW)[same],
                yaws_deg=np.append(other.yaws_deg, np.nan)[same],
            )
        )
    return result


def with_ignored_boxes(
    images: Sequence[FaceGroundTruth], ignored: Sequence[FaceGroundTruth]
) -> list[FaceGroundTruth]:
    """Ignore the faces that `ignored` marks; boxes of it that mark none become ignored faces themselves.

    Raises
    ------
    EvaluationError
        If an image is not in the ground truth.
    """
    names = ImageNames([image.name for image in images])
    result = list(images)
    for other in ignored:
        index = names.find(other.name)
        if index is None:
            raise EvaluationError(f"boxes to ignore: the ground truth has no image {other.name!r}")
        image = result[index]
        same = _same_faces(other, image)
        flags = image.ignored.copy()
        flags[same[same >= 0]] = True
        added = other.boxes[same < 0]
        result[index] = replace(
            image,
            boxes=np.vstack((image.boxes, added)),
            ignored=np.append(flags, np.ones(len(added), dtype=bool)),
            view_indices=np.append(image.view_indices, np.full(len(added), UNKNOWN_VIEW)),
            yaws_deg=np.append(image.yaws_deg, np.full(len(added), np.nan)),
        )
    return result


def with_scales(images: Sequence[FaceGroundTruth], scales: Mapping[str, float]) -> list[FaceGroundTruth]:
    """Set the scale of each image.

    Raises
    ------
    EvaluationError
        If an image has no scale.
    """
    listed = list(scales)
    names = ImageNames(listed)
    result = []
    for image in images:
        index = names.find(image.name)
        if index is None:
            raise EvaluationError(f"scales: none given for image {image.name!r}")
        result.append(replace(image, scale=scales[listed[index]]))
    return result
