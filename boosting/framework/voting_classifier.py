"""What the framework's ensembles have in common: models that vote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ballots import Ballots, Tally
from .cost_classifier import CostClassifier
from .records import Array, Cost


class VotingCostClassifier(CostClassifier):
    """Base of the ensembles: `ballots` says what the models vote, `_decided` and `_score` count the votes.

    The methods that predict take the costs of errors on the rows as `predict` does.
    """

    estimators_: list[Any]

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows."""
        raise TypeError(f"{type(self).__name__} is no classifier by itself; use one of its subclasses")

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """The class that the votes are for."""
        return self._decided(self.ballots(rows, cost_fn, cost_fp).tally, cost_fn, cost_fp)

    def staged_predict(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Iterator[NDArray[Any]]:
        """`predict` by the first 1, 2, ... models."""
        ballots, costs = self._ballots_on(X, cost_fn, cost_fp)
        for tally in ballots.tallies():
            yield self._labels(self._decided(tally, *costs))

    def predict_proba(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Array:
        """Shares (n, 2) of the votes for either class, in the order of `classes_`."""
        ballots = self._votes_on(X, cost_fn, cost_fp)
        return self._in_class_order(ballots.tally.share)

    def staged_predict_proba(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Iterator[Array]:
        """`predict_proba` by the first 1, 2, ... models."""
        for tally in self._votes_on(X, cost_fn, cost_fp).tallies():
            yield self._in_class_order(tally.share)

    def decision_function(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Array:
        """Score (n,), oriented so that positive values are for ``classes_[1]``; see the class for what it is."""
        ballots = self._votes_on(X, cost_fn, cost_fp)
        return self._oriented(self._score(ballots.tally))

    def staged_decision_function(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Iterator[Array]:
        """`decision_function` by the first 1, 2, ... models."""
        for tally in self._votes_on(X, cost_fn, cost_fp).tallies():
            yield self._oriented(self._score(tally))

    @property
    def votes_weigh_costs(self) -> bool:
        """Whether what a model votes depends on the costs of the row."""
        return any(getattr(model, "decides_by_costs", False) for model in self.estimators_)

    @property
    def decides_by_costs(self) -> bool:
        return self.votes_weigh_costs

    def _decided(self, tally: Tally, cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        return tally.majority()

    def _score(self, tally: Tally) -> Array:
        return tally.share - 0.5

    def _costs_of_fit(self) -> tuple[Cost, Cost]:
        if not self.votes_weigh_costs:
            return 1.0, 1.0
        if self.cost_fn_ is None or self.cost_fp_ is None:
            raise ValueError(
                f"the votes of {type(self).__name__} depend on the costs of the rows to predict, which differ from "
                "record to record: their share is no probability"
            )
        return self.cost_fn_, self.cost_fp_

    def _ballots_on(self, X: ArrayLike, cost_fn: Any, cost_fp: Any) -> tuple[Ballots, tuple[Cost, Cost]]:
        rows = self._checked_rows(X)
        costs = self._costs_at_prediction(len(rows), cost_fn, cost_fp)
        return self.ballots(rows, *costs), costs

    def _votes_on(self, X: ArrayLike, cost_fn: Any, cost_fp: Any) -> Ballots:
        """The same where the decision does not matter, so that costs may be left out if the votes have no use."""
        rows = self._checked_rows(X)
        if cost_fn is None and cost_fp is None and not self.votes_weigh_costs:
            return self.ballots(rows, 1.0, 1.0)
        return self.ballots(rows, *self._costs_at_prediction(len(rows), cost_fn, cost_fp))
