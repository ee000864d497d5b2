"""Why mean costs differ from the published ones: what a common scale explains, and what is left."""

from __future__ import annotations

import numpy as np

from .published import PublishedTable
from .report import Cell, ReportTable, Section
from .results import Results
from .table import Array

FAR = 2.0  # published standard deviations
NOTHING_KEPT, EARLY = 0.01, 0.5  # shares of the rounds
# What in the data differs from the paper's, by data set.
OTHER_DATA = {
    "isolet_subset": "1560 of the 7797 rows",
    "satimage": "the paper counts 7 labels, the data have 6",
    "waveform": "5000 rows of the second version of the generator, without its noise attributes",
}
SCALE = "scale of the costs"
NO_LEARNER = "no learner beats chance under our costs, one answer for all rows"
FEW_ROUNDS = "ends early under our costs"
OTHER_ROWS = "other data"
OTHER_COSTS = "costs of other proportions, or other trees"


def differences(results: Results, means: Array, published: PublishedTable, asked_rounds: int) -> Section:
    """Every mean further than two published standard deviations from the published one, and the reason.

    The paper multiplies its costs by a factor that it does not print. It is estimated for each data set: the
    geometric mean over the methods of published over ours.

    Parameters
    ----------
    results : Results
    means : (data sets, methods) float64
        Mean costs in the unit of the published table.
    published : PublishedTable
    asked_rounds : int
        Rounds of a run that does not end early.
    """
    factors = scale_factors(means, published.values(results.datasets, results.methods).reshape(means.shape))
    rounds = results.means("rounds")
    rows: list[list[Cell]] = []
    counts: dict[str, int] = {}
    for row, dataset in enumerate(results.datasets):
        for column, method in enumerate(results.methods):
            theirs = published.value(dataset, method)
            deviation = published.value(dataset, f"{method} sd")
            ours = float(means[row, column])
            if not abs(ours - theirs) > FAR * deviation:
                continue
            scaled = ours * float(factors[row])
            other, kept = OTHER_DATA.get(dataset, ""), float(rounds[row, column])
            reason = _reason(abs(scaled - theirs) / deviation, kept / asked_rounds, bool(other))
            counts[reason] = counts.get(reason, 0) + 1
            text = f"{reason}, {kept:.0f} rounds" if reason == FEW_ROUNDS else reason
            rows.append([dataset, method, ours, theirs, deviation, scaled, text, other])
    listed = ", ".join(f"{reason} {number}" for reason, number in sorted(counts.items(), key=lambda c: -c[1]))
    return Section(
        title="Differences of more than two published standard deviations",
        paragraphs=[
            f"{len(rows)} of the {int((~np.isnan(means)).sum())} means. By reason: {listed or 'none'}.",
            "The scale of the costs is not the paper's: it multiplies its confusion matrix by a factor that it does "
            "not print, ours has the largest entry 1. The factor of a data set is estimated as the geometric mean of "
            "published over ours; a difference is put down to it where ours times the factor is within two standard "
            "deviations. The paper does not say either on which rows the matrix is measured nor how deep its trees "
            "are, which decides what an error costs beside others: where a difference is left, our costs are of "
            "other proportions than the paper's. That makes learners worse than chance at once, or after a few "
            "rounds, or changes the distance between methods. The last column says where the data differ as well.",
        ],
        tables=[
            ReportTable(
                name="badacost_scale",
                caption="Scale of the published costs, ours as 1",
                header=["data set", "factor"],
                rows=[[name, float(factor)] for name, factor in zip(results.datasets, factors, strict=True)],
                decimals=3,
            ),
            ReportTable(
                name="badacost_differences",
                caption="Ours further than two published standard deviations from the published mean",
                header=[
                    "data set",
                    "method",
                    "ours",
                    "published",
                    "published sd",
                    "ours times factor",
                    "reason",
                    "other data",
                ],
                rows=rows,
                decimals=1,
            ),
        ],
    )


def scale_factors(ours: Array, theirs: Array) -> Array:
    """The geometric mean (data sets,) over the methods of theirs over ours; nan where there is none.

    A cost of 0 says nothing of the scale and is left out, as is one that is not there.
    """
    known = ~(np.isnan(ours) | np.isnan(theirs)) & (ours > 0) & (theirs > 0)
    ratios = np.log(np.where(known, theirs, 1.0) / np.where(known, ours, 1.0))
    number = known.sum(axis=1)
    return np.where(number > 0, np.exp(ratios.sum(axis=1) / np.maximum(number, 1)), np.nan)


def _reason(deviations: float, kept: float, other_rows: bool) -> str:
    """From how many standard deviations are left after scaling, the share of rounds kept, and the data."""
    if deviations <= FAR:
        return SCALE
    if kept < NOTHING_KEPT:
        return NO_LEARNER
    if other_rows:
        return OTHER_ROWS
    return FEW_ROUNDS if kept < EARLY else OTHER_COSTS
