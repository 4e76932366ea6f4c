"""Levels of Shut the Box, for the fewest points left.

    1  a sentence: which of the ways to shut what was thrown, and how many dice, of eight that can be said in one;
    2  a number for each tile: shut those that add up to least, and throw one die with so many points standing or fewer;
    3  for each total the ways to shut it, in the order in which they are looked for;
    4  the same, and with some tiles standing something else.

All eight of *level 1* are tried. *Levels 2 and 3* change one number, or the place of one way, as long as that leaves
less. *Level 4*: tiles that are shut stay so, and what is done with some standing changes nothing that comes before; so
a change saves how often it is come to, times what is left less from there. The one that saves most comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import cycle, product
from typing import Any

from ...games import Game
from ...games.shut_the_box import FACES, Tiles, TilesRules
from ...play.playable_game import Choice, Table
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
    "the fewest tiles, of these ways the one with the highest": lambda some: (len(some), *(-t for t in some[::-1])),
    "the fewest tiles, of these ways the one with the lowest": lambda some: (len(some), *some),
    "the most tiles, of these ways the one with the highest": lambda some: (-len(some), *(-t for t in some[::-1])),
    "the most tiles, of these ways the one with the lowest": lambda some: (-len(some), *some),
}
CHANCES = {  # of what so many dice add up to
    dice: tuple(
        (total, sum(ways for lie, ways in ROLLS[dice].items() if sum(lie) == total) / FACES**dice)
        for total in range(dice, FACES * dice + 1)
    )
    for dice in (1, 2)
}
SAVED = 1e-9  # a change that saves no more is none
SECONDS_PER_BOX = 2.4e-5  # of a search, for each change that is tried and each set of standing tiles; measured


@dataclass(frozen=True)
class Shuts:
    """Shuts the first of the ways in ``order``, by total, that can be shut, and throws one die, where one may, with at
    most ``one_die`` points standing. ``but``: with these tiles, and this total, what is shut instead.

    ``told``: the sentence, or a number for each tile, that says the order.
    """

    order: Mapping[int, tuple[Tiles, ...]]
    one_die: int
    told: str | tuple[int, ...] = ""
    but: Mapping[tuple[Tiles, int], Tiles] = field(default_factory=dict)

    def observation_key(self, start: TilesPosition) -> Hashable:
        """Nothing but the box."""
        return None

    def choose(self, table: Table[TilesPosition], position: TilesPosition) -> Choice[TilesPosition]:
        """What is done in a position in which there is something to choose."""
        choices = table.choices(position)
        if not position.roll:
            return choices[sum(position.up) <= self.one_die]  # two dice stand first
        shut = tuple(map(str, self.shuts(position.up, sum(position.roll))))
        return next(choice for choice in choices if choice.keep == shut)

    def explain(self, table: Table[TilesPosition], position: TilesPosition) -> str:
        """What decides there: how many dice, or what is shut by a total."""
        if not position.roll:
            return (
                f"throw one die with {format_count(self.one_die, 'point')} standing or fewer"
                if self.one_die
                else "throw two dice"
            )
        total = sum(position.roll)
        shut = f"by {total} shut {' '.join(map(str, self.shuts(position.up, total)))}"
        return f"{shut} of {' '.join(map(str, position.up))}" if (position.up, total) in self.but else shut

    def shuts(self, up: Tiles, total: int) -> Tiles:
        """What is shut; () where nothing can be."""
        if (up, total) in self.but:
            return self.but[up, total]
        return next((some for some in self.order[total] if set(some) <= set(up)), ())


Change = Callable[[Shuts], Shuts]


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Found for the fewest points left, whatever is played for."""
    search = _search(game)
    if level == 1:
        return best_of(((policy, -search.left(policy)) for policy in search.sentences()), "the points left")
    policy = find(game, level - 1, objective).policy
    if level == 2:
        policy = search.climbed(
            search.by_worths((1,) * game.data.tiles, policy.one_die), search.other_worths(), progress
        )
    elif level == 3:
        policy = search.climbed(replace(policy, told=""), search.other_orders(), progress)
    else:
        while len(policy.but) < EXCEPTIONS and (change := search.dearest(policy)):
            policy = replace(policy, but={**policy.but, change[0]: change[1]})
            progress(len(policy.but) / EXCEPTIONS)
    return Level(policy, -search.left(policy))


def level_seconds(game: Game) -> tuple[float, ...]:
    """Estimate the seconds that each level adds to the search, within a factor of two of what was measured."""
    search = _search(game)
    climbs = [
        SECONDS_PER_BOX * len(search.boxes) * len(each) for each in (search.other_worths(), search.other_orders())
    ]
    return 0.0, *climbs, climbs[1] / 10


@cache
def _search(game: Game) -> _Search:
    return _Search(game.data)


