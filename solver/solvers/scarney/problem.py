"""Problems of Scarney: where the tables of frames and leads end, and the values of positions inside frames.

*Points.* Nothing bounds the points of a frame. Let A(s) be the largest probability of ever adding s points in one (see
``chance_to_add``). The table of a frame ends at the first cap c with A(c) <= CUT_PROBABILITY: whoever holds c points
enters them. A game of n frames for each player loses at most 2 n A(c) by that, as a probability of something worth at
most 1. If a player already holds t points, the table ends at t + c, so it is cut no worse there.

*Leads.* Let C_n(m) be the largest probability of making m points in n frames. A lead beyond an m with C_n(m) <=
CUT_PROBABILITY counts as m. The leader who plays as with the lead m does as well unless the other player makes m
points. That costs at most C_n(m), and n A(c) more, because C_n is bounded within the cap (``max_recoverable_lead``).
Big Scarney ends the game at once from any lead. So every lead has a value.
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
from ..problem import PositionListing, Problem, Progress, ValuesAndBounds, ValueTable, group_by_key, rotate_to_seats
from ..push.last_round import chance_to_add
from ..turn_lanes import PendingRoll, TurnLanes

CUT_PROBABILITY = 2.0**-48  # probability below which tables are cut
CAP_STEP = 128  # tables for more turn points grow in steps of so many, so that similar questions share one
RARE = 2.0**-20  # probability of leads and points, by any policy, below which they are not listed
STOPPING_STEP = 16  # stopping points are rounded up to multiples, so that frames are walked alike


# --- where tables end


def frame_rounding_bound(turn: PushTurn) -> float:
    """Return a bound of the rounding error of one frame's value, for payoffs between 0 and 1.

    With n live dice a player rolls until one is dead: at most 1 / (1 - (2/3)^n) times on average, 8.7 for n = 5 to 1.
    """
    roundings = max(len(roll.classes) for mode in turn.modes for roll in mode.rolls) + 3
    return float(sum(3**live / (3**live - 2**live) for live in range(1, DICE + 1)) * roundings * 2.0**-53)


@dataclass(frozen=True)
class TableExtent:
    """The ends of tables.

    Attributes:
        cap: the points at which the table of a frame ends.
        max_lead: the largest lead.
        truncation_error: the most that ending tables there costs in every frame, as a probability.
    """

    cap: int
    max_lead: int
    truncation_error: float


def table_extent(turn: PushTurn, frames: int, cut: float = CUT_PROBABILITY) -> TableExtent:
    """Return the ends of the tables of a game of ``frames`` frames, each of which costs about ``cut``."""
    cap, chance = frame_cap(turn, cut)
    # The bound of max_recoverable_lead holds within the cap; its rounding is relative, since nothing is subtracted.
    lead_error = cut * (1 + 2.0**-20) + frames * chance
    return TableExtent(cap, max(max_recoverable_lead(turn, frames, cap, cut), cap), chance + lead_error)


@lru_cache(maxsize=4)
def frame_cap(turn: PushTurn, cut: float) -> tuple[int, float]:
    """Return the first c with A(c) <= ``cut``, and A(c)."""
    size = 256
    while True:
        chance = chance_to_add(turn, size)
        if chance[-1] <= cut:
            cap = int(np.argmax(chance <= cut))
            return cap, float(chance[cap])
        size *= 2


def max_recoverable_lead(turn: PushTurn, frames: int, cap: int, cut: float) -> int:
    """Return a lead that ``frames`` frames of up to ``cap`` points make up for with probability at most ``cut``.

    Let G(z) be the largest expectation of z to the power of a frame's points. By Markov's inequality n frames make m
    points with probability at most G(z)^n / z^m for any z > 1. The best of several z is taken.
    """
    leads = []
    for z, expectation in _power_expectations(turn, cap):
        lead, bound = 0, math.prod([expectation] * frames)
        while bound > cut:
            lead, bound = lead + 1, bound / z
        leads.append(lead)
    return min(leads)


@lru_cache(maxsize=4)
def _power_expectations(turn: PushTurn, cap: int) -> tuple[tuple[float, float], ...]:
    """Return pairs of z and the largest expectation of z to the power of a frame's points."""
    base = 1 + np.arange(1, LANES + 1) / 128
    powers = np.cumprod(np.concatenate((np.ones((1, LANES)), np.repeat(base[None], cap, axis=0))), axis=0)
    payoff = np.zeros((1, turn.special_count + cap + 1, LANES))
    payoff[0, turn.special_count :] = powers
    payoff[0, 0] = 1.0
    expectation = turn.solve(payoff, np.full(LANES, cap, dtype=np.int32)).value
    return tuple(zip(base.tolist(), expectation[0].tolist(), strict=True))


