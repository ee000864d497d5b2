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

SAME_FACE_OVERLAP = 0.5


def _same_faces(image: FaceGroundTruth, other: FaceGroundTruth) -> NDArray[np.int64]:
    """Return for each face the one of the other annotation that overlaps it most, by more than a half; else -1."""
    if not len(image) or not len(other):
        return np.full(len(image), -1, dtype=np.int64)
    overlaps = box_overlaps(image.boxes, other.boxes)
    best = np.argmax(overlaps, axis=1)
    return np.where(overlaps.max(axis=1) > SAME_FACE_OVERLAP, best, -1)


def with_views_of(
    images: Sequence[FaceGroundTruth], posed: Sequence[FaceGroundTruth]
) -> list[FaceGroundTruth]:
    """Give the faces of `images` the views and yaws of the same faces in `posed`; unknown where there is none."""
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
                view_indices=np.append(other.view_indices, -1)[same],
                yaws_deg=np.append(other.yaws_deg, np.nan)[same],
            )
        )
    return result


def with_ignored_faces(
    images: Sequence[FaceGroundTruth], ignored: Sequence[FaceGroundTruth]
) -> list[FaceGroundTruth]:
    """Ignore the faces that `ignored` lists.

    Raises
    ------
    EvaluationError
        If a listed face is not in the ground truth.
    """
    names = ImageNames([image.name for image in images])
    result = list(images)
    for other in ignored:
        index = names.find(other.name)
        if index is None:
            raise EvaluationError(f"faces to ignore: the ground truth has no image {other.name!r}")
        same = _same_faces(other, result[index])
        for box, face in zip(other.boxes, same, strict=True):
            if face < 0:
                raise EvaluationError(
                    f"faces to ignore: no face of image {other.name!r} overlaps the box {box.tolist()} "
                    f"by more than {SAME_FACE_OVERLAP}"
                )
        flags = result[index].ignored.copy()
        flags[same] = True
        result[index] = replace(result[index], ignored=flags)
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
