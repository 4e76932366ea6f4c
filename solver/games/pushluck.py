"""Push-your-luck dice games as data, and the turn that the data describes.

Throw the dice, set aside dice that score, then stop and bank the points in hand or throw the rest; a throw that scores
nothing ends the turn without points. A *set* is what is set aside from one throw. Its worth is the best way to read it
as single faces, several alike and patterns (straights), every die contributing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from ..core import multiset
from ..errors import InputError
from ..turns.push import BUST, Choice, Mode, PushTurn, Throw

Counts = tuple[int, ...]  # how often each face shows, in the order of PushRules.faces

# The special endings of every compiled turn, as the choices that lead to them; ending 0 is BUST.
WIN, WIPE = Choice(-2), Choice(-3)
SPECIALS = 3


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
        finish: "at_least" the target wins at once; "exact": a set that would pass it may not be taken; "last_round":
            once somebody holds at least the target, every other player has one last turn.
        hot_dice: once all dice are set aside, the player "free": may throw them all again, "must": must throw them all
            again, "none": has ended the turn and banks.
        specials: whole throws with a meaning of their own, as (throw, effect, points): "win" the game at once, "bust",
            "wipe": lose the whole score, "again": score so many points and throw all dice once more.
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
    hot_dice: str = "free"
    specials: tuple[tuple[Counts, str, int], ...] = ()

    @cached_property
    def grain(self) -> int:
        """All points of a turn are multiples of this."""
        points = {value for face in self.values for value in face}
        points |= {value for _, value in self.patterns} | {value for *_, value in self.specials}
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

    def special(self, roll: Counts) -> tuple[str, int] | None:
        """Effect and points of a throw with a meaning of its own."""
        return next(((effect, points) for throw, effect, points in self.specials if throw == roll), None)

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

    def mode(self, dice: int) -> int:
        """Return the mode of the compiled turn in which so many dice are thrown, and stopping is offered."""
        return dice - 1

    @property
    def forced(self) -> int:
        """The mode in which all dice must be thrown again."""
        return self.dice

    @property
    def ended(self) -> int:
        """The mode in which nothing is left but to bank."""
        return self.dice + 1

    def after(self, dice: int, taken: Counts) -> int:
        """Return the mode that follows once a set is taken from a throw of so many dice."""
        if sum(taken) < dice:
            return self.mode(dice - sum(taken))
        return {"free": self.mode(self.dice), "must": self.forced, "none": self.ended}[self.hot_dice]

    @cached_property
    def turn(self) -> PushTurn:
        """The turn, in units of ``grain``: mode ``mode(d)`` throws d dice; stopping is offered with points in hand."""
        modes = [
            Mode(f"{dice} {'die' if dice == 1 else 'dice'}", bank=0, bank_from=1, throws=(self.throw(dice),))
            for dice in range(1, self.dice + 1)
        ]
        groups = [list(range(self.dice))]
        if self.hot_dice != "free" or any(effect == "again" for _, effect, _ in self.specials):
            modes.append(Mode("all dice once more", bank=None, bank_from=0, throws=modes[-1].throws))
            modes.append(Mode("all dice set aside", bank=0, bank_from=0, throws=()))
            groups = [[self.ended], [*groups[0], self.forced]]
        return PushTurn(modes, groups, self.mode(self.dice), SPECIALS, forbid=self.finish == "exact")

    def throw(self, dice: int) -> Throw:
        """Compile one throw of so many dice."""
        classes: dict[tuple[Choice, ...], int] = {}
        for roll, ways in self.throws(dice):
            key = self.choices(dice, roll)
            classes[key] = classes.get(key, 0) + ways
        return Throw(tuple(classes.items()))

    def choices(self, dice: int, roll: Counts) -> tuple[Choice, ...]:
        """Return what a throw offers, in units of ``grain`` and the documented order of preference."""
        if special := self.special(roll):
            effect, points = special
            again = Choice(self.forced, points // self.grain)
            return ({"win": WIN, "bust": BUST, "wipe": WIPE, "again": again}[effect],)
        # Different sets with the same points and the same dice left are one choice.
        choices = (Choice(self.after(dice, taken), self.worth(taken) // self.grain) for taken in self.sets(roll))
        return tuple(dict.fromkeys(choices)) or (BUST,)


def aces_and_fives(
    rules: Mapping[str, Any],
    dice: int,
    *,
    minimum_on_win: bool,
    hot_dice: str = "free",
    specials: tuple[tuple[Counts, str, int], ...] = (),
) -> PushRules:
    """Return a game of the family of 5000, Beartrap and Farkle by their shared options: 1 = 100, 5 = 50, three alike
    100 x face and three 1s 1,000, a straight of all dice; all points in steps of 50.

    Raises:
        InputError: points off the grain, or an opening that nobody could ever bank.
    """
    for key in ("target", "opening", "minimum", "straight"):
        if rules[key] % 50:
            raise InputError(f"{key}={rules[key]} must be a multiple of 50, as every score of this game is")
    if rules["opening"] > rules["target"]:
        raise InputError(f"opening={rules['opening']} is above target={rules['target']}: nobody could ever score")
    singles_and_triples = ((100, 1000), (0, 200), (0, 300), (0, 400), (50, 500), (0, 600))
    return PushRules(
        dice=dice,
        faces=("1", "2", "3", "4", "5", "6"),
        weights=(1, 1, 1, 1, 1, 1),
        values=tuple(
            face_values(dice, single, kinds_alike(dice, triple, rules["kinds"]))
            for single, triple in singles_and_triples
        ),
        patterns=straights(dice, 6, rules["straight"]),
        set_aside=rules["set_aside"],
        target=rules["target"],
        opening=rules["opening"],
        minimum=rules["minimum"],
        minimum_on_win=minimum_on_win,
        finish=rules["finish"],
        hot_dice=hot_dice,
        specials=specials,
    )


def face_values(dice: int, single: int, alike: Mapping[int, int]) -> tuple[int, ...]:
    """Points of 0 to ``dice`` of one face: the best reading as singles and so many alike, 0 where there is none.

    ``single`` is what one die of the face scores (0: nothing), ``alike[n]`` what n alike on one throw score.
    """
    values = [0]
    for count in range(1, dice + 1):
        ways = [alike[n] + values[count - n] for n in alike if n == count or (n < count and values[count - n])]
        if single and (count == 1 or values[count - 1]):
            ways.append(single + values[count - 1])
        values.append(max(ways, default=0))
    return tuple(values)


def kinds_alike(dice: int, triple: int, kinds: str) -> dict[int, int]:
    """What three and more alike score. "plain": only the triple; "doubling": each die beyond three doubles it."""
    most = 3 if kinds == "plain" else dice
    return {count: triple << count - 3 for count in range(3, most + 1)}


def straights(length: int, faces: int, points: int) -> tuple[tuple[Counts, int], ...]:
    """Every run of ``length`` faces in a row as a pattern worth ``points``; no pattern for 0 points."""
    runs = (tuple(int(low <= face < low + length) for face in range(faces)) for low in range(faces - length + 1))
    return tuple((run, points) for run in runs) if points else ()
