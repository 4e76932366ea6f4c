"""House rules: rule options of a two-player race that a page can change, and then solve the race itself.

Which options can be changed is found by trying them, without knowledge of the game. There are two kinds:

* An option that is one of the race rules (target, opening, minimum) leaves the turn as it is.
* An option that is worth points, such as the value of a straight, adds to the points of some choices. The turn has
  another shape if the value is 0, so the page holds both turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ...games.rule_options import Option
from ...play.game_file import format_rules
from ...solvers import make_problem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.push.race_solver import CERTAIN_STOP_LOSS
from ...solvers.reference_solver import ZERO_TURN_TOLERANCE
from ...solvers.rounding_bounds import turn_rounding_bound
from ...storage.table_files import FORMAT
from ...turns.monotone_turn import is_monotone
from ...util.errors import InputError
from .graph import TurnGraph, turn_parts

RACE_RULES = ("target", "opening", "minimum", "minimum_on_win")
MAX_SLIDER_STOPS = 200
MAX_MODES = 16  # of a turn; the page stores sets of modes as bits of a number
MAX_SECONDS = 10  # that solving may take on the page, with one thread
COMPARED_UNITS = (61, 29, 20, 13, 10, 8, 7, 6, 5, 4, 3, 2, 1)  # values of an option, in units of the grain, to try

HouseRules = tuple[dict[str, Any] | None, dict[str, Any]]


def house_rules(problem: PushProblem, graph_of: Callable[[Any], TurnGraph]) -> HouseRules:
    """Return the data and arrays with which a page solves a race under other rules; None if it cannot.

    Args:
        problem: the problem of the page.
        graph_of: returns the turn of a game in words.
    """
    if not _is_solvable_on_page(problem):
        return None, {}
    options, arrays = list(_race_rule_sliders(problem)), dict[str, Any]()
    turns: list[dict[str, Any]] = [{"rounding": _rounding_bound(problem)}]
    point_option = _find_point_option(problem)
    if point_option:
        turns, arrays = _turns_by_points(problem, point_option.option, graph_of)
        max_points = problem.rules.target // 2
        options.append(_slider(point_option.option, "points", point_option.lowest, max_points, problem.rules.grain))
    data = {
        "question": {"format": FORMAT, **problem.playable.problem_key},
        "options": options,
        "turns": turns,
        "settled": ZERO_TURN_TOLERANCE,
        "certain": CERTAIN_STOP_LOSS,
    }
    return data, arrays


def _is_solvable_on_page(problem: PushProblem) -> bool:
    """Return whether the page's program can solve the race."""
    rules = problem.rules
    return (
        isinstance(problem, PushWinProblem)
        and problem.playable.finish == "at_least"
        and is_monotone(rules.turn)
        and not problem.states.has_losses
        and not rules.chooses_dice
        and len(rules.turn.modes) <= MAX_MODES
        and all(line.startswith("rule: ") for line in format_rules(problem.game))
    )


