"""VOC's XML: boxes, views, negatives, and documents that must not be expanded."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from badacost.training.datasets.annotated_image import DatasetError
from badacost.training.datasets.voc import VocOptions, read_voc, read_voc_list, read_voc_negatives


def voc_object(name: str, *, pose: str = "Unspecified", difficult: str = "<difficult>0</difficult>") -> str:
    box = "<bndbox><xmin>11</xmin><ymin>21</ymin><xmax>60</xmax><ymax>40.5</ymax></bndbox>"
    head = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox>"
    part = f"<part><name>head</name>{head}</part>"
    return f"<object><name>{name}</name><pose>{pose}</pose>{difficult}{box}{part}</object>"


def write(folder: Path, name: str, *objects: str, filename: str | None = None) -> None:
    (folder / "Annotations").mkdir(exist_ok=True)
    named = f"<filename>{filename}</filename>" if filename else ""
    content = f"<annotation>{named}<size><width>100</width></size>{''.join(objects)}</annotation>"
    (folder / "Annotations" / f"{name}.xml").write_text(content)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "JPEGImages").mkdir()
    write(tmp_path, "000001", voc_object("car", pose="Left"), voc_object("person"), filename="000001.jpg")
    hard = voc_object("car", difficult="<difficult>1</difficult>")
    write(tmp_path, "000002", hard, voc_object("car", difficult=""), filename="000002.png")
    write(tmp_path, "000003", voc_object("dog"))
    return tmp_path


def test_boxes_count_pixels_from_zero(folder: Path) -> None:
    images = list(read_voc(folder, VocOptions(classes=("car",))))
    assert [image.path.name for image in images] == ["000001.jpg", "000002.png", "000003.jpg"]
    assert images[0].path.parent == folder / "JPEGImages"
    (box,) = images[0].boxes
    assert (box.x1, box.y1, box.x2, box.y2) == (10, 20, 60, 40.5)
    assert [box.ignore for box in images[1].boxes] == [True, False]
    assert images[2].boxes == ()


def test_views_from_class_or_pose(folder: Path) -> None:
    def views(options: VocOptions) -> list[str | None]:
        return [box.view for box in next(read_voc(folder, options)).boxes]

    assert views(VocOptions()) == ["car", "person"]
    assert views(VocOptions(view_source="pose")) == ["Left", None]
    assert views(VocOptions(view_source="none")) == [None, None]
    with pytest.raises(ValueError, match="view_source of VocOptions must be one of"):
        VocOptions(view_source="colour")  # type: ignore[arg-type]


def test_negatives_are_the_images_without_the_classes(folder: Path) -> None:
    names = [image.path.name for image in read_voc_negatives(folder, ("person",))]
    assert names == ["000002.png", "000003.jpg"]
    assert [image.path.name for image in read_voc_negatives(folder, ("car",))] == ["000003.jpg"]
    assert all(image.boxes == () for image in read_voc_negatives(folder, ("person",)))
    # A part of an object is no object: nobody annotates a head by itself.
    assert len(list(read_voc_negatives(folder, ("head",)))) == 3


def test_lists_of_names(folder: Path) -> None:
    path = folder / "person_train.txt"
    path.write_text("000003 -1\n000001  1\n\n")
    names = read_voc_list(path)
    assert names == ["000003", "000001"]
    assert [image.path.stem for image in read_voc(folder, VocOptions(names=tuple(names)))] == names
    path.write_text("000003\n000001 2\n")
    with pytest.raises(DatasetError, match=r"person_train\.txt:2: found '000001 2', expected a name"):
        read_voc_list(path)
    path.write_text("000003\n000003\n")
    with pytest.raises(DatasetError, match=r":2: '000003' was listed before, in line 1"):
        read_voc_list(path)
    path.write_text("\n")
    with pytest.raises(DatasetError, match="lists no name"):
        read_voc_list(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<annotation><object>", "000001.xml:1: is no well-formed XML"),
        ("", "is no well-formed XML"),
        ("<html></html>", "found the root element 'html', expected 'annotation'"),
        ("<annotation><object></object></annotation>", "object 1: found no name"),
        ("<annotation><object><name>car</name></object></annotation>", "object 1: 'car' has no bndbox"),
        (
            "<annotation><object><name>a</name><bndbox><xmin>1</xmin></bndbox></object></annotation>",
            "object 1: ymin: found '', expected a number",
        ),
        (
            f"<annotation>{voc_object('car', difficult='<difficult>x</difficult>')}</annotation>",
            "found difficult 'x'",
        ),
        (f"<annotation>{voc_object('car').replace('>60<', '>6<')}</annotation>", "a negative size"),
        (f"<annotation>{voc_object('car').replace('>60<', '>nan<')}</annotation>", "xmax: found 'nan'"),
    ],
)
def test_malformed_files_are_named(folder: Path, content: str, message: str) -> None:
    (folder / "Annotations" / "000001.xml").write_text(content)
    with pytest.raises(DatasetError, match=message):
        list(read_voc(folder))


def test_missing_files_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"000009\.xml: cannot be read"):
        list(read_voc(folder, VocOptions(names=("000009",))))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DatasetError, match=r"holds no \.xml file"):
        list(read_voc(empty))


def test_entities_are_not_expanded(folder: Path) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY e0 "haha">'
    bomb += "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    bomb += "]><annotation><object><name>&e11;</name></object></annotation>"
    (folder / "Annotations" / "000001.xml").write_text(bomb)
    started = time.process_time()
    with pytest.raises(DatasetError, match=r"000001\.xml:1: document type definitions are refused"):
        list(read_voc(folder))
    assert time.process_time() - started < 5  # expanded it would have 4e11 characters


def test_external_entities_are_not_read(folder: Path) -> None:
    secret = folder / "secret.txt"
    secret.write_text("car")
    content = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}">]>\n'
    content += "<annotation><object><name>&s;</name></object></annotation>"
    (folder / "Annotations" / "000001.xml").write_text(content)
    with pytest.raises(DatasetError, match="document type definitions are refused"):
        list(read_voc(folder))


def test_predefined_entities_and_encodings_work(folder: Path) -> None:
    content = f"<annotation>{voc_object('Café &amp; Bar')}</annotation>"
    content = f'<?xml version="1.0" encoding="ISO-8859-1"?>\n{content}'
    (folder / "Annotations" / "000001.xml").write_bytes(content.encode("latin-1"))
    assert next(read_voc(folder)).boxes[0].view == "Café & Bar"
