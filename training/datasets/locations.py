"""Finding the parts of a data set under the folder that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .annotated_image import DatasetError


def find_file(folder: Path, candidates: Sequence[str], content: str) -> Path:
    """Return the first candidate that is a file.

    Parameters
    ----------
    folder : Path
    candidates : sequence of str
        Paths under `folder`, best first.
    content : str
        What the file holds, for the message.

    Raises
    ------
    DatasetError
        If there is none, with the places looked at.
    """
    _check_folder(folder)
    for candidate in candidates:
        if (folder / candidate).is_file():
            return folder / candidate
    raise DatasetError(f"{folder}: found no {content}, expected one of {', '.join(candidates)}")


def find_folder(folder: Path, candidates: Sequence[str], content: str) -> Path:
    """Return the first candidate that is a folder; see `find_file`."""
    _check_folder(folder)
    for candidate in candidates:
        if (folder / candidate).is_dir():
            return folder / candidate
    raise DatasetError(f"{folder}: found no folder of {content}, expected one of {', '.join(candidates)}")


def first_folder(folder: Path, candidates: Sequence[str]) -> Path:
    """Return the first candidate that is a folder, else `folder` itself.

    Readers use it for images: an annotation can be read without them.
    """
    return next((folder / name for name in candidates if (folder / name).is_dir()), folder)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file without surrounding blanks.

    Raises
    ------
    DatasetError
        If it cannot be read as UTF-8 text.
    """
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: is no text file ({error.reason} at byte {error.start})") from error


def read_name_list(path: Path) -> list[str]:
    """Read a split: one name a line, empty lines left out.

    Raises
    ------
    DatasetError
        If it cannot be read, names nothing, or names something twice.
    """
    names: dict[str, int] = {}
    for number, name in enumerate(read_lines(path), start=1):
        if name in names:
            raise DatasetError(f"{path}:{number}: {name!r} was listed before, in line {names[name]}")
        if name:
            names[name] = number
    if not names:
        raise DatasetError(f"{path}: lists no name")
    return list(names)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder")
