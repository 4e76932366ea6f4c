"""Levels of Shut the Box, for the fewest points left.

    1  a sentence: which set of tiles to shut, and how many dice to roll;
    2  a number for each tile: shut the set with the smallest sum of numbers; and a limit for rolling one die;
    3  for each total, the sets of tiles that add up to it in order of preference;
    4  the order of level 3, and exceptions for some boxes.

All eight strategies of level 1 are tried. Levels 2 and 3 are found by local search: one number, or the place of one
set, is changed as long as that leaves fewer points. For level 4: shut tiles stay shut, so a change in a box does not
change how often the box is reached. It saves this probability times the points that it leaves less from there on. The
change that saves most comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import cycle, product
from typing import Any

from ...games import Game
from ...games.shut_the_box import FACES, OneDie, Tiles, TilesRules
from ...play.playable_game import Choice, PlayableGame
from ...play.tiles import ROLLS, TilesPosition
from ...solvers import Problem, ValueTable
from ...solvers.enumerated import EnumeratedProblem
from ...util.errors import InputError
from ...util.number_format import format_count
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback
from ..evaluation import Evaluation
from . import Level, best_of
from . import at_level as find

EXCEPTIONS = 30
TOTALS = range(1, 2 * FACES + 1)
SENTENCES: Mapping[str, Callable[[Tiles], tuple[int, ...]]] = {
    "the fewest tiles; of several such ways, the one with the highest tile": lambda tiles: (
        len(tiles),
        *(-tile for tile in tiles[::-1]),
    ),
    "the fewest tiles; of several such ways, the one with the lowest tile": lambda tiles: (len(tiles), *tiles),
    "the most tiles; of several such ways, the one with the highest tile": lambda tiles: (
        -len(tiles),
        *(-tile for tile in tiles[::-1]),
    ),
    "the most tiles; of several such ways, the one with the lowest tile": lambda tiles: (-len(tiles), *tiles),
}
CHANCES = {  # by number of dice, the totals and their probabilities
    dice: tuple(
        (total, sum(weight for roll, weight in ROLLS[dice].items() if sum(roll) == total) / FACES**dice)
        for total in range(dice, FACES * dice + 1)
    )
    for dice in (1, 2)
}
MIN_SAVING = 1e-9  # points; a change that saves no more is rounding
SECONDS_PER_BOX = 2.4e-5  # of a search, for each change that is tried and each set of standing tiles; measured


@dataclass(frozen=True)
class TilePolicy:
    """Shut the first set of tiles that can be shut, in an order by total, and roll one die with few points left.

    Attributes:
        order: by total, the sets of tiles in order of preference.
        one_die: the largest sum of the tiles that stand with which the policy rolls one die, if it may.
        instruction: how a sheet states the order: the sentence, a number for each tile, or "" for the order itself.
        but: exceptions: by the tiles that stand and the total, the set to shut instead.
    """

    order: Mapping[int, tuple[Tiles, ...]]
    one_die: int
    instruction: str | tuple[int, ...] = ""
    but: Mapping[tuple[Tiles, int], Tiles] = field(default_factory=dict)

    def observation_key(self, start: TilesPosition) -> Hashable:
        """Return None, because the policy observes nothing but the box."""
        return None

    def choose(self, playable: PlayableGame[TilesPosition], position: TilesPosition) -> Choice[TilesPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        if not position.roll:
            return choices[sum(position.up) <= self.one_die]  # two dice stand first
        shut = tuple(map(str, self.shuts(position.up, sum(position.roll))))
        return next(choice for choice in choices if choice.keep == shut)

    def explain(self, playable: PlayableGame[TilesPosition], position: TilesPosition) -> str:
        """Return in words how many dice are rolled, or which tiles are shut for a total."""
        if not position.roll:
            limit = describe_limit(self.one_die, playable.game.data)
            return f"with {limit}, roll one die" if self.one_die else "roll two dice"
        total = sum(position.roll)
        shut = f"for {total} shut {' '.join(map(str, self.shuts(position.up, total)))}"
        return f"{shut}, with {' '.join(map(str, position.up))} standing" if (position.up, total) in self.but else shut

    def shuts(self, up: Tiles, total: int) -> Tiles:
        """Return the tiles to shut; () if none can be shut."""
        if (up, total) in self.but:
            return self.but[up, total]
        return next((tiles for tiles in self.order[total] if set(tiles) <= set(up)), ())


def describe_limit(limit: int, rules: TilesRules) -> str:
    """Return in words that the tiles that stand add up to a limit or less."""
    if rules.are_digits:  # points are not the sum then
        return f"a sum of {limit} or less standing"
    return f"{format_count(limit, 'point')} or fewer standing"


Change = Callable[[TilePolicy], TilePolicy]


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level for the fewest points left, whatever the objective."""
    search = _search(game)
    if level == 1:
        return best_of(((policy, -search.left(policy)) for policy in search.sentences()), "the points left")
    policy = find(game, level - 1, objective).policy
    if level == 2:
        policy = search.climbed(
            search.by_worths((1,) * game.data.tiles, policy.one_die), search.other_worths(), progress
        )
    elif level == 3:
        policy = search.climbed(replace(policy, instruction=""), search.other_orders(), progress)
    else:
        while len(policy.but) < EXCEPTIONS and (change := search.dearest(policy)):
            policy = replace(policy, but={**policy.but, change[0]: change[1]})
            progress(len(policy.but) / EXCEPTIONS)
    return Level(policy, -search.left(policy))


