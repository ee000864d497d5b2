"""Reading the project's pages: their code blocks, links and the commands they name."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SCRIPTS = tuple(
    sorted(path for path in (REPOSITORY / "scripts").glob("*.py") if "\ndef main(" in path.read_text())
)


def pages() -> list[Path]:
    """Every page that a reader is sent to."""
    folders = (REPOSITORY, REPOSITORY / "docs", REPOSITORY / "models")
    return sorted(path for folder in folders for path in folder.glob("*.md"))


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def blocks(path: Path, language: str) -> list[str]:
    """The fenced code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)


def prose(path: Path) -> str:
    """A page without its fenced code blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """What links may call the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def table_rows(path: Path, first_heading: str) -> list[list[str]]:
    """The cells of the table whose first column has a heading."""
    rows = None
    for line in prose(path).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if rows is None:
            rows = [] if line.startswith("|") and cells[0] == first_heading else None
        elif line.startswith("|"):
            rows.append(cells)
        else:
            break
    assert rows, f"{name_of(path)} has no table that starts with the column {first_heading!r}"
    return rows[1:]  # without the rule below the headings


def shell_commands(path: Path) -> list[list[str]]:
    """The words of every command in a page's shell blocks, without settings of variables before it."""
    commands = []
    for block in blocks(path, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            command: list[str] = []
            for word in [*shlex.split(line, comments=True), "|"]:
                if word != "|":
                    if command or not re.match(r"[A-Z_]+=", word):
                        command.append(word)
                elif command:
                    commands.append(command)
                    command = []
    return commands


@cache
def console_commands() -> dict[str, str]:
    """Module of each console command."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    return {name: target.partition(":")[0] for name, target in project["scripts"].items()}


@cache
def help_of(command: str) -> str:
    """What a console command answers to --help."""
    program = f"import sys; from {console_commands()[command]} import main; sys.exit(main(['--help']))"
    return run_python(program).stdout


def run_python(program: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done
