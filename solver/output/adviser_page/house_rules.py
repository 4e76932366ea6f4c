"""House rules: rule options of a two-player race that a page can change, and then solve the race itself.

Which options can be changed is found by trying them, without knowledge of the game; ``house_options`` lists them. There
are three kinds:

* An option that is one of the race rules (target, opening, minimum) leaves the turn as it is.
* An option that is worth points, such as the value of a straight, adds to the points of some choices. The turn has
  another shape if the value is 0, so the page holds both turns.
* An option with named values, such as what four alike score, leads to another turn. The page holds the turn of each
  combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count, product
from typing import Any, NamedTuple

import numpy as np

from ...games.push_rules import NextRoll
from ...games.rule_options import Option
from ...play.game_file import format_rules
from ...solvers import make_problem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.push.race_solver import CERTAIN_STOP_LOSS
from ...solvers.reference_solver import ZERO_TURN_TOLERANCE
from ...solvers.rounding_bounds import turn_rounding_bound
from ...solvers.solve_costs import SolveCost, announce_cost
from ...storage.table_files import FORMAT
from ...turns.monotone_turn import is_monotone
from ...util import progress_reporting
from ...util.errors import InputError
from .graph import PageTurnGraph, field_rows, turn_parts
from .house_options import HouseOptions, house_options

RACE_RULES = ("target", "opening", "minimum", "minimum_on_win")  # of PushRules
MAX_SLIDER_STOPS = 200
MAX_CHOICES_IN_ALL = 16_000  # of all turns that a page holds; a turn of Farkle has 777, takes half a second and 3 kB
SECONDS_BY_CHOICE = 8e-4  # of writing a turn in words
GRAPHS_BY_VARIANT = (
    3  # turns in words of a race with an option that is worth points: without, and with two values of it
)
MAX_MODES = 16  # of a turn; the page stores sets of modes as bits of a number
MAX_SECONDS = 10  # that solving may take on the page, with one thread
COMPARED_UNITS = (61, 29, 20, 13, 10, 8, 7, 6, 5, 4, 3, 2, 1)  # values of an option, in units of the grain, to try

HouseRules = tuple[dict[str, Any] | None, dict[str, Any]]


def house_rules(problem: PushProblem, graph_of: Callable[[Any], PageTurnGraph]) -> HouseRules:
    """Return the data and arrays with which a page solves a race under other rules; None if it cannot.

    Args:
        problem: the problem of the page.
        graph_of: returns the turn of a game in words.
    """
    if house_refusal(problem):
        return None, {}
    house = house_options(problem.game)
    options, arrays = list(_race_rule_sliders(problem, house)), dict[str, Any]()
    point_option = _find_point_option(problem, house)
    choices = _turn_choices(problem, house, point_option)
    turns: list[dict[str, Any]] = []
    combinations = list(product(*choices.values()))
    graph_count = len(combinations) * (GRAPHS_BY_VARIANT if point_option else 1) - 1
    task = "writing the turns for the other rules that the page offers"
    announce_cost(task, SolveCost(bytes=0.0, seconds=graph_count * problem.rules.turn.choice_count * SECONDS_BY_CHOICE))
    graph_json = cache(lambda playable: graph_of(playable).as_json())
    with progress_reporting.start_progress(task) as progress:
        for values in progress_reporting.report_each(combinations, progress):
            changes = dict(zip((option.key for option in choices), values, strict=True))
            is_own = all(house.values[key] == value for key, value in changes.items())
            variant = problem if is_own else _varied_race(house, changes)
            for turn, race in _turns_of_variant(variant, house, changes, point_option, graph_json):
                turn["when"] = changes
                if race.game.rules != problem.game.rules:
                    turn["from"] = f"other{len(turns)}"
                    turn["graph"] = graph_json(race.playable)
                    turn["fresh"] = race.rules.rolls_with_mode.index(NextRoll(race.rules.dice))
                    turn["fields"] = field_rows(race.playable)
                    turn["turn"], turn_arrays = turn_parts(race.rules.turn, turn["from"])
                    arrays |= turn_arrays
                turns.append(turn)
    if point_option:
        max_points = problem.rules.target // 2
        options.append(_slider(point_option.option, "points", point_option.lowest, max_points, problem.rules.grain))
    options += [
        {"key": option.key, "what": "choice", "usual": option.default, "choices": values}
        for option, values in choices.items()
    ]
    reasons = {option.key: option.reason for option in house.options}
    for option in options:
        key = option["key"]
        option |= {"own": house.values[key], "reason": reasons[key], **house.page_keys(key)}
    data = {
        "question": {"format": FORMAT, **problem.playable.problem_key},
        "patterns": list(house.patterns),
        "options": options,
        "turns": turns,
        "settled": ZERO_TURN_TOLERANCE,
        "certain": CERTAIN_STOP_LOSS,
    }
    return data, arrays


def house_refusal(problem: PushProblem) -> str | None:
    """Return why a page cannot solve a race under house rules, a key of the page's ``refusals.ts``; None if it can."""
    rules = problem.rules
    if not isinstance(problem, PushWinProblem):
        return "houseRaces"
    if problem.playable.finish != "at_least":
        return "houseFinish"
    if problem.states.has_losses:
        return "houseLosses"
    can_change = "name" in problem.game.rules or all(line.startswith("rule: ") for line in format_rules(problem.game))
    if not is_monotone(rules.turn) or rules.chooses_dice or len(rules.turn.modes) > MAX_MODES or not can_change:
        return "houseTurn"
    return None


