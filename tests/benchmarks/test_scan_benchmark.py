"""The benchmark of the scan runs, and its loop finds what the scan finds."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.scan import scan_level

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))
    return importlib.import_module("benchmarks.scan_benchmark")


@pytest.mark.parametrize("n_classes", [6, 21])
def test_window_by_window_is_the_same_work(benchmark, n_classes):
    case = benchmark.random_case("", depth=3, n_classes=n_classes, height=24, width=30, n_trees=80)
    cascade = case.cascade
    survivors, evaluated = benchmark.scan_window_by_window(
        case.features,
        np.stack(cascade.node_cells, axis=-1).astype(np.int64),
        *(cascade.threshold, cascade.leaf_label, cascade.beta.astype(np.float32), cascade.rejection),
        *(cascade.vote_differences.astype(np.float32), 11, 11),
    )
    windows = scan_level(case.features, cascade)
    assert 1 < evaluated / windows.n_windows < 40
    # Sums are rounded in another way, and rejection thresholds lie close to traces.
    assert abs(evaluated - windows.n_evaluations) < 0.01 * evaluated
    assert abs(survivors - len(windows.rows)) <= 1


def test_it_prints_a_table_a_case(benchmark, capsys):
    assert benchmark.main(["--repetitions", "1", "--size", "24x20", "--trees", "40"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("window by window") == 3
    assert printed.count("dense phase") == 2
