"""Our own annotation format: a CSV file with a row an object."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...detector.image_size import image_size
from ...detector.images import ImageError
from ..views import FACE_VIEWS, face_view_name
from .annotated_image import AnnotatedBox, AnnotatedImage, Dataset, DatasetError

REQUIRED = ("image", "x", "y", "w", "h")
COLUMNS = (*REQUIRED, "view", "yaw_deg")
IGNORE = "ignore"
DEFAULT_FILE = "train.csv"


def read_csv_dataset(
    path: str | Path, view_names: Sequence[str], *, strict_views: bool = False, skip_bad: bool = False
) -> Dataset:
    """Read annotated images from a CSV file.

    The columns ``image,x,y,w,h`` and ``view`` or ``yaw_deg`` come in any order; others are left alone. `image` is
    relative to the file, ``x, y`` is the top-left corner in pixels. A view wins over a yaw angle. The view "ignore"
    marks objects that are neither positives nor background. Boxes may stick out of the image.

    Parameters
    ----------
    path : str or Path
        The file, or a folder that holds ``train.csv``.
    view_names : sequence of str
        Views that may occur.
    strict_views : bool
        Whether a single name is a view like any other. If not, it takes every object, and needs no view column.
    skip_bad : bool
        Leave malformed rows and missing images out, and report them. The box of such a row is ignored, or the
        whole image if the box is what is wrong: an object that nobody can locate must not pass for background.

    Returns
    -------
    Dataset
        Images in the order of their first row.

    Raises
    ------
    DatasetError
        Naming file and line of the first malformed row, what was found and expected, and how many more there are.
    """
    path = Path(path)
    if path.is_dir():
        path = path / DEFAULT_FILE
    images: dict[Path, list[AnnotatedBox]] = {}
    messages: list[str] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            only_view = view_names[0] if len(view_names) == 1 and not strict_views else None
            _check_columns(path, list(reader.fieldnames or ()), view_names, told_apart=only_view is None)
            rows = _Rows(path, tuple(view_names), only_view, {})
            for row in reader:
                try:
                    image, box = rows.parse(row, reader.line_num)
                except DatasetError as error:
                    messages.append(str(error))
                    found = rows.ignored(row)
                    if found is None:
                        continue
                    image, box = found
                images.setdefault(image, []).append(box)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path}: not a CSV file in UTF-8 ({error})") from error
    if messages and not skip_bad:
        others = f" (and {len(messages) - 1} more bad rows)" if len(messages) > 1 else ""
        raise DatasetError(f"{messages[0]}{others}")
    if not images:
        raise DatasetError(f"{path}: no usable row found, expected an object a row")
    annotated = [AnnotatedImage(image, tuple(boxes)) for image, boxes in images.items()]
    return Dataset(annotated, len(messages), tuple(messages))


@dataclass(frozen=True)
class _Rows:
    """Parser of the rows of one file."""

    path: Path
    view_names: tuple[str, ...]
    only_view: str | None
    sizes: dict[Path, tuple[int, int]]

    def parse(self, row: Mapping[str, str | None], line: int) -> tuple[Path, AnnotatedBox]:
        """Turn a row into an image path and a box."""
        where = f"{self.path}:{line}"
        if None in row or None in row.values():
            raise DatasetError(f"{where}: the row has another number of fields than the header")
        image, box = self._located(row, where)
        view = self._view(row, where)
        return image, replace(box, view=None if view == IGNORE else view, ignore=view == IGNORE)

    def ignored(self, row: Mapping[str, str | None]) -> tuple[Path, AnnotatedBox] | None:
        """What to ignore for a malformed row: its box, else its image, else nothing."""
        try:
            image, box = self._located(row, "")
        except DatasetError:
            try:
                image = self._image(row, "")
                height, width = self._size(image, "")
            except DatasetError:
                return None
            box = AnnotatedBox(0, 0, width, height)
        return image, replace(box, ignore=True)

    def _located(self, row: Mapping[str, str | None], where: str) -> tuple[Path, AnnotatedBox]:
        """The image of a row and its box, without view."""
        x, y, width, height = (self._number(row, name, where) for name in REQUIRED[1:])
        if width <= 0 or height <= 0:
            raise DatasetError(f"{where}: w and h are {width:g} and {height:g}, expected positive numbers")
        image = self._image(row, where)
        image_height, image_width = self._size(image, where)
        if x >= image_width or y >= image_height or x + width <= 0 or y + height <= 0:
            raise DatasetError(
                f"{where}: the box x={x:g} y={y:g} w={width:g} h={height:g} lies wholly outside {row['image']}, "
                f"which has {image_width}x{image_height} pixels"
            )
        return image, AnnotatedBox(x, y, x + width, y + height)

    def _image(self, row: Mapping[str, str | None], where: str) -> Path:
        name = (row["image"] or "").strip()
        if not name:
            raise DatasetError(f"{where}: image is empty, expected the name of an image file")
        # Spelt in one way: an object missing from a second entry of its image would count as background.
        return Path(os.path.normpath(self.path.parent / name))

    def _number(self, row: Mapping[str, str | None], name: str, where: str) -> float:
        text = row[name] or ""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DatasetError(f"{where}: {name} is {text!r}, expected a finite number")
        return value

    def _size(self, image: Path, where: str) -> tuple[int, int]:
        if image not in self.sizes:
            try:
                self.sizes[image] = image_size(image)
            except ImageError as error:
                raise DatasetError(f"{where}: {error}") from error
        return self.sizes[image]

    def _view(self, row: Mapping[str, str | None], where: str) -> str:
        view = (row.get("view") or "").strip()
        if view == IGNORE:
            return view
        if self.only_view is not None:
            return self.only_view
        if not view and (row.get("yaw_deg") or "").strip():
            view = face_view_name(self._number(row, "yaw_deg", where))
        if view not in self.view_names:
            raise DatasetError(
                f"{where}: view is {view!r}, expected {', '.join(self.view_names)} or {IGNORE}"
            )
        return view


def _check_columns(path: Path, found: list[str], view_names: Sequence[str], *, told_apart: bool) -> None:
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise DatasetError(f"{path}:1: column {missing[0]!r} is missing, found {', '.join(found) or 'none'}")
    double = next((name for name in found if name in COLUMNS and found.count(name) > 1), None)
    if double is not None:
        raise DatasetError(f"{path}:1: column {double!r} occurs twice")
    by_yaw = "yaw_deg" in found and tuple(view_names) == FACE_VIEWS
    if told_apart and "view" not in found and not by_yaw:
        raise DatasetError(f"{path}:1: column 'view' is missing, found {', '.join(found)}")
