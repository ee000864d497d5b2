"""A cluster of two workers trains the same model, bit by bit, as one process does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from badacost.training.options_file import dump_options
from badacost.training.parallel_map import Workers
from badacost.training.run_folder import RunFolder
from badacost.training.trainer import train_detector

from .conftest import Synthetic

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Address of a cluster of two processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def model(folder: Path, synthetic: Synthetic, workers: Workers) -> bytes:
    run = RunFolder(folder / "run", dump_options(synthetic.options), resume=False)
    train_detector(synthetic.images, synthetic.options, run, workers=workers)
    return (folder / "run" / "model.npz").read_bytes()


def test_same_bits_as_one_process(scheduler: str, synthetic: Synthetic, tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    (tmp_path / "alone").mkdir()
    on_cluster = model(tmp_path / "cluster", synthetic, Workers(backend="dask", scheduler=scheduler))
    assert on_cluster == model(tmp_path / "alone", synthetic, Workers(jobs=1))
