"""Policies by their names, for the game at a table: a sheet of any game, and what its family has beside."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..games.families import member
from ..play.playable_game import Table
from ..util.errors import InputError
from .evaluation import Choose
from .levels import PAGE, at_level, checked_level


def named_policy(table: Table[Any], text: str) -> Choose:
    """Return what somebody does who follows a policy of people: the choice made in each position that has one.

    Raises:
        InputError: no such policy, or a game that has none.
    """
    return partial(read_policy(table, text).choose, table)


def most_held(table: Table[Any], text: str) -> int:
    """The points in hand from which who follows a policy stops for certain, where that may be."""
    return int(getattr(read_policy(table, text), "most_held", 0))


def read_policy(table: Table[Any], text: str) -> Any:
    """Return the policy of a name, with ``sees`` and ``choose``; ``sheet`` is the page of the most points.

    Raises:
        InputError: there is none.
    """
    if table.unfollowed:
        raise InputError(table.unfollowed)
    name, colon, number = text.partition(":")
    if name == "sheet" and (number or not colon):
        objective = table.objective if number else "points"
        return at_level(table.game, checked_level(number or PAGE), objective).policy
    if not table.game.parts.policy:
        raise InputError(f"{text or 'nothing'} is no policy of {table.game.id}; write sheet:1 to sheet:4")
    return member(table.game.parts.policy)(table, text)