def level_seconds(game: Game) -> tuple[float, ...]:
    """Estimate the seconds that each level adds to the search, within a factor of two of what was measured."""
    search = _search(game)
    climbs = [
        SECONDS_PER_BOX * len(search.boxes) * len(variants)
        for variants in (search.other_worths(), search.other_orders())
    ]
    return 0.0, *climbs, climbs[1] / 10


@cache
def _search(game: Game) -> _TileSearch:
    return _TileSearch(game.data)


class _TileSearch:
    """The search for policies of one box, and the points that they leave.

    Attributes:
        rules: the rules.
        full: all tiles.
        ways: by total, the sets of tiles that add up to it.
        boxes: the tiles that can stand together, fewer before more.
        can: by the tiles that stand and the total: the sets that can be shut, each with the tiles left.
    """

    def __init__(self, rules: TilesRules) -> None:
        self.rules = rules
        self.full = rules.all_tiles
        self.ways = {total: rules.shuttable_sets(self.full, total) for total in TOTALS}
        self.boxes = sorted(rules.reachable_tiles, key=len)
        self.can = {
            (up, total): {
                tiles: tuple(tile for tile in up if tile not in tiles) for tiles in rules.shuttable_sets(up, total)
            }
            for up in self.boxes
            for total in TOTALS
        }

    def sentences(self) -> Iterator[TilePolicy]:
        """Yield all policies of level 1: one die never, or whenever that is allowed."""
        one_die_limits = (0,) if self.rules.one_die is OneDie.NEVER else (0, sum(self.full))
        for (sentence, key), one_die in product(SENTENCES.items(), one_die_limits):
            order = {total: tuple(sorted(ways, key=key)) for total, ways in self.ways.items()}
            yield TilePolicy(order, one_die, sentence)

    def by_worths(self, worths: tuple[int, ...], one_die: int) -> TilePolicy:
        """Return the policy that shuts the set with the smallest sum of numbers, of equals the fewest and highest."""
        few_and_high = next(iter(SENTENCES.values()))

        def sort_key(tiles: Tiles) -> tuple[int, ...]:
            return (sum(worths[tile - 1] for tile in tiles), *few_and_high(tiles))

        order = {total: tuple(sorted(ways, key=sort_key)) for total, ways in self.ways.items()}
        return TilePolicy(order, one_die, worths)

    def other_worths(self) -> list[Change]:
        """Return the changes of level 2: another number of one tile, or another limit for one die."""

        def with_number(policy: TilePolicy, tile: int, number: int) -> TilePolicy:
            numbers_of_tiles = policy.instruction
            assert not isinstance(numbers_of_tiles, str)
            return self.by_worths((*numbers_of_tiles[: tile - 1], number, *numbers_of_tiles[tile:]), policy.one_die)

        changes: list[Change] = [
            partial(with_number, tile=tile, number=number)
            for tile, number in product(self.full, range(2 * len(self.full)))
        ]
        if self.rules.one_die is not OneDie.NEVER:
            changes += [partial(replace, one_die=limit) for limit in range(sum(range(FACES + 1)) + 1)]
        return changes

    def other_orders(self) -> list[Change]:
        """Return the changes of level 3: one set elsewhere in the order of its total."""

        def with_place(policy: TilePolicy, total: int, tiles: Tiles, place: int) -> TilePolicy:
            remaining = [order_tiles for order_tiles in policy.order[total] if order_tiles != tiles]
            return replace(policy, order={**policy.order, total: (*remaining[:place], tiles, *remaining[place:])})

        return [
            partial(with_place, total=total, tiles=tiles, place=place)
            for total, ways in self.ways.items()
            for tiles in ways
            for place in range(len(ways))
        ]

    def climbed(self, policy: TilePolicy, changes: list[Change], progress: ProgressCallback) -> TilePolicy:
        """Return a policy improved by every change that leaves fewer points, until none does (local search)."""
        fewest_points = self.left(policy)
        failed_changes = 0  # in a row
        report_step = OpenEndedProgress(progress, len(changes))
        for change in cycle(changes):
            report_step()
            changed = change(policy)
            points = self.left(changed)
            if points < fewest_points - MIN_SAVING:
                policy, fewest_points, failed_changes = changed, points, 0
            else:
                failed_changes += 1
            if failed_changes == len(changes):
                break
        return policy

    def left(self, policy: TilePolicy) -> float:
        """Return the mean points that a policy leaves."""
        return self._points_left(policy)[self.full]

    def _points_left(self, policy: TilePolicy) -> dict[Tiles, float]:
        """Return, by the tiles that stand, the mean points that a policy leaves."""
        ranks = {total: {tiles: place for place, tiles in enumerate(ways)} for total, ways in policy.order.items()}
        points_left: dict[Tiles, float] = {(): 0.0}
        for up in self.boxes:
            mean = 0.0
            for total, chance in self._chances(policy, up):
                tiles_after = self.can[up, total]
                if not tiles_after:
                    mean += chance * self.rules.points_left(up)
                elif (up, total) in policy.but:
                    mean += chance * points_left[tiles_after[policy.but[up, total]]]
                else:
                    shut = min(tiles_after, key=ranks[total].__getitem__)
                    mean += chance * points_left[tiles_after[shut]]
            points_left[up] = mean
        return points_left

    def _chances(self, policy: TilePolicy, up: Tiles) -> tuple[tuple[int, float], ...]:
        return CHANCES[1 if self.rules.can_choose_dice(up) and sum(up) <= policy.one_die else 2]

    def dearest(self, policy: TilePolicy) -> tuple[tuple[Tiles, int], Tiles] | None:
        """Return the exception that saves most points: tiles that stand and a total, and the tiles to shut; or None."""
        points_left = self._points_left(policy)
        reach_chance = dict.fromkeys(self.boxes, 0.0)
        reach_chance[self.full] = 1.0
        largest_saving, change = MIN_SAVING, None
        for up in reversed(self.boxes):
            for total, chance in self._chances(policy, up) if reach_chance[up] else ():
                tiles_after = self.can[up, total]
                if not tiles_after:
                    continue
                after_policy = tiles_after[policy.shuts(up, total)]
                if after_policy:
                    reach_chance[after_policy] += reach_chance[up] * chance
                fewest_points, best = min((points_left[after], tiles) for tiles, after in tiles_after.items())
                saving = reach_chance[up] * chance * (points_left[after_policy] - fewest_points)
                if saving > largest_saving:
                    largest_saving, change = saving, ((up, total), best)
        return change


