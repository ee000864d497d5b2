"""The negatives of a round: how many, from how many images, and the same for any number of workers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.detector.detector import Detector
from badacost.training.feature_learning import untrained_detector
from badacost.training.negatives import accumulated, find_negatives
from badacost.training.options import MiningOptions, TrainingOptions
from badacost.training.parallel_map import Workers
from badacost.training.run_folder import RunFolder
from badacost.training.trainer import train_detector

from .conftest import Synthetic

ONE = Workers(jobs=1)


@pytest.fixture(scope="module")
def untrained(synthetic: Synthetic) -> Detector:
    return untrained_detector(synthetic.images, synthetic.options, ONE, name="untrained")


@pytest.fixture(scope="module")
def weak(synthetic: Synthetic, tmp_path_factory: pytest.TempPathFactory) -> Detector:
    """A detector of four trees, which makes many mistakes."""
    options = replace(synthetic.options, boosting=replace(synthetic.options.boosting, rounds=(4,)))
    run = RunFolder(tmp_path_factory.mktemp("weak"), "", resume=False)
    return train_detector(synthetic.images, options, run, workers=ONE)


def wanting(options: TrainingOptions, per_round: int) -> TrainingOptions:
    return replace(options, mining=replace(options.mining, per_round=per_round))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(
    "workers", [Workers(jobs=2, backend="threading"), Workers(jobs=3, backend="threading")]
)
def test_negatives_do_not_depend_on_workers(
    number: int, workers: Workers, untrained: Detector, weak: Detector, synthetic: Synthetic
) -> None:
    detector = untrained if number == 1 else weak
    expected, figures = find_negatives(detector, synthetic.images, synthetic.options, ONE, number)
    found, others = find_negatives(detector, synthetic.images, synthetic.options, workers, number)
    np.testing.assert_array_equal(found, expected)
    assert replace(others, seconds=0) == replace(figures, seconds=0)
    assert found.dtype == np.uint8


@pytest.mark.parametrize("number", [1, 2])
def test_the_search_ends_when_there_are_enough(
    number: int, untrained: Detector, weak: Detector, synthetic: Synthetic
) -> None:
    detector = untrained if number == 1 else weak
    few, figures = find_negatives(detector, synthetic.images, wanting(synthetic.options, 25), ONE, number)
    assert len(few) == 25
    assert 3 <= figures.n_images < 28  # at most ten an image
    more, _ = find_negatives(detector, synthetic.images, wanting(synthetic.options, 40), ONE, number)
    np.testing.assert_array_equal(more[:25], few)  # images come in the same order


def test_exhausted_images_give_what_they_have(weak: Detector, synthetic: Synthetic) -> None:
    found, figures = find_negatives(weak, synthetic.images, wanting(synthetic.options, 10**6), ONE, 2)
    assert figures.n_images == len(synthetic.images.mined) == 28
    assert 50 < len(found) <= 280
    assert figures.trees_per_window is not None
    assert 1 <= figures.trees_per_window <= 4


def test_seed_and_round_draw_other_images_and_windows(untrained: Detector, synthetic: Synthetic) -> None:
    options = synthetic.options
    first, figures = find_negatives(untrained, synthetic.images, options, ONE, 1)
    assert figures.trees_per_window is None
    other, _ = find_negatives(untrained, synthetic.images, replace(options, seed=options.seed + 1), ONE, 1)
    assert first.shape == other.shape
    assert not np.array_equal(first, other)


@given(n_old=st.integers(0, 30), n_new=st.integers(0, 30), limit=st.integers(1, 40), number=st.integers(1, 4))
def test_accumulated_negatives_drop_old_ones_first(n_old: int, n_new: int, limit: int, number: int) -> None:
    old = np.arange(n_old, dtype=np.uint8)[:, None]
    new = np.arange(100, 100 + n_new, dtype=np.uint8)[:, None]
    options = TrainingOptions(mining=MiningOptions(accumulated=limit))
    found = accumulated(old, new, options, number)
    assert len(found) == max(n_new, min(n_old + n_new, limit))
    np.testing.assert_array_equal(found[len(found) - n_new :], new)
    kept = found[: len(found) - n_new, 0].tolist()
    assert kept == sorted(set(kept))  # each once, in their order
    assert set(kept) <= set(range(n_old))
    np.testing.assert_array_equal(found, accumulated(old, new, options, number))


def test_each_round_drops_others() -> None:
    old, new = np.arange(40, dtype=np.uint8)[:, None], np.zeros((0, 1), np.uint8)
    options = TrainingOptions(mining=MiningOptions(accumulated=20))
    second, third = (accumulated(old, new, options, number) for number in (2, 3))
    assert not np.array_equal(second, third)
