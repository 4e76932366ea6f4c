"""Write explicit models in Storm's DRN format, in PRISM's explicit files, and in UMB."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...storage.files import check_writable, write_atomically
from ...util.optional_imports import require_library
from .process import Action, Process


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write a file of lines atomically."""
    with write_atomically(path) as file:
        file.writelines(line.encode() for line in lines)


def _sorted_branches(action: Action) -> list[tuple[int, int]]:
    """Return (weight, target) pairs in the order of their targets."""
    return sorted(action.branches, key=lambda branch: branch[1])


def _labels(process: Process, state: int) -> list[str]:
    labels = ["init"] if state == 0 else []
    return labels + (["done"] if state == process.goal_state else [])


def write_drn(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write Storm's explicit format, with exact fractions and the names of states as comments."""
    write_lines(path, _drn(process, title))


def _drn(process: Process, title: str) -> Iterator[str]:
    kind = "DTMC" if process.is_chain else "MDP"
    yield f"// {title}\n@type: {kind}\n@value_type: double\n@parameters\n\n"
    yield f"@reward_models\n{process.reward}\n"
    yield f"@nr_states\n{len(process.names)}\n@nr_choices\n{process.choice_count}\n@model\n"
    has_reward = bool(process.reward)
    for state, (name, actions) in enumerate(zip(process.names, process.actions, strict=True)):
        labels = "".join(f" {label}" for label in _labels(process, state))
        yield f"// {name}\nstate {state}{' [0]' if has_reward else ''}{labels}\n"
        for action in actions:
            yield f"\taction {action.name}{f' [{action.reward}]' if has_reward else ''}\n"
            for weight, target in _sorted_branches(action):
                yield f"\t\t{target} : {Fraction(weight, action.total)}\n"


def write_prism_explicit(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write PRISM's explicit files: FILE.tra, .sta and .lab, for rewards .trew, and .names with states in words."""
    stem = Path(path).with_suffix("")
    check_writable(stem.with_suffix(".tra"))
    for suffix, lines in (
        (".tra", _tra(process)),
        (".sta", _sta(process)),
        (".lab", _lab(process)),
        (".names", (f"{state}\t{name}\n" for state, name in enumerate(process.names))),
        *(((".trew", _trew(process)),) if process.reward else ()),
    ):
        write_lines(stem.with_suffix(suffix), lines)


def _tra(process: Process) -> Iterator[str]:
    yield f"{len(process.names)} {_choice_column(process, process.choice_count)}{process.branch_count}\n"
    for state, actions in enumerate(process.actions):
        for choice, action in enumerate(actions):
            for weight, target in _sorted_branches(action):
                name = "" if process.is_chain else f" {action.name}"
                yield f"{state} {_choice_column(process, choice)}{target} {weight / action.total!r}{name}\n"


def _choice_column(process: Process, number: int) -> str:
    """Return a number that counts or names choices, as a column that files of chains omit."""
    return "" if process.is_chain else f"{number} "


def _sta(process: Process) -> Iterator[str]:
    yield "(state)\n"
    yield from (f"{state}:({state})\n" for state in range(len(process.names)))


def _lab(process: Process) -> Iterator[str]:
    yield '0="init" 1="deadlock" 2="done"\n0: 0\n'
    if process.goal_state >= 0:
        yield f"{process.goal_state}: 2\n"


def _trew(process: Process) -> Iterator[str]:
    rows = [
        (state, choice, target, action.reward)
        for state, actions in enumerate(process.actions)
        for choice, action in enumerate(actions)
        if action.reward
        for _, target in _sorted_branches(action)
    ]
    yield f"{len(process.names)} {_choice_column(process, process.choice_count)}{len(rows)}\n"
    yield from (
        f"{state} {_choice_column(process, choice)}{target} {reward}\n" for state, choice, target, reward in rows
    )


def check_umb() -> None:
    """Raise InputError if the package umbi is not installed."""
    require_library("umbi", "umb needs Python 3.12 and umbi", "models")


def write_umb(process: Process, path: str | os.PathLike[str], title: str) -> None:
    """Write the common binary format of Storm, PRISM and Modest, with the package ``umbi``."""
    check_umb()
    import umbi
    from umbi.ats import SimpleAts, TimeType

    ats = SimpleAts()
    ats.time = TimeType.DISCRETE
    ats.num_states = len(process.names)
    _add_players(ats, process)
    ats.initial_states = [0]
    rewards = _add_choices(ats, process)
    goal_annotation = ats.new_ap_annotation(
        name="done", alias="done", description="The outcome that the objective is about."
    )
    goal_annotation.state_values = [state == process.goal_state for state in range(len(process.names))]
    if process.reward:
        annotation = ats.new_reward_annotation(name=process.reward, alias=process.reward, description=title)
        annotation.choice_values = [float(reward) for reward in rewards]
    ats.validate()
    with write_atomically(path) as file, tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "model.umb"  # umbi writes to named files only
        umbi.ats.write(ats, temporary)
        file.write(temporary.read_bytes())


def _add_players(ats: Any, process: Process) -> None:
    """Add the players to a UMB model, and the player who decides in each state."""
    player_count = max(process.owners, default=0) + 1
    ats.num_players = 0 if process.is_chain else player_count
    if process.owners:
        ats.state_to_player = process.owners
        ats.add_player_to_name()
        ats.player_to_name = [f"player {seat}" for seat in range(1, player_count + 1)]


def _add_choices(ats: Any, process: Process) -> list[Fraction]:
    """Add choices and branches to a UMB model; return the rewards of all choices."""
    action_names = sorted({action.name for actions in process.actions for action in actions})
    action_numbers = {name: number for number, name in enumerate(action_names)}
    if not process.is_chain:
        ats.num_choice_actions = len(action_names)
        ats.choice_action_to_name = action_names
    rewards = []
    for state, actions in enumerate(process.actions):
        for action in actions:
            choice = ats.new_choice(state=state)
            if not process.is_chain:
                ats.choice_to_choice_action[choice] = action_numbers[action.name]
            for weight, target in _sorted_branches(action):
                ats.new_choice_branch(choice=choice, target=target, prob=Fraction(weight, action.total))
            rewards.append(action.reward)
    return rewards
