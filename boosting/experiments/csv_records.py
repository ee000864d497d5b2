"""Records of a csv or csv.gz with a header."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .table import ExperimentError


def read_records(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and the records with the lines that they end at; lines without anything are no records.

    Raises
    ------
    ExperimentError
        If it is no csv in UTF-8, names in the header are not distinct, or a record has not as many fields.
    """
    if path.is_dir():
        raise ExperimentError(f"{path}: expected a file, found a folder")
    try:
        with _open(path) as file:
            reader = csv.reader(file)
            header = next(reader, None)
            if header is None:
                raise ExperimentError(f"{path}: expected a csv with a header, found an empty file")
            if len(set(header)) != len(header) or not header:
                raise ExperimentError(f"{path}, line 1: expected a header of distinct names, found {header}")
            return header, list(_records(reader, header, path))
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path}: expected a csv in UTF-8, found {error.reason}") from error
    except (csv.Error, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ExperimentError(f"{path}: expected a csv, or a whole csv.gz ({error})") from error


def read_columns(path: Path) -> dict[str, list[str]]:
    """The columns as texts.

    Raises
    ------
    ExperimentError
        As `read_records`, and if there is no record.
    """
    header, records = read_records(path)
    if not records:
        raise ExperimentError(f"{path}: expected at least one record below the header")
    columns = zip(*(fields for _, fields in records), strict=True)
    return {name: list(values) for name, values in zip(header, columns, strict=True)}


def _records(reader: Iterator[list[str]], header: list[str], path: Path) -> Iterator[tuple[int, list[str]]]:
    for record in reader:
        line: int = reader.line_num  # type: ignore[attr-defined]
        if record and len(record) != len(header):
            raise ExperimentError(
                f"{path}, line {line}: expected {len(header)} fields as in the header, found {len(record)}"
            )
        if record:
            yield line, record


def _open(path: Path) -> IO[str]:
    """Open as text; spreadsheets put a mark before UTF-8 that is no part of the header."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", newline="", encoding="utf-8-sig")
    return path.open(newline="", encoding="utf-8-sig")
