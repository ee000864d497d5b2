"""Work spread over images: the same results in the same order, whoever does it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.training.parallel_map import Workers, parallel_map

SERIAL = Workers(jobs=1)
WORKERS = [
    SERIAL,
    Workers(jobs=2),
    Workers(jobs=2, backend="threading"),
    Workers(jobs=-1, backend="threading"),
    Workers(jobs=2, backend="dask"),
]


def uneven_work() -> Callable[[int], tuple[int, NDArray[np.float64]]]:
    """Work that takes the longer the earlier it is asked for; a closure, which reaches other processes by value."""

    def work(number: int) -> tuple[int, NDArray[np.float64]]:
        time.sleep(0.02 if number < 2 else 0)
        return number, np.random.default_rng(number).normal(size=3)

    return work


@pytest.mark.parametrize("workers", WORKERS, ids=lambda workers: f"{workers.backend}{workers.jobs}")
def test_results_are_the_same_and_in_order(workers: Workers) -> None:
    work = uneven_work()
    items = range(19)  # more than one chunk of a Dask cluster
    found = list(parallel_map(work, iter(items), workers))
    assert [number for number, _ in found] == list(items)
    np.testing.assert_array_equal([v for _, v in found], [v for _, v in map(work, items)])
    if workers.backend != "dask":
        assert list(parallel_map(work, [], workers)) == []


def test_processes_are_others() -> None:
    def process(_: int) -> int:
        return os.getpid()

    assert set(parallel_map(process, range(4), SERIAL)) == {os.getpid()}
    assert os.getpid() not in set(parallel_map(process, range(4), Workers(jobs=2)))


@pytest.mark.parametrize("workers", [SERIAL, Workers(jobs=2), Workers(jobs=2, backend="threading")])
def test_an_error_of_the_work_arrives(workers: Workers) -> None:
    def divide(number: int) -> float:
        return 1 / (number - 3)

    with pytest.raises(ZeroDivisionError):
        list(parallel_map(divide, range(6), workers))


@pytest.mark.parametrize("workers", [SERIAL, Workers(jobs=2, backend="threading")])
def test_abandoned_work_is_not_begun(workers: Workers) -> None:
    begun: set[int] = set()
    lock = threading.Lock()

    def work(number: int) -> int:
        time.sleep(0.002)
        with lock:
            begun.add(number)
        return number

    with closing(parallel_map(work, range(1000), workers)) as results:
        for number in results:
            if number == 3:
                break
    assert {0, 1, 2, 3} <= begun
    after = len(begun)
    assert after < 500
    time.sleep(0.05)
    assert len(begun) <= after + workers.jobs


def test_items_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    with closing(parallel_map(abs, items(), Workers(jobs=2, backend="threading"))) as results:
        next(results)
    assert len(taken) < 500


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"jobs": 0}, "jobs of Workers must be positive, or -1 for all cores, found 0"),
        ({"jobs": -2}, "jobs of Workers must be positive, or -1 for all cores, found -2"),
        ({"backend": "mpi"}, "backend of Workers must be loky, threading or dask, found 'mpi'"),
        ({"scheduler": "tcp://a:1"}, "scheduler of Workers must be None without the backend dask"),
    ],
)
def test_workers_that_cannot_be(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Workers(**values)


def test_dask_may_not_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("badacost.training.parallel_map.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="can only be dask where the extra `cluster` is installed"):
        Workers(backend="dask")
    assert Workers().backend == "loky"
