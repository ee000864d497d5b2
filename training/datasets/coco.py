"""COCO's JSON of instances (Lin et al., ECCV 2014): boxes ``x y width height``, a category each, crowds.

Also the form in which many labelling programs export. The category of an object is taken as its view, which
is how a multi-view data set is written in this form; with a single view the categories do not matter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import first_folder


@dataclass(frozen=True, kw_only=True)
class CocoOptions:
    """How a data set in COCO's form is read.

    Parameters
    ----------
    annotation : str or None
        JSON file under the folder; None: the only one in the folder itself or in its ``annotations``.
    classes : tuple of str
        Categories to read; empty: all. Images without them have no boxes: they serve as negatives.
    """

    annotation: str | None = None
    classes: tuple[str, ...] = ()


def read_coco(folder: Path, options: CocoOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the images of a data set in COCO's form.

    Crowds are ignored, as are boxes with the key ``ignore`` (in COCO's evaluation neither is a hit or a miss)
    and boxes without area.

    Parameters
    ----------
    folder : Path
        Holds the JSON, and images in ``images``, in a folder named like the end of the JSON's name
        (``train2017`` of ``instances_train2017.json``) or beside the JSON.
    options : CocoOptions, optional

    Raises
    ------
    DatasetError
        If the file is not found or malformed, or a chosen class does not occur in it.
    """
    options = options or CocoOptions()
    path = _annotation_file(folder, options.annotation)
    content = _load(path)
    categories = _categories(path, content, options.classes)
    images = _image_folder(folder, path)
    boxes: dict[Any, list[AnnotatedBox]] = {}
    names = {}
    for number, image in enumerate(content["images"]):
        identifier, name = image.get("id"), image.get("file_name")
        if identifier is None or not isinstance(name, str):
            raise DatasetError(f"{path}: images[{number}]: found {image!r}, expected id and file_name")
        if identifier in names:
            raise DatasetError(f"{path}: images[{number}]: the id {identifier!r} occurs twice")
        names[identifier] = name
        boxes[identifier] = []
    for number, annotation in enumerate(content["annotations"]):
        try:
            box = _annotated_box(annotation, categories)
            if annotation.get("image_id") not in boxes:
                raise ValueError(f"there is no image with the id {annotation.get('image_id')!r}")
        except ValueError as error:
            raise DatasetError(f"{path}: annotations[{number}]: {error}") from error
        if box is not None:
            boxes[annotation["image_id"]].append(box)
    for identifier, name in names.items():
        yield AnnotatedImage(images / name, tuple(boxes[identifier]))


def _annotation_file(folder: Path, annotation: str | None) -> Path:
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder")
    if annotation is not None:
        return folder / annotation
    found = sorted([*folder.glob("*.json"), *folder.glob("annotations/*.json")])
    if len(found) != 1:
        listed = ", ".join(path.relative_to(folder).as_posix() for path in found) or "none"
        raise DatasetError(
            f"{folder}: expected one JSON file here or in annotations, found {listed}; name one"
        )
    return found[0]


def _image_folder(folder: Path, path: Path) -> Path:
    images = first_folder(folder, ("images", path.stem.rsplit("_", 1)[-1]))
    return images if images != folder else path.parent


def _load(path: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror})") from error
    except json.JSONDecodeError as error:
        raise DatasetError(f"{path}:{error.lineno}: is no JSON ({error.msg})") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: is no text file ({error.reason} at byte {error.start})") from error
    for key in ("images", "annotations", "categories"):
        records = content.get(key) if isinstance(content, dict) else None
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise DatasetError(f'{path}: expected an object with a list of objects under "{key}"')
    return content


def _categories(
    path: Path, content: dict[str, list[dict[str, Any]]], classes: tuple[str, ...]
) -> dict[Any, str | None]:
    """Return each category's name by its id, None for those that are not read."""
    names: dict[Any, str | None] = {}
    for number, category in enumerate(content["categories"]):
        if category.get("id") is None or not isinstance(category.get("name"), str):
            raise DatasetError(f"{path}: categories[{number}]: found {category!r}, expected id and name")
        names[category["id"]] = category["name"]
    missing = [name for name in classes if name not in names.values()]
    if missing:
        known = ", ".join(str(name) for name in names.values())
        raise DatasetError(f"{path}: has no category {missing[0]!r}, expected one of {known}")
    return {key: name if not classes or name in classes else None for key, name in names.items()}


def _annotated_box(annotation: dict[str, Any], categories: Mapping[Any, str | None]) -> AnnotatedBox | None:
    """Return the box of an annotation, None if its category is not read."""
    identifier, values = annotation.get("category_id"), annotation.get("bbox")
    if identifier not in categories:
        raise ValueError(f"there is no category with the id {identifier!r}")
    if not isinstance(values, list) or len(values) != 4 or not all(_is_finite(value) for value in values):
        raise ValueError(f"found bbox {values!r}, expected [x, y, width, height]")
    view = categories[identifier]
    if view is None:
        return None
    x, y, width, height = values
    if width < 0 or height < 0:
        raise ValueError(f"found bbox {values!r} of negative size")
    flagged = bool(annotation.get("iscrowd", 0)) or bool(annotation.get("ignore", 0))
    ignore = flagged or width == 0 or height == 0
    return AnnotatedBox(x, y, x + width, y + height, view=view, ignore=ignore)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
