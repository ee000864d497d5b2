"""Which rows are for training and which for testing."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from .table import ExperimentError

Indices = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """A protocol of repeated splits.

    Parameters
    ----------
    kind : {"folds", "halves"}
        Stratified cross-validation, or a random half for training and the rest for testing, not stratified.
    folds : int
        Of a cross-validation; 1 for halves.
    repeats : int
        How often everything is repeated with other splits.
    """

    kind: Literal["folds", "halves"] = "folds"
    folds: int = 5
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.kind not in ("folds", "halves"):
            raise ExperimentError(f"kind of Resampling must be folds or halves, found {self.kind!r}")
        if self.kind == "folds" and self.folds < 2:
            raise ExperimentError(f"folds of Resampling must be at least 2, found {self.folds}")
        if self.kind == "halves" and self.folds != 1:
            raise ExperimentError(f"folds of Resampling must be 1 for halves, found {self.folds}")
        if self.repeats < 1:
            raise ExperimentError(f"repeats of Resampling must be at least 1, found {self.repeats}")

    @property
    def label(self) -> str:
        """What a result must share to belong to the same protocol; the number of repeats does not matter."""
        return f"{self.folds} folds" if self.kind == "folds" else "halves"

    def split(self, labels: NDArray[Any], repeat: int, fold: int, seed: int) -> tuple[Indices, Indices]:
        """Rows to train on and rows to test on.

        Parameters
        ----------
        labels : (n,) array
        repeat, fold : int
            From 0.
        seed : int
            The same seed and repeat give the same split on every machine.
        """
        state = seed_of(seed, "split", repeat)
        if self.kind == "halves":
            order = np.random.default_rng(state).permutation(len(labels))
            half = len(labels) // 2
            return np.sort(order[:half]), np.sort(order[half:])
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=state)
        with warnings.catch_warnings():
            # a class with fewer rows than folds is missing from some, which is the protocol's, not an error
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            try:
                return list(folds.split(labels, labels))[fold]
            except ValueError as error:
                raise ExperimentError(f"cannot make {self.folds} folds: {error}") from error


def seed_of(*parts: object) -> int:
    """A seed below 2^31 that depends on all parts and on nothing else."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "little") % 2**31
