"""What the reweighting boosters that take costs have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..rounds.votes import Array, Votes
from ..row_values import check_costs
from .reweighting import OnNegativeAlpha
from .reweighting_classifier import ReweightingClassifier

CostScaling = Literal["max", "min"] | None


class CostReweightingClassifier(ReweightingClassifier):
    """Base of the binary boosters with costs of errors.

    Parameters
    ----------
    estimator, n_estimators, random_state, pos_label, on_negative_alpha, record_history
        See `AdaBoostClassifier`.
    cost_fn, cost_fp : float > 0
        Cost of a false negative (a positive row taken for negative) and of a false positive. Costs of single
        records go to `fit`.
    normalize_costs : {"max", "min"} or None
        Divide the costs by the largest or the smallest of them first.

    Attributes
    ----------
    cost_fn_, cost_fp_ : float or None
        Costs of `fit`, unscaled; None where it had costs of single records.
    """

    _largest_cost = np.inf  # after scaling
    _zero_costs = False
    _no_record_costs: str | None = None  # why costs of single records have no meaning

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        normalize_costs: CostScaling = None,
        random_state: Any = None,
        pos_label: Any = None,
        on_negative_alpha: OnNegativeAlpha = "stop",
        record_history: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            random_state=random_state,
            pos_label=pos_label,
            on_negative_alpha=on_negative_alpha,
            record_history=record_history,
        )
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.normalize_costs = normalize_costs

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost_fn: ArrayLike | None = None,
        cost_fp: ArrayLike | None = None,
    ) -> Self:
        """Boost.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Labels of two classes.
        sample_weight : (n,) array_like >= 0, optional
            Multiplies the initial weights; rows of weight 0 are left out.
        cost_fn, cost_fp : float or (n,) array_like > 0, optional
            In place of the parameters of the same names; of an array the entries of the positive rows matter
            for `cost_fn` and those of the negative rows for `cost_fp`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y, sample_weight or a cost breaks its rule; the message names it.
        """
        self._check_parameters()
        rows, labels = self._checked_data(X, y)
        of_errors = [
            self._checked_cost(name, given, len(rows), "fit")
            for name, given in (("cost_fn", cost_fn), ("cost_fp", cost_fp))
        ]
        self.cost_fn_, self.cost_fp_ = (cost if isinstance(cost, float) else None for cost in of_errors)
        return self._boost(rows, labels, sample_weight, *of_errors)

    def _checked_cost(self, name: str, given: Any, n_rows: int, method: str) -> Array | float:
        owner = type(self).__name__
        if given is None:
            given = getattr(self, name)
            if np.ndim(given):
                raise ValueError(
                    f"{name} of {owner} must be one number, got {type(given).__name__} of shape "
                    f"{np.shape(given)}; give the costs of single records to fit"
                )
        else:
            owner = f"{owner}.{method}"
        costs = check_costs(name, given, n_rows, owner, allow_zero=self._zero_costs)
        if self._no_record_costs and not isinstance(costs, float):
            raise ValueError(
                f"{name} of {owner} must be one number for all rows, got an array of shape {costs.shape}: "
                f"{self._no_record_costs}"
            )
        return costs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("normalize_costs", ("max", "min", None))

    def _scaled_costs(
        self, positive: NDArray[np.bool_], cost_fn: Array | float, cost_fp: Array | float
    ) -> tuple[Array | float, Array | float]:
        costs = np.where(positive, cost_fn, cost_fp)
        scale = {"max": costs.max(), "min": costs.min(), None: 1.0}[self.normalize_costs]
        if costs.max() > scale * self._largest_cost:
            raise ValueError(
                f"cost_fn and cost_fp of {type(self).__name__} must lie in (0, {self._largest_cost:g}] after "
                f"normalize_costs={self.normalize_costs!r}, got {costs.max() / scale:g}; "
                "normalize_costs='max' brings any costs there"
            )
        return (
            (cost_fn / scale, cost_fp / scale)
            if isinstance(cost_fn, float) and isinstance(cost_fp, float)
            else (np.asarray(cost_fn) / scale, np.asarray(cost_fp) / scale)
        )


class LeastCostVote(CostReweightingClassifier):
    """Of the methods whose decision (may) weigh the votes by the costs of the errors that they risk."""

    def predict(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Class of least expected cost for every row.

        Parameters
        ----------
        X : (n, F) array_like
        cost_fn, cost_fp : float or (n,) array_like, optional
            Costs of errors on these rows. Needed if `fit` had costs of single records, otherwise the costs
            of `fit` hold.

        Returns
        -------
        (n,) array of labels
        """
        votes = self._votes(X)
        return self._decided(votes, self._costs_at_prediction(len(votes.score), cost_fn, cost_fp))

    def staged_predict(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Iterator[NDArray[Any]]:
        """`predict` after every round."""
        costs = None
        for votes in self._staged_votes(X):
            if costs is None:
                costs = self._costs_at_prediction(len(votes.score), cost_fn, cost_fp)
            yield self._decided(votes, costs)

    def _decided(self, votes: Votes, costs: tuple[Array | float, Array | float]) -> NDArray[Any]:
        return self._labels(votes.decide(self._rule().vote, *costs))

    def _costs_at_prediction(
        self, n_rows: int, cost_fn: Any, cost_fp: Any
    ) -> tuple[Array | float, Array | float]:
        owner = f"{type(self).__name__}.predict"
        if self._rule().vote == "sign":
            if cost_fn is not None or cost_fp is not None:
                raise ValueError(f"cost_fn and cost_fp of {owner} have no use when the vote ignores costs")
            return 1.0, 1.0
        costs = []
        for name, given in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
            of_fit = getattr(self, f"{name}_")
            if given is None and of_fit is None:
                raise ValueError(
                    f"{name} of {owner} is missing: {name} was given for single records in fit, and the vote "
                    f"weighs the costs of the {n_rows} rows to predict"
                )
            costs.append(of_fit if given is None else self._checked_cost(name, given, n_rows, "predict"))
        return costs[0], costs[1]
