"""What docstrings name exists: the attributes of classes, the arguments of functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = [*sorted(ROOT.glob("solver/**/*.py")), *sorted(ROOT.glob("cli/*.py")), ROOT / "keepwise_check.py"]


def documented(node, section):
    """The names that a section of a docstring explains, each at the beginning of a line."""
    part = re.search(rf"^{section}:\n((?: {{4}}.*\n|\n)*)", f"{ast.get_docstring(node) or ''}\n", re.MULTILINE)
    groups = re.findall(r"^ {4}\*{0,2}(\w+(?:, \w+)*):", part[1], re.MULTILINE) if part else []
    return [name for group in groups for name in group.split(", ")]


def fields(node):
    """The public fields of a data class or a named tuple."""
    statements = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    names = [one.target.id for one in statements if "ClassVar" not in ast.unparse(one.annotation)]
    return [name for name in names if not name.startswith("_")]


def parameters(node):
    """The parameters of a function, without those that need no explanation."""
    named = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    names = [one.arg for one in (*named, node.args.vararg, node.args.kwarg) if one]
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def test_docstrings_list_exactly_the_parameters():
    wrong, explained = [], 0
    for file in FILES:
        lines = file.read_text().splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            place = f"{file.relative_to(ROOT)}:{node.lineno}"
            if isinstance(node, ast.ClassDef) and (names := documented(node, "Attributes")):
                source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
                words = set(re.findall(r"\w+", source.split('"""', 2)[2]))
                wrong += [f"{place} has no attribute {name}" for name in names if name not in words]
                kinds = " ".join(map(ast.unparse, (*node.decorator_list, *node.bases)))
                if "dataclass" in kinds or "NamedTuple" in kinds:
                    wrong += [f"{place} does not explain {name}" for name in fields(node) if name not in names]
                explained += len(names)
            if isinstance(node, ast.FunctionDef) and (names := documented(node, "Args")):
                wrong += [f"{place} has no parameter {name}" for name in names if name not in parameters(node)]
                wrong += [f"{place} does not explain {name}" for name in parameters(node) if name not in names]
                explained += len(names)
    assert wrong == []
    assert explained > 4000
