"""What the push-your-luck matches share: reading positions, and advice from one kernel call.

A match supplies the *lane* of a position: what every ending of the current turn is worth. The rest is the turn's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..advice import Advice, Choice, rank
from ..core.push import LANES
from ..errors import InputError
from ..games.pushluck import PushRules
from ..games.pushposition import PushPosition, read_points, show
from ..turns.push import Doubles, PushTurn, TurnValue
from .ladder import Ladder

MOST_TOTAL = 100  # no total of a last round that anybody could reach is so many times the target


@dataclass(frozen=True)
class Lane:
    """One turn's endings: worth of stopping with t units in hand, of a bust, of winning at once and of losing the whole
    score, and the cap (see PushTurn.solve).
    """

    banks: Doubles
    cap: int
    bust: float
    win: float
    wipe: float


def read_score(ladder: Ladder, score: object, whose: str) -> int:
    """Return a score below the target that a player can hold."""
    rules = ladder.rules
    points = read_points(rules, score, whose)
    units = points // rules.grain
    if units >= ladder.target:
        raise InputError(f"{whose} {points} is not below the target of {rules.target}: the game would be over")
    if units not in ladder.scores:
        if points < ladder.least(0) * rules.grain:
            raise InputError(
                f"{whose} {points} cannot be: the first bank is at least {ladder.least(0) * rules.grain} points,"
                " so a score is 0 or at least that"
            )
        raise InputError(
            f"{whose} {points} cannot be: no banks of at least {ladder.least(1) * rules.grain} add up to it"
        )
    return points


def within_target(ladder: Ladder, position: PushPosition) -> PushPosition:
    """Refuse points in hand that an exact finish would not let anybody hold; return the position."""
    rules = ladder.rules
    if ladder.exact and position.score + position.turn > rules.target:
        raise InputError(
            f"turn {position.turn} cannot be: from {position.score} at most {rules.target - position.score} points"
            " may be held, since a set that would pass the target may not be taken"
        )
    return position


def read_total(ladder: Ladder, total: object, whose: str) -> int:
    """Return a score below the target, or a total that has reached it and leaves the others one last turn."""
    rules = ladder.rules
    points = read_points(rules, total, whose)
    if points > MOST_TOTAL * rules.target:
        raise InputError(f"{whose} {points} is further past {rules.target} than any turn leads")
    return points if points // rules.grain >= ladder.target else read_score(ladder, points, whose)


def solve_lane(rules: PushRules, lane: Lane) -> tuple[TurnValue, Doubles]:
    """Solve one lane (the first of a block of copies) with its inner table; returns it with the payoff."""
    return _solve(rules.turn, (lane.bust, lane.win, lane.wipe), lane.banks.tobytes(), lane.cap)


@lru_cache(maxsize=2)
def _solve(turn: PushTurn, specials: tuple[float, ...], banks: bytes, cap: int) -> tuple[TurnValue, Doubles]:
    """The same turn is often asked about more than once in a row: whole policies are listed turn by turn."""
    endings = np.concatenate((specials, np.frombuffer(banks)))
    payoff = np.repeat(endings[None, :, None], LANES, axis=2)
    return turn.solve(payoff, np.full(LANES, cap, dtype=np.int32), inner=True), payoff


def position_value(rules: PushRules, lane: Lane, position: PushPosition) -> float:
    """Value of a position inside a turn: the best of what is legal there."""
    return max(choice.value for choice in legal_choices(rules, lane, position, lambda points: True))


def advise_lane(
    rules: PushRules,
    lane: Lane,
    position: PushPosition,
    objective: str,
    counts: Callable[[int], bool],
    bound: float,
    sign: int = 1,
) -> Advice:
    """Rank every legal choice.

    ``counts(points)`` says whether stopping with so many points scores them; ``sign`` is -1 where the lane holds
    minus the value that people see.
    """
    legal = [replace(choice, value=sign * choice.value) for choice in legal_choices(rules, lane, position, counts)]
    note = "Nothing in this roll may be set aside." if legal[0].action.startswith("bust") else ""
    return Advice(objective, rank(legal, bound, sign), note)


def legal_choices(rules: PushRules, lane: Lane, position: PushPosition, counts: Callable[[int], bool]) -> list[Choice]:
    """List the choices with their values in the documented order among equals: stop before roll, then more points,
    then fewer dice set aside.
    """
    solved, payoff = solve_lane(rules, lane)
    if position.roll is None:
        return _in_mode(rules, lane, solved, payoff, position.mode(rules), position.turn, (), counts)
    if special := rules.special(position.roll):
        effect, points = special
        if effect != "again":
            words, then, value = {
                "win": ("this throw wins the game at once", "win", lane.win),
                "bust": ("this throw ends the turn without points", "end", lane.bust),
                "wipe": ("this throw loses the whole score", "end", lane.wipe),
            }[effect]
            return [Choice(words, (), 0, 0, then, value)]
        dice, held = show(rules, position.roll), position.turn + points
        return _in_mode(rules, lane, solved, payoff, rules.forced, held, dice, counts)
    fits = lane.cap - 1 if rules.turn.forbid else math.inf
    choices = []
    for taken in rules.sets(position.roll):
        held = position.turn + rules.worth(taken)
        if held // rules.grain <= fits:
            mode = rules.after(position.dice, taken)
            choices += _in_mode(rules, lane, solved, payoff, mode, held, show(rules, taken), counts)
    if not choices:
        return [Choice("bust: the turn ends without points", (), 0, 0, "end", lane.bust)]
    return sorted(choices, key=lambda choice: choice.then == "roll")


def _in_mode(
    rules: PushRules,
    lane: Lane,
    solved: TurnValue,
    payoff: Doubles,
    mode: int,
    points: int,
    keep: tuple[str, ...],
    counts: Callable[[int], bool],
) -> list[Choice]:
    """Stop or throw, with ``points`` in hand once ``keep`` is set aside."""
    here = rules.turn.modes[mode]
    kept = f"keep {' '.join(keep)}, " if keep else ""
    units = points // rules.grain
    choices = []
    if here.bank is not None and points:
        value = float(lane.banks[min(units, len(lane.banks) - 1)])
        if counts(points):
            choices.append(Choice(f"{kept}bank {points:,}", keep, points, 0, "bank", value))
        else:
            choices.append(Choice(f"{kept}stop and score nothing", keep, points, 0, "stop", value))
    for throw in here.throws:
        dice = min(mode + 1, rules.dice)
        value, bust = rules.turn.throw_value(solved, payoff, throw, units, lane.cap)
        fresh = "fresh " if points and dice == rules.dice > 1 else ""
        noun = "die" if dice == 1 else "dice"
        choices.append(Choice(f"{kept}roll {dice} {fresh}{noun}", keep, points, dice, "roll", value, bust))
    return choices
