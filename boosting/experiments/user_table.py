"""A user's own csv as a data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .manifest import read_columns
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
    if not path.is_file():
        raise ExperimentError(f"{path}: no such file")
    columns = {
        name: ["" if text.strip() in MISSING else text.strip() for text in texts]
        for name, texts in read_columns(path).items()
    }
    if target not in columns:
        raise ExperimentError(f"{path}: no column {target!r} for --target, found {list(columns)}")
    labels = np.array(columns.pop(target))
    if (labels == "").any():
        record = int(np.argmax(labels == "")) + 1
        raise ExperimentError(f"{path}, record {record}: the label in column {target!r} is missing")
    if len(np.unique(labels)) < 2:
        raise ExperimentError(
            f"{path}: column {target!r} must hold at least two classes, found {str(labels[0])!r}"
        )
    costs = {}
    for outcome, given, flag in (("C_FN", cost_fn, "--cost-fn"), ("C_FP", cost_fp, "--cost-fp")):
        if given is not None:
            costs[outcome] = _cost(columns, given, len(labels), f"{path}: {flag}")
    for given in {cost_fn, cost_fp}:
        if given is not None:
            columns.pop(given, None)
    if not columns:
        raise ExperimentError(f"{path}: no column is left for the features")
    categorical = [
        name for name, texts in columns.items() if not all(is_number(text) for text in texts if text != "")
    ]
    features, names = encode(columns, categorical)
    return Table(
        name=path.name.partition(".")[0], features=features, labels=labels, feature_names=names, costs=costs
    )


def _cost(columns: dict[str, list[str]], given: str, n_rows: int, owner: str) -> Array:
    if given in columns:
        values = numbers(columns[given], given)
    elif is_number(given):
        values = np.full(n_rows, float(given))
    else:
        raise ExperimentError(f"{owner} must be a column or a number, found {given!r}")
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ExperimentError(f"{owner} must be finite and not negative in every record")
    return values
