"""How every evaluator's result leaves the program: a text table, JSON or CSV."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .input_records import EvaluationError


def format_table(header: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> str:
    """Return an aligned text table: first column to the left, the others to the right.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequences
        Numbers of type float are printed with two decimals, None as a dash, all else as it is.
    title : str
        A line above the table.

    Raises
    ------
    ValueError
        If a row has not as many cells as the header.
    """
    lines = [[str(name) for name in header]]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"format_table: {len(header)} columns but a row of {len(row)}: {row!r}")
        lines.append([_format_cell(cell) for cell in row])
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    printed = [
        "  ".join(
            [
                line[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
            ]
        ).rstrip()
        for line in lines
    ]
    printed.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([title, *printed] if title else printed)


def check_writable(path: str | Path) -> None:
    """Raise `EvaluationError` if a file cannot be written; nothing is left behind."""
    file = Path(path)
    folder = file.resolve().parent
    if file.is_dir():
        raise EvaluationError(f"{path}: cannot be written, it is a folder")
    if not folder.is_dir():
        raise EvaluationError(f"{path}: cannot be written, its folder does not exist")
    try:
        if file.exists():
            writable = os.access(file, os.W_OK)
        else:
            with tempfile.TemporaryFile(dir=folder):
                writable = True
    except OSError:
        writable = False
    if not writable:
        raise EvaluationError(f"{path}: cannot be written there")


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write `content`, which must hold plain Python values and no NaN, as indented JSON."""
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def write_csv(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file with one header line; None becomes an empty cell."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _format_cell(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
