"""What the user's arguments stand for: order, names of outputs, and what cannot be used."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from badacost.detector.image_sources import ImageSource, find_sources


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of (empty) files, which is also the current one."""
    for name in (
        "photos/b.jpg", "photos/a.PNG", "photos/notes.txt", "photos/.hidden.jpg", "photos/old.detected.jpg",
        "photos/2020/c.jpeg", "photos/2020/clip.mp4", "photos/.cache/d.jpg", "other/b.jpg", "texts/x.txt",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(sources: list[ImageSource]) -> list[str]:
    return [source.name for source in sources]


def outputs(sources: list[ImageSource]) -> list[str]:
    return [source.output_name for source in sources]


def test_folder_is_walked_in_the_order_of_names(tree: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = find_sources(["photos"])
    assert names(found) == ["photos/a.PNG", "photos/b.jpg", "photos/2020/c.jpeg"]
    assert outputs(found) == ["a", "b", "2020/c"]
    assert {source.kind for source in found} == {"image"}
    assert "photos: left out 1 drawings of earlier runs" in caplog.text


def test_single_files(tree: Path) -> None:
    assert find_sources(["photos/b.jpg"]) == [ImageSource(name="photos/b.jpg", output_name="b")]
    found = find_sources(["photos/b.jpg", "photos/2020/c.jpeg", "photos/notes.txt"])
    assert outputs(found) == ["b", "2020/c", "notes"]
    assert find_sources(["photos/old.detected.jpg"])[0].error is None
    assert find_sources(["photos/2020/clip.mp4"])[0].kind == "video"


def test_same_names_in_two_folders(tree: Path) -> None:
    assert outputs(find_sources(["photos/b.jpg", "other/b.jpg"])) == ["photos/b", "other/b"]
    assert outputs(find_sources(["photos", "other"])) == ["photos/a", "photos/b", "photos/2020/c", "other/b"]


def test_same_names_with_other_suffixes(tree: Path) -> None:
    for name in ("b.png", "b.jpg.png"):
        (tree / "photos" / name).touch()
    assert outputs(find_sources(["other"])) == ["b"]
    (tree / "other" / "b.png").touch()
    assert outputs(find_sources(["other"])) == ["b.jpg", "b.png"]
    (tree / "other" / "b.jpg.png").touch()
    assert sorted(outputs(find_sources(["other"]))) == ["b.jpg", "b.jpg.png", "b.png"]


def test_a_file_named_twice_is_searched_once(tree: Path) -> None:
    found = find_sources(["photos/b.jpg", "photos", str(tree / "photos" / "b.jpg"), "photos/../photos/a.PNG"])
    assert names(found) == ["photos/b.jpg", "photos/a.PNG", "photos/2020/c.jpeg"]


def test_patterns(tree: Path) -> None:
    assert names(find_sources(["photos/*"])) == ["photos/a.PNG", "photos/b.jpg"]
    found = find_sources(["photos/**/c*"])
    assert names(found) == ["photos/2020/c.jpeg", "photos/2020/clip.mp4"]
    assert outputs(found) == ["2020/c", "2020/clip"]
    assert names(find_sources([str(tree / "*" / "b.jpg")])) == [
        str(tree / "other" / "b.jpg"),
        str(tree / "photos" / "b.jpg"),
    ]
    strange = tree / "photos" / "a[1].jpg"
    strange.touch()
    assert names(find_sources(["photos/a[1].jpg"])) == ["photos/a[1].jpg"]


def test_list_on_standard_input(tree: Path) -> None:
    lines = ["photos/b.jpg\n", "\n", "photos/2020/c.jpeg\n"]
    found = find_sources(["-"], lines)
    assert names(found) == ["photos/b.jpg", "photos/2020/c.jpeg"]
    assert outputs(found) == ["photos/b", "photos/2020/c"]
    found = find_sources(["-"], [str(tree / line) for line in lines if line.strip()])
    assert outputs(found) == ["b", "2020/c"]
    assert outputs(find_sources(["-"], ["../x/b.jpg"])) == ["b"]
    assert find_sources(["-"], ["photos"])[0].error == "photos: a folder, expected a file"
    assert find_sources(["-"], []) == []


def test_cameras(tree: Path) -> None:
    found = find_sources(["0", "1", "0"])
    assert [(source.name, source.kind) for source in found] == [("0", "camera"), ("1", "camera")]
    assert outputs(found) == ["camera0", "camera1"]
    (tree / "7").touch()
    assert find_sources(["7"])[0].kind == "image"


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("missing.jpg", "missing.jpg: no such file or folder"),
        ("texts", "texts: no images in this folder"),
        ("texts/*", "texts/*: no image or video fits this pattern"),
        ("x" * 5000, "no such file or folder"),
        ("zero\0byte", "no such file or folder"),
    ],
)
def test_what_cannot_be_used(tree: Path, argument: str, reason: str) -> None:
    alone = find_sources([argument])
    assert [reason in (source.error or "") for source in alone] == [True]
    among = find_sources([argument, "photos/b.jpg", argument, "texts/y*"])
    assert [source.error is None for source in among] == [False, True, False]
    assert among[1].output_name == "b"


def test_unreadable_folder_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without permissions, since root may read every folder."""
    scandir = os.scandir

    def forbidding(path: str) -> object:
        if path.endswith("2020"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", forbidding)
    found = find_sources(["photos"])
    assert [source.error for source in found if source.error] == [
        "photos/2020: the folder cannot be read (Permission denied)"
    ]
    assert names(found)[:2] == ["photos/a.PNG", "photos/b.jpg"]
