"""A user's own csv as a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from .csv_records import read_columns
from .table import Array, ExperimentError, Table, encode, is_number, numbers

MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null"})


def read_user_table(
    path: Path, target: str, *, cost_fn: str | None = None, cost_fp: str | None = None
) -> Table:
    """Read a csv (or csv.gz) with a header; columns with a value that is no number are categories.

    Parameters
    ----------
    path : Path
    target : str
        Column of the labels.
    cost_fn, cost_fp : str, optional
        Cost of a false negative and of a false positive: a column of the file, which then is no feature, or a
        number.

    Returns
    -------
    Table
        Named as the file.

    Raises
    ------
    ExperimentError
        If the file, the target or a cost is not what it should be; the message names it.
    """
    if not path.exists():
        raise ExperimentError(f"{path}: no such file")
    columns = {
        name: ["" if text.strip() in MISSING else text.strip() for text in texts]
        for name, texts in read_columns(path).items()
    }
    if target not in columns:
        hint = "; fields must be separated by commas" if len(columns) == 1 else ""
        raise ExperimentError(f"{path}: no column {target!r} for --target, found {list(columns)}{hint}")
    labels = np.array(columns.pop(target))
    if (labels == "").any():
        record = int(np.argmax(labels == "")) + 1
        raise ExperimentError(f"{path}, record {record}: the label in column {target!r} is missing")
    n_classes = len(np.unique(labels))
    if n_classes < 2:
        raise ExperimentError(
            f"{path}: column {target!r} must hold at least two classes, found {str(labels[0])!r}"
        )
    if n_classes > max(2, len(labels) / 2):
        raise ExperimentError(
            f"{path}: column {target!r} must hold classes, found {n_classes} different values in {len(labels)} records"
        )
    costs = {}
    for outcome, given, flag in (("C_FN", cost_fn, "--cost-fn"), ("C_FP", cost_fp, "--cost-fp")):
        if given is not None:
            costs[outcome] = _cost(columns, given, len(labels), f"{path}: {flag}")
    for given in (cost_fn, cost_fp):
        if given is not None:
            columns.pop(given, None)
    if not columns:
        raise ExperimentError(f"{path}: no column is left for the features")
    categorical = [
        name for name, texts in columns.items() if not all(is_number(text) for text in texts if text != "")
    ]
    features, names = encode(columns, categorical, path)
    return Table(
        name=path.name.partition(".")[0], features=features, labels=labels, feature_names=names, costs=costs
    )


def _cost(columns: Mapping[str, Sequence[str]], given: str, n_rows: int, owner: str) -> Array:
    """The cost (n,) of each record; `owner` starts messages."""
    if given not in columns:
        if not is_number(given):
            raise ExperimentError(f"{owner} must be a column or a number, found {given!r}")
        value = float(given)
        if not (math.isfinite(value) and value >= 0):
            raise ExperimentError(f"{owner} must be finite and not negative, found {given}")
        return np.full(n_rows, value)
    for record, text in enumerate(columns[given], start=1):
        if not (is_number(text) and math.isfinite(float(text)) and float(text) >= 0):
            raise ExperimentError(
                f"{owner}, column {given!r}, record {record}: expected a finite number that is not negative, "
                f"found {text!r}"
            )
    return numbers(columns[given], given, owner)
