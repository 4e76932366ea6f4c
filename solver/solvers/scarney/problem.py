"""Problems of Scarney: where the tables of frames and leads end, and the values of positions inside frames.

*Points.* Nothing bounds the points of a frame. Let A(s) be the largest probability of ever adding s points in one (see
``chance_to_add``). The table of a frame ends at the first cap c with A(c) <= CUT_PROBABILITY: whoever holds c points
enters them. A game of n frames for each player loses at most 2 n A(c) by that, as a probability of something worth at
most 1. If a player already holds t points, the table ends at t + c, so it is cut no worse there.

*Leads.* Let C_n(m) be the largest probability of making m points in n frames. A lead beyond an m with C_n(m) <=
CUT_PROBABILITY counts as m. The leader who plays as with the lead m does as well unless the other player makes m
points. That costs at most C_n(m), and n A(c) more, because C_n is bounded within the cap (``hopeless_deficit``).
Big Scarney ends the game at once from any lead. So every lead has a value.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...core.push import LANES
from ...games.scarney import DICE, ScarneyRules
from ...play.scarney import ScarneyGame, ScarneyPosition
from ...turns.push_turn import Doubles, PushTurn
from ...util.progress_reporting import ProgressCallback
from ..problem import PositionListing, Problem, ValuesAndBounds, ValueTable, group_by_key, rotate_to_seats
from ..push.last_round import chance_to_add
from ..rounding_bounds import UNIT_ROUNDOFF
from ..turn_lanes import PendingRoll, TurnLanes

CUT_PROBABILITY = 2.0**-48  # probability below which tables are cut
CAP_STEP = 128  # tables for more turn points grow in steps of so many, so that similar questions share one
RARE = 2.0**-20  # probability of leads and points, by any policy, below which they are not listed
STOPPING_STEP = 16  # stopping points are rounded up to multiples, so that frames are walked alike
INITIAL_CAP = 256  # points of the first table that is tried; it is doubled until it is long enough
POWER_STEP = 1 / 128  # between two bases z of ``hopeless_deficit``


# --- where tables end


def frame_rounding_bound(turn: PushTurn) -> float:
    """Return a bound of the rounding error of one frame's value, for payoffs between 0 and 1.

    A roll of k roll classes is a weighted mean, which rounds at most k + 3 times. The bound is this for the largest k,
    times the expected number of rolls. A die shows a number with probability 2/3. With n dice a player rolls until one
    is dead: at most 1 / (1 - (2/3)^n) = 3^n / (3^n - 2^n) times on average. For n = 5 to 1 together these are 8.7
    rolls.

    Args:
        turn: the frame.
    """
    roundings_per_roll = max(len(roll.classes) for mode in turn.modes for roll in mode.rolls) + 3
    expected_rolls = sum(3**live / (3**live - 2**live) for live in range(1, DICE + 1))
    return float(expected_rolls * roundings_per_roll * UNIT_ROUNDOFF)


@dataclass(frozen=True)
class TableExtent:
    """Where the tables of a game end, in points of a frame and in leads.

    Attributes:
        cap: the points at which the table of a frame ends; a player who has as many enters them.
        max_lead: the largest lead in tables; a larger one counts as this.
        truncation_error: the most that ending tables there costs in each frame, as a probability.
    """

    cap: int
    max_lead: int
    truncation_error: float


def table_extent(turn: PushTurn, frames: int, cut: float = CUT_PROBABILITY) -> TableExtent:
    """Return where the tables of a game end, in points and in leads, and what that costs.

    Args:
        turn: the frame.
        frames: the number of frames that each player shoots.
        cut: about the largest probability that play passes the end of a table.
    """
    # A player who has ``cap`` points enters them. That costs at most the probability that a frame adds so many.
    cap, cap_error = frame_cap(turn, cut)
    # A larger lead counts as ``max_lead``. That costs at most the probability that the opponent makes it up in the
    # remaining frames: at most ``cut`` if none of these passes the cap, and ``cap_error`` more for each that may.
    max_lead = max(hopeless_deficit(turn, frames, cap, cut), cap)  # a frame from equal totals stays within the table
    cut_with_rounding = cut * (1 + 2.0**-20)  # far more than the rounding in ``hopeless_deficit``
    lead_error = cut_with_rounding + frames * cap_error
    return TableExtent(cap, max_lead, cap_error + lead_error)


@lru_cache(maxsize=4)
def frame_cap(turn: PushTurn, cut: float) -> tuple[int, float]:
    """Return the points at which the table of a frame ends: the first c with A(c) <= ``cut``, and A(c).

    A(c) is the largest probability of ever adding c points in a frame.

    Args:
        turn: the frame.
        cut: the probability of passing the end of the table that is accepted.
    """
    table_size = INITIAL_CAP
    while True:
        chance_by_points = chance_to_add(turn, table_size)  # A(0), A(1), ..., falling
        is_long_enough = chance_by_points[-1] <= cut
        if is_long_enough:
            cap = int(np.argmax(chance_by_points <= cut))  # the first such number of points
            return cap, float(chance_by_points[cap])
        table_size *= 2


def hopeless_deficit(turn: PushTurn, frames: int, cap: int, max_probability: float) -> int:
    """Return a deficit that a player makes up in ``frames`` frames with probability at most ``max_probability``.

    It may be larger than necessary. Let G(z) be the largest expectation, over all policies, of z to the power of a
    frame's points. By Markov's inequality n frames make m points with probability at most G(z)^n / z^m for any z > 1.
    The smallest deficit over several z is taken.

    Args:
        turn: the frame.
        frames: the number of frames n.
        cap: the most points of a frame.
        max_probability: the largest probability that is accepted.
    """
    deficits = []  # by z, the first deficit whose bound is small enough
    for z, expectation in _power_expectations(turn, cap):
        deficit = 0
        # G(z)^n / z^deficit bounds the probability of making it up. The power is a product, because the power function
        # gives different bits on different machines.
        probability_bound = math.prod([expectation] * frames)
        while probability_bound > max_probability:
            deficit += 1
            probability_bound /= z
        deficits.append(deficit)
    return min(deficits)


@lru_cache(maxsize=4)
def _power_expectations(turn: PushTurn, cap: int) -> tuple[tuple[float, float], ...]:
    """Return pairs (z, largest expectation of z to the power of a frame's points under any policy).

    There are ``LANES`` values of z, from 1 + POWER_STEP on in steps of it: as many as the kernel solves at a time.

    Args:
        turn: the frame, in which chips do not count.
        cap: the points at which the frame ends.
    """
    bases = 1 + np.arange(1, LANES + 1) * POWER_STEP  # z, one in each lane
    # Powers are products, because the power function gives different bits on different machines.
    factors = np.repeat(bases[None], cap + 1, axis=0)
    factors[0] = 1.0
    powers = np.cumprod(factors, axis=0)  # (cap + 1, LANES): z^0, z^1, ..., z^cap
    # The endings are crapping out, Big Scarney, and then entering 0, 1, ..., cap points.
    crapping_out, big_scarney = 0, 1
    first_bank = turn.special_count
    payoff = np.empty((1, first_bank + cap + 1, LANES))
    payoff[0, crapping_out] = 1.0  # z^0
    payoff[0, big_scarney] = 0.0  # it wins whatever the deficit is, so it makes up none by points
    payoff[0, first_bank:] = powers
    caps = np.full(LANES, cap, dtype=np.int32)
    (expectations,) = turn.solve(payoff, caps).value  # of the only channel, by lane
    return tuple(zip(bases.tolist(), expectations.tolist(), strict=True))


def round_up_points(points: int) -> int:
    """Return points rounded up to a multiple of ``CAP_STEP``."""
    return math.ceil(points / CAP_STEP) * CAP_STEP


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
        """The shooter's lead over the opponent if there is one, else 0."""
        if len(self.scores) != 2:
            return 0
        opponent = 1 - self.seat
        return self.scores[self.seat] - self.scores[opponent]


def frame_lane(turn: PushTurn, bank_payoffs: Doubles, big_scarney_payoff: float) -> TurnLanes:
    """Return one frame as one lane, with what its endings are worth, in the order in which the kernel expects them.

    Args:
        turn: the frame.
        bank_payoffs: (channels, levels, cap + 1) the payoffs of entering points, by chips spent in the frame and by
            the points. Channels are the players, from the shooter on; one level if chips do not count.
        big_scarney_payoff: the shooter's payoff of Big Scarney, five alike at once. The others get nothing.
    """
    channels, _, bank_count = bank_payoffs.shape  # banks of one number of chips spent: 0 to cap points
    crapping_out = bank_payoffs[:, :, 0]  # pays what entering 0 points does, by chips spent
    big_scarney = np.zeros((channels, 1))
    big_scarney[0] = big_scarney_payoff
    banks = bank_payoffs.reshape(channels, -1)  # by chips spent, then by points
    endings = np.concatenate([crapping_out, big_scarney, banks], axis=1)  # in the order of the turn model
    payoff = endings[:, :, None]  # (channels, endings, 1): one lane
    caps = np.array([bank_count - 1], dtype=np.int32)
    return TurnLanes(turn, payoff, caps, bank_count)


@dataclass(frozen=True)
class FrameTurn:
    """A frame with the payoffs of its endings.

    Attributes:
        lane: the frame, as one lane.
        bound: the error bound of values that are read from it.
    """

    lane: TurnLanes
    bound: float

    def max_risked_points(self, rules: ScarneyRules) -> int:
        """Return the most turn points with which some roll is better than stopping; 0 if there are none.

        A roll counts as better only if its value exceeds that of stopping by more than both error bounds.

        Args:
            rules: the rules of the frame.
        """
        inner = self.lane.solve().inner  # (channels, modes, turn points, lanes): values before each roll
        cap, bank_count = self.lane.cap, self.lane.bank_count
        assert inner is not None
        banks = self.lane.payoff[0, self.lane.turn.special_count :, 0].reshape(-1, bank_count)  # by chips, then points
        max_points = 0
        for live in range(1, DICE + 1):
            for spent in range(rules.max_spent(live, has_points=True) + 1):
                # By turn points from 1 to cap - 1. With ``cap`` points the table lets every player stop.
                roll_values = inner[0, rules.points_mode(live, spent), 1:cap, 0]
                is_risked = roll_values > banks[spent, 1:cap] + 2 * self.bound  # the bounds of both values
                risked_points = 1 + np.flatnonzero(is_risked)
                max_points = max(max_points, int(risked_points.max(initial=0)))
        return max_points


class WorkProgress:
    """Adds up the work that is done, and reports it as a fraction of all work.

    Attributes:
        report: called with the fraction that is done.
        total, work_done: the work to do, and the work done so far, in one unit.
    """

    def __init__(self, report: ProgressCallback, total: float) -> None:
        """Begin with nothing done.

        Args:
            report: called with the fraction that is done.
            total: the work to do, in any unit.
        """
        self.report = report
        self.total = total
        self.work_done = 0.0

    def add(self, work: float = 1.0) -> None:
        """Add work that has been done since the last call, in the unit of ``total``, and report the fraction."""
        self.work_done += work
        self.report(min(1.0, self.work_done / self.total))


class ScarneyProblem(Problem[ScarneyPosition]):
    """Base of the problems of Scarney; a subclass supplies the values before frames and what their endings are worth.

    Attributes:
        rules: the rules of a frame.
        players, playable: the number of players, and the game as people play it.
        list_limits: the largest lead and the most turn points that are listed.
    """

    playable: ScarneyGame

    def __init__(self, playable: ScarneyGame) -> None:
        super().__init__(playable)
        self.rules: ScarneyRules = playable.game.data

    @abstractmethod
    def frame_values(self, value_table: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the values of positions in which frames begin, to the shooters or to all players.

        Args:
            value_table: the value table.
            frames: the frames.

        Returns:
            The shooters' values (frames,), or those of all players from the shooter on (frames, players); and the error
            bounds (frames,).
        """

    @abstractmethod
    def frame_turn(self, value_table: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame as one lane, with what its endings are worth according to the value table.

        Args:
            value_table: the value table.
            frame: the frame.
            turn_points: turn points from which the frame is to be examined; its table is extended by as many.
        """

    # --- values of positions

    def state_values(self, value_table: ValueTable, positions: Sequence[ScarneyPosition]) -> ValuesAndBounds:
        """Return the values (positions, seats) of positions in which a frame begins, and their error bounds."""
        # A frame that begins has cost no chips yet.
        frames = [self._frame(position, chips=0) for position in positions]
        frame_values, bounds = self.frame_values(value_table, frames)
        # By position, the value of the shooter alone or the values of all players.
        values_by_position = frame_values.reshape(len(positions), -1).tolist()
        values = [
            self.seat_payoffs(position, values_of_players, chips=0)
            for position, values_of_players in zip(positions, values_by_position, strict=True)
        ]
        return np.array(values), bounds

    def turn_values(self, value_table: ValueTable, positions: Sequence[ScarneyPosition]) -> ValuesAndBounds:
        """Compute the values of positions before a roll, from one solve of each frame.

        Args:
            value_table: the value table.
            positions: the positions.

        Returns:
            (positions, seats) the values, and (positions,) their error bounds.
        """
        values = np.empty((len(positions), self.players))
        bounds = np.empty(len(positions))
        rolls = [self._pending_roll(position) for position in positions]
        chips = [self._chips_paid(position) for position in positions]
        frames = [self._frame(position, chips_paid) for position, chips_paid in zip(positions, chips, strict=True)]
        for frame, indices in group_by_key(frames).items():  # ``indices``: of the positions inside this frame
            rolls_of_frame = [rolls[index] for index in indices]
            max_turn_points = max(roll.turn_points for roll in rolls_of_frame)
            frame_turn = self.frame_turn(value_table, frame, max_turn_points)
            bounds[indices] = frame_turn.bound
            roll_values = frame_turn.lane.roll_values(rolls_of_frame)[:, :, 0]  # (players, rolls) in the only lane
            for index, values_of_players in zip(indices, roll_values.T.tolist(), strict=True):
                values[index] = self.seat_payoffs(positions[index], values_of_players, chips[index])
        return values, bounds

    def _frame(self, position: ScarneyPosition, chips: int) -> Frame:
        """Return the frame that a position belongs to, with the pot as it was before the frame.

        Args:
            position: a position of the frame.
            chips: the chips that the shooter has paid in the frame so far.
        """
        return Frame(position.scores, position.seat, position.frame, position.playoff, position.pot - chips)

    def _pending_roll(self, position: ScarneyPosition) -> PendingRoll:
        """Return the roll that is to be made in a chance position: its mode, its number there, and the turn points."""
        spent = self._chips_spent_before_roll(position)
        turn_points = position.turn
        if turn_points:
            return PendingRoll(self.rules.points_mode(position.live, spent), roll=0, turn_points=turn_points)
        # A mode without turn points has two rolls; the second is the one that doubles its spots.
        roll = int(position.double)
        return PendingRoll(self.rules.no_points_mode(position.live, spent), roll, turn_points=0)

    def _chips_paid(self, position: ScarneyPosition) -> int:
        """Return the chips that the shooter has paid in the frame so far, for the roll that is to be made too.

        If a position does not tell it, this is the most that is possible.
        """
        return self._chips_spent_before_roll(position) + self._chips_for_pending_roll(position)

    def _chips_for_pending_roll(self, position: ScarneyPosition) -> int:
        """Return the chips that the roll to be made has cost: 1 if it is doubled and chips count, otherwise 0.

        With turn points no roll can be doubled.
        """
        is_doubled = position.double and not position.turn
        return int(self.rules.counts_chips and is_doubled)

    def _chips_spent_before_roll(self, position: ScarneyPosition) -> int:
        """Return the chips that the shooter has spent on earlier rolls of the frame.

        A position tells only the chips that the shooter has spent in all frames together. As many of them as possible
        are taken to be the cost of this frame's earlier rolls.
        """
        if not position.spent:  # chips do not count
            return 0
        spent_in_all_frames = position.spent[position.seat] - self._chips_for_pending_roll(position)
        has_points = position.turn > 0
        max_spent_in_frame = self.rules.max_spent(position.live, has_points)
        # If a position was entered after a double-down, not even the chip for the pending roll may have been counted.
        return min(max(spent_in_all_frames, 0), max_spent_in_frame)

    def seat_payoffs(self, position: ScarneyPosition, payoffs: Sequence[float], chips: int) -> list[float]:
        """Return the value of every seat, by seat, from the value of the shooter.

        For the win the values of both seats add up to 1. For chips the value of a frame counts payments from the
        beginning of the frame on. The values of seats count them from the beginning of the game on, and add up to the
        antes.

        Args:
            position: a position of the frame.
            payoffs: one number, the shooter's value.
            chips: the chips that the shooter has paid in the frame so far.
        """
        (own,) = payoffs
        if self.players == 1:
            return [own]
        if not position.spent:  # chips do not count, so the value is a probability of winning
            return rotate_to_seats(position.seat, [own, 1 - own])
        spent_before_frame = position.spent[position.seat] - chips
        own -= spent_before_frame
        antes = position.pot - sum(position.spent)
        return rotate_to_seats(position.seat, [own, antes - own])

    # --- listed positions

    @cached_property
    def list_limits(self) -> tuple[int, int]:
        """The largest lead and the most turn points that are listed."""
        turn = replace(self.rules, counts_chips=False).turn
        max_points, _ = frame_cap(turn, RARE)
        max_lead = hopeless_deficit(turn, self.rules.frames, max_points, RARE)
        return max_lead, max_points

    def stopping_points(self, value_table: ValueTable, start: ScarneyPosition) -> int:
        """Return the turn points from which on stopping is best, rounded up; at most ``max_stopping_points``.

        Args:
            value_table: the value table.
            start: a position in which a frame begins.
        """
        turn = self.frame_turn(value_table, self._frame(start, chips=0))
        stopping_points = turn.max_risked_points(self.rules) + 1
        rounded_up = math.ceil(stopping_points / STOPPING_STEP) * STOPPING_STEP
        return min(rounded_up, self.max_stopping_points(value_table))

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points from which on no turn is listed, because so many are very unlikely."""
        _, max_points = self.list_limits
        return max_points + 1

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """List the positions in which a frame begins, for every frame, lead and pot; or only the one that is described.

        Args:
            fields: field values by name. If they include the opponent's score, only the described position is listed.
        """
        max_lead, max_points = self.list_limits
        points_left_out = f"turns with more than {max_points} turn points are left out"
        if self.players == 1:
            return PositionListing(1, (self.playable.start(),), points_left_out)
        if "opponents" in fields:
            position = self.playable.position(**fields)
            return PositionListing(1, (position,), points_left_out, is_single_position=True)
        count = 0
        for number, seat, is_extra in self._listed_frames():
            leads = self._leads(max_lead, number, seat, is_extra)
            count += len(leads) * len(self.listed_pots(number, seat, is_extra))
        truncation = f"leads of more than {max_lead} and {points_left_out}"
        return PositionListing(count, self._positions(max_lead), truncation)

    def _listed_frames(self) -> list[tuple[int, int, bool]]:
        """Return (number of the frame, seat of the shooter, whether it is an extra frame) for all frames of two."""
        frames = [(number, seat, False) for number in range(1, self.rules.frames + 1) for seat in (0, 1)]
        extra_frames = [(self.rules.frames, seat, True) for seat in (0, 1)]
        return [*frames, *extra_frames]

    def _positions(self, max_lead: int) -> Iterator[ScarneyPosition]:
        """Yield the positions in which a frame begins, with leads up to ``max_lead``."""
        for number, seat, is_extra in self._listed_frames():
            for lead in self._leads(max_lead, number, seat, is_extra):
                for pot in self.listed_pots(number, seat, is_extra):
                    yield self._frame_position(number, seat, is_extra, lead, pot)

    def _leads(self, max_lead: int, number: int, seat: int, is_extra: bool) -> range:
        """Return the shooter's possible leads before a frame.

        Args:
            max_lead: the largest lead that is listed.
            number: the number of the frame, from 1.
            seat: the shooter.
            is_extra: whether it is an extra frame.
        """
        begins_with_equal_totals = number == 1 or is_extra
        if not begins_with_equal_totals:
            return range(-max_lead, max_lead + 1)
        if seat == 0:
            return range(1)
        return range(-max_lead, 1)  # only the opponent has shot since

    def listed_pots(self, number: int, seat: int, is_extra: bool) -> range:
        """Return the numbers of chips that can be on the table before a frame: one number if chips do not count.

        Args:
            number: the number of the frame, from 1.
            seat: the shooter.
            is_extra: whether it is an extra frame.
        """
        return range(1)

    def _frame_position(self, number: int, seat: int, is_extra: bool, lead: int, pot: int) -> ScarneyPosition:
        """Return the position in which a frame begins, with the smallest totals that have the lead.

        Args:
            number: the number of the frame, from 1.
            seat: the shooter.
            is_extra: whether it is an extra frame.
            lead: the shooter's lead.
            pot: the chips on the table.
        """
        own_score = max(lead, 0)
        opponent_score = max(-lead, 0)
        scores = (own_score, opponent_score) if seat == 0 else (opponent_score, own_score)
        playoff = (0, 1) if is_extra else ()
        spent = self.playable.start().spent
        return ScarneyPosition(scores, seat, number, playoff, pot, spent)
