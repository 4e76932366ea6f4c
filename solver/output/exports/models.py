"""Models for other tools: a question as an explicit decision process (a stochastic game for several players), the chain
that a policy induces, or the graph of a turn.

Every number that a model checker computes from such a file can be held against ours; nothing of our solvers is in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from ...answers.positions import BestPlay
from ...policies.policy import DuelPolicy, MistakePolicy, OptimalPolicy, OtherObjectivePolicy, choice_function
from ...policies.registry import PolicyContext, parse_policy
from ...solvers import Problem, ValueTable
from ...util.errors import InputError, suggest_name
from ...util.number_format import format_count
from .graph import write_dot, write_graphml
from .prism import write_prism
from .process import Decide, Process, build
from .writers import check_umb, write_drn, write_prism_explicit, write_umb

Write = Callable[[Process, "str | os.PathLike[str]", str], None]

WRITERS: dict[str, Write] = {
    "drn": write_drn,
    "prism": write_prism,
    "prism-explicit": write_prism_explicit,
    "umb": write_umb,
    "graphml": write_graphml,
    "dot": write_dot,
}
GRAPHS = ("graphml", "dot")  # they show one turn, so no policy
ONE_PLAYER = ("drn", "prism", "prism-explicit")  # formats that know one player only


def check_model(match: Problem[Any], form: str, policy: str | None = None) -> None:
    """Raise InputError for a question that has no model in a format, or a policy that has none, before it is solved."""
    if form not in WRITERS:
        raise InputError(f"there is no format {form} for models{suggest_name(form, WRITERS)}")
    if match.objective == "rate":
        raise InputError("the long run has no model, since it never ends; one turn has: ask for points")
    if form in GRAPHS and policy is not None:
        raise InputError(f"{form} shows a turn and takes no policy; chains go as drn, prism, prism-explicit or umb")
    if form in ONE_PLAYER and match.players > 1 and policy is None:
        alone = next((f"--objective {one}, " for one in ("points", "turns") if one in match.game.objectives), "")
        players = format_count(match.players, "player")
        ways = f"use {alone}-f umb, or --policy best for its chain"
        raise InputError(f"{form} cannot describe {match.objective} for {players}: {ways}")
    if policy is not None and match.solves_on_demand and not match.array_specs():
        asked = f"{match.game.id} with the objective {match.objective}"
        raise InputError(f"{asked} is solved from one position at a time: its best play is no model")
    if policy is not None:
        _parse_chain_policy(match, policy)
    if form == "umb":
        check_umb()


# Reasons why a policy has no chain.
CHAIN_REFUSALS = {
    OtherObjectivePolicy: "export the model of that objective with --policy best",
    DuelPolicy: "it is what opponents play in evaluate, and no chain",
    MistakePolicy: "it chooses at random, so it induces no chain of choices",
}


def _parse_chain_policy(match: Problem[Any], policy: str) -> Any:
    """Return the policy that induces a chain, by its name."""
    return parse_policy(policy, PolicyContext(match.playable, CHAIN_REFUSALS))


def write_model(
    match: Problem[Any],
    solved: ValueTable,
    path: str | os.PathLike[str],
    form: str,
    policy: str | None = None,
    title: str = "",
    progress: Callable[[float], None] = lambda done: None,
) -> Process:
    """Write the model of a solved question and return it; see ``check_model`` for what is refused.

    ``policy``: "best" or another policy ("hold:300"): the chain that it induces.
    """
    check_model(match, form, policy)
    process = make_model(match, solved, policy, one_turn=form in GRAPHS, progress=progress)
    WRITERS[form](process, path, title)
    return process


def make_model(
    match: Problem[Any],
    solved: ValueTable,
    policy: str | None = None,
    *,
    one_turn: bool = False,
    progress: Callable[[float], None] = lambda done: None,
) -> Process:
    """Return the explicit process of a question, or the chain of a policy; points in hand end at the match's cut."""
    table, cut = match.playable, match.max_stopping_points(solved)
    decide: Decide | None = None
    parsed = None if policy is None else _parse_chain_policy(match, policy)
    if isinstance(parsed, OptimalPolicy):
        if mixed := match.extra_results(solved, table.start()).get("mixed"):
            raise InputError(f"the best play mixes turns at {mixed} positions, which no chain of choices tells")
        decide = BestPlay(match, solved)
    elif parsed is not None:
        decide = choice_function(table, parsed)
        if cut is not None and table.objective == "points":  # else whoever holds the cut wins
            cut += getattr(parsed, "max_turn_points", 0)
    return build(table, decide, cut=cut, one_turn=one_turn, progress=progress)


def model_title(match: Problem[Any], solved: ValueTable, fingerprint: str) -> str:
    """What a model's file says it is: the question, its fingerprint, its rules, and where it is cut."""
    cut = match.max_stopping_points(solved)
    said = "" if cut is None else f"; whoever holds {format_count(cut, 'point')} or more stops"
    rules = json.dumps(match.playable.question["rules"])
    return f"keepwise {match.game.id} {match.objective} {fingerprint} rules {rules}{said}"
