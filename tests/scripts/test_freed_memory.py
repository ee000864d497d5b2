"""Freed memory stays with the program."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from badacost.scripts.freed_memory import keep_freed_memory
keep_freed_memory()
def faults_of_an_array():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(2**21)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults_of_an_array(), faults_of_an_array())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's allocator only")
def test_an_array_is_put_where_an_earlier_one_was() -> None:
    output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    _, second = map(int, output.stdout.split())
    assert second < 100
