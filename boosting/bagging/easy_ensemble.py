"""EasyEnsemble (Liu, Wu and Zhou 2009): AdaBoost on many balanced subsets, all learners pooled."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import joblib
import numpy as np

from ..reweighting.adaboost import AdaBoostClassifier
from .bag_samplers import RandomUndersampling
from .pooled_ensemble import PooledEnsemble
from .training_table import Codes, TrainingTable


class EasyEnsembleClassifier(PooledEnsemble):
    """EasyEnsemble of decision stumps (Gini), two classes.

    A subset has all rows of the rarer class (``classes_[1]`` on a tie) and as many of the other, drawn without
    replacement. AdaBoost is run on each. The decision is the sign of the sum of alpha h over all learners of all
    subsets, not a vote of the subsets; a sum of 0 is for the frequent class.

    Parameters
    ----------
    estimator : classifier, optional
        The weak learner of AdaBoost, see `AdaBoostClassifier`. None is our stump with Gini impurity.
    n_estimators : int
        Number of subsets.
    n_boosting_rounds : int
        Rounds of AdaBoost on a subset.
    n_jobs : int, optional
        Subsets trained at once; -1 is one a processor core. The result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (2,) array
    positive_class_ : label
        The rarer class.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    estimators_ : list of AdaBoostClassifier
    estimators_samples_ : list of arrays of int64
        Rows of X in every subset.
    estimator_errors_ : (T,) array
        Share of all training rows that the subset's ensemble gets wrong.
    estimator_weights_ : (T,) array of ones
    thresholds_ : (T,) array
        What is taken from the score of every subset's ensemble; 0 here.
    n_rounds_ : int
        Number of subsets.
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        n_boosting_rounds: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            n_boosting_rounds=n_boosting_rounds,
            random_state=random_state,
        )
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        n_jobs = self.n_jobs
        if n_jobs is not None and (
            not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0
        ):
            owner = type(self).__name__
            raise ValueError(f"n_jobs of {owner} must be an integer other than 0 or None, got {n_jobs!r}")

    def _train(self, table: TrainingTable, seed: int) -> None:
        sampler = RandomUndersampling(table)

        def train(number: int) -> tuple[AdaBoostClassifier, Codes, float]:
            generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
            rows = sampler.draw(number, generator).rows
            member = self._boosted(table, rows, generator)
            return member, rows, self._error_of(table, self._score_of(member, table.rows))

        jobs = (joblib.delayed(train)(number) for number in range(int(self.n_estimators)))
        trained = list(joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs))
        self.estimators_ = [member for member, _, _ in trained]
        self.estimators_samples_ = [table.numbers[rows] for _, rows, _ in trained]
        self.estimator_errors_ = np.array([error for _, _, error in trained])
        self.thresholds_ = np.zeros(len(trained))
        self.stop_reason_ = "all rounds done"
