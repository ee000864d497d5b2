"""Training a member of an ensemble on a bag, and asking members for their votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import has_fit_parameter

from ..rounds.weak_learners import seeded_clone
from ..trees.cart_classifier import CARTClassifier
from .bag_samplers import Bag
from .training_table import Array, Codes, TrainingTable


@dataclass(frozen=True, eq=False)
class Member:
    """A trained member.

    Attributes
    ----------
    estimator : classifier
    features : (m,) int64 or None
        The features that it sees; None is all.
    """

    estimator: Any
    features: Codes | None = None

    def codes(self, rows: NDArray[Any], classes: NDArray[Any]) -> Codes:
        """The class (n,) that it votes for, as index into `classes`."""
        rows = self._seen(rows)
        if isinstance(self.estimator, CARTClassifier):
            tree = self.estimator.tree_
            return tree.labels[tree.leaves(np.ascontiguousarray(rows, dtype=np.float64))]
        return np.searchsorted(classes, self.estimator.predict(rows))

    def shares(self, rows: NDArray[Any], classes: NDArray[Any]) -> Array:
        """Its class probabilities (n, K); 0 for a class that its bag did not have."""
        rows = self._seen(rows)
        if isinstance(self.estimator, CARTClassifier):
            tree = self.estimator.tree_
            return np.asarray(tree.shares[tree.leaves(np.ascontiguousarray(rows, dtype=np.float64))])
        shares = np.zeros((len(rows), len(classes)))
        shares[:, np.searchsorted(classes, self.estimator.classes_)] = self.estimator.predict_proba(rows)
        return shares

    def importances(self, n_features: int) -> Array:
        """Its feature importances (F,)."""
        if not hasattr(self.estimator, "feature_importances_"):
            raise AttributeError(f"{type(self.estimator).__name__} has no feature_importances_")
        if self.features is None:
            return np.asarray(self.estimator.feature_importances_)
        importances = np.zeros(n_features)
        importances[self.features] = self.estimator.feature_importances_
        return importances

    def _seen(self, rows: NDArray[Any]) -> NDArray[Any]:
        return rows if self.features is None else rows[:, self.features]


class MemberTrainer:
    """Trains members on bags of a table; for our CART the table is sorted once.

    Parameters
    ----------
    estimator : classifier
    table : TrainingTable
    """

    def __init__(self, estimator: Any, table: TrainingTable) -> None:
        self._estimator = estimator
        self._table = table
        self._grower = None
        if isinstance(estimator, CARTClassifier):
            self._grower = estimator.grower(table.rows, table.codes, len(table.classes))

    def fit(self, bag: Bag, seed: int, features: Codes | None = None) -> Member:
        """Train a member with its own seed on a bag, on some features only if they are given."""
        if self._grower is not None:
            return Member(self._grown(bag, seed, features), features)
        table = self._table
        rows, codes, weights = table.rows[bag.rows], table.codes[bag.rows], self._weights_of(bag)
        if len(bag.synthetic_rows):
            rows = np.concatenate([rows, bag.synthetic_rows])
            codes = np.concatenate([codes, bag.synthetic_codes])
        if features is not None:
            rows = rows[:, features]
        one_class = (codes == codes[0]).all()
        estimator = DummyClassifier(strategy="prior") if one_class else self._estimator
        fitted = seeded_clone(estimator, np.random.RandomState(seed))
        arguments = {} if weights is None else {"sample_weight": weights}
        return Member(fitted.fit(rows, table.classes[codes], **arguments), features)

    def _grown(self, bag: Bag, seed: int, features: Codes | None) -> CARTClassifier:
        table = self._table
        counts = np.bincount(bag.rows, minlength=len(table.rows)).astype(np.float64)
        weights = self._weights_of(bag)
        assert self._grower is not None
        tree = self._grower.grow(
            counts if table.weights is None else counts * table.weights,
            seed,
            features=features,
            extra_rows=bag.synthetic_rows,
            extra_codes=bag.synthetic_codes,
            extra_weights=None if weights is None else weights[len(bag.rows) :],
        )
        n_features = table.rows.shape[1] if features is None else len(features)
        return self._estimator.with_tree(tree, table.classes, n_features)

    def _weights_of(self, bag: Bag) -> Array | None:
        """Weights of the bag's rows, then of its synthetic ones, which have the mean weight of their class."""
        weights = self._table.weights
        if weights is None:
            return None
        n_classes = len(self._table.classes)
        means = np.bincount(self._table.codes, weights, n_classes) / np.bincount(
            self._table.codes, None, n_classes
        )
        return np.concatenate([weights[bag.rows], means[bag.synthetic_codes]])


def check_member(estimator: Any, owner: str, *, voting: str) -> None:
    """Refuse what cannot be a member.

    Raises
    ------
    ValueError
        If it is no classifier instance, or has no `predict_proba` where probabilities are averaged.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise ValueError(f"estimator of {owner} must be a classifier instance or None, got {estimator!r}")
    if voting == "soft" and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator of {owner} must have predict_proba for voting='soft', {type(estimator).__name__} has not"
        )


def check_weighted_member(estimator: Any, owner: str) -> None:
    """Refuse weights that are no whole numbers for a member that takes none.

    Raises
    ------
    ValueError
        With the reason.
    """
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight of {owner}.fit must be whole numbers (a row of weight w is drawn as w rows), as other "
            f"weights are for the members, and {type(estimator).__name__} takes no sample_weight in fit"
        )
