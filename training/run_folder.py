"""The folder of a training run: resolved options, a checkpoint and a report a round, the finished model."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..detector.atomic_write import open_atomic
from ..detector.detector import Detector
from ..detector.model_file import ModelError, save_model
from .negatives import SearchFigures
from .round_report import RoundReport

OPTIONS = "options.toml"
IMAGES = "images.sha256"
FEATURES = "features.npz"

Figures = TypeVar("Figures", RoundReport, SearchFigures)


class RunError(ValueError):
    """A run folder belongs to another training, or is incomplete."""


class RunFolder:
    """Checkpoints of one training run; every file is written under a temporary name and renamed.

    Parameters
    ----------
    path : Path
    configuration : str
        The resolved options (TOML). A folder with a run of another configuration is refused.
    resume : bool
        Continue the run that the folder holds, if it does; else the folder must hold none.

    Raises
    ------
    RunError
    """

    def __init__(self, path: Path, configuration: str, *, resume: bool) -> None:
        self.path = path
        self._configuration = configuration
        if path.exists() and not path.is_dir():
            raise RunError(f"{path}: is a file, expected a folder for the run")
        _check_writable(path)
        if not self._holds_run():
            return
        if not resume:
            raise RunError(
                f"{path}: a training run is there already; add --resume or choose another --output"
            )
        if not self._has(OPTIONS, configuration):
            raise RunError(
                f"{path / OPTIONS}: the run was started with other options than now; expected the same to resume"
            )

    def begin(self, images: str) -> None:
        """Make the folder, or check that its run is of the same images.

        Parameters
        ----------
        images : str
            Digest of the training images.

        Raises
        ------
        RunError
        """
        same = self._has(IMAGES, f"{images}\n")
        if self._holds_run() and (self.path / IMAGES).exists() and not same:
            raise RunError(
                f"{self.path}: the run was started with other images, boxes or views than now; "
                "expected the same to resume"
            )
        if not self._holds_run():
            self.path.mkdir(parents=True, exist_ok=True)
            if not (same and self._has(OPTIONS, self._configuration)):
                (self.path / FEATURES).unlink(missing_ok=True)
            self.save_text(OPTIONS, self._configuration)
            self.save_text(IMAGES, f"{images}\n")

    def round_detector(self, number: int) -> Detector | None:
        """The detector after a round, None when that round has not ended yet."""
        return self._detector(f"round_{number}.npz")

    def save_round(self, number: int, detector: Detector, report: RoundReport) -> None:
        """Write the report, then the detector, whose presence marks the round as done."""
        self.save_text(f"round_{number}.json", json.dumps(report.as_dict(), indent=1))
        save_model(detector, self.path / f"round_{number}.npz")

    def reports(self) -> list[RoundReport]:
        """Reports of the rounds that ended, in order; RunError if one is damaged."""
        reports: list[RoundReport] = []
        while (self.path / f"round_{len(reports) + 1}.npz").exists():
            name = f"round_{len(reports) + 1}"
            reports.append(self._figures(f"{name}.json", RoundReport, self.path / f"{name}.npz"))
        return reports

    def negatives(self, number: int) -> tuple[NDArray[np.uint8], SearchFigures] | None:
        """The windows that were found for a round, (n, F), memory-mapped, and the search; None when not yet.

        Raises
        ------
        RunError
            If a file of theirs is damaged.
        """
        path = self._negatives_file(number)
        if not path.exists():
            return None
        search = self._figures(f"negatives_{number}.json", SearchFigures, path)
        try:
            return np.load(path, mmap_mode="r"), search
        except (OSError, ValueError, EOFError) as error:
            raise _damaged(path, error, path) from error

    def save_negatives(self, number: int, windows: NDArray[np.uint8], search: SearchFigures) -> None:
        """Write what the search took, then the windows, whose presence marks it as done."""
        self.save_text(f"negatives_{number}.json", json.dumps(search.as_dict()))
        path = self._negatives_file(number)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp.npy")
        try:
            np.save(temporary, windows)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def untrained_detector(self) -> Detector | None:
        """The detector without trees that holds the learnt features, None before they are learnt."""
        return self._detector(FEATURES)

    def save_untrained_detector(self, detector: Detector) -> None:
        """Keep the learnt filters and quantisation."""
        save_model(detector, self.path / FEATURES)

    def save_detector(self, detector: Detector) -> Path:
        """Write the finished detector and return its path."""
        path = self.path / "model.npz"
        save_model(detector, path)
        return path

    def save_text(self, name: str, text: str) -> None:
        """Write a text file of the run."""
        with open_atomic(self.path / name) as file:
            file.write(text)

    def _figures(self, name: str, kind: type[Figures], cause: Path) -> Figures:
        try:
            return kind(**json.loads(self._read(name)))
        except (OSError, ValueError, TypeError) as error:
            raise _damaged(self.path / name, error, cause) from error

    def _detector(self, name: str) -> Detector | None:
        path = self.path / name
        try:
            return Detector.load(path) if path.exists() else None
        except ModelError as error:
            raise RunError(f"{error}; remove it, and --resume makes it anew") from error

    def _read(self, name: str) -> str:
        return (self.path / name).read_text(encoding="utf-8")

    def _has(self, name: str, text: str) -> bool:
        return (self.path / name).exists() and self._read(name) == text

    def _holds_run(self) -> bool:
        """Whether a run has got as far as its first negatives: what comes before shows whether it can be."""
        return any(any(self.path.glob(names)) for names in ("negatives_*.npy", "round_*.npz"))

    def _negatives_file(self, number: int) -> Path:
        return self.path / f"negatives_{number}.npy"


def _check_writable(folder: Path) -> None:
    """Raise RunError if no file can be written in a folder, which may have to be made; nothing is left behind."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(f"{folder}: nothing can be written there ({error.strerror or error})") from error
    finally:
        for path in missing:
            with suppress(OSError):
                path.rmdir()


def _damaged(path: Path, error: Exception, cause: Path) -> RunError:
    """Every step can be done again from those before it, to the same bits."""
    return RunError(f"{path}: damaged ({error}); remove {cause.name}, and --resume makes it anew")
