"""The benchmark of LDCF filters runs, and compares like with like."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from badacost.features.decorrelation import DecorrelationFilters

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))
    return importlib.import_module("benchmarks.decorrelation_benchmark")


def test_filters_composed_of_opencv_give_the_same_planes(benchmark):
    random = np.random.default_rng(0)
    channels = random.random((3, 20, 26), np.float32)
    taps = random.normal(size=(4, 3, 5, 5)).astype(np.float32)
    composed = benchmark.opencv_filters_halved(channels, taps)
    np.testing.assert_allclose(DecorrelationFilters(taps).apply(channels), composed, atol=2e-5)


def test_it_prints_its_table(benchmark, capsys):
    assert benchmark.main(["--repetitions", "1", "--size", "49x41"]) == 0
    printed = capsys.readouterr().out
    assert "LDCF filters, 48x40 cells" in printed
    assert printed.count("cv2.filter2D") == 2
