"""The folder of data sets: a manifest `datasets.csv`, and one csv.gz or npz a data set.

Columns of the manifest that are used: name, file, categorical_features, extra_columns, suites (these three with
semicolons between their parts) and binary_target. A csv.gz has a header, features, the extra columns (costs of
records) and `class`; an npz has X, y and feature_names.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .csv_records import read_columns, read_records
from .table import OUTCOMES, ExperimentError, Table, encode, numbers

FILE = "datasets.csv"
TARGET = "class"
# Features that are stored as whole numbers, and what they are multiplied by.
SCALES = {"isolet_subset": 1e-4}


@dataclass(frozen=True, kw_only=True)
class ManifestEntry:
    """One data set of the manifest.

    Parameters
    ----------
    name : str
    path : Path
    categorical : tuple of str
        Names of the attributes that are categories.
    extra_columns : tuple of str
        Columns that are costs of records.
    suites : tuple of str
        Suites that use it.
    binary_target : str
        The class that is positive in two-class suites, a rule such as ``score <= 4``, or empty.
    """

    name: str
    path: Path
    categorical: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    binary_target: str = ""


def read_manifest(folder: Path) -> dict[str, ManifestEntry]:
    """The data sets of a folder by name, in the order of the manifest.

    Raises
    ------
    ExperimentError
        If the folder has no manifest, or a column or data file of it is not there.
    """
    path = folder / FILE
    if not path.is_file():
        raise ExperimentError(f"{path}: no such file; --data must be a folder with a manifest of that name")
    entries: dict[str, ManifestEntry] = {}
    header, rows = read_records(path)
    needed = ("name", "file", "categorical_features", "extra_columns", "suites", "binary_target")
    missing = [column for column in needed if column not in header]
    if missing:
        raise ExperimentError(
            f"{path}: expected the columns {', '.join(needed)}, missing {', '.join(missing)}"
        )
    for line, fields in rows:
        row = dict(zip(header, fields, strict=True))
        entry = ManifestEntry(
            name=row["name"],
            path=folder / row["file"],
            categorical=_parts(row["categorical_features"]),
            extra_columns=_parts(row["extra_columns"]),
            suites=_parts(row["suites"]),
            binary_target=row["binary_target"],
        )
        if entry.name in entries:
            raise ExperimentError(
                f"{path}, line {line}: expected another name than {entry.name!r}, found above"
            )
        if not entry.path.is_file():
            raise ExperimentError(f"{path}, line {line}: there is no file {entry.path}")
        entries[entry.name] = entry
    return entries


def load_table(entry: ManifestEntry) -> Table:
    """Read and encode a data set.

    Raises
    ------
    ExperimentError
        If the file is not what the manifest says.
    """
    if entry.path.suffix == ".npz":
        return _load_arrays(entry)
    columns = read_columns(entry.path)
    for name in (TARGET, *entry.extra_columns, *entry.categorical):
        if name not in columns:
            raise ExperimentError(f"{entry.path}: expected a column {name!r}, found {list(columns)}")
    labels = np.array(columns.pop(TARGET))
    costs = {name: numbers(columns.pop(name), name, entry.path) for name in entry.extra_columns}
    features, names = encode(columns, entry.categorical, entry.path)
    return Table(
        name=entry.name,
        features=features,
        labels=labels,
        feature_names=names,
        costs={name: values for name, values in costs.items() if name in OUTCOMES},
    )


def _load_arrays(entry: ManifestEntry) -> Table:
    try:
        with entry.path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
    except (ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ExperimentError(f"{entry.path}: expected a whole npz of arrays ({error})") from error
    missing = {"X", "y", "feature_names"} - set(arrays)
    if missing:
        raise ExperimentError(
            f"{entry.path}: expected the arrays X, y, feature_names, missing {sorted(missing)}"
        )
    features, labels, names = arrays["X"], arrays["y"], arrays["feature_names"]
    if features.dtype.kind not in "biuf" or np.isinf(features).any():
        raise ExperimentError(f"{entry.path}: X must hold finite numbers, or nan, found {features.dtype}")
    if labels.ndim != 1 or names.ndim != 1 or features.shape != (len(labels), len(names)):
        raise ExperimentError(
            f"{entry.path}: expected X (n, F), y (n,) and feature_names (F,), found {features.shape}, "
            f"{labels.shape} and {names.shape}"
        )
    return Table(
        name=entry.name,
        features=features.astype(np.float64) * SCALES.get(entry.name, 1.0),
        labels=labels,
        feature_names=tuple(map(str, names)),
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(";") if part)
