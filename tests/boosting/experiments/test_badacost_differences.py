"""The reasons that the badacost suite gives for means far from the published ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from badacost.boosting.experiments.badacost_differences import (
    FEW_ROUNDS,
    NO_LEARNER,
    OTHER_COSTS,
    OTHER_ROWS,
    SCALE,
    differences,
    scale_factors,
)
from badacost.boosting.experiments.published import PublishedTable
from badacost.boosting.experiments.results import Results

METHODS = ("AdaC2.M1", "MultiBoost", "Lp-CSB", "BAdaCost")


def reasons(
    dataset: str, ratios: dict[str, float], rounds: dict[str, int], scale: float = 1.0
) -> dict[str, Any]:
    """Reasons by method where our costs are these multiples of the published ones."""
    published = PublishedTable("badacost_mean_cost")
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": "0",
            "fold": "0",
            "cost": repr(scale * ratios.get(method, 1.0) * published.value(dataset, method)),
            "rounds": str(rounds.get(method, 100)),
        }
        for method in METHODS
    ]
    results = Results(rows, [dataset], METHODS)
    section = differences(results, results.means("cost"), published, 100)
    return {row[1]: row[6] for row in section.tables[1].rows}  # type: ignore[misc]


def test_a_common_factor_is_the_scale() -> None:
    assert reasons("pendigits", {}, {}, scale=7.0) == dict.fromkeys(METHODS, SCALE)
    assert reasons("pendigits", {}, {}) == {}


def test_what_is_left_after_scaling() -> None:
    ratios = {"MultiBoost": 10.0}
    assert reasons("pendigits", ratios, {})["MultiBoost"] == OTHER_COSTS
    assert reasons("pendigits", ratios, {"MultiBoost": 7})["MultiBoost"] == f"{FEW_ROUNDS}, 7 rounds"
    assert reasons("pendigits", ratios, {"MultiBoost": 0})["MultiBoost"] == NO_LEARNER
    assert reasons("waveform", ratios, {"MultiBoost": 7})["MultiBoost"] == OTHER_ROWS


def test_factors_are_geometric_means_over_what_is_known() -> None:
    ours = np.array([[1.0, 4.0, 0.0], [2.0, np.nan, 2.0], [np.nan, np.nan, np.nan]])
    theirs = np.array([[4.0, 4.0, 9.0], [4.0, 5.0, 1.0], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(scale_factors(ours, theirs), [2.0, 1.0, np.nan])
