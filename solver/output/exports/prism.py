"""Processes in the PRISM language: one variable for the state, one command for each action, states as comments."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .process import Process
from .writers import write_lines


def write_prism(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write a process as a PRISM model, with the property to check as a comment."""
    write_lines(path, (f"{line}\n" for line in _lines(process, title)))


def _lines(process: Process, title: str) -> Iterator[str]:
    """Yield the lines of the model."""
    aim = "" if process.is_chain else process.aim
    query = f'R{{"{process.reward}"}}{aim}' if process.reward else f"P{aim}"
    yield f"// {title}"
    yield f'// ask: {query}=? [ F "done" ]'
    yield "dtmc" if process.is_chain else "mdp"
    yield ""
    yield "module play"
    yield f"  s : [0..{len(process.names) - 1}] init 0;"
    for state, (name, actions) in enumerate(zip(process.names, process.actions, strict=True)):
        yield f"  // {name}"
        for number, action in enumerate(actions):
            branches = " + ".join(f"{weight}/{action.total}:(s'={target})" for weight, target in action.branches)
            yield f"  [{_label(action.name, number)}] s={state} -> {branches};"
    yield "endmodule"
    if process.reward:
        yield ""
        yield f'rewards "{process.reward}"'
        for state, actions in enumerate(process.actions):
            for number, action in enumerate(actions):
                if action.reward:
                    yield f"  [{_label(action.name, number)}] s={state} : {action.reward};"
        yield "endrewards"
    yield ""
    yield f'label "done" = s={process.goal_state};'


def _label(name: str, number: int) -> str:
    """Return the label of an action; the number separates actions of a state with the same name."""
    return f"a{number}_{name}"