def _turn_choices(
    problem: PushProblem, house: HouseOptions, point_option: _PointOption | None
) -> dict[Option, list[str | int]]:
    """Return the options that choose among turns, each with the values that a page can solve.

    There are as many turns as combinations. If they are too many, options are left out from the last one on.
    """
    values_by_option: dict[Option, list[str | int]] = {}
    turn_count = 2 if point_option else 1
    for option in sorted(house.options, key=lambda option: len(option.choices)):
        values = [value for value in option.choices if _has_solvable_turn(problem, house, option, value, point_option)]
        if len(values) > 1 and turn_count * len(values) * problem.rules.turn.choice_count <= MAX_CHOICES_IN_ALL:
            values_by_option[option] = values
            turn_count *= len(values)
    return values_by_option


def _has_solvable_turn(
    problem: PushProblem, house: HouseOptions, option: Option, value: object, point_option: _PointOption | None
) -> bool:
    """Return whether a page can solve the race with this value, also beside the option that is worth points."""
    changes = {option.key: value}
    try:
        race = _varied_race(house, changes)
    except InputError:
        return False
    own, rules = problem.rules, race.rules
    is_other_race = (rules.grain, rules.can_end_with_nothing) != (own.grain, own.can_end_with_nothing)
    if is_other_race or house_refusal(race):
        return False
    if not point_option:
        return True
    return _is_additive(problem, house, point_option.option, point_option.lowest, changes)


def _turns_of_variant(
    problem: PushProblem,
    house: HouseOptions,
    changes: Mapping[str, object],
    point_option: _PointOption | None,
    graph_json: Callable[[Any], dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], PushProblem]]:
    """Yield the turns of a race, each with a race that has it: one, or without and with the points of an option.

    The turn with points states which choices and additions grow with the value of the option.

    Args:
        problem: the race.
        house: the options of the page.
        changes: the values of options by which the race differs from that of the page.
        point_option: the option that is worth points, if there is one.
        graph_json: returns the turn of a game in words, as the page reads it.
    """
    if not point_option:
        yield {"rounding": _rounding_bound(problem)}, problem
        return
    key, grain = point_option.option.key, problem.rules.grain
    value = int(house.values[key])
    base_value = value or grain * COMPARED_UNITS[0]
    base, raised = (
        _varied_race(house, {**changes, key: base_value + units * grain}) for units in (0, COMPARED_UNITS[0])
    )
    base_graph, raised_graph = (graph_json(race.playable) for race in (base, raised))
    choice_pairs = zip(base_graph["choices"], raised_graph["choices"], strict=True)
    base_additions, raised_additions = (race.rules.turn.arrays["add"] for race in (base, raised))
    growing = {
        "at": base_value,
        "choices": [number for number, (choice, variant_choice) in enumerate(choice_pairs) if choice != variant_choice],
        "adds": np.flatnonzero(base_additions != raised_additions).tolist(),
    }
    without = problem if not value else _varied_race(house, {**changes, key: 0})
    yield {"rounding": _rounding_bound(without)}, without
    yield {"rounding": _rounding_bound(base), **growing}, problem if value else base


