"""FDDB's files, good and bad, and the conversion of rectangles to ellipses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.eval.ellipse_conversion import (
    EllipseConversion,
    UprightEllipse,
    convert_fold_by_fold,
    fit_ellipse_conversion,
)
from badacost.eval.fddb_faces import FddbDetections, FddbImage
from badacost.eval.fddb_files import (
    read_fddb_annotations,
    read_fddb_detections,
    read_image_sizes,
    size_lookup,
)
from badacost.eval.fddb_result import read_official_curve
from badacost.eval.input_records import BadRecords, EvaluationError
from badacost.eval.views import FACE_VIEWS

FACE = "10 8 1.5 30 30  1\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def size_of(name: str) -> tuple[int, int] | None:
    return None if name == "unknown" else (60, 80)


def test_folds(shared: Path) -> None:
    sizes = read_image_sizes(shared / "reference/fddb/official/FDDB_fold_and_size.txt", BadRecords())
    folder = shared / "data/faces/annotations_only/FDDB-folds"
    images = read_fddb_annotations(folder, size_lookup(sizes), BadRecords())
    assert (len(images), sum(len(image.ellipses) for image in images)) == (2845, 5171)
    assert {image.fold for image in images} == set(range(1, 11))
    assert max(max(image.height, image.width) for image in images) == 450
    with pytest.raises(EvaluationError, match="no file FDDB-fold-NN-ellipseList"):
        read_fddb_annotations(folder.parent, size_of, BadRecords())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\n10 8 1.5 30 30\n", ":3: found '10 8 1.5 30 30', expected 6 numbers of a face"),
        ("a\n1\n10 8 nan 30 30 1\n", ":3: found '10 8 nan 30 30 1', expected 6 numbers"),
        ("a\n1\n10 -8 1.5 30 30 1\n", ":3: found the radii 10 and -8, expected none below 0"),
        ("a\n1\n10 8 1.5 3e9 30 1\n", ":3: found [10.0, 8.0, 1.5, 3000000000.0"),
        ("a\nb\n1\n" + FACE, ":2: found 'b', expected the number of faces of 'a'"),
        ("a\n2\n" + FACE + "b\n0\n", ":4: found 'b' after 1 of 2 faces of 'a'"),
        ("a\n2\n" + FACE, ":4: found the end of the file after 1 of 2 faces of 'a'"),
        ("a\n0\na\n0\n", ":3: image 'a' occurs twice, first in line 1"),
        ("unknown\n0\n", ":1: the size of image 'unknown' is not known"),
    ],
)
def test_bad_annotations(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "ellipses.txt", text)
    with pytest.raises(EvaluationError) as caught:
        read_fddb_annotations(path, size_of, BadRecords())
    assert str(caught.value).startswith(f"{path}{message}")


def test_skipping_goes_on_at_the_next_record(tmp_path: Path) -> None:
    text = "a\n2\n" + FACE + "b\nx\nc\n2\n1 2 3\n" + FACE + "a\n0\n"
    bad = BadRecords(skip=True)
    images = read_fddb_annotations(write(tmp_path, "ellipses.txt", text), size_of, bad)
    assert [(image.name, len(image.ellipses)) for image in images] == [("a", 1), ("c", 1)]
    assert [message.split(":")[1] for message in bad.messages] == ["4", "6", "8", "10"]


def test_image_in_two_folds(tmp_path: Path) -> None:
    for fold in ("01", "02"):
        write(tmp_path, f"FDDB-fold-{fold}-ellipseList.txt", "a\n1\n" + FACE)
    with pytest.raises(EvaluationError, match="image 'a' occurs in another fold too"):
        read_fddb_annotations(tmp_path, size_of, BadRecords())


def test_sizes(tmp_path: Path) -> None:
    sizes = read_image_sizes(write(tmp_path, "s.txt", "a/b 10 20\n\nc 3 30 40\n"), BadRecords())
    assert sizes == {"a/b": (20, 10), "c": (40, 30)}
    assert size_lookup(sizes)("pictures/a/b.jpg") == (20, 10)
    for text, message in (
        ("a 10\n", ":1: found 'a 10'"),
        ("a 0 9\n", ":1: "),
        ("a 1 2\na 1 2\n", ":2: image 'a' occurs"),
    ):
        with pytest.raises(EvaluationError, match=message):
            read_image_sizes(write(tmp_path, "s.txt", text), BadRecords())


def test_detections_in_any_order_and_format(tmp_path: Path) -> None:
    names = ["a/1", "a/2"]
    text = "a/2.jpg\n1\n1 2 3 4 0.5\na/1\n0\n"
    found, _ = read_fddb_detections(write(tmp_path, "d.txt", text), names, None, BadRecords())
    assert [regions.tolist() for regions in found.regions] == [[], [[1, 2, 4, 6]]]
    ellipses, _ = read_fddb_detections(
        write(tmp_path, "e.txt", text.replace("4 0.5", "4 5 0.5")), names, None, BadRecords()
    )
    assert ellipses.regions[1].tolist() == [[1, 2, 3, 4, 5]]
    rows = "file,x,y,width,height,score,view\nphotos/a/2.jpg,1,2,3,4,0.5,frontal\n"
    found, unlisted = read_fddb_detections(write(tmp_path, "d.csv", rows), names, FACE_VIEWS, BadRecords())
    assert ([r.tolist() for r in found.regions], unlisted) == ([[], [[1, 2, 4, 6]]], [])
    assert found.view_indices[1].tolist() == [2]
    image = {"file": "a/2", "detections": [{"box": [1, 2, 3, 4], "score": 0.5}]}
    document = {"format": "badacost-detections", "version": 1, "images": [image]}
    found, unlisted = read_fddb_detections(
        write(tmp_path, "d.json", json.dumps(document)), names, None, BadRecords()
    )
    assert (found.regions[1].tolist(), unlisted) == ([[1, 2, 4, 6]], ["a/1"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n0\nx\n0\n", ":3: image 'x' is not in the ground truth"),
        ("a\n0\na.jpg\n0\n", ":3: image 'a.jpg' occurs twice"),
        ("a\n0\n", ": image 'b' is missing (without detections it has the number 0)"),
        ("a\n1\n1 2 3 4\nb\n0\n", ":3: found '1 2 3 4', expected 5 or 6 numbers of a detection"),
        ("a\n2\n1 2 3 4 5\n1 2 3 4 5 6\nb\n0\n", ":4: found 6 numbers, but 5 in the rows before"),
        ("a\n1\n1 2 -3 4 5\nb\n0\n", ":3: found the size -3 x 4, expected none below 0"),
        ("a\n1\n1 -2 3 4 5 6\nb\n0\n", ":3: found the radii 1 and -2, expected none below 0"),
    ],
)
def test_bad_detections(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "d.txt", text)
    with pytest.raises(EvaluationError) as caught:
        read_fddb_detections(path, ["a", "b"], None, BadRecords())
    assert str(caught.value) == f"{path}{message}"
    bad = BadRecords(skip=True)
    read_fddb_detections(path, ["a", "b"], None, bad)
    assert bad.messages[0] == f"{path}{message}"


def test_bad_official_curve(tmp_path: Path) -> None:
    path = write(tmp_path, "DiscROC.txt", "0.5 1 2\n0.5 x\n")
    with pytest.raises(EvaluationError, match=r":2: found '0.5 x'"):
        read_official_curve(path)


ELLIPSES = [
    UprightEllipse(
        shift_x=0.02 * view, shift_y=-0.1, vertical_radius=0.6, horizontal_radius=0.5 + 0.01 * view
    )
    for view in range(5)
]


def annotated_from_boxes(n_images: int = 60) -> tuple[list[FddbImage], FddbDetections]:
    """Images whose faces are exactly what `ELLIPSES` make of the detected boxes."""
    rng = np.random.default_rng(0)
    images, regions, views = [], [], []
    for index in range(n_images):
        corners = np.array([[0, 0], [150, 0]]) + rng.uniform(40, 60, (2, 2))
        boxes = np.hstack((corners, corners + rng.uniform(60, 90, (2, 2))))
        of_view = rng.integers(0, 5, 2)
        ellipses = [ELLIPSES[view].apply(box[None])[0] for view, box in zip(of_view, boxes, strict=True)]
        image = FddbImage(name=f"{index}", ellipses=np.array(ellipses), height=300, width=300, fold=index % 3)
        images.append(image)
        regions.append(boxes)
        views.append(of_view)
    scores = [np.ones(2)] * n_images
    return images, FddbDetections(regions=regions, scores=scores, view_indices=views)


def test_fitted_conversion_recovers_the_annotation(tmp_path: Path) -> None:
    images, detections = annotated_from_boxes(150)
    fitted = fit_ellipse_conversion(images, detections, FACE_VIEWS)
    fitted.save(tmp_path / "ellipses.json")
    loaded = EllipseConversion.load(tmp_path / "ellipses.json")
    assert loaded == fitted
    converted = loaded.apply(detections, FACE_VIEWS)
    for image, ellipses in zip(images, converted.regions, strict=True):
        np.testing.assert_allclose(ellipses, image.ellipses, atol=1e-9)
    with pytest.raises(EvaluationError, match="fitted on 1 of the evaluated images, first '7'"):
        loaded.check_not_fitted_on(["7", "other"])
    loaded.check_not_fitted_on(["other"])


def test_axes_of_a_lying_ellipse_are_exchanged() -> None:
    images, detections = annotated_from_boxes()
    lying = [
        replace(image, ellipses=image.ellipses[:, [1, 0, 2, 3, 4]] * [1, 1, 0, 1, 1]) for image in images
    ]
    upright = fit_ellipse_conversion(images, detections, FACE_VIEWS)
    assert fit_ellipse_conversion(lying, detections, FACE_VIEWS).default == upright.default


def test_folds_do_not_see_themselves() -> None:
    images, detections = annotated_from_boxes()
    # One fold is annotated with smaller ellipses: it must be converted with the size of the others.
    changed = [
        replace(image, ellipses=image.ellipses * [0.9, 0.9, 1, 1, 1]) if image.fold == 0 else image
        for image in images
    ]
    no_views = replace(detections, view_indices=[np.full(2, -1)] * len(images))
    converted = convert_fold_by_fold(changed, no_views, FACE_VIEWS)
    for image, boxes, ellipses in zip(changed, detections.regions, converted.regions, strict=True):
        if image.fold == 0:
            np.testing.assert_allclose(ellipses[:, 0], 0.6 * (boxes[:, 3] - boxes[:, 1]))


def test_conversions_that_cannot_be() -> None:
    images, detections = annotated_from_boxes(60)
    with pytest.raises(EvaluationError, match="only 4 faces are found: too few"):
        fit_ellipse_conversion(images[:2], detections.of_images([0, 1]), FACE_VIEWS)
    with pytest.raises(EvaluationError, match="has no folds"):
        convert_fold_by_fold([replace(image, fold=None) for image in images], detections, FACE_VIEWS)
    ellipses = EllipseConversion(default=ELLIPSES[0]).apply(detections, FACE_VIEWS)
    with pytest.raises(EvaluationError, match="are ellipses already"):
        EllipseConversion(default=ELLIPSES[0]).apply(ellipses, FACE_VIEWS)
    with pytest.raises(EvaluationError, match="are ellipses already"):
        fit_ellipse_conversion(images, ellipses, FACE_VIEWS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no ellipse conversion"),
        ("[]", 'expected an object with "format"'),
        ('{"format": "badacost-ellipse-conversion", "version": 9}', "found version 9, expected 1"),
        ('{"format": "badacost-ellipse-conversion", "version": 1}', "'default'"),
        (
            '{"format": "badacost-ellipse-conversion", "version": 1, "default": {"shift_x": "a"}}',
            "missing 3 required",
        ),
    ],
)
def test_bad_conversion_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        EllipseConversion.load(write(tmp_path, "e.json", text))


def test_upright_ellipse_is_checked() -> None:
    with pytest.raises(ValueError, match="vertical_radius of UprightEllipse must be positive, found 0"):
        UprightEllipse(shift_x=0, shift_y=0, vertical_radius=0, horizontal_radius=1)
    with pytest.raises(ValueError, match="shift_x of UprightEllipse must be a finite number"):
        UprightEllipse(shift_x=float("nan"), shift_y=0, vertical_radius=1, horizontal_radius=1)
