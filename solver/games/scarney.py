"""Straight Scarney: five dice with 1, 3, 4, 6 and two dead sides. Source: Straight Scarney Dice, John Scarne."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..turns.push_turn import UNLIMITED_POINTS, Mode, PushTurn, Roll, TurnChoice
from ..util import multiset
from ..util.number_format import format_count
from .rule_options import Option

TITLE = "Straight Scarney"
FAMILY = "scarney"
OBJECTIVES = ("win", "points", "chips")

OPTIONS = (
    Option("frames", 7, '"A complete game consists of seven frames"', low=1, high=20),
    Option(
        "double",
        "free",
        'before the first throw of a frame and after a dead throw the shooter may "double the points" of the next;'
        " bonuses are not doubled, and of a single die only 1 and 6; free leaves out the chip it costs; off: never;"
        " chips: it costs one chip into the pot, for the objective chips",
        choices=("free", "off", "chips"),
    ),
    Option("ante", 10, '"an agreed-upon equal number of chips" that each player has put into the pot', low=1, high=100),
    Option(
        "little",
        "score",
        'four dead dice on a throw of five: "bonus of 25 points", earlier points stay, the live die may be thrown;'
        " dead: it cancels earlier points and leaves 25",
        choices=("score", "dead"),
    ),
)

DICE = 5
FACES = ("1", "3", "4", "6", "d")
SPOTS = (1, 3, 4, 6, 0)
WEIGHTS = (1, 1, 1, 1, 2)  # the word dead stands on two opposite sides

Counts = tuple[int, ...]


def bonus(counts: Counts) -> int:
    """The one highest bonus of a live throw, of five dice or fewer; five alike is no bonus but Big Scarney."""
    alike = sorted(counts[:4], reverse=True)
    if alike[0] == 4:
        return 40
    if alike[:2] == [3, 2]:
        return 30
    if alike[0] == 3:
        return 20
    return 10 if alike[:2] == [2, 2] else 0


def spots(counts: Counts, doubled: bool) -> int:
    """Spots of a live throw; doubled, of a single die only 1 and 6 count twice."""
    single = sum(counts) == 1
    return sum(
        count * face * (2 if doubled and not (single and face in (3, 4)) else 1)
        for count, face in zip(counts, SPOTS, strict=True)
    )


@dataclass(frozen=True)
class ScarneyRules:
    """A frame's rules.

    ``big`` says whether five alike on one throw of five win the game at once; where they do not (the objective
    ``points``), they are ordinary dice: their spots, or five dead and a crap-out. ``chips`` says whether a double-down
    costs a chip; then the frame also counts the chips spent in it, from 0 to 5.
    """

    frames: int
    double: bool
    little: str
    chips: bool = False
    big: bool = True

    @property
    def levels(self) -> int:
        """Numbers of chips that can have been spent in a frame: each double-down but the last loses a die at least."""
        return DICE + 1 if self.chips else 1

    def crapped(self, spent: int = 0) -> TurnChoice:
        """The ending without points, by chips spent."""
        return TurnChoice(-1 - spent)

    @property
    def big_scarney(self) -> TurnChoice:
        """The ending that wins the game at once; it follows those without points."""
        return TurnChoice(-1 - self.levels)

    @property
    def specials(self) -> int:
        """Number of special endings."""
        return self.levels + 1

    def outcome(self, counts: Counts, doubled: bool, spent: int = 0) -> TurnChoice:
        """What a throw leads to, by the counts of its faces: a mode and points, Big Scarney, or crapping out."""
        dice, dead = sum(counts), counts[4]
        if self.big and max(counts) == DICE:
            return self.big_scarney
        if dead == 0:
            alike = 0 if max(counts) == DICE else bonus(counts)
            return TurnChoice(self.holding(dice, spent), spots(counts, doubled) + alike)
        if dice == DICE and dead == 4:
            return TurnChoice(self.holding(1, spent), 25, keeps_points=self.little == "score")
        return TurnChoice(self.free(dice - dead, spent), 0, keeps_points=False) if dead < dice else self.crapped(spent)

    def most_spent(self, live: int, holds: bool) -> int:
        """The most chips that can have been spent by a decision with so many live dice, with points held or not."""
        return min(self.levels, DICE + 1 + holds - live) - 1

    @cached_property
    def _places(self) -> dict[tuple[int, bool, int], int]:
        """(live dice, whether points are held, chips spent) -> mode; fewer dice first: dead throws only lead there."""
        places = [
            (live, holds, spent)
            for live in range(1, DICE + 1)
            for holds in (True, False)
            for spent in range(self.most_spent(live, holds) + 1)
        ]
        return {place: mode for mode, place in enumerate(places)}

    def holding(self, live: int, spent: int = 0) -> int:
        """The mode in which so many dice are live and points are held: stop or hit."""
        return self._places[live, True, spent]

    def free(self, live: int, spent: int = 0) -> int:
        """The mode in which so many dice are live and no points are held: throw, or double down."""
        return self._places[live, False, spent]

    @cached_property
    def turn(self) -> PushTurn:
        """The frame, where chips do not count."""
        return self.frame(0)

    def frame(self, block: int) -> PushTurn:
        """Compile the frame; with chips, the endings of each number spent begin ``block`` after those of one fewer."""
        modes = []
        for live, holds, spent in self._places:
            name = f"{live} live, holding {'points' if holds else 'nothing'}"
            throws = [self.throw(live, False, spent)]
            if not holds and self.double:
                throws.append(self.throw(live, True, spent + self.chips))
            bank = block * spent if holds else None
            modes.append(
                Mode(
                    name, bank_ending=bank, min_bank=1, rolls=tuple(throws), max_points=UNLIMITED_POINTS if holds else 0
                )
            )
        groups = [[mode] for mode in range(len(modes))]
        return PushTurn(modes, groups, self.free(DICE), self.specials)

    def throw(self, live: int, doubled: bool, spent: int = 0) -> Roll:
        """Compile a throw of the live dice."""
        rows = multiset.list_multisets(live, len(FACES))
        classes: dict[tuple[TurnChoice, ...], int] = {}
        for counts, ways in zip(rows.tolist(), multiset.multiset_weights(rows, WEIGHTS).tolist(), strict=True):
            key = (self.outcome(tuple(counts), doubled, spent),)
            classes[key] = classes.get(key, 0) + ways
        return Roll(tuple(classes.items()))


def compile_rules(rules: Mapping[str, Any]) -> ScarneyRules:
    """Return the rules as data."""
    double = rules["double"]
    return ScarneyRules(rules["frames"], double != "off", rules["little"], chips=double == "chips")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    frames = format_count(rules["frames"], "frame")
    yield f"Five dice with the faces 1, 3, 4, 6 and two dead sides; {frames}, one turn each."
    yield (
        "A throw without a dead die scores its spots and its highest bonus: 40 for four alike, 30 for a full house, 20"
        " for three alike, 10 for two pairs."
    )
    yield "Then the player stops, and the points count, or throws the same dice again for more."
    yield "A throw with a dead die loses the points of the frame, and the dead dice are out: with none left it ends."
    earlier = {"score": "earlier points stay", "dead": "earlier points are lost"}
    yield f"Four dead dice and a live one score 25, and {earlier[rules['little']]}; the live die may be thrown again."
    yield "Five alike on one throw of five dice win the game at once."
    if rules["double"] != "off":
        chip = " for a chip into the pot" if rules["double"] == "chips" else ""
        yield (
            f"Before the first throw of a frame and after one that scored nothing the player may double the next{chip}:"
            " its spots count twice, its bonus does not; of a single die only 1 and 6 do."
        )
    if rules["double"] == "chips":
        yield f"Every player begins with {format_count(rules['ante'], 'chip')} in the pot, which the winner takes."
    yield "The highest total wins; those tied play extra frames, one each in the same order, until one is ahead."
