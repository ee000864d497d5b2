"""Finding an annotated image by the name that a detection file gives it.

Benchmarks write names with or without extension, detectors write paths from wherever they were started.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from ..detector.folder_walk import files_below

IMAGE_SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".bmp", ".gif", ".tif", ".tiff", ".webp")
)


def without_image_suffix(name: str) -> str:
    """Return `name` with forward slashes and without an image file's extension."""
    path = PurePosixPath(name.replace("\\", "/"))
    return str(path.with_suffix("")) if path.suffix.lower() in IMAGE_SUFFIXES else str(path)


class ImageNames:
    """Index of the annotated images' names.

    A name is found if it is equal up to the extension; otherwise if the one is the end of the other, whole
    path components compared, and only one annotated image fits.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._exact = {name: index for index, name in enumerate(self.names)}
        self._endings: dict[str, list[int]] = {}
        self._stems: dict[str, list[int]] = {}
        for index, name in enumerate(self.names):
            stem = without_image_suffix(name)
            self._stems.setdefault(stem, []).append(index)
            parts = PurePosixPath(stem).parts
            for first in range(len(parts)):
                self._endings.setdefault("/".join(parts[first:]), []).append(index)

    def find(self, name: str) -> int | None:
        """Return the index of the annotated image called `name`; None if no image, or more than one, fits."""
        if name in self._exact:
            return self._exact[name]
        stem = without_image_suffix(name)
        for candidates in (self._stems.get(stem), self._endings.get(stem)):
            if candidates is not None:
                return candidates[0] if len(candidates) == 1 else None
        parts = PurePosixPath(stem).parts
        for first in range(1, len(parts)):
            candidates = self._stems.get("/".join(parts[first:]))
            if candidates is not None:
                return candidates[0] if len(candidates) == 1 else None
        return None


class ImageFiles:
    """The image files under a folder, found by an image's name as `ImageNames` does."""

    def __init__(self, folder: Path) -> None:
        self._paths = sorted(path for path in files_below(folder) if path.suffix.lower() in IMAGE_SUFFIXES)
        self._names = ImageNames([path.relative_to(folder).as_posix() for path in self._paths])

    def find(self, name: str) -> Path | None:
        """Return the file of an image; None if no file, or more than one, fits."""
        index = self._names.find(name)
        return None if index is None else self._paths[index]


def find_image_files(folder: Path, names: Iterable[str]) -> tuple[dict[str, Path], list[str]]:
    """Find each named image under `folder`: by its path, with any image extension, or by its ending.

    Returns
    -------
    files : dict of str to Path
    missing : list of str
        The names without a file.
    """
    present = ImageFiles(folder)
    found = {name: present.find(name) for name in names}
    files = {name: path for name, path in found.items() if path is not None}
    return files, [name for name, path in found.items() if path is None]
