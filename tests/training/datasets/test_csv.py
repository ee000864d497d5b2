"""Our own annotation format: what a row says, and which rows are refused or left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from badacost.training.datasets.csv_reader import read_csv_dataset
from badacost.training.views import FACE_VIEWS

HEADER = "image,x,y,w,h,view"


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a.png and deep/b.png of 60 x 40 pixels."""
    folder = tmp_path_factory.mktemp("photographs")
    (folder / "deep").mkdir()
    for name in ("a.png", "deep/b.png"):
        Image.fromarray(np.zeros((40, 60, 3), np.uint8)).save(folder / name)
    return folder


def write(folder: Path, *lines: str, name: str = "train.csv") -> Path:
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


def boxes(folder: Path, *lines: str, views: tuple[str, ...] = FACE_VIEWS) -> list[AnnotatedBox]:
    dataset = read_csv_dataset(write(folder, *lines), views)
    assert dataset.n_skipped == 0
    return [box for image in dataset.images for box in image.boxes]


def test_rows_of_an_image_come_together_in_the_order_of_their_first(photographs: Path) -> None:
    write(
        photographs,
        HEADER,
        "deep/b.png,1,2,10,20,frontal",
        "a.png,3,4,5,6,half_left",
        "./deep/../deep/b.png,5.5,6,7,8,ignore",
        "",
    )
    for path in (photographs, str(photographs), photographs / "train.csv"):
        dataset = read_csv_dataset(path, FACE_VIEWS)
        assert dataset.images == [
            AnnotatedImage(
                photographs / "deep" / "b.png",
                (AnnotatedBox(1, 2, 11, 22, "frontal"), AnnotatedBox(5.5, 6, 12.5, 14, ignore=True)),
            ),
            AnnotatedImage(photographs / "a.png", (AnnotatedBox(3, 4, 8, 10, "half_left"),)),
        ]


def test_columns_in_any_order_with_others_between(photographs: Path) -> None:
    found = boxes(photographs, "\ufeffview,note,h,w,image,y,x,note", 'frontal,"a, b",6,5,a.png,4,3,c')
    assert found == [AnnotatedBox(3, 4, 8, 10, "frontal")]


@pytest.mark.parametrize(
    ("view", "yaw", "expected"),
    [
        ("", "-60.01", "right_profile"),
        ("", "-60", "half_right"),
        ("", "-20", "frontal"),
        ("", "19.9", "frontal"),
        ("", "20", "half_left"),
        ("", "60", "left_profile"),
        (" half_left ", "-75", "half_left"),
        ("frontal", "not looked at", "frontal"),
    ],
)
def test_a_view_wins_over_a_yaw_angle(view: str, yaw: str, expected: str, photographs: Path) -> None:
    (box,) = boxes(photographs, "image,x,y,w,h,view,yaw_deg", f"a.png,3,4,5,6,{view},{yaw}")
    assert (box.view, box.ignore) == (expected, False)


def test_yaw_angles_alone_do(photographs: Path) -> None:
    assert [box.view for box in boxes(photographs, "image,x,y,w,h,yaw_deg", "a.png,3,4,5,6,5")] == ["frontal"]


def test_a_single_view_needs_no_column_and_takes_every_object(photographs: Path) -> None:
    assert [box.view for box in boxes(photographs, "image,x,y,w,h", "a.png,3,4,5,6", views=("dog",))] == [
        "dog"
    ]
    found = boxes(photographs, HEADER, "a.png,3,4,5,6,rear", "a.png,3,4,5,6,ignore", views=("dog",))
    assert [(box.view, box.ignore) for box in found] == [("dog", False), (None, True)]


@given(x=st.floats(-200, 200), y=st.floats(-200, 200), width=st.floats(1, 200), height=st.floats(1, 200))
def test_boxes_may_stick_out_but_not_be_wholly_outside(
    x: float, y: float, width: float, height: float, photographs: Path
) -> None:
    path = write(photographs, HEADER, f"a.png,{x!r},{y!r},{width!r},{height!r},frontal", name="box.csv")
    if x < 60 and y < 40 and x + width > 0 and y + height > 0:
        (image,) = read_csv_dataset(path, FACE_VIEWS).images
        assert image.boxes == (AnnotatedBox(x, y, x + width, y + height, "frontal"),)
    else:
        with pytest.raises(DatasetError, match=r"box\.csv:2: the box .* lies wholly outside a\.png"):
            read_csv_dataset(path, FACE_VIEWS)


