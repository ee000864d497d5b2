"""PASCAL Faces: the faces of 851 images of PASCAL VOC's person layout task, without view.

Two files: as first published (1,335 boxes) and corrected by Mathias, Benenson, Pedersoli and Van Gool (ECCV
2014): 1,635 boxes, some of them to be ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from .annotated_image import AnnotatedImage
from .locations import find_file, first_folder
from .matlab_files import boxes_without_view, read_annotations_struct

Annotation = Literal["corrected", "original"]
FILES = {
    "corrected": "Annotations_Face_PASCALLayout_large_fixed.mat",
    "original": "Annotations_Face_PASCALLayout_large.mat",
}
FILE_FOLDERS = ("", "annotations/", "PASCAL_faces/")
IMAGE_FOLDERS = ("JPEGImages", "images")


@dataclass(frozen=True, kw_only=True)
class PascalFacesOptions:
    """How PASCAL Faces is read.

    Parameters
    ----------
    annotation : {"corrected", "original"}
        Corrected boxes or those first published; numbers on the two are not comparable.
    """

    annotation: Annotation = "corrected"

    def __post_init__(self) -> None:
        if self.annotation not in get_args(Annotation):
            allowed = get_args(Annotation)
            raise ValueError(
                f"annotation of PascalFacesOptions must be one of {allowed}, found {self.annotation!r}"
            )


def read_pascal_faces(folder: Path, options: PascalFacesOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of PASCAL Faces.

    Parameters
    ----------
    folder : Path
        Holds the ``.mat`` file and the images in ``JPEGImages``, ``images`` or itself.
    options : PascalFacesOptions, optional

    Raises
    ------
    DatasetError
        If the file is not found or malformed.
    """
    options = options or PascalFacesOptions()
    candidates = [place + FILES[options.annotation] for place in FILE_FOLDERS]
    path = find_file(folder, candidates, "PASCAL Faces annotation")
    images = first_folder(folder, IMAGE_FOLDERS)
    for image in read_annotations_struct(path):
        yield AnnotatedImage(images / image.name, boxes_without_view(image.boxes, image.ignore))
