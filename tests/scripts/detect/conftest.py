"""A model file and a current folder with a photograph for all tests of the command detect."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...detector.square_detector import BLUE, RED, picture, square_detector
from .photographs import save


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a model of red and blue squares."""
    path = tmp_path_factory.mktemp("model") / "squares.npz"
    square_detector().save(path)
    return str(path)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: photo.png has a red square at (20, 24) and a blue one at (60, 40)."""
    monkeypatch.chdir(tmp_path)
    save(picture((20, 24, RED), (60, 40, BLUE)), "photo.png")
    return tmp_path