def numbers(policy: TilePolicy) -> int:
    """Return how many numbers to remember: one for a sentence; else those of tiles or sets, one die, and exceptions."""
    if isinstance(policy.instruction, str) and policy.instruction:
        return 1
    return (len(policy.instruction) or sum(map(len, policy.order.values()))) + 1 + len(policy.but)


def check(problem: Problem[Any]) -> None:
    """Raise InputError for more than two players."""
    if problem.players > 2:
        raise InputError(f"policies of Shut the Box can only be evaluated for 1 or 2 players, not {problem.players}")


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: TilePolicy) -> Evaluation:
    """Return the evaluation of a policy: alone, or in both seats of two."""
    assert isinstance(problem, EnumeratedProblem)
    # All values are those of seat 0. The second is for a policy that plays seat 1.
    first, *second = problem.evaluate_policy(value_table, partial(policy.choose, problem.playable))
    optima = problem.seat_values(value_table, [problem.playable.start()]).values[0].tolist()
    bound = first.error_bound + value_table.error_bound
    if problem.playable.fewer_is_better:
        return Evaluation.from_values([-first.value], optima, bound, fewer=True)
    values_in_second_seat = (optima[0] + optima[1] - result.value for result in second)
    return Evaluation.from_values([first.value, *values_in_second_seat], optima, bound)
