"""What a person can carry in the head: strategies of four levels for every game, and what no others bring.

    1  a sentence;
    2  a line of numbers;
    3  a page;
    4  a page that knows what the others have, or what is left.

Each family has a file that finds them. A level that can say no more than the one before is that one.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...games import Game
from ...games.families import loaded
from ...solvers.cost_estimates import ANNOUNCED_SECONDS, SolveCost, announce_once
from ...util import progress_reporting
from ...util.errors import InputError
from ...util.integers import parse_whole_number

LEVELS = ("a sentence", "a line of numbers", "a page", "a page that knows the others, or what is left")
PAGE = 3  # the level of a sheet of which nothing is said


@dataclass(frozen=True)
class Level:
    """A strategy; what it brings ``of`` what it was found for, the most that any of its form brings, if known, and a
    ``note`` where it was found for something else than was asked.
    """

    policy: Any
    value: float
    most: float | None = None
    of: str = "the points of a turn"
    note: str = ""


def best_of(tried: Iterable[tuple[Any, float]], of: str = Level.of) -> Level:
    """The best of all that can be said, with what each brings; the first of equals. No other of its form is better."""
    policy, most = max(tried, key=lambda one: one[1])
    return Level(policy, most, most, of)


def checked_level(told: object) -> int:
    """The level of a sheet, read; InputError where there is none of it."""
    level = parse_whole_number(told, "the level of a sheet")
    if not 1 <= level <= len(LEVELS):
        known = ", ".join(f"{place} ({what})" for place, what in enumerate(LEVELS, 1))
        raise InputError(f"there is no sheet of level {level}: there are {known}")
    return level


@lru_cache(maxsize=16)
def at_level(game: Game, level: int, objective: str) -> Level:
    """The strategy of a level for an objective; InputError for a game that has none."""
    if not game.parts.levels:
        raise InputError(f"{game.title} has no sheets of levels")
    family = loaded(game.parts.levels)
    seconds = family.level_seconds(game)[:level] if hasattr(family, "level_seconds") else None
    announcement = (
        nullcontext()
        if seconds is None  # the family announces each search itself
        else announce_once(f"finding sheet {level} of {game.title}", SolveCost(0.0, sum(seconds)), ANNOUNCED_SECONDS)
    )
    with announcement, progress_reporting.start_progress(f"finding sheet {level} of {game.id}") as progress:
        found: Level = family.at_level(game, level, objective, progress)
    return found


def search_cost(game: Game, objective: str) -> SolveCost:
    """Estimate the cost of finding all levels for an objective.

    A family module offers ``search_cost(game, objective)``, or ``level_seconds(game)``: the seconds that each level
    adds. A family with neither finds its levels in less than a second.
    """
    family: Any = loaded(game.parts.levels) if game.parts.levels else None
    if hasattr(family, "level_seconds"):
        return SolveCost(0.0, sum(family.level_seconds(game)))
    cost: SolveCost = family.search_cost(game, objective) if hasattr(family, "search_cost") else SolveCost(0.0, 0.0)
    return cost


def numbers(game: Game, policy: Any) -> int:
    """How many numbers, or rules, somebody has to remember who follows a policy of a level."""
    found: int = loaded(game.parts.levels).numbers(policy)
    return found


def same_as(game: Game, level: int, objective: str) -> int:
    """The first level whose strategy is that of a level. What is found for something else is asked only of pages: lines
    that are found for what is asked differ from it, and take longer.
    """
    found, brief = at_level(game, level, objective), level
    least = PAGE if found.note else 1
    while brief > least and at_level(game, brief - 1, objective).policy == found.policy:
        brief -= 1
    return brief
