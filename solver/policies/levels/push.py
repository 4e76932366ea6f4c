"""Levels of push-your-luck games, and upper bounds of the values of all strategies of their forms.

    1  one number: set aside everything that scores, and bank from so many points;
    2  a number for each number of dice left;
    3  as level 2, but of some rolls less is kept than everything; unlike dice have a number for each hand. If nobody
       may stop, what the dice left are worth, by their number;
    4  to win, limits by where both scores lie, in fourths.

They are those that bring the most points in a turn, of ``points`` and ``turns``; to win, those that win most often of
both seats against the best (``winning``). Finding is one search (``improving``), from what the level before found and
from what was found for points. Those of games that ship are kept (``lines.json``, written by
``python -m keepwise.policies.levels.push GAME ...``).

*Level 1*: to win, all numbers are tried, or some of them if ``LimitsSearch`` finds the level. For points, they are
tried from the smallest up. The search ends once no strategy of any form that goes on below the next number brings as
much as the best number found. *Level 2*: all dice that score are set aside. The best strategy of any form then brings
at least as much as any limits; it takes one pass over the turn, or over the race. For points, if that strategy stops
from some points on, it has the form of limits, and no other limits bring more. *Level 3 if nobody may stop*: policy
iteration; each worth becomes the points that the policy brings with these dice.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby, product
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ...games import FILES, Game
from ...games import game as known
from ...games.push_rules import PushRules
from ...games.rulefile.loader import load_rules
from ...solvers import make_problem as ask
from ...solvers.model import TurnWorkers
from ...solvers.push.limits_race import is_walked
from ...solvers.push.points import PushPointsProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.solve_costs import SolveCost, check_cost
from ...solvers.turn_lanes import TurnLanes
from ...solving.solved_problem import cpu_count
from ...turns.push_turn import Decisions, Doubles, PushTurn, Roll, TurnChoice
from ...util.errors import InputError
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback, start_progress
from ..bank_limits import best_bank_limits, best_decisions, decisions_of_policy, read_limits
from ..push_policies import HUNDREDTHS, DiceCountPolicy, LimitPolicy, ScoreBandPolicy
from . import DEFAULT_LEVEL, LEVELS, Level, best_of
from . import at_level as find
from .changed_limits import LimitsSearch
from .push_search import (
    Cells,
    Change,
    Estimate,
    Groups,
    Turns,
    changes,
    improve_policy,
    limit_change,
    shorter,
    thresholds,
)
from .win_evaluation import Sides, Winning

WINS = "the win, both seats taken together"
KEPT = Path(__file__).parent / "lines.json"
BANDS, TENTHS = 4, 10  # of each score: on the page of level 4, and where the player says how many dice are thrown
INSIDE = (0.2, 0.5, 0.8)  # where in a band of scores the best play is looked at
TOGETHER = 16  # numbers tried in one call
SEARCH = 40  # prices that a search takes for each cell, roughly
PATIENT = 60.0  # seconds: what takes longer is not found when asked for
OTHERS, DECIDED, LED = 6e-10, 1.5e-8, 2.5e-9  # seconds: of the other's choices, of our decisions, of links
CHANGING_PATIENT = 180.0  # seconds: as ``PATIENT``, for a search of limits with few evaluations
CHANGING_WALK, CHANGING_SWEEP = 8e-10, 2e-7  # seconds: of the other's choices, of endings for each level
CHANGING_LEVELS = (2, 3, 1, 2)  # by level, the cost of its sweeps and those of the level before, relative to level 3
POINTS_ALIKE, POINTS_UNLIKE = 1.8e-7, 6e-7  # seconds: of a choice in a row of a turn for points, like or unlike dice
FROM_LEVEL_BEFORE = (2, 4)  # levels that begin with the level before; others begin with the sheet for points
LIMITS_SEARCHES = WeakValueDictionary[Game, LimitsSearch]()  # those in use
SWEEPS = 8  # times that a price takes where scores are lost
Found = Callable[[Cells, bool], list[Change]]  # what changes bring, of kept sets too or not

TOO_LONG = (
    "Optimized for the points of a turn. Optimizing for the win takes minutes: python -m keepwise.policies.levels.push"
)


def turn_rules(game: Game) -> PushRules:
    """Return the rules of the turns in which levels are found: those of the objective ``points``."""
    return _points(game).rules


def _points(game: Game) -> PushPointsProblem:
    problem = ask(game, "points")
    assert isinstance(problem, PushPointsProblem)
    return problem


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the best strategy of a level; for points, in turns after the first bank."""
    best_level = _at_level(game, level, objective, progress)
    return replace(best_level, policy=_plain(turn_rules(game), best_level.policy))


