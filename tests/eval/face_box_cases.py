"""Reading the reference cases of the box protocol without the code under test."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from badacost.eval.detection_table import DetectionTable
from badacost.eval.face_boxes_result import FaceBoxResult
from badacost.eval.ground_truth import FaceGroundTruth


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def corners(row: dict[str, str]) -> list[float]:
    return [float(row[column]) for column in ("x1", "y1", "x2", "y2")]


def read_ground_truth(rows: Path, names: Path) -> list[FaceGroundTruth]:
    faces: dict[str, list[dict[str, str]]] = {name: [] for name in names.read_text().split()}
    for row in read_rows(rows):
        faces[row["image"]].append(row)
    return [
        FaceGroundTruth.create(
            name, [corners(row) for row in listed], ignored=[row["ignore"] == "1" for row in listed]
        )
        for name, listed in faces.items()
    ]


def read_detections(path: Path, images: list[FaceGroundTruth]) -> DetectionTable:
    index = {image.name: number for number, image in enumerate(images)}
    lines = [line.split() for line in path.read_text().splitlines()]
    values = np.array([line[1:] for line in lines], dtype=np.float64)
    return DetectionTable.create([index[line[0]] for line in lines], values[:, 1:], values[:, 0])


def outcome_columns(result: FaceBoxResult) -> dict[str, Any]:
    """True and false positives of each ranked detection."""
    curve = result.raw.curve
    return {
        "tp": np.diff(curve.true_positives, prepend=0),
        "fp": np.diff(curve.false_positives, prepend=0),
        "recall": curve.recall,
        "precision": curve.precision,
    }
