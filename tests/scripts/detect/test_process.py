"""The command detect as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

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
    command = [sys.executable, "-m", "badacost.scripts.detect", "set", "--model", model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