def _turns_by_points(
    problem: PushProblem, option: Option, graph_of: Callable[[Any], TurnGraph]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the two turns of an option that is worth points, and the arrays of the other turn.

    The first turn is that of the page, and the other one has the value 0; if the page has 0 itself, it has points.
    The turn with points states which choices and additions grow with the value of the option.
    """
    grain = problem.rules.grain
    value = problem.game.rules[option.key]
    base_value = value or grain * COMPARED_UNITS[0]
    base, raised = (_varied_race(problem, option, base_value + units * grain) for units in (0, COMPARED_UNITS[0]))
    base_graph, raised_graph = (graph_of(race.playable).as_json() for race in (base, raised))
    choice_pairs = zip(base_graph["choices"], raised_graph["choices"], strict=True)
    base_additions, raised_additions = (race.rules.turn.arrays["add"] for race in (base, raised))
    growing = {
        "at": base_value,
        "choices": [number for number, (choice, other) in enumerate(choice_pairs) if choice != other],
        "adds": np.flatnonzero(base_additions != raised_additions).tolist(),
    }
    other = _varied_race(problem, option, 0) if value else base
    numbers, arrays = turn_parts(other.rules.turn, "other")
    graph = graph_of(other.playable).as_json() if value else base_graph
    own_turn = {"rounding": _rounding_bound(problem)}
    other_turn = {"rounding": _rounding_bound(other), "graph": graph, "turn": numbers}
    return ([own_turn | growing, other_turn] if value else [own_turn, other_turn | growing]), arrays


def _rounding_bound(problem: PushProblem) -> float:
    """Return a rounding bound that holds for every target which a slider allows."""
    return turn_rounding_bound(problem.rules.turn, 2 * problem.states.target)


def _slider(option: Option, rule: str, low: int, high: int, grain: int) -> dict[str, Any]:
    """Return the range and the step of a slider for an option; sliders of points can also be set to 0."""
    step = next(grain * factor for factor in count(1) if high // grain // factor <= MAX_SLIDER_STOPS)
    low, high = -(-low // step) * step, high // step * step
    return {"key": option.key, "what": rule, "usual": option.default, "low": low, "high": high, "step": step}


def _varied_race(problem: PushProblem, option: Option, value: object) -> PushWinProblem:
    """Return the race with another value of an option."""
    varied = make_problem(problem.game.with_rules(**{option.key: value}), "win", 2)
    assert isinstance(varied, PushWinProblem)
    return varied


def _race_rule_sliders(problem: PushProblem) -> Iterator[dict[str, Any]]:
    """Yield sliders for the options that change a race rule and nothing else."""
    rules = problem.rules
    for option in problem.game.options:
        current = problem.game.rules[option.key]
        if not isinstance(current, int):
            continue
        value: Any = not current if isinstance(current, bool) else current + rules.grain
        try:
            varied = _varied_race(problem, option, value)
        except InputError:
            continue
        for rule in RACE_RULES:
            if varied.rules == replace(rules, **{rule: value}) != rules:
                yield _race_rule_slider(problem, option, rule)


def _race_rule_slider(problem: PushProblem, option: Option, rule: str) -> dict[str, Any]:
    """Return the slider of an option that changes a race rule."""
    rules, current = problem.rules, problem.game.rules[option.key]
    if isinstance(current, bool):
        return _slider(option, rule, 0, 1, 1)
    if rule == "target":
        # The time to solve grows with the cube of the target.
        factor = min(2.0, (MAX_SECONDS / problem.estimate_cost(1).seconds) ** (1 / 3))
        return _slider(option, rule, max(option.low, rules.grain), max(current, int(factor * current)), rules.grain)
    return _slider(option, rule, option.low, min(option.high, rules.target // 2), rules.grain)


class _PointOption(NamedTuple):
    """An option that is worth points, and the lowest value from which on it only adds points to choices."""

    option: Option
    lowest: int


def _find_point_option(problem: PushProblem) -> _PointOption | None:
    """Return the first option that is worth points, or None."""
    for option in problem.game.options:
        lowest = _lowest_additive_value(problem, option)
        if lowest:
            return _PointOption(option, lowest)
    return None


def _lowest_additive_value(problem: PushProblem, option: Option) -> int:
    """Return the value from which on an option adds itself to some choices and changes nothing else; 0 if none.

    Below it the choices have another order, because the ones with the most points come first.
    """
    current, grain = problem.game.rules[option.key], problem.rules.grain
    if isinstance(current, bool) or not isinstance(current, int) or option.low:
        return 0
    lowest = 0
    highest_value = COMPARED_UNITS[0] * grain
    highest_arrays: dict[str, Any] | None = None
    for value in (grain * units for units in COMPARED_UNITS):
        try:
            arrays = dict(_varied_race(problem, option, value).rules.turn.arrays)
        except InputError:
            break
        if highest_arrays is None:
            highest_arrays = arrays
            continue
        if not _differ_in_additions(arrays, highest_arrays, (value - highest_value) // grain):
            break
        lowest = value
    return lowest if not current or current >= lowest else 0


def _differ_in_additions(arrays: dict[str, Any], base: dict[str, Any], units: int) -> bool:
    """Return whether some additions of two turns differ by `units`, and nothing else differs."""
    additions, base_additions = arrays["add"], base["add"]
    if additions.shape != base_additions.shape:
        return False
    is_equal = all(np.array_equal(arrays[key], array) for key, array in base.items() if key != "add")
    return is_equal and set((additions - base_additions).tolist()) == {0, units}
