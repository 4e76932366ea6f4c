"""Dice unlike one another: which of them are left, and not only how many, decides what may be thrown.

Dice with the same weights are of one *kind*. A *hand* is how many dice of each kind are left; hands are numbered from 1
on, smaller ones first, so that the whole hand has the highest number and stands where other games have their number of
dice. A throw is told by *symbols*, a face of a kind each: ``5`` of a plain die, ``5-lucky`` of a lucky one. What scores
knows faces only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product

from ..ground import multiset
from .pushluck import Counts, PushRules

Hand = tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """Dice of one kind: their name, how many there are, and how many equally likely sides show each face."""

    name: str
    count: int
    weights: tuple[int, ...]


@dataclass(frozen=True)
class UnlikeRules(PushRules):
    """Rules of a game with dice of several kinds. ``dice`` is the number of the whole hand."""

    kinds: tuple[Kind, ...] = field(kw_only=True)

    @property
    def adds_up(self) -> bool:
        """No: throws of dice of several kinds are listed."""
        return False

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """Every hand that can be thrown, by its number less one."""
        found = product(*(range(kind.count + 1) for kind in self.kinds))
        return tuple(sorted((hand for hand in found if any(hand)), key=lambda hand: (sum(hand), hand)))

    @cached_property
    def _numbers(self) -> dict[Hand, int]:
        return {hand: number for number, hand in enumerate(self.hands, 1)}

    @cached_property
    def _parts(self) -> tuple[tuple[int, int], ...]:
        """Kind and face of each symbol."""
        return tuple(
            (number, face)
            for number, kind in enumerate(self.kinds)
            for face, weight in enumerate(kind.weights)
            if weight
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """What is told of a die that lies: its face, and its kind where that has a name."""
        named = ((self.faces[face], self.kinds[kind].name) for kind, face in self._parts)
        return tuple(f"{face}-{name}" if name else face for face, name in named)

    def folded(self, counts: Counts) -> Counts:
        """The faces that symbols show."""
        if counts not in self._folded:
            faces = [0] * len(self.faces)
            for (_, face), count in zip(self._parts, counts, strict=True):
                faces[face] += count
            self._folded[counts] = tuple(faces)
        return self._folded[counts]

    @cached_property
    def _folded(self) -> dict[Counts, Counts]:
        return {}

    @cached_property
    def useful(self) -> tuple[bool, ...]:
        """By symbol, whether any set that scores holds its face."""
        by_face = self.useful_faces
        return tuple(by_face[face] for _, face in self._parts)

    def _kinds_of(self, counts: Counts) -> Hand:
        found = [0] * len(self.kinds)
        for (kind, _), count in zip(self._parts, counts, strict=True):
            found[kind] += count
        return tuple(found)

    def hand(self, roll: Counts) -> int:
        """The number of the hand that a roll was thrown with; 0 if there is none."""
        return self._numbers.get(self._kinds_of(roll), 0)

    def left(self, dice: int, taken: Counts) -> int:
        """The hand that is left, 0 if none is."""
        hand = tuple(have - out for have, out in zip(self.hands[dice - 1], self._kinds_of(taken), strict=True))
        return self._numbers.get(hand, 0)

    def size(self, dice: int) -> int:
        """How many dice a hand has."""
        return sum(self.hands[dice - 1])

    def hand_in_words(self, dice: int) -> str:
        """How many dice, and of which kinds."""
        some = [
            f"{count} {kind.name or 'plain'}"
            for count, kind in zip(self.hands[dice - 1], self.kinds, strict=True)
            if count
        ]
        return f"{super().hand_in_words(self.size(dice))} ({', '.join(some)})"

    def names_of(self, dice: int) -> list[str]:
        """The kinds of the dice of a hand, as positions tell them."""
        hand = zip(self.hands[dice - 1], self.kinds, strict=True)
        return [kind.name or "plain" for count, kind in hand for _ in range(count)]

    def throws(self, dice: int) -> Iterator[tuple[Counts, int]]:
        """List the throws of a hand with the number of ordered throws behind each."""
        parts = []
        for count, kind in zip(self.hands[dice - 1], self.kinds, strict=True):
            weights = [weight for weight in kind.weights if weight]
            rows = multiset.multisets(count, len(weights))
            ways = multiset.weights(rows, weights).tolist()
            parts.append(list(zip(map(tuple, rows.tolist()), ways, strict=True)))
        for chosen in product(*parts):
            yield tuple(chain.from_iterable(counts for counts, _ in chosen)), math.prod(ways for _, ways in chosen)
