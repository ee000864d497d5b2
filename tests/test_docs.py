"""The pages agree with the code: links, commands, examples, and the tables that repeat what code says."""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import skimage.data

import badacost.boosting
from badacost.training.options import TrainingOptions
from badacost.training.options_file import dump_options, load_options, options_of_file

from .documents import (
    REPOSITORY,
    anchors,
    blocks,
    console_commands,
    help_of,
    name_of,
    pages,
    prose,
    run_python,
    shell_commands,
    table_rows,
)

PAGES = pages()
DOCS = REPOSITORY / "docs"
FOLDERS = ("boosting", "detector", "eval", "features", "training", "scripts")
OTHER_COMMANDS = {".", "find"}
WEAK_LEARNERS = {"CARTClassifier", "DecisionStumpClassifier", "TreeClassifier"}
each_page = pytest.mark.parametrize("page", PAGES, ids=name_of)


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{target} is not there"
        assert not anchor or anchor in anchors(path), f"{target}: no such heading"


@each_page
def test_files_of_the_repository_exist(page: Path) -> None:
    folders = "|".join((*FOLDERS, "tests", "docs", "models", "benchmarks", "badacost"))
    for name in re.findall(rf"`((?:{folders})/[\w./-]*)`", prose(page)):
        assert (REPOSITORY / name).exists(), f"{name} is not there"


@each_page
def test_commands_and_their_options_exist(page: Path) -> None:
    for command, *words in shell_commands(page):
        if command == "./dev":
            assert f"./dev {words[0]} " in (REPOSITORY / "dev").read_text()
        elif command not in OTHER_COMMANDS:
            assert command in console_commands(), f"there is no command {command}"
            options = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert options <= set(re.findall(r"--[a-z-]+", help_of(command))), command


@each_page
def test_options_in_the_text_exist(page: Path) -> None:
    known = {
        option for command in console_commands() for option in re.findall(r"--[a-z-]+", help_of(command))
    }
    named = {
        option
        for code in re.findall(r"`([^`\n]+)`", prose(page))
        if not code.startswith(("python ", "pytest"))
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)
    }
    assert named <= known


def test_every_option_of_detect_is_explained() -> None:
    text = (DOCS / "detecting.md").read_text()
    unexplained = [
        option for option in re.findall(r"--[a-z-]+", help_of("badacost-detect")) if option not in text
    ]
    assert unexplained == []


def _examples() -> Iterator[Any]:
    for page in PAGES:
        if page.name != "README.md":  # its examples have tests of their own
            for number, program in enumerate(blocks(page, "python"), start=1):
                yield pytest.param(program, id=f"{name_of(page)}-{number}")


@pytest.mark.parametrize("program", list(_examples()))
def test_examples_run(program: str, tmp_path: Path) -> None:
    shutil.copy(Path(skimage.data.__path__[0]) / "astronaut.png", tmp_path / "photo.jpg")
    run_python(program, tmp_path)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _defaults(preset: str) -> dict[str, str]:
    values = dict(_flat(tomllib.loads(dump_options(load_options(preset)))))
    return {key: _as_in_the_table(value) for key, value in values.items()}


def _as_in_the_table(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str) and value != "none" else str(value)


def test_table_of_training_options_is_complete_and_right() -> None:
    faces, cars = _defaults("faces"), _defaults("cars")
    rows = {row[0].strip("`"): (row[1], row[3]) for row in table_rows(DOCS / "training.md", "option")}
    assert rows.keys() == faces.keys()
    assert {key: default for key, (default, _) in rows.items()} == faces
    assert {key: value for key, (_, value) in rows.items() if value} == {
        key: value for key, value in cars.items() if value != faces[key]
    }


@pytest.mark.parametrize("preset", ["faces", "cars"])
def test_options_file_of_a_run_can_be_given_as_configuration(preset: str, tmp_path: Path) -> None:
    options = load_options(preset)
    (tmp_path / "options.toml").write_text(dump_options(options))
    assert options_of_file(TrainingOptions(), tmp_path / "options.toml") == options


def test_configuration_in_the_guide_is_valid(tmp_path: Path) -> None:
    for number, text in enumerate(blocks(DOCS / "training.md", "toml")):
        path = tmp_path / f"{number}.toml"
        path.write_text(text)
        assert options_of_file(TrainingOptions(), path) != TrainingOptions()


def test_every_estimator_is_in_the_guide() -> None:
    guides = [DOCS / "boosting.md", DOCS / "bagging.md", DOCS / "framework.md"]
    named = {name for guide in guides for name in re.findall(r"\b[A-Z]\w+Classifier\b", guide.read_text())}
    estimators = {name for name in badacost.boosting.__all__ if name.endswith("Classifier")}
    assert named == estimators
    rows = [row for guide in guides for row in table_rows(guide, "estimator")]
    assert {name.strip("`") for row in rows for name in row[0].split(", ")} == estimators - WEAK_LEARNERS


def _imported_folders(folder: str) -> set[str]:
    """The other root folders that the modules of one import, for types only or not."""
    found = set()
    for path in (REPOSITORY / folder).rglob("*.py"):
        up_to_badacost = len(path.relative_to(REPOSITORY).parts)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level in (0, up_to_badacost):
                parts = (node.module or "").split(".")
                found.update(parts[:1] if node.level else parts[1:2] if parts[0] == "badacost" else [])
    return found & set(FOLDERS) - {folder}


def test_imports_are_those_of_the_table() -> None:
    documented = {row[0].strip("`"): row[2] for row in table_rows(DOCS / "architecture.md", "folder")}
    for folder in FOLDERS:
        allowed = set(FOLDERS) if documented[folder] == "all" else set(re.findall(r"\w+", documented[folder]))
        assert _imported_folders(folder) <= allowed, folder
