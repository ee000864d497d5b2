"""The name that a command was called by."""

from __future__ import annotations

import sys
from pathlib import Path


def command_name(module: str) -> str:
    """Return what the user typed: ``badacost-inspect-model``, or ``inspect_model.py`` when that file was run.

    Parameters
    ----------
    module : str
        Name of the command's module in this folder.
    """
    script = f"{module}.py"
    return script if Path(sys.argv[0]).name == script else f"badacost-{module.replace('_', '-')}"
