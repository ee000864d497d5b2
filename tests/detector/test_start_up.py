"""A detection starts quickly: few compiled functions, each once, and loaded without the compiler."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from skimage import data

from badacost.detector.detector import Detector

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = sorted([*(ROOT / "features").glob("*_kernels.py"), *(ROOT / "detector").glob("*_kernels.py")])
PROGRAM = """
import json, sys
import numpy as np
from badacost.detector.detector import Detector
Detector.load("faces").with_options(threads=1).detect(np.load(sys.argv[1]))
loaded = {}
for name, module in list(sys.modules.items()):
    if name.startswith("badacost.") and name.endswith("_kernels"):
        for function in vars(module).values():
            if getattr(function, "signatures", None) and function.py_func.__module__ == name:
                counts = len(function.signatures), sum(function.stats.cache_misses.values())
                loaded[function.py_func.__name__] = counts
print(json.dumps({"loaded": loaded, "modules": sorted(sys.modules)}))
"""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What a process has loaded after a detection, all kernels having been compiled before."""
    path = tmp_path_factory.mktemp("start") / "image.npy"
    image = data.astronaut()[:240, 100:340]
    np.save(path, image)
    Detector.load("faces").with_options(threads=1).detect(image)
    command = [sys.executable, "-c", PROGRAM, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def test_each_kernel_is_loaded_once_and_none_is_compiled(start: dict) -> None:
    assert {name: counts for name, counts in start["loaded"].items() if counts != [1, 0]} == {}
    assert 7 <= len(start["loaded"]) <= 12


def test_the_compiler_is_not_loaded(start: dict) -> None:
    assert not {"scipy.linalg", "numba.np.linalg", "numba.np.arraymath"} & set(start["modules"])


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_assign_no_array_to_a_slice(path: Path) -> None:
    lines = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Subscript) and any(isinstance(part, ast.Slice) for part in ast.walk(target))
    ]
    assert not lines, "numba compiles the text of the error for seconds: copy by a loop"