def _at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    problem = _points(game)
    if objective == "win" and (race := two_player_race(game)):
        if stored := _stored_level(game, level, race):
            return stored
        if (cost := _plain_cost(race, level)).seconds <= PATIENT:
            return _to_win(game, level, race, cost, progress)
        if _is_found_by_changes(race, level):
            return _change_limits_to_win(game, level, race, changing_cost(race, level), progress)
        if level > DEFAULT_LEVEL and (stored := _stored_level(game, DEFAULT_LEVEL, race)):
            return stored
        return replace(find(game, level, "points"), upper_bound=None, note=TOO_LONG)
    if level > DEFAULT_LEVEL:
        return find(game, DEFAULT_LEVEL, "points")
    lane = problem.make_lane(True, 0)
    if problem.rules.chooses_dice or problem.rules.never_stops:
        return _search_numbers(problem, lane, level, progress)
    if level == 1:
        return _one_number(problem, lane, progress)
    by_dice = _by_dice(problem, lane, progress)
    if level == 2:
        return by_dice
    start = LimitPolicy(read_limits(problem.rules, best_decisions(lane), lane.cap))
    policies = [
        _for_points(problem, lane, policy, hands(problem.rules), True, progress) for policy in (start, by_dice.policy)
    ]
    return max(policies, key=lambda policy: policy.value)


def hands(rules: PushRules) -> Groups:
    """Return the groups of dice that have one limit together on a page: each number, or each hand of unlike dice."""
    return [[dice] for dice in range(1, rules.dice + 1)]


def sizes(rules: PushRules) -> Groups:
    """Return the groups of dice that have one limit together in a line of numbers: hands of as many dice."""
    return [[*group] for _, group in groupby(range(1, rules.dice + 1), rules.hand_size)]


