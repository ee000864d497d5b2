"""The reference's images and arrays, as fixtures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

Arrays = dict[str, NDArray]


@pytest.fixture(scope="session")
def reference_images(shared: Path) -> Arrays:
    """Photographs and their crops by name: RGB uint8, except "gray"."""
    with np.load(shared / "reference" / "acf" / "images.npz") as stored:
        return dict(stored)


@pytest.fixture(scope="session")
def reference_steps(shared: Path) -> Callable[[str], Arrays]:
    """Outputs of the reference's single steps for the crop of a name; images of many planes made planar."""
    loaded: dict[str, Arrays] = {}

    def steps(name: str) -> Arrays:
        if name not in loaded:
            with np.load(shared / "reference" / "acf" / f"prim_{name}.npz") as stored:
                loaded[name] = {key: planar(stored[key]) for key in stored.files}
        return loaded[name]

    return steps


def planar(array: NDArray) -> NDArray:
    """(H, W, C) to (C, H, W)."""
    return np.ascontiguousarray(np.moveaxis(array, -1, 0)) if array.ndim == 3 else array
