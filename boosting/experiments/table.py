"""A data set in memory: encoded features, labels, costs of single records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
OUTCOMES = ("C_FP", "C_FN", "C_TP", "C_TN")


class ExperimentError(ValueError):
    """Data, arguments or results that an experiment cannot use."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A data set as learners take it.

    Parameters
    ----------
    name : str
    features : (n, F) float64
        Categories one-hot; nan where a number is missing.
    labels : (n,) array
    feature_names : tuple of F str
    costs : mapping of (n,) float64
        Costs of the outcomes of each record, under the names C_FP, C_FN, C_TP, C_TN; those that are not there are
        zero, and all are where the mapping is empty.
    """

    name: str
    features: Array
    labels: NDArray[Any]
    feature_names: tuple[str, ...]
    costs: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n_rows = len(self.labels)
        if self.features.shape != (n_rows, len(self.feature_names)) or n_rows == 0:
            raise ExperimentError(
                f"features of Table {self.name} must be ({n_rows}, {len(self.feature_names)}) with at least one "
                f"row, found {self.features.shape}"
            )
        for outcome, values in self.costs.items():
            if outcome not in OUTCOMES or values.shape != (n_rows,) or not np.isfinite(values).all():
                raise ExperimentError(
                    f"costs of Table {self.name} must be finite ({n_rows},) under the names "
                    f"{', '.join(OUTCOMES)}, found {outcome} {values.shape}"
                )

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, chosen: NDArray[Any]) -> Self:
        """The table of the chosen rows, given by number or by truth."""
        return replace(
            self,
            features=self.features[chosen],
            labels=self.labels[chosen],
            costs={name: values[chosen] for name, values in self.costs.items()},
        )

    def with_labels(self, labels: NDArray[Any], name: str | None = None) -> Self:
        """The table with other labels, and another name if given."""
        return replace(self, labels=labels, name=self.name if name is None else name)

    def record_costs(self) -> Array:
        """Costs (n, 4) of a false positive, false negative, true positive and true negative."""
        zeros = np.zeros(len(self))
        return np.column_stack([self.costs.get(outcome, zeros) for outcome in OUTCOMES])


def encode(
    columns: Mapping[str, Sequence[str]], categorical: Sequence[str], source: object
) -> tuple[Array, tuple[str, ...]]:
    """Numbers as they are, categories as one column of 0|1 each, as in the papers.

    A missing number is nan; a missing category is zero in all columns of its attribute.

    Parameters
    ----------
    columns : mapping of str to n texts
        The attributes; an empty text is a missing value.
    categorical : sequence of str
        Those that are categories.
    source : object
        What messages begin with: the file.

    Returns
    -------
    (n, F) float64
    tuple of F str

    Raises
    ------
    ExperimentError
        If a value of an attribute that is not categorical is no finite number; the message names it.
    """
    encoded: list[Array] = []
    names: list[str] = []
    for name, texts in columns.items():
        if name in categorical:
            values = np.asarray(texts)
            for category in np.unique(values[values != ""]):
                encoded.append((values == category).astype(np.float64))
                names.append(f"{name}={category}")
        else:
            encoded.append(numbers(texts, name, source))
            names.append(name)
    return np.column_stack(encoded), tuple(names)


def numbers(texts: Sequence[str], name: str, source: object) -> Array:
    """Texts as (n,) float64, empty ones as nan."""
    try:
        values = np.array([float(text) if text != "" else np.nan for text in texts])
    except ValueError as error:
        wrong = next(index for index, text in enumerate(texts) if text != "" and not is_number(text))
        raise ExperimentError(
            f"{source}, column {name!r}, record {wrong + 1}: expected a number, found {texts[wrong]!r}"
        ) from error
    if np.isinf(values).any():
        wrong = int(np.argmax(np.isinf(values)))
        raise ExperimentError(
            f"{source}, column {name!r}, record {wrong + 1}: expected a finite number, found {texts[wrong]!r}"
        )
    return values


def is_number(text: str) -> bool:
    """Is the text a number?"""
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_missing(train: Table, test: Table) -> tuple[Table, Table]:
    """Both tables with missing numbers replaced by the medians of the training rows, 0 where there are none."""
    if not (np.isnan(train.features).any() or np.isnan(test.features).any()):
        return train, test
    known = ~np.isnan(train.features).all(axis=0)
    medians = np.zeros(train.features.shape[1])
    medians[known] = np.nanmedian(train.features[:, known], axis=0)
    filled = (
        replace(table, features=np.where(np.isnan(table.features), medians, table.features))
        for table in (train, test)
    )
    return next(filled), next(filled)


def complete_rows(table: Table) -> Table:
    """The rows without a missing number, and without a missing category of a one-hot attribute."""
    complete = np.asarray(~np.isnan(table.features).any(axis=1))
    attributes: dict[str, list[int]] = {}
    for column, name in enumerate(table.feature_names):
        if "=" in name:
            attributes.setdefault(name.partition("=")[0], []).append(column)
    for of_attribute in attributes.values():
        complete &= table.features[:, of_attribute].any(axis=1)
    return table.rows(complete)
