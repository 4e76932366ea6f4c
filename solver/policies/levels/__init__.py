"""Strategies that a person can remember, of four levels for every game.

    1  a sentence;
    2  a line of numbers;
    3  a page;
    4  a page that considers what the others have, or what is left.

Each family has a module that finds them (``Family.levels``). A level that cannot improve on the one before is the same
strategy.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...games import Game
from ...games.families import load_module
from ...solvers.solve_costs import ANNOUNCED_SECONDS, SolveCost, announce_once
from ...util import progress_reporting
from ...util.errors import InputError
from ...util.integers import parse_whole_number

LEVELS = ("a sentence", "a line of numbers", "a page", "a page that also uses the scores or what is left in the game")
DEFAULT_LEVEL = 3  # the default level of a strategy sheet


@dataclass(frozen=True)
class Level:
    """The strategy of a level.

    Attributes:
        policy: the policy.
        value: its value for the objective that it was found for.
        upper_bound: an upper bound of the value of every strategy of this form; None if it is unknown.
        objective_words: the objective that it was found for, in words.
        note: what the user should know if that is not the objective in question, or "".
    """

    policy: Any
    value: float
    upper_bound: float | None = None
    objective_words: str = "the points of a turn"
    note: str = ""


def best_of(candidates: Iterable[tuple[Any, float]], objective_words: str = Level.objective_words) -> Level:
    """Return the best of all strategies of a form, the first of equals.

    Args:
        candidates: all strategies of the form, with their values.
        objective_words: the objective of the values, in words.
    """
    policy, value = max(candidates, key=lambda pair: pair[1])
    return Level(policy, value, value, objective_words)


def parse_level(value: object) -> int:
    """Return the level of a sheet as a number; InputError if there is no such level."""
    level = parse_whole_number(value, "the level of a sheet")
    if not 1 <= level <= len(LEVELS):
        levels = ", ".join(f"{number} ({form})" for number, form in enumerate(LEVELS, 1))
        raise InputError(f"the level of a sheet must be between 1 and {len(LEVELS)}, not {level}: {levels}")
    return level


@lru_cache(maxsize=16)
def at_level(game: Game, level: int, objective: str) -> Level:
    """Return the strategy of a level for an objective, found now unless it was found before.

    Raises:
        InputError: the game has no levels.
    """
    if not game.parts.levels:
        raise InputError(f"{game.title} does not have strategy sheets; use another policy, such as best")
    family = load_module(game.parts.levels)
    seconds = family.level_seconds(game)[:level] if hasattr(family, "level_seconds") else None
    announcement = (
        nullcontext()
        if seconds is None  # the family announces each search itself
        else announce_once(
            f"computing sheet {level} of {game.title}", SolveCost(bytes=0.0, seconds=sum(seconds)), ANNOUNCED_SECONDS
        )
    )
    with announcement, progress_reporting.start_progress(f"computing sheet {level} of {game.id}") as progress:
        strategy: Level = family.at_level(game, level, objective, progress)
    return strategy


def search_cost(game: Game, objective: str) -> SolveCost:
    """Estimate the cost of finding all levels for an objective.

    A family module offers ``search_cost(game, objective)``, or ``level_seconds(game)``: the seconds that each level
    adds. A family with neither finds its levels in less than a second.
    """
    family: Any = load_module(game.parts.levels) if game.parts.levels else None
    if hasattr(family, "level_seconds"):
        return SolveCost(bytes=0.0, seconds=sum(family.level_seconds(game)))
    cost: SolveCost = (
        family.search_cost(game, objective) if hasattr(family, "search_cost") else SolveCost(bytes=0.0, seconds=0.0)
    )
    return cost


def numbers(game: Game, policy: Any) -> int:
    """Return how many numbers or rules a person has to remember to follow the policy of a level."""
    count: int = load_module(game.parts.levels).numbers(policy)
    return count


def first_equal_level(game: Game, level: int, objective: str) -> int:
    """Return the first level that has the same strategy as a level.

    A strategy that was found for another objective (``note``) is compared only with pages. Strategies of lower levels
    are found for the objective in question, so they differ, and finding them takes longer.
    """
    strategy = at_level(game, level, objective)
    lowest_level = DEFAULT_LEVEL if strategy.note else 1
    first_level = level
    while first_level > lowest_level and at_level(game, first_level - 1, objective).policy == strategy.policy:
        first_level -= 1
    return first_level
