"""The balanced bags of margin bagging: rows of small margin first, in shares that cycle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .bag_samplers import Bag, bootstrap
from .training_table import Codes, TrainingTable


@dataclass(frozen=True, eq=False)
class MarginSampler:
    """Draws as many rows of every class as the smallest, the first of them on ties, has.

    The smallest class is kept whole. For another class of N_c rows and the rate a, rows are drawn with
    replacement from the floor(a N) of smallest |margin|, N the size of the largest class; from all if that is
    N_c or more. Member t (from 1) has the rate (1 + (t-1) mod n_used)/q.

    Attributes
    ----------
    table : TrainingTable
    margins : (n,) int64
        Of every row, times the number of votes.
    n_rates : int
        q.
    n_used : int
        Rates that are used, from the lowest.
    seed : int
        Of the order of equal margins. Where an ensemble is certain of most of its training rows, most are equal,
        and any order that has to do with the rows would leave the same part of a class out of many bags.
    """

    table: TrainingTable
    margins: Codes
    n_rates: int
    n_used: int
    seed: int = 0

    @cached_property
    def ordered(self) -> list[Codes]:
        """The rows of every class by |margin|, the weight 1 - |margin| descending; equal ones in random order."""
        generator = np.random.default_rng(self.seed)
        shuffled = [generator.permutation(places) for places in self.table.members]
        return [places[np.argsort(np.abs(self.margins[places]), kind="stable")] for places in shuffled]

    def step(self, number: int) -> int:
        """q times the rate of a member (from 0)."""
        return 1 + number % self.n_used

    def pool(self, code: int, step: int) -> Codes:
        """The rows of a class that are drawn from at the rate step/q."""
        first = max(step * int(self.table.class_sizes.max()) // self.n_rates, 1)
        return self.ordered[code][:first]

    def draw(self, number: int, generator: np.random.Generator) -> Bag:
        return self.draw_at(self.step(number), generator)

    def draw_at(self, step: int, generator: np.random.Generator) -> Bag:
        """A bag of the rate step/q."""
        smallest = self.table.smallest_class
        size = int(self.table.class_sizes[smallest])
        drawn = [
            self.ordered[code] if code == smallest else bootstrap(self.pool(code, step), size, generator)
            for code in range(len(self.table.classes))
        ]
        return Bag.of(drawn, self.table)
