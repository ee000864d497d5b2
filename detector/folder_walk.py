"""Walk over a folder and what its links lead to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path


def walk_folder(
    folder: str | Path, *, unreadable: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder with the names of its folders and files, as `os.walk` does from the top.

    Links to folders are followed, and a folder that was met already, as in a circle of links, is passed over.

    Parameters
    ----------
    folder : str or Path
    unreadable : callable, optional
        Told of a folder that cannot be read.
    """
    met: set[str] = set()
    for root, folders, files in os.walk(folder, onerror=unreadable, followlinks=True):
        real = os.path.realpath(root)
        if real in met:
            folders.clear()
            continue
        met.add(real)
        yield root, folders, files


def files_below(folder: str | Path) -> Iterator[Path]:
    """Yield the files below a folder, at any depth and in no order."""
    for root, _, files in walk_folder(folder):
        yield from (Path(root, name) for name in files)
