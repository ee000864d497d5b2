"""Reports as files: Markdown, a CSV a table, SVG figures and one HTML page."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from .report import Report, ReportFigure, ReportTable

STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0 1.4em }
th, td { padding: .15em .6em; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left }
caption { text-align: left; font-weight: 600; padding: .4em 0 }
img { max-width: 100% }
"""


def write_report(report: Report, folder: Path) -> None:
    """Write `report.md`, `tables/*.csv` and `figures/*.svg` below a folder."""
    tables, figures = folder / "tables", folder / "figures"
    tables.mkdir(parents=True, exist_ok=True)
    figures.mkdir(exist_ok=True)
    lines = [f"# {report.title}", "", *(f"- {finding}" for finding in report.findings)]
    for section in report.sections:
        lines += ["", f"## {section.title}"]
        for paragraph in section.paragraphs:
            lines += ["", paragraph]
        for table in section.tables:
            lines += ["", f"**{table.caption}** ([csv](tables/{table.name}.csv))", "", *_markdown(table)]
            _write_csv(table, tables / f"{table.name}.csv")
        for figure in section.figures:
            _save_figure(figure, figures / f"{figure.name}.svg")
            lines += ["", f"![{figure.caption}](figures/{figure.name}.svg)"]
    (folder / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_page(reports: Mapping[str, Report], path: Path) -> None:
    """Write one HTML page of all reports, which shows the figures of `write_report`.

    Parameters
    ----------
    reports : mapping
        By the name of the folder, beside the page, that `write_report` filled.
    path : Path
    """
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Experiments</title>',
        f"<style>{STYLE}</style></head><body>",
        "<nav>" + " · ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in reports) + "</nav>",
    ]
    for name, report in reports.items():
        parts.append(f'<h1 id="{escape(name)}">{escape(report.title)}</h1>')
        parts.append("<ul>" + "".join(f"<li>{escape(text)}</li>" for text in report.findings) + "</ul>")
        for section in report.sections:
            parts.append(f"<h2>{escape(section.title)}</h2>")
            parts += [f"<p>{escape(paragraph)}</p>" for paragraph in section.paragraphs]
            parts += [_html(table) for table in section.tables]
            parts += [
                f'<p><img src="{escape(name)}/figures/{escape(figure.name)}.svg" alt="{escape(figure.caption)}"></p>'
                for figure in section.figures
            ]
    parts.append("</body></html>")
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _save_figure(figure: ReportFigure, path: Path) -> None:
    """Save with text as text, and the same bytes every time."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": figure.name}):
        figure.draw().savefig(path, metadata={"Date": None})


def _markdown(table: ReportTable) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [
        line(table.header),
        line(["---", *["---:"] * (len(table.header) - 1)]),
        *map(line, table.text_rows()),
    ]


def _html(table: ReportTable) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in table.text_rows())
    return f"<table><caption>{escape(table.caption)}</caption>{row(list(table.header), 'th')}{body}</table>"


def _write_csv(table: ReportTable, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.header)
        writer.writerows(["" if cell is None or cell != cell else cell for cell in row] for row in table.rows)
