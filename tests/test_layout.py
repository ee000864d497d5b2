"""The house: every root folder is one package under the name badacost, and under no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import badacost

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = ("boosting", "detector", "eval", "features", "models", "scripts", "training")


def run(program: str) -> str:
    """Run a program away from the repository, so that only what is installed can be imported."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=os.sep
    )
    return done.stdout.strip()


def test_folders_import_as_badacost_and_under_no_bare_name() -> None:
    program = (
        "import importlib, sys\n"
        f"folders = {FOLDERS}\n"
        "for name in folders:\n"
        "    importlib.import_module('badacost.' + name)\n"
        "print(*[name for name in folders if name in sys.modules])\n"
    )
    assert run(program) == ""


def test_modules_are_the_checkout_s() -> None:
    program = (
        "import importlib, os\n"
        f"for name in {FOLDERS}:\n"
        "    print(os.path.realpath(importlib.import_module('badacost.' + name).__file__))\n"
    )
    found = [Path(line) for line in run(program).splitlines()]
    assert found == [REPOSITORY / name / "__init__.py" for name in FOLDERS]


def test_importing_badacost_imports_nothing_heavy() -> None:
    program = "import badacost, sys; print(*{'numpy', 'numba', 'cv2', 'sklearn', 'scipy'} & set(sys.modules))"
    assert run(program) == ""


@pytest.mark.parametrize("name", FOLDERS)
def test_links_for_static_tools_point_to_the_folders(name: str) -> None:
    link = REPOSITORY / "badacost" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..", name)
    assert (REPOSITORY / name / "__init__.py").is_file()


def test_facade() -> None:
    from badacost.detector.detections import Detections
    from badacost.detector.detector import Detector

    assert badacost.Detector is Detector
    assert badacost.Detections is Detections
    with pytest.raises(AttributeError, match="module 'badacost' has no attribute 'Detektor'"):
        _ = badacost.Detektor


def test_every_folder_with_code_is_in_the_package() -> None:
    import tomllib

    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = {"badacost"} | {
        "badacost." + ".".join(path.parent.relative_to(REPOSITORY).parts)
        for name in FOLDERS
        for path in (REPOSITORY / name).rglob("__init__.py")
    }
    assert set(settings["packages"]) == packages
    for package, folder in settings["package-dir"].items():
        assert folder == (
            "badacost" if package == "badacost" else package.removeprefix("badacost.").replace(".", "/")
        )
