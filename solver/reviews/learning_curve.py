"""The learner's curve: of what level somebody's decisions are, and what of the next one they miss most dearly.

At every decision that somebody made in the games judged each level's strategy decides too, and what it does costs what
the game says that it costs there. A player plays like the level that loses least of those that lose no less there than
they do; next comes the first above it that loses less than they do. Whatever its page says is weighed by what they lost
more than it where it decides: what weighs most is what to learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..answers.trace import Event
from ..policies.levels import LEVELS
from ..policies.registry import read_policy
from ..util.errors import InputError
from . import Review


def curve(judged: Iterable[tuple[Review, int]]) -> dict[str, Any] | None:
    """Return where somebody stands who sat in these seats, or None: where nothing was decided, or there are no levels.

    The games are of one kind. The shape that scripts rely on:
    ``losses``: what a decision of each level costs on average, where they decided; ``plays_like``: the level, or those
    that are equal there, none where all lose less; ``next``: the level to learn, what it ``says`` on its page, how many
    ``times`` they did otherwise, and what that ``cost`` in all; None if no level above loses less.
    """
    made = [(review, event) for review, seat in judged for event in _decisions(review, seat)]
    if not made:
        return None
    table = made[0][0].game.table
    try:
        levels = [read_policy(table, f"sheet:{level}") for level in range(1, len(LEVELS) + 1)]
    except InputError:
        return None
    own = sum(event.error for _, event in made)
    does = [[policy.choose(review.game.table, event.position) for review, event in made] for policy in levels]
    costs = [[_cost(*one, choice) for one, choice in zip(made, choices, strict=True)] for choices in does]
    losses = [sum(some) for some in costs]
    least = min((loss for loss in losses if loss >= own), default=None)
    like = [level for level, loss in enumerate(losses, 1) if loss == least]
    better = [level for level, loss in enumerate(losses, 1) if loss < own]
    above = next((level for level in better if level > min(like, default=0)), None)
    shape = {"plays_like": like, "losses": [loss / len(made) for loss in losses], "next": None}
    if above is None:
        return shape
    told: dict[str, list[float]] = {}
    for (review, event), choice, cost in zip(made, does[above - 1], costs[above - 1], strict=True):
        if choice != event.choice:
            says = levels[above - 1].explain(review.game.table, event.position)
            told.setdefault(says, []).append(event.error - cost)
    says = max(told, key=lambda one: sum(told[one]))
    return {**shape, "next": {"level": above, "says": says, "times": len(told[says]), "cost": sum(told[says])}}


def _decisions(review: Review, seat: int) -> Iterator[Event[Any]]:
    return (event for event in review.trace.events if event.decision and event.seat == seat)


def _cost(review: Review, event: Event[Any], choice: Any) -> float:
    return event.costs[review.game.table.choices(event.position).index(choice)]
