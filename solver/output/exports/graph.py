"""The graph of a turn with networkx: nodes are positions, edges are rolls and choices."""

from __future__ import annotations

import os
from typing import Any

import networkx

from ...storage.files import write_atomically
from ...util.escaping import quote_dot
from .process import STAY, THROW, Process
from .writers import write_lines

NODE_SHAPES = {"throw": "ellipse", "choice": "box", "end": "doublecircle"}


def turn_graph(process: Process) -> Any:
    """Return the process of one turn as a directed multigraph.

    Nodes are states by name, each with ``kind``: "throw" (dice are rolled), "choice" (a player decides) or "end". Edges
    have the attribute ``choice``, the choice in words. Edges of rolls also have ``weight`` (of ordered rolls)
    and ``chance``.
    """
    graph = networkx.MultiDiGraph()
    for name, actions in zip(process.names, process.actions, strict=True):
        only_action = actions[0].name if len(actions) == 1 else None
        is_end, is_roll = only_action == STAY, only_action == THROW
        graph.add_node(name, kind="end" if is_end else "throw" if is_roll else "choice")
        for action in () if is_end else actions:
            for weight, target in action.branches:
                attributes: dict[str, Any] = {"choice": action.name.replace("_", " ")}
                if is_roll or len(action.branches) > 1:
                    attributes |= {"weight": weight, "chance": weight / action.total}
                graph.add_edge(name, process.names[target], **attributes)
    return graph


def write_graphml(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write the graph of a turn as GraphML."""
    graph = turn_graph(process)
    graph.graph["title"] = title
    with write_atomically(path) as file:
        networkx.write_graphml(graph, file)


def write_dot(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write the graph of a turn in the DOT language of Graphviz."""
    graph = turn_graph(process)
    lines = [f"// {title}", "digraph turn {", "  rankdir=LR;"]
    for node, attributes in graph.nodes(data=True):
        lines.append(f"  {quote_dot(node)} [shape={NODE_SHAPES[attributes['kind']]}];")
    for source, target, attributes in graph.edges(data=True):
        label = f"{attributes['chance']:.4g}" if "chance" in attributes else attributes["choice"]
        lines.append(f"  {quote_dot(source)} -> {quote_dot(target)} [label={quote_dot(label)}];")
    write_lines(path, (f"{line}\n" for line in [*lines, "}"]))
