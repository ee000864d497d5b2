"""A detector trained on AFLW end to end: AFLW's schema with real photographs behind it."""

from __future__ import annotations

import csv
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detector import Detector
from badacost.training.datasets.catalog import DatasetRequest, read_dataset
from badacost.training.options import (
    BoostingOptions,
    FilterOptions,
    JitterOptions,
    MiningOptions,
    TrainingOptions,
)
from badacost.training.parallel_map import Workers
from badacost.training.run_folder import RunFolder
from badacost.training.trainer import TrainingSet, train_detector
from badacost.training.views import FACE_VIEWS, face_views

PER_VIEW = 5
TABLES = {
    "Faces": "face_id INTEGER PRIMARY KEY, file_id TEXT, db_id TEXT",
    "FaceImages": "image_id INTEGER PRIMARY KEY, db_id TEXT, file_id TEXT, filepath TEXT, bw INTEGER",
    "FaceRect": "face_id INTEGER, x INTEGER, y INTEGER, w INTEGER, h INTEGER, annot_type_id INTEGER",
    "FacePose": "face_id INTEGER, roll REAL, pitch REAL, yaw REAL, annot_type_id INTEGER",
}


@pytest.fixture
def aflw(shared: Path, tmp_path: Path) -> Path:
    """A few dozen photographs with one face each, as AFLW would hold them."""
    photographs = shared / "data" / "faces" / "train"
    with (photographs / "train.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    faces_of = {row["image"]: sum(other["image"] == row["image"] for other in rows) for row in rows[-900:]}
    chosen = []
    for view in FACE_VIEWS:
        alone = [row for row in rows if row["view"] == view and faces_of.get(row["image"]) == 1]
        chosen += alone[:PER_VIEW]
    assert len(chosen) == PER_VIEW * len(FACE_VIEWS)
    images = tmp_path / "aflw" / "data" / "flickr" / "0"
    images.mkdir(parents=True)
    with closing(sqlite3.connect(tmp_path / "aflw" / "data" / "aflw.sqlite")) as database:
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns})")
        for number, row in enumerate(chosen, start=1):
            name = f"image{number:05d}.jpg"
            shutil.copy(photographs / row["image"], images / name)
            rectangle = [round(float(row[side])) for side in "xywh"]
            yaw = -math.radians(float(row["yaw_deg"]))  # AFLW's sign
            database.execute("INSERT INTO Faces VALUES (?, ?, 'flickr')", (number, name))
            database.execute(
                "INSERT INTO FaceImages VALUES (?, 'flickr', ?, ?, 0)", (number, name, f"0/{name}")
            )
            database.execute("INSERT INTO FaceRect VALUES (?, ?, ?, ?, ?, 1)", (number, *rectangle))
            database.execute("INSERT INTO FacePose VALUES (?, 0.0, 0.0, ?, 1)", (number, yaw))
        database.commit()
    return tmp_path


def test_training_on_aflw_runs_through(aflw: Path, tmp_path: Path) -> None:
    dataset = read_dataset("aflw", DatasetRequest(folder=aflw, view_names=FACE_VIEWS))
    views = [box.view for image in dataset.images for box in image.boxes]
    assert views == [view for view in FACE_VIEWS for _ in range(PER_VIEW)]
    options = TrainingOptions(
        filters=FilterOptions(count=0),
        jitter=JitterOptions(copies=0),
        boosting=BoostingOptions(rounds=(4, 8)),
        mining=MiningOptions(per_round=200, accumulated=400, start_scale=0.5),
    )
    run = RunFolder(tmp_path / "run", "tiny", resume=False)
    images = TrainingSet(dataset.images, [], face_views())
    trained = train_detector(images, options, run, workers=Workers(jobs=1))
    assert trained.view_names == FACE_VIEWS
    assert trained.cascade.n_trees == 8
    loaded = Detector.load(run.path / "model.npz")
    path = dataset.images[0].path
    assert np.array_equal(loaded.detect(path).boxes, trained.detect(path).boxes)
