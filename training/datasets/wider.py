"""WIDER FACE (Yang, Luo, Loy, Tang, CVPR 2016): faces without view in ``wider_face_*_bbx_gt.txt``.

Each image has a line with its name, a line with the number of faces and a line a face: ``x y w h blur
expression illumination invalid occlusion pose``. The official lists have one line of zeros where the number
is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_file, first_folder, read_lines

Subset = Literal["train", "val"]
BoxShape = Literal["square", "official"]
FIELDS = 10

# Medians over the 468 faces of AFW: from a box from forehead to chin to AFW's square from eyebrows to chin.
SQUARE_SIDE = 0.9
SQUARE_DROP = 0.125


@dataclass(frozen=True, kw_only=True)
class WiderOptions:
    """How WIDER FACE is read.

    Parameters
    ----------
    subset : {"train", "val"}
    box_shape : {"square", "official"}
        Squares from eyebrows to chin as the other face sets have them, or the tall boxes as annotated.
    max_blur : int
        Faces of a higher blur (0 clear, 1 normal, 2 heavy) are ignored.
    max_occlusion : int
        Faces of a higher occlusion (0 none, 1 partial, 2 heavy) are ignored.
    min_size : float
        Faces narrower or lower than this many pixels are ignored: annotations of smaller ones are incomplete.
    """

    subset: Subset = "train"
    box_shape: BoxShape = "square"
    max_blur: int = 1
    max_occlusion: int = 1
    min_size: float = 20.0

    def __post_init__(self) -> None:
        if self.subset not in get_args(Subset):
            raise ValueError(
                f"subset of WiderOptions must be one of {get_args(Subset)}, found {self.subset!r}"
            )
        if self.box_shape not in get_args(BoxShape):
            raise ValueError(
                f"box_shape of WiderOptions must be one of {get_args(BoxShape)}, found {self.box_shape!r}"
            )


class WiderFace(NamedTuple):
    """A line of the annotation."""

    x: float
    y: float
    width: float
    height: float
    blur: int
    expression: int
    illumination: int
    invalid: int
    occlusion: int
    pose: int


def read_wider(folder: Path, options: WiderOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of WIDER FACE.

    Faces marked invalid or without area are ignored, so are those beyond the limits of `options`.

    Parameters
    ----------
    folder : Path
        Holds ``wider_face_split`` and ``WIDER_train`` or ``WIDER_val`` as published, or the list and
        ``images``.
    options : WiderOptions, optional

    Raises
    ------
    DatasetError
        If the list is not found, or a line is malformed.
    """
    options = options or WiderOptions()
    name = f"wider_face_{options.subset}_bbx_gt.txt"
    path = find_file(folder, (f"wider_face_split/{name}", name), "WIDER FACE list")
    images = first_folder(folder, (f"WIDER_{options.subset}/images", "images"))
    for image, faces in read_wider_list(path):
        yield AnnotatedImage(images / image, tuple(_annotated_box(face, options) for face in faces))


def read_wider_list(path: Path) -> Iterator[tuple[str, list[WiderFace]]]:
    """Yield each image's name and faces as the list has them.

    Raises
    ------
    DatasetError
        For a malformed line, or an image that occurs twice.
    """
    lines = read_lines(path)
    while lines and not lines[-1]:
        lines.pop()
    seen: set[str] = set()
    position = 0
    while position < len(lines):
        name = lines[position]
        if not name or name in seen:
            problem = (
                f"image {name!r} occurs twice" if name else "found an empty line, expected an image's name"
            )
            raise DatasetError(f"{path}:{position + 1}: {problem}")
        seen.add(name)
        count = _count(path, lines, position + 1, name)
        position += 2
        faces = [_face(path, lines, position + row, name) for row in range(count)]
        position += count
        if count == 0 and position < len(lines) and lines[position].split() == ["0"] * FIELDS:
            position += 1
        yield name, faces


def square_of_tall_box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Return the corners of the square from eyebrows to chin for a box from forehead to chin.

    The side is 0.9 times the geometric mean of width and height, the centre lies 0.125 heights lower.
    """
    half = SQUARE_SIDE * math.sqrt(width * height) / 2
    centre_x, centre_y = x + width / 2, y + height / 2 + SQUARE_DROP * height
    return centre_x - half, centre_y - half, centre_x + half, centre_y + half


def _annotated_box(face: WiderFace, options: WiderOptions) -> AnnotatedBox:
    width, height = max(face.width, 0.0), max(face.height, 0.0)
    corners = (face.x, face.y, face.x + width, face.y + height)
    if options.box_shape == "square":
        corners = square_of_tall_box(face.x, face.y, width, height)
    ignore = (
        face.invalid == 1
        or min(width, height) < max(options.min_size, 1)
        or face.blur > options.max_blur
        or face.occlusion > options.max_occlusion
    )
    return AnnotatedBox(*corners, view=None, ignore=ignore)


def _count(path: Path, lines: Sequence[str], position: int, name: str) -> int:
    found = lines[position] if position < len(lines) else "the end of the file"
    if not found.isdigit():
        raise DatasetError(
            f"{path}:{position + 1}: found {found!r}, expected the number of faces of {name!r}"
        )
    return int(found)


def _face(path: Path, lines: Sequence[str], position: int, name: str) -> WiderFace:
    found = lines[position] if position < len(lines) else "the end of the file"
    fields = found.split()
    try:
        if len(fields) != FIELDS:
            raise ValueError
        x, y, width, height = (float(field) for field in fields[:4])
        attributes = [int(field) for field in fields[4:]]
        if not all(map(math.isfinite, (x, y, width, height))):
            raise ValueError
    except ValueError:
        expected = f"{FIELDS} numbers of a face of {name!r}"
        raise DatasetError(f"{path}:{position + 1}: found {found!r}, expected {expected}") from None
    return WiderFace(x, y, width, height, *attributes)
