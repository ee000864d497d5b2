"""The benchmark of whole detections runs."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))
    return importlib.import_module("benchmarks.detection_benchmark")


def test_it_prints_its_tables(benchmark, capsys):
    assert benchmark.main(["--repetitions", "1", "--size", "120x90"]) == 0
    printed = capsys.readouterr().out
    assert "Faces from 80 pixels, 120x90" in printed
    assert "Faces from 40 pixels, 120x90" in printed
    assert printed.count("| shipped faces ") == 2
    assert "shipped faces, 2 threads" in printed


def test_detectors_of_the_toolbox_take_part(benchmark, capsys, shared):
    model = str(shared / "reference/acf/models/AcfInria.mat")
    assert benchmark.main(["--repetitions", "1", "--size", "150x150", "--toolbox-model", model]) == 0
    assert "Toolbox detector, 150x150" in capsys.readouterr().out
