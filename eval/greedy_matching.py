"""Greedy assignment of detections to faces in the order of their scores.

Each detection looks at the face that it overlaps most, ignored ones included, and at no other: the first
detection of a face is a true positive, further ones are false positives, detections of ignored faces are
neutral. Sources: the VOC devkit (Everingham et al., IJCV 2010) and the toolbox of Mathias et al. (ECCV 2014),
which differ in the two rules that `GreedyRule` holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .box_overlap import box_overlaps
from .detection_table import DetectionTable
from .ground_truth import FaceGroundTruth


@dataclass(frozen=True, kw_only=True)
class GreedyRule:
    """When a detection belongs to a face.

    Parameters
    ----------
    overlap : float
        Intersection over union that a match needs.
    reached_is_enough : bool
        Whether an overlap equal to the limit is a match.
    equal_overlaps : {"last", "first"}
        Which of several faces with the same largest overlap a detection belongs to.
    pixel_offset : float
        See `box_overlap.box_overlaps`.
    """

    overlap: float = 0.5
    reached_is_enough: bool = False
    equal_overlaps: Literal["last", "first"] = "last"
    pixel_offset: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < 1:
            raise ValueError(f"overlap of GreedyRule must be in [0, 1), found {self.overlap}")
        if self.equal_overlaps not in ("last", "first"):
            raise ValueError(
                f"equal_overlaps of GreedyRule must be 'last' or 'first', found {self.equal_overlaps!r}"
            )


MATHIAS_RULE = GreedyRule()
VOC_DEVKIT_RULE = GreedyRule(reached_is_enough=True, equal_overlaps="first")


@dataclass(frozen=True, kw_only=True, eq=False)
class GreedyMatches:
    """The outcome for each detection, in rank order (descending score, equal scores in file order).

    Parameters
    ----------
    order : (n,) int64
        Row of each ranked detection in the table.
    is_true, is_false : (n,) bool
        True and false positives; neither on ignored faces.
    image_indices, face_indices : (n,) int64
        The face that a detection belongs to, also for duplicates and ignored faces; face -1 if it has none.
    """

    order: NDArray[np.int64]
    is_true: NDArray[np.bool_]
    is_false: NDArray[np.bool_]
    image_indices: NDArray[np.int64]
    face_indices: NDArray[np.int64]


def match_greedily(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, rule: GreedyRule = MATHIAS_RULE
) -> GreedyMatches:
    """Assign every detection to a face, or to none.

    Parameters
    ----------
    images : sequence of FaceGroundTruth
        In the order that `detections.image_indices` refers to.
    detections : DetectionTable
    rule : GreedyRule
    """
    order = np.argsort(-detections.scores, kind="stable")
    faces = _best_faces(images, detections, rule)[order]
    image_indices = detections.image_indices[order]
    first_face = np.concatenate(([0], np.cumsum([len(image) for image in images], dtype=np.int64)))
    ignored = np.concatenate([image.ignored for image in images] or [np.zeros(0, dtype=bool)])

    matched = np.flatnonzero(faces >= 0)
    face_ids = first_face[image_indices[matched]] + faces[matched]
    counted = ~ignored[face_ids]
    is_true = np.zeros(len(order), dtype=bool)
    _, first_claims = np.unique(face_ids[counted], return_index=True)
    is_true[matched[counted][first_claims]] = True
    is_false = ~is_true
    is_false[matched[~counted]] = False
    return GreedyMatches(
        order=order, is_true=is_true, is_false=is_false, image_indices=image_indices, face_indices=faces
    )


def _best_faces(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, rule: GreedyRule
) -> NDArray[np.int64]:
    """Return for each detection the face of its image that it matches, -1 for none."""
    faces = np.full(len(detections), -1, dtype=np.int64)
    by_image = np.argsort(detections.image_indices, kind="stable")
    limits = np.searchsorted(detections.image_indices[by_image], np.arange(len(images) + 1))
    for index, image in enumerate(images):
        rows = by_image[limits[index] : limits[index + 1]]
        if not len(rows) or not len(image):
            continue
        overlaps = box_overlaps(detections.boxes[rows], image.boxes, rule.pixel_offset)
        if rule.equal_overlaps == "first":
            best = np.argmax(overlaps, axis=1)
        else:
            best = overlaps.shape[1] - 1 - np.argmax(overlaps[:, ::-1], axis=1)
        largest = overlaps[np.arange(len(rows)), best]
        enough = largest >= rule.overlap if rule.reached_is_enough else largest > rule.overlap
        faces[rows] = np.where(enough & (largest > 0), best, -1)
    return faces
