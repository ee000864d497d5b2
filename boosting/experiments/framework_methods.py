"""The models of the framework suite: combinations of its parts, grouped by where costs enter.

References: Petrides and Verbeke, "Cost-sensitive ensemble learning: a unifying framework", 2022.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import AdaBoostClassifier
from ..framework.base_kind import BaseKindName
from ..framework.combinations import Combination, estimator_of
from ..framework.cost_classifier import CostClassifier
from ..framework.cost_ensemble import CostBaseEnsembleClassifier
from ..framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from ..reweighting.cost_reweighting_classifier import LeastCostVote
from .table import Array, Table

SMALLEST = 1e-3  # cost of an error that costs nothing, as a share of the mean cost
TREE_DEPTH = 6  # split levels of the trees of the bagging kinds
BAGGING_KINDS: tuple[BaseKindName, ...] = ("bagging", "random decision forest", "random forest")
INSENSITIVE, BEFORE, DURING, AFTER, TWICE = (
    "no costs",
    "costs before training",
    "costs during training",
    "costs after training",
    "costs before or during, and after training",
)


@dataclass(frozen=True, kw_only=True)
class FrameworkMethod:
    """A model of the suite.

    Parameters
    ----------
    group : str
        Where costs enter.
    base : str
        Bagging, random decision forest, random forest or AdaBoost.
    build : callable
        Makes the unfitted estimator of a number of models and a seed.
    """

    group: str
    base: str
    build: Callable[[int, int], Any]


def _of(group: str, combination: Combination) -> FrameworkMethod:
    trees = {} if combination.base == "adaboost" else {"max_depth": TREE_DEPTH}
    return FrameworkMethod(
        group=group,
        base=combination.base,
        build=lambda n_estimators, seed: estimator_of(
            combination, n_estimators=n_estimators, random_state=seed, **trees
        ),
    )


def _plain(kind: BaseKindName) -> FrameworkMethod:
    def build(n_estimators: int, seed: int) -> Any:
        tree = CostSensitiveTreeClassifier("gini", max_depth=TREE_DEPTH)
        return CostBaseEnsembleClassifier(tree, kind=kind, n_estimators=n_estimators, random_state=seed)

    return FrameworkMethod(group=INSENSITIVE, base=kind, build=build)


def _bagging_methods() -> dict[str, FrameworkMethod]:
    methods = {}
    for kind in BAGGING_KINDS:
        title = kind.capitalize()
        methods[title] = _plain(kind)
        parts: dict[str, tuple[str, Combination]] = {
            "CS-SampleEnsemble (rejection)": (
                BEFORE, Combination(kind, "sample", "rejection")),
            "CS-preSampleEnsemble (rejection)": (
                BEFORE, Combination(kind, "pre-sample", "rejection")),
            "CS-WeightedEnsemble": (BEFORE, Combination(kind, "weights")),
            "cost splitting": (DURING, Combination(kind, "cost splitting")),
            "DMECC": (AFTER, Combination(kind, post="minimum expected cost", threshold="theoretical")),
            "DMECC, Laplace": (
                AFTER,
                Combination(
                    kind, estimate="laplace", post="minimum expected cost", threshold="theoretical"),
            ),
            "DMECC, validated threshold": (
                AFTER, Combination(kind, post="minimum expected cost", threshold="validation")),
            "DMECC-Ensemble": (DURING, Combination(kind, "theoretical outcomes")),
            "MEC voting": (
                AFTER, Combination(kind, post="adjusted votes", voting="minimum expected cost")),
            "validated majority": (
                AFTER, Combination(kind, post="adjusted votes", voting="validation majority")),
            "CS-SampleEnsemble, MEC voting": (
                TWICE,
                Combination(
                    kind, "sample", "rejection", post="adjusted votes", voting="minimum expected cost"),
            ),
            "CS-SampleEnsemble, MetaCost": (
                TWICE, Combination(kind, "sample", "rejection", post="metacost")),
        }  # fmt: skip
        if kind != "random forest":
            parts["cost splitting, reduced-cost pruning"] = (
                DURING,
                Combination(kind, "cost splitting, reduced-cost pruning"),
            )
        for name, (group, combination) in parts.items():
            methods[f"{title}: {name}"] = _of(group, combination)
    return methods


def _boosting_methods() -> dict[str, FrameworkMethod]:
    methods = {
        "AdaBoost": FrameworkMethod(
            group=INSENSITIVE,
            base="adaboost",
            build=lambda n_estimators, seed: AdaBoostClassifier(n_estimators=n_estimators, random_state=seed),
        ),
        "AdaBoost: CS-SampleBoost (rejection)": _of(BEFORE, Combination("adaboost", "sample", "rejection")),
    }
    for name in ("AdaC1", "AdaC2", "AdaC3", "AdaCost", "CSB0", "CSB1", "CSB2", "CGAda", "AsymmetricAdaBoost"):
        methods[name] = _of(DURING, Combination("adaboost", name))
    for name in ("AdaMEC", "CalibratedAdaMEC"):
        methods[name] = _of(AFTER, Combination("adaboost", name))
    for name in ("UBoost", "CalibratedCGAda"):
        methods[name] = _of(TWICE, Combination("adaboost", name))
    for calibration in ("logistic", "platt", "isotonic"):
        methods[f"AdaBoost: DMECC, {calibration}"] = _of(
            AFTER,
            Combination(
                "adaboost",
                post="minimum expected cost",
                threshold="theoretical",
                calibration=calibration,  # type: ignore[arg-type]
            ),
        )
    methods["AdaBoost: validated majority"] = _of(
        AFTER, Combination("adaboost", post="adjusted votes", voting="validation majority")
    )
    return methods


METHODS: dict[str, FrameworkMethod] = {**_bagging_methods(), **_boosting_methods()}


def training_costs(table: Table) -> tuple[Array, Array]:
    """Costs of a false negative and of a false positive beyond those of the right answer.

    C_FN - C_TP and C_FP - C_TN: what a method that charges right answers nothing is given. Most methods need
    positive costs, so an error that costs nothing, or less, is given a thousandth of the mean cost.
    """
    false_positive, false_negative, true_positive, true_negative = table.record_costs().T
    errors = false_negative - true_positive, false_positive - true_negative
    smallest = SMALLEST * float(np.mean(np.abs(errors)))
    return np.maximum(errors[0], smallest), np.maximum(errors[1], smallest)


def fit_and_predict(model: Any, train: Table, test: Table) -> tuple[NDArray[Any], Array]:
    """Fit with the costs of the training records, if the model takes some, and predict the test records.

    Returns
    -------
    (n,) predictions
    (n,) float64
        Scores, higher for the positive class.
    """
    names = ("cost_fn", "cost_fp")
    if _takes_costs(model.fit):
        model.fit(train.features, train.labels, **dict(zip(names, training_costs(train), strict=True)))
    else:
        model.fit(train.features, train.labels)
    of_test = dict(zip(names, training_costs(test), strict=True)) if _weighs_at_prediction(model) else {}
    predicted = model.predict(test.features, **of_test)
    return predicted, _scores(model, test.features, of_test)


def _scores(model: Any, rows: Array, costs: dict[str, Array]) -> Array:
    if hasattr(model, "predict_proba"):
        extra = costs if _takes_costs(model.predict_proba) else {}
        return np.asarray(model.predict_proba(rows, **extra)[:, 1])
    return np.asarray(model.decision_function(rows))


def _takes_costs(function: Any) -> bool:
    return "cost_fn" in inspect.signature(function).parameters


def _weighs_at_prediction(model: Any) -> bool:
    """Do the costs of the records to predict play a part in the decision of the fitted model?"""
    if isinstance(model, CostClassifier):
        return model.decides_by_costs
    return isinstance(model, LeastCostVote) and getattr(model, "vote", "mec") == "mec"
