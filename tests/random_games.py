"""Games played at random, as their files tell them."""

from __future__ import annotations

import random
from typing import Any

from keepwise.play.gamefile import GameFile, Seated, Step
from keepwise.play.table import Table


def seated(table: Table[Any]) -> tuple[Seated, ...]:
    """Somebody in every seat."""
    names = ("Ann", "Bob", "Cleo", "Dora")
    return tuple(Seated(names[seat]) for seat in range(table.players))


def played_at_random(table: Table[Any], seed: int, most: int = 10_000) -> GameFile:
    """A game in which everybody chooses at random, seldom far from the first choice; ``most`` lines of it."""
    game, rng = GameFile(table, seated(table), seed=seed), random.Random(seed)
    while not game.over and len(game.told) < most:
        if table.stage(game.position) == "throw":
            game.throw()
        else:
            choices = table.choices(game.position)
            game.choose(choices[0] if rng.random() < 0.6 else rng.choice(choices))
    return game


def brought(table: Any, step: Step) -> str:
    """How a table would tell what a turn brought that ends with this step."""
    assert step.choice is not None
    choice, family = step.choice, table.game.family
    if family == "card":
        words = choice.action.removeprefix("enter ")
        if table.card.boxes == 1:
            points, name = words.split(" in ")
            return f"{name} {points}"
        return ", ".join(part.partition(" (")[0] for part in words.split(" and "))
    if family == "touch":
        size = table.tell(step.position).get("touched")
        return "pass" if choice.then == "pass" else f"{size} tripped" if "trips" in choice.action else size
    if choice.then == "win":
        return "win"
    if "lose the whole score" in choice.action:
        return "wipe"
    return str(choice.points if choice.then in ("bank", "stop", "end") and "nothing" not in choice.action else 0)
