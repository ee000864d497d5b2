"""COCO's JSON: ground truth with images, annotations and categories, and results arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .image_names import ImageNames
from .input_records import BadRecords, EvaluationError, reason

NO_CATEGORY = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoObjects:
    """Annotated or detected boxes of all images as parallel arrays, in the order of their file.

    Parameters
    ----------
    image_indices : (n,) int64
        Into the ground truth's images.
    categories : (n,) int64
        Into the ground truth's categories; -1 for detections without any.
    boxes : (n, 4) float64
        ``x, y, width, height`` in pixels.
    """

    image_indices: NDArray[np.int64]
    categories: NDArray[np.int64]
    boxes: NDArray[np.float64]

    @property
    def corners(self) -> NDArray[np.float64]:
        """Boxes as ``x1, y1, x2, y2``."""
        return np.hstack((self.boxes[:, :2], self.boxes[:, :2] + self.boxes[:, 2:]))

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoAnnotations(CocoObjects):
    """Annotated boxes.

    Parameters
    ----------
    areas : (n,) float64
        Size in pixels, which decides between small, medium and large.
    crowd : (n,) bool
        Crowds, and boxes marked as ignored: neither found nor missed.
    """

    areas: NDArray[np.float64]
    crowd: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoDetections(CocoObjects):
    """Detected boxes.

    Parameters
    ----------
    scores : (n,) float64
    """

    scores: NDArray[np.float64]

    def at_least(self, min_score: float) -> CocoDetections:
        """Return the detections that reach a score."""
        kept = self.scores >= min_score
        return CocoDetections(
            image_indices=self.image_indices[kept],
            categories=self.categories[kept],
            boxes=self.boxes[kept],
            scores=self.scores[kept],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class CocoGroundTruth:
    """A COCO ground truth.

    Parameters
    ----------
    image_ids : tuple
        As in the file.
    image_names : tuple of str
        File names.
    category_ids : tuple
        As in the file.
    category_names : tuple of str
    annotations : CocoAnnotations
    """

    image_ids: tuple[Any, ...]
    image_names: tuple[str, ...]
    category_ids: tuple[Any, ...]
    category_names: tuple[str, ...]
    annotations: CocoAnnotations


def read_coco_ground_truth(path: Path, bad: BadRecords) -> CocoGroundTruth:
    """Read ``images``, ``categories`` and ``annotations``.

    Annotations with ``iscrowd`` or ``ignore`` are neutral; where ``area`` is missing it is that of the box.

    Raises
    ------
    EvaluationError
        If the file is no COCO ground truth, or a record is bad (see `BadRecords`).
    """
    content = _load(path)
    if not isinstance(content, dict):
        raise EvaluationError(
            f"{path}: found {_kind(content)}, expected an object with images and annotations"
        )
    for key in ("images", "annotations", "categories"):
        if not isinstance(content.get(key), list):
            raise EvaluationError(f'{path}: found {_kind(content.get(key))} under "{key}", expected a list')
    image_ids, image_names = _identified(path, "images", "file_name", content["images"], bad)
    category_ids, category_names = _identified(path, "categories", "name", content["categories"], bad)
    images = {identity: index for index, identity in enumerate(image_ids)}
    categories = {identity: index for index, identity in enumerate(category_ids)}
    rows = []
    for place, record in _records(path, "annotations", content["annotations"], bad):
        try:
            box = _box(record)
            image, category = _known(record, "image_id", images), _known(record, "category_id", categories)
            area = record.get("area", box[2] * box[3])
            if not _is_number(area):
                raise ValueError(f"found the area {area!r}, expected a number")
        except ValueError as error:
            bad.add(path, None, f"{place}: {error}")
            continue
        rows.append((image, category, box, float(area), bool(record.get("iscrowd") or record.get("ignore"))))
    indices, of_category, boxes, areas, crowd = zip(*rows, strict=True) if rows else ([], [], [], [], [])
    return CocoGroundTruth(
        image_ids=image_ids,
        image_names=image_names,
        category_ids=category_ids,
        category_names=category_names,
        annotations=CocoAnnotations(
            image_indices=np.array(indices, dtype=np.int64),
            categories=np.array(of_category, dtype=np.int64),
            boxes=np.array(boxes, dtype=np.float64).reshape(-1, 4),
            areas=np.array(areas, dtype=np.float64),
            crowd=np.array(crowd, dtype=bool),
        ),
    )


def is_coco_results(path: Path) -> bool:
    """Return whether a JSON file holds an array, as COCO's results do."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            while (character := stream.read(1)).isspace():
                pass
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    return character == "["


