"""Reading the rows of csv files with the line each one stands on."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .input_records import EvaluationError, reason

CORNERS = (("x1", "y1", "x2", "y2"),)
SIZES = (("sq_x", "sq_y", "sq_w", "sq_h"), ("x", "y", "w", "h"), ("x", "y", "width", "height"))


class CsvFile:
    """A csv file with a header line.

    Boxes are read from the columns ``x1,y1,x2,y2``, else ``sq_x,sq_y,sq_w,sq_h`` (a square derived from a box
    that is listed too), else ``x,y,w,h`` or ``x,y,width,height``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns = self._read_header()

    def _read_header(self) -> tuple[str, ...]:
        try:
            with self.path.open(newline="", encoding="utf-8-sig") as stream:
                header = next(csv.reader(stream), None)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise EvaluationError(f"{self.path}: cannot be read as csv ({reason(error)})") from error
        if header is None:
            raise EvaluationError(f"{self.path}:1: empty file, expected a csv header")
        return tuple(name.strip() for name in header)

    def column(self, *alternatives: str) -> str:
        """Return the first of several names that the file has as a column."""
        found = self.optional_column(*alternatives)
        if found is not None:
            return found
        expected = " or ".join(alternatives)
        raise EvaluationError(f"{self.path}:1: no column {expected} among {', '.join(self.columns)}")

    def optional_column(self, *alternatives: str) -> str | None:
        """Return the first of several names that the file has as a column, None if it has none."""
        found = next((name for name in alternatives if name in self.columns), None)
        if found is not None:
            self._check_single(found)
        return found

    def box_columns(self) -> tuple[tuple[str, str, str, str], bool]:
        """Return the four columns of the boxes, and whether they hold corners (else position and size)."""
        for columns in CORNERS + SIZES:
            if all(name in self.columns for name in columns):
                for name in columns:
                    self._check_single(name)
                return columns, columns in CORNERS
        raise EvaluationError(
            f"{self.path}:1: no box columns among {', '.join(self.columns)}, expected x1,y1,x2,y2 or x,y,w,h"
        )

    def _check_single(self, name: str) -> None:
        if self.columns.count(name) > 1:
            raise EvaluationError(f"{self.path}:1: column {name!r} occurs twice, expected it once")

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield line number and fields of each row; a row of another length has the field ``""`` set."""
        with self.path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream)
            next(reader)
            for fields in reader:
                if not fields:
                    continue
                row = dict(zip(self.columns, (field.strip() for field in fields), strict=False))
                row.pop("", None)  # of a column without a name, as of row numbers
                if len(fields) != len(self.columns):
                    row[""] = f"found {len(fields)} fields, expected {len(self.columns)}"
                yield reader.line_num, row


def number(row: Mapping[str, str], column: str) -> float:
    """Return a finite number.

    Raises
    ------
    ValueError
        Naming column and value.
    """
    if "" in row:
        raise ValueError(row[""])
    try:
        value = float(row[column])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"column {column}: found {row[column]!r}, expected a finite number")
    return value


def box(row: Mapping[str, str], columns: tuple[str, str, str, str], corners: bool) -> NDArray[np.float64]:
    """Return ``x1, y1, x2, y2`` of a row, (4,) float64.

    Raises
    ------
    ValueError
        If a field is no number, or the box has a negative side.
    """
    values = np.array([number(row, column) for column in columns])
    if not corners:
        values[2:] += values[:2]
    if (values[2:] < values[:2]).any():
        found = ",".join(row[column] for column in columns)
        raise ValueError(f"box {found} has a negative width or height")
    return values
