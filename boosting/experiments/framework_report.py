"""Tables of the framework suite: savings, caught amounts, the best models, and where costs should enter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .framework_methods import INSENSITIVE, METHODS, TWICE
from .rank_section import ScoreTable, rank_section
from .report import Cell, Report, ReportTable, Section
from .results import Results
from .suite import Protocol
from .table import Array

BEST = 10
FRAUD = "creditcard_fraud_sample"
RATES = (0.01, 0.02, 0.03)


def report(results: Results, protocol: Protocol) -> Report:
    """Savings of every model, the ten best of each data set, groups and bases."""
    savings = 100 * results.means("savings")
    sections = [_savings(results, savings)]
    sections += [_ten_best(results, savings, row) for row in range(len(results.datasets))]
    sections += [_groups(results, savings), _caught(results)]
    scores = ScoreTable(
        name="framework_savings",
        measure="savings",
        datasets=results.datasets,
        methods=results.methods,
        scores=savings,
        higher_is_better=True,
    )
    sections.append(rank_section(scores))
    return Report(
        title="Cost-sensitive ensembles on records with their own costs",
        findings=_findings(results, savings),
        sections=sections,
    )


def _group(method: str) -> str:
    return METHODS[method].group


def _findings(results: Results, savings: Array) -> list[str]:
    findings: list[str] = []
    for row, dataset in enumerate(results.datasets):
        known = {
            name: float(value)
            for name, value in zip(results.methods, savings[row], strict=True)
            if not np.isnan(value)
        }
        blind = {name: value for name, value in known.items() if _group(name) == INSENSITIVE}
        aware = {name: value for name, value in known.items() if _group(name) != INSENSITIVE}
        if not (blind and aware):
            continue
        best_blind, best_aware = max(blind, key=blind.__getitem__), max(aware, key=aware.__getitem__)
        beating = sum(value > blind[best_blind] for value in aware.values())
        findings.append(
            f"{dataset}: the best cost-sensitive model saves {aware[best_aware]:.1f} % ({best_aware}), the best "
            f"cost-insensitive one {blind[best_blind]:.1f} % ({best_blind}); {beating} of {len(aware)} "
            f"cost-sensitive models beat it. Means: {np.mean(list(aware.values())):.1f} % and "
            f"{np.mean(list(blind.values())):.1f} %."
        )
    return [*findings, *_observations(results, savings)]


def _observations(results: Results, savings: Array) -> list[str]:
    """Four questions about the ten best models of each data set."""
    lists = [_best(results, savings, row) for row in range(len(results.datasets))]
    if not lists or not all(lists):
        return []
    answers = [
        (
            "All of the ten best models are cost-sensitive",
            [sum(_group(name) != INSENSITIVE for name in best) for best in lists],
            [len(best) for best in lists],
        ),
        (
            "Using the costs both before or during and after training is among the best",
            [sum(_group(name) == TWICE for name in best) for best in lists],
            [1] * len(lists),
        ),
        (
            "AdaBoost-based models are among the best beside the bagging kinds",
            [sum(METHODS[name].base == "adaboost" for name in best) for best in lists],
            [1] * len(lists),
        ),
    ]
    texts = []
    for statement, counts, needed in answers:
        holds = [count >= least for count, least in zip(counts, needed, strict=True)]
        of_sets = ", ".join(
            f"{name} {count} of {len(best)}"
            for name, count, best in zip(results.datasets, counts, lists, strict=True)
        )
        verdict = "holds" if all(holds) else "does not hold" if not any(holds) else "holds in part"
        texts.append(f"{statement}: {verdict} ({of_sets}).")
    first = {best[0] for best in lists}
    texts.append(
        "No single model is best everywhere: "
        + ("holds" if len(first) > 1 else "does not hold")
        + f" ({'; '.join(f'{name}: {best[0]}' for name, best in zip(results.datasets, lists, strict=True))})."
    )
    return texts


def _best(results: Results, savings: Array, row: int) -> list[str]:
    known = [index for index in range(len(results.methods)) if not np.isnan(savings[row, index])]
    order = sorted(known, key=lambda index: -savings[row, index])
    return [results.methods[index] for index in order[:BEST]]


def _savings(results: Results, savings: Array) -> Section:
    rows: list[list[Cell]] = [
        [method, _group(method), *map(float, savings[:, column])]
        for column, method in enumerate(results.methods)
    ]
    return Section(
        title="Savings",
        paragraphs=[
            "1 less the cost of the predictions over that of the cheaper of predicting all records negative or all "
            "positive, in percent; costs are those of each record, those of right answers included."
        ],
        tables=[
            ReportTable(
                name="framework_savings",
                caption="Savings in percent",
                header=["model", "costs enter", *results.datasets],
                rows=rows,
                decimals=1,
            )
        ],
    )


def _ten_best(results: Results, savings: Array, row: int) -> Section:
    dataset = results.datasets[row]
    measures = ("cost", "balanced_accuracy", "f1", "auc")
    rows: list[list[Cell]] = []
    for method in _best(results, savings, row):
        column = results.methods.index(method)
        of_method = [
            float(results.means(measure, datasets=[dataset], methods=[method])[0, 0]) for measure in measures
        ]
        rows.append([method, _group(method), float(savings[row, column]), *of_method])
    return Section(
        title=f"The ten best on {dataset}",
        tables=[
            ReportTable(
                name=f"framework_best_{dataset}",
                caption="Savings in percent, mean cost of a record, other measures",
                header=["model", "costs enter", "savings", "cost", "balanced accuracy", "F1", "AUC"],
                rows=rows,
                decimals=3,
            )
        ],
    )


def _groups(results: Results, savings: Array) -> Section:
    def table(name: str, caption: str, labels: Sequence[str]) -> ReportTable:
        rows: list[list[Cell]] = []
        for label in dict.fromkeys(labels):
            columns = [column for column, own in enumerate(labels) if own == label]
            cells: list[Cell] = [label, len(columns)]
            for row in range(len(results.datasets)):
                values = savings[row, columns]
                values = values[~np.isnan(values)]
                cells += [float(values.mean()), float(values.max())] if len(values) else [None, None]
            rows.append(cells)
        header = ["", "models"]
        for dataset in results.datasets:
            header += [f"{dataset} mean", "best"]
        return ReportTable(name=name, caption=caption, header=header, rows=rows, decimals=1)

    return Section(
        title="By where costs enter, and by base",
        tables=[
            table(
                "framework_groups",
                "Savings in percent by where costs enter",
                [_group(name) for name in results.methods],
            ),
            table(
                "framework_bases",
                "Savings in percent by base",
                [METHODS[name].base for name in results.methods],
            ),
        ],
    )


def _caught(results: Results) -> Section:
    """TotF% of the fraud data."""
    if FRAUD not in results.datasets:
        return Section(title="Caught fraud")
    caught = np.array([results.means(f"caught@{rate}", datasets=[FRAUD])[0] for rate in RATES]).T
    order = np.argsort(-np.nan_to_num(caught[:, 0], nan=-1.0), kind="stable")
    rows: list[list[Cell]] = [
        [results.methods[index], _group(results.methods[index]), *map(float, caught[index])]
        for index in order
    ]
    return Section(
        title="Caught fraud",
        paragraphs=[
            "TotF%: share of the amount of all frauds in the transactions of highest score, at false positive "
            "rates of at most 1, 2 and 3 %. The sample has far more frauds than the full data: not comparable "
            "with published numbers."
        ],
        tables=[
            ReportTable(
                name="framework_caught",
                caption="TotF%",
                header=["model", "costs enter", *(f"FPR {rate:.0%}" for rate in RATES)],
                rows=rows,
                decimals=1,
            )
        ],
    )
