"""The reweighting family against independent runs of its formulas and of the AdaCC authors' program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.boosting.reweighting.adamec import AdaMECClassifier
from badacost.boosting.reweighting.cumulative_cost_rules import adacc
from badacost.boosting.reweighting.research_code_rules import RESEARCH_CODE_RULES
from badacost.boosting.reweighting.reweighting import ReweightingRule, boost_by_reweighting
from badacost.boosting.reweighting.reweighting_rules import (
    ADABOOST,
    ADAC1,
    ADAC2,
    ADAC3,
    ASYMMETRIC_ADABOOST,
    CGADA,
    RAREBOOST,
    adacost,
    csb,
)
from badacost.boosting.rounds.votes import Votes, as_pair
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.stump import Stump, StumpTrainer
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier

from .binary_tables import ROUNDS, TABLES, Replay, read_runs, read_table, training_rows

FORMULAS: dict[str, ReweightingRule] = {
    "AdaBoost": ADABOOST,
    "CGAda": CGADA,
    "AdaC1": ADAC1,
    "AdaC2": ADAC2,
    "AdaC3": ADAC3,
    "AdaCost": adacost("fan", "r"),
    "CSB0": csb(0, "sign"),
    "CSB1": csb(1, "sign"),
    "CSB2": csb(2, "sign"),
    "AsymAB": ASYMMETRIC_ADABOOST,
    "RareBoost": RAREBOOST,
    "AdaCC1": adacc(1, cumulative=True, form="paper"),
    "AdaCC2": adacc(2, cumulative=True, form="paper"),
    "AdaN-CC1": adacc(1, cumulative=False, form="paper"),
    "AdaN-CC2": adacc(2, cumulative=False, form="paper"),
}
PROGRAM: dict[str, ReweightingRule] = {
    **FORMULAS,
    **RESEARCH_CODE_RULES,
    "AdaCC1": adacc(1, cumulative=True, form="code"),
    "AdaCC2": adacc(2, cumulative=True, form="code"),
    "AdaN-CC1": adacc(1, cumulative=False, form="code"),
    "AdaN-CC2": adacc(2, cumulative=False, form="code"),
}
HALF_SCALE_IN_PROGRAM = {"AdaC1", "AdaC3", "RareBoost"}

Weights = NDArray[np.float64]


def tolerance(method: str) -> float:
    return 1e-7 if method == "AdaC3" else 1e-9


@pytest.mark.parametrize("single_records", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_replay_of_the_formulas(shared: Path, table: str, single_records: bool) -> None:
    """Given the stumps, alphas, errors, costs and weights of every round are the formulas'."""
    X, y = read_table(shared, table)
    for expected in read_runs(shared, "formula", table):
        seen: list[Weights] = []
        run = boost_by_reweighting(
            FORMULAS[expected.method],
            training_rows(y, expected, single_records=single_records),
            Replay(X, expected),
            record_history=True,
            on_round=lambda weights, predicted, seen=seen: seen.append(weights.copy()),  # type: ignore[misc]
        )
        label = f"{table} {expected.name}"
        rtol = tolerance(expected.method)
        alphas = np.array([as_pair(alpha) for alpha in run.alphas]).reshape(-1, 2)
        np.testing.assert_allclose(alphas[:, 0], expected.alpha, rtol, 1e-14, err_msg=label)
        np.testing.assert_allclose(run.errors, expected["error"], rtol, err_msg=label)
        np.testing.assert_allclose(np.exp(run.log_weights), expected["final_weights"], rtol, err_msg=label)
        if len(seen) > 1:
            np.testing.assert_allclose(seen[1], expected["weights_round2"], rtol, err_msg=label)
            np.testing.assert_allclose(seen[-1], expected["weights_last"], rtol, err_msg=label)
        if "alpha_neg" in expected:
            np.testing.assert_allclose(alphas[:, 1], expected["alpha_neg"], rtol, err_msg=label)
        if "cost_pos_neg" in expected:
            costs = [run.history["cost_of_wrong_positives"], run.history["cost_of_wrong_negatives"]]
            np.testing.assert_allclose(np.transpose(costs), expected["cost_pos_neg"], rtol, err_msg=label)


