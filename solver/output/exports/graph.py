"""The graph of a turn, through networkx: positions, and the throws and choices between them."""

from __future__ import annotations

import os
from typing import Any

import networkx

from ...storage.files import write_atomically
from ...util.escaping import quote_dot
from .process import Process
from .writers import write_lines


def turn_graph(process: Process) -> Any:
    """Return the process of one turn as a directed multigraph.

    Nodes are states by name, each with ``kind``: "throw" (dice fall), "choice" (somebody decides) or "end". Edges: from
    a throw with ``weight`` (ordered throws) and ``chance``; from a choice with ``choice`` in words.
    """
    graph = networkx.MultiDiGraph()
    for name, actions in zip(process.names, process.actions, strict=True):
        ends = len(actions) == 1 and actions[0].name == "stay"
        throws = len(actions) == 1 and actions[0].name == "throw"
        graph.add_node(name, kind="end" if ends else "throw" if throws else "choice")
        for action in () if ends else actions:
            for weight, target in action.branches:
                told: dict[str, Any] = {"choice": action.name.replace("_", " ")}
                if throws or len(action.branches) > 1:
                    told |= {"weight": weight, "chance": weight / action.total}
                graph.add_edge(name, process.names[target], **told)
    return graph


def write_graphml(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write the turn's graph as GraphML."""
    graph = turn_graph(process)
    graph.graph["title"] = title
    with write_atomically(path) as file:
        networkx.write_graphml(graph, file)


def write_dot(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write the turn's graph for Graphviz."""
    graph = turn_graph(process)
    shapes = {"throw": "ellipse", "choice": "box", "end": "doublecircle"}
    lines = [f"// {title}", "digraph turn {", "  rankdir=LR;"]
    lines += [f"  {quote_dot(node)} [shape={shapes[told['kind']]}];" for node, told in graph.nodes(data=True)]
    for one, other, told in graph.edges(data=True):
        label = f"{told['chance']:.4g}" if "chance" in told else told["choice"]
        lines.append(f"  {quote_dot(one)} -> {quote_dot(other)} [label={quote_dot(label)}];")
    write_lines(path, (f"{line}\n" for line in [*lines, "}"]))