def read_coco_results(
    path: Path, truth: CocoGroundTruth, bad: BadRecords, *, class_agnostic: bool = False
) -> CocoDetections:
    """Read a results array: ``image_id``, ``category_id``, ``bbox`` and ``score``.

    Parameters
    ----------
    path : Path
    truth : CocoGroundTruth
    bad : BadRecords
    class_agnostic : bool
        Do not read categories.

    Notes
    -----
    An ``image_id`` may also be a file's name.
    """
    content = _load(path)
    if not isinstance(content, list):
        raise EvaluationError(f"{path}: found {_kind(content)}, expected an array of results")
    images = {identity: index for index, identity in enumerate(truth.image_ids)}
    categories = {identity: index for index, identity in enumerate(truth.category_ids)}
    names = ImageNames(truth.image_names)
    rows = []
    for place, record in _records(path, "", content, bad):
        try:
            named = names.find(record["image_id"]) if isinstance(record.get("image_id"), str) else None
            image = _known(record, "image_id", images) if named is None else named
            category = NO_CATEGORY if class_agnostic else _known(record, "category_id", categories)
            box = _box(record)
            if not _is_number(record.get("score")):
                raise ValueError(f"found the score {record.get('score')!r}, expected a number")
        except ValueError as error:
            bad.add(path, None, f"{place}: {error}")
            continue
        rows.append((image, category, box, float(record["score"])))
    indices, of_category, boxes, scores = zip(*rows, strict=True) if rows else ([], [], [], [])
    return CocoDetections(
        image_indices=np.array(indices, dtype=np.int64),
        categories=np.array(of_category, dtype=np.int64),
        boxes=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        scores=np.array(scores, dtype=np.float64),
    )


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    except json.JSONDecodeError as error:
        raise EvaluationError(f"{path}:{error.lineno}: not JSON ({error.msg})") from error


def _records(
    path: Path, key: str, content: Iterable[Any], bad: BadRecords
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and content of the objects of a list."""
    for number, record in enumerate(content):
        place = f"{key}[{number}]"
        if isinstance(record, dict):
            yield place, record
        else:
            bad.add(path, None, f"{place}: found {_kind(record)}, expected an object")


def _identified(
    path: Path, key: str, name_key: str, content: Iterable[Any], bad: BadRecords
) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return ids and names of the images or categories; both must be unique."""
    names: dict[Any, str] = {}
    for place, record in _records(path, key, content, bad):
        identity, name = record.get("id"), record.get(name_key)
        if not isinstance(identity, int | str) or not isinstance(name, str):
            problem = f"found the id {identity!r} and the {name_key} {name!r}, expected a number and a text"
        elif identity in names:
            problem = f"the id {identity!r} occurs twice"
        elif name in names.values():
            problem = f"the {name_key} {name!r} occurs twice"
        else:
            names[identity] = name
            continue
        bad.add(path, None, f"{place}: {problem}")
    return tuple(names), tuple(names.values())


def _known(record: dict[str, Any], key: str, indices: dict[Any, int]) -> int:
    identity = record.get(key)
    if isinstance(identity, int | float | str) and identity in indices:
        return indices[identity]
    raise ValueError(f"found the {key} {identity!r}, which the ground truth does not have")


def _box(record: dict[str, Any]) -> list[float]:
    box = record.get("bbox")
    if not (isinstance(box, list) and len(box) == 4 and all(_is_number(value) for value in box)):
        raise ValueError(f"found the bbox {box!r}, expected [x, y, width, height]")
    if min(box[2:]) < 0:
        raise ValueError(f"found the bbox {box!r} with a negative width or height")
    return [float(value) for value in box]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _kind(value: Any) -> str:
    """Return what a JSON value is, in words."""
    kinds = {dict: "an object", list: "an array", str: "a text", type(None): "nothing", bool: "true or false"}
    return kinds.get(type(value), "a number")
