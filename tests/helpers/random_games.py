"""Games played at random, as their files tell them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from keepwise.play.choice_kinds import ChoiceKind
from keepwise.play.game_file import GameFile, SeatedPlayer, Step
from keepwise.play.playable_game import Choice, PlayableGame


def seated(playable: PlayableGame[Any]) -> tuple[SeatedPlayer, ...]:
    """Somebody in every seat."""
    names = ("Ann", "Bob", "Cleo", "Dora")
    return tuple(SeatedPlayer(names[seat]) for seat in range(playable.players))


def played_at_random(playable: PlayableGame[Any], seed: int, most: int = 10_000) -> GameFile:
    """A game in which everybody chooses at random, seldom far from the first choice; ``most`` lines of it."""
    game, rng = GameFile(playable, seated(playable), seed=seed), random.Random(seed)
    while not game.is_over and len(game.written_steps) < most:
        if playable.stage(game.position) == "throw":
            game.roll()
        else:
            choices = playable.choices(game.position)
            game.choose(choices[0] if rng.random() < 0.6 else rng.choice(choices))
    return game


def decisions_by_chance(
    playable: PlayableGame[Any], player: Callable[[Any], Choice[Any]], seed: int, enough: int
) -> Iterator[tuple[Any, Sequence[Choice[Any]], Choice[Any]]]:
    """So many positions in which somebody chooses, and some more to the end of a game; their choices, and what the
    player does there. Games go on by it seven times of ten, and by chance else.
    """
    draw, asked = random.Random(seed), 0
    while asked < enough:
        position = playable.start()
        while playable.stage(position) != "over":
            if playable.stage(position) == "throw":
                falls = [*playable.rolls(position)]
                position = draw.choices([after for _, after in falls], [ways for ways, _ in falls])[0]
                continue
            choices, said = playable.choices(position), player(position)
            asked += len(choices) > 1
            yield position, choices, said
            position = said.after if draw.random() < 0.7 else draw.choice(choices).after


def brought(playable: Any, step: Step) -> str:
    """How a table would tell what a turn brought that ends with this step."""
    assert step.choice is not None
    choice, family = step.choice, playable.game.family
    if family == "card":
        words = choice.action.removeprefix("enter ")
        if playable.card.boxes == 1:
            points, name = words.split(" in ")
            return f"{name} {points}"
        return ", ".join(part.partition(" (")[0] for part in words.split(" and "))
    if family == "touch":
        size = playable.to_dict(step.position).get("touched")
        return "pass" if choice.follow_up == "pass" else f"{size} tripped" if choice.kind is ChoiceKind.BUST else size
    if choice.kind in (ChoiceKind.WIN, ChoiceKind.WIPE):
        return choice.kind.value
    return str(choice.points if choice.kind in (ChoiceKind.BANK, ChoiceKind.SCORE) else 0)
