"""What the tests of the framework share."""

from __future__ import annotations

import pytest

from .tables import Table, noisy_table


@pytest.fixture(scope="module")
def table() -> Table:
    return noisy_table()
