"""BAdaCost as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from ..costs import from_confusion, validate, zero_one
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier
from .badacost import OnNegativeStep
from .multiclass_booster import Array, MulticlassBooster

FOLDS = 5  # of the predictions that a confusion matrix is made of


class BAdaCostClassifier(MulticlassBooster):
    """Multi-class boosting with any cost matrix, of trees of 3 levels by default.

    Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", Pattern Recognition
    2018. Each round minimises the exponential loss ``sum_i w_i exp(C*(l_i, .) f(x_i))`` along one weak learner.
    With equal costs it is SAMME, with two classes CS-AdaBoost.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes sample_weight. None is a `TreeClassifier` with criterion "badacost".
    cost_matrix : (K, K) array_like, "confusion" or None
        C[true, predicted] >= 0 in the order of the sorted classes, zero diagonal; divided by its largest entry
        if that exceeds 1. None is 0|1. "confusion" is the paper's choice for imbalanced classes (Appendix F):
        the row-normalised confusion matrix of cross-validated predictions under costs 0|1.
    n_estimators : int
        Number of rounds.
    learning_rate : float in (0, 1]
        Share of the optimal step that is taken.
    max_depth : int
        Split levels of the default tree (1 is a stump); a given `estimator` has its own.
    max_features : int, float or None
        Number or share of the features that each default tree chooses from; None is all.
    on_negative_step : {"stop", "skip"}
        What to do with a learner that does not lower the loss: end there, or try another one (useful for
        learners with a random part).
    record_history : bool
        Keep `history_`.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    cost_matrix_ : (K, K) array
        The costs used, before scaling.
    estimators_ : list
    estimator_weights_ : (T,) array
        beta.
    estimator_errors_ : (T,) array
        Weighted 0|1 errors of the learners under the weights of their rounds.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from badacost.boosting import BAdaCostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = [[0, 1, 1], [1, 0, 5], [1, 1, 0]]    # taking versicolor for virginica is 5 times as bad
    >>> BAdaCostClassifier(cost_matrix=costs, n_estimators=10).fit(X, y).n_rounds_
    10
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cost_matrix: ArrayLike | Literal["confusion"] | None = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_depth: int = 3,
        max_features: int | float | None = None,
        on_negative_step: OnNegativeStep = "stop",
        record_history: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            max_depth=max_depth,
            max_features=max_features,
            on_negative_step=on_negative_step,
            record_history=record_history,
            random_state=random_state,
        )
        self.cost_matrix = cost_matrix

    def _training_costs(self, rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        n_classes = len(self.classes_)
        if self.cost_matrix is None:
            costs = zero_one(n_classes)
        elif isinstance(self.cost_matrix, str):
            if self.cost_matrix != "confusion":
                raise ValueError(
                    f"cost_matrix of {type(self).__name__} must be a matrix, 'confusion' or None, "
                    f"got {self.cost_matrix!r}"
                )
            costs = from_confusion(self._confusion(rows, labels, weights))
        else:
            costs = validate(self.cost_matrix, n_classes)
        self.cost_matrix_ = costs
        return costs

    def _default_estimator(self) -> TreeClassifier | DecisionStumpClassifier:
        if self.max_depth == 1 and self.max_features is None:
            return DecisionStumpClassifier("badacost")
        return TreeClassifier("badacost", max_depth=self.max_depth, max_features=self.max_features)

    def _scores(self, margins: Array) -> Array:
        costs = self._costs(margins)
        return costs[:, 0] - costs[:, 1] if costs.shape[1] == 2 else -costs

    def _confusion(self, rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        """Weight of class j predicted as k by models under costs 0|1 that have not seen the rows."""
        codes = np.searchsorted(self.classes_, labels)
        fewest = int(np.bincount(codes).min())
        if fewest < 2:
            rare = self.classes_[np.argmin(np.bincount(codes))]
            raise ValueError(
                f"cost_matrix='confusion' of {type(self).__name__} needs at least 2 rows of every class for "
                f"cross-validation, class {rare!r} has {fewest}"
            )
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        folds = StratifiedKFold(min(FOLDS, fewest), shuffle=True, random_state=seed)
        table = np.zeros((len(self.classes_), len(self.classes_)))
        for seen, unseen in folds.split(rows, codes):
            model = clone(self).set_params(cost_matrix=None, record_history=False, random_state=seed)
            model.fit(rows[seen], labels[seen], sample_weight=weights[seen])
            said = np.searchsorted(self.classes_, model.predict(rows[unseen]))
            np.add.at(table, (codes[unseen], said), weights[unseen])
        return table
