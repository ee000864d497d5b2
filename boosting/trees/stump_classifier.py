"""A decision stump as a scikit-learn classifier, fast when boosted by this package."""

from __future__ import annotations

import copy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..costs import zero_one
from .classified_rows import classified_rows
from .split_criterion import SplitCriterion
from .stump import Search, Stump, StumpTrainer

Criterion = Literal["gini", "entropy", "expected cost", "badacost"]


class DecisionStumpClassifier(ClassifierMixin, BaseEstimator):
    """Decision stump: one feature, one threshold; the default weak learner of this package.

    Cuts lie midway between neighbouring distinct values, ties go to the lowest feature, then the lowest
    threshold. If no cut reduces the impurity, the stump predicts one class.

    Parameters
    ----------
    criterion : {"gini", "entropy", "expected cost", "badacost"}
        What the best cut minimises. "expected cost" is the weighted 0/1 error without a cost matrix;
        "badacost" is the rule of BAdaCost's trees, see `SplitCriterion.badacost`.
    search : {"auto", "histogram", "exact"}
        A feature of at most `max_bins` distinct values is always searched exactly. Of the others, "auto" and
        "histogram" look at the borders of `max_bins` bins of about equally many rows, "exact" at all values.
    max_bins : int
        From 2 to 256.
    cost_matrix : (K, K) array_like, optional
        C[true, predicted] of the last two criteria; also labels the leaves. None is 0|1.

    Attributes
    ----------
    classes_ : (K,) array
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    stump_ : Stump
    feature_importances_ : (F,) array
        1 for the chosen feature.
    """

    def __init__(
        self,
        criterion: Criterion = "gini",
        *,
        search: Search = "auto",
        max_bins: int = 256,
        cost_matrix: ArrayLike | None = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.max_bins = max_bins
        self.cost_matrix = cost_matrix

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the best cut.

        Parameters
        ----------
        X : (n, F) array_like of finite numbers
        y : (n,) array_like of class labels
        sample_weight : (n,) array_like >= 0, optional

        Returns
        -------
        self
        """
        table = classified_rows(self, X, y, sample_weight)
        if len(table.classes) < 2:
            raise ValueError(
                f"y of {type(self).__name__}.fit must have at least 2 classes among the rows of positive weight, "
                f"got 1 class: {table.classes[0]!r}"
            )
        self.classes_ = table.classes
        self.stump_, _ = self.trainer(table.rows, table.codes, len(table.classes)).fit(table.weights)
        return self

    def trainer(
        self,
        X: NDArray[Any],
        labels: NDArray[np.integer],
        n_classes: int,
        cost_matrix: ArrayLike | None = None,
    ) -> StumpTrainer:
        """The trainer that this estimator's parameters describe, for rows with class codes `labels`.

        `cost_matrix` is used if the estimator has none itself.
        """
        given = cost_matrix if self.cost_matrix is None else self.cost_matrix
        criterion = self._split_criterion(n_classes, given)
        return StumpTrainer(X, labels, criterion, search=self.search, max_bins=self.max_bins)

    def with_stump(self, stump: Stump, classes: NDArray[Any], n_features: int) -> DecisionStumpClassifier:
        """A fitted copy of this estimator around a trained stump."""
        fitted = copy.copy(self)
        fitted.classes_ = classes
        fitted.n_features_in_ = n_features
        fitted.stump_ = stump
        return fitted

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F)."""
        check_is_fitted(self, "stump_")
        rows = validate_data(self, X, reset=False)
        return self.classes_[self.stump_.predict(rows)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Weighted class shares (n, K) of the training rows on the same side of the threshold."""
        check_is_fitted(self, "stump_")
        rows = validate_data(self, X, reset=False)
        return np.asarray(self.leaf_shares()[np.where(self.stump_.goes_left(rows), 0, 1)])

    def leaf_shares(self) -> NDArray[np.float64]:
        """Weighted class shares (2, K) of the training rows on the left and on the right."""
        masses = self.stump_.masses
        totals = masses.sum(axis=1, keepdims=True)
        certain = np.eye(len(self.classes_))[[self.stump_.left, self.stump_.right]]
        return np.where(totals > 0, masses / np.where(totals > 0, totals, 1.0), certain)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # two labels cannot separate three classes
        return tags

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        check_is_fitted(self, "stump_")
        importances = np.zeros(self.n_features_in_)
        if self.stump_.feature >= 0:
            importances[self.stump_.feature] = 1.0
        return importances

    def _split_criterion(self, n_classes: int, cost_matrix: ArrayLike | None) -> SplitCriterion:
        if self.criterion not in ("gini", "entropy", "expected cost", "badacost"):
            raise ValueError(
                f"criterion of {type(self).__name__} must be 'gini', 'entropy', 'expected cost' or "
                f"'badacost', got {self.criterion!r}"
            )
        if self.criterion in ("gini", "entropy"):
            if self.cost_matrix is not None:
                raise ValueError(
                    f"cost_matrix of {type(self).__name__} needs criterion='expected cost' or 'badacost', "
                    f"criterion is {self.criterion!r}"
                )
            plain = SplitCriterion.gini if self.criterion == "gini" else SplitCriterion.entropy
            return plain(n_classes)
        of_costs = SplitCriterion.badacost if self.criterion == "badacost" else SplitCriterion.expected_cost
        return of_costs(zero_one(n_classes) if cost_matrix is None else cost_matrix, n_classes)
