"""Data sets of several classes as questions of two: labels 1 (positive) and 0."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .table import ExperimentError, Table, is_number

RULE = re.compile(r"score <= (\d+)")


def two_class_task(table: Table, name: str, target: str) -> Table:
    """The positive class against the rest.

    Parameters
    ----------
    table : Table
    name : str
        Of the task.
    target : str
        The positive class, where 1.0 is also the class 1; ``score <= N`` for classes that are numbers up to N;
        empty for the rarer of two classes.

    Returns
    -------
    Table
        Labels 0 and 1, int64.

    Raises
    ------
    ExperimentError
        If no row is positive, or all are; if the classes of a rule are no numbers, or the rarer of more than two
        classes is asked for.
    """
    classes, counts = np.unique(table.labels, return_counts=True)
    rule = RULE.fullmatch(target)
    if rule:
        no_number = [label for label in map(str, classes) if not is_number(label)]
        if no_number:
            raise ExperimentError(
                f"{name}: the rule {target!r} needs classes that are numbers, found {no_number[0]!r}"
            )
        positive = table.labels.astype(np.float64) <= float(rule[1])
    elif target:
        positive = _is_class(table.labels, target)
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


def _is_class(labels: NDArray[Any], target: str) -> NDArray[np.bool_]:
    """Which labels are the class, as a text or, where there is no such text, as a number."""
    texts = labels.astype(str)
    if target not in texts and is_number(target):
        number = float(target)
        same = [label for label in np.unique(texts) if is_number(label) and float(label) == number]
        return np.isin(texts, same)
    return np.asarray(texts == target)
