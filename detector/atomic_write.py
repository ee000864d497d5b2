"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

# Names there are the system's, as /dev/stdout for whatever a program writes to: nothing is put in their place.
DEVICES = (Path("/dev"), Path("/dev/fd"))


@contextmanager
def open_atomic(path: str | Path) -> Iterator[TextIO]:
    """Open a text file (UTF-8) that replaces `path` when the block ends, and is removed if the block fails.

    Folders above it are made. What is no regular file (a pipe, a device) is written directly, and of a link the file
    that it leads to is replaced.
    """
    path = Path(path)
    _make_folder(path.parent)
    # File names that are not UTF-8 go through Python as surrogates and come out as the bytes they were.
    if _is_written_directly(path):
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            yield stream
        return
    path = _target(path)
    with _temporary(path) as temporary:
        with temporary.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            yield stream
        temporary.replace(path)


def write_atomic(path: str | Path, content: bytes) -> None:
    """Write a binary file, as `open_atomic` does a text file."""
    path = Path(path)
    _make_folder(path.parent)
    if _is_written_directly(path):
        path.write_bytes(content)
        return
    path = _target(path)
    with _temporary(path) as temporary:
        temporary.write_bytes(content)
        temporary.replace(path)


def make_writable_folder(path: str | Path) -> None:
    """Make a folder and those above it, and try whether files can be written there.

    Raises
    ------
    OSError
        With the name of the folder.
    """
    path = Path(path)
    _make_folder(path)
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        error.filename = str(path)
        raise


def _is_written_directly(path: Path) -> bool:
    return path.exists() and (not path.is_file() or path.parent in DEVICES)


def _target(path: Path) -> Path:
    """The file that a link leads to."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """Give a name beside `path`, so that the rename stays on one file system; failures name `path` itself."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
    except OSError as error:
        if error.filename == str(temporary):
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
