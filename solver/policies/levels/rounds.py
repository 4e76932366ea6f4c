"""Levels of Battleship: which crew dice are kept, once ship, captain and mate lie there.

    1  one number: keep each crew die from it on; where one may not be kept alone, settle with that many together;
    2  a number for each cast left;
    3  what is best for a round's points, crew by crew;
    4  the same, and for who casts last of two in the last round, what to do by what is missing.

For a round's points and for the win of two, all of *levels 1 and 2* are tried. *Level 4*: the last turn of all is worth
1 for more than is missing and a half for as much, whatever came before; so the best numbers for it are found by trying
all of them, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from ...answers.positions import BestPlay
from ...games import Game
from ...play.playable_game import Choice, Table, find_choice
from ...play.rounds import CASTS, MOST_CREW, Play, RoundsPosition
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...solvers.rounds.problem import solve_lanes
from ...util.errors import InputError
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback, report_each
from ..evaluation import Evaluation
from ..round_policies import check_rounds as check
from ..round_policies import compiled, evaluate_rounds
from . import Level, best_of

FACES = range(1, 8)  # 7: none is kept
Crew = tuple[int, int, int]  # casts left, and the higher die before the lower


@dataclass(frozen=True)
class Keeps:
    """Keeps crew dice of at least ``least``, by cast; where one cannot be kept alone (``together``), settles with
    at least so many points. ``enough``: settles with so many points.
    """

    least: tuple[int, ...]
    together: bool = False
    enough: int = MOST_CREW

    def observation_key(self, start: RoundsPosition) -> Hashable:
        """Nothing but the round."""
        return None

    def choose(self, table: Table[RoundsPosition], position: RoundsPosition) -> Choice[RoundsPosition]:
        """What is done in a position in which there is something to choose."""
        settle, *others = table.choices(position)
        if not others or settle.points >= self.enough:
            return settle
        least = self.least[position.cast - 1]
        if self.together:
            return settle if settle.points >= least else others[-1]
        high, low = sorted(map(int, settle.keep[3:]), reverse=True)
        return settle if low >= least else others[0] if high >= least else others[-1]

    def explain(self, table: Table[RoundsPosition], position: RoundsPosition) -> str:
        """What decides there: the number of the cast."""
        if table.choices(position)[0].points >= self.enough:
            return f"settle with {format_count(self.enough, 'point')} or more"
        least, left = self.least[position.cast - 1], CASTS - position.cast
        told = (
            f"settle with {format_count(least, 'point')} or more"
            if self.together
            else f"keep each crew die from {least} up"
        )
        return f"{told}, {format_count(left, 'cast')} left" if len(set(self.least)) > 1 else told


@dataclass(frozen=True)
class Page:
    """Does what stands on a page, crew by crew; in the last turn of two, in which so many points are missing, plays by
    ``missing``.
    """

    told: Mapping[Crew, Choice[RoundsPosition]]
    missing: Mapping[int, Keeps] = field(default_factory=dict)

    def observation_key(self, start: RoundsPosition) -> Hashable:
        """What is missing in the last turn."""
        return self._missing(start) if self.missing else None

    def _missing(self, position: RoundsPosition) -> int | None:
        return position.scores[0] - position.scores[1] if position.seat else None

    def choose(self, table: Table[RoundsPosition], position: RoundsPosition) -> Choice[RoundsPosition]:
        """What is done in a position in which there is something to choose."""
        choices = table.choices(position)
        if self._chases(table, position):
            return self.missing[self._behind(position)].choose(table, position)
        if len(choices) == 1:
            return choices[0]
        high, low = sorted(map(int, choices[0].keep[3:]), reverse=True)
        listed = self.told[CASTS - position.cast, high, low]
        return find_choice(choices, listed) or choices[-1]

    def explain(self, table: Table[RoundsPosition], position: RoundsPosition) -> str:
        """What decides there: the number by what is missing, or what is told of these crew dice."""
        if self._chases(table, position):
            behind = self._behind(position)
            return f"{self.missing[behind].explain(table, position)}, last to cast and {behind} behind"
        left, lie = CASTS - position.cast, " ".join(table.choices(position)[0].keep[3:])
        return f"{lie} with {format_count(left, 'cast')} left: {self.choose(table, position).action}"

    def _chases(self, table: Table[RoundsPosition], position: RoundsPosition) -> bool:
        last = position.playoff or position.round == _rounds(table)
        return bool(self.missing and position.seat and last)

    def _behind(self, position: RoundsPosition) -> int:
        return max(0, min(self._missing(position) or 0, MOST_CREW))


def _rounds(table: Table[RoundsPosition]) -> int:
    assert isinstance(table, Play)
    return table.rounds


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Found for a round's points, or for the win of two."""
    if level <= 2:
        return _by_numbers(game, level, objective, progress)
    advice = BestPlay(points := ask(game, "points"), solved := points.solve(1, lambda done: None))
    told: dict[Crew, Choice[RoundsPosition]] = {}
    for low, high in combinations_with_replacement(range(1, 7), 2):
        for left, kept in ((2, None), (1, "654")):
            position = points.playable.read(cast=CASTS - left, kept=kept, roll=f"654{high}{low}")
            told[left, high, low] = advice(position)
    value = float(solved.arrays["points"][0])
    if level == 3 or objective != "win":
        return Level(Page(told), value)
    return Level(Page(told, _missing(game)), value)


