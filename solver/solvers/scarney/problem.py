"""What Scarney's matches share: the frame as one lane of the kernel, where its table ends, and the worth of positions.

Nothing bounds the points of a frame. Let A(s) be the greatest chance to ever add s points in one (``reaching``). The
table of a frame ends at the first cap c with A(c) <= CUT, where whoever holds it enters it; a game of n frames for each
player loses at most 2 n A(c) by that, a chance of something worth at most 1. Inside a frame that holds t points the
table ends c points further, so it is cut no worse there.

Leads are tabled as far as the frames of a game can make up for them: let C_n(m) be the greatest chance to make m points
in n frames. A lead beyond an m with C_n(m) <= CUT stands as m. The leader who plays there as with the lead
m does as well unless the other makes m points, so that costs at most C_n(m), and n A(c) more, since C_n is bounded
within the cap (``make_up``); Big Scarney ends the game at once from whatever lead. So every lead is answered.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...core.push import LANES
from ...games.scarney import DICE, ScarneyRules
from ...play.scarney import Play, ScarneyPosition
from ...turns.push_turn import Doubles, PushTurn
from ..problem import Found, PositionListing, Problem, ValueTable, group_by_key, rotate_to_seats
from ..push.last_round import ever_adds
from ..turn_lanes import Lanes, Throwing

CUT = 2.0**-48
BEYOND = 128  # a table for points in hand goes on in steps of so many, so that neighbours share one
RARE = 2.0**-20  # no game ends by itself: listed are leads and points that come up more often, however it is played
STEP = 16  # of the points from which it is best to stop, so that frames are walked alike


def frame_rounding(turn: PushTurn) -> float:
    """Bound of the rounding error of one frame's value, for payoffs between 0 and 1 (see ``turn_rounding``).

    With n live dice a player throws until one is dead: at most 1 / (1 - (2/3)^n) times on average, 8.7 for n = 5 to 1.
    """
    most = max(len(throw.classes) for mode in turn.modes for throw in mode.rolls) + 3
    return float(sum(3**live / (3**live - 2**live) for live in range(1, DICE + 1)) * most * 2.0**-53)


@dataclass(frozen=True)
class Extent:
    """How far tables go: the points ``cap`` at which a frame's ends, the largest lead ``far``, and what ending them
    there costs at most in every frame, as a chance.
    """

    cap: int
    far: int
    cost: float


def extent(turn: PushTurn, frames: int, cut: float = CUT) -> Extent:
    """Where the tables of a game of so many frames end, so that each end costs about ``cut``."""
    cap, chance = frame_cap(turn, cut)
    # The bound of make_up holds within the cap; its rounding is relative, since nothing is subtracted.
    lead = cut * (1 + 2.0**-20) + frames * chance
    return Extent(cap, max(make_up(turn, frames, cap, cut), cap), chance + lead)


@lru_cache(maxsize=4)
def frame_cap(turn: PushTurn, cut: float) -> tuple[int, float]:
    """The first c with A(c) at most ``cut``, and A(c)."""
    size = 256
    while True:
        chance = ever_adds(turn, size)
        if chance[-1] <= cut:
            cap = int(np.argmax(chance <= cut))
            return cap, float(chance[cap])
        size *= 2


def make_up(turn: PushTurn, frames: int, cap: int, cut: float) -> int:
    """A lead that so many frames of up to ``cap`` points make up for with a chance of at most ``cut``.

    With G(z) the greatest expectation of z to the power of a frame's points, n frames make m points with a chance of at
    most G(z)^n / z^m, for any z > 1: some are tried side by side.
    """
    found = []
    for z, expected in _growth(turn, cap):
        lead, made = 0, math.prod([expected] * frames)
        while made > cut:
            lead, made = lead + 1, made / z
        found.append(lead)
    return min(found)


@lru_cache(maxsize=4)
def _growth(turn: PushTurn, cap: int) -> tuple[tuple[float, float], ...]:
    """Some z, and the greatest expectation of z to the power of a frame's points."""
    base = 1 + np.arange(1, LANES + 1) / 128
    powers = np.cumprod(np.concatenate((np.ones((1, LANES)), np.repeat(base[None], cap, axis=0))), axis=0)
    payoff = np.zeros((1, turn.specials + cap + 1, LANES))
    payoff[0, turn.specials :] = powers
    payoff[0, 0] = 1.0
    frame = turn.solve(payoff, np.full(LANES, cap, dtype=np.int32)).value
    return tuple(zip(base.tolist(), frame[0].tolist(), strict=True))


