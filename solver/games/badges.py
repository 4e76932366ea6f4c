"""Badges: what a player may do a number of times in a game, as data of push-your-luck races.

A badge is a rule with a number, 0 if players do not have it:

- ``warlord``: before the first roll of one turn the player may say that its points count so many percent more;
- ``resurrection``: so many times a player may roll the same dice again after a bust, with the turn points so far;
- ``emperor``: so many times a player may count three 1s, set aside from one roll, EMPEROR_FACTOR times.

Using a badge is a choice. How often a player may still use each of them is a part of the position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..util.errors import InputError

if TYPE_CHECKING:
    from . import Game

FAMILY = "badges"  # of games in which a player has a badge
BADGES = ("warlord", "resurrection", "emperor")  # the rules, in the order of ``Uses``
WARLORD, RESURRECTION, EMPEROR = range(len(BADGES))
Uses = tuple[int, int, int]  # how often a player may still use each badge
EMPEROR_FACE, EMPEROR_COUNT, EMPEROR_FACTOR = "1", 3, 3  # three 1s count three times as much


def use_badge(uses: Uses, badge: int) -> Uses:
    """Return the uses that are left after a badge, given by its number, is used once."""
    warlord, resurrection, emperor = (left - (number == badge) for number, left in enumerate(uses))
    return warlord, resurrection, emperor


def refuse_badges(game: Game, task: str) -> None:
    """Raise InputError if players have badges, because a task is done without them.

    Args:
        game: the game.
        task: the task, in words that "without badges" can follow, such as "hands of dice are compared".
    """
    if game.family == FAMILY:
        raise InputError(f"{task} without badges: leave {', '.join(BADGES)} out of the rules")
