"""An unpruned classification tree as a scikit-learn classifier, the base learner of the bagging methods."""

from __future__ import annotations

import copy
import math
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .cart import CartGrower, CartTree
from .classified_rows import classified_rows
from .tree_classifier import check_n_classes

MaxFeatures = int | float | Literal["sqrt"] | None


class CARTClassifier(ClassifierMixin, BaseEstimator):
    """CART without pruning: cuts of least Gini impurity, until leaves are pure or their rows alike.

    All values are tried as thresholds, which lie midway between neighbouring values of a node's rows. A node
    that is not pure is cut even where no cut gains anything, as growth without pruning demands. Ties go to the
    lowest feature, then the lowest threshold; in leaves to the lowest class.

    Parameters
    ----------
    max_depth : int or None
        Number of split levels; None is no limit.
    max_features : int, float, "sqrt" or None
        Number, share, or square root of the number of the features that every node chooses from, drawn at
        random. More are drawn where none of them can be cut. None is all.
    random_state : int, RandomState or None
        Draws the features.

    Attributes
    ----------
    classes_ : (K,) array
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    tree_ : CartTree
    feature_importances_ : (F,) array
        Share of the decrease of Gini impurity that every feature brought.
    """

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : (n, F) array_like of finite numbers
        y : (n,) array_like of class labels
        sample_weight : (n,) array_like >= 0, optional
            Rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y or sample_weight breaks its rule; the message names it.
        """
        table = classified_rows(self, X, y, sample_weight)
        check_n_classes(table.classes, f"{type(self).__name__}.fit")
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.classes_ = table.classes
        self.tree_ = self.grower(table.rows, table.codes, len(table.classes)).grow(table.weights, seed)
        return self

    def grower(self, rows: NDArray[Any], codes: NDArray[np.integer], n_classes: int) -> CartGrower:
        """Sort rows (n, F) with class codes once, to grow trees as this estimator's parameters say."""
        if self.max_depth is not None:
            whole = isinstance(self.max_depth, Integral) and not isinstance(self.max_depth, bool)
            if not whole or self.max_depth < 1:
                raise ValueError(
                    f"max_depth of {type(self).__name__} must be an integer >= 1 or None, got {self.max_depth!r}"
                )
        drawn = n_features_drawn(self.max_features, rows.shape[1], type(self).__name__)
        return CartGrower(rows, codes, n_classes, self.max_depth, drawn)

    def with_tree(self, tree: CartTree, classes: NDArray[Any], n_features: int) -> CARTClassifier:
        """A fitted copy of this estimator around a grown tree."""
        fitted = copy.copy(self)
        fitted.classes_ = classes
        fitted.n_features_in_ = n_features
        fitted.tree_ = tree
        return fitted

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F)."""
        leaves = self._leaves(X)
        return np.asarray(self.classes_[self.tree_.labels[leaves]])

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Weighted class shares (n, K) of the training rows in the same leaf."""
        leaves = self._leaves(X)
        return np.asarray(self.tree_.shares[leaves])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        check_is_fitted(self, "tree_")
        return self.tree_.importances(self.n_features_in_)

    def _leaves(self, X: ArrayLike) -> NDArray[np.int32]:
        check_is_fitted(self, "tree_")
        rows = validate_data(self, X, reset=False)
        return self.tree_.leaves(np.ascontiguousarray(rows, dtype=np.float64))


def n_features_drawn(max_features: Any, n_features: int, owner: str) -> int:
    """How many of the features a parameter `max_features` means.

    Raises
    ------
    ValueError
        Naming the owner, the rule and the value found.
    """
    if max_features is None:
        return n_features
    if isinstance(max_features, str) and max_features == "sqrt":
        return max(1, math.isqrt(n_features))
    if isinstance(max_features, Integral) and not isinstance(max_features, bool) and int(max_features) >= 1:
        return min(int(max_features), n_features)
    if isinstance(max_features, Real) and not isinstance(max_features, (bool, Integral)):
        share = float(max_features)
        if 0.0 < share <= 1.0:
            return max(1, int(share * n_features))
    raise ValueError(
        f"max_features of {owner} must be an integer >= 1, a share in (0, 1], 'sqrt' or None, got {max_features!r}"
    )
