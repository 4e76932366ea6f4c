"""The rules of push-your-luck games as the data of a certificate.

A checker derives every roll anew from this data and knows no game by its name. The data is therefore written from the
rules (``PushRules``), not from the turn that is compiled from them. Rules that the format cannot express cannot be
certified. Keys and values are described in docs/certificate-format.md.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any, TypeGuard

from ..games.push_rules import PushRules
from ..solvers import Problem
from ..solvers.push.model import PushModel
from ..solvers.push.points import PushPointsProblem
from ..solvers.push.race_problems import PushTableProblem
from ..util.errors import InputError
from .points_prover import PushPointsProver
from .truncation import LastRounds

OPEN_VALUE_BITS = 64  # forced rolls beyond the target are followed until less than 2 ** -64 of the value is open
TURN_KEYS = "stop", "below", "once", "choose", "opening", "minimum", "floor", "above"  # named alike in PushRules


def equations_to_prove(problem: PushTableProblem) -> PushModel:
    """Return the equations whose bounds are certified: those of the problem, or their truncation."""
    if problem.players == 1 or problem.rules.finish != "last_round":
        return problem.model
    rows_beyond_cap = past_target(problem.rules, 2).get("past", 0) // problem.rules.grain
    return LastRounds(problem.states, max(1, rows_beyond_cap))


def check_expressible(game: str, rules: PushRules, players: int) -> None:
    """Raise InputError if the certificate format cannot express the rules of a turn."""
    has_last_round = players > 1 and rules.finish == "last_round"
    is_endless = (rules.hot_dice != "none" or rules.does("roll", "again", "same")) and not rules.once
    obstacle = ""
    if has_last_round and rules.take_over != "none":
        obstacle = "last rounds in which turns are taken over"
    elif has_last_round and players > 2 and is_endless:
        obstacle = "last rounds of three and more whose turns have no end"
    if obstacle:
        raise InputError(f"{game}: {obstacle} cannot be said in a certificate yet")


def describe_turn(rules: PushRules, objective: str) -> dict[str, Any]:
    """Return the data of a turn: its dice, the groups of dice that score, and the choices that are allowed."""
    return describe_set_turn(
        **{key: getattr(rules, key) for key in TURN_KEYS},
        dice=[[kind.count, list(kind.weights)] for kind in rules.every_kind],
        groups=scoring_groups(rules),
        whole=rules.whole or rules.confirms,
        specials=[
            [[*special.throw], [*special.throw], special.effect, special.points, 1] for special in rules.specials
        ],
        take=rules.set_aside,
        leave=[face for face, is_allowed in enumerate(rules.leave) if is_allowed],
        most=rules.dice,
        hot=rules.hot_dice,
        waived=not rules.minimum_on_win and objective not in ("points", "rate"),
        costs=list(rules.costs),
        stays=rules.costs_then == "stays",
        lowest=rules.best == "lowest",
    )


def describe_set_turn(**changes: Any) -> dict[str, Any]:
    """Return the data of a turn of kind "sets": neutral values, replaced by ``changes``."""
    return {
        "kind": "sets",
        "dice": [],
        "groups": [],
        "whole": False,
        "specials": [],
        "doubled": [],
        "take": "free",
        "leave": [],
        "most": 0,
        "hot": "free",
        "stop": "free",
        "below": "nothing",
        "once": False,
        "choose": False,
        "opening": 0,
        "minimum": 0,
        "waived": False,
        "costs": [],
        "stays": False,
        "floor": 0,
        "above": 0,
        "lowest": False,
        **changes,
    }


def scoring_groups(rules: PushRules) -> list[list[Any]]:
    """Return the groups of dice that score: face counts and points.

    If scores must be confirmed, every scoring set is listed, with the faces that are rolled over to confirm it.
    """
    if rules.confirms:
        max_size, faces = rules.size(rules.dice), range(len(rules.faces))
        sets = (dice for size in range(1, max_size + 1) for dice in combinations_with_replacement(faces, size))
        face_counts = (tuple(map(dice.count, faces)) for dice in sets)
        scored = [
            (counts, reading.points, rules.confirmed(counts))
            for counts in face_counts
            if (reading := rules.reading(counts))
        ]
        return [[list(counts), points, *([] if over is None else [list(over)])] for counts, points, over in scored]
    return [[list(pattern.dice), pattern.points] for pattern in rules.patterns]


def is_proved_compiled(problem: Problem[Any]) -> TypeGuard[PushTableProblem | PushPointsProblem]:
    """Return whether bounds are proved with the compiled push-your-luck turn.

    Points that are limited from above, or of which the fewest are best, are proved by playing the game instead.
    """
    is_bounded = isinstance(problem, PushPointsProblem) and (problem.rules.above or problem.rules.best == "lowest")
    return isinstance(problem, (PushTableProblem, PushPointsProblem)) and not is_bounded


def describe_truncation(problem: PushTableProblem | PushPointsProblem) -> dict[str, Any]:
    """Return where turns are truncated: for points without a bound, and for last rounds."""
    if isinstance(problem, PushPointsProblem):
        return PushPointsProver(problem).truncation_data()
    equations = equations_to_prove(problem)
    level = {"level": equations.max_total * problem.rules.grain} if isinstance(equations, LastRounds) else {}
    return {**past_target(problem.rules, problem.players), **level}


def past_target(rules: PushRules, players: int) -> dict[str, Any]:
    """Return the points beyond the target up to which forced rolls are followed, if there are forced rolls."""
    repeat_probability = rules.turn.forced_probability
    if rules.turn.forbids_overshoot or not repeat_probability:
        return {}
    rolls = math.ceil(OPEN_VALUE_BITS * math.log(2) / -math.log(repeat_probability))
    max_offer = rules.target if players > 1 and rules.take_over != "none" else 0
    return {"past": rolls * rules.turn.max_added_points * rules.grain + max_offer}
