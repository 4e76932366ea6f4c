"""House rules that a page solves itself: the options of a two-player race that may be moved, and what each one moves.

No game is known here: options are tried. One that is a number of the ladder (target, opening, minimum) leaves the turn
as it is. One that is worth points (a straight) adds its value to some choices and leaves the turn's shape; where it is
0 the turn is another, and the page carries both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from ...games.rule_options import Option
from ...play.game_file import spell_rules
from ...solvers import make_problem as match_of
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.push.race_solver import CERTAIN_STOP_LOSS
from ...solvers.reference_solver import ZERO_TURN_TOLERANCE
from ...solvers.rounding_bounds import turn_rounding_bound
from ...storage.table_files import FORMAT
from ...turns.monotone_turn import is_monotone
from ...util.errors import InputError
from .graph import TurnGraph, turn_parts

LADDER = ("target", "opening", "minimum", "minimum_on_win")
STOPS = 200  # of a slider, at most
MOST_BITS = 16  # modes of a turn, as bits of a number on the page
MOST_SECONDS = 10  # that solving may take here, with one thread
TRIED = (61, 29, 20, 13, 10, 8, 7, 6, 5, 4, 3, 2, 1)  # units of points at which turns are held against each other


def house_rules(
    match: PushProblem, graph_of: Callable[[Any], TurnGraph]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """What a page needs to solve the race under other rules, and its arrays; nothing where it cannot."""
    game, grain = match.game, match.rules.grain
    spelled = all(line.startswith("rule: ") for line in spell_rules(game))
    plain = isinstance(match, PushWinProblem) and match.playable.finish == "at_least" and is_monotone(match.rules.turn)
    if (
        not plain
        or match.states.has_losses
        or match.rules.choose
        or len(match.rules.turn.modes) > MOST_BITS
        or not spelled
    ):
        return None, {}
    options, arrays = list(_ladder(match)), dict[str, Any]()
    turns: list[dict[str, Any]] = [{"rounding": _rounding(match)}]
    for points, least in ((option, _scores_from(match, option)) for option in game.options):
        if not least:
            continue
        value = game.rules[points.key]
        at = value or grain * TRIED[0]
        scored, more = (_other(match, points, at + steps * grain) for steps in (0, TRIED[0]))
        graphs = [graph_of(one.playable).as_json() for one in (scored, more)]
        rows = [one["choices"] for one in graphs]
        adds = [one.rules.turn.arrays["add"] for one in (scored, more)]
        marked = {
            "at": at,
            "choices": [number for number, (a, b) in enumerate(zip(*rows, strict=True)) if a != b],
            "adds": np.flatnonzero(adds[0] != adds[1]).tolist(),
        }
        other = _other(match, points, 0) if value else scored
        facts, arrays = turn_parts(other.rules.turn, "other")
        graph = graph_of(other.playable).as_json() if value else graphs[0]
        carried = {"rounding": _rounding(other), "graph": graph, "turn": facts}
        turns = [turns[0] | marked, carried] if value else [turns[0], carried | marked]
        options.append(_slider(points, "points", least, match.rules.target // 2, grain))
        break
    question = {"format": FORMAT, **match.playable.question}
    return {
        "question": question,
        "options": options,
        "turns": turns,
        "settled": ZERO_TURN_TOLERANCE,
        "certain": CERTAIN_STOP_LOSS,
    }, arrays


def _rounding(match: PushProblem) -> float:
    """A bound for a table of any length that a slider leads to."""
    return turn_rounding_bound(match.rules.turn, 2 * match.states.target)


def _slider(option: Option, what: str, low: int, high: int, grain: int) -> dict[str, Any]:
    """How far an option may be moved, in which steps; points may be 0 too."""
    step = next(grain * few for few in count(1) if high // grain // few <= STOPS)
    low, high = -(-low // step) * step, high // step * step
    return {"key": option.key, "what": what, "usual": option.default, "low": low, "high": high, "step": step}


def _other(match: PushProblem, option: Option, value: object) -> PushWinProblem:
    """The same race under another rule."""
    other = match_of(match.game.with_rules(**{option.key: value}), "win", 2)
    assert isinstance(other, PushWinProblem)
    return other


def _ladder(match: PushProblem) -> Iterator[dict[str, Any]]:
    """The options that are a number of the ladder, or whether a minimum holds there."""
    rules = match.rules
    for option in match.game.options:
        own = match.game.rules[option.key]
        if not isinstance(own, int):
            continue
        value: Any = not own if isinstance(own, bool) else own + rules.grain
        try:
            other = _other(match, option, value)
        except InputError:
            continue
        for what in LADDER:
            if other.rules == replace(rules, **{what: value}) != rules:
                if isinstance(own, bool):
                    yield _slider(option, what, 0, 1, 1)
                elif what == "target":
                    share = min(
                        2.0, (MOST_SECONDS / match.estimate_cost(1).seconds) ** (1 / 3)
                    )  # it grows with the cube
                    yield _slider(option, what, max(option.low, rules.grain), max(own, int(share * own)), rules.grain)
                else:
                    yield _slider(option, what, option.low, min(option.high, rules.target // 2), rules.grain)


def _scores_from(match: PushProblem, option: Option) -> int:
    """From which value on an option adds itself to some choices and changes nothing else of the turn; 0 if it does not.

    Below, choices stand in another order: the dearest comes first.
    """
    own, grain = match.game.rules[option.key], match.rules.grain
    if isinstance(own, bool) or not isinstance(own, int) or option.low:
        return 0
    first, least = None, 0
    for value in (grain * units for units in TRIED):
        try:
            arrays = dict(_other(match, option, value).rules.turn.arrays)
        except InputError:
            break
        add = arrays.pop("add")
        if first is None:
            first = value, arrays, add
            continue
        more = set((add - first[2]).tolist()) if add.shape == first[2].shape else set()
        same = all(np.array_equal(arrays[key], array) for key, array in first[1].items())
        if not same or more != {0, (value - first[0]) // grain}:
            break
        least = value
    return least if not own or own >= least else 0
