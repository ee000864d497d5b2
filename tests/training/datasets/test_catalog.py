"""Data sets by name: views, splits, missing images."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from badacost.training.datasets.annotated_image import AnnotatedImage, DatasetError
from badacost.training.datasets.catalog import DATASETS, DatasetRequest, images_of_split, read_dataset
from badacost.training.views import FACE_VIEWS, ring_views


def kitti_folder(folder: Path) -> Path:
    for name in ("label_2", "image_2"):
        (folder / name).mkdir(parents=True)
    tail = "100.00 150.00 160.00 190.00 1.5 1.6 4.0 1.0 1.5 20.0 0.1"
    for frame, alphas in (("000000", ("0.0", "-10")), ("000001", ("-1.57",))):
        lines = [f"Car 0.00 0 {alpha} {tail}" for alpha in alphas]
        (folder / "label_2" / f"{frame}.txt").write_text("\n".join(lines))
        (folder / "image_2" / f"{frame}.png").touch()
    return folder


def fddb_folder(folder: Path) -> Path:
    for fold in range(1, 11):
        image = folder / "originalPics" / f"200{fold % 2}" / f"img_{fold}.jpg"
        image.parent.mkdir(parents=True, exist_ok=True)
        image.touch()
        content = f"200{fold % 2}/img_{fold}\n1\n40 20 1.5 100 120  1\n"
        (folder / f"FDDB-fold-{fold:02d}-ellipseList.txt").write_text(content)
    return folder


def views_of(images: list[AnnotatedImage]) -> list[list[tuple[str | None, bool]]]:
    return [[(box.view, box.ignore) for box in image.boxes] for image in images]


def test_every_name_of_the_command_is_there() -> None:
    assert {"aflw", "kitti", "voc", "coco", "wider", "csv", "afw", "fddb"} <= set(DATASETS)
    assert {source.preset for source in DATASETS.values()} == {"faces", "cars"}


def test_objects_of_unknown_view_are_ignored(tmp_path: Path) -> None:
    request = DatasetRequest(folder=kitti_folder(tmp_path), view_names=ring_views(20).names)
    dataset = read_dataset("kitti", request)
    assert views_of(list(dataset.images)) == [[("1", False), (None, True)], [("6", False)]]
    assert dataset.n_skipped == 0


def test_a_single_view_takes_every_object(tmp_path: Path) -> None:
    request = DatasetRequest(folder=kitti_folder(tmp_path), view_names=("car",))
    assert views_of(list(read_dataset("kitti", request).images)) == [
        [("car", False), ("car", False)],
        [("car", False)],
    ]
    fewer = DatasetRequest(folder=tmp_path, view_names=ring_views(8).names)
    assert views_of(list(read_dataset("kitti", fewer).images))[1] == [("3", False)]


def test_kitti_views_are_bins(tmp_path: Path) -> None:
    request = DatasetRequest(folder=kitti_folder(tmp_path), view_names=("front", "rear"))
    with pytest.raises(DatasetError, match="numbered, 1 to an even number, found front, rear"):
        read_dataset("kitti", request)


def test_a_class_that_is_asked_for_is_not_ignored(tmp_path: Path) -> None:
    folder = kitti_folder(tmp_path)
    path = folder / "label_2" / "000001.txt"
    path.write_text(path.read_text().replace("Car", "Van"))
    request = DatasetRequest(folder=folder, view_names=("vehicle",), classes=("Car", "Van"))
    assert views_of(list(read_dataset("kitti", request).images))[1] == [("vehicle", False)]


def test_sets_without_views_need_a_single_one(tmp_path: Path) -> None:
    folder = fddb_folder(tmp_path)
    with pytest.raises(
        DatasetError, match="FDDB has no views, expected a single one for all objects, found right_"
    ):
        read_dataset("fddb", DatasetRequest(folder=folder, view_names=FACE_VIEWS))
    dataset = read_dataset("fddb", DatasetRequest(folder=folder, view_names=("face",)))
    assert views_of(list(dataset.images)) == [[("face", False)]] * 10


@pytest.mark.parametrize("names", [["2001/img_3", "img_4.jpg"], ["img_3.jpg", "2000\\img_4"]])
def test_split_by_the_end_of_the_path(tmp_path: Path, names: list[str]) -> None:
    folder = fddb_folder(tmp_path / "fddb")
    split = tmp_path / "train.txt"
    split.write_text("\n".join(names))
    request = DatasetRequest(folder=folder, view_names=("face",), split=split)
    images = read_dataset("fddb", request).images
    assert sorted(image.path.name for image in images) == ["img_3.jpg", "img_4.jpg"]
    split.write_text("img_3\nmg_4\n")
    with pytest.raises(DatasetError, match=r"train\.txt: the data set has no image 'mg_4' \(1 such names\)"):
        read_dataset("fddb", request)


def test_split_of_kitti_and_none(tmp_path: Path) -> None:
    folder = kitti_folder(tmp_path / "kitti")
    split = tmp_path / "val.txt"
    split.write_text("000001\n")
    request = DatasetRequest(folder=folder, view_names=("car",), split=split)
    assert [image.path.name for image in read_dataset("kitti", request).images] == ["000001.png"]
    assert images_of_split([AnnotatedImage(Path("a.jpg"))], None) == [AnnotatedImage(Path("a.jpg"))]


def test_missing_images_are_named_or_reported(tmp_path: Path) -> None:
    folder = fddb_folder(tmp_path)
    for number in (2, 5):
        (folder / "originalPics" / f"200{number % 2}" / f"img_{number}.jpg").unlink()
    with pytest.raises(
        DatasetError, match=r"img_2\.jpg: no such image \(nor 1 others\), expected all of 10 images"
    ):
        read_dataset("fddb", DatasetRequest(folder=folder, view_names=("face",)))
    dataset = read_dataset("fddb", DatasetRequest(folder=folder, view_names=("face",), skip_bad=True))
    assert (len(dataset.images), dataset.n_skipped) == (8, 2)
    assert [message.split("/")[-1] for message in dataset.messages] == [
        "img_2.jpg: no such image",
        "img_5.jpg: no such image",
    ]


def test_voc_classes_as_views(tmp_path: Path) -> None:
    (tmp_path / "Annotations").mkdir()
    box = "<bndbox><xmin>11</xmin><ymin>21</ymin><xmax>60</xmax><ymax>40</ymax></bndbox>"
    for number, names in enumerate((("front", "dog"), ("dog",))):
        objects = "".join(f"<object><name>{name}</name>{box}</object>" for name in names)
        (tmp_path / "Annotations" / f"{number}.xml").write_text(f"<annotation>{objects}</annotation>")
        (tmp_path / f"{number}.jpg").touch()
    request = DatasetRequest(folder=tmp_path, view_names=("front", "rear"))
    assert views_of(list(read_dataset("voc", request).images)) == [[("front", False)], []]
    request = DatasetRequest(folder=tmp_path, view_names=("front",), strict_views=True)
    assert views_of(list(read_dataset("voc", request).images)) == [[("front", False)], []]
    request = DatasetRequest(folder=tmp_path, view_names=("animal",), classes=("dog",))
    assert views_of(list(read_dataset("voc", request).images)) == [[("animal", False)], [("animal", False)]]


def test_a_view_that_is_not_wanted_is_named(tmp_path: Path) -> None:
    names = ("Faces", "FaceImages", "FaceRect", "FacePose")
    columns = (
        "face_id, file_id",
        "file_id, filepath",
        "face_id, x, y, w, h, annot_type_id",
        "face_id, roll, yaw",
    )
    rows = ((1, "a.jpg"), ("a.jpg", "0/a.jpg"), (1, 5, 5, 50, 50, 1), (1, 0.0, 1.2))
    with closing(sqlite3.connect(tmp_path / "aflw.sqlite")) as database:
        for name, column, row in zip(names, columns, rows, strict=True):
            database.execute(f"CREATE TABLE {name} ({column})")
            database.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        database.commit()
    (tmp_path / "flickr" / "0").mkdir(parents=True)
    (tmp_path / "flickr" / "0" / "a.jpg").touch()
    request = DatasetRequest(folder=tmp_path, view_names=FACE_VIEWS)
    assert views_of(list(read_dataset("aflw", request).images)) == [[("right_profile", False)]]
    request = DatasetRequest(folder=tmp_path, view_names=("frontal", "half_left"))
    with pytest.raises(DatasetError, match="found the view 'right_profile', expected frontal, half_left"):
        read_dataset("aflw", request)


def test_afw_with_a_single_view_takes_the_corrected_boxes(tmp_path: Path) -> None:
    records = np.empty((1, 1), dtype=[("imgname", object), ("objects", object)])
    records[0, 0] = ("1.jpg", np.array([[11, 21, 61, 71, 0, 0], [1, 1, 9, 9, 0, 1]]))
    savemat(tmp_path / "new_annotations_AFW.mat", {"Annotations": records})
    (tmp_path / "1.jpg").touch()
    request = DatasetRequest(folder=tmp_path, view_names=("face",))
    assert views_of(list(read_dataset("afw", request).images)) == [[("face", False), (None, True)]]


def test_requests_are_checked(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"view_names of DatasetRequest must be different names, found \('a', 'a'\)"
    ):
        DatasetRequest(folder=tmp_path, view_names=("a", "a"))
    with pytest.raises(
        ValueError, match=r"name of read_dataset must be one of aflw, afw, .* found 'imagenet'"
    ):
        read_dataset("imagenet", DatasetRequest(folder=tmp_path, view_names=("a",)))


def test_real_csv(shared: Path) -> None:
    folder = shared / "data" / "faces" / "train"
    dataset = read_dataset("csv", DatasetRequest(folder=folder, view_names=FACE_VIEWS))
    counts = dict.fromkeys(FACE_VIEWS, 0)
    for image in dataset.images:
        for box in image.boxes:
            if box.view is not None:
                counts[box.view] += 1
    assert list(counts.values()) == [221, 704, 859, 643, 222]
    assert len(dataset.images) == 1997
