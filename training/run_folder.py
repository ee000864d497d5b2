"""The folder of a training run: resolved options, log, a checkpoint a round."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..detector.detector import Detector
from ..detector.model_file import load_model, save_model
from .round_report import RoundReport


class RunError(ValueError):
    """A run folder belongs to another training, or is incomplete."""


class RunFolder:
    """Checkpoints of one training run; every file is written under a temporary name and renamed.

    Parameters
    ----------
    path : Path
    configuration : str
        The resolved options (TOML). A folder with another configuration is refused.
    resume : bool
        Continue the rounds that the folder holds; else the folder must be new.

    Raises
    ------
    RunError
    """

    def __init__(self, path: Path, configuration: str, *, resume: bool) -> None:
        self.path = path
        options_file = path / "options.toml"
        if options_file.exists():
            if not resume:
                raise RunError(
                    f"{path}: a training run is there already; add --resume or choose another --output"
                )
            if options_file.read_text() != configuration:
                raise RunError(
                    f"{options_file}: the run was started with other options than now; expected the same to resume"
                )
        else:
            path.mkdir(parents=True, exist_ok=True)
            self._write(options_file, configuration.encode())

    def round_detector(self, number: int) -> Detector | None:
        """The detector after a round, None when that round has not ended yet."""
        path = self.path / f"round_{number}.npz"
        return load_model(path) if path.exists() else None

    def save_round(self, number: int, detector: Detector, report: RoundReport) -> None:
        """Write the report, then the detector, whose presence marks the round as done."""
        self._write(self.path / f"round_{number}.json", json.dumps(report.as_dict(), indent=1).encode())
        save_model(detector, self.path / f"round_{number}.npz")

    def reports(self) -> list[RoundReport]:
        """Reports of the rounds that ended, in order."""
        reports: list[RoundReport] = []
        while (self.path / f"round_{len(reports) + 1}.npz").exists():
            text = (self.path / f"round_{len(reports) + 1}.json").read_text()
            reports.append(RoundReport(**json.loads(text)))
        return reports

    def negatives(self, number: int) -> NDArray[np.uint8] | None:
        """The windows that were found for a round, (n, F), memory-mapped; None when not yet."""
        path = self.path / f"negatives_{number}.npy"
        return np.load(path, mmap_mode="r") if path.exists() else None

    def save_negatives(self, number: int, windows: NDArray[np.uint8]) -> None:
        """Keep the windows that were found for a round."""
        path = self.path / f"negatives_{number}.npy"
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp.npy")
        np.save(temporary, windows)
        temporary.replace(path)

    def untrained_detector(self) -> Detector | None:
        """The detector without trees that holds the learnt features, None before they are learnt."""
        path = self.path / "features.npz"
        return load_model(path) if path.exists() else None

    def save_untrained_detector(self, detector: Detector) -> None:
        """Keep the learnt filters and quantisation."""
        save_model(detector, self.path / "features.npz")

    def save_detector(self, detector: Detector) -> Path:
        """Write the finished detector and return its path."""
        path = self.path / "model.npz"
        save_model(detector, path)
        return path

    def save_text(self, name: str, text: str) -> None:
        """Write a text file of the run."""
        self._write(self.path / name, text.encode())

    def _write(self, path: Path, content: bytes) -> None:
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        temporary.write_bytes(content)
        temporary.replace(path)
