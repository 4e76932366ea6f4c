"""How often turns come to what, where given decisions are followed: the pass of a turn the other way round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .push import BUST, Caps, Choice, Decisions, Doubles, PushTurn

LEFT = 2.0**-60  # a chance that is not followed any more
CLASSES = 16  # looked at together


class Walk(NamedTuple):
    """``visits`` (modes, rows, lanes): the chance to come to a decision with so many points in hand; ``ends`` (endings,
    lanes): of each ending, in the order of the turn's payoff.
    """

    visits: Doubles
    ends: Doubles


def walked(turn: PushTurn, follow: Decisions, caps: Caps, endings: int) -> Walk:
    """Walk turns by decisions as ``TurnValue`` has them, of each lane or of one for all. Points past a lane's cap count
    as the cap, with which whoever may stop does.
    """
    rows, lanes, last = turn.rows(int(caps.max())), len(caps), len(follow) - 1
    visits, ends, under_way = (
        np.zeros(shape) for shape in ((len(turn.modes), rows, lanes), (endings, lanes), (len(turn.modes), rows, lanes))
    )
    every, flat = np.arange(lanes), under_way.reshape(-1, lanes)
    under_way[turn.start, 0] = 1.0

    def enter(choice: Choice, unit: int, goes: Doubles) -> None:
        held = choice.held(unit)
        if choice.next < 0:
            ends[-1 - choice.next] += goes
        elif turn.forbid or held <= least:
            under_way[choice.next, held] += goes
        else:
            under_way[choice.next, np.minimum(held, caps), every] += goes

    def throw(number: int, made: int, unit: int, goes: Doubles) -> None:
        always, classes, whole = throws[number, made]
        share, alike = goes / whole, dict(always)
        for place, offered, weight in classes:
            chosen = follow[min(unit, last), place]
            low, high = int(chosen.min()), int(chosen.max())
            if low == high:
                choice = offered[low] if low >= 0 else BUST
                alike[choice] = alike.get(choice, 0) + weight
                continue
            for one in range(low, high + 1):
                here = chosen == one
                if here.any():
                    enter(offered[one] if one >= 0 else BUST, unit, np.where(here, weight * share, 0.0))
        places, ways = list[int](), list[float]()
        for choice, weight in alike.items():
            if choice.next >= 0 and choice.keeps and 0 <= (held := unit + choice.add) <= top:
                places.append(choice.next * rows + held)  # each another one: they are added to together
                ways.append(weight)
            else:
                enter(choice, unit, weight * share)
        flat[places] += np.array(ways, dtype=float)[:, None] * share

    def decide(number: int, unit: int, goes: Doubles) -> None:
        mode, decided = turn.modes[number], follow[min(unit, last), number]
        visits[number, unit] += goes
        if mode.bank is not None:
            stops: NDArray[np.bool_] = (decided == 0) | (unit >= caps)
            ends[turn.specials + mode.bank + unit] += np.where(stops, goes, 0.0)
            goes = np.where(stops, 0.0, goes)
        for made in range(len(mode.throws)):
            some = goes if len(mode.throws) == 1 else np.where(np.maximum(decided, 1) == made + 1, goes, 0.0)
            if some.any():
                throw(number, made, unit, some)

    least, throws = int(caps.min()), _throws(turn, follow)
    top = rows - 1 if turn.forbid else least
    for group in map(np.array, reversed(turn.groups)):
        for unit in range(rows):
            while (some := under_way[group, unit].max(axis=1) > LEFT).any():
                for number in group[some].tolist():  # beyond the cap they lead to each other again
                    goes = under_way[number, unit].copy()
                    under_way[number, unit] = 0.0
                    decide(number, unit, goes)
    return Walk(visits, ends)


Classes = list[tuple[int, tuple[Choice, ...], int]]


def _throws(turn: PushTurn, follow: Decisions) -> dict[tuple[int, int], tuple[dict[Choice, int], Classes, int]]:
    """Of each throw of a mode the choices that are always made, with their weights; its other classes, with their place
    among the decisions; and all weights.
    """
    offers = [offered for mode in turn.modes for throw in mode.throws for offered, _ in throw.classes]
    some = np.flatnonzero([len(offered) > 1 or turn.forbid for offered in offers])
    low, high = np.zeros(len(offers), dtype=np.int64), np.zeros(len(offers), dtype=np.int64)
    for first in range(0, len(some), CLASSES):  # so many that what is looked at stays in the processor
        part = follow[:, len(turn.modes) + some[first : first + CLASSES]]
        low[some[first : first + CLASSES]] = part.min(axis=(0, 2))
        high[some[first : first + CLASSES]] = part.max(axis=(0, 2))
    found: dict[tuple[int, int], tuple[dict[Choice, int], Classes, int]] = {}
    place = 0
    for number, mode in enumerate(turn.modes):
        for made, throw in enumerate(mode.throws):
            always, others = dict[Choice, int](), Classes()
            for offered, weight in throw.classes:
                if low[place] == high[place] and not (turn.forbid and low[place] < 0):
                    always[offered[low[place]]] = always.get(offered[low[place]], 0) + weight
                else:
                    others.append((len(turn.modes) + place, offered, weight))
                place += 1
            found[number, made] = always, others, sum(weight for _, weight in throw.classes)
    return found