def _rounding_bound(problem: PushProblem) -> float:
    """Return a rounding bound that holds for every target which a slider allows."""
    return turn_rounding_bound(problem.rules.turn, 2 * problem.states.target)


def _slider(option: Option, rule: str, low: int, high: int, grain: int) -> dict[str, Any]:
    """Return the range and the step of a slider for an option; sliders of points can also be set to 0."""
    step = next(grain * factor for factor in count(1) if high // grain // factor <= MAX_SLIDER_STOPS)
    low, high = -(-low // step) * step, high // step * step
    return {"key": option.key, "what": rule, "usual": option.default, "low": low, "high": high, "step": step}


def _varied_race(house: HouseOptions, changes: Mapping[str, object]) -> PushWinProblem:
    """Return the race of the page with other values of options."""
    varied = make_problem(house.change(changes), "win", 2)
    assert isinstance(varied, PushWinProblem)
    return varied


def _race_rule_sliders(problem: PushProblem, house: HouseOptions) -> Iterator[dict[str, Any]]:
    """Yield sliders for the options that change a race rule and nothing else."""
    rules = problem.rules
    for option in house.options:
        current = house.values[option.key]
        if not isinstance(current, int):
            continue
        value: Any = not current if isinstance(current, bool) else current + rules.grain
        try:
            varied = _varied_race(house, {option.key: value})
        except InputError:
            continue
        for rule in RACE_RULES:
            if varied.rules == replace(rules, **{rule: value}) != rules:
                yield _race_rule_slider(problem, option, current, rule)


def _race_rule_slider(problem: PushProblem, option: Option, current: int, rule: str) -> dict[str, Any]:
    """Return the slider of an option that changes a race rule, from its value under the rules of the page."""
    rules = problem.rules
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


def _find_point_option(problem: PushProblem, house: HouseOptions) -> _PointOption | None:
    """Return the first option that is worth points, or None."""
    for option in house.options:
        lowest = _lowest_additive_value(problem, house, option)
        if lowest:
            return _PointOption(option, lowest)
    return None


def _lowest_additive_value(problem: PushProblem, house: HouseOptions, option: Option) -> int:
    """Return the value from which on an option adds itself to some choices and changes nothing else; 0 if none.

    Below it the choices have another order, because the ones with the most points come first.
    """
    current, grain = house.values[option.key], problem.rules.grain
    if isinstance(current, bool) or not isinstance(current, int) or option.low or option.choices:
        return 0
    lowest = 0
    for value in (grain * units for units in COMPARED_UNITS):
        if not _is_additive(problem, house, option, value, {}):
            break
        lowest = value
    return lowest if not current or current >= lowest else 0


def _is_additive(
    problem: PushProblem, house: HouseOptions, option: Option, value: int, changes: Mapping[str, object]
) -> bool:
    """Return whether an option adds itself to some choices and changes nothing else, from a value on.

    Points of choices are maxima of linear functions of the value, so a comparison with a high value suffices.

    Args:
        problem: the race of the page.
        house: the options of the page.
        option: an option that is worth points.
        value: its value.
        changes: values of other options that hold meanwhile.
    """
    grain = problem.rules.grain
    highest = (COMPARED_UNITS[0] + 1) * grain
    try:
        low, high = (_varied_race(house, {**changes, option.key: points}).rules for points in (value, highest))
    except InputError:
        return False
    if low.grain != grain or high.grain != grain:
        return False
    return _differ_in_additions(dict(low.turn.arrays), dict(high.turn.arrays), (value - highest) // grain)


def _differ_in_additions(arrays: dict[str, Any], base: dict[str, Any], units: int) -> bool:
    """Return whether some additions of two turns differ by `units`, and nothing else differs."""
    additions, base_additions = arrays["add"], base["add"]
    if additions.shape != base_additions.shape:
        return False
    is_equal = all(np.array_equal(arrays[key], array) for key, array in base.items() if key != "add")
    return is_equal and set((additions - base_additions).tolist()) == {0, units}
