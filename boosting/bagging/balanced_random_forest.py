"""Balanced random forest (Chen, Liaw and Breiman 2004)."""

from __future__ import annotations

from typing import Any

from ..trees.cart_classifier import CARTClassifier, MaxFeatures, n_features_drawn
from .bag_samplers import BagSampler, ClassBootstrap
from .bagged_ensemble import BaggedEnsemble, Voting
from .training_table import TrainingTable


class BalancedRandomForestClassifier(BaggedEnsemble):
    """Balanced random forest, of unpruned CART trees whose nodes choose from random features.

    Every tree is grown on a bootstrap sample of the smallest class, and as many rows of each other class, drawn
    with replacement.

    Parameters
    ----------
    max_features : int, float, "sqrt" or None
        Features that every node of the default tree chooses from; see `CARTClassifier`.
    estimator : classifier, optional
        In place of that tree.
    n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_features: MaxFeatures = "sqrt",
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, voting=voting, n_jobs=n_jobs, random_state=random_state
        )
        self.max_features = max_features

    def _check_parameters(self) -> None:
        super()._check_parameters()
        n_features_drawn(self.max_features, 1, type(self).__name__)

    def _default_member(self) -> Any:
        return CARTClassifier(max_features=self.max_features)

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        return ClassBootstrap(table, int(table.class_sizes.min()))
