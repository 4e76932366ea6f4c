"""What a page needs to know of games by the round (Battleship), and of turns for a pot (Going to Boston)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...play.playable_game import changed
from ...play.pot import PotPosition
from ...play.rounds import RoundsPosition
from ...solvers import Problem, ValueTable
from ...solvers.rounds.problem import RoundProblem, turn_start
from ...util.errors import InputError
from .graph import walked

MOST_VALUES = 1 << 23


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for."""
    return {"the margin of three and more players": match.objective == "margin" and match.players > 2}


def parts(match: RoundProblem[Any], solved: ValueTable) -> dict[str, Any]:
    """The turn, the positions between turns and their values."""
    table: Any = match.playable
    start = table.start()

    def mode(position: Any) -> tuple[int, int]:
        return match.rules.situations[match.situation(position)], 0

    graph, roots = walked(table, [start], mode, lambda here, one: ("score", one.points, 0))
    pot = isinstance(start, PotPosition)
    facts = {"most": match.rules.most, "root": roots[start], **(_pot(match) if pot else _rounds(match))}
    arrays = {} if match.objective == "points" else _pot_values(match, solved) if pot else _values(match, solved)
    return {
        "family": "pot" if pot else "rounds",
        "kernel": "push",
        "channels": "seats" if match.players > 1 else "mover",
        "match": facts,
        "graph": graph.as_json(),
        "turn": match.rules.turn,
        "arrays": arrays,
    }


def _table(match: RoundProblem[Any]) -> Any:
    return match.playable


def _worth(match: Problem[Any], solved: ValueTable, positions: Sequence[Any]) -> Any:
    return match.seat_values(solved, positions).values


# --- Battleship


def _rounds(match: RoundProblem[Any]) -> dict[str, Any]:
    table: Any = match.playable
    return {
        "rounds": table.rounds,
        "target": table.target,
        "turns": table.turns,
        "first_to": table.first_to,
        "far": [_far(match, round_, seat) for round_, seat in _places(match)],
    }


def _places(match: RoundProblem[Any]) -> list[tuple[int, int]]:
    return list(product(range(max(1, _table(match).rounds)), range(match.players)))


def _far(match: RoundProblem[Any], round_: int, seat: int) -> int:
    """The largest difference of totals before that seat plays in a round, counted from 0."""
    return match.rules.most * (round_ + (seat > 0))


def _values(match: RoundProblem[Any], solved: ValueTable) -> dict[str, Any]:
    table, players = _table(match), match.players
    if players == 1:
        lefts = range(1, table.turns + 1) if table.turns else (0,)
        totals = range(table.target)
        starts = [RoundsPosition((total,), turns_left=left) for left in lefts for total in totals]
        return {"alone": _worth(match, solved, starts)[:, 0]}
    found: list[Any] = []
    for round_, seat in _places(match):
        lines = list(_lines(match, round_, seat))
        if len(lines) * players > MOST_VALUES:
            raise InputError("a page would hold the values of more positions than a browser should be given")
        starts = [RoundsPosition(line, seat, round_ + (table.rounds > 0)) for line in lines]
        found.append(_worth(match, solved, starts).reshape(-1))
    return {"values": np.concatenate(found), **_showdowns(match, solved)}


def _lines(match: RoundProblem[Any], round_: int, seat: int) -> Iterator[tuple[int, ...]]:
    if _table(match).first_to:
        size = _table(match).target + match.rules.most
        yield from product(range(size), repeat=match.players)
        return
    far = _far(match, round_, seat)
    for ahead in product(range(-far, far + 1), repeat=match.players - 1):
        least = max(0, *(-one for one in ahead))
        yield (least, *(least + one for one in ahead))


def _showdowns(match: RoundProblem[Any], solved: ValueTable) -> dict[str, Any]:
    """Playoffs."""
    if match.objective == "margin":
        return {}

    def at(size: int, played: int, best: int, tied: int) -> RoundsPosition:
        scores = [best] * tied + [0] * (match.players - tied)
        return RoundsPosition(tuple(scores), played, _table(match).rounds, tuple(range(size)))

    return _showdown(match, solved, {score: score for score in match.rules.scores}, at)


def _showdown(
    match: RoundProblem[Any], solved: ValueTable, places: Mapping[int, int], at: Callable[[int, int, int, int], Any]
) -> dict[str, Any]:
    """Showdowns of 2, 3, .. players: by who has played, the best score's place and how many hold it, what those get who
    hold it in order, and then those still to come; ``at`` tells the position.
    """
    players, (first, *_) = match.players, places
    found = np.zeros((players + 1, players, max(places.values()) + 1, players, players))
    for size, played in product(range(2, players + 1), range(players)):
        for best, tied in product(places if played else (first,), range(1 if played else 0, played + 1)):
            if played < size and (tied == played or best != first):
                order = [*range(tied), *range(played, size)]
                worth = _worth(match, solved, [at(size, played, best, tied)])[0]
                found[size, played, places[best], tied, : len(order)] = worth[order]
    return {"showdown": found.reshape(-1)}


# --- a pot


def _pot(match: RoundProblem[Any]) -> dict[str, Any]:
    return {"totals": list(_table(match).totals)}


def _pot_values(match: RoundProblem[Any], solved: ValueTable) -> dict[str, Any]:
    begins = turn_start(_table(match).start())

    def at(size: int, played: int, best: int, tied: int) -> Any:
        told = {"beat": best, "holders": tuple(range(tied))} if tied else {}
        return changed(begins, seat=played, playoff=tuple(range(size)) if size < match.players else (), **told)

    return _showdown(match, solved, {total: place for place, total in enumerate(_table(match).totals)}, at)
