"""What the detect command searches: files, folders, patterns, lists, videos, cameras."""

from __future__ import annotations

import glob
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Literal

from .folder_walk import walk_folder
from .images import IMAGE_SUFFIXES

VIDEO_SUFFIXES = frozenset((".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm", ".wmv"))
DRAWING_SUFFIX = ".detected.jpg"  # drawings of detections; folders and patterns leave them out

log = logging.getLogger("badacost.detector")


@dataclass(frozen=True, kw_only=True)
class ImageSource:
    """An image file, a video file or a camera.

    Parameters
    ----------
    name : str
        As given by the user, or below the folder that the user gave.
    kind : {"image", "video", "camera"}
    output_name : str
        Path without suffix for files written for this source; no two sources found together share it.
    error : str, optional
        Why there is nothing to search.
    """

    name: str
    kind: Literal["image", "video", "camera"] = "image"
    output_name: str = ""
    error: str | None = None


def find_sources(arguments: Sequence[str], listed: Iterable[str] = ()) -> list[ImageSource]:
    """Resolve what the user named, in that order; what occurs twice is kept once.

    An argument is, whatever fits first: ``-`` for the `listed` names; an existing folder, walked recursively
    in the order of names (hidden files and folders, and links to folders, are left out); an existing file;
    the number of a camera; a pattern with ``*``, ``?``, ``[...]`` or ``**``. Folders and patterns give the
    files with an image's suffix, patterns those with a video's too; neither gives drawings of earlier runs
    (``*.detected.jpg``).

    Parameters
    ----------
    arguments : sequence of str
    listed : iterable of str
        Lines of the list that ``-`` stands for; empty lines do not count.

    Returns
    -------
    list of ImageSource
        Output names follow the folders: relative to the folder or to the fixed part of the pattern; for files
        named one by one relative to the folder that they share, for a list to the folder it was written in.
    """
    found: list[_Found] = []
    named: list[str] = []
    for argument in arguments:
        if argument == "-":
            found += _named([line.strip() for line in listed if line.strip()], keep_relative=True)
        elif not argument:
            found.append(_Found(argument, PurePath(), error="'': an empty name, expected a file or folder"))
        elif _is(Path.is_dir, argument):
            found += _in_folder(argument)
        elif _is(Path.exists, argument):
            named.append(argument)
            found.append(_Found(argument, PurePath(argument)))
        elif argument.isascii() and argument.isdigit():
            found.append(_Found(argument, PurePath(f"camera{argument}"), kind="camera"))
        elif glob.has_magic(argument):
            found += _matching(argument)
        else:
            found.append(_Found(argument, PurePath(argument), error=f"{argument}: no such file or folder"))
    shared = dict(zip(named, _relative_to_shared_folder(named), strict=True))
    unique: dict[str, _Found] = {}
    for item in found:
        item = replace(item, relative=shared.get(item.name, item.relative))
        unique.setdefault(item.name if item.kind == "camera" else _absolute(item.name), item)
    items = list(unique.values())
    return [
        ImageSource(name=item.name, kind=item.kind, output_name=name, error=item.error)
        for item, name in zip(items, _output_names(items), strict=True)
    ]


@dataclass(frozen=True)
class _Found:
    name: str
    relative: PurePath
    error: str | None = None
    kind: Literal["image", "video", "camera"] = "image"

    def __post_init__(self) -> None:
        if self.kind == "image" and PurePath(self.name).suffix.lower() in VIDEO_SUFFIXES:
            object.__setattr__(self, "kind", "video")


def _in_folder(folder: str) -> list[_Found]:
    found: list[_Found] = []
    n_drawings = 0

    def unreadable(error: OSError) -> None:
        path = str(error.filename)
        reason = f"{path}: the folder cannot be read ({error.strerror})"
        found.append(_Found(path, PurePath(os.path.relpath(path, folder)), error=reason))

    for root, folders, files in walk_folder(folder, unreadable=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.startswith(".") or PurePath(name).suffix.lower() not in IMAGE_SUFFIXES:
                continue
            if name.endswith(DRAWING_SUFFIX):
                n_drawings += 1
                continue
            path = str(Path(root, name))
            found.append(_Found(path, PurePath(os.path.relpath(path, folder))))
    _tell_drawings(folder, n_drawings)
    if not found:
        found.append(_Found(folder, PurePath(), error=f"{folder}: no images in this folder"))
    return found


def _matching(pattern: str) -> list[_Found]:
    suffixes = IMAGE_SUFFIXES | VIDEO_SUFFIXES
    matches = [
        path
        for path in sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (Path.glob takes no absolute one)
        if PurePath(path).suffix.lower() in suffixes and Path(path).is_file()
    ]
    paths = [path for path in matches if not path.endswith(DRAWING_SUFFIX)]
    _tell_drawings(pattern, len(matches) - len(paths))
    if not paths:
        return [_Found(pattern, PurePath(), error=f"{pattern}: no image or video fits this pattern")]
    fixed = Path()
    for part in PurePath(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        fixed /= part
    return [_Found(path, PurePath(os.path.relpath(path, fixed))) for path in paths]


def _is(test: Callable[[Path], bool], name: str) -> bool:
    """Ask about a name that may be too long, or contain a zero byte, and so be no path at all."""
    try:
        return test(Path(name))
    except (OSError, ValueError):
        return False


def _absolute(name: str) -> str:
    """Absolute path without dots; links are kept, since they are names of their own."""
    return os.path.normpath(Path(name).absolute())


def _tell_drawings(where: str, count: int) -> None:
    if count:
        log.warning("%s: left out %d drawings of earlier runs (*%s)", where, count, DRAWING_SUFFIX)


def _named(paths: list[str], *, keep_relative: bool) -> list[_Found]:
    inside = keep_relative and not any(
        PurePath(path).is_absolute() or ".." in PurePath(path).parts for path in paths
    )
    relative = [PurePath(path) for path in paths] if inside else _relative_to_shared_folder(paths)
    return [
        _Found(path, below, error=f"{path}: a folder, expected a file" if _is(Path.is_dir, path) else None)
        for path, below in zip(paths, relative, strict=True)
    ]


def _relative_to_shared_folder(paths: Sequence[str]) -> list[PurePath]:
    """Cut off the folders that all paths have in common."""
    absolute = [PurePath(_absolute(path)) for path in paths]
    folders = [path.parts[:-1] for path in absolute]
    shared = 0
    while all(len(parts) > shared for parts in folders) and len({parts[shared] for parts in folders}) == 1:
        shared += 1
    start = max(shared, 1)  # without the root or drive
    return [PurePath(*path.parts[start:]) for path in absolute]


def _output_names(items: Sequence[_Found]) -> list[str]:
    """Relative paths without suffix; where these would collide, from the shared folder, then with suffix."""
    usable = [item for item in items if item.error is None]
    full = [item.relative for item in usable]
    if len({_without_suffix(path) for path in full}) < len(full):
        full = _relative_to_shared_folder([item.name for item in usable])
    short = [_without_suffix(path) for path in full]
    count = Counter(short)
    names = [path.as_posix() if count[stem] > 1 else stem for path, stem in zip(full, short, strict=True)]
    if len(set(names)) < len(names):
        names = [path.as_posix() for path in full]
    remaining = iter(names)
    return [next(remaining) if item.error is None else "" for item in items]


def _without_suffix(path: PurePath) -> str:
    return path.with_suffix("").as_posix()
