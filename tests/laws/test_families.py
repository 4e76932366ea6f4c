"""A family is one record: all that it names is there, and whoever serves every game finds its parts there only.

So nothing that the command line loads by itself leads to a file of a family; ``certify`` alone still knows the matches
that it proves.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import keepwise
import keepwise.cli
from keepwise.games.families import FAMILIES, Family, load_member, load_module
from keepwise.play.playable_game import PlayableGame
from keepwise.solvers import Problem

OFFERS = {
    "play": ("PLAYABLE",),
    "evaluation": ("check", "evaluate"),
    "best_response": ("parse_policies", "against"),
    "policy_names": ("policy_prefixes", "list_policy_names", "parse_policy_name"),
    "levels": ("at_level", "numbers"),
    "sheet": ("check", "make"),
    "page": ("unsupported_properties", "parts"),
    "charts": ("KINDS",),
    "hands": ("HandSolver",),
    "head_starts": ("solve_head_starts",),
    "hand_races": ("HandRaces",),
}
PROVES = "keepwise.certify"


def files_of(family: Family) -> set[str]:
    """The files that a record names, below the package."""
    named = {one for one in family if isinstance(one, str)} - {""}
    solved = {name.rpartition(".")[0] for names in family.problem_classes.values() for name in names}
    return named | solved | set(family.play_by_objective.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_family_records_name_existing_modules(family, tally):
    one = FAMILIES[family]
    for part, offered in OFFERS.items():
        for file in {getattr(one, part), *(one.play_by_objective.values() if part == "play" else ())} - {""}:
            assert all(hasattr(load_module(file), name) for name in offered), (part, file)
            tally.add(len(offered))
    assert issubclass(load_module(one.play).PLAYABLE, PlayableGame)
    for names in one.problem_classes.values():
        kinds = [load_member(name) for name in names]
        assert all(issubclass(kind, Problem) for kind in kinds)
        fewest = [kind.player_range[0] for kind in kinds]
        assert fewest == sorted(fewest)


def imported(path: Path, module: str) -> set[str]:
    """The modules that a file imports, wherever in it, by their names."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            found |= {name, *(f"{name}.{one.name}" for one in node.names)}
    return found


def modules() -> dict[str, Path]:
    """Every module of the program and of the command line."""
    found = {}
    for package in (keepwise, keepwise.cli):
        root = Path(package.__file__).parent
        for path in root.rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join([package.__name__, *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return found


def test_general_modules_import_no_family(tally):
    known = modules()
    files = {f"keepwise.{file}" for family in FAMILIES.values() for file in files_of(family)}
    rooms = {file.rpartition(".")[0] for file in files if file.startswith("keepwise.solvers.")} - {"keepwise.solvers"}
    own = {name for name in known if name in files or name.rpartition(".")[0] in rooms}
    assert {"keepwise.play.push", "keepwise.solvers.push.race_solver", "keepwise.output.sheets.tiles"} <= own
    todo = [name for name in known if name.startswith("keepwise.cli")]
    reached = dict.fromkeys(todo)
    while todo:
        name = todo.pop()
        for other in sorted(imported(known[name], name) & known.keys()):
            assert other not in own, f"{name} knows {other}"
            tally.add()
            if other not in reached and not other.startswith(PROVES):
                reached[other] = None
                todo.append(other)
    assert {
        "keepwise.answers.explanation",
        "keepwise.output.charts.make",
        "keepwise.simulation.games",
    } <= reached.keys()
