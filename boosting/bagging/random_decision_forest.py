"""Random decision forest (Ho 1998, the random subspace method): every tree sees its own features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..trees.cart_classifier import MaxFeatures, n_features_drawn
from .bag_samplers import AllRows, BagSampler, Bootstrap
from .bagged_ensemble import BaggedEnsemble, Voting
from .training_table import Codes, TrainingTable


class RandomDecisionForestClassifier(BaggedEnsemble):
    """Random decision forest of unpruned CART trees, for any number of classes.

    Every member sees a random subset of the features, drawn without replacement, and all rows. (A random forest
    draws features anew at every node: `BaggingClassifier(CARTClassifier(max_features="sqrt"))`.)

    Parameters
    ----------
    max_features : int, float, "sqrt" or None
        Number, share, or square root of the number of the features that a member sees; None is all.
    bootstrap : bool
        Train every member on a bootstrap sample instead of all rows.
    estimator, n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_features: MaxFeatures = 0.5,
        bootstrap: bool = False,
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, voting=voting, n_jobs=n_jobs, random_state=random_state
        )
        self.max_features = max_features
        self.bootstrap = bootstrap

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("bootstrap", (True, False))
        n_features_drawn(self.max_features, 1, type(self).__name__)

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        return Bootstrap(table) if self.bootstrap else AllRows(table)

    def _features_of(self, n_features: int, generator: np.random.Generator) -> Codes | None:
        size = n_features_drawn(self.max_features, n_features, type(self).__name__)
        if size == n_features:
            return None
        return np.sort(generator.choice(n_features, size, replace=False)).astype(np.int64)
