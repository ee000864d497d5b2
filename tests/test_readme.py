"""The README keeps its word: its examples run, its commands exist."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.boxes import box_overlaps

from .documents import REPOSITORY, SCRIPTS, blocks, console_commands, run_python

README = REPOSITORY / "README.md"
FACE_OF_THE_ASTRONAUT = (178, 85, 274, 181)  # eyebrows to chin, measured by hand
HELP = """
import contextlib, io, runpy, sys
sys.argv = [{path!r}, "--help"]
text = io.StringIO()
try:
    with contextlib.redirect_stdout(text):
        runpy.run_path({path!r}, run_name="__main__")
except SystemExit as error:
    print(error.code or 0)
print(*{{"numpy", "numba", "cv2", "scipy", "sklearn", "matplotlib", "skimage"}} & set(sys.modules))
print(text.getvalue())
"""


def test_the_first_example_finds_the_astronaut_s_face(tmp_path: Path) -> None:
    program = blocks(README, "python")[0]
    checks = (
        "print('---')\n"
        "print(*detections.views[detections.scores > 2])\n"
        "print(*detections.boxes[detections.scores > 2].reshape(-1))\n"
    )
    printed, found = run_python(program + checks, tmp_path).stdout.split("---\n")
    view, corners = found.splitlines()
    assert view == "frontal"
    assert printed.startswith("frontal 0.0 ")
    box = np.array(corners.split(), np.float32).reshape(1, 4)
    assert box_overlaps(box, np.array([FACE_OF_THE_ASTRONAUT], np.float32))[0, 0] > 0.7


def test_the_boosting_example_misses_few(tmp_path: Path) -> None:
    words = run_python(blocks(README, "python")[1], tmp_path).stdout.split()
    assert words[0] == "missed"
    assert int(words[1]) < 10


def test_the_two_commands_come_first() -> None:
    first = blocks(README, "sh")[0].splitlines()
    assert [line.partition("#")[0].strip() for line in first] == ["./dev demo", "./dev test"]
    usage = subprocess.run([REPOSITORY / "dev"], capture_output=True, text=True, check=True).stdout
    assert "./dev demo" in usage
    assert "./dev test" in usage


def test_dev_refuses_what_it_does_not_know() -> None:
    assert subprocess.run([REPOSITORY / "dev", "dance"], capture_output=True, check=False).returncode == 2


def test_dev_takes_no_other_python_than_the_one_named(tmp_path: Path) -> None:
    for name in ("dev", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    done = subprocess.run(
        ["sh", tmp_path / "dev", "install"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHON": "python2.0"},
    )
    assert done.returncode == 2
    assert "PYTHON=python2.0 does not run, or is older than Python 3.11" in done.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_help_has_an_example_and_loads_nothing_slow(script: Path) -> None:
    code, loaded, text = run_python(HELP.format(path=str(script))).stdout.split("\n", 2)
    assert code == "0"
    assert loaded == ""
    assert "\nexample" in text
    assert f"  badacost-{script.stem.replace('_', '-')} " in text


def test_every_script_is_a_console_command() -> None:
    expected = {
        f"badacost-{path.stem.replace('_', '-')}": f"badacost.scripts.{path.stem}" for path in SCRIPTS
    }
    assert console_commands() == expected
