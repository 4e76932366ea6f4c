"""Badges: what a player may do a number of times in a game, as data of push-your-luck races.

A badge is a rule with a number, 0 if players do not have it:

- ``warlord``: before the first roll of one turn the player may say that its points count so many percent more;
- ``resurrection``: so many times a player may roll the same dice again after a bust, with the turn points so far;
- ``emperor``: so many times a player may count three 1s, set aside from one roll, EMPEROR_FACTOR times.

Using a badge is a choice. How often a player may still use each of them is a part of the position.

Badges of advantage are not used up: each adds a set that scores (``FORMATIONS``). Its rule is a number of points, 0 if
players do not have it. They are patterns like others, and need no state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..util.errors import InputError

if TYPE_CHECKING:
    from . import Game

FAMILY = "badges"  # of games in which a player has a badge
BADGES = ("warlord", "resurrection", "emperor")  # the rules, in the order of ``Uses``
WARLORD, RESURRECTION, EMPEROR = range(len(BADGES))
Uses = tuple[int, int, int]  # how often a player may still use each badge
FORMATIONS = {"cut": "35", "gallows": "456", "eye": "135"}  # by rule, the dice of the set
EMPEROR_FACE, EMPEROR_COUNT, EMPEROR_FACTOR = "1", 3, 3  # three 1s count three times as much


def use_badge(uses: Uses, badge: int) -> Uses:
    """Return the uses that are left after a badge, given by its number, is used once."""
    warlord, resurrection, emperor = (left - (number == badge) for number, left in enumerate(uses))
    return warlord, resurrection, emperor


def patterns_of_rules(rules: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the patterns of a rule file, with the formations of badges of advantage."""
    formations = [
        {"name": key, "dice": dice, "points": rules[key]} for key, dice in FORMATIONS.items() if rules.get(key)
    ]
    return [*rules.get("pattern", ()), *formations]


def refuse_badges(game: Game, refusal: str) -> None:
    """Raise InputError if players have badges, because a task is done without them.

    Args:
        game: the game.
        refusal: what cannot be done, such as "hands of dice cannot be compared".
    """
    if game.family == FAMILY:
        raise InputError(
            f"{refusal} if players have badges; leave {', '.join(BADGES[:-1])} and {BADGES[-1]} out of the rules"
        )
