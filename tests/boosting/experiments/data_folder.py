"""A folder of small data sets with a manifest."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

COLUMNS = ("name", "file", "categorical_features", "extra_columns", "suites", "binary_target")


def write_data_folder(folder: Path) -> Path:
    """Two data sets: `clouds` (npz, three classes) and `loans` (csv.gz, two classes, a category, costs, gaps)."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], [60, 40, 30])
    centres = np.array([[0, 0, 0], [2, 0, 1], [0, 2, 2]])[np.repeat(range(3), [60, 40, 30])]
    features = np.round(10 * (centres + random.normal(size=(130, 3)))).astype(np.int16)
    np.savez(folder / "clouds.npz", X=features, y=labels, feature_names=np.array(["u", "v", "w"]))
    rows = []
    for _ in range(150):
        income, colour, bad = random.normal(), random.choice(["red", "green", ""]), random.random() < 0.3
        text = "" if random.random() < 0.1 else f"{income + 1.5 * bad:.3f}"
        rows.append([text, colour, f"{random.uniform(1, 2):.2f}", f"{random.uniform(5, 9):.2f}", "BG"[bad]])
    with gzip.open(folder / "loans.csv.gz", "wt", newline="") as file:
        csv.writer(file).writerows([["income", "colour", "C_FP", "C_FN", "class"], *rows])
    write_manifest(
        folder,
        [
            ("clouds", "clouds.npz", "", "", "badacost;adacc;margin", "c"),
            ("loans", "loans.csv.gz", "colour", "C_FP;C_FN", "adacc-more;framework", "G"),
        ],
    )
    return folder


def write_manifest(folder: Path, rows: list[tuple[str, ...]]) -> None:
    """Write `datasets.csv`."""
    with (folder / "datasets.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
