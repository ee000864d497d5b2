"""The comparison of cost-sensitive boosting on imbalanced two-class data of the AdaCC paper.

References: Iosifidis, Papadopoulos, Rosenhahn, Ntoutsi, "AdaCC: cumulative cost-sensitive boosting for imbalanced
classification", 2023 (section 5).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from .. import NoRoundWarning
from ..metrics import auc_score, binary_rates, f1_of_positives
from .adacc_methods import COMPETITORS, Competitor
from .adacc_report import MEASURES, report
from .manifest import ManifestEntry
from .resampling import Resampling
from .suite import Fit, Protocol, Suite, Values
from .table import Array, Table, complete_rows
from .two_class_tasks import two_class_task

NAME = "adacc"
MORE = "adacc-more"
ROUNDS = (25, 50, 100, 200)
CHOOSING_SHARE = 0.4  # of a training fold, to choose the cost on
LARGEST = ("adult", "bank", "coil_2000")  # in encoded values; two folds of them do in the reduced protocol
# Names of tasks that are not those of their data sets.
TASKS = {
    "optical_digits": "optdigits",
    "pen_digits": "pendigits",
    "wine_quality": "winequality_white",
}


def _datasets(entries: Mapping[str, ManifestEntry], more: bool) -> tuple[str, ...]:
    task_of = {table: task for task, table in TASKS.items()}
    return tuple(
        task_of.get(name, name)
        for name, entry in entries.items()
        if NAME in entry.suites or (more and MORE in entry.suites)
    )


def _prepare(table: Table, name: str, entry: ManifestEntry | None, seed: int) -> Table:
    # the paper has complete rows of adult only; elsewhere it keeps the rows with missing values
    whole = complete_rows(table) if name == "adult" and entry is not None else table
    return two_class_task(whole, name, "" if entry is None else entry.binary_target)


def _evaluate(fit: Fit) -> Values:
    competitor, rounds = COMPETITORS[fit.method], fit.settings["rounds"]
    learn, choose = train_test_split(
        np.arange(len(fit.train)),
        test_size=CHOOSING_SHARE,
        stratify=fit.train.labels,
        random_state=fit.run_seed,
    )
    values: dict[str, float | str] = {}
    with warnings.catch_warnings():
        # a grid has costs under which no learner is better than chance: then one class is predicted
        warnings.simplefilter("ignore", NoRoundWarning)
        for stage, outcome in _chosen_stages(
            competitor, fit.train.rows(learn), fit.train.rows(choose), fit.test, rounds, fit.seed
        ):
            predicted, scores, cost, used = outcome
            measured = _measures(fit.test.labels, predicted, scores)
            values.update({f"{name}@{stage}": value for name, value in measured.items()})
            values[f"cost@{stage}"], values[f"rounds@{stage}"] = cost, float(used)
    return values


Outcome = tuple[NDArray[Any], Array, float, int]


def _chosen_stages(
    competitor: Competitor, learn: Table, choose: Table, test: Table, rounds: Sequence[int], seed: int
) -> Iterator[tuple[int, Outcome]]:
    """For each number of rounds the outcome on the test rows of the candidate of the highest F1."""
    if not competitor.staged:
        for number in rounds:
            yield from _best(competitor, learn, choose, test, (number,), seed)
    else:
        yield from _best(competitor, learn, choose, test, rounds, seed)


def _best(
    competitor: Competitor, learn: Table, choose: Table, test: Table, rounds: Sequence[int], seed: int
) -> Iterator[tuple[int, Outcome]]:
    best_f1 = dict.fromkeys(rounds, -1.0)
    best: dict[int, Outcome] = {}
    tuned = competitor.costs != "none"
    for candidate in competitor.candidates(learn.features, learn.labels, rounds[-1], seed):
        of_choice = candidate.stages(choose.features, rounds) if tuned else ((None,) * 3 for _ in rounds)
        f1 = [f1_score(choose.labels, stage[0], zero_division=0) if tuned else 0.0 for stage in of_choice]
        if any(new > best_f1[number] for number, new in zip(rounds, f1, strict=True)):
            outcomes = candidate.stages(test.features, rounds)
            for number, new, outcome in zip(rounds, f1, outcomes, strict=True):
                if new > best_f1[number]:
                    predicted, scores, used = outcome
                    best_f1[number] = new
                    best[number] = (predicted.copy(), scores.copy(), candidate.cost_fp, used)
    yield from best.items()


def _measures(labels: NDArray[Any], predicted: NDArray[Any], scores: Array) -> dict[str, float]:
    rates = binary_rates(labels, predicted)
    true_positive_rate, true_negative_rate = rates.true_positive_rate, rates.true_negative_rate
    measures = {
        "balanced_accuracy": (true_positive_rate + true_negative_rate) / 2,
        "tpr": true_positive_rate,
        "tnr": true_negative_rate,
        "gmean": float(np.sqrt(true_positive_rate * true_negative_rate)),
        "f1": f1_of_positives(labels, predicted),
        "auc": auc_score(labels, scores),
    }
    return {**measures, "opm": float(np.mean(list(measures.values())))}


SUITE = Suite(
    name=NAME,
    title="Cost-sensitive boosting on imbalanced two-class data (AdaCC paper)",
    description=(
        "AdaCC and its competitors, stumps, 25 to 200 rounds. Every method learns on a stratified 60 % of the "
        "training fold; the costs of those that take some are chosen by F1 on the other 40 %, from C+ = 1 and C- = "
        "0.1 to 1. Default: 5-fold cross-validation once (skin 3, adult, bank and coil_2000 2 folds); full: 10 times "
        "(skin: 3 folds, twice)."
    ),
    datasets=_datasets,
    prepare=_prepare,
    table_of=lambda name: TASKS.get(name, name),
    methods=tuple(COMPETITORS),
    metrics=tuple(f"{name}@{number}" for number in ROUNDS for name in (*MEASURES, "cost", "rounds")),
    evaluate=_evaluate,
    default=Protocol(
        resampling=Resampling(folds=5),
        exceptions={"skin": Resampling(folds=3), **dict.fromkeys(LARGEST, Resampling(folds=2))},
        settings={"rounds": ROUNDS},
    ),
    full=Protocol(
        resampling=Resampling(folds=5, repeats=10),
        exceptions={"skin": Resampling(folds=3, repeats=2)},
        settings={"rounds": ROUNDS},
    ),
    report=report,
    least_class_trained=2,  # one to learn from, one to choose the cost on
)
