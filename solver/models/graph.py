"""The graph of a turn, through networkx: modes, the classes of a throw, and the choices between them."""

from __future__ import annotations

import os
from typing import Any

import networkx

from ..files import whole_file
from ..matches import Match, Solved
from .process import Climb


def turn_graph(match: Match, solved: Solved) -> Any:
    """Return the turn as a directed multigraph.

    Nodes: modes ("5 dice"), throws' classes and endings, each with ``kind``. Edges: from a mode to a class with
    ``weight`` (ordered throws) and ``chance``; from there to modes with ``points`` added and ``choice`` in words.

    Raises:
        InputError: a game whose turn is not of this form.
    """
    climb = Climb(match, solved)
    graph = networkx.MultiDiGraph(game=match.game.id, objective=match.objective)
    names = [climb.mode_name(number) for number in range(len(climb.turn.modes))]
    for mode, name in zip(climb.turn.modes, names, strict=True):
        graph.add_node(name, kind="mode")
        if mode.bank is not None:
            graph.add_node("end of the turn", kind="ending")
            graph.add_edge(name, "end of the turn", choice="bank", points=0)
        for throw in mode.throws:
            total = sum(weight for _, weight in throw.classes)
            for number, (offered, weight) in enumerate(throw.classes):
                told = {"weight": weight, "chance": weight / total}
                if len(offered) == 1:
                    _lead(graph, climb, names, name, offered[0], told)
                    continue
                here = f"{name}: {number + 1}"
                graph.add_node(here, kind="throw")
                graph.add_edge(name, here, **told)
                for choice in offered:
                    _lead(graph, climb, names, here, choice, {})
    return graph


def _lead(graph: Any, climb: Climb, names: list[str], here: str, choice: Any, told: dict[str, Any]) -> None:
    to = names[choice.next] if choice.next >= 0 else climb.choice_name(choice)
    if choice.next < 0:
        graph.add_node(to, kind="ending")
    words = climb.choice_name(choice).replace("_", " ")
    graph.add_edge(here, to, choice=words, points=choice.add * climb.grain, **told)


def write_graphml(match: Match, solved: Solved, path: str | os.PathLike[str], title: str) -> None:
    """Write the turn's graph as GraphML."""
    graph = turn_graph(match, solved)
    graph.graph["title"] = title
    with whole_file(path) as file:
        networkx.write_graphml(graph, file)


def write_dot(match: Match, solved: Solved, path: str | os.PathLike[str], title: str) -> None:
    """Write the turn's graph for Graphviz."""
    graph = turn_graph(match, solved)
    lines = [f"// {title}", "digraph turn {", "  rankdir=LR;"]
    shapes = {"mode": "box", "throw": "ellipse", "ending": "doublecircle"}
    lines += [f'  "{node}" [shape={shapes[told["kind"]]}];' for node, told in graph.nodes(data=True)]
    for one, other, told in graph.edges(data=True):
        label = told.get("choice", "") if "weight" not in told else f"{told['chance']:.4g}"
        lines.append(f'  "{one}" -> "{other}" [label="{label}"];')
    with whole_file(path) as file:
        file.write("\n".join([*lines, "}", ""]).encode())
