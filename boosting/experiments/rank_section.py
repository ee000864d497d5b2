"""The part that all reports have: ranks, tests and the critical-difference plot of a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics import (
    average_ranks,
    bonferroni_dunn,
    critical_difference_plot,
    friedman_test,
    holm,
)
from .report import ReportFigure, ReportTable, Section
from .table import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable:
    """Scores of methods on data sets.

    Parameters
    ----------
    name : str
        For files.
    measure : str
        What the scores are.
    datasets, methods : sequence of str
    scores : (N, k) float64
        nan where there is no result.
    higher_is_better : bool
    """

    name: str
    measure: str
    datasets: Sequence[str]
    methods: Sequence[str]
    scores: Array
    higher_is_better: bool

    def complete(self) -> ScoreTable:
        """Without the data sets on which a method has no result."""
        whole = np.asarray(~np.isnan(self.scores).any(axis=1))
        return ScoreTable(
            name=self.name,
            measure=self.measure,
            datasets=[name for name, kept in zip(self.datasets, whole, strict=True) if kept],
            methods=self.methods,
            scores=self.scores[whole],
            higher_is_better=self.higher_is_better,
        )

    def average_ranks(self) -> dict[str, float]:
        """Average rank of every method over the complete data sets, best first."""
        complete = self.complete()
        if not len(complete.datasets) or len(self.methods) < 2:
            return {}
        mean = average_ranks(complete.scores, higher_is_better=self.higher_is_better)
        order = np.argsort(mean, kind="stable")
        return {self.methods[index]: float(mean[index]) for index in order}


def rank_section(table: ScoreTable, *, control: str | None = None) -> Section:
    """Average ranks, Friedman's and Iman-Davenport's tests, Bonferroni-Dunn and Holm against a control.

    Parameters
    ----------
    table : ScoreTable
    control : str, optional
        The method that the others are compared with; None is the one of least average rank.
    """
    complete = table.complete()
    left_out = [name for name in table.datasets if name not in complete.datasets]
    paragraphs = []
    if left_out:
        paragraphs.append(f"Without {', '.join(left_out)}, where a method has no result.")
    title = f"Ranks by {table.measure}"
    n_sets = len(complete.datasets)
    if n_sets < 2 or len(table.methods) < 2:
        paragraphs.append("Ranks and tests need at least two data sets and two methods.")
        return Section(title=title, paragraphs=paragraphs)
    mean = average_ranks(complete.scores, higher_is_better=table.higher_is_better)
    names = list(table.methods)
    index = names.index(control) if control is not None and control in names else int(np.argmin(mean))
    test = friedman_test(complete.scores, higher_is_better=table.higher_is_better)
    at_05, at_10 = (bonferroni_dunn(mean, n_sets, control=index, alpha=alpha) for alpha in (0.05, 0.10))
    step_down = holm(mean, n_sets, control=index)
    paragraphs.append(
        f"{n_sets} data sets, {len(mean)} methods. Friedman chi-squared {test.chi_squared:.2f} (p "
        f"{test.p_value:.3g}), Iman-Davenport F {test.f_statistic:.2f} (p {test.f_p_value:.3g}). Bonferroni-Dunn "
        f"critical differences against {table.methods[index]}: {at_05.critical_difference:.4f} (0.05), "
        f"{at_10.critical_difference:.4f} (0.10)."
    )
    rows = [
        [
            table.methods[method],
            float(mean[method]),
            float(at_05.differences[method]),
            float(at_05.p_values[method]) if method != index else None,
            *(
                "control" if method == index else "yes" if result.significant[method] else "no"
                for result in (at_05, at_10, step_down)
            ),
        ]
        for method in np.argsort(mean, kind="stable")
    ]
    ranks = ReportTable(
        name=f"{table.name}_ranks",
        caption=f"Average ranks by {table.measure}",
        header=[
            "method",
            "average rank",
            "difference",
            "p, uncorrected",
            "Bonferroni-Dunn 0.05",
            "0.10",
            "Holm 0.05",
        ],
        rows=rows,
        decimals=4,
    )
    figure = ReportFigure(
        name=f"{table.name}_ranks",
        caption=f"Critical-difference plot of {table.measure}",
        draw=lambda: critical_difference_plot(
            mean, list(table.methods), n_sets, control=index, title=table.measure
        ),
    )
    return Section(title=title, paragraphs=paragraphs, tables=[ranks], figures=[figure])
