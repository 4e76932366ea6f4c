"""Straight Scarney: five dice with 1, 3, 4, 6 and two dead sides. Source: Straight Scarney Dice, John Scarne."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..turns.push_turn import UNLIMITED_POINTS, Mode, PushTurn, Roll, TurnChoice
from ..util import multiset
from ..util.number_format import format_count
from .rule_options import Option

TITLE = "Straight Scarney"
FAMILY = "scarney"
SOURCES = (("Straight Scarney Dice, John Scarne", None),)
OBJECTIVES = ("win", "points", "chips")

OPTIONS = (
    Option("frames", 7, '"A complete game consists of seven frames"', low=1, high=20),
    Option(
        "double",
        "free",
        'before the first roll of a frame, and after a roll that scored nothing, the shooter may "double the points"'
        " of the next; bonuses are not doubled, and of a single die only 1 and 6; free: without the chip that it"
        " costs; off: never; chips: it costs one chip into the pot, for the objective chips",
        choices=("free", "off", "chips"),
    ),
    Option("ante", 10, '"an agreed-upon equal number of chips" that each player has put into the pot', low=1, high=100),
    Option(
        "little",
        "score",
        'four dead dice on a roll of five: "bonus of 25 points", earlier points remain, and the live die may be'
        " rolled; dead: earlier points are lost and 25 remain",
        choices=("score", "dead"),
    ),
)

DICE = 5
FACES = ("1", "3", "4", "6", "d")
DEAD = 4  # the index of the dead sides
SPOTS = (1, 3, 4, 6, 0)
WEIGHTS = (1, 1, 1, 1, 2)  # the word dead stands on two opposite sides
NEVER_DOUBLED = (3, 4)  # spots of a single die that do not count twice
LITTLE_SCARNEY_POINTS = 25  # four dead dice and a live one on a roll of five dice

Counts = tuple[int, ...]


def bonus(counts: Counts) -> int:
    """Return the highest bonus of a live roll of five dice or fewer; five alike have none, they are Big Scarney."""
    largest, second, *_ = sorted(counts[:DEAD], reverse=True)
    if largest == 4:
        return 40
    if largest == 3:
        return 30 if second == 2 else 20
    return 10 if largest == second == 2 else 0


def spots(counts: Counts, doubled: bool) -> int:
    """Return the spots of a live roll; if it is doubled, a single die counts twice only if it shows 1 or 6."""
    is_single = sum(counts) == 1
    total = 0
    for count, face in zip(counts, SPOTS, strict=True):
        counts_twice = doubled and not (is_single and face in NEVER_DOUBLED)
        total += count * face * (2 if counts_twice else 1)
    return total


class FrameMode(NamedTuple):
    """A decision of a frame: live dice, whether the player has points, and chips spent in the frame."""

    live: int
    has_points: bool
    spent: int


@dataclass(frozen=True)
class ScarneyRules:
    """The rules of a frame.

    Attributes:
        frames: the frames of a game.
        can_double: the next roll may be doubled before the first roll of a frame and after one that scored nothing.
        little: after four dead dice and a live one earlier points "score", or are "dead".
        counts_chips: a double-down costs a chip. The frame then also counts the chips spent in it.
        big_scarney_wins: five alike on one roll of five win the game at once. If not (objective ``points``), they are
            ordinary dice: their spots, or five dead dice and a crap-out.
    """

    frames: int
    can_double: bool
    little: str
    counts_chips: bool = False
    big_scarney_wins: bool = True

    @property
    def chip_levels(self) -> int:
        """The number of values of chips spent in a frame: every double-down but the last costs at least one die."""
        return DICE + 1 if self.counts_chips else 1

    def crap_out(self, spent: int = 0) -> TurnChoice:
        """Return the ending without points (crap-out), by chips spent."""
        return TurnChoice(-1 - spent)

    @property
    def big_scarney(self) -> TurnChoice:
        """The ending that wins the game at once; it follows those without points."""
        return TurnChoice(-1 - self.chip_levels)

    @property
    def special_ending_count(self) -> int:
        """The number of special endings."""
        return self.chip_levels + 1

    def outcome(self, counts: Counts, doubled: bool, spent: int = 0) -> TurnChoice:
        """Return what a roll leads to: a mode and points, Big Scarney, or a crap-out.

        Args:
            counts: the counts of its faces.
            doubled: the player has doubled down.
            spent: the chips spent in the frame, with this roll.
        """
        dice, dead, is_five_alike = sum(counts), counts[DEAD], max(counts) == DICE
        if self.big_scarney_wins and is_five_alike:
            return self.big_scarney
        if dead == 0:
            points = spots(counts, doubled) + (0 if is_five_alike else bonus(counts))
            return TurnChoice(self.points_mode(dice, spent), points)
        if dice == DICE and dead == DICE - 1:
            keeps_points = self.little == "score"
            return TurnChoice(self.points_mode(1, spent), LITTLE_SCARNEY_POINTS, keeps_points=keeps_points)
        if dead == dice:
            return self.crap_out(spent)
        return TurnChoice(self.no_points_mode(dice - dead, spent), 0, keeps_points=False)

    def max_spent(self, live: int, has_points: bool) -> int:
        """Return the most chips that can have been spent before a decision.

        Args:
            live: the live dice.
            has_points: whether the player has points.
        """
        return min(self.chip_levels, DICE + 1 + has_points - live) - 1

    @cached_property
    def mode_by_decision(self) -> dict[FrameMode, int]:
        """The decisions with their modes; those with fewer dice come first, because dead rolls only lead there."""
        decisions = [
            FrameMode(live, has_points, spent)
            for live in range(1, DICE + 1)
            for has_points in (True, False)
            for spent in range(self.max_spent(live, has_points) + 1)
        ]
        return {decision: mode for mode, decision in enumerate(decisions)}

    def points_mode(self, live: int, spent: int = 0) -> int:
        """Return the mode of live dice with points: stop or hit."""
        return self.mode_by_decision[FrameMode(live, True, spent)]

    def no_points_mode(self, live: int, spent: int = 0) -> int:
        """Return the mode of live dice without points: roll, or double down."""
        return self.mode_by_decision[FrameMode(live, False, spent)]

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model of a frame if chips do not count."""
        return self.compile_frame(0)

    def compile_frame(self, block: int) -> PushTurn:
        """Compile a frame.

        Args:
            block: with chips, the endings of each number of chips spent begin so many after those of one fewer.
        """
        modes = []
        for live, has_points, spent in self.mode_by_decision:
            rolls = [self.compile_roll(live, False, spent)]
            if not has_points and self.can_double:
                rolls.append(self.compile_roll(live, True, spent + self.counts_chips))
            modes.append(
                Mode(
                    f"{live} live, holding {'points' if has_points else 'nothing'}",
                    bank_ending=block * spent if has_points else None,
                    min_bank=1,
                    rolls=tuple(rolls),
                    max_points=UNLIMITED_POINTS if has_points else 0,
                )
            )
        groups = [[mode] for mode in range(len(modes))]
        return PushTurn(modes, groups, self.no_points_mode(DICE), self.special_ending_count)

    def compile_roll(self, live: int, doubled: bool, spent: int = 0) -> Roll:
        """Compile a roll of the live dice."""
        rows = multiset.list_multisets(live, len(FACES))
        weights = multiset.multiset_weights(rows, WEIGHTS).tolist()
        classes: dict[tuple[TurnChoice, ...], int] = {}
        for counts, weight in zip(rows.tolist(), weights, strict=True):
            key = (self.outcome(tuple(counts), doubled, spent),)
            classes[key] = classes.get(key, 0) + weight
        return Roll(tuple(classes.items()))