class FreeStump:
    """Our stump of least Gini impurity, found by exact search."""

    def __init__(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
        self._trainer = StumpTrainer(X, y, SplitCriterion.gini(2), search="exact")

    def fit(self, weights: Weights) -> tuple[Stump, Weights]:
        stump, goes_left = self._trainer.fit(weights)
        return stump, np.where(goes_left, 2.0 * stump.left - 1.0, 2.0 * stump.right - 1.0)


@pytest.mark.parametrize("table", TABLES)
def test_free_runs_of_the_formulas(shared: Path, table: str) -> None:
    """The same with stumps of our own: even these agree in all rounds, and so does the end."""
    X, y = read_table(shared, table)
    for expected in read_runs(shared, "formula", table):
        run = boost_by_reweighting(FORMULAS[expected.method], training_rows(y, expected), FreeStump(X, y))
        label = f"{table} {expected.name}"
        stumps: list[Stump] = run.learners
        assert len(stumps) == len(expected.alpha), label
        assert (len(stumps) < ROUNDS) == bool(str(expected["stopped"])), label
        np.testing.assert_array_equal([stump.feature for stump in stumps], expected["stump_feature"], label)
        np.testing.assert_array_equal(
            [stump.threshold for stump in stumps], expected["stump_threshold"], label
        )
        np.testing.assert_array_equal([2 * stump.left - 1 for stump in stumps], expected["stump_left"], label)
        np.testing.assert_array_equal(
            [2 * stump.right - 1 for stump in stumps], expected["stump_right"], label
        )
        votes = Votes(np.zeros(len(y)))
        for stump, alpha in zip(stumps, run.alphas, strict=True):
            votes.add(2.0 * stump.predict(X) - 1.0, alpha)
        rtol = tolerance(expected.method)
        np.testing.assert_allclose(votes.score, expected["scores"], rtol, 1e-12, err_msg=label)
        alphas = [as_pair(alpha)[0] for alpha in run.alphas]
        np.testing.assert_allclose(alphas, expected.alpha, rtol, 1e-14, err_msg=label)


@pytest.mark.parametrize("table", TABLES)
def test_replay_of_the_authors_program(shared: Path, table: str) -> None:
    """The "code" forms repeat the released program, which departs from the papers."""
    X, y = read_table(shared, table)
    as_float32 = X.astype(np.float32)
    for expected in read_runs(shared, "authors", table):
        if expected.method == "AdaMEC":
            continue
        seen: list[Weights] = []
        run = boost_by_reweighting(
            PROGRAM[expected.method],
            training_rows(y, expected),
            Replay(as_float32, expected),
            record_history=True,
            on_round=lambda weights, predicted, seen=seen: seen.append(weights.copy()),  # type: ignore[misc]
        )
        label = f"{table} {expected.name}"
        rtol = tolerance(expected.method)
        scale = 1.0 if expected.method in HALF_SCALE_IN_PROGRAM else 2.0
        alphas = scale * np.array([as_pair(alpha)[0] for alpha in run.alphas])
        np.testing.assert_allclose(alphas, expected.alpha, rtol, 1e-12, err_msg=label)
        np.testing.assert_allclose(seen[-1], expected["weights_last"], rtol, err_msg=label)
        if "weights_round2" in expected:
            np.testing.assert_allclose(seen[1], expected["weights_round2"], rtol, err_msg=label)
        if "cost_pos" in expected:
            np.testing.assert_allclose(
                run.history["cost_of_wrong_positives"], expected["cost_pos"], rtol, err_msg=label
            )
            np.testing.assert_allclose(
                run.history["cost_of_wrong_negatives"], expected["cost_neg"], rtol, err_msg=label
            )


@pytest.mark.parametrize("table", TABLES)
def test_decisions_of_the_authors_adamec(shared: Path, table: str) -> None:
    X, y = read_table(shared, table)
    stump = DecisionStumpClassifier(search="exact")
    for expected in read_runs(shared, "authors", table):
        if expected.method == "AdaMEC" and "predict" in expected:
            model = AdaMECClassifier(
                stump, n_estimators=ROUNDS, cost_fp=expected.cost_fp, form="code", pos_label=1
            )
            np.testing.assert_array_equal(model.fit(X, y).predict(X), expected["predict"], expected.name)


@pytest.mark.parametrize("table", TABLES)
def test_scikit_learn_samme_is_adaboost_on_twice_the_scale(shared: Path, table: str) -> None:
    X, y = read_table(shared, table)
    (expected,) = (run for run in read_runs(shared, "libs", table) if run.method == "sklearn_SAMME")
    run = boost_by_reweighting(ADABOOST, training_rows(y, expected), Replay(X.astype(np.float32), expected))
    np.testing.assert_allclose(2.0 * np.array(run.alphas), expected.alpha, 1e-9)
    np.testing.assert_allclose(run.errors, expected["error"], 1e-9)
