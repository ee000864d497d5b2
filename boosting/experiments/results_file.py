"""The file of results: a CSV with one row a fit, appended as each finishes."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from .suite import FitJob, FitResult
from .table import ExperimentError

KEY = ("suite", "protocol", "dataset", "method", "repeat", "fold")


class ResultsFile:
    """The results of one suite.

    Parameters
    ----------
    path : Path
    metrics : sequence of str
        Columns after the key and the seconds.

    Raises
    ------
    ExperimentError
        If the file is no text, has results with other columns, or a row that is not whole.

    Notes
    -----
    Nothing is written before the first result is added. A run killed in the middle of a write leaves a line without
    an end; it does not count.
    """

    def __init__(self, path: Path, metrics: Sequence[str]) -> None:
        self.path = path
        self._columns = (*KEY, "seconds", *metrics)
        self._is_begun = False
        header, *rows = self._whole_rows() or [list(self._columns)]
        if rows and tuple(header) != self._columns:
            raise ExperimentError(
                f"{path}: expected the columns {', '.join(self._columns)}, found {', '.join(header)}; "
                "choose another --output"
            )
        for number, row in enumerate(rows, start=2):
            if len(row) != len(header):
                raise ExperimentError(
                    f"{path}, line {number}: expected {len(header)} fields, found {len(row)}; mend or remove the line"
                )

    def append(self, result: FitResult) -> None:
        """Add the row of a fit that succeeded, to be found there whatever happens next."""
        job = result.job
        row = [*map(str, job.key), f"{result.seconds:.3f}"]
        for metric in self._columns[len(row) :]:
            if metric not in result.values:
                raise ExperimentError(f"suite {job.suite} did not return {metric!r} for {job.method}")
            row.append(_text(result.values[metric]))
        if not self._is_begun:
            self._begin()
        self._write([row])

    def read(self) -> list[dict[str, str]]:
        """All rows by column; of rows with the same key the last."""
        rows = [dict(zip(self._columns, row, strict=True)) for row in self._whole_rows()[1:]]
        return list({tuple(row[name] for name in KEY): row for row in rows}.values())

    def pending(self, jobs: Sequence[FitJob]) -> list[FitJob]:
        """The jobs without a row."""
        done = {tuple(row[name] for name in KEY) for row in self.read()}
        return [job for job in jobs if tuple(map(str, job.key)) not in done]

    def _write(self, rows: Sequence[Sequence[str]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())

    def _whole_rows(self) -> list[list[str]]:
        """The header and the rows that end."""
        if not self.path.exists():
            return []
        try:
            text = self._whole_lines().decode()
        except UnicodeDecodeError as error:
            raise ExperimentError(f"{self.path}: expected a csv of results in UTF-8") from error
        return list(csv.reader(io.StringIO(text, newline="")))

    def _whole_lines(self) -> bytes:
        content = self.path.read_bytes()
        return content[: content.rfind(b"\n") + 1]

    def _begin(self) -> None:
        """Write the header if there is no result yet, whatever its columns were; remove a line without an end."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if len(self._whole_rows()) < 2:
            self.path.write_bytes(b"")
            self._write([self._columns])
        else:
            whole = len(self._whole_lines())
            if whole < self.path.stat().st_size:
                os.truncate(self.path, whole)
        self._is_begun = True


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else repr(float(value))
