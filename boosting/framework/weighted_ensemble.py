"""CS-WeightedEnsemble: models trained on records weighed by their costs (section 3.1.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ballots import Ballots
from .combination_rules import Role, check_weighted_tree
from .cost_ensemble import CostEnsemble
from .parts import decisions, fit_part, has_leaves, leaves_of
from .records import Array, Cost, Records


class CostWeightedEnsembleClassifier(CostEnsemble):
    """CS-WeightedEnsemble: in every bag, records weigh what their errors cost; costs may be of single records.

    The weights have sum 1 in the bag. A model's vote on a row counts the mean weight of the bag's records in
    the leaf that the row falls into. `predict_proba` is the share of the votes; the probabilities in the leaves
    are weighted frequencies, which are not those of the classes.

    Parameters
    ----------
    estimator : classifier or None
        A tree that takes `sample_weight` and has `apply`; None is ``CostSensitiveTreeClassifier("gini")``.
    kind, n_estimators, max_features
        See `CostBaseEnsembleClassifier`, also for the attributes.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`.

    Attributes
    ----------
    leaf_weights_ : list of float arrays
        The vote of each model in each of its leaves, by their numbers.
    """

    role: Role = "weighted bagging"

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows."""
        outcomes, weights = [], []
        for (model, seen), of_leaves in zip(self._asked(rows), self.leaf_weights_, strict=True):
            outcomes.append(decisions(model, seen, cost_fn, cost_fp))
            weights.append(of_leaves[leaves_of(model, seen)])
        return Ballots(np.array(outcomes), np.array(weights))

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        self.leaf_weights_: list[Array] = []
        super()._fit_records(records, random_state)

    def _fit_model(self, model: Any, records: Records, random_state: np.random.RandomState) -> Any:
        costs = records.weight * records.costs
        if not costs.any():  # a bag of records whose errors cost nothing
            costs = records.weight
        weights = costs / float((records.copies * costs).sum())
        costing = weights > 0
        weighted = replace(records, weight=weights).taken(costing)
        fitted = fit_part(model, replace(weighted, cost_fn=1.0, cost_fp=1.0), random_state)
        leaves = leaves_of(fitted, weighted.rows)
        mass, copies = np.bincount(leaves, weighted.mass), np.bincount(leaves, weighted.copies)
        size = max(len(mass), _n_leaf_numbers(fitted))
        of_leaves = np.zeros(size)
        of_leaves[: len(mass)] = mass / np.maximum(copies, 1.0)
        self.leaf_weights_.append(of_leaves)
        return fitted

    def _check_parameters(self) -> None:
        super()._check_parameters()
        model = self._model()
        if not has_leaves(model):
            raise ValueError(
                f"estimator of {type(self).__name__} must be a tree with apply, whose leaves weigh its votes; "
                f"{type(model).__name__} has none"
            )
        check_weighted_tree(model, type(self).__name__)


def _n_leaf_numbers(fitted: Any) -> int:
    tree = getattr(fitted, "tree_", None)
    return int(getattr(tree, "n_nodes", getattr(tree, "node_count", 1)))
