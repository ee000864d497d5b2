"""Folders are walked through links, and circles of links end."""

from __future__ import annotations

from pathlib import Path

from badacost.detector.folder_walk import files_below


def test_links_to_folders_are_followed_and_circles_end(tmp_path: Path) -> None:
    photographs, album = tmp_path / "photographs", tmp_path / "album"
    (photographs / "2020").mkdir(parents=True)
    (photographs / "2020" / "a.jpg").touch()
    (photographs / "circle").symlink_to(photographs)
    album.mkdir()
    (album / "images").symlink_to(photographs)
    assert [path.relative_to(album).as_posix() for path in files_below(album)] == ["images/2020/a.jpg"]
