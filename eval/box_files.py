"""Choosing the reader of a box benchmark's files by what the file is called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .annotations_csv import read_csv_annotations
from .annotations_matlab import read_matlab_annotations
from .annotations_wider import read_wider_annotations
from .detection_rows import DetectionRows
from .detection_table import DetectionTable
from .detections_csv import read_csv_detections
from .detections_json import read_json_detections
from .detections_text import read_text_detections
from .ground_truth import FaceGroundTruth
from .image_names import ImageNames
from .input_records import BadRecords, EvaluationError
from .views import ViewSet


def read_annotations(
    path: Path,
    view_set: ViewSet,
    bad: BadRecords,
    *,
    squares: bool = False,
    max_roll_deg: float | None = None,
) -> list[FaceGroundTruth]:
    """Read ground truth: ``.mat`` AFW or PASCAL Faces, ``.csv`` boxes, ``.txt`` WIDER FACE.

    Parameters
    ----------
    path : Path
    view_set : ViewSet
        Views that a csv file may name.
    bad : BadRecords
    squares : bool
        Convert WIDER FACE's boxes, see `annotations_wider.squares_of_tall_boxes`.
    max_roll_deg : float, optional
        See `annotations_matlab.read_matlab_annotations`.
    """
    if not path.is_file():
        raise EvaluationError(f"{path}: no such file")
    suffix = path.suffix.lower()
    if suffix == ".mat":
        return read_matlab_annotations(path, bad, max_roll_deg=max_roll_deg)
    if suffix == ".csv":
        return read_csv_annotations(path, view_set, bad)
    if suffix == ".txt":
        return read_wider_annotations(path, bad, squares=squares)
    raise EvaluationError(
        f"{path}: found the suffix {suffix!r}, expected .mat (AFW, PASCAL Faces), .csv or .txt (WIDER FACE)"
    )


def read_detections(
    path: Path, names: Sequence[str], view_set: ViewSet | None, bad: BadRecords
) -> tuple[DetectionTable, list[str]]:
    """Read detections: ``.json`` and ``.jsonl`` ours, ``.csv``, otherwise lines ``image score x1 y1 x2 y2``.

    Parameters
    ----------
    path : Path
    names : sequence of str
        Of the annotated images.
    view_set : ViewSet, optional
        None does not read views.
    bad : BadRecords

    Returns
    -------
    detections : DetectionTable
    unlisted : list of str
        Annotated images that a JSON file does not list. In the other formats an image without rows is no sign,
        unless there is no row at all: then all are.
    """
    if not path.is_file():
        raise EvaluationError(f"{path}: no such file")
    rows = DetectionRows(ImageNames(names), view_set)
    suffix = path.suffix.lower()
    if suffix in (".json", ".jsonl"):
        listed = read_json_detections(path, rows, bad)
        return rows.table(), [name for index, name in enumerate(names) if index not in listed]
    if suffix == ".csv":
        read_csv_detections(path, rows, bad)
    else:
        read_text_detections(path, rows, bad)
    table = rows.table()
    return table, [] if len(table) else list(names)
