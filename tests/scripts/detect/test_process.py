"""The command detect as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from badacost.scripts.command_name import command_name

from ...detector.square_detector import RED, picture
from .photographs import save


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "badacost.scripts.detect", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


def test_help_shows_examples_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from badacost.scripts.detect import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'numpy', 'scipy', 'cv2', 'tqdm'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


def test_names_that_are_not_utf8(model: str, folder: Path) -> None:
    name = b"caf\xe9.png"
    (folder / os.fsdecode(name)).write_bytes(Path("photo.png").read_bytes())
    done = run("-", "--model", model, input=name + b"\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(name + b": frontal")
    done = run(os.fsdecode(name), "--model", model, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["images"][0]["file"].encode(errors="surrogateescape") == name
    done = run(os.fsdecode(b"gone\xe9.png"), "--model", model)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_early_is_no_error(model: str) -> None:
    for index in range(30):
        save(picture((20, 24, RED)), f"set/{index}.png")
    command = [sys.executable, "-m", "badacost.scripts.detect", "set", "--model", model, "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_name_is_that_of_the_command_or_of_the_script(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for called, name in (("/usr/bin/badacost-inspect-model", "badacost-inspect-model"), ("pytest", None)):
        monkeypatch.setattr(sys, "argv", [called])
        assert command_name("inspect_model") == (name or "badacost-inspect-model")
    monkeypatch.setattr(sys, "argv", ["scripts/inspect_model.py"])
    assert command_name("inspect_model") == "inspect_model.py"
    assert run("missing.jpg", "--model", model).stderr == b"detect.py: missing.jpg: no such file or folder\n"


def test_decoders_print_nothing_themselves(model: str, folder: Path) -> None:
    content = Path("photo.png").read_bytes()
    damaged = bytearray(content)
    damaged[content.index(b"IDAT") + 8] ^= 0xFF
    (folder / "damaged.png").write_bytes(damaged)
    (folder / "damaged.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(100))
    done = run("damaged.png", "damaged.mp4", "photo.png", "--model", model, "--format", "csv", "--quiet")
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 2
    assert all(line.startswith("detect.py: damaged.") for line in lines)


def test_first_run_says_that_kernels_are_compiled(model: str, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    program = (
        "import logging; logging.basicConfig(level=logging.INFO, format='%(message)s')\n"
        "import numpy as np\n"
        "from badacost.detector.suppression import SuppressionOptions, suppress\n"
        "for boxes in (np.eye(4), np.eye(4)[:2]):\n"
        "    suppress(boxes, np.ones(len(boxes)), SuppressionOptions(contained_overlap=0.5))\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
        ).stderr
        for _ in range(2)
    ]
    assert told[0].count("compiling kernels") == 1
    assert told[1] == ""
