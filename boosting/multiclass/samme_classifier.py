"""SAMME: AdaBoost for any number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import zero_one
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier
from .multiclass_booster import Array, MulticlassBooster


class SAMMEClassifier(MulticlassBooster):
    """Multi-class AdaBoost, of trees of 3 levels by default.

    Zhu, Zou, Rosset, Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2009; the case of
    `BAdaCostClassifier` with equal costs 1/(K(K-1)) (Corollary 1 of the BAdaCost paper).

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes sample_weight. None is a `TreeClassifier` with criterion "gini".
    n_estimators : int
        Number of rounds.
    learning_rate : float in (0, 1]
        Share of the optimal vote weight that is taken.
    max_depth : int
        Split levels of the default tree (1 is a stump); a given `estimator` has its own.
    max_features : int, float or None
        Number or share of the features that each default tree chooses from; None is all.
    on_negative_step : {"stop", "skip"}
        What to do with a learner of weighted error 1 - 1/K or more: end there, or try another one (useful for
        learners with a random part).
    record_history : bool
        Keep `history_`.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    estimators_ : list
    estimator_weights_ : (T,) array
        alpha = ln((1 - e) / e) + ln(K - 1), times the learning rate.
    estimator_errors_ : (T,) array
        Weighted errors e of the learners.
    losses_ : (T,) array
        Exponential loss of the training rows after each round; 1 before the first.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: loss, error, class_weights, recall of every class,
        training_error, training_cost.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    def _training_costs(self, rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        n_classes = len(self.classes_)
        return zero_one(n_classes) / (n_classes * (n_classes - 1))

    def _vote_scale(self) -> float:
        n_classes = len(self.classes_)
        return n_classes / (n_classes - 1) ** 2

    def _default_estimator(self) -> TreeClassifier | DecisionStumpClassifier:
        if self.max_depth == 1 and self.max_features is None:
            return DecisionStumpClassifier("gini")
        return TreeClassifier("gini", max_depth=self.max_depth, max_features=self.max_features)

    def _scores(self, margins: Array) -> Array:
        return margins[:, 1].copy() if margins.shape[1] == 2 else np.asarray(margins)
