"""COCO's JSON: categories as views, crowds, malformed records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.coco import CocoOptions, read_coco


def content() -> dict[str, Any]:
    return {
        "images": [
            {"id": 7, "file_name": "b.jpg", "width": 640, "height": 480},
            {"id": 3, "file_name": "sub/a.jpg", "width": 640, "height": 480},
            {"id": 9, "file_name": "c.jpg", "width": 640, "height": 480},
        ],
        "categories": [{"id": 1, "name": "frontal"}, {"id": 5, "name": "left_profile"}],
        "annotations": [
            {"id": 1, "image_id": 3, "category_id": 5, "bbox": [10, 20.5, 30, 40], "iscrowd": 0},
            {"id": 2, "image_id": 3, "category_id": 1, "bbox": [0, 0, 300, 40], "iscrowd": 1},
            {"id": 3, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]},
            {"id": 4, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "ignore": 1},
            {"id": 5, "image_id": 7, "category_id": 5, "bbox": [1, 2, 0, 4]},
        ],
    }


def save(folder: Path, value: Any, name: str = "annotations/instances_train2017.json") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def test_boxes_views_and_ignored(tmp_path: Path) -> None:
    save(tmp_path, content())
    (tmp_path / "train2017").mkdir()
    images = list(read_coco(tmp_path))
    assert [image.path for image in images] == [
        tmp_path / "train2017" / name for name in ("b.jpg", "sub/a.jpg", "c.jpg")
    ]
    assert [[(box.view, box.ignore) for box in image.boxes] for image in images] == [
        [("frontal", False), ("frontal", True), ("left_profile", True)],
        [("left_profile", False), ("frontal", True)],
        [],
    ]
    box = images[1].boxes[0]
    assert (box.x1, box.y1, box.x2, box.y2) == (10, 20.5, 40, 60.5)


def test_classes_select_categories_and_leave_negatives(tmp_path: Path) -> None:
    save(tmp_path, content())
    images = list(read_coco(tmp_path, CocoOptions(classes=("left_profile",))))
    assert [len(image.boxes) for image in images] == [1, 1, 0]
    with pytest.raises(DatasetError, match="has no category 'half', expected one of frontal, left_profile"):
        list(read_coco(tmp_path, CocoOptions(classes=("half",))))


def test_where_images_are(tmp_path: Path) -> None:
    save(tmp_path, content(), "labels.json")
    assert next(read_coco(tmp_path)).path == tmp_path / "b.jpg"
    (tmp_path / "images").mkdir()
    assert next(read_coco(tmp_path)).path == tmp_path / "images" / "b.jpg"


def test_which_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="expected one JSON file here or in annotations, found none"):
        list(read_coco(tmp_path))
    save(tmp_path, content())
    save(tmp_path, content(), "annotations/instances_val2017.json")
    with pytest.raises(
        DatasetError, match=r"instances_train2017\.json, annotations/instances_val2017\.json; name one"
    ):
        list(read_coco(tmp_path))
    assert len(list(read_coco(tmp_path, CocoOptions(annotation="annotations/instances_val2017.json")))) == 3
    with pytest.raises(DatasetError, match=r"other\.json: cannot be read"):
        list(read_coco(tmp_path, CocoOptions(annotation="other.json")))


@pytest.mark.parametrize(
    ("key", "index", "change", "message"),
    [
        ("annotations", 0, {"bbox": [1, 2, 3]}, r"annotations\[0\]: found bbox \[1, 2, 3\], expected"),
        ("annotations", 1, {"bbox": [1, 2, 3, "4"]}, r"annotations\[1\]: found bbox"),
        ("annotations", 1, {"bbox": [1, 2, -3, 4]}, r"annotations\[1\]: found bbox .* of negative size"),
        ("annotations", 2, {"image_id": 8}, r"annotations\[2\]: there is no image with the id 8"),
        ("annotations", 2, {"category_id": 8}, r"annotations\[2\]: there is no category with the id 8"),
        ("images", 1, {"id": 7}, r"images\[1\]: the id 7 occurs twice"),
        ("images", 0, {"file_name": None}, r"images\[0\]: found .* expected id and file_name"),
        ("categories", 0, {"name": 3}, r"categories\[0\]: found .* expected id and name"),
    ],
)
def test_malformed_records_are_named(
    tmp_path: Path, key: str, index: int, change: dict[str, Any], message: str
) -> None:
    broken = content()
    broken[key][index].update(change)
    save(tmp_path, broken)
    with pytest.raises(DatasetError, match=message):
        list(read_coco(tmp_path))


def test_other_json_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, [1, 2])
    with pytest.raises(DatasetError, match='expected an object with a list of objects under "images"'):
        list(read_coco(tmp_path))
    path.write_text('{"images": [\n')
    with pytest.raises(DatasetError, match=r"instances_train2017\.json:2: is no JSON"):
        list(read_coco(tmp_path))
