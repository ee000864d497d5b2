"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from badacost.detector.atomic_write import make_writable_folder, open_atomic, write_atomic


def test_text_appears_at_the_end_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "out.txt"
    with open_atomic(path) as stream:
        stream.write("é\n")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == "é\n".encode()
    assert list(path.parent.iterdir()) == [path]


def test_failure_keeps_the_old_file(tmp_path: Path) -> None:
    def interrupted() -> None:
        with open_atomic(path) as stream:
            stream.write("half")
            raise KeyboardInterrupt

    path = tmp_path / "out.txt"
    write_atomic(path, b"old")
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_replace_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x" / "picture.jpg"
    write_atomic(path, b"1")
    write_atomic(path, b"2")
    assert path.read_bytes() == b"2"
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(OSError, match="directory"):
        write_atomic(tmp_path / "x", b"a folder")
    assert not list(tmp_path.glob(".x*"))


def test_file_names_that_are_not_utf8_come_out_as_they_were(tmp_path: Path) -> None:
    with open_atomic(tmp_path / "list") as stream:
        stream.write(os.fsdecode(b"caf\xe9.jpg"))
    assert (tmp_path / "list").read_bytes() == b"caf\xe9.jpg"


def test_pipes_and_devices_are_written_to_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    with open_atomic(pipe) as stream:
        stream.write("through")
    reader.join(10)
    assert received == ["through"]
    assert pipe.is_fifo()


def test_failures_name_the_file_and_not_its_temporary_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for write in (lambda path: write_atomic(path, b"1"), make_writable_folder):
        with pytest.raises(NotADirectoryError) as stop:
            write(tmp_path / "file" / "below")
        assert str(tmp_path / "file") in str(stop.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder") as refused:
        write_atomic(tmp_path / "folder", b"1")
    assert refused.value.filename == str(tmp_path / "folder")
    assert ".tmp" not in str(refused.value)


def test_writable_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    make_writable_folder(tmp_path / "a" / "b")
    assert not list((tmp_path / "a" / "b").iterdir())


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with open_atomic(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    write_atomic(link, b"bytes")
    assert link.is_symlink()
    assert target.read_bytes() == b"bytes"


@pytest.mark.parametrize(
    "statement",
    [
        "with open_atomic('/dev/stdout') as stream: stream.write('found')",
        "write_atomic('/dev/stdout', b'found')",
    ],
)
def test_standard_output_is_written_and_not_replaced(statement: str, tmp_path: Path) -> None:
    program = f"from badacost.detector.atomic_write import open_atomic, write_atomic\n{statement}"
    output = tmp_path / "output.txt"
    with output.open("w") as stream:
        subprocess.run([sys.executable, "-c", program], stdout=stream, check=True)
    assert output.read_text() == "found"
    assert Path("/dev/stdout").is_symlink()