BAD_ROWS = {
    "a.png,3,4,0,6,frontal": "w and h are 0 and 6, expected positive numbers",
    "a.png,3,4,5,-6,frontal": "w and h are 5 and -6, expected positive numbers",
    "a.png,nan,4,5,6,frontal": "x is 'nan', expected a finite number",
    "a.png,3,4,5,inf,frontal": "h is 'inf', expected a finite number",
    "a.png,3,,5,6,frontal": "y is '', expected a finite number",
    "a.png,60,4,5,6,frontal": "x=60 y=4 w=5 h=6 lies wholly outside a.png, which has 60x40 pixels",
    "a.png,3,4,5,6,rear": "view is 'rear', expected right_profile, half_right, frontal, ",
    "a.png,3,4,5,6,": "view is '', expected right_profile",
    "a.png,3,4,5,6": "the row has another number of fields than the header",
    "a.png,3,4,5,6,frontal,9": "the row has another number of fields than the header",
    "gone.png,3,4,5,6,frontal": "gone.png: cannot be read (No such file or directory)",
    ",3,4,5,6,frontal": "image is empty, expected the name of an image file",
    "train.csv,3,4,5,6,frontal": "train.csv: not an image of a known format",
}
GOOD = "deep/b.png,1,2,10,20,frontal"


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_named_with_its_line(row: str, photographs: Path) -> None:
    path = write(photographs, HEADER, GOOD, row, GOOD)
    with pytest.raises(DatasetError) as error:
        read_csv_dataset(path, FACE_VIEWS)
    assert str(error.value).startswith(f"{path}:3: ")
    assert BAD_ROWS[row] in str(error.value)
    assert "more bad rows" not in str(error.value)


def test_bad_rows_are_counted(photographs: Path) -> None:
    path = write(photographs, HEADER, GOOD, *BAD_ROWS)
    with pytest.raises(DatasetError, match=rf":3: .* \(and {len(BAD_ROWS) - 1} more bad rows\)$"):
        read_csv_dataset(path, FACE_VIEWS)
    dataset = read_csv_dataset(path, FACE_VIEWS, skip_bad=True)
    assert dataset.n_skipped == len(dataset.messages) == len(BAD_ROWS)
    for line, (message, reason) in enumerate(zip(dataset.messages, BAD_ROWS.values(), strict=True), start=3):
        assert message.startswith(f"{path}:{line}: ")
        assert reason in message


@pytest.mark.parametrize(
    ("row", "ignored"),
    [
        ("a.png,3,4,5,6,rear", [AnnotatedBox(3, 4, 8, 10, ignore=True)]),
        ("a.png,3,4,5,6", [AnnotatedBox(3, 4, 8, 10, ignore=True)]),
        ("a.png,nan,4,5,6,frontal", [AnnotatedBox(0, 0, 60, 40, ignore=True)]),
        ("gone.png,3,4,5,6,frontal", None),
    ],
)
def test_a_skipped_object_does_not_pass_for_background(
    row: str, ignored: list[AnnotatedBox] | None, photographs: Path
) -> None:
    path = write(photographs, HEADER, GOOD, row)
    dataset = read_csv_dataset(path, FACE_VIEWS, skip_bad=True)
    found = {image.path.name: list(image.boxes) for image in dataset.images}
    assert found.get("a.png") == ignored
    assert set(found) <= {"a.png", "b.png"}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("x,y,w,h,view", r":1: column 'image' is missing, found x, y, w, h, view$"),
        ("image,x,y,w,view", r":1: column 'h' is missing, found image, x, y, w, view$"),
        ("image;x;y;w;h;view", r":1: column 'image' is missing, found image;x;y;w;h;view$"),
        ("image,x,y,w,h", r":1: column 'view' is missing, found image, x, y, w, h$"),
        ("image,x,x,y,w,h,view", r":1: column 'x' occurs twice$"),
        ("", r":1: column 'image' is missing, found none$"),
        (HEADER, r"train\.csv: no usable row found, expected an object a row$"),
    ],
)
def test_a_header_that_does_not_do(header: str, message: str, photographs: Path) -> None:
    path = write(photographs, header)
    for skip_bad in (False, True):
        with pytest.raises(DatasetError, match=message):
            read_csv_dataset(path, FACE_VIEWS, skip_bad=skip_bad)


def test_yaw_angles_are_of_the_five_face_views(photographs: Path) -> None:
    path = write(photographs, "image,x,y,w,h,yaw_deg", "a.png,3,4,5,6,5")
    with pytest.raises(DatasetError, match="column 'view' is missing"):
        read_csv_dataset(path, ("left", "right"))


def test_files_that_are_no_csv(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"train\.csv: cannot be read \(No such file or directory\)"):
        read_csv_dataset(tmp_path, FACE_VIEWS)
    (tmp_path / "train.csv").write_bytes(b"image,x,y,w,h,view\n\xff\xfe\n")
    with pytest.raises(DatasetError, match=r"train\.csv: not a CSV file in UTF-8"):
        read_csv_dataset(tmp_path, FACE_VIEWS)


def test_nothing_but_bad_rows_is_nothing(photographs: Path) -> None:
    path = write(photographs, HEADER, "gone.png,3,4,5,6,frontal")
    with pytest.raises(DatasetError, match="no usable row found"):
        read_csv_dataset(path, FACE_VIEWS, skip_bad=True)
