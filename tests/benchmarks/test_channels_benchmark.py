"""The benchmark runs, and compares like with like."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from badacost.features.channel_options import ChannelOptions
from badacost.features.channels import compute_channels

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))
    return importlib.import_module("benchmarks.channels_benchmark")


@pytest.mark.parametrize("options", [ChannelOptions.pedestrian(), ChannelOptions.badacost()])
def test_the_composition_of_opencv_computes_the_same_channels(benchmark, options, shared):
    with np.load(shared / "reference" / "acf" / "images.npz") as images:
        image = images["astronaut"][:400, :480]
    error = np.abs(benchmark.opencv_channels(image, options) - compute_channels(image, options))
    assert error[:3].max() < 0.02  # the whitepoint differs
    assert error[3:].mean() < 0.01


def test_it_prints_a_table_a_configuration(benchmark, capsys, shared):
    path = str(shared / "data" / "cars" / "ig02_cars" / "images" / "carsgraz_001.jpg")
    assert benchmark.main(["--repetitions", "2", "--size", "64x48", "--image", path]) == 0
    printed = capsys.readouterr().out
    assert printed.count("OpenCV composition") == 2
    assert printed.count("| 1.00 |") + printed.count("|  1.00 |") == 2


def test_ratios_are_to_the_baseline(benchmark):
    harness = importlib.import_module("benchmarks.harness")
    array = np.random.default_rng(0).random(200_000)
    timings = harness.measure(
        {"short": lambda: array[:1000].sum(), "long": lambda: np.sort(array)}, repetitions=5, baseline="long"
    )
    assert [timing.name for timing in timings] == ["short", "long"]
    assert timings[1].ratio == 1
    assert timings[0].ratio < 1
    assert all(timing.fast_ms <= timing.median_ms for timing in timings)
    assert len(harness.format_table("Title", timings).splitlines()) == 6
