"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def open_atomic(path: str | Path) -> Iterator[TextIO]:
    """Open a text file (UTF-8) that replaces `path` when the block ends, and is removed if the block fails.

    Folders above it are made. What is no regular file (a pipe, a device) is written directly.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # File names that are not UTF-8 go through Python as surrogates and come out as the bytes they were.
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            yield stream
        return
    temporary = _temporary(path)
    try:
        with temporary.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            yield stream
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomic(path: str | Path, content: bytes) -> None:
    """Write a binary file; folders above it are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """A name beside `path`, so that the rename stays on one file system."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")
