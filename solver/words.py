"""Rules of push-your-luck games in words, from the data that is solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TypeVar

from .games.pushluck import Counts, PushRules

Meaning = TypeVar("Meaning")

EFFECTS = {
    "win": "wins the game at once",
    "bust": "ends the turn without points",
    "wipe": "ends the turn and loses the whole score",
}


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