class _Search:
    """Policies of one box, and what they leave."""

    def __init__(self, rules: TilesRules) -> None:
        self.rules = rules
        self.full = tuple(range(1, rules.tiles + 1))
        self.ways = {total: rules.shut(self.full, total) for total in TOTALS}
        self.boxes = sorted(rules.standing, key=len)
        self.can = {
            (up, total): {some: tuple(tile for tile in up if tile not in some) for some in rules.shut(up, total)}
            for up in self.boxes
            for total in TOTALS
        }

    def sentences(self) -> Iterator[Shuts]:
        """All that can be said."""
        for (said, key), most in product(SENTENCES.items(), (0, sum(self.full)) if self.rules.one_die else (0,)):
            yield Shuts({total: tuple(sorted(ways, key=key)) for total, ways in self.ways.items()}, most, said)

    def by_worths(self, worths: tuple[int, ...], one_die: int) -> Shuts:
        """Those are shut that add up to least, of these the fewest, of these the highest."""
        few_and_high = next(iter(SENTENCES.values()))
        order = {
            total: tuple(sorted(ways, key=lambda some: (sum(worths[tile - 1] for tile in some), *few_and_high(some))))
            for total, ways in self.ways.items()
        }
        return Shuts(order, one_die, worths)

    def other_worths(self) -> list[Change]:
        """One number another."""

        def worth(policy: Shuts, tile: int, number: int) -> Shuts:
            assert not isinstance(policy.told, str)
            return self.by_worths((*policy.told[: tile - 1], number, *policy.told[tile:]), policy.one_die)

        found: list[Change] = [
            partial(worth, tile=tile, number=number) for tile, number in product(self.full, range(2 * len(self.full)))
        ]
        if self.rules.one_die:
            found += [partial(replace, one_die=most) for most in range(sum(range(FACES + 1)) + 1)]
        return found

    def other_orders(self) -> list[Change]:
        """One way elsewhere in its order."""

        def moved(policy: Shuts, total: int, some: Tiles, place: int) -> Shuts:
            rest = [one for one in policy.order[total] if one != some]
            return replace(policy, order={**policy.order, total: (*rest[:place], some, *rest[place:])})

        return [
            partial(moved, total=total, some=some, place=place)
            for total, ways in self.ways.items()
            for some in ways
            for place in range(len(ways))
        ]

    def climbed(self, policy: Shuts, changes: list[Change], progress: ProgressCallback) -> Shuts:
        """A policy improved by every change that leaves less, until none does."""
        least, since, tried = self.left(policy), 0, OpenEndedProgress(progress, len(changes))
        for change in cycle(changes):
            tried()
            other = change(policy)
            found = self.left(other)
            since = 0 if found < least - SAVED else since + 1
            if not since:
                policy, least = other, found
            if since == len(changes):
                break
        return policy

    def left(self, policy: Shuts) -> float:
        """The points that a policy leaves on average."""
        return self._lefts(policy)[self.full]

    def _lefts(self, policy: Shuts) -> dict[Tiles, float]:
        """The same from every box on."""
        ranks = {total: {some: place for place, some in enumerate(ways)} for total, ways in policy.order.items()}
        known: dict[Tiles, float] = {(): 0.0}
        for up in self.boxes:
            found = 0.0
            for total, chance in self._chances(policy, up):
                can = self.can[up, total]
                if not can:
                    found += chance * sum(up)
                elif (up, total) in policy.but:
                    found += chance * known[can[policy.but[up, total]]]
                else:
                    found += chance * known[can[min(can, key=ranks[total].__getitem__)]]
            known[up] = found
        return known

    def _chances(self, policy: Shuts, up: Tiles) -> tuple[tuple[int, float], ...]:
        return CHANCES[1 if self.rules.may_choose(up) and sum(up) <= policy.one_die else 2]

    def dearest(self, policy: Shuts) -> tuple[tuple[Tiles, int], Tiles] | None:
        """The change of what is shut with some tiles standing that saves most."""
        known, come = self._lefts(policy), dict.fromkeys(self.boxes, 0.0)
        come[self.full] = 1.0
        most, change = SAVED, None
        for up in reversed(self.boxes):
            for total, chance in self._chances(policy, up) if come[up] else ():
                if not self.can[up, total]:
                    continue
                after = self.can[up, total]
                does = after[policy.shuts(up, total)]
                if does:
                    come[does] += come[up] * chance
                least, best = min((known[one], some) for some, one in after.items())
                saves = come[up] * chance * (known[does] - least)
                if saves > most:
                    most, change = saves, ((up, total), best)
        return change


def numbers(policy: Shuts) -> int:
    """How many it takes: a sentence is one; else one for each tile or each way to shut a total, and each exception."""
    if isinstance(policy.told, str) and policy.told:
        return 1
    return (len(policy.told) or sum(map(len, policy.order.values()))) + 1 + len(policy.but)


def check(match: Problem[Any]) -> None:
    """One box alone, or the win of two."""
    if match.players > 2:
        raise InputError("policies of Shut the Box are evaluated alone and for the win of two")


def judged(match: Problem[Any], solved: ValueTable, policy: Shuts) -> Evaluation:
    """What it leaves, or its chances from both seats."""
    assert isinstance(match, EnumeratedProblem)
    found = match.evaluate_policy(solved, partial(policy.choose, match.playable))
    best, bound = match.seat_values(solved, [match.playable.start()]).values[0].tolist(), solved.error_bound
    (value, off), *others = found
    if match.playable.fewer_is_better:
        return Evaluation.of([-value], best, off + bound, fewer=True)
    return Evaluation.of([value, *(best[0] + best[1] - one for one, _ in others)], best, off + bound)