def compile_rules(rules: Mapping[str, Any]) -> ScarneyRules:
    """Return the rules as data."""
    double = rules["double"]
    return ScarneyRules(rules["frames"], double != "off", rules["little"], counts_chips=double == "chips")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    frames = format_count(rules["frames"], "frame")
    yield f"Five dice with the faces 1, 3, 4 and 6; their 2 and 5 are dead sides (2/5). {frames}, one turn each."
    yield (
        "A roll without a dead die scores its spots and its highest bonus: 40 for four alike, 30 for a full house, 20"
        " for three alike, 10 for two pairs."
    )
    yield "Then the player stops and enters the points, or hits: rolls the same dice again for more."
    yield (
        "A dead roll, with a dead die, loses the points of the frame, and the dead dice are removed; without dice the"
        " player has crapped out, and the frame ends."
    )
    earlier = {"score": "earlier points remain", "dead": "earlier points are lost"}
    yield f"Four dead dice and a live one score 25, and {earlier[rules['little']]}; the live die may be rolled again."
    yield "Big Scarney, five alike or five dead dice on one roll of five, wins the game at once."
    if rules["double"] != "off":
        chip = " for a chip into the pot" if rules["double"] == "chips" else ""
        yield (
            "Before the first roll of a frame, and after one that scored nothing, the player may double down on the"
            f" next roll{chip}: its spots count twice, its bonus does not; of a single die only 1 and 6 do."
        )
    if rules["double"] == "chips":
        yield f"Every player begins with {format_count(rules['ante'], 'chip')} in the pot, which the winner takes."
    yield "The highest total wins; tied players play extra frames, one each in the same order, until one is ahead."
