"""Is every table fit for its protocol? Asked before the first fit, so that it does not come up fit by fit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .resampling import Resampling
from .suite import Suite
from .table import ExperimentError
from .task_table import load_task
from .user_table import read_user_table

if TYPE_CHECKING:
    from .run import SuiteRun


def check_tasks(runs: Iterable[SuiteRun]) -> None:
    """Load the tables of all fits that are still to be done.

    Raises
    ------
    ExperimentError
        If one cannot be read, does not suit its suite, or has a class of too few records for the protocol.
    """
    for run in runs:
        pending = {job.source.name for job in run.file.pending(run.jobs())}
        for source in run.sources:
            if source.name in pending:
                labels = load_task(run.suite, source, run.seed).labels
                if source.csv is not None:  # named as the user does; a task of two classes has 0 and 1
                    labels = read_user_table(source.csv, source.target).labels
                check_class_sizes(labels, source.name, run.suite, run.protocol.resampling_of(source.name))


def check_class_sizes(labels: NDArray[Any], name: str, suite: Suite, resampling: Resampling) -> None:
    """Refuse a cross-validation that leaves a fold, or a training part, without enough records of a class.

    Raises
    ------
    ExperimentError
        Naming the data set, the class, its number of records and the folds.
    """
    if resampling.kind != "folds":
        return
    classes, counts = np.unique(labels, return_counts=True)
    smallest = int(np.argmin(counts))
    count, folds = int(counts[smallest]), resampling.folds
    found = (
        f"data set {name} of suite {suite.name}: class {str(classes[smallest])!r} has {count} "
        f"record{'' if count == 1 else 's'}"
    )
    if count < folds:
        raise ExperimentError(
            f"{found}, fewer than the {folds} folds of the cross-validation (--folds), each of which needs one"
        )
    trained = count - math.ceil(count / folds)
    if trained < suite.least_class_trained:
        raise ExperimentError(
            f"{found}, of which {folds} folds (--folds) leave {trained} for training, "
            f"where the suite needs at least {suite.least_class_trained}"
        )
