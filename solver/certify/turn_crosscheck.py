"""The compiled turn held against the game as it is played, in whole numbers, before anything is proved of it.

For every mode, at points in hand of all kinds, every throw is made as people make it: what it leads to, and in how many
ways that falls, has to be what the classes of the mode say. What an ending leads to is the equations', not the turn's,
and is found out by who checks the certificate, who knows neither of the two readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from ..games.pushluck import WIN, WIPE, Next
from ..play.push import WIPED, PushPosition
from ..play.table import Choice, Table, changed
from ..solvers.push.problem import PushMatch
from ..turns.push_turn import BUST
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import SolveError

EACH = 3  # points in hand from either end of those that can be, and about those with which a bank begins to count
ENDED = {WIN: "win", BUST: "bust", WIPE: "wipe"}

Lead = tuple[str | int, int]  # a mode, or how the turn ends, and the points in hand
T = TypeVar("T")


def agree(match: PushMatch) -> None:
    """Compare both readings.

    Raises:
        SolveError: they differ.
    """
    for number in sorted({0, len(match.states) // 2, len(match.states) - 1}):
        for throw, position in _throws(match, _begun(match, number), int(match.states.caps[number])):
            if falls(match.playable, position, partial(_led, match)) != _compiled(match, throw, position):
                raise SolveError(f"the turn is compiled otherwise than it is played: {match.playable.id(position)}")


def _begun(match: PushMatch, number: int) -> PushPosition:
    """Where a turn begins in a state of the mover; the others have nothing."""
    score, busts = int(match.states.score[number]) * match.rules.grain, int(match.states.busts[number])
    others = (0,) * (match.players - 1)
    return match.playable.begin(
        (score, *others), 0, match.playable.turns, (busts, *others) if match.rules.costs else ()
    )


def _throws(match: PushMatch, start: PushPosition, cap: int) -> Iterator[tuple[Next, PushPosition]]:
    """Throws of a turn, at points in hand that a turn can come to."""
    rules, counts = match.rules, match.playable.counting_from(start) // match.rules.grain
    held = rules.turn.reachable(cap - 1)
    for throw in rules.throw_modes:
        there = [points for points in range(cap) if held[rules.mode_of(throw)] >> points & 1]
        about = [points for points in there if abs(points - counts) <= 1]
        for points in dict.fromkeys([*there[:EACH], *about, *there[-EACH:]]):
            begins = points == 0 and throw == Next(rules.dice) and not rules.choose
            dice, forced, over = throw
            turn = {"dice": dice, "turn": points * rules.grain, "forced": forced, "over": over, "throwing": not forced}
            yield throw, start if begins else changed(start, **turn)


def falls(table: Table[Any], position: Any, lead: Callable[[Choice[Any]], T]) -> Counter[frozenset[T]]:
    """By what a throw leads to, in how many ways it falls, as it is played; ``lead``: what a choice leads to."""
    found: Counter[frozenset[T]] = Counter()
    for ways, fallen in table.throws(position):
        found[frozenset(map(lead, table.choices(fallen)))] += ways
    return found


def _led(match: PushMatch, choice: Choice[Any]) -> Lead:
    """What a choice leads to, as it is played."""
    after, rules = choice.after, match.rules
    if choice.then == "roll":
        return rules.mode_of(Next(after.dice, after.forced, after.over)), after.turn // rules.grain
    if choice.then == "end":
        return "wipe" if choice.action == WIPED else "bust", 0
    return choice.then, choice.points // rules.grain if choice.then == "bank" else 0


def _compiled(match: PushMatch, throw: Next, position: PushPosition) -> Counter[frozenset[Lead]]:
    """The same by the classes of the mode."""
    rules, points = match.rules, position.turn // match.rules.grain
    room = rules.target // rules.grain - position.score // rules.grain
    found: Counter[frozenset[Lead]] = Counter()
    (mode_throw,) = rules.turn.modes[rules.mode_of(throw)].rolls
    for offered, ways in mode_throw.classes:
        may = [one for one in offered if one.next_mode < 0 or not rules.turn.forbid or one.points_after(points) <= room]
        found[frozenset(lead for one in may or [BUST] for lead in _leads(match, position, one, points))] += ways
    return found


def _leads(match: PushMatch, position: PushPosition, choice: TurnChoice, points: int) -> Iterator[Lead]:
    """What may be done once a choice is made: stop, and throw on."""
    if choice.next_mode < 0:
        yield ENDED[choice], 0
        return
    mode, held = match.rules.turn.modes[choice.next_mode], choice.points_after(points)
    counts = held * match.rules.grain >= match.playable.counting_from(position)
    stops = mode.bank_ending is not None and held >= mode.min_bank
    if stops and (counts or match.rules.below == "nothing" or not mode.rolls):
        yield ("bank", held) if counts else ("stop", 0)
    if mode.rolls:
        yield choice.next_mode, held