def lane(turn: PushTurn, enter: Doubles, big: float) -> Lanes:
    """One frame's endings: ``enter[channel, spent, t]``, the worth of entering t points to the shooter, and of several
    to those who shoot next, by chips spent in the frame (one row where chips do not count; t = 0 is crapping out), and
    ``big``, that of Big Scarney to the shooter.
    """
    channels, levels, size = enter.shape
    endings = np.concatenate([enter[:, :, 0], np.zeros((channels, 1)), enter.reshape(channels, -1)], axis=1)
    endings[0, levels] = big
    return Lanes(turn, endings[:, :, None], np.array([size - 1], dtype=np.int32), size)


def steps(points: int) -> int:
    """So many points, up to a whole number of steps."""
    return -(-points // BEYOND) * BEYOND


class Frame(NamedTuple):
    """A frame that somebody shoots, as its values depend on it. ``playoff``: the seats of an extra one; ``pot``: chips
    on the table before its first throw.
    """

    scores: tuple[int, ...]
    seat: int
    number: int
    playoff: tuple[int, ...]
    pot: int

    @property
    def lead(self) -> int:
        """How far the shooter is ahead; alone 0."""
        return 2 * self.scores[self.seat] - sum(self.scores) if len(self.scores) == 2 else 0


@dataclass(frozen=True)
class Solving:
    """A frame to be solved: its lane, and the bound of what is read from it."""

    lane: Lanes
    bound: float

    def last_throw(self, rules: ScarneyRules) -> int:
        """The most points in hand with which some throw is better than stopping, by more than the bound leaves open."""
        inner, cap = self.lane.solve().inner, self.lane.cap
        assert inner is not None
        modes = [rules.holding(live) for live in range(1, DICE + 1)]
        best = inner[0, modes, 1:cap, 0].max(axis=0)
        better = np.flatnonzero(best > self.lane.banks[1:cap] + 2 * self.bound)
        return int(better[-1]) + 1 if len(better) else 0


class FrameMatch(Problem[ScarneyPosition]):
    """A match of frames: a frame is a turn; a match supplies its *lane*, what every ending is worth to the shooter."""

    playable: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: ScarneyRules = table.game.data

    @abstractmethod
    def begun(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """The values of frames that begin, to the shooter or in rows to all who shoot, and their bounds."""

    @abstractmethod
    def solving(self, solved: ValueTable, frame: Frame, held: int = 0) -> Solving:
        """A frame; its table goes on far enough for ``held`` points in hand."""

    def state_values(self, solved: ValueTable, positions: Sequence[ScarneyPosition]) -> Found:
        """Worth of positions in which a frame begins."""
        values, bounds = self.begun(solved, [self._frame(position, 0) for position in positions])
        rows = values.reshape(len(positions), -1).tolist()
        return np.array([self.seated(*one, 0) for one in zip(positions, rows, strict=True)]), bounds

    def turn_values(self, solved: ValueTable, positions: Sequence[ScarneyPosition]) -> Found:
        """Worth of throws, frame by frame."""
        found, bounds = np.empty((len(positions), self.players)), np.empty(len(positions))
        told = [self._throw(position) for position in positions]
        frames = (self._frame(position, paid) for position, (_, paid) in zip(positions, told, strict=True))
        for frame, numbers in group_by_key(frames).items():
            throws = [told[number][0] for number in numbers]
            solving = self.solving(solved, frame, max(throw.held for throw in throws))
            bounds[numbers] = solving.bound
            for number, gets in zip(numbers, solving.lane.throws(throws)[:, :, 0].T.tolist(), strict=True):
                found[number] = self.seated(positions[number], gets, told[number][1])
        return found, bounds

    def _frame(self, position: ScarneyPosition, paid: int) -> Frame:
        """The frame of a position in which so many chips have been paid."""
        return Frame(position.scores, position.seat, position.frame, position.playoff, position.pot - paid)

    def _throw(self, position: ScarneyPosition) -> tuple[Throwing, int]:
        """The throw that is about to be made, and the chips that the shooter has paid in this frame, as far as told."""
        rules, double = self.rules, int(position.double)
        if position.turn:
            spent = self._spent(position, rules.most_spent(position.live, True))
            return Throwing(rules.holding(position.live, spent), 0, position.turn), spent
        spent = self._spent(position, rules.most_spent(position.live, False), double)
        return Throwing(rules.free(position.live, spent), double, 0), spent + (double if rules.chips else 0)

    def _spent(self, position: ScarneyPosition, most: int, now: int = 0) -> int:
        return min(max(position.spent[position.seat] - now, 0), most) if position.spent else 0

    def seated(self, position: ScarneyPosition, gets: Sequence[float], paid: int) -> list[float]:
        """What every seat gets where the shooter gets so much, counted from before ``paid`` chips of this frame."""
        (mine,) = gets
        if self.players == 1:
            return [mine]
        if not position.spent:
            return rotate_to_seats(position.seat, [mine, 1 - mine])
        mine += paid - position.spent[position.seat]
        return rotate_to_seats(position.seat, [mine, position.pot - sum(position.spent) - mine])

    # --- what rows list

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The largest lead, and the most points in hand, that rows list."""
        turn = replace(self.rules, chips=False).turn
        points, _ = frame_cap(turn, RARE)
        return make_up(turn, self.rules.frames, points, RARE), points

    def stopping_points(self, solved: ValueTable, start: ScarneyPosition) -> int:
        """The points from which it is best to stop, up to a whole number of steps; rows end with fewer if need be."""
        last = self.solving(solved, self._frame(start, 0)).last_throw(self.rules)
        return min(-(-(last + 1) // STEP) * STEP, self.max_stopping_points(solved))

    def max_stopping_points(self, solved: ValueTable) -> int:
        """The points at which rows and whole games are cut."""
        return self.ends[1] + 1

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """Every frame, lead and pot; where the opponent's score is told, that one."""
        far, points = self.ends
        ends = f"turns with more than {points} points in hand are left out"
        if self.players == 1:
            return PositionListing(1, (self.playable.start(),), ends)
        if "opponents" in told:
            return PositionListing(1, (self.playable.read(**told),), ends, is_single_position=True)
        regular = [(number, seat, False) for number in range(1, self.rules.frames + 1) for seat in (0, 1)]
        places = [
            (number, seat, extra, lead, pot)
            for number, seat, extra in [*regular, (self.rules.frames, 0, True), (self.rules.frames, 1, True)]
            for lead in self._leads(far, number, seat, extra)
            for pot in self.listed_pots(number, seat, extra)
        ]
        return PositionListing(
            len(places), (self._listed(*place) for place in places), f"leads of more than {far} and {ends}"
        )

    def _leads(self, far: int, number: int, seat: int, extra: bool) -> range:
        """The leads of the shooter that can be: nobody has points of a frame that they have not shot."""
        if number > 1 and not extra:
            return range(-far, far + 1)
        return range(-far, 1) if seat else range(1)

    def listed_pots(self, number: int, seat: int, extra: bool) -> range:
        """The chips that can be on the table before a frame."""
        return range(1)

    def _listed(self, number: int, seat: int, extra: bool, lead: int, pot: int) -> ScarneyPosition:
        """A lead with the least totals that show it."""
        scores = (max(lead, 0), max(-lead, 0))
        start = self.playable.start()
        return ScarneyPosition(
            scores if seat == 0 else scores[::-1], seat, number, (0, 1) if extra else (), pot, start.spent
        )
