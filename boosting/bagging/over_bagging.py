"""OverBagging (Wang and Yao 2009): bagging on oversampled classes."""

from __future__ import annotations

from .bag_samplers import BagSampler, ClassBootstrap
from .bagged_ensemble import BaggedEnsemble
from .training_table import TrainingTable


class OverBaggingClassifier(BaggedEnsemble):
    """OverBagging of unpruned CART trees, for any number of classes.

    Every member is trained on as many rows of each class as the largest has, drawn with replacement.

    Parameters
    ----------
    estimator, n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.
    """

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        return ClassBootstrap(table, int(table.class_sizes.max()))