def _forms(game: Game) -> list[int]:
    """The numbers that can be said."""
    return list(range(2, MOST_CREW + 2)) if game.rules["crew"] != "each" else list(FACES)


def _by_numbers(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """The best of all that can be said with one number, or two."""
    table, together = ask(game, "points").playable, game.rules["crew"] != "each"
    match = ask(game, "win", 2) if objective == "win" else ask(game, "points")
    try:
        check(match)
    except InputError:
        match = ask(game, "points")
    solved = match.solve(1, lambda done: None)
    numbers = _forms(game)
    forms = product(numbers, numbers) if level == 2 else ((number, number) for number in numbers)

    def brings(policy: Keeps) -> float:
        found = evaluate_rounds(match, solved, compiled(table, partial(policy.choose, table)))
        return (found.value + found.second[0]) / 2 if found.second else found.value

    of = "the points of a round" if match.objective == "points" else "the win, both seats taken together"
    tried = [Keeps(least, together) for least in forms]
    return best_of(((one, brings(one)) for one in report_each(tried, progress)), of)


def _missing(game: Game) -> dict[int, Keeps]:
    """For the last turn of all, by what is missing, the numbers that win most often."""
    table, together = ask(game, "points").playable, game.rules["crew"] != "each"
    numbers = _forms(game)
    chances = {}
    for enough, *least in product(range(2, MOST_CREW + 2), numbers, numbers):
        policy = Keeps(tuple(least), together, enough)
        turn = compiled(table, partial(policy.choose, table))
        worth = np.eye(turn.most + 1)[None]
        chances[policy] = solve_lanes(turn, worth)[0]
    found = {}
    for missing in range(MOST_CREW + 1):
        pays = [1.0 if points > missing else 0.5 if points == missing else 0.0 for points in range(MOST_CREW + 1)]
        found[missing] = max(
            chances, key=lambda policy: sum(p * w for p, w in zip(chances[policy].tolist(), pays, strict=False))
        )
    return found


def numbers(policy: Keeps | Page) -> int:
    """How many it takes: one, one for each cast left, or one for each crew of a page, and what is missing."""
    if isinstance(policy, Keeps):
        return len(set(policy.least))
    return len(policy.told) + sum(1 + len(one.least) for one in policy.missing.values())


def judged(match: Problem[Any], solved: ValueTable, policy: Any) -> Evaluation:
    """Its points, or its chances from both seats."""
    table = ask(match.game, "points").playable
    missing = {}
    if isinstance(policy, Page):
        missing = {points: compiled(table, partial(one.choose, table)) for points, one in policy.missing.items()}
        policy = Page(policy.told)
    return evaluate_rounds(match, solved, compiled(table, partial(policy.choose, table)), missing)
