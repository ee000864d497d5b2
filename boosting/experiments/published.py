"""Numbers that the papers print, for the tables that show ours beside them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from .table import Array


class PublishedTable:
    """A table of a paper: one row a data set, one column a method.

    Parameters
    ----------
    name : str
        Of a file in the folder `published`, without suffix.
    """

    def __init__(self, name: str) -> None:
        source = files(__package__).joinpath("published", f"{name}.csv")
        with source.open(encoding="utf-8") as file:
            self._cells = {
                (row["dataset"], column): float(value)
                for row in csv.DictReader(file)
                for column, value in row.items()
                if column != "dataset" and value
            }

    def value(self, dataset: str, column: str) -> float:
        """A number of the table, nan if there is none."""
        return self._cells.get((dataset, column), float("nan"))

    def values(self, datasets: Sequence[str], columns: Sequence[str]) -> Array:
        """Numbers (data sets, columns), nan where there is none."""
        return np.array([[self.value(dataset, column) for column in columns] for dataset in datasets])
