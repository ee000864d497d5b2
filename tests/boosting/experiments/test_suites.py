"""What each suite fits, scores and reports."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.boosting import AdaBoostClassifier, AdaCC1Classifier
from badacost.boosting.experiments.adacc_methods import COMPETITORS, Candidate
from badacost.boosting.experiments.badacost_suite import task_costs, tree_depth
from badacost.boosting.experiments.catalog import SUITES
from badacost.boosting.experiments.framework_methods import METHODS, fit_and_predict, training_costs
from badacost.boosting.experiments.manifest import load_table, read_manifest
from badacost.boosting.experiments.margin_suite import member_predictions
from badacost.boosting.experiments.margin_tasks import TASKS, cut_down
from badacost.boosting.experiments.published import PublishedTable
from badacost.boosting.experiments.report_files import write_report
from badacost.boosting.experiments.resampling import Resampling
from badacost.boosting.experiments.results import Results
from badacost.boosting.experiments.single_fit import run_job
from badacost.boosting.experiments.suite import DataSource, FitJob
from badacost.boosting.experiments.table import ExperimentError, Table

from .data_folder import write_data_folder

DATASETS = {"badacost": "clouds", "adacc": "loans", "margin": "clouds", "framework": "loans"}
SMALL: dict[str, dict[str, Any]] = {
    "badacost": {"rounds": 5, "pool": 9},
    "adacc": {"rounds": (2, 5)},
    "margin": {"ranges": (0.2, 1.0), "complexity": 0.01},
    "framework": {"models": 3},
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """Two folds of every method of every suite on a small data set, as rows of a results file."""
    folder = write_data_folder(tmp_path_factory.mktemp("data"))
    found: dict[str, list[dict[str, str]]] = {}
    for name, suite in SUITES.items():
        found[name] = []
        for method in suite.methods:
            for fold in range(2):
                job = FitJob(
                    suite=name,
                    source=DataSource(name=DATASETS[name], folder=folder),
                    method=method,
                    repeat=0,
                    fold=fold,
                    resampling=Resampling(folds=2),
                    settings=tuple(SMALL[name].items()),
                    seed=0,
                )
                result = run_job(job)
                assert result.error == "", method
                key = {"dataset": DATASETS[name], "method": method, "repeat": "0", "fold": str(fold)}
                values = {metric: repr(value) for metric, value in result.values.items()}
                found[name].append({**key, "seconds": "1", **values})
    return found


@pytest.mark.parametrize("rounds", [25, 50, 200])
@pytest.mark.parametrize("name", ["EasyEnsemble", "BalanceCascade"])
def test_methods_of_subsets_have_as_many_stumps_as_rounds(name: str, rounds: int) -> None:
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(400, 3)), np.arange(400) < 20
    (candidate,) = COMPETITORS[name].candidates(rows, labels.astype(int), rounds, 0)
    members = candidate.model.estimators_
    assert max(member.n_rounds_ for member in members) <= 10
    assert sum(member.n_rounds_ for member in members) < rounds + 10
    if name == "EasyEnsemble":
        assert len(members) * 10 >= rounds


@pytest.mark.parametrize("name", ["badacost", "margin", "framework"])
def test_every_method_gives_every_value(rows: dict[str, list[dict[str, str]]], name: str) -> None:
    suite = SUITES[name]
    assert {row["method"] for row in rows[name]} == set(suite.methods)
    for row in rows[name]:
        assert set(suite.metrics) <= set(row)
    main = {"badacost": "cost", "margin": "average_accuracy", "framework": "savings"}[name]
    assert all(np.isfinite(float(row[main])) for row in rows[name])


def test_adacc_has_every_value_for_each_number_of_rounds(rows: dict[str, list[dict[str, str]]]) -> None:
    for row in rows["adacc"]:
        for number in SMALL["adacc"]["rounds"]:
            assert 0 <= float(row[f"balanced_accuracy@{number}"]) <= 1
            assert float(row[f"rounds@{number}"]) <= number
            tuned = COMPETITORS[row["method"]].costs != "none"
            assert np.isnan(float(row[f"cost@{number}"])) != tuned


@pytest.mark.parametrize("name", ["badacost", "margin", "framework"])
def test_reports_are_written(rows: dict[str, list[dict[str, str]]], name: str, tmp_path: Path) -> None:
    suite = SUITES[name]
    results = Results(rows[name], [DATASETS[name]], suite.methods)
    write_report(suite.report(results, suite.default), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert text.startswith("# ")
    assert DATASETS[name] in text
    tables = list((tmp_path / "tables").glob("*.csv"))
    for path in tables:
        assert f"tables/{path.name}" in text
        with path.open() as file:
            assert len({len(row) for row in csv.reader(file)}) == 1


def test_stages_of_a_long_run_are_short_runs() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(120, 4))
    labels = (features[:, 0] + features[:, 1] ** 2 + 0.5 * random.normal(size=120) > 1).astype(int)
    for classifier in (AdaBoostClassifier, AdaCC1Classifier):
        long = Candidate(classifier(n_estimators=20, pos_label=1).fit(features, labels), np.nan)
        for number, (predicted, scores, used) in zip(
            (3, 11, 20), long.stages(features, (3, 11, 20)), strict=True
        ):
            short = classifier(n_estimators=number, pos_label=1).fit(features, labels)
            np.testing.assert_array_equal(predicted, short.predict(features))
            np.testing.assert_allclose(scores, short.decision_function(features))
            assert used == number


def test_a_run_that_ends_early_gives_its_last_stage() -> None:
    features, labels = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    candidate = Candidate(AdaBoostClassifier(n_estimators=9).fit(features, labels), np.nan)
    stages = list(candidate.stages(features, (1, 5, 9)))
    assert [used for _, _, used in stages] == [1, 1, 1]
    np.testing.assert_array_equal(stages[2][0], labels)


def test_costs_of_the_badacost_task(tmp_path: Path) -> None:
    source = DataSource(name="clouds", folder=write_data_folder(tmp_path))
    costs = task_costs(source, 5, 0)
    assert costs.shape == (3, 3)
    assert costs.max() == 1
    assert (costs[~np.eye(3, dtype=bool)] > 0).all()
    np.testing.assert_array_equal(np.diag(costs), 0)
    assert [tree_depth(k) for k in (2, 3, 4, 5, 26)] == [2, 3, 3, 4, 6]


def test_margin_tasks_have_the_sizes_of_the_paper(shared: Path) -> None:
    entries = read_manifest(shared / "data/tabular")
    with (shared / "reference/boosting/published/mbagging_table2_datasets.csv").open() as file:
        paper = {
            row["dataset"].removesuffix(".data").replace("Wine quality", "Winequality"): row
            for row in csv.DictReader(file)
        }
    for name, task in TASKS.items():
        table = cut_down(load_table(entries[task.table]), name)
        row = paper[name]
        assert abs(len(table) - int(row["EX"])) <= 1, name  # page-blocks has a row more
        assert len(np.unique(table.labels)) == int(row["CL"]), name
        if task.class_counts or task.same_data:
            counts = sorted(np.unique(table.labels, return_counts=True)[1].tolist())
            wanted = sorted(int(row[f"C{k}"]) for k in range(1, int(row["CL"]) + 1))
            assert np.abs(np.subtract(counts, wanted)).max() <= 1, name
    with pytest.raises(ExperimentError, match="task Car needs 1600 rows where there are 297"):
        cut_down(load_table(entries["cleveland"]), "Car")


def test_members_say_what_the_members_say() -> None:
    from badacost.boosting.bagging.bagging import BaggingClassifier

    random = np.random.default_rng(1)
    features, labels = random.normal(size=(60, 3)), random.choice(["a", "b", "c"], 60)
    model = BaggingClassifier(n_estimators=7, random_state=0).fit(features, labels)
    predicted = member_predictions(model, features)
    assert predicted.shape == (7, 60)
    votes = np.array([(predicted == label).sum(axis=0) for label in model.classes_]).T
    np.testing.assert_allclose(votes / 7, model.predict_proba(features), atol=1e-12)


def _records() -> Table:
    random = np.random.default_rng(2)
    features = random.normal(size=(80, 3))
    labels = (features[:, 0] + 0.7 * random.normal(size=80) > 0.5).astype(np.int64)
    costs = {
        "C_FN": random.uniform(5, 9, 80),
        "C_FP": np.full(80, 2.0),
        "C_TP": np.full(80, 1.5),
        "C_TN": np.r_[2.0, np.zeros(79)],
    }
    return Table(name="t", features=features, labels=labels, feature_names=("a", "b", "c"), costs=costs)


def test_training_costs_are_beyond_those_of_right_answers_and_positive() -> None:
    table = _records()
    cost_fn, cost_fp = training_costs(table)
    np.testing.assert_allclose(cost_fn, table.costs["C_FN"] - 1.5)
    np.testing.assert_array_equal(cost_fp[1:], 2)
    assert 0 < cost_fp[0] < 0.01


@pytest.mark.parametrize("name", ["Bagging", "AdaBoost", "CSB2", "UBoost", "Random forest: DMECC"])
def test_models_get_costs_where_they_use_them(name: str) -> None:
    table = _records()
    predicted, scores = fit_and_predict(METHODS[name].build(5, 0), table, table)
    assert set(predicted) <= {0, 1}
    assert scores.shape == (80,)


def test_published_tables() -> None:
    table = PublishedTable("badacost_mean_cost")
    assert table.value("letter", "BAdaCost") == 66
    assert table.value("shuttle", "AdaC2.M1 sd") == 0.07
    assert np.isnan(table.value("mine", "BAdaCost"))
    assert PublishedTable("margin_kw_diversity").value("Car", "Bagging") == 0.0162
    means = PublishedTable("margin_average_accuracy").values(list(TASKS), ["Bagging", "MBagging sum"])
    assert not np.isnan(means).any()


def test_the_framework_suite_needs_costs(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("a,y\n" + "".join(f"{k % 7},{k % 2}\n" for k in range(40)))
    job = FitJob(
        suite="framework",
        source=DataSource(name="mine", csv=path, target="y"),
        method="AdaBoost",
        repeat=0,
        fold=0,
        resampling=Resampling(folds=2),
        settings=(("models", 2),),
        seed=0,
    )
    assert "needs the costs of a false negative" in run_job(job).error
