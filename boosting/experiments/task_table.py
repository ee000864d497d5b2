"""The table of a task: what the manifest or the user's file has, prepared for a suite."""

from __future__ import annotations

from functools import lru_cache

from .manifest import load_table, read_manifest
from .suite import DataSource, Suite
from .table import ExperimentError, Table
from .user_table import read_user_table


@lru_cache(maxsize=2)
def load_task(suite: Suite, source: DataSource, seed: int) -> Table:
    """The task of a suite; the last ones are kept, as a process works through a data set's fits in turn.

    Raises
    ------
    ExperimentError
        If the data are not there or not right for the suite.
    """
    if source.csv is not None:
        table = read_user_table(source.csv, source.target, cost_fn=source.cost_fn, cost_fp=source.cost_fp)
        return suite.prepare(table, source.name, None, seed)
    if source.folder is None:
        raise ExperimentError(f"DataSource {source.name} must have a folder or a csv")
    entries = read_manifest(source.folder)
    wanted = suite.table_of(source.name)
    if wanted not in entries:
        raise ExperimentError(
            f"{source.folder}: no data set {wanted!r} in the manifest, needed for {source.name!r}"
        )
    return suite.prepare(load_table(entries[wanted]), source.name, entries[wanted], seed)
