"""SMOTEBagging (Wang and Yao 2009): bagging on classes that are filled up by repeated and synthetic rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bag_samplers import BagSampler, SyntheticOversampling
from .bagged_ensemble import BaggedEnsemble, Voting
from .training_table import TrainingTable


class SMOTEBaggingClassifier(BaggedEnsemble):
    """SMOTEBagging of unpruned CART trees, for any number of classes.

    Every member is trained on as many rows N of each class as the largest has. The largest is bootstrapped. Of
    another class, a N rows are drawn with replacement and (1 - a) N made by SMOTE from its rows; the rate a cycles
    through 1/q, 2/q, ..., 1 from member to member, so that members differ more.

    Parameters
    ----------
    n_rates : int
        q.
    n_neighbors : int
        Neighbours of a row that a synthetic one may lie towards; fewer in a class of fewer rows. A class of one
        row is repeated.
    estimator, n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.

    Attributes
    ----------
    rates_ : (T,) array
        a of every member. `estimators_samples_` lists the original rows of a bag only.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        n_rates: int = 10,
        n_neighbors: int = 5,
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, voting=voting, n_jobs=n_jobs, random_state=random_state
        )
        self.n_rates = n_rates
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_integer("n_rates", 1)
        self._check_integer("n_neighbors", 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # synthetic rows lie between rows, which needs numbers
        return tags

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        steps = 1 + np.arange(int(self.n_estimators)) % int(self.n_rates)
        self.rates_ = steps / int(self.n_rates)
        return SyntheticOversampling(table, int(self.n_rates), int(self.n_neighbors))
