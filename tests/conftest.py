"""Where the tests find the oracles and photographs that are not part of the product."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent
# The first example of a property may compile kernels: how long it takes says nothing.
settings.register_profile("badacost", deadline=None)
settings.load_profile("badacost")

SHARED = Path(os.environ.get("BADACOST_SHARED", REPOSITORY.parent / "shared"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the shared folder where it is absent; CI sets BADACOST_REQUIRE_SHARED to forbid that."""
    if SHARED.is_dir():
        return
    if os.environ.get("BADACOST_REQUIRE_SHARED"):
        raise pytest.UsageError(f"BADACOST_REQUIRE_SHARED is set but {SHARED} does not exist")
    skip = pytest.mark.skip(reason=f"the shared oracles are not at {SHARED} (set BADACOST_SHARED)")
    for item in items:
        if item.get_closest_marker("shared") or "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of oracles and images; a test that asks for it is skipped where it is absent."""
    return SHARED
