"""A turn as a page carries it: throws, what may fall, and what may then be chosen, in the game's own words.

It is walked once in the game as it is played, so a page knows no rules. Points in hand are left open: words hold
``{,}`` (or ``{}``, without separators) where they name them, and a choice says how many it adds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..play.table import Choice

# How a position inside a turn is told: fields with what stands there; ``{}`` are the points in hand, ``*`` the dice.
Form = tuple[tuple[str, str], ...]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # a die is told by the number of its face
ALWAYS, COUNTS, NOT = 0, 1, 2  # when a choice is there: always, where its points count if banked, where they do not


@dataclass
class Pool:
    """Things that are told once and then by their number."""

    known: dict[Hashable, int] = field(default_factory=dict)

    def __call__(self, one: Hashable) -> int:
        """The number of a thing."""
        return self.known.setdefault(one, len(self.known))

    def __iter__(self) -> Any:
        return iter(self.known)


@dataclass
class TurnGraph:
    """The throws, decisions and choices of a turn.

    A choice is (words, dice kept, points added, dice left, then, kind of what follows, its number, when it is there):
    words and kinds by their numbers in ``words``; what follows a throw is the number of the throw.
    """

    faces: Sequence[str]
    words: Pool = field(default_factory=Pool)
    choices: Pool = field(default_factory=Pool)
    lists: Pool = field(default_factory=Pool)
    forms: Pool = field(default_factory=Pool)
    decisions: list[tuple[int, int, int, str]] = field(default_factory=list)
    throws: list[dict[str, Any]] = field(default_factory=list)

    def dice(self, shown: Iterable[object]) -> str:
        """Dice by the numbers of their faces."""
        return "".join(DIGITS[self.faces.index(str(face))] for face in shown)

    def choice(self, choice: Choice[Any], words: str, add: int, kind: str, to: int, when: int = ALWAYS) -> int:
        """Enter a choice."""
        kept = self.dice(choice.keep)
        return self.choices(
            (self.words(words), kept, add, choice.dice_left, self.words(choice.then), self.words(kind), to, when)
        )

    def decision(self, choices: Sequence[int], form: Form, shown: Iterable[object] = (), note: str = "") -> int:
        """Enter a decision; ``form``: how its position is told, and ``shown`` the dice that lie."""
        self.decisions.append((self.lists(tuple(choices)), self.words(note), self.forms(form), self.dice(shown)))
        return len(self.decisions) - 1

    def throw(self, form: Form, falls: Sequence[int], weights: Sequence[int], **told: Any) -> None:
        """Enter a throw: the decisions that it may fall to; ``told``: what else the page must know of it."""
        self.throws.append({"form": self.forms(form), "falls": runs(falls), "weights": list(weights), **told})

    def as_json(self) -> dict[str, Any]:
        """The graph as the page reads it."""
        pools = {name: list(getattr(self, name)) for name in ("words", "choices", "lists", "forms")}
        return {"faces": list(self.faces), **pools, "decisions": self.decisions, "throws": self.throws}


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """Whole numbers as runs of neighbours: where each begins, and how long it is."""
    found: list[list[int]] = []
    for number in numbers:
        if found and sum(found[-1]) == number:
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return found


def with_points(words: str, points: int) -> str:
    """Words with the points in hand left open."""
    return words.replace(f" {points:,}", " {,}")
