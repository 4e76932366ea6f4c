"""Rules as data, as a certificate says them: nothing in them is a name that only this program knows.

Whoever checks a certificate makes every throw anew from this, so it is written from the rules as they are told
(``PushRules``), not from the turn that is compiled of them. What cannot be said in it cannot be certified.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import InputError
from ..games.pushluck import PushRules
from ..games.unlike import UnlikeRules
from ..matches.push.equations import PushEquations
from ..matches.push.matches import Tabled
from ..matches.push.points import Points
from .cuts import LastRounds
from .points import PointsProver

OPEN = 64  # bits: throws that must be made beyond the target are followed until less of the value is open


def told(match: Tabled | Points) -> dict[str, Any]:
    """What the header says of the turn, of the match, and of where turns are cut.

    Raises:
        InputError: they cannot be said in a certificate.
    """
    rules = match.rules
    check_said(match.game.id, rules, match.players)
    told_of = {"turn": turn(rules, match.objective)}
    if isinstance(match, Points):
        return {**told_of, "match": {"kind": "turn"}, "cut": PointsProver(match).cut()}
    equations, finish = proved(match), rules.finish if match.players > 1 or rules.finish == "exact" else "at_least"
    level = {"level": equations.end * rules.grain} if isinstance(equations, LastRounds) else {}
    race = {"kind": "race", "target": rules.target, "finish": finish}
    return {**told_of, "match": race, "cut": {**cut(rules), **level}}


def proved(match: Tabled) -> PushEquations:
    """The equations whose lines are looked for."""
    if match.players == 1 or match.rules.finish != "last_round":
        return match.equations
    return LastRounds(match.states, max(1, cut(match.rules).get("past", 0) // match.rules.grain))


def check_said(game: str, rules: PushRules, players: int) -> None:
    """Raise InputError where a certificate has no words for the rules of a turn."""
    several = players > 1
    for there, what in (
        (rules.confirms, "sets that must be confirmed"),
        (any(rules.leave), "sets that must be left"),
        (rules.above > 0, "hands that are lost above some points"),
        (rules.tied == "share", "ties that share"),
        (several and rules.take_over != "none", "turns that are taken over"),
        (players > 2 and rules.finish == "last_round", "last rounds of more than two"),
    ):
        if there:
            raise InputError(f"{game}: {what} cannot be said in a certificate")


def turn(rules: PushRules, objective: str) -> dict[str, Any]:
    """The turn: its dice, what scores as groups of dice, and what may be done."""
    return plain_turn(
        dice=[[kind.count, list(kind.weights)] for kind in rules.kinds]
        if isinstance(rules, UnlikeRules)
        else [[rules.dice, list(rules.weights)]],
        groups=groups(rules),
        whole=rules.sets_worth is not None,
        specials=[[list(roll), list(roll), effect, points, 1] for roll, effect, points in rules.specials],
        take=rules.set_aside,
        most=rules.dice,
        hot=rules.hot_dice,
        stop=rules.stop,
        below=rules.below,
        once=rules.once,
        choose=rules.choose,
        opening=rules.opening,
        minimum=rules.minimum,
        waived=not rules.minimum_on_win and objective not in ("points", "rate"),
        costs=list(rules.costs),
        stays=rules.costs_then == "stays",
        floor=rules.floor,
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
        "lowest": False,
        **rules,
    }


def groups(rules: PushRules) -> list[list[Any]]:
    """What scores together: so many alike that are worth more than in parts, patterns; or every set with its points."""
    if rules.sets_worth is not None:
        return [[list(counts), points] for counts, points in rules.sets_worth.items()]
    found: list[list[Any]] = []
    for face, values in enumerate(rules.values):
        for count in range(1, len(values)):
            some = ((values[n], values[count - n]) for n in range(1, count))
            split = max((a + b for a, b in some if a is not None and b is not None), default=None)
            worth = values[count]
            if worth is not None and (split is None or worth > split):
                found.append([[count * (face == one) for one in range(len(rules.faces))], worth])
    return found + [[list(counts), points] for counts, points in rules.patterns]


def cut(rules: PushRules) -> dict[str, Any]:
    """Beyond the target, throws that must be made: so many points that hardly any turn gets there."""
    compiled = rules.turn
    again = compiled.forced_again
    if compiled.forbid or not again:
        return {}
    throws = math.ceil(OPEN * math.log(2) / -math.log(again))
    return {"past": throws * compiled.max_add * rules.grain}
