"""The comparison of multi-class boosting with costs of the BAdaCost paper (its Table 1).

References: Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", 2018 (section 5.1,
Appendix F).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from .. import (
    AdaC2M1Classifier,
    BAdaCostClassifier,
    LpCSBClassifier,
    MultiBoostClassifier,
    NoRoundWarning,
    SAMMEClassifier,
)
from ..costs import Matrix, from_confusion
from ..metrics import expected_cost
from .badacost_report import report
from .manifest import ManifestEntry
from .resampling import Resampling, seed_of
from .suite import DataSource, Fit, Protocol, Suite, Values
from .table import ExperimentError, Table
from .task_table import load_task

NAME = "badacost"
COST_FOLDS = 5
SHRINKAGE = 0.1  # of BAdaCost's steps, the default of its authors' program


def _datasets(entries: Mapping[str, ManifestEntry], more: bool) -> tuple[str, ...]:
    return tuple(name for name, entry in entries.items() if NAME in entry.suites)


def _prepare(table: Table, name: str, entry: ManifestEntry | None, seed: int) -> Table:
    largest = int(np.unique(table.labels, return_counts=True)[1].max())
    if largest < COST_FOLDS:
        raise ExperimentError(
            f"{name}: the suite {NAME} makes the costs from {COST_FOLDS} folds and needs a class of as many records, "
            f"found at most {largest} of a class"
        )
    return table


def tree_depth(n_classes: int) -> int:
    """Split levels of all weak learners: trees with at least twice as many leaves as classes."""
    return math.ceil(math.log2(n_classes)) + 1


@lru_cache(maxsize=32)
def task_costs(source: DataSource, n_estimators: int, seed: int) -> Matrix:
    """The cost matrix of a data set, which is part of the task: Appendix F of the paper.

    The row-normalised confusion matrix of 5-fold cross-validated predictions of SAMME, which is BAdaCost with costs
    0|1, divided by its largest entry. It is made once a data set, the same for all methods. Every confusion is
    counted once more than it was seen (the rule of succession): with a cost of zero, or next to it, for errors that
    did not happen, predicting always the same rare class would be the cheapest of all.

    Parameters
    ----------
    source : DataSource
    n_estimators : int
    seed : int
    """
    table = load_task(SUITE, source, seed)
    classes, codes = np.unique(table.labels, return_inverse=True)
    features, depth = np.nan_to_num(table.features), tree_depth(len(classes))
    confusion = np.ones((len(classes), len(classes)))
    folds = StratifiedKFold(COST_FOLDS, shuffle=True, random_state=seed_of(seed, source.name, "costs"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        parts = list(folds.split(features, codes))
    for seen, unseen in parts:
        model = SAMMEClassifier(n_estimators=n_estimators, max_depth=depth).fit(features[seen], codes[seen])
        np.add.at(confusion, (codes[unseen], model.predict(features[unseen])), 1.0)
    costs = from_confusion(confusion)
    return costs / costs.max()


def _booster(method: str, costs: Matrix, depth: int, n_estimators: int, pool: int, seed: int) -> Any:
    common: dict[str, Any] = {
        "cost_matrix": costs,
        "n_estimators": n_estimators,
        "max_depth": depth,
        "random_state": seed,
    }
    boosters: dict[str, Callable[[], Any]] = {
        "AdaC2.M1": lambda: AdaC2M1Classifier(**common),
        "MultiBoost": lambda: MultiBoostClassifier(pool_size=pool, **common),
        "Lp-CSB": lambda: LpCSBClassifier(**common),
        "BAdaCost": lambda: BAdaCostClassifier(learning_rate=SHRINKAGE, **common),
    }
    return boosters[method]()


def _evaluate(fit: Fit) -> Values:
    classes, n_estimators = np.unique(fit.table.labels), fit.settings["rounds"]
    depth = tree_depth(len(classes))
    costs = task_costs(fit.source, n_estimators, fit.run_seed)
    seen = np.flatnonzero(np.isin(classes, fit.train.labels))  # a fold may lack a class of a few rows
    model = _booster(
        fit.method, costs[np.ix_(seen, seen)], depth, n_estimators, fit.settings["pool"], fit.seed
    )
    with warnings.catch_warnings():
        # no learner better than chance under the costs: then one class is predicted, with 0 rounds
        warnings.simplefilter("ignore", NoRoundWarning)
        model.fit(fit.train.features, fit.train.labels)
    predicted = model.predict(fit.test.features)
    return {
        "cost": expected_cost(fit.test.labels, predicted, costs, labels=classes),
        "error": float(np.mean(predicted != fit.test.labels)),
        "rounds": float(model.n_rounds_),
    }


SETTINGS = {"rounds": 100}
SUITE = Suite(
    name=NAME,
    title="Multi-class boosting with costs (BAdaCost paper, Table 1)",
    description=(
        "AdaC2.M1, MultiBoost, Lp-CSB and BAdaCost, 100 rounds of trees of log2 K + 1 levels (BAdaCost with the "
        "shrinkage 0.1 of its authors' program), stratified 5-fold cross-validation; the costs follow from the "
        "errors under costs 0|1. Default: the pool of MultiBoost has 600 trees; full: 6000."
    ),
    datasets=_datasets,
    prepare=_prepare,
    methods=("AdaC2.M1", "MultiBoost", "Lp-CSB", "BAdaCost"),
    metrics=("cost", "error", "rounds"),
    evaluate=_evaluate,
    default=Protocol(resampling=Resampling(folds=5), settings={**SETTINGS, "pool": 600}),
    full=Protocol(resampling=Resampling(folds=5), settings={**SETTINGS, "pool": 6000}),
    report=report,
)
