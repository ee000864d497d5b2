"""The formats of detections: what other programs read out of them."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detections import Detections
from badacost.detector.formats import coco_image_id, text_format
from badacost.detector.image_result import ImageResult
from badacost.detector.kitti_format import parse_kitti_line
from badacost.detector.result_writer import open_results

NAMES, ANGLES = ("frontal", "half_left"), (0.0, 40.0)
BOXES = np.array([[10.3, 20.7, 110.4, 140.2], [-5.123, 3, 25, 33]], np.float32)
SCORES = np.array([34.123456, -0.1], np.float32)


def result(name: str, output_name: str, *, angles: tuple[float, float] = ANGLES, n: int = 2) -> ImageResult:
    found = Detections(BOXES, SCORES, np.array([1, 0]), NAMES, angles, (480, 640))[:n]
    pixels = np.zeros((480, 640, 3), np.uint8)
    return ImageResult(file=name, output_name=output_name, pixels=pixels, detections=found)


def failed(name: str) -> ImageResult:
    return ImageResult(file=name, output_name="bad", error=f"{name}: the file is empty, expected an image")


RESULTS = (
    result("set/000012.png", "000012"),
    failed("bad.jpg"),
    result("b, c.jpg", "sub/b, c", n=0),
    result('q"d".jpg', 'q"d"', n=1),
)


def written(tmp_path: Path, name: str, *results: ImageResult, **options: object) -> str:
    path = tmp_path / "out"
    path.unlink(missing_ok=True)
    form = text_format(name, model="faces", model_sha256="abc", **options)  # type: ignore[arg-type]
    with open_results(form, path) as write:
        for item in results:
            write(item)
        assert not path.exists()
    return path.read_text()


def test_json(tmp_path: Path) -> None:
    document = json.loads(written(tmp_path, "json", *RESULTS))
    images = document.pop("images")
    assert document == {
        "format": "badacost-detections",
        "version": 1,
        "model": "faces",
        "model_sha256": "abc",
    }
    assert [list(image) for image in images] == [["file", "width", "height", "error", "detections"]] * 4
    assert images[0]["file"] == "set/000012.png"
    assert (images[0]["width"], images[0]["height"], images[0]["error"]) == (640, 480, None)
    best = images[0]["detections"][0]
    assert best == {
        "box": [pytest.approx(v, abs=1e-4) for v in (10.3, 20.7, 100.1, 119.5)],
        "score": 34.123455,
        "view": "half_left",
        "angle_deg": 40.0,
    }
    assert images[1] == {
        "file": "bad.jpg",
        "width": None,
        "height": None,
        "error": "bad.jpg: the file is empty, expected an image",
        "detections": [],
    }
    assert images[2]["detections"] == []


def test_json_numbers_are_the_detector_s(tmp_path: Path) -> None:
    """Corners and scores survive the way through text, so that ranks do not change."""
    detections = json.loads(written(tmp_path, "json", RESULTS[0]))["images"][0]["detections"]
    assert [np.float32(d["score"]) for d in detections] == SCORES.tolist()
    for detection, box in zip(detections, BOXES, strict=True):
        x, y, width, height = np.array(detection["box"], np.float32)
        np.testing.assert_array_equal([x, y], box[:2])
        np.testing.assert_allclose([x + width, y + height], box[2:], rtol=2e-7)


def test_json_without_images_is_a_document(tmp_path: Path) -> None:
    assert json.loads(written(tmp_path, "json"))["images"] == []
    assert json.loads(written(tmp_path, "coco")) == []
    assert json.loads(written(tmp_path, "coco", RESULTS[2], RESULTS[1])) == []


def test_json_lines_are_the_document_s_images(tmp_path: Path) -> None:
    document = json.loads(written(tmp_path, "json", *RESULTS))
    lines = written(tmp_path, "jsonl", *RESULTS).splitlines()
    assert [json.loads(line) for line in lines] == document["images"]


def test_views_without_angle(tmp_path: Path) -> None:
    item = result("a.jpg", "a", angles=(math.nan, math.nan))
    detections = json.loads(written(tmp_path, "json", item))["images"][0]["detections"]
    assert [d["angle_deg"] for d in detections] == [None, None]
    assert [row["angle_deg"] for row in rows(written(tmp_path, "csv", item))] == ["", ""]
    assert "deg" not in written(tmp_path, "text", item)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv(tmp_path: Path) -> None:
    text = written(tmp_path, "csv", *RESULTS)
    assert text.startswith("file,x,y,width,height,score,view,angle_deg\n")
    found = rows(text)
    assert [row["file"] for row in found] == ["set/000012.png", "set/000012.png", 'q"d".jpg']
    assert found[1] == {
        "file": "set/000012.png",
        "x": "-5.123",
        "y": "3.0",
        "width": "30.123",
        "height": "30.0",
        "score": "-0.1",
        "view": "frontal",
        "angle_deg": "0.0",
    }


def test_text(tmp_path: Path) -> None:
    lines = written(tmp_path, "text", *RESULTS).splitlines()
    assert lines == [
        "set/000012.png: half_left (40 deg) score=34.12 x=10.3 y=20.7 width=100.1 height=119.5",
        "set/000012.png: frontal (0 deg) score=-0.10 x=-5.1 y=3.0 width=30.1 height=30.0",
        'q"d".jpg: half_left (40 deg) score=34.12 x=10.3 y=20.7 width=100.1 height=119.5',
    ]


def test_coco(tmp_path: Path) -> None:
    found = json.loads(written(tmp_path, "coco", *RESULTS))
    assert [item["image_id"] for item in found] == [12, 12, 'q"d".jpg']
    assert [item["category_id"] for item in found] == [2, 1, 2]
    assert found[1]["bbox"] == [-5.123, 3.0, 30.123, 30.0]
    agnostic = json.loads(written(tmp_path, "coco", *RESULTS, class_agnostic=True))
    assert {item["category_id"] for item in agnostic} == {1}


def test_coco_results_load_in_pycocotools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pycocotools.coco import COCO

    path = tmp_path / "results.json"
    path.write_text(written(tmp_path, "coco", RESULTS[0]))
    truth = COCO()
    truth.dataset = {"images": [{"id": 12}], "annotations": [], "categories": [{"id": 1}, {"id": 2}]}
    truth.createIndex()
    assert len(truth.loadRes(str(path)).anns) == 2


def test_kitti(tmp_path: Path) -> None:
    turned = result("rear.png", "rear", angles=(-180.0, 270.0))
    form = text_format("kitti", model="cars", model_sha256=None, object_type="Car")
    with open_results(form, tmp_path / "results") as write:
        for item in (*RESULTS, turned):
            write(item)
    files = sorted(path.relative_to(tmp_path / "results").as_posix() for path in tmp_path.rglob("*.txt"))
    assert files == ["000012.txt", 'q"d".txt', "rear.txt", "sub/b, c.txt"]
    assert (tmp_path / "results" / "sub" / "b, c.txt").read_text() == ""
    lines = (tmp_path / "results" / "000012.txt").read_text().splitlines()
    best, second = (parse_kitti_line(line, scored=True) for line in lines)
    assert best.type == "Car"
    assert (best.truncated, best.occluded) == (-1, -1)
    assert best.alpha == pytest.approx(math.radians(40), abs=1e-4)
    assert [best.x1, best.y1, best.x2, best.y2] == pytest.approx([10.3, 20.7, 110.4, 140.2])
    assert np.float32(best.score) == SCORES[0]
    assert second.alpha == 0
    turned_lines = (tmp_path / "results" / "rear.txt").read_text().splitlines()
    alphas = [parse_kitti_line(line, scored=True).alpha for line in turned_lines]
    assert alphas == pytest.approx([-math.pi / 2, -math.pi], abs=1e-4)


def test_kitti_without_angles_and_with_another_type(tmp_path: Path) -> None:
    form = text_format("kitti", model="m", model_sha256=None, object_type="Pedestrian")
    with open_results(form, tmp_path) as write:
        write(result("1.png", "1", angles=(math.nan, math.nan)))
    found = [parse_kitti_line(line, scored=True) for line in (tmp_path / "1.txt").read_text().splitlines()]
    assert [(item.type, item.alpha) for item in found] == [("Pedestrian", -10)] * 2
    with (
        pytest.raises(ValueError, match="must be a folder for a format of a file per image"),
        open_results(form, None),
    ):
        pass


def test_fddb(tmp_path: Path) -> None:
    lines = written(tmp_path, "fddb", *RESULTS[:3]).splitlines()
    assert lines == [
        "000012",
        "2",
        f"{float(str(BOXES[0, 0]))} 20.7 100.1 119.5 34.123455",
        "-5.123 3.0 30.123 30.0 -0.1",
        "sub/b, c",
        "0",
    ]


def test_standard_output_and_a_folder_as_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form = text_format("json", model="m", model_sha256=None)
    for output in (None, tmp_path):
        with open_results(form, output) as write:
            write(RESULTS[0])
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "detections.json").read_text())


def test_a_failed_run_leaves_the_old_file(tmp_path: Path) -> None:
    def run() -> None:
        with open_results(text_format("json", model="m", model_sha256=None), path) as write:
            write(RESULTS[0])
            raise RuntimeError

    path = tmp_path / "out.json"
    path.write_text("old")
    with pytest.raises(RuntimeError):
        run()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match=r"name of text_format must be one of text, json, .*, found 'xml'"):
        text_format("xml", model="m", model_sha256=None)


@pytest.mark.parametrize(
    ("file", "output_name", "image_id"),
    [
        ("set/000139.jpg", "000139", 139),
        ("set/7.png", "set/7.png", "7.png"),  # beside 7.jpg
        ("set/a1.jpg", "a1", "a1.jpg"),
        ("walk.mp4#3", "walk_000003", "walk.mp4#3"),
    ],
)
def test_coco_image_id(file: str, output_name: str, image_id: int | str) -> None:
    assert coco_image_id(file, output_name) == image_id


def test_kitti_needs_the_type_of_objects() -> None:
    with pytest.raises(ValueError, match="object_type of kitti_results must be one word, found ''"):
        text_format("kitti", model="m", model_sha256=None)