def round_up_points(points: int) -> int:
    """Return points rounded up to a multiple of ``CAP_STEP``."""
    return -(-points // CAP_STEP) * CAP_STEP


# --- one frame


class Frame(NamedTuple):
    """A frame that a player shoots, as far as values depend on it.

    Attributes:
        scores: by seat, the points entered before.
        seat: the shooter.
        number: the number of the frame, from 1.
        playoff: the seats that shoot an extra frame, else ().
        pot: the chips on the table before the first roll of the frame.
    """

    scores: tuple[int, ...]
    seat: int
    number: int
    playoff: tuple[int, ...]
    pot: int

    @property
    def lead(self) -> int:
        """The shooter's lead over one opponent, else 0."""
        return 2 * self.scores[self.seat] - sum(self.scores) if len(self.scores) == 2 else 0


def frame_lane(turn: PushTurn, enter: Doubles, big: float) -> TurnLanes:
    """Return one frame with the payoffs of its endings.

    Args:
        turn: the frame.
        enter: (channels, levels, cap + 1) the payoffs of entering t points, by chips spent in the frame; t = 0 is
            crapping out. Channels are the players, from the shooter on; one level if chips do not count.
        big: the shooter's payoff of Big Scarney.
    """
    channels, levels, size = enter.shape
    endings = np.concatenate([enter[:, :, 0], np.zeros((channels, 1)), enter.reshape(channels, -1)], axis=1)
    endings[0, levels] = big
    return TurnLanes(turn, endings[:, :, None], np.array([size - 1], dtype=np.int32), size)


@dataclass(frozen=True)
class FrameTurn:
    """A frame with the payoffs of its endings, and the error bound of values that are read from it."""

    lane: TurnLanes
    bound: float

    def max_risked_points(self, rules: ScarneyRules) -> int:
        """Return the most points with which some roll is better than stopping, by more than the error bound."""
        inner, cap = self.lane.solve().inner, self.lane.cap
        assert inner is not None
        modes = [rules.holding(live) for live in range(1, DICE + 1)]
        best = inner[0, modes, 1:cap, 0].max(axis=0)
        is_better = np.flatnonzero(best > self.lane.bank_payoffs[1:cap] + 2 * self.bound)
        return int(is_better[-1]) + 1 if len(is_better) else 0


class WorkProgress:
    """Progress as the share of the work that is done."""

    def __init__(self, report: Progress, total: float) -> None:
        self.report, self.total, self.done = report, total, 0.0

    def add(self, work: float = 1.0) -> None:
        """Report that so much more work is done."""
        self.done += work
        self.report(min(1.0, self.done / self.total))


class ScarneyProblem(Problem[ScarneyPosition]):
    """Base of the problems of Scarney; a subclass supplies the values of frames and the payoffs of their endings."""

    playable: Play

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self.rules: ScarneyRules = playable.game.data

    @abstractmethod
    def frame_values(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the values of frames that begin, and their error bounds.

        Values are the shooter's, or rows for all players from the shooter on.
        """

    @abstractmethod
    def frame_turn(self, solved: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame with a table that is long enough for so many turn points."""

    # --- values of positions

    def state_values(self, solved: ValueTable, positions: Sequence[ScarneyPosition]) -> ValuesAndBounds:
        """Return the values of positions in which a frame begins."""
        values, bounds = self.frame_values(solved, [self._frame(position, 0) for position in positions])
        rows = values.reshape(len(positions), -1).tolist()
        return np.array([self.seat_payoffs(*pair, 0) for pair in zip(positions, rows, strict=True)]), bounds

    def turn_values(self, solved: ValueTable, positions: Sequence[ScarneyPosition]) -> ValuesAndBounds:
        """Return the values of positions before a roll, from one solve of each frame."""
        values, bounds = np.empty((len(positions), self.players)), np.empty(len(positions))
        rolls = [self._pending_roll(position) for position in positions]
        frames = (self._frame(position, chips) for position, (_, chips) in zip(positions, rolls, strict=True))
        for frame, indices in group_by_key(frames).items():
            frame_rolls = [rolls[index][0] for index in indices]
            turn = self.frame_turn(solved, frame, max(roll.turn_points for roll in frame_rolls))
            bounds[indices] = turn.bound
            for index, payoffs in zip(indices, turn.lane.roll_values(frame_rolls)[:, :, 0].T.tolist(), strict=True):
                values[index] = self.seat_payoffs(positions[index], payoffs, rolls[index][1])
        return values, bounds

    def _frame(self, position: ScarneyPosition, chips: int) -> Frame:
        """Return the frame of a position in which so many chips have been paid."""
        return Frame(position.scores, position.seat, position.frame, position.playoff, position.pot - chips)

    def _pending_roll(self, position: ScarneyPosition) -> tuple[PendingRoll, int]:
        """Return the roll to be made, and the chips that the shooter has paid in this frame, as far as is known."""
        rules, double = self.rules, int(position.double)
        if position.turn:
            spent = self._chips_spent(position, rules.most_spent(position.live, True))
            return PendingRoll(rules.holding(position.live, spent), 0, position.turn), spent
        spent = self._chips_spent(position, rules.most_spent(position.live, False), double)
        return PendingRoll(rules.free(position.live, spent), double, 0), spent + (double if rules.chips else 0)

    def _chips_spent(self, position: ScarneyPosition, limit: int, pending: int = 0) -> int:
        """Return the chips that the shooter has spent, without ``pending`` ones, and at most ``limit``."""
        return min(max(position.spent[position.seat] - pending, 0), limit) if position.spent else 0

    def seat_payoffs(self, position: ScarneyPosition, payoffs: Sequence[float], chips: int) -> list[float]:
        """Return the payoff of every seat.

        Args:
            position: a position of the frame.
            payoffs: the shooter's payoff, counted from before the frame.
            chips: the chips that the shooter has paid in the frame.
        """
        (own,) = payoffs
        if self.players == 1:
            return [own]
        if not position.spent:
            return rotate_to_seats(position.seat, [own, 1 - own])
        own += chips - position.spent[position.seat]
        return rotate_to_seats(position.seat, [own, position.pot - sum(position.spent) - own])

    # --- listed positions

    @cached_property
    def list_limits(self) -> tuple[int, int]:
        """The largest lead and the most turn points that are listed."""
        turn = replace(self.rules, chips=False).turn
        points, _ = frame_cap(turn, RARE)
        return max_recoverable_lead(turn, self.rules.frames, points, RARE), points

    def stopping_points(self, solved: ValueTable, start: ScarneyPosition) -> int:
        """Return the points from which stopping is best, rounded up; at most ``max_stopping_points``."""
        last = self.frame_turn(solved, self._frame(start, 0)).max_risked_points(self.rules)
        return min(-(-(last + 1) // STOPPING_STEP) * STOPPING_STEP, self.max_stopping_points(solved))

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the points at which listed frames and whole games are cut."""
        return self.list_limits[1] + 1

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """List every frame, lead and pot; or the one position that is given by the opponent's score."""
        max_lead, points = self.list_limits
        truncation = f"turns with more than {points} points in hand are left out"
        if self.players == 1:
            return PositionListing(1, (self.playable.start(),), truncation)
        if "opponents" in told:
            return PositionListing(1, (self.playable.read(**told),), truncation, is_single_position=True)
        regular = [(number, seat, False) for number in range(1, self.rules.frames + 1) for seat in (0, 1)]
        frames = [
            (number, seat, is_extra, lead, pot)
            for number, seat, is_extra in [*regular, (self.rules.frames, 0, True), (self.rules.frames, 1, True)]
            for lead in self._leads(max_lead, number, seat, is_extra)
            for pot in self.listed_pots(number, seat, is_extra)
        ]
        return PositionListing(
            len(frames),
            (self._frame_position(*frame) for frame in frames),
            f"leads of more than {max_lead} and {truncation}",
        )

    def _leads(self, max_lead: int, number: int, seat: int, is_extra: bool) -> range:
        """Return the shooter's possible leads: the first frame and extra frames begin level."""
        if number > 1 and not is_extra:
            return range(-max_lead, max_lead + 1)
        return range(-max_lead, 1) if seat else range(1)

    def listed_pots(self, number: int, seat: int, is_extra: bool) -> range:
        """Return the chips that can be on the table before a frame."""
        return range(1)

    def _frame_position(self, number: int, seat: int, is_extra: bool, lead: int, pot: int) -> ScarneyPosition:
        """Return the position in which a frame begins, with the smallest totals that have the lead."""
        scores = (max(lead, 0), max(-lead, 0))
        start = self.playable.start()
        return ScarneyPosition(
            scores if seat == 0 else scores[::-1], seat, number, (0, 1) if is_extra else (), pot, start.spent
        )
