"""The limits that keep the code readable: lengths, public names, start-up."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "kerneldiff"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 300
MOST_LINES_OF_A_FUNCTION = 60


def named(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_modules_and_functions_stay_short(path: Path) -> None:
    text = path.read_text()

    assert len(text.splitlines()) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MOST_LINES_OF_A_FUNCTION, node.name


@pytest.mark.parametrize("path", [path for path in MODULES if path.name == "__init__.py"], ids=named)
def test_public_names_are_complete_and_exist(path: Path) -> None:
    if "torch" in path.read_text():
        pytest.importorskip("torch")
    parts = path.relative_to(SOURCE.parent).parent.parts
    module = importlib.import_module(".".join(parts))

    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name)


def test_every_module_says_what_it_is_for() -> None:
    silent = [named(path) for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))]

    assert silent == []
