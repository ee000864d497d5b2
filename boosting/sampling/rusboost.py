"""RUSBoost (Seiffert, Khoshgoftaar, Van Hulse and Napolitano 2010): boosting on undersampled classes."""

from __future__ import annotations

import numpy as np

from .class_sampling import EqualRows, Sampler, UnderSampler
from .sampling_booster import SamplingBooster


class RUSBoostClassifier(SamplingBooster):
    """RUSBoost, of decision stumps (Gini) by default, for any number of classes.

    Every round trains on a fresh random sample without replacement in which every class has as many rows as
    the smallest, with their boosting weights; error and weights are those of all rows.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes `sample_weight`, and has `predict_proba` for M2. None is a stump, or a
        `TreeClassifier` of `max_depth`.
    n_estimators : int
        Number of rounds.
    algorithm : {"M2", "SAMME"}
        AdaBoost.M2 as published, or SAMME as other libraries have it.
    sampler : sampler of imbalanced-learn, optional
        In place of the undersampling; cloned and seeded anew every round.
    max_depth : int
        Split levels of the default tree; 1 is a stump.
    max_features : int, float or None
        Number or share of the features that each default tree chooses from; None is all.
    on_negative_alpha : {"skip", "stop"}
        A learner not better than chance is left out and another sample drawn, or boosting ends.
    record_history : bool
        Keep `history_`.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    estimators_ : list
    estimator_weights_ : (T,) array
        ln(1/b) of M2, alpha of SAMME.
    estimator_errors_ : (T,) array
        Pseudo-losses of M2, weighted errors of SAMME, on all rows.
    class_weights_ : (K,) array
        Share of the sample weights that each class has.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: alpha, error, recall of every class, training_error,
        training_cost.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    def _own_sampler(self, table: EqualRows, generator: np.random.Generator) -> Sampler:
        return UnderSampler(table, len(self.classes_), generator)
