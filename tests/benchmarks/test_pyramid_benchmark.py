"""The benchmark of pyramids runs."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))
    return importlib.import_module("benchmarks.pyramid_benchmark")


def test_it_prints_its_table(benchmark, capsys, shared):
    path = str(shared / "data" / "cars" / "ig02_cars" / "images" / "carsgraz_001.jpg")
    assert benchmark.main(["--repetitions", "1", "--size", "98x82", "--image", path]) == 0
    printed = capsys.readouterr().out
    assert "Pyramids 96x80" in printed
