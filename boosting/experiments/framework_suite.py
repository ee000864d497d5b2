"""Cost-sensitive ensembles on records with their own costs.

References: Petrides and Verbeke, "Cost-sensitive ensemble learning: a unifying framework", 2022 (its experiments);
Bahnsen, Aouada, Ottersten, "A novel cost-sensitive framework for customer churn predictive modeling", 2015.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from sklearn.metrics import f1_score

from .. import NoRoundWarning
from ..framework.metacost import OneLabelWarning
from ..metrics import (
    MetricError,
    auc_score,
    balanced_accuracy,
    caught_amount_percentages_at_fpr,
    savings_score,
    total_cost,
)
from .framework_methods import METHODS, fit_and_predict
from .framework_report import report
from .manifest import ManifestEntry
from .resampling import Resampling
from .suite import Fit, Protocol, Suite, Values
from .table import ExperimentError, Table
from .two_class_tasks import two_class_task

NAME = "framework"
FALSE_POSITIVE_RATES = (0.01, 0.02, 0.03)


def _datasets(entries: Mapping[str, ManifestEntry], more: bool) -> tuple[str, ...]:
    return tuple(name for name, entry in entries.items() if NAME in entry.suites)


def _prepare(table: Table, name: str, entry: ManifestEntry | None, seed: int) -> Table:
    if not {"C_FN", "C_FP"} <= set(table.costs):
        raise ExperimentError(
            f"{name}: the suite {NAME} needs the costs of a false negative and of a false positive "
            "(--cost-fn and --cost-fp of a csv)"
        )
    return two_class_task(table, name, "" if entry is None else entry.binary_target)


def _evaluate(fit: Fit) -> Values:
    model = METHODS[fit.method].build(fit.settings["models"], fit.seed)
    with warnings.catch_warnings():
        # with some costs no learner is better than chance, or all records are worth the same label
        warnings.simplefilter("ignore", NoRoundWarning)
        warnings.simplefilter("ignore", OneLabelWarning)
        predicted, scores = fit_and_predict(model, fit.train, fit.test)
    labels, costs = fit.test.labels, fit.test.record_costs()
    try:
        caught = caught_amount_percentages_at_fpr(
            labels, scores, fit.test.costs["C_FN"], largest_fpr=FALSE_POSITIVE_RATES
        )
    except MetricError:  # amounts of nothing
        caught = np.full(len(FALSE_POSITIVE_RATES), np.nan)
    return {
        "savings": savings_score(labels, predicted, costs),
        "cost": total_cost(labels, predicted, costs) / len(labels),
        **{f"caught@{rate}": float(value) for rate, value in zip(FALSE_POSITIVE_RATES, caught, strict=True)},
        "balanced_accuracy": balanced_accuracy(labels, predicted),
        "f1": float(f1_score(labels, predicted, zero_division=0)),
        "auc": auc_score(labels, scores),
    }


SUITE = Suite(
    name=NAME,
    title="Cost-sensitive ensembles on records with their own costs",
    description=(
        "50 models an ensemble: trees of up to 6 levels, stumps in AdaBoost; costs of single records in training, "
        "and in prediction where a method weighs them. Default: 2-fold cross-validation once; full: 5 times."
    ),
    datasets=_datasets,
    prepare=_prepare,
    methods=tuple(METHODS),
    metrics=(
        "savings",
        "cost",
        *(f"caught@{rate}" for rate in FALSE_POSITIVE_RATES),
        "balanced_accuracy",
        "f1",
        "auc",
    ),
    evaluate=_evaluate,
    default=Protocol(resampling=Resampling(folds=2), settings={"models": 50}),
    full=Protocol(resampling=Resampling(folds=2, repeats=5), settings={"models": 50}),
    report=report,
)
