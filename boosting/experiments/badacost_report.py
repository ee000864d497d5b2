"""Tables of the badacost suite, laid out as the paper's Table 1."""

from __future__ import annotations

import numpy as np

from .badacost_differences import differences
from .published import PublishedTable
from .rank_section import ScoreTable, rank_section
from .report import Cell, Report, ReportTable, Section
from .results import Results
from .suite import Protocol
from .table import Array

OURS = "BAdaCost"
UNIT = 1e4  # the paper prints costs in units of 10^-4
TIED = 0.05  # relative; a difference smaller than this share of the best is a tie


def report(results: Results, protocol: Protocol) -> Report:
    """Mean costs beside the published ones, ranks, errors, and what differs."""
    means = results.means("cost") * UNIT
    deviations = results.deviations("cost") * UNIT
    published = PublishedTable("badacost_mean_cost")
    scores = ScoreTable(
        name="badacost_cost",
        measure="mean cost",
        datasets=results.datasets,
        methods=results.methods,
        scores=means,
        higher_is_better=False,
    )
    return Report(
        title="Multi-class boosting with costs: the BAdaCost paper's Table 1",
        findings=_findings(results, means, scores),
        sections=[
            Section(
                title="Mean cost of a test row",
                paragraphs=[
                    "Sum of C(label, answer) over the test rows, divided by their number, times 10^4; mean over those "
                    f"of the {protocol.resampling.label} that are done ± standard deviation. C is the row-normalised "
                    "confusion matrix of cross-validated predictions under costs 0|1 (Appendix F of the paper), every "
                    "confusion counted once more than it was seen, divided by its largest entry.",
                ],
                tables=[_table(results, means, deviations, published)],
            ),
            rank_section(scores, control=OURS),
            _published_ranks(published, results),
            differences(results, means, published, protocol.settings["rounds"]),
            Section(
                title="Errors and rounds",
                paragraphs=["Share of wrong answers in percent, and rounds kept of those asked for (means)."],
                tables=[_errors(results)],
            ),
        ],
    )


def _findings(results: Results, means: Array, scores: ScoreTable) -> list[str]:
    ranks = scores.average_ranks()
    if OURS not in results.methods or not ranks:
        return [f"{len(results)} fits; no complete row of the table yet."]
    ours = means[:, results.methods.index(OURS)]
    whole = ~np.isnan(means).any(axis=1)
    best = means[whole].min(axis=1)
    first = int((ours[whole] <= best).sum())
    tied = int((ours[whole] <= best * (1 + TIED)).sum())
    order = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
    return [
        f"{OURS} has the least mean cost on {first} of {int(whole.sum())} data sets, and is best or within "
        f"{TIED:.0%} of the best on {tied}.",
        f"Average ranks: {order} (published: BAdaCost 1.42, Lp-CSB 2.33, MultiBoost 2.92, AdaC2.M1 3.33).",
    ]


def _table(results: Results, means: Array, deviations: Array, published: PublishedTable) -> ReportTable:
    rows: list[list[Cell]] = []
    for row, dataset in enumerate(results.datasets):
        cells: list[Cell] = [dataset]
        for column, method in enumerate(results.methods):
            cells.append(_with_deviation(means[row, column], deviations[row, column]))
            cells.append(
                _with_deviation(published.value(dataset, method), published.value(dataset, f"{method} sd"))
            )
        rows.append(cells)
    header = ["data set"]
    for method in results.methods:
        header += [method, "published"]
    return ReportTable(
        name="badacost_cost", caption="Mean cost x 10^4, ours and published", header=header, rows=rows
    )


def _with_deviation(mean: float, deviation: float) -> Cell:
    if np.isnan(mean):
        return None
    if np.isnan(deviation):  # of a single fold
        return f"{mean:.3g}" if mean < 10 else f"{mean:.0f}"
    return f"{mean:.3g} ± {deviation:.2g}" if mean < 10 else f"{mean:.0f} ± {deviation:.0f}"


def _published_ranks(published: PublishedTable, results: Results) -> Section:
    """The paper's own numbers through the same tests, over the data sets that are here."""
    if not results.datasets:
        return Section(title="Published ranks")
    table = ScoreTable(
        name="badacost_published",
        measure="published mean cost",
        datasets=results.datasets,
        methods=results.methods,
        scores=published.values(results.datasets, results.methods),
        higher_is_better=False,
    )
    return rank_section(table, control=OURS)


def _errors(results: Results) -> ReportTable:
    errors, rounds = 100 * results.means("error"), results.means("rounds")
    header = ["data set", *results.methods, *(f"{method} rounds" for method in results.methods)]
    return ReportTable(
        name="badacost_errors",
        caption="Errors in percent, and rounds",
        header=header,
        rows=[
            [dataset, *map(float, errors[row]), *map(float, rounds[row])]
            for row, dataset in enumerate(results.datasets)
        ],
        decimals=1,
    )
