"""AFW (Zhu and Ramanan, CVPR 2012): 205 images, 468 faces with their pose, in ``anno.mat``.

Mathias, Benenson, Pedersoli and Van Gool (ECCV 2014) corrected the boxes in ``new_annotations_AFW.mat``: 545
faces, some of them to be ignored, without pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...detector.boxes import box_overlaps
from ..views import face_view_name
from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_file, first_folder
from .matlab_files import (
    boxes_without_view,
    float_rows,
    load_variable,
    read_annotations_struct,
    text,
    zero_based,
)

Annotation = Literal["posed", "corrected"]
POSED_FILES = ("anno.mat", "testimages/anno.mat")
CORRECTED_FILES = ("new_annotations_AFW.mat", "annotations/new_annotations_AFW.mat")
IMAGE_FOLDERS = ("testimages", "images")
SAME_FACE_OVERLAP = 0.3


@dataclass(frozen=True, kw_only=True)
class AfwOptions:
    """How AFW is read.

    Parameters
    ----------
    annotation : {"posed", "corrected"}
        Faces of ``anno.mat`` with views, or the corrected boxes without.
    yaw_sign : {1, -1}
        Sign that makes the yaw positive where the nose points to the right side of the image; AFW's own is
        so.
    max_roll_deg : float
        Faces of a roll outside ``[-max_roll_deg, max_roll_deg)`` are ignored; the BAdaCost paper's 35.
    """

    annotation: Annotation = "posed"
    yaw_sign: int = 1
    max_roll_deg: float = 35.0

    def __post_init__(self) -> None:
        if self.annotation not in get_args(Annotation):
            allowed = get_args(Annotation)
            raise ValueError(f"annotation of AfwOptions must be one of {allowed}, found {self.annotation!r}")
        if self.yaw_sign not in (1, -1):
            raise ValueError(f"yaw_sign of AfwOptions must be 1 or -1, found {self.yaw_sign}")


class PosedFace(NamedTuple):
    """A face of ``anno.mat``: 0-based corners, and yaw, pitch and roll in degrees as annotated."""

    corners: tuple[float, float, float, float]
    yaw_deg: float
    pitch_deg: float
    roll_deg: float


def read_afw(folder: Path, options: AfwOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of AFW.

    Faces with a pose leave out many small ones. Where the corrected file stands beside ``anno.mat``, its
    other faces are added to be ignored, so that none of them is taken for background.

    Parameters
    ----------
    folder : Path
        Holds the MATLAB files and the images in ``testimages``, ``images`` or itself.
    options : AfwOptions, optional

    Raises
    ------
    DatasetError
        If the file is not found or malformed.
    """
    options = options or AfwOptions()
    images = first_folder(folder, IMAGE_FOLDERS)
    if options.annotation == "corrected":
        path = find_file(folder, CORRECTED_FILES, "corrected AFW annotation")
        for image in read_annotations_struct(path):
            yield AnnotatedImage(images / image.name, boxes_without_view(image.boxes, image.ignore))
        return
    others = _corrected_boxes(folder)
    for name, faces in read_posed_faces(find_file(folder, POSED_FILES, "AFW annotation")):
        posed = np.array([face.corners for face in faces], dtype=np.float32).reshape(-1, 4)
        boxes = tuple(_annotated_box(face, options) for face in faces)
        yield AnnotatedImage(images / name, boxes + _faces_without_pose(others.get(name), posed))


def read_posed_faces(path: Path) -> Iterator[tuple[str, list[PosedFace]]]:
    """Yield each image's name and faces of ``anno.mat``.

    Raises
    ------
    DatasetError
        If the file has another structure.
    """
    rows = load_variable(path, "anno")
    if rows.ndim != 2 or rows.shape[1] < 3 or rows.dtype != object:
        raise DatasetError(f"{path}: anno is {rows.dtype} of shape {rows.shape}, expected a cell array N x 4")
    for number, row in enumerate(rows, start=1):
        try:
            name = text(row[0])
            faces = _posed_faces(row[1].ravel(), row[2].ravel())
        except ValueError as error:
            raise DatasetError(f"{path}: image {number}: {error}") from error
        yield name, faces


def _posed_faces(boxes: NDArray[Any], poses: NDArray[Any]) -> list[PosedFace]:
    if len(boxes) != len(poses):
        raise ValueError(f"has {len(boxes)} boxes, but {len(poses)} poses")
    faces = []
    for box, pose in zip(boxes, poses, strict=True):
        first, second = zero_based(float_rows(box, (2,))).tolist()
        yaw, pitch, roll = float_rows(np.reshape(pose, (1, -1)), (3,))[0].tolist()
        faces.append(PosedFace((*first, *second), yaw, pitch, roll))
    return faces


def _corrected_boxes(folder: Path) -> dict[str, NDArray[np.float64]]:
    """Return the corrected boxes by image; nothing if the file is not there."""
    path = next((folder / name for name in CORRECTED_FILES if (folder / name).is_file()), None)
    return {} if path is None else {image.name: image.boxes for image in read_annotations_struct(path)}


def _faces_without_pose(
    corrected: NDArray[np.float64] | None, posed: NDArray[np.float32]
) -> tuple[AnnotatedBox, ...]:
    """Return the corrected boxes that are none of the faces with a pose, ignored."""
    if corrected is None or not len(corrected):
        return ()
    known = np.zeros(len(corrected), dtype=bool)
    if len(posed):
        known = box_overlaps(corrected.astype(np.float32), posed).max(axis=1) > SAME_FACE_OVERLAP
    others = corrected[~known]
    return boxes_without_view(others, np.ones(len(others), dtype=bool))


def _annotated_box(face: PosedFace, options: AfwOptions) -> AnnotatedBox:
    upright = -options.max_roll_deg <= face.roll_deg < options.max_roll_deg
    view = face_view_name(options.yaw_sign * face.yaw_deg)
    return AnnotatedBox(*face.corners, view=view, ignore=not upright)
