"""What a suite reports: sections of text, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | float | int | None


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """A table.

    Parameters
    ----------
    name : str
        Of its CSV file, without suffix.
    caption : str
    header : sequence of str
    rows : sequence of sequences
        None is a dash.
    decimals : int
        Of numbers in text; the CSV has them in full.
    """

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int = 2

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"rows of ReportTable {self.name} must have {len(self.header)} cells, found {len(row)}"
                )

    def text_rows(self) -> list[list[str]]:
        """The rows as they are printed."""
        return [[self._text(cell) for cell in row] for row in self.rows]

    def _text(self, cell: Cell) -> str:
        if cell is None or (isinstance(cell, float) and cell != cell):
            return "–"
        return f"{cell:.{self.decimals}f}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True, kw_only=True)
class ReportFigure:
    """A figure.

    Parameters
    ----------
    name : str
        Of its file, without suffix.
    caption : str
    draw : callable
        Returns the matplotlib figure.
    """

    name: str
    caption: str
    draw: Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and what stands below it."""

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[ReportTable] = ()
    figures: Sequence[ReportFigure] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """The report of a suite.

    Parameters
    ----------
    title : str
    findings : sequence of str
        What the results show, first of all.
    sections : sequence of Section
    """

    title: str
    findings: Sequence[str]
    sections: Sequence[Section]
