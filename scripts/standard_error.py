"""What a command tells on standard error: its own notes, above a progress bar, and nothing of the libraries."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def say(message: str) -> None:
    """Print to standard error, above the progress bar if there is one."""
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(message, file=sys.stderr)
    else:
        print(message, file=sys.stderr)


def reason_of(error: OSError) -> str:
    """Say what the system refused, and for which file."""
    file = f"{error.filename}: " if error.filename is not None else ""
    return f"{file}{error.strerror or error}"


class _SayingHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record))


@contextmanager
def package_notes(level: int) -> Iterator[None]:
    """Print what the package logs at a level or above, while the block runs."""
    logger = logging.getLogger("badacost")
    handler, before = _SayingHandler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


@contextmanager
def silent_libraries() -> Iterator[None]:
    """Keep what decoders written in C print to standard error away from it, while the block runs.

    They write to descriptor 2 whatever Python does, so that `sys.stderr` gets another one.
    """
    sys.stderr.flush()
    ours = sys.stderr
    saved = os.dup(2)
    try:
        is_terminal_of_process = ours.fileno() == 2
    except (io.UnsupportedOperation, AttributeError, ValueError):
        is_terminal_of_process = False  # replaced by whoever called us
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    if is_terminal_of_process:
        sys.stderr = open(  # noqa: SIM115 (closed below)
            saved, "w", buffering=1, encoding=ours.encoding, errors=ours.errors, closefd=False
        )
    try:
        yield
    finally:
        if is_terminal_of_process:
            sys.stderr.flush()
            sys.stderr = ours
        os.dup2(saved, 2)
        os.close(saved)
