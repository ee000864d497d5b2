"""The modules of the experiments import each other in one direction."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

from badacost.boosting import experiments


def test_no_import_goes_in_a_circle() -> None:
    """Imports inside functions count as well; those for type annotations only do not."""
    folder = Path(experiments.__file__).parent
    imports = {path.stem: imported(ast.parse(path.read_text("utf-8"))) for path in folder.glob("*.py")}
    order = list(TopologicalSorter(imports).static_order())  # raises CycleError
    assert order.index("suite") < order.index("catalog") < order.index("run")


def imported(tree: ast.Module) -> set[str]:
    annotations_only = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If)
        and isinstance(branch.test, ast.Name)
        and branch.test.id == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    return {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.level == 1
        and node.module is not None
        and id(node) not in annotations_only
    }
