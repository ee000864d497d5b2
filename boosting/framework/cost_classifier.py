"""What all classifiers of the framework have in common: two classes, one of them positive, costs of errors.

The costs of the outermost estimator are those of all its parts that take costs: what is given to `fit`, or else
its parameters `cost_fn` and `cost_fp`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..row_values import check_sample_weight
from .records import Array, Cost, Records
from .two_class_data import (
    check_at_most_two_classes,
    check_choice,
    check_some_cost,
    checked_cost,
    find_classes,
)


class CostClassifier(ClassifierMixin, BaseEstimator):
    """Base of the framework's classifiers.

    Parameters
    ----------
    cost_fn, cost_fp : float >= 0
        Cost of a false negative (a positive row taken for negative) and of a false positive. Costs of single
        records go to `fit`.
    pos_label : label, optional
        The positive class; None is the rarer one, ``classes_[1]`` on a tie.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (2,) array
    positive_class_ : label
    cost_fn_, cost_fp_ : float or None
        Costs of `fit`; None where it had costs of single records.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    cost_fn: float
    cost_fp: float
    pos_label: Any
    random_state: Any

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost_fn: ArrayLike | None = None,
        cost_fp: ArrayLike | None = None,
    ) -> Self:
        """Train.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Labels of two classes.
        sample_weight : (n,) array_like >= 0, optional
            A row of whole weight w stands for w equal rows; rows of weight 0 are left out.
        cost_fn, cost_fp : float or (n,) array_like >= 0, optional
            In place of the parameters of the same names.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y, sample_weight or a cost breaks its rule; the message names it.
        """
        owner = type(self).__name__
        self._check_parameters()
        rows, labels = validate_data(self, X, y, ensure_all_finite=self._finite())
        check_classification_targets(labels)
        check_at_most_two_classes(labels, f"{owner}.fit")
        weights = check_sample_weight(sample_weight, len(rows), f"{owner}.fit")
        costs = [
            checked_cost(self, name, given, len(rows), "fit")
            for name, given in (("cost_fn", cost_fn), ("cost_fp", cost_fp))
        ]
        used = weights > 0
        rows, labels, weights = rows[used], labels[used], weights[used]
        of_fn, of_fp = (cost if isinstance(cost, float) else cost[used] for cost in costs)
        self.classes_, self._code = find_classes(labels, weights, self.pos_label, owner, "fit")
        self.positive_class_ = self.classes_[self._code]
        positive = np.asarray(labels == self.positive_class_)
        check_some_cost(positive, of_fn, of_fp, f"{owner}.fit")
        records = Records.counted(rows, positive, of_fn, of_fp, weights)
        self._train(records, check_random_state(self.random_state))
        return self

    def fit_records(self, records: Records, random_state: np.random.RandomState) -> Self:
        """Train on records that were checked, as a part of another estimator; the classes are 0 and 1."""
        self._check_parameters()
        self.classes_, self._code, self.positive_class_ = np.array([0, 1]), 1, 1
        self.n_features_in_ = records.rows.shape[1]
        self._train(records, random_state)
        return self

    def predict(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Class labels (n,) of the rows of X (n, F); a tie goes to the negative class.

        Parameters
        ----------
        X : (n, F) array_like
        cost_fn, cost_fp : float or (n,) array_like, optional
            Costs of errors on these rows, for decisions that weigh them. Needed there if `fit` had costs of
            single records; otherwise the costs of `fit` hold.
        """
        rows = self._checked_rows(X)
        return self._labels(self.decide(rows, *self._costs_at_prediction(len(rows), cost_fn, cost_fp)))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities (n, 2) of the classes, in the order of `classes_`."""
        return self._in_class_order(self.mean_probability(self._checked_rows(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        estimator = getattr(self, "estimator", None)
        if estimator is not None:
            tags.input_tags.allow_nan = get_tags(estimator).input_tags.allow_nan
        return tags

    # What a method supplies

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        """Train on checked records of two classes."""
        raise TypeError(f"{type(self).__name__} is no classifier by itself; use one of its subclasses")

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """True (n,) where the positive class is predicted for checked rows."""
        raise TypeError(f"{type(self).__name__} is no classifier by itself; use one of its subclasses")

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """The estimated probability (n,) of the positive class, for checked rows."""
        raise TypeError(f"{type(self).__name__} is no classifier by itself; use one of its subclasses")

    @property
    def decides_by_costs(self) -> bool:
        """Whether a prediction depends on the costs of the row that is predicted."""
        return False

    def _check_parameters(self) -> None:
        """Refuse parameters that break their rules."""

    def _check_choice(self, name: str, *allowed: Any) -> None:
        check_choice(self, name, allowed)

    # The common course

    def _train(self, records: Records, random_state: np.random.RandomState) -> None:
        self.cost_fn_, self.cost_fp_ = (
            cost if isinstance(cost, float) else None for cost in (records.cost_fn, records.cost_fp)
        )
        self._fit_records(records, random_state)

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def _checked_rows(self, X: ArrayLike) -> NDArray[Any]:
        check_is_fitted(self, "classes_")
        return np.asarray(validate_data(self, X, reset=False, ensure_all_finite=self._finite()))

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        return np.asarray(self.classes_[np.where(positive, self._code, 1 - self._code)])

    def _in_class_order(self, share: Array) -> Array:
        """Columns (n, 2), given the share (n,) of the positive class."""
        if self._code == 1:
            return np.column_stack([1.0 - share, share])
        share = np.where(share == 0.5, np.nextafter(0.5, 0.0), share)  # a tie is negative, ``classes_[1]``
        return np.column_stack([share, 1.0 - share])

    def _oriented(self, score: Array) -> Array:
        """Scores for ``classes_[1]``; where that is the negative class, a tie is the least number above 0."""
        return score if self._code == 1 else np.where(score == 0, np.finfo(np.float64).tiny, -score)

    def _costs_at_prediction(self, n_rows: int, cost_fn: Any, cost_fp: Any) -> tuple[Cost, Cost]:
        owner = f"{type(self).__name__}.predict"
        if not self.decides_by_costs:
            if cost_fn is not None or cost_fp is not None:
                raise ValueError(
                    f"cost_fn and cost_fp of {owner} have no use: its decision does not weigh costs"
                )
            return 1.0, 1.0
        costs: list[Cost] = []
        for name, given in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
            of_fit = getattr(self, f"{name}_")
            if given is None and of_fit is None:
                raise ValueError(
                    f"{name} of {owner} is missing: {name} was given for single records in fit, and the "
                    f"decision weighs the costs of the {n_rows} rows to predict"
                )
            costs.append(of_fit if given is None else checked_cost(self, name, given, n_rows, "predict"))
        return costs[0], costs[1]
