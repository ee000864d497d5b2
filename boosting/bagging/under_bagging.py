"""UnderBagging (Barandela, Valdovinos and Sanchez 2003): bagging on undersampled classes."""

from __future__ import annotations

from typing import Any

from .bag_samplers import BagSampler, ClassBootstrap, RandomUndersampling
from .bagged_ensemble import BaggedEnsemble, Voting
from .training_table import TrainingTable


class UnderBaggingClassifier(BaggedEnsemble):
    """UnderBagging of unpruned CART trees, for any number of classes.

    Every member is trained on as many rows of each class as the smallest has.

    Parameters
    ----------
    replacement : bool
        False draws without replacement: the smallest class is in every bag as it is. True bootstraps every
        class to that size, the smallest as well.
    estimator, n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        replacement: bool = False,
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, voting=voting, n_jobs=n_jobs, random_state=random_state
        )
        self.replacement = replacement

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("replacement", (True, False))

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        if self.replacement:
            return ClassBootstrap(table, int(table.class_sizes.min()))
        return RandomUndersampling(table)
