"""How an estimator trains and asks its parts: any classifier, with weights and costs if it takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import has_fit_parameter

from ..rounds.weak_learners import seeded_clone
from .combination_rules import role_of
from .cost_classifier import CostClassifier
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .node_tree import Nodes
from .records import Array, Cost, Records


def check_part(part: Any, name: str, owner: str) -> None:
    """Refuse what is no unfitted classifier."""
    if isinstance(part, type) or not hasattr(part, "fit") or not is_classifier(part):
        raise ValueError(f"{name} of {owner} must be a classifier instance or None, got {part!r}")


def fit_part(estimator: Any, records: Records, random_state: np.random.RandomState) -> Any:
    """A fitted, freshly seeded copy of an estimator; its classes are 0 and 1, the positive one.

    Raises
    ------
    ValueError
        If the estimator takes no `sample_weight` and the weights are no whole numbers of copies.
    """
    fitted = seeded_clone(estimator, random_state)
    if isinstance(fitted, CostClassifier):
        return fitted.fit_records(records, random_state)
    if records.positive.all() or not records.positive.any():
        fitted = DummyClassifier(strategy="prior")  # a bag of one class
    rows, labels, weights = records.rows, records.positive.astype(np.int64), records.mass
    parameters = fitted.get_params(deep=False)
    if parameters.get("pos_label", 1) is None:
        fitted.set_params(pos_label=1)
    arguments: dict[str, Any] = {}
    if has_fit_parameter(fitted, "cost_fn"):
        arguments = {"cost_fn": records.cost_fn, "cost_fp": records.cost_fp}
    if has_fit_parameter(fitted, "sample_weight"):
        return fitted.fit(rows, labels, sample_weight=weights, **arguments)
    if not (weights == np.rint(weights)).all():
        raise ValueError(
            f"estimator {type(fitted).__name__} must take sample_weight in fit here: the training weights are "
            f"no whole numbers, e.g. {weights[weights != np.rint(weights)][0]:.6g}"
        )
    repeated = np.repeat(np.arange(len(rows)), weights.astype(np.int64))
    arguments = {
        name: cost if isinstance(cost, float) else cost[repeated] for name, cost in arguments.items()
    }
    return fitted.fit(rows[repeated], labels[repeated], **arguments)


def with_bins_for(estimator: Any, records: Records) -> Records:
    """The records, binned once if the models to train are our trees, or decide by the probabilities of some."""
    if role_of(estimator) == "threshold":
        inner = getattr(estimator, "estimator", None)
        estimator = CostSensitiveTreeClassifier("gini") if inner is None else inner
    if isinstance(estimator, CostSensitiveTreeClassifier):
        return records.with_bins(estimator.max_bins)
    return records


def decisions(fitted: Any, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
    """Where (n,) a fitted part predicts the positive class; rows are checked."""
    if isinstance(fitted, CostClassifier):
        return fitted.decide(rows, cost_fn, cost_fp)
    return np.asarray(fitted.predict(rows) == 1)


def probability(fitted: Any, rows: NDArray[Any]) -> Array:
    """The part's probability (n,) of the positive class: averaged leaf frequencies of an ensemble of trees."""
    if isinstance(fitted, CostClassifier):
        return fitted.mean_probability(rows)
    shares = np.asarray(fitted.predict_proba(rows), dtype=np.float64)
    column = np.flatnonzero(np.asarray(fitted.classes_) == 1)
    return shares[:, column[0]] if len(column) else np.zeros(len(rows))


def check_probabilities(part: Any, name: str, owner: str) -> None:
    """Refuse a part that has no probabilities."""
    if not hasattr(part, "predict_proba"):
        raise ValueError(f"{name} of {owner} must have predict_proba, {type(part).__name__} has not")


def has_leaves(estimator: Any) -> bool:
    """Whether `leaves_of` can ask it."""
    return hasattr(estimator, "apply")


def leaves_of(fitted: Any, rows: NDArray[Any]) -> Nodes:
    """Number of the leaf (n,) that every checked row falls into; a constant has one leaf."""
    if isinstance(fitted, CostSensitiveTreeClassifier):
        return fitted.tree_.leaves(rows)
    if isinstance(fitted, DummyClassifier):
        return np.zeros(len(rows), dtype=np.int64)
    return np.asarray(fitted.apply(rows), dtype=np.int64)
