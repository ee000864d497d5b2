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
        If the file has results with other columns.
    """

    def __init__(self, path: Path, metrics: Sequence[str]) -> None:
        self.path = path
        self._columns = (*KEY, "seconds", *metrics)
        if path.exists():
            self._drop_broken_line()
            with path.open(newline="", encoding="utf-8") as file:
                reader = csv.reader(file)
                header, first = next(reader, None), next(reader, None)
            if first is None:
                path.write_bytes(b"")  # no result that other columns could be wrong for
            elif header is not None and tuple(header) != self._columns:
                raise ExperimentError(
                    f"{path}: expected the columns {', '.join(self._columns)}, found {', '.join(header)}; "
                    "choose another --output"
                )
        if not path.exists() or path.stat().st_size == 0:
            self._write([self._columns])

    def append(self, result: FitResult) -> None:
        """Add the row of a fit that succeeded, to be found there whatever happens next."""
        job = result.job
        row = [*map(str, job.key), f"{result.seconds:.3f}"]
        for metric in self._columns[len(row) :]:
            if metric not in result.values:
                raise ExperimentError(f"suite {job.suite} did not return {metric!r} for {job.method}")
            row.append(_text(result.values[metric]))
        self._write([row])

    def read(self) -> list[dict[str, str]]:
        """All rows by column; of rows with the same key the last."""
        with self.path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
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

    def _drop_broken_line(self) -> None:
        """A run killed in the middle of a write leaves a line without an end."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            with self.path.open("r+b") as file:
                file.truncate(whole)


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else repr(float(value))
