"""The data sets of the margin bagging comparison, cut down as in its Table 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .resampling import seed_of
from .table import ExperimentError, Table


@dataclass(frozen=True, kw_only=True)
class MarginTask:
    """A task of the paper.

    Parameters
    ----------
    table : str
        Name in the manifest.
    rows : int, optional
        Size of a random subset.
    class_counts : tuple of int
        Sizes of the classes of a random subset, ascending; the smaller class of the data gets the smaller size, on
        ties the first in order.
    reduced : mapping of str to int
        Classes of which only so many rows are kept.
    same_data : bool
        Are these the rows of the paper (or all but one of them)?
    note : str
        How the data differ.
    """

    table: str
    rows: int | None = None
    class_counts: tuple[int, ...] = ()
    reduced: Mapping[str, int] | None = None
    same_data: bool = False
    note: str = ""


RANDOM_SUBSET = "another random subset of the same data"
TASKS: dict[str, MarginTask] = {
    "Car": MarginTask(table="car_evaluation", rows=1600, note=RANDOM_SUBSET),
    "Cleveland": MarginTask(table="cleveland", same_data=True),
    "Covtype": MarginTask(table="covtype_sample", rows=8000, note=RANDOM_SUBSET),
    "Glass": MarginTask(table="glass", note="without the number of the row, which gives the class away"),
    "Hayes-roth": MarginTask(table="hayes_roth", same_data=True),
    "Newthyroid": MarginTask(table="new_thyroid", same_data=True),
    "Optdigit": MarginTask(
        table="optdigits",
        class_counts=(20, 40, 180, 187, 191, 196, 197, 197, 210, 224),
        note="which digits are the rare ones is not published",
    ),
    "Page-blocks": MarginTask(table="page_blocks", same_data=True),
    "Penbased": MarginTask(
        table="pendigits",
        class_counts=(105, 105, 106, 106, 106, 114, 114, 114, 115, 115),
        note=RANDOM_SUBSET,
    ),
    "Pendigit": MarginTask(
        table="pendigits",
        class_counts=(20, 20, 362, 379, 394, 396, 397, 408, 426, 437),
        note="which digits are the rare ones is not published",
    ),
    "Segment": MarginTask(table="segmentation", rows=2000, note=RANDOM_SUBSET),
    "Statlog": MarginTask(table="satimage", rows=5000, note=RANDOM_SUBSET),
    "Vehicle": MarginTask(table="vehicle", reduced={"opel": 50}, note=RANDOM_SUBSET),
    "Wilt": MarginTask(table="wilt", same_data=True),
    "Wine": MarginTask(table="wine", same_data=True),
    "Winequality-red": MarginTask(table="winequality_red", same_data=True),
    "Winequality-white": MarginTask(table="winequality_white", same_data=True),
}


def cut_down(table: Table, name: str) -> Table:
    """The subset that a task takes of its data set, the same in every run."""
    task = TASKS[name]
    random = np.random.default_rng(seed_of("margin task", name))
    if task.rows is not None:
        return table.rows(_some(np.arange(len(table)), task.rows, random, name))
    if not (task.class_counts or task.reduced):
        return table
    classes, sizes = np.unique(table.labels, return_counts=True)
    wanted = dict(zip(classes, sizes, strict=True))
    if task.class_counts:
        if len(task.class_counts) != len(classes):
            raise ExperimentError(
                f"task {name} needs {len(task.class_counts)} classes, {task.table} has {len(classes)}"
            )
        wanted = dict(zip(classes[np.argsort(sizes, kind="stable")], task.class_counts, strict=True))
    wanted.update(task.reduced or {})
    chosen = [
        _some(np.flatnonzero(table.labels == label), int(wanted[label]), random, name) for label in classes
    ]
    return table.rows(np.sort(np.concatenate(chosen)))


def _some(rows: np.ndarray, size: int, random: np.random.Generator, name: str) -> np.ndarray:
    if len(rows) < size:
        raise ExperimentError(f"task {name} needs {size} rows where there are {len(rows)}")
    return np.sort(random.permutation(rows)[:size])
