"""SMOTEBoost (Chawla, Lazarevic, Hall and Bowyer 2003): boosting with synthetic rows of the rare classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .class_sampling import EqualRows, Sampler, SyntheticSampler
from .sampling_booster import Algorithm, SamplingBooster


class SMOTEBoostClassifier(SamplingBooster):
    """SMOTEBoost, of decision stumps (Gini) by default, for any number of classes.

    Every round adds fresh synthetic rows, between rows of the original rare classes and their nearest
    neighbours, trains on all of them, and discards the synthetic ones again.

    Parameters
    ----------
    n_synthetic : int or None
        Rows that a round adds to the smallest class (N of the paper). None fills every class up to the size
        of the largest.
    n_neighbors : int
        Neighbours of a row that a synthetic one may lie towards; fewer in a class of fewer rows. A class of
        one row is repeated.
    sampler : sampler of imbalanced-learn, optional
        In place of all that, e.g. ``BorderlineSMOTE()``; cloned and seeded anew every round.
    estimator, n_estimators, algorithm, max_depth, max_features, on_negative_alpha, record_history, random_state
        See `RUSBoostClassifier`, also for the attributes.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        algorithm: Algorithm = "M2",
        n_synthetic: int | None = None,
        n_neighbors: int = 5,
        sampler: Any = None,
        max_depth: int = 1,
        max_features: int | float | None = None,
        on_negative_alpha: Literal["stop", "skip"] = "skip",
        record_history: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            algorithm=algorithm,
            sampler=sampler,
            max_depth=max_depth,
            max_features=max_features,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
            random_state=random_state,
        )
        self.n_synthetic = n_synthetic
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_integer("n_neighbors", 1)
        if self.n_synthetic is not None:
            self._check_integer("n_synthetic", 1)

    def _own_sampler(self, table: EqualRows, generator: np.random.Generator) -> Sampler:
        return SyntheticSampler(table, len(self.classes_), self.n_synthetic, int(self.n_neighbors), generator)
