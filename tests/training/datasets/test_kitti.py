"""KITTI's labels for training: filters, ignored types, views; the real frames."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import pytest

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.kitti import KittiOptions, read_kitti
from badacost.training.datasets.locations import read_name_list


def label(
    name: str, alpha: float = 0.0, *, height: float = 30.0, occluded: int = 0, truncated: float = 0.0
) -> str:
    box = f"100.00 150.00 160.00 {150 + height:.2f}"
    return f"{name} {truncated:.2f} {occluded} {alpha:.2f} {box} 1.5 1.6 4.0 1.0 1.5 20.0 0.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("label_2", "image_2"):
        (tmp_path / "training" / name).mkdir(parents=True)
    return tmp_path


def write(folder: Path, frame: str, *labels: str, suffix: str = ".png") -> None:
    (folder / "training" / "label_2" / f"{frame}.txt").write_text("\n".join(labels))
    (folder / "training" / "image_2" / f"{frame}{suffix}").touch()


@pytest.mark.parametrize(
    ("line", "ignore"),
    [
        (label("Car", height=25), False),
        (label("Car", height=24.9), True),
        (label("Car", occluded=1), False),
        (label("Car", occluded=2), True),
        (label("Car", truncated=0.3), False),
        (label("Car", truncated=0.31), True),
        (label("Van"), True),
        (label("Truck"), True),
        (label("Tram"), True),
        ("DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10", True),
    ],
)
def test_filters_of_the_paper(folder: Path, line: str, ignore: bool) -> None:
    write(folder, "000000", line)
    (image,) = read_kitti(folder)
    assert [box.ignore for box in image.boxes] == [ignore]


@pytest.mark.parametrize(
    ("line", "clearly_seen"),
    [
        (label("Car", height=40), True),
        (label("Car", height=39.9), False),
        (label("Car", height=40, occluded=1), False),
        (label("Car", height=40, truncated=0.15), True),
        (label("Car", height=40, truncated=0.16), False),
    ],
)
def test_the_level_easy_is_clearly_seen(folder: Path, line: str, clearly_seen: bool) -> None:
    write(folder, "000000", line)
    (image,) = read_kitti(folder)
    assert [box.clearly_seen for box in image.boxes] == [clearly_seen]


def test_other_types_are_background(folder: Path) -> None:
    write(folder, "000000", label("Pedestrian"), label("Car"), label("Cyclist"))
    (image,) = read_kitti(folder)
    assert len(image.boxes) == 1
    (image,) = read_kitti(folder, KittiOptions(classes=("Pedestrian", "Cyclist")))
    assert len(image.boxes) == 2


@pytest.mark.parametrize(
    ("alpha_deg", "view"),
    [
        (0, "1"),
        (-90, "6"),
        (180, "11"),
        (-180, "11"),
        (90, "16"),
        (8.9, "1"),
        (-8.9, "1"),
        (-9.1, "2"),
        (9.1, "20"),
    ],
)
def test_views(folder: Path, alpha_deg: float, view: str) -> None:
    line = label("Car").replace(" 0.00 100.00", f" {math.radians(alpha_deg)} 100.00")
    write(folder, "000000", line)
    assert next(read_kitti(folder)).boxes[0].view == view


def test_no_views(folder: Path) -> None:
    write(folder, "000000", label("Car", -10), label("Car"))
    assert [box.view for box in next(read_kitti(folder)).boxes] == [None, "1"]
    assert [box.view for box in next(read_kitti(folder, KittiOptions(n_views=0))).boxes] == [None, None]


def test_frames_and_image_files(folder: Path) -> None:
    write(folder, "000001", label("Car"), suffix=".jpg")
    write(folder, "000000")
    images = list(read_kitti(folder))
    assert [(image.path.name, len(image.boxes)) for image in images] == [("000000.png", 0), ("000001.jpg", 1)]
    images = list(read_kitti(folder / "training", KittiOptions(frames=("000001",))))
    assert [image.path.name for image in images] == ["000001.jpg"]


def test_what_cannot_be_read_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no label file"):
        list(read_kitti(folder))
    write(folder, "000000", label("Car"), label("Car") + " 0.5")
    with pytest.raises(DatasetError, match=r"000000\.txt:2: a KITTI label line has 15 fields, found 16"):
        list(read_kitti(folder))
    with pytest.raises(DatasetError, match=r"000007\.txt: cannot be read"):
        list(read_kitti(folder, KittiOptions(frames=("000007",))))
    with pytest.raises(DatasetError, match="found no folder of KITTI labels"):
        list(read_kitti(tmp_path / "training" / "image_2"))


def test_options_are_checked() -> None:
    with pytest.raises(
        ValueError, match="ignored_classes of KittiOptions must not hold one of classes, found 'Van'"
    ):
        KittiOptions(classes=("Car", "Van"))
    with pytest.raises(ValueError, match="classes of KittiOptions must name at least one type"):
        KittiOptions(classes=())
    with pytest.raises(ValueError, match=r"n_views of KittiOptions must be 0 \(no views\) or even, found 7"):
        KittiOptions(n_views=7)


def test_real_frames(shared: Path) -> None:
    folder = shared / "data" / "cars" / "kitti"
    counts = {}
    for split in ("train", "val"):
        frames = tuple(read_name_list(folder / "ImageSets" / f"{split}.txt"))
        images = list(read_kitti(folder, KittiOptions(frames=frames)))
        assert len(images) == len(frames)
        assert all(image.path.is_file() for image in images)
        counts[split] = Counter(box.view for image in images for box in image.boxes if not box.ignore)
    with (folder / "view_stats.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(counts["train"].values()) == 713
    assert sum(counts["val"].values()) == 345
    for row in rows:
        for split, count in counts.items():
            columns = [name for name in row if name.startswith(split)]
            if columns and row["bin"].isdigit():
                assert count[row["bin"]] == int(row[columns[0]])
