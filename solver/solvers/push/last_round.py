"""Last rounds: once a player has reached the target, every other player has one more turn; the highest total wins.

A player who reaches the target need not stop there, because more points make the last turns harder. Points have no
bound, so the table of a turn has to end at some cap.

*The cap.* Let A(s) be the greatest chance that a turn ever adds s points (``chance_to_add``), and L(d) the chance to
win of a last turn that begins d points behind. A player with score a who stops at c turn points against score b gives
up at most L(a + c - b). From t turn points the turn gets to c with chance at most A(c - t). So a table that ends at c
is wrong by at most A(c - t) L(a + c - b). ``LastRound.cap`` returns the first c for which that is at most TRUNCATION,
and the error bound of a solve includes TRUNCATION. A position with t turn points gets a longer table of its own: the
chance to come as far as t must not be counted, because it has already happened.

*Two players.* A last turn depends on the deficit d only. Its payoff is 1 above d points, 1/2 at d and 0 below.

*Take-over.* With dice to take over, the opponent is never far behind. Then only A(c - t) counts, for any t below the
target. Suppose the opponent stood at s, banked t points and left dice. A mover with score b
needs more than s - b points on top of these t. So chances are tabled by s - b and t (``LastRound.takeover_chances``).

*More players.* Everyone who has a last turn is below the target. Of the others only the highest total T matters, and
the number c of players who hold it; they share equally what the rest leaves. Let G(b1, b2, ..; T, c) be the shares of
the players who still have a turn, with scores b1, b2, .. from the mover on. If the mover's total becomes X, the others
get

    G(b2, ..; T, c)  if X < T;   G(b2, ..; T, c + 1)  if X = T;   G(b2, ..; X, 1)  if X > T,

and the mover gets nothing, 1 / (c + 1) of the rest, or all of it. Tables are built from the last turn backwards
(``MultiplayerLastRound``).

Start reading at ``LastRound``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, WIN
from ...turns.push_turn import UNLIMITED_POINTS, Doubles, PushTurn
from ...util.errors import SolveError
from ..model import Ints, split_lanes
from ..rounding_bounds import turn_rounding_bound
from .states import States

TRUNCATION = 2.0**-52  # largest error of a value because the table of a turn ends
MAX_TABLE_SIZE = 1 << 16  # points; a last round that needs longer tables is refused
LANES_PER_CALL = 256
REACH_LANES_PER_CALL = 64  # fewer, because these turns are solved with their inner values
MAX_INNER_DOUBLES = 1 << 23  # inner values in memory at a time
SPECIAL_PAYOFFS = np.array([0.0, 1.0, 0.0])  # bust, immediate win, wipe


def is_deficit_only(turn: PushTurn) -> bool:
    """Return True if the turn depends on the missing points only, not on the turn points.

    Then one table of one turn holds the turns for all deficits.
    """
    return turn.is_nondecreasing and all(mode.max_points == UNLIMITED_POINTS for mode in turn.modes)


def chance_to_add(turn: PushTurn, size: int) -> Doubles:
    """Return A(s) for s < ``size``: the greatest chance, in any mode, that a turn ever adds s points.

    A turn that ends without a bank does not get there. Turn points that can be lost only make it harder to add s more,
    so A is solved from 0 turn points.
    """
    if is_deficit_only(turn):
        reached = np.append(np.zeros(size - 1), 1.0)
        return np.asarray(_inner_values(turn, np.zeros(turn.special_count), reached).max(axis=0)[::-1])
    chance = np.ones(size)
    for first in range(1, size, REACH_LANES_PER_CALL):
        needed = np.arange(first, min(first + REACH_LANES_PER_CALL, size), dtype=np.int32)
        points = np.arange(-turn.special_count, int(needed[-1]) + 1)[:, None]
        inner = turn.solve((points >= needed)[None].astype(np.float64), needed, inner=True).inner
        assert inner is not None
        chance[needed] = inner[0, :, 0].max(axis=0)
    return chance


def _inner_values(turn: PushTurn, specials: Sequence[float] | Doubles, banks: Doubles) -> Doubles:
    """Return the value of every mode by turn points, (modes, len(banks)), given the payoffs of the endings."""
    payoff = np.append(specials, banks)[None, :, None]
    inner = turn.solve(payoff, np.array([len(banks) - 1], dtype=np.int32), inner=True).inner
    assert inner is not None
    return inner[0, :, : len(banks), 0]


class LastRound:
    """Chances to win of last turns, two players.

    Attributes:
        size: the number of deficits in the table.
        chance: L(d) by [has banked before, d].
        adds: A(s) by s.
        rounding: a bound of the rounding error of each of these.
        span: the number of scores from the lowest one up to the target.
    """

    def __init__(self, states: States) -> None:
        self.states, self.turn = states, states.turn
        self.span = span = states.target - states.lowest_score
        self.size = 4 * span
        while True:
            self.add_chances = chance_to_add(self.turn, self.size - 2 * span + 1)
            if self.add_chances[-1] <= TRUNCATION:
                break
            if self.size > MAX_TABLE_SIZE:
                raise SolveError("the points of a turn reach too far for a last round to be solved under these rules")
            self.size += self.size // 2
        self.win_chances = np.array([self._solve(self.min_bank(has_banked)) for has_banked in (0, 1)])
        self.rounding = turn_rounding_bound(self.turn, self.size)

    def min_bank(self, score: int) -> int:
        """Return the fewest points of a bank that counts in a last turn.

        A bank that beats the other total reaches the target too, so a minimum counts only if it holds for the winning
        bank.
        """
        return self.states.min_bank(score) if self.states.rules.minimum_on_win else 1

    def _solve(self, min_bank: int) -> Doubles:
        """Return L(d) for d < ``size``.

        If only the deficit matters, one table of a turn that is size - 1 behind holds L of all deficits, except small
        ones: those below ``min_bank``.
        """
        largest, chance = self.size - 1, np.empty(self.size)
        small = np.arange(min(min_bank + 1, self.size) if is_deficit_only(self.turn) else self.size)
        if len(small) < self.size:
            banks = np.append(np.zeros(largest), (0.5, 1.0))
            chance[:] = _inner_values(self.turn, SPECIAL_PAYOFFS, banks)[self.turn.start, largest::-1]
        for deficits in split_lanes(small, LANES_PER_CALL):
            chance[deficits] = self._solve_deficits(deficits, min_bank)
        return chance

    def _solve_deficits(self, deficits: Ints, min_bank: int) -> Doubles:
        """Return L for each of these deficits, by one turn for each."""
        cap = np.maximum(deficits + 1, min_bank).astype(np.int32)
        points = np.arange(int(cap.max()) + 1)[:, None]
        specials = np.repeat(SPECIAL_PAYOFFS[:, None], len(deficits), axis=1)
        payoff = np.concatenate([specials, self.bank_payoffs(points, deficits, min_bank)])[None]
        return np.asarray(self.turn.solve(payoff, cap).value[0])

    @staticmethod
    def bank_payoffs(points: Ints, deficit: Ints, min_bank: Ints | int) -> Doubles:
        """Return the payoffs of banks of ``points`` for a mover who is that far behind."""
        return np.asarray(((points > deficit) + 0.5 * (points == deficit)) * (points >= min_bank))

    def win_chance(self, score: Ints, totals: Ints) -> Doubles:
        """Return the chance to win of a last turn from ``score`` against ``totals``."""
        deficit = np.minimum(totals - score, self.size - 1)
        return np.asarray(self.win_chances[(score > 0).astype(np.int64), deficit])

    def cap(self, lead: int, points: int) -> int:
        """Return the cap of a turn that has come to ``held`` turn points, by the mover's lead before the turn."""
        added = np.arange(len(self.add_chances))
        loss = self.add_chances * self.win_chances[1, np.clip(points + added + lead, 0, self.size - 1)]
        return points + (self.max_added_points if self.has_takeover else int(np.flatnonzero(loss <= TRUNCATION)[0]))

    @property
    def has_takeover(self) -> bool:
        """True if dice that a turn leaves may be taken over."""
        return self.states.rules.take_over != "none"

    @property
    def max_added_points(self) -> int:
        """Number of points that a turn adds with a chance of at most TRUNCATION."""
        return int((self.add_chances > TRUNCATION).sum())

    @cached_property
    def end_totals(self) -> NDArray[np.int32]:
        """Total at which the tables of all turns may end, by the opponent's score from the lowest on.

        The mover loses most by the truncation from the highest score.
        """
        states = self.states
        if self.has_takeover:  # a turn may begin with any number of points
            return np.full(
                self.span, 2 * states.target - states.lowest_score - 1 + self.max_added_points, dtype=np.int32
            )
        totals = states.target - 1 + np.arange(1, len(self.add_chances))
        loss = (
            self.add_chances[1:] * self.win_chances[1, totals - np.arange(states.lowest_score, states.target)[:, None]]
        )
        return np.asarray(totals[(loss <= TRUNCATION).argmax(axis=1)].astype(np.int32))

    # --- Take-over

    def takeover_chances(self, turn_to: Callable[[int], PushTurn], dice: int, max_points: int) -> Doubles:
        """Return the chance of last turns that take over 0, 1, .. ``most`` points: (2, 2 span - 1, most + 1, dice).

        The axes are:
            - before the mover's first bank (0) or after it (1);
            - the opponent's lead before that bank, plus span - 1;
            - the points taken over;
            - the dice taken over, less 1.

        Args:
            turn_to: returns the turn model for caps up to a number; its last modes are for 1, 2, .. dice taken over.
            dice: the largest number of dice that may be left.
            most: the largest number of points that may be taken over.
        """
        ahead = np.arange(1 - self.span, self.span)
        behind = ahead[:, None] + np.arange(max_points + 1)
        chance = np.zeros((2, len(ahead), max_points + 1, dice))
        for has_banked in (0, 1):
            min_bank, is_separate = self.min_bank(has_banked), behind > 0
            if is_deficit_only(self.turn):
                is_separate &= behind < min_bank
                chance[has_banked] = self._taken_over_by_lead(turn_to(self.span + 1), dice)[:, None]
            if is_separate.any():
                self._solve_taken_over(turn_to, dice, min_bank, np.argwhere(is_separate), chance[has_banked])
        return chance

    def _taken_over_by_lead(self, turn: PushTurn, dice: int) -> Doubles:
        """Return chances by the opponent's lead if every bank that catches up counts: (2 span - 1, dice).

        One table that ends one point past the largest lead holds all of them.
        """
        banks = np.tile(np.append(np.zeros(self.span), (0.5, 1.0)), dice + 1)
        payoff = np.append(SPECIAL_PAYOFFS, banks)[None, :, None]
        inner = turn.solve(payoff, np.array([self.span + 1], dtype=np.int32), inner=True).inner
        assert inner is not None
        points = np.clip(self.span - np.arange(1 - self.span, self.span), 0, self.span + 1)
        return inner[0, -dice:, points, 0]

    def _solve_taken_over(
        self, turn_to: Callable[[int], PushTurn], dice: int, min_bank: int, places: Ints, chance: Doubles
    ) -> None:
        """Fill in ``chance`` at ``places`` (lead, points) by one turn for every deficit."""
        points = places[:, 1]
        deficit = places[:, 0] + 1 - self.span + points
        top = max(int(deficit.max()) + 1, min_bank)
        turn = turn_to(top)
        lanes_per_call = max(1, MAX_INNER_DOUBLES // (len(turn.modes) * turn.row_count(top)))
        for deficits in split_lanes(np.unique(deficit), lanes_per_call):
            caps = np.maximum(deficits + 1, min_bank) if self.turn.is_nondecreasing else np.full(len(deficits), top)
            banks = self.bank_payoffs(np.arange(top + 1)[:, None], deficits, min_bank)
            specials = np.repeat(SPECIAL_PAYOFFS[:, None], len(deficits), axis=1)
            payoff = np.concatenate([specials, *[banks] * (dice + 1)])[None]
            inner = turn.solve(payoff, caps.astype(np.int32), inner=True).inner
            assert inner is not None
            rows = np.flatnonzero(np.isin(deficit, deficits))
            lane = np.searchsorted(deficits, deficit[rows])
            chance[tuple(places[rows].T)] = inner[0, -dice:, np.minimum(points[rows], caps[lane]), lane]


class MultiplayerLastRound:
    """Shares of the players in a last round of three or more, against every total from the target to ``end``.

    A table G is a list: for c = 1, 2, .. players who hold the total, an array (lines, totals, players with a turn). A
    line is one combination of the scores of the players who still have a turn. Totals beyond ``end`` stand for ``end``.

    Args:
        last: the last round of two players under these rules.
        seats: the number of players.
        end: the largest total.
    """

    def __init__(self, last: LastRound, seats: int, end: int) -> None:
        self.last, self.turn, self.seats, self.end = last, last.states.rules.turn, seats, end
        self.target = last.states.target
        self.totals = np.arange(self.target, end + 1)

    def empty_tables(self) -> list[Doubles]:
        """Return G if nobody has a turn left."""
        return [np.zeros((1, len(self.totals), 0))] * self.seats

    def with_earlier_mover(
        self, movers: Ints, tables: Sequence[Doubles], zeros: Callable[[int], Doubles] = np.zeros
    ) -> list[Doubles]:
        """Return G with one more player, who moves first.

        Args:
            movers: the scores of that player.
            tables: G of the players who move later.
            zeros: allocates the tables.
        """
        arrays = [self._before(movers, tables, holders, zeros) for holders in range(1, len(tables))]
        return [array.reshape(-1, len(self.totals), array.shape[-1]) for array in arrays]

    def _before(
        self, movers: Ints, tables: Sequence[Doubles], holders: int, zeros: Callable[[int], Doubles]
    ) -> Doubles:
        """Return the array of G for c = ``holders``: (movers, lines, totals, players with a turn).

        Shares depend on the mover's new total only, and a bust is as bad as any total below T. So if only the deficit
        matters, the turn from the lowest score holds the turns of all movers. Only if a bank that ties may be too small
        to count, each mover's turn is solved separately.
        """
        lines, totals, later = tables[0].shape
        shape = len(movers), lines, totals, 1 + later
        shares = zeros(math.prod(shape)).reshape(shape)
        lowest, places = int(movers.min()), np.arange(lines * totals)
        for part in split_lanes(places, LANES_PER_CALL) if is_deficit_only(self.turn) else ():
            line, total = np.divmod(part, totals)
            turns = self._turns(lowest, 0, tables, holders, line, self.totals[total])
            shares[:, line, total] = turns[movers - lowest]
        for number, mover in enumerate(movers.tolist()):
            min_bank = self.last.min_bank(mover)
            near = np.flatnonzero(self.totals < mover + min_bank) if is_deficit_only(self.turn) else np.arange(totals)
            line, total = (grid.ravel() for grid in np.meshgrid(np.arange(lines), near, indexing="ij"))
            for part in split_lanes(np.arange(len(line)), LANES_PER_CALL):
                turns = self._turns(mover, min_bank, tables, holders, line[part], self.totals[total[part]])
                shares[number, line[part], total[part]] = turns[0]
        return shares

    def _turns(
        self, score: int, min_bank: int, tables: Sequence[Doubles], holders: int, line: Ints, tops: Ints
    ) -> Doubles:
        """Return the shares of the players with a turn by turn points: (points, lanes, players)."""
        cap = self.end - score
        banks, _ = self.bank_shares(score, min_bank, cap, tables, holders, line, tops)
        payoff = np.concatenate([np.repeat(banks[:, :1], SPECIALS, axis=1), banks], axis=1)
        payoff[:, -1 - WIN.next_mode] = np.eye(len(banks))[:, :1]
        inner = self.turn.solve(payoff, np.full(len(line), cap, dtype=np.int32), inner=True).inner
        assert inner is not None
        return inner[:, self.turn.start, : cap + 1].transpose(1, 2, 0)

    def bank_shares(
        self, score: int, min_bank: int, cap: int, tables: Sequence[Doubles], holders: int, line: Ints, top_totals: Ints
    ) -> tuple[Doubles, Doubles]:
        """Return what banks of 0, 1, .. ``cap`` points pay; a bank of 0 pays what a bust does.

        Args:
            score: the mover's score.
            least: the fewest points of a bank that counts.
            cap: the largest bank.
            tables: G of the players who move later.
            holding: the number of players who hold the highest total.
            line: the line of the later players' scores, by lane.
            tops: the highest total, by lane.

        Returns:
            The shares of the players with a turn, the mover first, (players, points, lanes); and the share of each
            player who holds the highest total, (points, lanes).
        """
        new_total = score + np.arange(cap + 1)[:, None]
        is_counted = np.arange(cap + 1)[:, None] >= min_bank
        beats, ties = is_counted & (new_total > top_totals), is_counted & (new_total == top_totals)
        top_place, new_place = (
            np.clip(total - self.target, 0, len(self.totals) - 1) for total in (top_totals, new_total[:, 0])
        )
        if_below, if_tied, if_ahead = (
            tables[holders - 1][line, top_place],
            tables[holders][line, top_place],
            tables[0][line],
        )
        if_ahead = if_ahead[:, new_place].transpose(1, 0, 2)  # (points, lanes, later players)
        others = np.where(beats[:, :, None], if_ahead, np.where(ties[:, :, None], if_tied, if_below))
        rest = (1 - others.sum(axis=-1)).clip(0.0)
        shared = rest / (holders + ties)
        own = np.where(beats, rest, np.where(ties, shared, 0.0))
        return np.concatenate([own[None], others.transpose(2, 0, 1)]), np.where(beats, 0.0, shared)
