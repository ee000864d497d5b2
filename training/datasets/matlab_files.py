"""Variables of MATLAB 5 files, and the struct array that AFW's and PASCAL Faces' corrected boxes share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .annotated_image import AnnotatedBox, DatasetError

IGNORE_COLUMN = 5


class MatlabBoxes(NamedTuple):
    """One image of an `Annotations` struct array.

    Parameters
    ----------
    name : str
    boxes : (n, 4) float64
        ``x1, y1, x2, y2``, 0-based.
    ignore : (n,) bool
    """

    name: str
    boxes: NDArray[np.float64]
    ignore: NDArray[np.bool_]


def load_variable(path: Path, variable: str) -> NDArray[Any]:
    """Return one variable.

    Raises
    ------
    DatasetError
        If the file is no MATLAB 5 file, or has no such variable.
    """
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except (
        Exception
    ) as error:  # SciPy raises errors of many kinds on files that are damaged or of other formats
        raise DatasetError(f"{path}: is no readable MATLAB 5 file ({error})") from error
    if variable not in content:
        found = ", ".join(sorted(name for name in content if not name.startswith("__"))) or "nothing"
        raise DatasetError(f"{path}: found the variables {found}, expected {variable}")
    return np.asarray(content[variable])


def read_annotations_struct(path: Path) -> Iterator[MatlabBoxes]:
    """Yield the images of the variable `Annotations`: fields ``imgname`` and ``objects``.

    ``objects`` has the columns x1, y1, x2, y2, 1-based, and in the corrected files two more, the last one
    being 1 for faces to ignore (Mathias et al., ECCV 2014).

    Raises
    ------
    DatasetError
        If fields are missing or objects have another shape.
    """
    records = load_variable(path, "Annotations").ravel()
    fields = records.dtype.names or ()
    if not {"imgname", "objects"} <= set(fields):
        raise DatasetError(f"{path}: Annotations has the fields {fields}, expected imgname and objects")
    for number, record in enumerate(records, start=1):
        try:
            name = text(record["imgname"])
            objects = float_rows(record["objects"], (4, 6))
        except ValueError as error:
            raise DatasetError(f"{path}: image {number}: {error}") from error
        ignore = (
            objects[:, IGNORE_COLUMN] == 1 if objects.shape[1] == 6 else np.zeros(len(objects), dtype=bool)
        )
        yield MatlabBoxes(name, zero_based(objects[:, :4]), ignore)


def boxes_without_view(corners: NDArray[np.float64], ignore: NDArray[np.bool_]) -> tuple[AnnotatedBox, ...]:
    """Return (n, 4) corners with their (n,) flags as annotated boxes."""
    return tuple(
        AnnotatedBox(x1, y1, x2, y2, view=None, ignore=flag)
        for (x1, y1, x2, y2), flag in zip(corners.tolist(), ignore.tolist(), strict=True)
    )


def text(value: NDArray[Any]) -> str:
    """Return the text of a MATLAB char array."""
    flat = np.asarray(value).ravel()
    if flat.size != 1 or not isinstance(flat[0], str):
        raise ValueError(f"found {value!r}, expected a text")
    return str(flat[0])


def float_rows(value: NDArray[Any], columns: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a matrix as float64; MATLAB stores whole numbers in the smallest type, whose sums would wrap."""
    rows = np.asarray(value)
    if rows.size == 0:
        return np.zeros((0, columns[0]))
    if rows.ndim != 2 or rows.shape[1] not in columns:
        raise ValueError(
            f"found a matrix of shape {rows.shape}, expected {' or '.join(map(str, columns))} columns"
        )
    try:
        converted = rows.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"found elements of type {rows.dtype}, expected numbers") from None
    if not np.isfinite(converted[:, :4]).all():
        raise ValueError("found a number that is not finite")
    return converted


def zero_based(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return corners counted from 0; MATLAB counts pixels from 1."""
    return corners - 1.0
