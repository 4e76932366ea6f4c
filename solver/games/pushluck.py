"""Push-your-luck dice games as data, and the turn that the data describes.

Throw the dice, set aside dice that score, then stop and bank the points in hand or throw the rest; a throw that scores
nothing ends the turn without points. A *set* is what is set aside from one throw. Its worth is the best way to read it
as single faces, several alike and patterns (straights), every die contributing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ..core import multiset
from ..turns.push import BUST, Choice, Mode, PushTurn, Throw

Counts = tuple[int, ...]  # how often each face shows, in the order of PushRules.faces


@dataclass(frozen=True)
class PushRules:
    """The rules of one push-your-luck game.

    Attributes:
        dice: dice in a fresh throw.
        faces: name of each face; weights: how many equally likely sides of a die show it.
        values: per face the points of exactly 0, 1, 2, ... of it within one set; 0 where those do not all contribute.
        patterns: other scoring combinations, as counts of faces, with their points.
        set_aside: "free": any set in which every die contributes; "all": the set of highest worth, and of those
            with the same worth the one with most dice.
        target: total that wins; opening: least points of a first bank; minimum: least points of every later bank.
        minimum_on_win: whether minimum and opening also hold on the winning turn.
        finish: "at_least" the target, or "exact": a set that would pass it may not be taken.
    """

    dice: int
    faces: tuple[str, ...]
    weights: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    patterns: tuple[tuple[Counts, int], ...] = ()
    set_aside: str = "free"
    target: int = 0
    opening: int = 0
    minimum: int = 0
    minimum_on_win: bool = True
    finish: str = "at_least"

    @cached_property
    def grain(self) -> int:
        """All points of a turn are multiples of this."""
        points = {value for face in self.values for value in face} | {value for _, value in self.patterns}
        return math.gcd(*points)

    @cached_property
    def _worth(self) -> dict[Counts, int]:
        return {}

    def worth(self, counts: Counts) -> int:
        """Points of a set: the best reading in which every die contributes; 0 where there is none."""
        if counts in self._worth:
            return self._worth[counts]
        by_face = [self.values[face][count] for face, count in enumerate(counts) if count]
        best = sum(by_face) if all(by_face) else 0
        for pattern, points in self.patterns:
            rest = tuple(have - need for have, need in zip(counts, pattern, strict=True))
            if min(rest) >= 0:
                others = self.worth(rest) if any(rest) else 0
                if others or not any(rest):
                    best = max(best, points + others)
        self._worth[counts] = best
        return best

    def sets(self, roll: Counts) -> list[Counts]:
        """Return the sets that may be taken from a throw, most points first, then fewest dice; none: a bust."""
        parts = product(*(range(count, -1, -1) for count in roll))
        scoring = [part for part in parts if any(part) and self.worth(part)]
        scoring.sort(key=lambda part: (-self.worth(part), sum(part), [-count for count in part]))
        if self.set_aside == "all" and scoring:
            return [max(scoring, key=lambda part: (self.worth(part), sum(part)))]
        return scoring

    def throws(self, dice: int) -> Iterator[tuple[Counts, int]]:
        """List the throws of so many dice with the number of ordered throws behind each."""
        rows = multiset.multisets(dice, len(self.faces))
        return zip(map(tuple, rows.tolist()), multiset.weights(rows, self.weights).tolist(), strict=True)

    def dice_left(self, dice: int, taken: Counts) -> int:
        """Dice to throw next; after the last die all of them, fresh."""
        return dice - sum(taken) or self.dice

    def mode(self, dice: int) -> int:
        """Return the mode of the compiled turn in which so many dice are thrown."""
        return dice - 1

    @cached_property
    def turn(self) -> PushTurn:
        """The turn, in units of ``grain``: mode ``mode(d)`` throws d dice; stopping is offered with points in hand."""
        return PushTurn(
            modes=[
                Mode(
                    f"{dice} {'die' if dice == 1 else 'dice'}",
                    bank=0,
                    bank_from=1,
                    throws=(self._throw(dice),),
                )
                for dice in range(1, self.dice + 1)
            ],
            groups=[list(range(self.dice))],
            start=self.mode(self.dice),
            forbid=self.finish == "exact",
        )

    def _throw(self, dice: int) -> Throw:
        classes: dict[tuple[Choice, ...], int] = {}
        for roll, ways in self.throws(dice):
            # Different sets with the same points and the same dice left are one choice.
            choices = dict.fromkeys(
                Choice(self.mode(self.dice_left(dice, taken)), self.worth(taken) // self.grain)
                for taken in self.sets(roll)
            )
            key = tuple(choices) or (BUST,)
            classes[key] = classes.get(key, 0) + ways
        return Throw(tuple(classes.items()))


def kind_values(dice: int, single: int, triple: int, kinds: str) -> tuple[int, ...]:
    """Points of 0 to ``dice`` of one face: singles, three alike, and beyond three as ``kinds`` says.

    "plain": dice beyond three count singly; "doubling": each doubles the triple.
    """
    values = [0, single, 2 * single]
    for count in range(3, dice + 1):
        spare = count - 3
        if kinds == "doubling":
            values.append(triple << spare)
        else:
            values.append(triple + spare * single if single or not spare else 0)
    return tuple(values[: dice + 1])


def straights(length: int, faces: int, points: int) -> tuple[tuple[Counts, int], ...]:
    """Every run of ``length`` faces in a row as a pattern worth ``points``; no pattern for 0 points."""
    runs = (tuple(int(low <= face < low + length) for face in range(faces)) for low in range(faces - length + 1))
    return tuple((run, points) for run in runs) if points else ()
