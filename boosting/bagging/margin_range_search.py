"""The search for the range of resampling rates of margin bagging, by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import ArrayLike

from ..metrics import average_accuracy, mean_f_measure, minimum_class_accuracy
from .bag_members import MemberTrainer
from .margin_sampler import MarginSampler
from .training_table import Array, Codes, TrainingTable

Metric = Literal["average accuracy", "F-measure", "minimum accuracy"]
METRICS: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "average accuracy": average_accuracy,
    "F-measure": mean_f_measure,
    "minimum accuracy": minimum_class_accuracy,
}
FOLDS, MEMBERS = 3, 4  # streams of random numbers


@dataclass(frozen=True, eq=False)
class RangeSearch:
    """Compares the ranges 1/q .. j/q, j = 1 .. q, by what the vote says of rows left out.

    The ranges share their members: of the members of a rate, the range takes as many as the cycle gives it.

    Attributes
    ----------
    table : TrainingTable
    n_rates : int
        q.
    n_members : int
        T, of an ensemble of one range.
    metric : callable (labels, predicted labels) -> float
    """

    table: TrainingTable
    n_rates: int
    n_members: int
    metric: Callable[[ArrayLike, ArrayLike], float]

    def run(
        self,
        n_folds: int,
        sampler_of: Callable[[TrainingTable, int], MarginSampler],
        estimator: Any,
        seed: int,
        n_jobs: int | None,
    ) -> tuple[int, Array]:
        """The best number of rates, the largest on ties, and the metric (q,) of every one."""
        table = self.table
        predicted = np.zeros((self.n_rates, len(table.rows)), np.int64)
        fold_of = self.folds(n_folds, seed)
        for fold in range(n_folds):
            left_out = fold_of == fold
            part = table.part(~left_out)
            if not left_out.any() or len(part.classes) < 2:
                continue
            sampler = sampler_of(part, fold)
            votes = self._votes(part, sampler, table.rows[left_out], estimator, (seed, fold), n_jobs)
            known = np.searchsorted(table.classes, part.classes)
            predicted[:, left_out] = known[np.argmax(votes, axis=2)]
        places = table.places
        scores = np.array([self.metric(table.codes[places], each[places]) for each in predicted])
        best = self.n_rates - int(np.argmax(scores[::-1]))
        return best, scores

    def folds(self, n_folds: int, seed: int) -> Codes:
        """The fold (n,) of every row: the rows of each class are dealt out in random order.

        Equal rows of a class are left out together, so that no copy of a row is tested on.
        """
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(FOLDS,)))
        table = self.table
        fold_of = np.zeros(len(table.rows), np.int64)
        dealt = 0
        for places in table.members:
            rows = table.rows[places]
            new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])
            group = np.cumsum(new) - 1
            fold_of_group = (dealt + generator.permutation(int(new.sum()))) % n_folds
            fold_of[places] = fold_of_group[group]
            dealt += int(new.sum())
        return fold_of

    def members_of_rates(self, n_used: int) -> Codes:
        """How many members (n_used,) an ensemble with the rates 1 .. n_used has of each."""
        return np.bincount(np.arange(self.n_members) % n_used, minlength=n_used)

    def _votes(
        self,
        part: TrainingTable,
        sampler: MarginSampler,
        rows: Array,
        estimator: Any,
        seeds: tuple[int, int],
        n_jobs: int | None,
    ) -> Codes:
        """Votes (q, n, classes of the part) of the ensembles of all ranges on rows that were left out."""
        seed, fold = seeds
        trainer = MemberTrainer(estimator, part)
        wanted = [
            (step, number)
            for step in range(1, self.n_rates + 1)
            for number in range(int(self.members_of_rates(step)[step - 1]))
        ]

        def train(step: int, number: int) -> Codes:
            key = (MEMBERS, fold, step, number)
            generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
            bag = sampler.draw_at(step, generator)
            member = trainer.fit(bag, int(generator.integers(np.iinfo(np.int32).max)))
            return member.codes(rows, part.classes)

        jobs = (joblib.delayed(train)(step, number) for step, number in wanted)
        answers = list(joblib.Parallel(n_jobs=n_jobs, prefer="threads")(jobs))
        votes = np.zeros((self.n_rates, len(rows), len(part.classes)), np.int64)
        every = np.arange(len(rows))
        for (step, number), codes in zip(wanted, answers, strict=True):
            for n_used in range(step, self.n_rates + 1):
                if number < self.members_of_rates(n_used)[step - 1]:
                    votes[n_used - 1, every, codes] += 1
        return votes
