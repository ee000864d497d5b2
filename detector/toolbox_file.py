"""Detector files of the ACF toolbox and its successors (MATLAB ``.mat``, before version 7.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .model_file import ModelError, load_model

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# MATLAB puts a text of its own before the HDF5 data, of this size or a power of 2 times it.
HDF5_OFFSETS = (0, 512, 1024, 2048)
# Behind the text that begins a MATLAB file of version 5 to 7.
BYTE_ORDER_OFFSET, BYTE_ORDER_MARKS = 126, (b"IM", b"MI")
EXPECTED = (
    "not a MATLAB file; expected a detector trained by the ACF, LDCF, SubCat or BAdaCost toolbox, "
    "a .mat of MATLAB 5 to 7.2"
)


class ToolboxFileError(ValueError):
    """A file is missing, damaged, of another format, or holds no detector that can be imported."""


def read_toolbox_file(path: str | Path) -> list[dict[str, Any]]:
    """Read the detectors of a file: one, or the members of a cell of them.

    Returns
    -------
    list of dict
        The structs ``detector`` with their fields, structs in them as dicts too.

    Raises
    ------
    ToolboxFileError
        Naming the file, what was found and what was expected.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(HDF5_OFFSETS[-1] + len(HDF5_SIGNATURE))
    except OSError as error:
        raise ToolboxFileError(f"{path}: cannot be read ({error.strerror or error})") from error
    if any(head.startswith(HDF5_SIGNATURE, offset) for offset in HDF5_OFFSETS):
        raise ToolboxFileError(
            f"{path}: MATLAB file of version 7.3, which is not read; "
            f"load it in MATLAB and save it again with save(name, 'detector', '-v7')"
        )
    if not any(head.startswith(mark, BYTE_ORDER_OFFSET) for mark in BYTE_ORDER_MARKS):
        raise ToolboxFileError(f"{path}: {_what_else(path)}")
    from scipy.io import loadmat, whosmat

    try:
        variables = loadmat(str(path), simplify_cells=True, variable_names=["detector"])
        names = [name for name, _, _ in whosmat(str(path))]
    except Exception as error:  # scipy raises whatever its parser stumbles over
        raise ToolboxFileError(f"{path}: a MATLAB file that is damaged or not whole ({error})") from error
    if "detector" not in variables:
        raise ToolboxFileError(f"{path}: no variable named detector, found {', '.join(names) or 'none'}")
    found = variables["detector"]
    detectors = list(np.ravel(found)) if isinstance(found, list | np.ndarray) else [found]
    for detector in detectors:
        if not isinstance(detector, dict) or not {"opts", "clf"} <= detector.keys():
            raise ToolboxFileError(
                f"{path}: the variable detector must be a struct with the fields opts and clf, or a cell of them"
            )
    if not detectors:
        raise ToolboxFileError(f"{path}: the variable detector is an empty cell")
    return detectors


def _what_else(path: Path) -> str:
    """What a file is that MATLAB has not written."""
    try:
        load_model(path)
    except (ModelError, OSError):
        return EXPECTED
    return "a model of badacost already, which needs no import: give it to badacost-detect with --model"
