"""The comparison of margin bagging with other bagging methods.

References: Feng, Huang, Ren, "Class imbalance ensemble learning based on the margin theory", 2018 (section 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bagging.bagging import BaggingClassifier
from ..bagging.margin_bagging import MarginBaggingClassifier
from ..bagging.smote_bagging import SMOTEBaggingClassifier
from ..bagging.under_bagging import UnderBaggingClassifier
from ..metrics import average_accuracy, kw_diversity, mean_f_measure, minimum_class_accuracy
from ..trees.cart_classifier import CARTClassifier
from .complexity_pruned_cart import ComplexityPrunedCART
from .manifest import ManifestEntry
from .margin_report import SIZES, UNPRUNED, report
from .margin_tasks import TASKS, cut_down
from .resampling import Resampling
from .suite import Fit, Protocol, Suite, Values
from .table import Table

NAME = "margin"
N_ESTIMATORS = SIZES[-1]
RANGES = tuple(round(0.1 * step, 1) for step in range(1, 11))
COMPLEXITY = 0.01  # rpart's default, which the paper's numbers are of; its text says unpruned
MEASURES = ("average_accuracy", "f_measure", "minimum_accuracy")
OTHERS = {
    "Bagging": BaggingClassifier,
    "UnderBagging": UnderBaggingClassifier,
    "SMOTEBagging": SMOTEBaggingClassifier,
}
MARGINS = {
    "MBagging max": "max",
    "MBagging unsupervised max": "unsupervised max",
    "MBagging sum": "sum",
    "MBagging unsupervised sum": "unsupervised sum",
}


def _datasets(entries: Mapping[str, ManifestEntry], more: bool) -> tuple[str, ...]:
    return tuple(
        name for name, task in TASKS.items() if task.table in entries and NAME in entries[task.table].suites
    )


def _prepare(table: Table, name: str, entry: ManifestEntry | None, seed: int) -> Table:
    return cut_down(table, name) if name in TASKS and entry is not None else table


def _ensemble(method: str, tree: CARTClassifier, seed: int, resampling_range: float = 1.0) -> Any:
    if method in OTHERS:
        return OTHERS[method](tree, n_estimators=N_ESTIMATORS, random_state=seed)
    return MarginBaggingClassifier(
        tree,
        n_estimators=N_ESTIMATORS,
        margin=MARGINS[method],  # type: ignore[arg-type]
        resampling_range=resampling_range,
        random_state=seed,
    )


def _evaluate(fit: Fit) -> Values:
    test, ranges = fit.test, fit.settings["ranges"]
    tree = ComplexityPrunedCART(complexity=fit.settings["complexity"])
    model = _ensemble(fit.method, tree, fit.seed).fit(fit.train.features, fit.train.labels)
    members = member_predictions(model, test.features)
    stages = list(model.staged_predict(test.features))
    whole = _measures(test.labels, stages[-1])
    values: dict[str, float | str] = {**whole, "kw": kw_diversity(test.labels, members)}
    for size in SIZES:
        values[f"average_accuracy@{size}"] = average_accuracy(test.labels, stages[size - 1])
    for share in RANGES:
        measured = dict.fromkeys(MEASURES, float("nan"))
        if fit.method in MARGINS and share == 1.0:
            measured = whole
        elif fit.method in MARGINS and share in ranges:
            other = _ensemble(fit.method, tree, fit.seed, share).fit(fit.train.features, fit.train.labels)
            measured = _measures(test.labels, other.predict(test.features))
        values.update({f"{name}@range {share}": value for name, value in measured.items()})
    unpruned = _ensemble(fit.method, CARTClassifier(), fit.seed).fit(fit.train.features, fit.train.labels)
    values[UNPRUNED] = average_accuracy(test.labels, unpruned.predict(test.features))
    return values


def member_predictions(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What each member (T) of an ensemble with hard voting says of each row: labels (T, n)."""
    predicted, before = [], 0.0
    for number, shares in enumerate(model.staged_predict_proba(rows), start=1):
        votes = shares * number
        predicted.append(model.classes_[np.argmax(votes - before, axis=1)])
        before = votes
    return np.array(predicted)


def _measures(labels: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    return {
        "average_accuracy": average_accuracy(labels, predicted),
        "f_measure": mean_f_measure(labels, predicted),
        "minimum_accuracy": minimum_class_accuracy(labels, predicted),
    }


def _metrics(ranges: Sequence[float]) -> tuple[str, ...]:
    sizes = (f"average_accuracy@{size}" for size in SIZES)
    shares = (f"{name}@range {share}" for share in ranges for name in MEASURES)
    return (*MEASURES, "kw", *sizes, *shares, UNPRUNED)


SUITE = Suite(
    name=NAME,
    title="Margin bagging (17 of the 18 tasks of its paper)",
    description=(
        "Ensembles of 100 CART trees, pruned as rpart does by default, random halves for training and testing. "
        "Default: 3 repeats, resampling ranges of 20, 40, ..., 100 % of the largest class; full: 10 repeats, 10, "
        "20, ..., 100 %."
    ),
    datasets=_datasets,
    prepare=_prepare,
    table_of=lambda name: TASKS[name].table if name in TASKS else name,
    methods=(*OTHERS, *MARGINS),
    metrics=_metrics(RANGES),
    evaluate=_evaluate,
    default=Protocol(
        resampling=Resampling(kind="halves", folds=1, repeats=3),
        settings={"ranges": RANGES[1::2], "complexity": COMPLEXITY},
    ),
    full=Protocol(
        resampling=Resampling(kind="halves", folds=1, repeats=10),
        settings={"ranges": RANGES, "complexity": COMPLEXITY},
    ),
    report=report,
)
