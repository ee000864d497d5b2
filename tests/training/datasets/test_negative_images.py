"""Where negatives come from: folders of photographs, and the background of annotated ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.negative_images import read_negatives


def photograph(path: Path) -> None:
    Image.new("RGB", (40, 30)).save(path)


def test_all_images_of_a_folder_in_order_of_their_paths(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    for name in ("b.png", "a.jpg", "more/c.png"):
        photograph(tmp_path / name)
    (tmp_path / "notes.txt").write_text("none")
    images = read_negatives(tmp_path).images
    assert [image.path.name for image in images] == ["a.jpg", "b.png", "c.png"]
    assert not any(image.boxes for image in images)


def test_objects_of_a_csv_file_are_ignored_whatever_their_view(tmp_path: Path) -> None:
    photograph(tmp_path / "street.png")
    (tmp_path / "street.csv").write_text(
        "image,x,y,w,h,view\nstreet.png,1,2,10,8,side\nstreet.png,20,5,6,7,ignore\n"
    )
    (image,) = read_negatives(tmp_path / "street.csv").images
    assert all(box.ignore and box.view is None for box in image.boxes)
    assert image.corners(ignored=True).tolist() == [[1, 2, 11, 10], [20, 5, 26, 12]]


def test_a_malformed_csv_file_is_named(tmp_path: Path) -> None:
    photograph(tmp_path / "street.png")
    (tmp_path / "street.csv").write_text("image,x,y,w,h\nstreet.png,1,2,ten,8\n")
    with pytest.raises(DatasetError, match=r"street\.csv:2: w is 'ten'"):
        read_negatives(tmp_path / "street.csv")


def test_a_folder_without_images_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no image found"):
        read_negatives(tmp_path)
    with pytest.raises(DatasetError, match="no such folder"):
        read_negatives(tmp_path / "nowhere")
