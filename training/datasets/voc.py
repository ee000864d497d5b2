"""PASCAL VOC's XML annotation (Everingham et al., IJCV 2010): objects with class, pose and `difficult`.

Also the form in which many labelling programs save their boxes. Layout: ``Annotations/NAME.xml``,
``JPEGImages/NAME.jpg``, and lists of names in ``ImageSets/Main``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from xml.etree.ElementTree import Element

from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_folder, first_folder, read_lines
from .safe_xml import parse_xml

ViewSource = Literal["class", "pose", "none"]
IMAGE_FOLDERS = ("JPEGImages", "images")
CLASS_LIST_FLAGS = frozenset(
    ("1", "0", "-1")
)  # in lists of one class: has it, only difficult ones, has it not


@dataclass(frozen=True, kw_only=True)
class VocOptions:
    """How a data set in VOC's form is read.

    Parameters
    ----------
    classes : tuple of str
        Classes to read; empty: all. Images without them have no boxes: they serve as negatives.
    view_source : {"class", "pose", "none"}
        What names the view: the class, or the element `pose` (Frontal, Left, ...; Unspecified is unknown).
    names : tuple of str or None
        Images to read, without suffix; None: one for each file of ``Annotations``, sorted.
    """

    classes: tuple[str, ...] = ()
    view_source: ViewSource = "class"
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.view_source not in get_args(ViewSource):
            allowed = get_args(ViewSource)
            raise ValueError(
                f"view_source of VocOptions must be one of {allowed}, found {self.view_source!r}"
            )


class VocObject(NamedTuple):
    """An `object` element; the box 0-based, right and bottom exclusive."""

    name: str
    pose: str
    difficult: bool
    x1: float
    y1: float
    x2: float
    y2: float


class VocAnnotation(NamedTuple):
    """An annotation file: the image's file name, empty if it is not given, and its objects."""

    filename: str
    objects: tuple[VocObject, ...]


def read_voc(folder: Path, options: VocOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of a data set in VOC's form.

    Difficult objects are ignored, as the benchmark does.

    Parameters
    ----------
    folder : Path
        Such as ``VOCdevkit/VOC2007``.
    options : VocOptions, optional

    Raises
    ------
    DatasetError
        If annotations are not found, or an annotation is malformed.
    """
    options = options or VocOptions()
    for path, annotation in _annotations(folder, options.names):
        boxes = tuple(
            AnnotatedBox(
                item.x1,
                item.y1,
                item.x2,
                item.y2,
                view=_view(item, options.view_source),
                ignore=item.difficult,
            )
            for item in annotation.objects
            if not options.classes or item.name in options.classes
        )
        yield AnnotatedImage(path, boxes)


def read_voc_negatives(
    folder: Path, classes: Sequence[str], names: Sequence[str] | None = None
) -> Iterator[AnnotatedImage]:
    """Yield the images without any object of `classes`, difficult ones included.

    The BAdaCost paper takes the images of VOC 2007 without persons as negatives of its face detector.

    Parameters
    ----------
    folder : Path
    classes : sequence of str
        Such as ``("person",)``.
    names : sequence of str, optional
        See `VocOptions`.
    """
    for path, annotation in _annotations(folder, names):
        if not any(item.name in classes for item in annotation.objects):
            yield AnnotatedImage(path, ())


def read_voc_list(path: Path) -> list[str]:
    """Read a list of ``ImageSets/Main``: names, or names with a flag, which is not looked at.

    Raises
    ------
    DatasetError
        For a malformed line, or a name that occurs twice.
    """
    names: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) > 2 or (len(fields) == 2 and fields[1] not in CLASS_LIST_FLAGS):
            raise DatasetError(f"{path}:{number}: found {line!r}, expected a name, or a name and 1, 0 or -1")
        if fields[0] in names:
            raise DatasetError(
                f"{path}:{number}: {fields[0]!r} was listed before, in line {names[fields[0]]}"
            )
        names[fields[0]] = number
    if not names:
        raise DatasetError(f"{path}: lists no name")
    return list(names)


def read_voc_annotation(path: Path) -> VocAnnotation:
    """Read one annotation file.

    Raises
    ------
    DatasetError
        If it is no plain XML, or an element is missing or malformed.
    """
    root = parse_xml(path)
    if root.tag != "annotation":
        raise DatasetError(f"{path}: found the root element {root.tag!r}, expected 'annotation'")
    objects = []
    for number, element in enumerate(root.findall("object"), start=1):
        try:
            objects.append(_object(element))
        except ValueError as error:
            raise DatasetError(f"{path}: object {number}: {error}") from error
    return VocAnnotation((root.findtext("filename") or "").strip(), tuple(objects))


def _annotations(folder: Path, names: Sequence[str] | None) -> Iterator[tuple[Path, VocAnnotation]]:
    """Yield the image's path and the annotation of each name."""
    annotations = find_folder(folder, ("Annotations", "."), "VOC annotations")
    images = first_folder(folder, IMAGE_FOLDERS)
    if names is None:
        names = sorted(path.stem for path in annotations.glob("*.xml"))
        if not names:
            raise DatasetError(f"{annotations}: holds no .xml file")
    for name in names:
        annotation = read_voc_annotation(annotations / f"{name}.xml")
        suffix = Path(annotation.filename).suffix or ".jpg"
        yield images / f"{name}{suffix}", annotation


def _object(element: Element) -> VocObject:
    name = (element.findtext("name") or "").strip()
    if not name:
        raise ValueError("found no name")
    box = element.find("bndbox")
    if box is None:
        raise ValueError(f"{name!r} has no bndbox")
    left, top, right, bottom = (_number(box, side) for side in ("xmin", "ymin", "xmax", "ymax"))
    if right < left or bottom < top:
        raise ValueError(
            f"{name!r} has the corners {left:g}, {top:g}, {right:g}, {bottom:g}, a negative size"
        )
    difficult = (element.findtext("difficult") or "0").strip()
    if difficult not in ("0", "1"):
        raise ValueError(f"{name!r}: found difficult {difficult!r}, expected 0 or 1")
    pose = (element.findtext("pose") or "").strip()
    # VOC counts pixels from 1 and the last one belongs to the box.
    return VocObject(name, pose, difficult == "1", left - 1, top - 1, right, bottom)


def _number(box: Element, side: str) -> float:
    found = (box.findtext(side) or "").strip()
    try:
        value = float(found)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{side}: found {found!r}, expected a number")
    return value


def _view(item: VocObject, source: ViewSource) -> str | None:
    if source == "class":
        return item.name
    if source == "pose" and item.pose and item.pose != "Unspecified":
        return item.pose
    return None
