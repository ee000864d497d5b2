"""Detector files of the ACF toolbox and its successors (MATLAB ``.mat``, before version 7.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# MATLAB puts a text of its own before the HDF5 data, of this size or a power of 2 times it.
HDF5_OFFSETS = (0, 512, 1024, 2048)


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
    from scipy.io import loadmat

    try:
        variables = loadmat(str(path), simplify_cells=True, variable_names=["detector"])
    except Exception as error:  # scipy raises whatever its parser stumbles over
        raise ToolboxFileError(f"{path}: not a readable MATLAB file ({error})") from error
    if "detector" not in variables:
        raise ToolboxFileError(f"{path}: no variable named detector found")
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
