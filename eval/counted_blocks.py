"""Text files of blocks: an image's name, a number, and that many rows of numbers (FDDB's and WIDER FACE's form)."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from .input_records import BadRecords, EvaluationError, reason


class Row(NamedTuple):
    """A row of numbers and the line it stands on."""

    line: int
    values: list[float]


class Block(NamedTuple):
    """An image and its rows; `line` is that of the name."""

    name: str
    line: int
    rows: list[Row]


def read_counted_blocks(
    path: Path, bad: BadRecords, row_lengths: Collection[int], content: str
) -> list[Block]:
    """Read all blocks of a file; empty lines between blocks are left out.

    Parameters
    ----------
    path : Path
    bad : BadRecords
        Receives malformed rows and blocks; reading goes on at the next row or block.
    row_lengths : collection of int
        How many numbers a row may have.
    content : str
        What a row is, for messages.

    Notes
    -----
    A row of zeros after the number 0, as WIDER FACE's lists have it, is passed over.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({reason(error)})") from error
    blocks: dict[str, Block] = {}
    position = 0
    while position < len(lines):
        block = Block(lines[position], position + 1, [])
        position += 1
        if not block.name:
            continue
        if position >= len(lines) or not lines[position].isdecimal():
            found = _shown(lines, position)
            bad.add(path, position + 1, f"found {found}, expected the number of {content}s of {block.name!r}")
            while position < len(lines) and not _starts_block(lines, position):
                position += 1
            continue
        position = _read_rows(path, bad, row_lengths, content, lines, position, block)
        if block.name in blocks:
            first = blocks[block.name].line
            bad.add(path, block.line, f"image {block.name!r} occurs twice, first in line {first}")
            continue
        blocks[block.name] = block
    return list(blocks.values())


def _read_rows(
    path: Path,
    bad: BadRecords,
    row_lengths: Collection[int],
    content: str,
    lines: list[str],
    position: int,
    block: Block,
) -> int:
    """Add the rows that follow the number at `position`; return the position after them."""
    expected = int(lines[position])
    position += 1
    if expected == 0:
        values = _numbers(lines[position]) if position < len(lines) else []
        return position + 1 if values and not any(values) else position
    for number in range(expected):
        if position >= len(lines) or _starts_block(lines, position):
            found = _shown(lines, position)
            bad.add(
                path, position + 1, f"found {found} after {number} of {expected} {content}s of {block.name!r}"
            )
            break
        values = _numbers(lines[position])
        position += 1
        if len(values) in row_lengths:
            block.rows.append(Row(position, values))
        else:
            wanted = " or ".join(str(length) for length in sorted(row_lengths))
            found = _shown(lines, position - 1)
            bad.add(path, position, f"found {found}, expected {wanted} numbers of a {content}")
    return position


def _numbers(line: str) -> list[float]:
    """Return the numbers of a line; none if any of its fields is not a finite number."""
    try:
        values = [float(field) for field in line.split()]
    except ValueError:
        return []
    return values if all(math.isfinite(value) for value in values) else []


def _starts_block(lines: list[str], position: int) -> bool:
    """Return whether a name stands here: no numbers, and a number of rows in the line after it."""
    is_name = bool(lines[position]) and not _numbers(lines[position])
    return is_name and position + 1 < len(lines) and lines[position + 1].isdecimal()


def _shown(lines: list[str], position: int) -> str:
    return repr(lines[position]) if position < len(lines) else "the end of the file"
