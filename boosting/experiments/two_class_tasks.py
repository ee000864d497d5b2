"""Data sets of several classes as questions of two: labels 1 (positive) and 0."""

from __future__ import annotations

import re

import numpy as np

from .table import ExperimentError, Table

RULE = re.compile(r"score <= (\d+)")


def two_class_task(table: Table, name: str, target: str) -> Table:
    """The positive class against the rest.

    Parameters
    ----------
    table : Table
    name : str
        Of the task.
    target : str
        The positive class; ``score <= N`` for classes that are numbers up to N; empty for the rarer of two
        classes.

    Returns
    -------
    Table
        Labels 0 and 1, int64.

    Raises
    ------
    ExperimentError
        If no row is positive, or all are, or the rarer of more than two classes is asked for.
    """
    classes, counts = np.unique(table.labels, return_counts=True)
    rule = RULE.fullmatch(target)
    if rule:
        positive = table.labels.astype(np.float64) <= float(rule[1])
    elif target:
        positive = table.labels == target
    elif len(classes) == 2:
        positive = table.labels == classes[np.argmin(counts)]
    else:
        raise ExperimentError(
            f"{name}: a two-class suite needs a target of two classes, found {len(classes)}: "
            f"{', '.join(map(str, classes[:5]))}{', ...' if len(classes) > 5 else ''}"
        )
    if positive.all() or not positive.any():
        raise ExperimentError(f"{name}: no row, or every row, is of the positive class {target!r}")
    return table.with_labels(np.asarray(positive, dtype=np.int64), name)
