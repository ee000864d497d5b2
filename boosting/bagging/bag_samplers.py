"""How bags are drawn: what each method trains a member on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..sampling.class_sampling import nearest_rows
from .training_table import Array, Codes, TrainingTable


@dataclass(frozen=True, eq=False)
class Bag:
    """What a member is trained on.

    Attributes
    ----------
    rows : (m,) int64
        Rows of the table, repeated ones repeated.
    synthetic_rows : (s, F) float64
    synthetic_codes : (s,) int64
    """

    rows: Codes
    synthetic_rows: Array
    synthetic_codes: Codes

    @classmethod
    def of(cls, rows: list[Codes], table: TrainingTable) -> Bag:
        """Rows of the table only."""
        nothing = np.empty((0, table.rows.shape[1]))
        return cls(np.concatenate(rows), nothing, np.empty(0, dtype=np.int64))


class BagSampler(Protocol):
    """Draws the bag of a member, from its number (from 0) and its own generator."""

    def draw(self, number: int, generator: np.random.Generator) -> Bag: ...


def bootstrap(places: Codes, size: int, generator: np.random.Generator) -> Codes:
    """`size` of the places, drawn with replacement."""
    return places[generator.integers(len(places), size=size)]


@dataclass(frozen=True, eq=False)
class AllRows:
    """Every row once."""

    table: TrainingTable

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        return Bag.of([self.table.places], self.table)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """As many rows as there are, with replacement, whatever their classes."""

    table: TrainingTable

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        places = self.table.places
        return Bag.of([bootstrap(places, len(places), generator)], self.table)


@dataclass(frozen=True, eq=False)
class ClassBootstrap:
    """The same number of rows of every class, with replacement.

    Attributes
    ----------
    size : int
        Rows of a class.
    """

    table: TrainingTable
    size: int

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        drawn = [bootstrap(places, self.size, generator) for places in self.table.members]
        return Bag.of(drawn, self.table)


@dataclass(frozen=True, eq=False)
class RandomUndersampling:
    """As many rows of every class as the smallest has, without replacement: the smallest is kept whole."""

    table: TrainingTable

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        size = int(self.table.class_sizes.min())
        drawn = [
            places if len(places) == size else generator.choice(places, size, replace=False, shuffle=False)
            for places in self.table.members
        ]
        return Bag.of(drawn, self.table)


class SyntheticOversampling:
    """Every class filled up to the size of the largest, by repetition and SMOTE in a share that cycles.

    Member t (from 1) has the rate a = (1 + (t-1) mod q)/q. The largest classes are bootstrapped to their size N;
    of every other class the floor of a N rows are drawn with replacement, and the rest is synthetic: on the way
    from a row to one of its nearest neighbours of the class. A class of one row has none and is repeated.

    Parameters
    ----------
    table : TrainingTable
    n_rates : int
        q.
    n_neighbors : int
        Fewer in a class of fewer rows.
    """

    def __init__(self, table: TrainingTable, n_rates: int, n_neighbors: int) -> None:
        self._table = table
        self._n_rates = n_rates
        self._largest = int(table.class_sizes.max())
        self._rows = [np.asarray(table.rows[places], dtype=np.float64) for places in table.members]
        self._neighbours: list[NDArray[np.int64] | None] = [
            nearest_rows(rows, n_neighbors) if len(rows) < self._largest else None for rows in self._rows
        ]

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        step = 1 + number % self._n_rates
        repeated = step * self._largest // self._n_rates
        drawn: list[Codes] = []
        synthetic, codes = [np.empty((0, self._table.rows.shape[1]))], [np.empty(0, dtype=np.int64)]
        for code, places in enumerate(self._table.members):
            neighbours = self._neighbours[code]
            if neighbours is None:
                drawn.append(bootstrap(places, self._largest, generator))
                continue
            drawn.append(bootstrap(places, repeated, generator))
            wanted = self._largest - repeated
            rows = self._rows[code]
            base = generator.integers(len(rows), size=wanted)
            other = neighbours[base, generator.integers(neighbours.shape[1], size=wanted)]
            way = generator.random((wanted, 1))
            synthetic.append(rows[base] + way * (rows[other] - rows[base]))
            codes.append(np.full(wanted, code, dtype=np.int64))
        return Bag(np.concatenate(drawn), np.concatenate(synthetic), np.concatenate(codes))
