"""A shallow cost-sensitive decision tree as a scikit-learn classifier, fast when boosted by this package."""

from __future__ import annotations

import copy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..costs import zero_one
from .binning import bin_features
from .classified_rows import classified_rows
from .split_criterion import SplitCriterion
from .tree import TreeGrower, integer_weights
from .tree_options import TreeOptions
from .value_tree import ValueTree

Criterion = Literal["gini", "entropy", "expected cost", "badacost"]
CRITERIA = ("gini", "entropy", "expected cost", "badacost")
LARGEST_N_CLASSES = 256  # leaf labels are uint8


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """Decision tree of a few levels, grown on binned features, with any cost matrix.

    Thresholds lie midway between neighbouring values of a node's rows. Ties go to the lowest feature, then the
    lowest threshold, then the lowest class.

    Parameters
    ----------
    criterion : {"gini", "entropy", "expected cost", "badacost"}
        The impurity that splits decrease. The first two are those of the class shares, their leaves take the
        heaviest class. "expected cost" is the cost of a node's best label. "badacost" is the rule of
        BAdaCost's trees, see `SplitCriterion.badacost`.
    cost_matrix : (K, K) array_like, optional
        C[true, predicted] of the last two criteria; None is 0|1.
    max_depth : int
        Number of split levels, 1 to 15; a stump has 1.
    max_features : int, float or None
        Number or share of the features that a tree chooses from, drawn at random; None is all.
    min_samples_split : int
        A node of fewer rows is a leaf.
    max_bins : int or None
        A feature of at most this many distinct values is searched exactly; of others, the borders of so many
        bins of about equal weight. None searches all values of all features, more slowly. At most 256.
    random_state : int, RandomState or None
        Draws the features.

    Attributes
    ----------
    classes_ : (K,) array
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    tree_ : ValueTree
    feature_importances_ : (F,) array
        Share of the impurity decrease that every feature brought.
    """

    def __init__(
        self,
        criterion: Criterion = "gini",
        *,
        cost_matrix: ArrayLike | None = None,
        max_depth: int = 3,
        max_features: int | float | None = None,
        min_samples_split: int = 2,
        max_bins: int | None = 256,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.cost_matrix = cost_matrix
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_samples_split = min_samples_split
        self.max_bins = max_bins
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
        self.classes_ = table.classes
        trainer = self.trainer(table.rows, table.codes, len(table.classes), table.weights)
        self.tree_, _ = trainer.fit(table.weights)
        return self

    def trainer(
        self,
        X: NDArray[Any],
        codes: NDArray[np.integer],
        n_classes: int,
        sample_weight: NDArray[np.float64],
        cost_matrix: NDArray[np.float64] | None = None,
    ) -> TreeTrainer:
        """Prepare rows X (n, F) with class codes once, to grow trees as this estimator's parameters say.

        Parameters
        ----------
        sample_weight : (n,) float64 > 0
            Chooses the bins.
        cost_matrix : (K, K) float64, optional
            Used if the estimator has none itself.
        """
        given = cost_matrix if self.cost_matrix is None else self.cost_matrix
        return TreeTrainer(
            X,
            codes,
            self._split_criterion(n_classes, given),
            self._tree_options(),
            self._checked_max_bins(),
            sample_weight,
            check_random_state(self.random_state),
        )

    def with_tree(self, tree: ValueTree, classes: NDArray[Any], n_features: int) -> TreeClassifier:
        """A fitted copy of this estimator around a trained tree."""
        fitted = copy.copy(self)
        fitted.classes_ = classes
        fitted.n_features_in_ = n_features
        fitted.tree_ = tree
        return fitted

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F)."""
        leaves = self._leaves(X)
        return np.asarray(self.classes_[self.tree_.leaf_label[leaves]])

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Weighted class shares (n, K) of the training rows in the same leaf."""
        leaves = self._leaves(X)
        return np.asarray(self.tree_.leaf_mass[leaves])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        check_is_fitted(self, "tree_")
        return self.tree_.importances(self.n_features_in_)

    def _leaves(self, X: ArrayLike) -> NDArray[np.int32]:
        check_is_fitted(self, "tree_")
        return self.tree_.leaves(feature_columns(validate_data(self, X, reset=False)))

    def _tree_options(self) -> TreeOptions:
        return TreeOptions(
            max_depth=self.max_depth,
            max_features=self.max_features,
            min_samples_split=self.min_samples_split,
        )

    def _checked_max_bins(self) -> int | None:
        bins = self.max_bins
        whole = isinstance(bins, (int, np.integer)) and not isinstance(bins, bool)
        if bins is not None and not (whole and 2 <= bins <= 256):
            raise ValueError(
                f"max_bins of {type(self).__name__} must be an integer from 2 to 256 or None, got {bins!r}"
            )
        return bins

    def _split_criterion(self, n_classes: int, cost_matrix: ArrayLike | None) -> SplitCriterion:
        if self.criterion not in CRITERIA:
            choices = ", ".join(map(repr, CRITERIA))
            raise ValueError(
                f"criterion of {type(self).__name__} must be one of {choices}, got {self.criterion!r}"
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


class TreeTrainer:
    """Rows that are prepared once for growing trees under changing weights; see `TreeClassifier.trainer`."""

    def __init__(
        self,
        X: NDArray[Any],
        codes: NDArray[np.integer],
        criterion: SplitCriterion,
        options: TreeOptions,
        max_bins: int | None,
        sample_weight: NDArray[np.float64],
        random_state: np.random.RandomState,
    ) -> None:
        self._bins, self._binner = bin_features(X, max_bins, sample_weight)
        self._criterion = criterion
        self._options = options
        self._grower = TreeGrower(self._bins, codes, criterion, options)
        self._rng = np.random.default_rng(random_state.randint(2**31 - 1))

    def relabelled(self, codes: NDArray[np.integer]) -> TreeTrainer:
        """A trainer on the same bins, with the same criterion and generator, for other class codes (n,)."""
        other = copy.copy(self)
        other._grower = TreeGrower(self._bins, codes, self._criterion, self._options)
        return other

    def with_rows(self, X: NDArray[Any], codes: NDArray[np.integer]) -> TreeTrainer:
        """A trainer on these rows and further ones (m, F); the bins stay those of the first."""
        other = copy.copy(self)
        other._bins = np.concatenate([self._bins, self._binner.transform(X)], axis=1)
        return other.relabelled(np.concatenate([self._grower.labels, codes]))

    def fit(self, weights: NDArray[np.float64]) -> tuple[ValueTree, NDArray[np.uint8]]:
        """Grow a tree under weights (n,); return it and its class codes (n,) of the rows."""
        tree = self._grower.grow(integer_weights(weights), self._rng)
        return ValueTree.of(tree, self._binner), tree.leaf_label[tree.leaf_of_sample]


def feature_columns(X: NDArray[Any]) -> NDArray[np.float64]:
    """The rows X (n, F) as contiguous columns (F, n), as the tree kernels read them."""
    return np.ascontiguousarray(X.T, dtype=np.float64)


def check_n_classes(classes: NDArray[Any], owner: str) -> None:
    """Refuse a single class, and more classes than leaves can name."""
    if not 2 <= len(classes) <= LARGEST_N_CLASSES:
        names = "1 class: " + repr(classes[0]) if len(classes) == 1 else f"{len(classes)} classes"
        raise ValueError(
            f"y of {owner} must have 2 to {LARGEST_N_CLASSES} classes among the rows of positive weight, "
            f"got {names}"
        )
