"""What the framework's ensembles have in common: models that vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ballots import Ballots
from .cost_classifier import CostClassifier
from .records import Array, Cost


class VotingCostClassifier(CostClassifier):
    """Base of the ensembles: `ballots` says what the models vote, the majority decides."""

    estimators_: list[Any]

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows."""
        raise TypeError(f"{type(self).__name__} is no classifier by itself; use one of its subclasses")

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """The class with more votes."""
        return self.ballots(rows, cost_fn, cost_fp).majority()

    def predict_proba(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Array:
        """Shares (n, 2) of the votes for either class, in the order of `classes_`; costs as of `predict`."""
        return self._in_class_order(self._ballots_on(X, cost_fn, cost_fp).share)

    def decision_function(
        self, X: ArrayLike, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> Array:
        """Share (n,) of the votes less 1/2, oriented so that positive values are for ``classes_[1]``."""
        return self._oriented(self._ballots_on(X, cost_fn, cost_fp).share - 0.5)

    @property
    def decides_by_costs(self) -> bool:
        return any(getattr(model, "decides_by_costs", False) for model in self.estimators_)

    def _costs_of_fit(self) -> tuple[Cost, Cost]:
        if not self.decides_by_costs:
            return 1.0, 1.0
        if self.cost_fn_ is None or self.cost_fp_ is None:
            raise ValueError(
                f"the votes of {type(self).__name__} depend on the costs of the rows to predict, which differ from "
                "record to record: their share is no probability"
            )
        return self.cost_fn_, self.cost_fp_

    def _ballots_on(self, X: ArrayLike, cost_fn: Any, cost_fp: Any) -> Ballots:
        rows = self._checked_rows(X)
        return self.ballots(rows, *self._costs_at_prediction(len(rows), cost_fn, cost_fp))
