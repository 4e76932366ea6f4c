"""Rules as data, as a certificate says them: nothing in them is a name that only this program knows.

Whoever checks a certificate makes every throw anew from this, so it is written from the rules as they are told
(``PushRules``), not from the turn that is compiled of them. What cannot be said in it cannot be certified.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any, TypeGuard

from ..games.pushluck import PushRules
from ..solvers import Problem
from ..solvers.push.model import PushEquations
from ..solvers.push.points import Points
from ..solvers.push.race_problems import Tabled
from ..util.errors import InputError
from .points_prover import PointsProver
from .truncation import LastRounds

OPEN = 64  # bits: throws that must be made beyond the target are followed until less of the value is open


def proved(match: Tabled) -> PushEquations:
    """The equations whose lines are looked for."""
    if match.players == 1 or match.rules.finish != "last_round":
        return match.equations
    return LastRounds(match.states, max(1, beyond(match.rules, 2).get("past", 0) // match.rules.grain))


def check_said(game: str, rules: PushRules, players: int) -> None:
    """Raise InputError where a certificate has no words for the rules of a turn."""
    last = players > 1 and rules.finish == "last_round"
    endless = rules.hot_dice != "none" or rules.does("roll", "again", "same")
    for there, what in (
        (last and rules.take_over != "none", "last rounds in which turns are taken over"),
        (last and players > 2 and endless and not rules.once, "last rounds of three and more whose turns have no end"),
    ):
        if there:
            raise InputError(f"{game}: {what} cannot be said in a certificate yet")


def turn(rules: PushRules, objective: str) -> dict[str, Any]:
    """The turn: its dice, what scores as groups of dice, and what may be done."""
    same = "stop", "below", "once", "choose", "opening", "minimum", "floor", "above"
    return plain_turn(
        **{key: getattr(rules, key) for key in same},
        dice=[[kind.count, list(kind.weights)] for kind in rules.every_kind],
        groups=groups(rules),
        whole=rules.whole or rules.confirms,
        specials=[[[*one.throw], [*one.throw], one.effect, one.points, 1] for one in rules.specials],
        take=rules.set_aside,
        leave=[face for face, may in enumerate(rules.leave) if may],
        most=rules.dice,
        hot=rules.hot_dice,
        waived=not rules.minimum_on_win and objective not in ("points", "rate"),
        costs=list(rules.costs),
        stays=rules.costs_then == "stays",
        lowest=rules.best == "lowest",
    )


def plain_turn(**rules: Any) -> dict[str, Any]:
    """A turn of sets with these rules, and nothing special in all else."""
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
        **rules,
    }


def groups(rules: PushRules) -> list[list[Any]]:
    """What scores together: so many alike that are worth more than in parts, patterns; or every set with its points,
    and where it must be confirmed what is thrown over then.
    """
    if rules.confirms:
        most, faces = rules.size(rules.dice), range(len(rules.faces))
        shown = (some for size in range(1, most + 1) for some in combinations_with_replacement(faces, size))
        sets = (tuple(map(some.count, faces)) for some in shown)
        scored = ((counts, one.points, rules.confirmed(counts)) for counts in sets if (one := rules.reading(counts)))
        return [[list(counts), points, *([] if over is None else [list(over)])] for counts, points, over in scored]
    return [[list(pattern.dice), pattern.points] for pattern in rules.patterns]


def compiled(match: Problem[Any]) -> TypeGuard[Tabled | Points]:
    """Whether lines are found by the compiled turn: not of points that are bounded, or of which fewest are best."""
    bounded = isinstance(match, Points) and (match.rules.above or match.rules.best == "lowest")
    return isinstance(match, (Tabled, Points)) and not bounded


def cut(match: Tabled | Points) -> dict[str, Any]:
    """Where turns are cut, for points that nothing bounds, and for last rounds."""
    if isinstance(match, Points):
        return PointsProver(match).cut()
    equations = proved(match)
    level = {"level": equations.end * match.rules.grain} if isinstance(equations, LastRounds) else {}
    return {**beyond(match.rules, match.players), **level}


def beyond(rules: PushRules, players: int) -> dict[str, Any]:
    """Beyond the target, throws that must be made: so many points that hardly any turn gets there."""
    again = rules.turn.forced_again
    if rules.turn.forbid or not again:
        return {}
    throws = math.ceil(OPEN * math.log(2) / -math.log(again))
    offered = rules.target if players > 1 and rules.take_over != "none" else 0
    return {"past": throws * rules.turn.max_add * rules.grain + offered}
