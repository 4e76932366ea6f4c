"""Page data of games by the round (Battleship), and of games of one turn each for a pot (Going to Boston)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...play.playable_game import Choice, replace_fields
from ...play.pot import PotPosition
from ...play.rounds import RoundsPosition
from ...solvers import Problem, ValueTable
from ...solvers.rounds.problem import RoundProblem, turn_start
from ...util.errors import InputError
from .choice_data import ROLL_THE_DICE, EncodedChoice, encode_roll
from .graph import KernelNode, PageTurnEnding, walk_turns

MAX_VALUES = 1 << 23  # floats that a page holds


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page."""
    return {"the objective margin with three or more players": problem.objective == "margin" and problem.players > 2}


def parts(problem: RoundProblem[Any], value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    table: Any = problem.playable
    start = table.start()

    def kernel_node(position: Any) -> KernelNode:
        return KernelNode(problem.rules.situations[problem.situation(position)], 0)

    def ending(position: Any, choice: Choice[Any]) -> PageTurnEnding:
        return PageTurnEnding("score", choice.points, 0)

    is_pot = isinstance(start, PotPosition)

    def next_roll(position: Any) -> EncodedChoice:
        return ROLL_THE_DICE if is_pot else encode_roll("CrewRoll", dice=table.describe_roll(position)[1])

    graph, roots = walk_turns(table, [start], kernel_node, ending, next_roll)
    arrays: dict[str, Any] = {}
    if problem.objective != "points":
        arrays = _pot_arrays(problem, value_table) if is_pot else _round_arrays(problem, value_table)
    turn_values = {} if is_pot or problem.players == 1 else _turn_values(problem, value_table)
    chances = turn_values if problem.objective == "win" else {}
    arrays |= {} if chances else turn_values
    return {
        "family": "pot" if is_pot else "rounds",
        "kernel": "push",
        "channels": "seats" if problem.players > 1 else "mover",
        "match": {
            "most": problem.rules.max_score,
            "root": roots[start],
            **(_pot_data(problem) if is_pot else _round_data(problem)),
        },
        "graph": graph.as_json(),
        "turn": problem.rules.turn,
        "arrays": arrays,
        "chances": chances,
    }


def _table(problem: RoundProblem[Any]) -> Any:
    return problem.playable


def _seat_values(problem: Problem[Any], value_table: ValueTable, positions: Sequence[Any]) -> Any:
    """Return values of positions, with shape (positions, seats)."""
    return problem.seat_values(value_table, positions).values


# --- Battleship


def _round_data(problem: RoundProblem[Any]) -> dict[str, Any]:
    table: Any = problem.playable
    return {
        "rounds": table.rounds,
        "target": table.target,
        "turns": table.turns,
        "first_to": table.first_to,
        "far": [_max_lead(problem, round_number, seat) for round_number, seat in _turns(problem)],
    }


def _turns(problem: RoundProblem[Any]) -> list[tuple[int, int]]:
    """Return the turns of a game, as pairs (round, seat); rounds are counted from 0."""
    return list(product(range(max(1, _table(problem).rounds)), range(problem.players)))


def _max_lead(problem: RoundProblem[Any], round_number: int, seat: int) -> int:
    """Return the largest difference of totals before a seat plays in a round."""
    return problem.rules.max_score * (round_number + (seat > 0))


def _round_arrays(problem: RoundProblem[Any], value_table: ValueTable) -> dict[str, Any]:
    """Return the values of a player alone, by turns left and total, or those in playoffs."""
    table = _table(problem)
    if problem.players > 1:
        return _playoff_arrays(problem, value_table)
    turns_left = range(1, table.turns + 1) if table.turns else (0,)
    starts = [RoundsPosition((total,), turns_left=left) for left in turns_left for total in range(table.target)]
    return {"alone": _seat_values(problem, value_table, starts)[:, 0]}


def _turn_values(problem: RoundProblem[Any], value_table: ValueTable) -> dict[str, Any]:
    """Return the values before each turn of a game of several players, by its number.

    The axes are the totals or their differences, as ``_lines`` lists them, and the seats without the last one, which
    gets what the others leave.
    """
    table = _table(problem)
    turn_values = {}
    for turn_number, (round_number, seat) in enumerate(_turns(problem)):
        lines = list(_lines(problem, round_number, seat))
        if len(lines) * problem.players > MAX_VALUES:
            raise InputError(
                "an adviser page would need the values of too many positions for a browser; use fewer players"
            )
        starts = [RoundsPosition(line, seat, round_number + (table.rounds > 0)) for line in lines]
        values = _seat_values(problem, value_table, starts)[:, :-1]
        axis_count = problem.players if table.first_to else problem.players - 1
        axis_length = round(len(lines) ** (1 / axis_count))
        turn_values[f"values.{turn_number}"] = values.reshape(*(axis_length,) * axis_count, -1)
    return turn_values


def _lines(problem: RoundProblem[Any], round_number: int, seat: int) -> Iterator[tuple[int, ...]]:
    """Yield the totals that are possible before a turn.

    In a game of rounds only differences matter, so each difference is listed once, with the smallest totals.
    """
    if _table(problem).first_to:
        total_count = _table(problem).target + problem.rules.max_score
        yield from product(range(total_count), repeat=problem.players)
        return
    max_lead = _max_lead(problem, round_number, seat)
    for leads in product(range(-max_lead, max_lead + 1), repeat=problem.players - 1):
        first_total = max(0, *(-lead for lead in leads))
        yield (first_total, *(first_total + lead for lead in leads))


def _playoff_arrays(problem: RoundProblem[Any], value_table: ValueTable) -> dict[str, Any]:
    """Return the values in playoffs; with the objective margin there are none."""
    if problem.objective == "margin":
        return {}

    def playoff_position(size: int, seats_played: int, best: int, tied: int) -> RoundsPosition:
        scores = [best] * tied + [0] * (problem.players - tied)
        return RoundsPosition(tuple(scores), seats_played, _table(problem).rounds, tuple(range(size)))

    return tie_arrays(problem, value_table, {score: score for score in problem.rules.scores}, playoff_position)


def tie_arrays(
    problem: Problem[Any],
    value_table: ValueTable,
    score_numbers: Mapping[int, int],
    position: Callable[[int, int, int, int], Any],
    sizes: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Return values in playoffs, or in turns for a pot, of 2, 3, ... players.

    The axes of the array are the number of players in it, how many of them have played, the number of the best score,
    and how many hold it. The last axis lists the values of the holders, then of those who are still to play.

    Args:
        problem: the problem.
        value_table: its value table.
        score_numbers: the number of every score; the first score stands for "nobody has played".
        position: returns the position, given the number of players, of players who have played, the best score, and
            the number of holders.
        sizes: the numbers of players to list; by default all from 2 on.
    """
    players = problem.players
    first_score = next(iter(score_numbers))
    values = np.zeros((players + 1, players, max(score_numbers.values()) + 1, players, players))
    for size, seats_played in product(sizes or range(2, players + 1), range(players)):
        scores = score_numbers if seats_played else (first_score,)
        for best, tied in product(scores, range(1 if seats_played else 0, seats_played + 1)):
            # With the first (lowest) score as the best one, everybody who has played holds it.
            if seats_played < size and (tied == seats_played or best != first_score):
                seats = [*range(tied), *range(seats_played, size)]
                seat_values = _seat_values(problem, value_table, [position(size, seats_played, best, tied)])[0]
                values[size, seats_played, score_numbers[best], tied, : len(seats)] = seat_values[seats]
    return {"showdown": values.reshape(-1)}


# --- a pot


def _pot_data(problem: RoundProblem[Any]) -> dict[str, Any]:
    return {"totals": list(_table(problem).totals)}


def _pot_arrays(problem: RoundProblem[Any], value_table: ValueTable) -> dict[str, Any]:
    """Return values between turns for a pot."""
    begin = turn_start(_table(problem).start())

    def pot_position(size: int, seats_played: int, best: int, tied: int) -> Any:
        total_to_beat = {"beat": best, "holders": tuple(range(tied))} if tied else {}
        playoff = tuple(range(size)) if size < problem.players else ()
        return replace_fields(begin, seat=seats_played, playoff=playoff, **total_to_beat)

    totals = {total: number for number, total in enumerate(_table(problem).totals)}
    return tie_arrays(problem, value_table, totals, pot_position)
