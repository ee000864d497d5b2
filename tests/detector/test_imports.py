"""What the way from an image to detections imports: numpy, numba, OpenCV, and nothing slow besides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .square_detector import square_detector

LIST_OF_MODULES = "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
ALLOWED = "import sys, numpy, numba, cv2\n"  # and what these import where it is installed: yaml, coverage
# Up to the first compilation: numba then imports scipy.linalg, where it is installed.
DETECT = """
import sys
import badacost.scripts.detect
from badacost.detector import (
    detector, drawing, formats, frames, image_result, result_writer, suppression_kernels
)
from badacost.detector import dense_scan_kernels, sparse_scan_kernels
from badacost.features import decorrelation_kernels, pyramid
import cv2
model = detector.Detector.load(sys.argv[1]).with_options(threads=1)
"""


def imported(program: str, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", program + LIST_OF_MODULES, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_detect_imports_only_numpy_numba_and_opencv(tmp_path: Path) -> None:
    square_detector().save(tmp_path / "squares.npz")
    found = imported(DETECT, str(tmp_path / "squares.npz")) - imported(ALLOWED) - sys.stdlib_module_names
    assert found == {"badacost"}
