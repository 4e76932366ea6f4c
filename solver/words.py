"""Rules in words, from the data that is solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TypeVar

from .games import Game
from .games.cards import Card
from .games.pushluck import Counts, PushRules

Meaning = TypeVar("Meaning")

EFFECTS = {
    "win": "wins the game at once",
    "bust": "ends the turn without points",
    "wipe": "ends the turn and loses the whole score",
}


def in_words(game: Game) -> Iterator[str]:
    """Say what is thrown and what scores, a line at a time; nothing for a game whose options say it all."""
    if isinstance(game.data, PushRules):
        yield from scoring(game.data)
    elif isinstance(game.data, Card):
        yield from card(game.data)


def card(rules: Card) -> Iterator[str]:
    """Say what a card counts."""
    fair = len(set(rules.weights)) == 1
    weights = "" if fair else f", weighted {' '.join(map(str, rules.weights))}"
    yield f"{rules.dice} dice with the faces 1 to {rules.faces}{weights}; {rules.throws} throws, any dice kept between."
    parts = f" The dice are split in {rules.boxes}, each part for a category of its own." if rules.boxes > 1 else ""
    yield f"{len(rules.categories)} categories, each filled once; zeros may be entered.{parts}"
    for category in rules.categories:
        counted = {"sum": "all spots", "groups": "the spots of those dice"}
        spots = counted.get(str(category.points), str(category.points))
        if category.kind == "face":
            yield f"  {category.name}: the spots of the dice that show {category.face}"
        elif category.kind == "chance":
            yield f"  {category.name}: all spots"
        elif category.kind == "straight":
            runs = " or ".join("-".join(map(str, run)) for run in category.run)
            yield f"  {category.name}: {runs}, {spots}"
        else:
            alike = " and ".join(f"{size} alike" for size in category.groups)
            more = ", or all alike" if category.all_alike else ""
            yield f"  {category.name}: {alike}{more}, {spots}"
    if rules.bonus:
        yield f"{rules.bonus} more points once {', '.join(rules.upper)} hold {rules.bonus_at} together."
    if rules.again_bonus:
        yield f"{rules.again_bonus} more for every later throw of all alike, if {rules.again} holds points."


def scoring(rules: PushRules) -> Iterator[str]:
    """Say what is thrown and what scores, a line at a time."""
    fair = len(set(rules.weights)) == 1
    weights = "" if fair else f", weighted {' '.join(map(str, rules.weights))}"
    yield f"{rules.dice} {'die' if rules.dice == 1 else 'dice'} with the faces {' '.join(rules.faces)}{weights}."
    single = {face: values[1] for face, values in zip(rules.faces, rules.values, strict=True) if values[1]}
    if single:
        yield "One die: " + ", ".join(f"{face} = {points:,}" for face, points in single.items()) + "."
    for count in range(2, rules.dice + 1):
        alike = {
            face: values[count]
            for face, values in zip(rules.faces, rules.values, strict=True)
            if values[count] and values[count] != values[count - 1] + values[1]
        }
        if alike:
            yield f"{count} alike on one throw: " + ", ".join(f"{f} = {p:,}" for f, p in alike.items()) + "."
    for dice, points in _grouped(rules, list(rules.patterns)):
        yield f"{dice} on one throw: {points:,}."
    specials = [(counts, (effect, more)) for counts, effect, more in rules.specials]
    for dice, (effect, points) in _grouped(rules, specials):
        meaning = EFFECTS.get(effect, f"scores {points:,}, and all dice must be thrown again")
        yield f"{dice} as a whole throw {meaning}."


def _grouped(rules: PushRules, throws: Sequence[tuple[Counts, Meaning]]) -> Iterator[tuple[str, Meaning]]:
    """Throws as dice; those that mean the same for all choices of faces as letters."""
    by_shape: dict[tuple[Counts, Meaning], list[Counts]] = {}
    for counts, meaning in throws:
        by_shape.setdefault((tuple(sorted(counts)), meaning), []).append(counts)
    for (shape, meaning), group in by_shape.items():
        if len(group) == len(set(permutations(shape))) > 1:
            repeats = sorted((count for count in shape if count), reverse=True)
            yield " ".join(chr(ord("a") + i) for i, n in enumerate(repeats) for _ in range(n)) + " (any faces)", meaning
        else:
            for counts in group:
                yield " ".join(f for f, n in zip(rules.faces, counts, strict=True) for _ in range(n)), meaning
