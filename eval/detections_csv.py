"""Detections in csv: `detect.py --format csv`, and other files with the same columns under usual names."""

from __future__ import annotations

import math
from pathlib import Path

from .csv_records import CsvFile, box, number
from .detection_rows import DetectionRows
from .input_records import BadRecords


def read_csv_detections(path: Path, rows: DetectionRows, bad: BadRecords) -> None:
    """Add the rows of a file to `rows`.

    Columns: ``file`` (or ``image``), a box (see `csv_records.CsvFile`), ``score``, and optionally ``view``
    and ``angle_deg``.
    """
    table = CsvFile(path)
    image_column = table.column("file", "image")
    score_column = table.column("score")
    box_columns, corners = table.box_columns()
    view_column = table.optional_column("view")
    angle_column = table.optional_column("angle_deg")
    for line, row in table.rows():
        try:
            box_corners = box(row, box_columns, corners).tolist()
            rows.add(
                rows.image_index(row[image_column]),
                box_corners,
                number(row, score_column),
                row[view_column] if view_column else "",
                number(row, angle_column) if angle_column and row[angle_column] else math.nan,
            )
        except ValueError as error:
            bad.add(path, line, str(error))
