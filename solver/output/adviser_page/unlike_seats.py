"""Page data of races whose players have rules of their own: a turn, scores and values for each seat.

What a page holds for one seat is what it holds for a race of players who are alike (``push``). The rolls of all seats
are in one graph, those of seat 0 first. With three or more players the page has the chances of all seats but the last.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.dice_catalogue import format_hand
from ...games.dice_keys import HAND_KEY
from ...games.seat_rules import SEAT_KEY, format_rule, hands_of_seats
from ...solvers import Problem, ValueTable
from ...solvers.push.unlike_seats_problem import UnlikeSeatsProblem
from . import push
from .graph import PageTurnGraph, turn_parts
from .hand_chooser import chooser_data
from .hands import can_build_hands, hand_parts


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page.

    Raises:
        InputError: the page would need the values of too many positions.
    """
    assert isinstance(problem, UnlikeSeatsProblem)
    push.check_position_count(problem.players * prod(map(len, problem.states)), problem.players)
    has_last_round = problem.states[0].rules.finish == "last_round"
    unsupported = {"rules by seat with finish=last_round": has_last_round}
    if can_build_hands([seat_problem.rules for seat_problem in problem.seat_problems]):
        return unsupported
    for seat_problem in problem.seat_problems:
        for description, is_unsupported in push.unsupported_rules(seat_problem).items():
            unsupported[description] = unsupported.get(description, False) or is_unsupported
    return unsupported


def parts(problem: UnlikeSeatsProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    has_several_opponents = problem.players > 2
    seat_problems = problem.seat_problems
    seat_rules = [seat_problem.rules for seat_problem in seat_problems]
    builds_hands = can_build_hands(seat_rules)
    if builds_hands:
        graph = PageTurnGraph(())
    else:
        graph = push.push_graphs([seat_problem.playable for seat_problem in seat_problems])
    seats = list[dict[str, Any]]()
    turns = list[dict[str, int]]()
    arrays = dict[str, Any]()
    chances = dict[str, NDArray[np.float64]]()
    first_roll = 0
    for number, seat_problem in enumerate(seat_problems, 1):
        rules = seat_problem.rules
        end_roll = first_roll + len(rules.rolls_with_mode)
        of_seat = {
            "head_start": problem.playable.head_starts[number - 1],
            "rolls": [first_roll, end_roll],
            "faces": list(rules.symbols),
        }
        seats.append(push.problem_data(seat_problem, graph, first_roll) | of_seat)
        first_roll = end_roll
        if not builds_hands:
            numbers, turn_arrays = turn_parts(rules.turn, f"turn{number}")
            turns.append(numbers)
            arrays |= turn_arrays
        arrays[f"caps{number}"] = seat_problem.states.caps.astype(np.int32)
        win = value_table.arrays[f"win{number}"]
        chances[f"win{number}"] = win[..., :-1] if has_several_opponents else win
    if has_several_opponents:
        arrays["mixed"] = push.mixed_rows(value_table)
    return {
        "family": "unlike",
        "kernel": "push",
        "channels": "seats" if has_several_opponents else "mover",
        **(hand_parts(seat_rules) if builds_hands else {"graph": graph.as_json(), "turns": turns}),
        "match": {"seats": seats},
        "seats": _describe_seats(problem),
        "chooser": chooser_data(problem),
        "arrays": arrays,
        "chances": chances,
    }


def _describe_seats(problem: UnlikeSeatsProblem) -> list[str]:
    """Return what each seat plays with: its dice, and the rules that differ."""
    table = problem.game.rules[SEAT_KEY]
    descriptions = []
    for number, hand in enumerate(hands_of_seats(problem.game, problem.players), 1):
        rules = [
            f"{key}={format_rule(key, value)}" for key, value in table.get(str(number), {}).items() if key != HAND_KEY
        ]
        descriptions.append(" · ".join([*([format_hand(hand)] if hand else []), *rules]))
    return descriptions