def least_bank_points(rules: PushRules) -> dict[int, int]:
    """Return, by number of dice, the fewest turn points with which a player decides to stop or to roll them."""
    turn = rules.turn
    throws = (throw for mode in turn.modes for throw in mode.rolls)
    max_added_units = max(choice.added_points for throw in throws for offered, _ in throw.classes for choice in offered)
    # For points there is no target: where a set brings more than that one decides as well, in every mode after so many.
    reachable = turn.reachable_points_by_mode(rules.target // rules.grain + len(turn.modes) * max_added_units)
    stops = [dice for dice in range(1, rules.dice + 1) if turn.modes[rules.hand_mode(dice)].bank_ending is not None]
    bits_by_dice = {dice: reachable[rules.hand_mode(dice)] & ~1 for dice in stops}  # 0 units: no stop
    return {dice: ((units & -units).bit_length() - 1) * rules.grain for dice, units in bits_by_dice.items() if units}


def _plain(
    rules: PushRules, policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy
) -> LimitPolicy | DiceCountPolicy | ScoreBandPolicy:
    """Return the same policy in its simplest form: without bands that are all equal."""
    if not isinstance(policy, ScoreBandPolicy):
        return _limits_plain(rules, policy)
    by_band = tuple(tuple(_limits_plain(rules, limits) for limits in row) for row in policy.by_band)
    first = by_band[0][0]
    return first if all(limits == first for row in by_band for limits in row) else replace(policy, by_band=by_band)


def _limits_plain(rules: PushRules, policy: LimitPolicy | DiceCountPolicy) -> LimitPolicy | DiceCountPolicy:
    """Return the same limits in their simplest form: none below the fewest points that can be banked."""
    if isinstance(policy, DiceCountPolicy) or rules.never_stops:
        return policy
    if len(limits := set(policy.by_dice.values())) == 1:
        return replace(policy, by_dice=dict.fromkeys(policy.by_dice, max(*limits, rules.minimum)))
    by_dice = {
        dice: max(policy.by_dice[dice], rules.minimum, least) for dice, least in least_bank_points(rules).items()
    }
    max_limit = max(by_dice.values(), default=max(limits))
    return replace(policy, by_dice={dice: by_dice.get(dice, max_limit) for dice in policy.by_dice})


def has_choice(rules: PushRules) -> bool:
    """Return True if there is any decision: to stop, which dice to set aside, or how many to roll."""
    return (
        bool(least_bank_points(rules))
        or (rules.chooses_dice and rules.dice > 1)
        or any(len(choices) > 1 for choices in rules.turn.class_choices)
    )


def best_limits(game: Game) -> Mapping[int, int]:
    """Return the limits of best play for the points of a turn after the first bank, by dice left."""
    problem = _points(game)
    lane = problem.make_lane(True, 0)
    limits = _plain(problem.rules, LimitPolicy(read_limits(problem.rules, best_decisions(lane), lane.cap)))
    assert isinstance(limits, LimitPolicy)
    return limits.by_dice


def is_never(game: Game, dice: int, limit: int) -> bool:
    """Return True if a limit means never to stop: the roll cannot bust, and the limit is the end of the table."""
    problem = _points(game)
    rules = problem.rules
    return rules.hand_mode(dice) in rules.turn.riskless_modes and limit >= problem.make_lane(True, 0).cap * rules.grain


# --- to win


@lru_cache(maxsize=1)
def two_player_race(game: Game) -> Winning | None:
    """Return the race of two players, or None if its policies cannot be evaluated fast, as with take-overs."""
    try:
        race = ask(game, "win", 2)
    except InputError:
        return None
    return Winning(race) if isinstance(race, PushWinProblem) and race.rules.take_over == "none" else None


def estimate_cost(race: Winning, level: int) -> SolveCost:
    """Return a rough estimate of the cost of a strategy for the win, with those of the levels before."""
    plain_cost = _plain_cost(race, level)
    if plain_cost.seconds > PATIENT and can_change_limits(race):
        return changing_cost(race, level)
    return plain_cost


def _plain_cost(race: Winning, level: int) -> SolveCost:
    """Return a rough estimate of the cost of ``_to_win``.

    The opponent's turns are walked once, the own ones for each evaluation.
    """
    pairs, rules, sweeps = (
        float(race.plain.lines),
        race.problem.rules,
        SWEEPS if race.plain.has_cyclic_components else 1,
    )
    turn, rows, links = rules.turn, rules.turn.row_count(race.plain.max_cap), pairs * race.endings
    ours = (
        len(race.problem.states) * rows * turn.class_count / (8 if rules.is_single_roll else 1)
    )  # only one row of them is walked
    prices = len(_all_of_one(race))
    for sheet_level in range(2, level + 1):
        own, opponents_bands = _sides(rules, sheet_level)
        prices += SEARCH * (own * opponents_bands if own * opponents_bands <= BANDS * BANDS else 1)
    seconds = OTHERS * pairs * rows * turn.choice_count + prices * (DECIDED * ours + LED * links * sweeps)
    # Where endings lead and what they pay, and the moves that come of them.
    return SolveCost(bytes=40 * links, seconds=seconds)


def search_cost(game: Game, objective: str) -> SolveCost:
    """Return a rough estimate of the cost of all levels: that of the most expensive, which includes those before."""
    if objective != "win":
        return _points_cost(game)
    race, sought = two_player_race(game), [SolveCost(bytes=0.0, seconds=0.0)]
    if race is not None:
        levels = (level for level in range(1, len(LEVELS) + 1) if not _stored_level(game, level, race))
        costs = [estimate_cost(race, level) for level in levels]
        limit = CHANGING_PATIENT if can_change_limits(race) else PATIENT
        sought += [cost for cost in costs if cost.seconds <= limit]
    return max(sought, key=lambda cost: cost.seconds)


def _points_cost(game: Game) -> SolveCost:
    """Return a rough estimate of the cost of the levels for points; with unlike dice many more limits are tried."""
    problem = _points(game)
    rules = problem.rules
    if rules.chooses_dice or rules.never_stops:
        return SolveCost(bytes=0.0, seconds=0.0)
    cells = float(rules.turn.row_count(problem.make_lane(True, 0).cap) * rules.turn.choice_count)
    return SolveCost(bytes=0.0, seconds=(POINTS_UNLIKE if rules.kinds else POINTS_ALIKE) * cells)


def _all_of_one(race: Winning) -> Sequence[int]:
    """Return the numbers that level 1 tries: limits in units of the grain, dice to roll, or limits for sets."""
    rules = race.problem.rules
    if rules.never_stops:
        return thresholds(rules)
    return range(1, (rules.dice if rules.chooses_dice else int(race.problem.states.caps.max())) + 1)


def _to_win(game: Game, level: int, race: Winning, cost: SolveCost, progress: ProgressCallback) -> Level:
    """Return the strategy of a level that wins most often, both seats taken together."""
    rules = race.problem.rules
    check_cost(f"computing sheet {level} of {game.title} for the win", cost, anyway=True)
    if level == 1:
        return best_number_to_win(race, progress)
    before = find(game, level - 1, "win").policy
    if level == 2 and _has_one_limit(rules):
        return find(game, 1, "win")
    sides = _sides(rules, level)
    counter = OpenEndedProgress(progress, SEARCH * sides[0] * sides[1])
    starts = [_split(before, sides, race)]
    if sides == (1, 1):
        like = find(game, level, "points").policy
        if not rules.never_stops:  # with a limit at the target who goes on to win
            limits = {dice: max(rules.grain, min(limit, rules.target)) for dice, limit in like.by_dice.items()}
            like = LimitPolicy(limits, like.keep)
        starts.append((like,))
    elif len(starts[0]) <= BANDS * BANDS:
        starts.append(_cell_by_cell(race, starts[0], sides, counter))
    together = sizes(rules) if level == 2 else hands(rules)

    def find_changes(cells: Cells, sets: bool) -> list[Change]:
        near = (
            _near(rules, cells, together) if sides == (1, 1) and not (rules.chooses_dice or rules.never_stops) else ()
        )
        return [*changes(rules, race.path(cells, sides), cells, together, sets), *near]

    def estimate(cells: Cells) -> Estimate:
        counter()
        return race.estimates([cells], sides)[0]

    cells, best = max(
        (_improved_and_shortened(start, estimate, find_changes, level > 2) for start in starts),
        key=lambda result: result[1].value,
    )
    bound = race.upper_bound(partial(_keeping_all, rules.turn)) if level == 2 and not rules.never_stops else None
    met: list[int] = np.unique(race.path(cells, sides).cell).tolist()
    return Level(_policy(race, _everywhere(met, cells, sides), sides), best.value, bound, WINS)


def _has_one_limit(rules: PushRules) -> bool:
    """Return True if level 2 has a single limit, as level 1 does."""
    has_limits = not (rules.chooses_dice or rules.never_stops)
    return has_limits and len({rules.hand_size(dice) for dice in least_bank_points(rules)}) == 1


def can_change_limits(race: Winning) -> bool:
    """Return True if ``LimitsSearch`` finds limits for a race: scores can fall, and players decide when to stop."""
    rules = race.problem.rules
    return is_walked(race.plain) and not (rules.chooses_dice or rules.never_stops)


def changing_cost(race: Winning, level: int) -> SolveCost:
    """Return a rough estimate of the cost of a strategy by ``LimitsSearch``, with that of the level it begins with.

    The opponent's turns are walked once. Evaluations are sweeps over all endings of all turns.
    """
    count = race.plain.count
    pairs, rows = float(count) ** 2, float(race.plain.caps(race.plain.number(np.arange(count), 0)).mean())
    walks = CHANGING_WALK * pairs * rows * race.problem.rules.turn.choice_count / cpu_count()
    sweeps = CHANGING_SWEEP * CHANGING_LEVELS[level - 1] * pairs * race.endings
    return SolveCost(bytes=8 * pairs * race.endings, seconds=walks + sweeps)


def _limits_search(game: Game) -> LimitsSearch:
    """Return the search for limits in the race of a game, with the opponent's turns.

    It takes much memory, so it is shared only while a caller refers to it.
    """
    search = LIMITS_SEARCHES.get(game)
    if search is None:
        race = two_player_race(game)
        assert race is not None
        with start_progress(f"walking the turns of {game.id}") as progress:
            search = LIMITS_SEARCHES[game] = LimitsSearch(race, progress)
    return search


def _is_found_by_changes(race: Winning, level: int) -> bool:
    """Return whether ``LimitsSearch`` searches a strategy that does not ship."""
    if _plain_cost(race, level).seconds <= PATIENT or not can_change_limits(race):
        return False
    return changing_cost(race, level).seconds <= CHANGING_PATIENT


def _change_limits_to_win(game: Game, level: int, race: Winning, cost: SolveCost, progress: ProgressCallback) -> Level:
    """Return the strategy of a level found by ``LimitsSearch``. It begins with the one for points.

    Limits above the target are cut to it.
    """
    rules = race.problem.rules
    check_cost(f"computing sheet {level} of {game.title} for the win", cost, anyway=True)
    if level == 2 and _has_one_limit(rules):
        return find(game, 1, "win")
    sides, counter = _sides(rules, level), OpenEndedProgress(progress, SEARCH)
    search = _limits_search(game)  # first, so that the level before shares it
    before = [find(game, level - 1, "win").policy] if level in FROM_LEVEL_BEFORE else []
    like = find(game, min(level, DEFAULT_LEVEL), "points").policy
    assert isinstance(like, LimitPolicy)
    limits = {dice: max(rules.grain, min(limit, rules.target)) for dice, limit in like.by_dice.items()}
    search.set_sides(sides)
    starts = [_split(policy, sides, race) for policy in (LimitPolicy(limits, like.keep), *before)]
    start = starts[0]
    for other in starts[1:]:
        if search.estimate(other).surely_exceeds(search.estimate(start)):
            start = other
    if level == 1:
        cells, _ = search.best_number(start, counter)
    else:
        cells, _ = search.improve(start, sizes(rules) if level == 2 else hands(rules), level == 3, counter)
    value, met = search.settle(cells)
    return Level(_policy(race, _everywhere(met, cells, sides), sides), value, None, WINS)


def best_number_to_win(race: Winning, progress: ProgressCallback) -> Level:
    """Return the best strategy of level 1. All numbers are tried, unless a bound shows that no later one is better."""
    rules, numbers = race.problem.rules, _all_of_one(race)
    lines, estimates = list[LimitPolicy | DiceCountPolicy](), list[Estimate]()
    has_limits = not (rules.chooses_dice or rules.never_stops)
    together = TOGETHER if race.plain.has_cyclic_components and has_limits else len(numbers)
    for first in range(0, len(numbers), together):
        doubled = first and first & (first - together) == 0
        at_least = max((estimate.value - estimate.error for estimate in estimates), default=0.0)
        if doubled and race.upper_bound(partial(_keeping_all, rules.turn), numbers[first], at_least) <= at_least:
            break
        units = numbers[first : first + together]
        policies = [uniform_policy(rules, unit * (rules.grain if has_limits else 1)) for unit in units]

        def tell(share: float, first: int = first, count: int = len(units)) -> None:
            progress((first + share * count) / len(numbers))

        lines, estimates = lines + policies, estimates + race.estimates([(line,) for line in policies], progress=tell)
    best_level = best_of(zip(lines, (estimate.value for estimate in estimates), strict=True), WINS)
    upper_bound = max(estimate.value + estimate.error for estimate in estimates)
    return replace(best_level, upper_bound=upper_bound if np.isfinite(upper_bound) else None)


def _sides(rules: PushRules, level: int) -> Sides:
    """Return the numbers of bands of the own score and of the opponent's by which a level decides."""
    if rules.chooses_dice:
        return ((1, 1), (TENTHS, 1), (2 * TENTHS, 1), (2 * TENTHS, TENTHS))[level - 1]
    return (BANDS, BANDS) if level == len(LEVELS) and not rules.never_stops else (1, 1)


def _split(policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy, sides: Sides, race: Winning) -> Cells:
    """Return the same policy with more bands."""
    begins = [race.begins(side) for side in sides]
    return tuple(policy.policy_at(own, opponents) for own, opponents in product(*begins))


def _cell_by_cell(race: Winning, cells: Cells, sides: Sides, count_trial: OpenEndedProgress) -> Cells:
    """Return limits that are found cell by cell, the lowest scores first, with optimal play in the cells that follow.

    From limits that are equal everywhere the search stalls: a policy that banks early never reaches the positions that
    a bold one reaches. Each cell begins with the best of some limits.
    """
    together = hands(race.problem.rules)
    for cell in range(len(cells)):
        open_ = range(cell + 1, len(cells))

        def find_changes(changed: Cells, open_: range = open_) -> Iterator[Change]:
            return changes(race.problem.rules, race.path(changed, sides, open_), changed, together, False)

        def estimate(changed: Cells, open_: range = open_) -> Estimate:
            count_trial()
            return race.estimates([changed], sides, open_)[0]

        candidates = [cells[cell], *_by_table(race, cells[cell], sides, cell)]
        starts = [(*cells[:cell], limits, *cells[cell + 1 :]) for limits in candidates]
        values = race.values(starts, sides, open_)
        cells, _ = improve_policy(starts[values.index(max(values))], estimate, find_changes)
    return cells


def _by_table(
    race: Winning, like: LimitPolicy | DiceCountPolicy, sides: Sides, cell: int
) -> Iterator[LimitPolicy | DiceCountPolicy]:
    """Yield limits to begin a cell with: the target, and the limits of optimal play at some scores of the cell."""
    rules, states = race.problem.rules, race.problem.states
    if isinstance(like, DiceCountPolicy):
        return
    yield replace(like, by_dice=dict.fromkeys(like.by_dice, rules.target))
    for inside in product(INSIDE, INSIDE):
        own, opponents = (
            int(states.scores[int((band + at) / side * len(states.scores))]) * rules.grain
            for band, at, side in zip(divmod(cell, sides[1]), inside, sides, strict=True)
        )
        limits = best_bank_limits(
            race.problem, race.value_table, race.problem.playable.turn_start((own, opponents), 0, 0)
        )
        yield LimitPolicy({dice: min(limit, rules.target) for dice, limit in limits.items()}, like.keep)


def _improved_and_shortened(
    start: Cells, estimate: Callable[[Cells], Estimate], find_changes: Found, sets: bool
) -> tuple[Cells, Estimate]:
    """Return the best policy from a start on, shortened to a page and improved once more, and its value."""
    cells, improved = improve_policy(start, estimate, lambda changed: find_changes(changed, sets))
    short = shorter(cells, lambda changed: find_changes(changed, sets))
    return (
        (cells, improved)
        if short == cells
        else improve_policy(short, estimate, lambda changed: find_changes(changed, False))
    )


def _everywhere(met: Sequence[int], cells: Cells, sides: Sides) -> Cells:
    """Return the same policy, with the limits of the nearest reached cell in cells that it never reaches.

    Args:
        met: the cells that it reaches.
        cells: the policy.
        sides: the numbers of bands of the own score and of the opponent's.
    """

    def nearest(cell: int) -> int:
        own, opponents = divmod(cell, sides[1])
        return min(
            met,
            key=lambda neighbour: (
                abs(neighbour // sides[1] - own) + abs(neighbour % sides[1] - opponents),
                -neighbour,
            ),
        )

    return tuple(cells[nearest(cell)] for cell in range(len(cells)))


def _near(rules: PushRules, cells: Cells, together: Groups) -> Iterator[Change]:
    """Limits a little higher or lower."""
    (hold,) = cells
    assert isinstance(hold, LimitPolicy)
    for group, by in product(together, (-1, 1)):
        limit = hold.by_dice[group[0]] + by * rules.grain
        if limit > 0:
            yield Change(0.0, limit_change(group, limit))


def _policy(race: Winning, cells: Cells, sides: Sides) -> LimitPolicy | DiceCountPolicy | ScoreBandPolicy:
    own, opponents_bands = sides
    if len(cells) == 1:
        return cells[0]
    by_band = tuple(tuple(cells[row * opponents_bands : (row + 1) * opponents_bands]) for row in range(own))
    return ScoreBandPolicy(race.begins(own), race.begins(opponents_bands), by_band)


# --- those that ship


def _stored_level(game: Game, level: int, race: Winning) -> Level | None:
    """Return the stored strategy of a level for the rules of this game, or None."""
    stored_levels = json.loads(KEPT.read_text()).get(race.problem.playable.id_prefix)
    if not stored_levels or len(stored_levels) < level:
        return None
    rules, (lines, keep, value, upper_bound) = race.problem.rules, stored_levels[level - 1]
    offers = _offers(rules.turn)
    keep_choices = {offers[int(place)]: choice for place, choice in keep.items()}

    def parse_line(line: Sequence[int]) -> LimitPolicy | DiceCountPolicy:
        if rules.chooses_dice:
            return DiceCountPolicy(line[0])
        return LimitPolicy({dice: number * rules.grain for dice, number in enumerate(line, 1)}, keep_choices)

    return Level(_policy(race, tuple(map(parse_line, lines)), _sides(rules, level)), value, upper_bound, WINS)


def _offers(turn: PushTurn) -> list[tuple[TurnChoice, ...]]:
    """Return the choices that the rolls of a turn offer."""
    return list(dict.fromkeys(turn.class_choices))


def _level_as_json(race: Winning, level: Level) -> list[Any]:
    """Return a policy as ``lines.json`` stores it."""
    rules = race.problem.rules
    policy = _plain(rules, level.policy)
    cells = [limits for row in policy.by_band for limits in row] if isinstance(policy, ScoreBandPolicy) else [policy]
    offers, keep = _offers(rules.turn), cells[0].keep if isinstance(cells[0], LimitPolicy) else {}

    def line(limits: LimitPolicy | DiceCountPolicy) -> list[int]:
        if isinstance(limits, DiceCountPolicy):
            return [limits.dice]
        return [limits.by_dice[dice] // rules.grain for dice in sorted(limits.by_dice)]

    choices_by_offer = {offers.index(offered): choice for offered, choice in keep.items()}
    return [[line(limits) for limits in cells], choices_by_offer, level.value, level.upper_bound]


def _keep(names: Sequence[str]) -> None:
    """Find the levels of some games, and write them to ``lines.json`` level by level."""
    for name in names:
        game = known(name) if name in FILES else load_rules(name)
        race = two_player_race(game)
        assert race is not None
        levels, search = list[Any](), None
        for level in range(1, len(LEVELS) + 1):
            stored = json.loads(KEPT.read_text())
            stored[race.problem.playable.id_prefix] = levels
            KEPT.write_text(_format_levels(stored))
            find.cache_clear()
            is_long = _plain_cost(race, level).seconds > PATIENT
            is_changed = is_long and can_change_limits(race)
            search = _limits_search(game) if is_changed else search  # all levels share it
            find_level = _change_limits_to_win if is_changed else _to_win
            solved = find_level(game, level, race, estimate_cost(race, level), lambda share: None)
            levels.append(_level_as_json(race, solved))
            print(name, level, levels[-1][2:], flush=True)
        del search
        KEPT.write_text(_format_levels({**json.loads(KEPT.read_text()), race.problem.playable.id_prefix: levels}))


def _format_levels(stored: Mapping[str, Any]) -> str:
    """Return the stored levels as JSON, with a line for each level."""
    games = (
        f'"{name}": [\n  ' + ",\n  ".join(json.dumps(level, separators=(",", ":")) for level in levels) + "\n ]"
        for name, levels in sorted(stored.items())
    )
    return "{\n " + ",\n ".join(games) + "\n}\n"


# --- for points


def frontier(game: Game, objective: str) -> Iterator[tuple[int, LimitPolicy | DiceCountPolicy | ScoreBandPolicy]]:
    """Yield strategies of growing size, each with the count of its numbers.

    For the win they are the levels, if these are found for the win. For points, after the limits by dice left, one
    exception after another is added: the roll of which keeping less than everything gains the most points.
    """
    if objective == "win" and (race := two_player_race(game)):
        levels = range(1, len(LEVELS) + 1)
        is_searched = any(
            not _stored_level(game, level, race) and _is_found_by_changes(race, level) for level in levels
        )
        search = _limits_search(game) if is_searched else None  # all levels share it
        policies = list[LimitPolicy | DiceCountPolicy | ScoreBandPolicy]()
        for level in levels:
            policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy = find(game, level, "win").policy
            if policy not in policies:
                policies.append(policy)
                yield numbers(policy), policy
        del search
        return
    single, several, page = (find(game, level, "points").policy for level in (1, 2, 3))
    yield 1, single
    if isinstance(single, DiceCountPolicy):
        return
    dice = len(several.by_dice)
    if dice > 1:
        yield dice, several
    problem = ask(game, "points")
    assert isinstance(problem, PushPointsProblem)
    lane, exceptions = problem.make_lane(True, 0), dict[tuple[TurnChoice, ...], int]()
    if page.worths:
        yield numbers(page), page
        return
    while missing := page.keep.keys() - exceptions:
        extended = [exceptions | {offered: page.keep[offered]} for offered in page.keep if offered in missing]
        candidates = [LimitPolicy(limits, keep) for keep in extended for limits in (several.by_dice, page.by_dice)]
        best = candidates[int(np.argmax(_values(problem, lane, candidates)))]
        exceptions = dict(best.keep)
        yield dice + len(exceptions), best


def numbers(policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy) -> int:
    """Return how many numbers to remember; each exception to the usual set counts as one."""
    cells = [cell for row in policy.by_band for cell in row] if isinstance(policy, ScoreBandPolicy) else [policy]
    exception_count = len(cells[0].keep) if isinstance(cells[0], LimitPolicy) else 0
    if isinstance(cells[0], LimitPolicy) and cells[0].worths:
        return exception_count + len(cells[0].worths)
    limits = [[*cell.by_dice.values()] if isinstance(cell, LimitPolicy) else [cell.dice] for cell in cells]
    return exception_count + sum(len(row_limits) if len(set(row_limits)) > 1 else 1 for row_limits in limits)


def _one_number(problem: PushPointsProblem, lane: TurnLanes, progress: ProgressCallback) -> Level:
    rules, reachable = problem.rules, 0
    for bits in rules.turn.reachable_points_by_mode(lane.cap):
        reachable |= bits
    units = [*(unit for unit in range(1, lane.cap) if reachable >> unit & 1), lane.cap]
    policies, values = list[LimitPolicy | DiceCountPolicy](), list[float]()
    for first in range(0, len(units), TOGETHER):
        if first and _best(_keeping_all(rules.turn, units[first]), lane) <= max(values):
            break
        progress(first / len(units))
        part = [uniform_policy(rules, unit * rules.grain) for unit in units[first : first + TOGETHER]]
        policies, values = policies + part, values + _values(problem, lane, part).tolist()
    return best_of(zip(policies, values, strict=True))


def uniform_policy(rules: PushRules, number: int) -> LimitPolicy | DiceCountPolicy:
    """Return the policy that is one number: of dice to roll, or the limit in points for every number of dice."""
    return (
        DiceCountPolicy(number) if rules.chooses_dice else LimitPolicy(dict.fromkeys(range(1, rules.dice + 1), number))
    )


def _search_numbers(problem: PushPointsProblem, lane: TurnLanes, level: int, progress: ProgressCallback) -> Level:
    """Try all numbers of a game in which a number says how many dice are thrown, or which are set aside."""
    rules = problem.rules
    policies = [
        uniform_policy(rules, number)
        for number in (range(1, rules.dice + 1) if rules.chooses_dice else thresholds(rules))
    ]
    best = best_of(zip(policies, _values(problem, lane, policies).tolist(), strict=True))
    if level == 1 or rules.chooses_dice:
        return best
    by_dice = _for_points(problem, lane, best.policy, hands(rules), False, progress)
    if level == 2:
        return replace(by_dice, upper_bound=_best(rules.turn, lane))
    starts = [by_dice.policy, _by_worths(problem, lane, by_dice.policy)]
    start = starts[int(np.argmax(_values(problem, lane, starts)))]
    return _for_points(problem, lane, start, hands(rules), True, progress)


def _by_worths(problem: PushPointsProblem, lane: TurnLanes, policy: LimitPolicy) -> LimitPolicy:
    """Return a policy by what the dice left are worth, if nobody may stop.

    A worth is the points that the policy itself brings with these dice. What is done with n dice depends on the worths
    of fewer dice only. So these worths are final after n rounds, from whatever policy they begin.
    """
    rules = problem.rules
    for _ in range(rules.dice):
        decisions = decisions_of_policy(rules, lane, policy)
        solved = rules.turn.solve(lane.payoff[..., :1], lane.caps[:1], inner=True, fixed_decisions=decisions)
        assert solved.inner is not None
        worths = dict[int, int]()
        for dice in range(1, rules.dice):
            points = float(solved.inner[0, rules.hand_mode(dice), 0, 0])
            if rules.best == "lowest":  # turns count how much less than the most the dice score
                points = rules.max_points_per_die * dice - points
            worths[dice] = round(points * HUNDREDTHS)
        policy = replace(policy, worths=worths)
    return policy


def _best(turn: PushTurn, lane: TurnLanes) -> float:
    """Return the value of optimal play in these turns."""
    return float(turn.solve(lane.payoff, lane.caps).value[0, 0])


def _by_dice(problem: PushPointsProblem, lane: TurnLanes, progress: ProgressCallback) -> Level:
    keeping = TurnLanes(_keeping_all(problem.rules.turn), lane.payoff, lane.caps, lane.bank_count)
    start = LimitPolicy(read_limits(problem.rules, best_decisions(keeping), lane.cap))
    if problem.rules.kinds:
        start = _one_number(problem, lane, progress).policy
    return replace(
        _for_points(problem, lane, start, sizes(problem.rules), False, progress), upper_bound=_best(keeping.turn, lane)
    )


def _for_points(
    problem: PushPointsProblem,
    lane: TurnLanes,
    start: LimitPolicy,
    together: Groups,
    sets: bool,
    progress: ProgressCallback,
) -> Level:
    """Return a policy improved for the points of a turn by local search."""
    rows = problem.rules.turn.row_count(lane.cap)
    least, wins, cell = (np.array([number]) for number in (int(np.argmax(lane.bank_payoffs > 0)), rows, 0))
    turns, counter = Turns(lane.payoff[0, :, :1], lane.caps[:1], least, wins, cell), OpenEndedProgress(progress, SEARCH)

    def find_changes(cells: Cells, sets: bool) -> list[Change]:
        return [*changes(problem.rules, turns, cells, together, sets)]

    def estimate(cells: Cells) -> Estimate:
        counter()
        return Estimate(float(_values(problem, lane, cells)[0]))

    (policy,), best = _improved_and_shortened((start,), estimate, find_changes, sets)
    return Level(policy, best.value)


def _keeping_all(turn: PushTurn, bank_from: int = 0) -> PushTurn:
    """Return the turn of a player who keeps as many points as possible of every roll, and stops with so many units.

    If sets may exceed what is allowed, any set may be kept, so its value is an upper bound.
    """

    def choices_that_keep_most(offered: tuple[TurnChoice, ...]) -> tuple[TurnChoice, ...]:
        return (
            offered if turn.forbids_overshoot else (max(offered, key=lambda choice: choice.added_points),)
        )  # the first of those

    modes = [
        mode._replace(
            min_bank=max(mode.min_bank, bank_from) if mode.rolls else mode.min_bank,
            rolls=tuple(
                Roll(tuple((choices_that_keep_most(offered), ways) for offered, ways in throw.classes))
                for throw in mode.rolls
            ),
        )
        for mode in turn.modes
    ]
    return PushTurn(modes, turn.groups, turn.start, turn.special_count, turn.forbids_overshoot)


def _values(problem: PushPointsProblem, lane: TurnLanes, policies: Sequence[LimitPolicy | DiceCountPolicy]) -> Doubles:
    """Return the values of policies."""
    nodes: Decisions = np.concatenate([decisions_of_policy(problem.rules, lane, policy) for policy in policies], axis=2)
    payoff, caps = lane.payoff[..., :1].repeat(len(policies), axis=2), lane.caps[:1].repeat(len(policies))
    solved = TurnWorkers().solve(problem.rules.turn, payoff, caps, fixed_decisions=nodes)
    values: Doubles = solved.value[0, : len(policies)]
    return values


if __name__ == "__main__":
    _keep(sys.argv[1:])
