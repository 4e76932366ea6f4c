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
the number c of players who hold it; they share equally what is left to them. Let G(b1, b2, ..; T, c) be the shares of
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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIAL_ENDING_COUNT, WIN
from ...turns.push_turn import Doubles, PushTurn
from ...util.errors import SolveError
from ..model import Ints, split_lanes
from ..rounding_bounds import turn_rounding_bound
from .states import States

TRUNCATION = 2.0**-52  # largest error of a value because the table of a turn ends
INITIAL_SPANS = 4  # deficits in the first table that is tried, in spans (see ``LastRound``)
MAX_TABLE_SIZE = 1 << 16  # points; a last round that needs longer tables is refused
LANES_PER_CALL = 256
REACH_LANES_PER_CALL = 64  # fewer, because these turns are solved with their inner values
MAX_INNER_DOUBLES = 1 << 23  # inner values in memory at a time
SPECIAL_PAYOFFS = np.array([0.0, 1.0, 0.0])  # of the mover in a last turn: bust, immediate win, wipe
WIN_ENDING = -1 - WIN.next_mode  # index of an immediate win among the endings (see ``TurnChoice``)


def is_deficit_only(turn: PushTurn) -> bool:
    """Return True if the rest of a turn depends on the missing points only, not on the turn points.

    That is so if choices never take turn points away and no mode limits them. Then one table of one turn holds the
    turns for all deficits.
    """
    return turn.is_nondecreasing and not turn.has_point_limits


def chance_to_add(turn: PushTurn, size: int) -> Doubles:
    """Return A(s) for s < ``size``: the greatest chance, in any mode, that a turn ever adds s points.

    A(s) is the value of a turn that pays 1 with at least s points and 0 otherwise. A turn that ends without a bank does
    not get there. Turn points that can be lost only make it harder to add s more, so A is solved from 0 turn points.

    Args:
        turn: the turn model.
        size: the number of entries.
    """
    if is_deficit_only(turn):
        # One turn pays 1 with size - 1 points. With t turn points it still needs size - 1 - t, hence the reversal.
        bank_payoffs = np.append(np.zeros(size - 1), 1.0)
        chances = _inner_values(turn, np.zeros(turn.special_count), bank_payoffs)  # (modes, turn points)
        chance_by_points = chances.max(axis=0)
        return np.asarray(chance_by_points[::-1])
    chance = np.ones(size)  # A(0) = 1
    for first in range(1, size, REACH_LANES_PER_CALL):
        # One lane, a turn of its own, for each s: a turn that needs s points ends its table there.
        needed = np.arange(first, min(first + REACH_LANES_PER_CALL, size), dtype=np.int32)
        # Special endings come first, then banks of 0, 1, ... points. Listed as fewer than 0 points, the special ones
        # pay nothing.
        points_by_ending = np.arange(-turn.special_count, int(needed[-1]) + 1)[:, None]
        payoff = (points_by_ending >= needed).astype(np.float64)  # (endings, lanes)
        inner = turn.solve(payoff[None], needed, inner=True).inner  # (channels, modes, turn points, lanes)
        assert inner is not None
        chance_by_mode = inner[0, :, 0]  # (modes, lanes) with 0 turn points
        chance[needed] = chance_by_mode.max(axis=0)
    return chance


def _inner_values(turn: PushTurn, special_payoffs: Doubles, bank_payoffs: Doubles) -> Doubles:
    """Solve one turn; return the values before each roll, by mode and turn points: (modes, banks).

    Args:
        turn: the turn model, with one bank ending for each number of turn points.
        special_payoffs: of the special endings.
        bank_payoffs: of banks of 0, 1, .. points, up to the cap.
    """
    payoff = np.append(special_payoffs, bank_payoffs)  # (endings,)
    cap = len(bank_payoffs) - 1
    one_channel_one_lane = payoff[None, :, None]
    inner = turn.solve(one_channel_one_lane, np.array([cap], dtype=np.int32), inner=True).inner
    assert inner is not None
    return inner[0, :, : cap + 1, 0]  # the kernel's table may have further rows past the cap


class LastRound:
    """Chances to win of last turns, two players. All points are in units of the rules' grain.

    Attributes:
        span: the number of scores from the lowest one up to the target.
        size: the number of deficits in the table.
        add_chances: A(s) by s: the greatest chance that a turn ever adds s points.
        win_chances: (2, size) L(d), the chance to win of a last turn that begins d points behind. Row 0 is for players
            with score 0, who need an opening; row 1 is for others.
        rounding: a bound of the rounding error of each of these.
    """

    def __init__(self, states: States) -> None:
        """Find how long the tables have to be, and solve the last turns of all deficits.

        Args:
            states: the states of one player on the way to the target.

        Raises:
            SolveError: turns reach so far that the tables would be too long.
        """
        self.states = states
        self.turn = states.turn
        self.span = states.target - states.lowest_score
        self.size = INITIAL_SPANS * self.span  # _find_add_chances enlarges it as needed
        self.add_chances = self._find_add_chances()
        # The fewest points that may be banked differ only between a score of 0 and any other one, so 1 stands for all.
        min_banks = [self.min_bank(score) for score in (0, 1)]
        win_chances_by_min_bank = {min_bank: self._solve_win_chances(min_bank) for min_bank in set(min_banks)}
        self.win_chances = np.array([win_chances_by_min_bank[min_bank] for min_bank in min_banks])
        self.rounding = turn_rounding_bound(self.turn, self.size)

    def _find_add_chances(self) -> Doubles:
        """Return A(s), the greatest chance that a turn ever adds s points, up to an s with A(s) <= TRUNCATION.

        ``size``, the number of deficits in the tables, grows until the tables suffice for this s. The deficit that a
        turn leaves to the opponent is what the turn added, plus the points that it began with and the lead before it.
        These two are at most ``span`` each, the number of scores. So s ends two spans before the largest deficit.
        """
        while True:
            add_chances = chance_to_add(self.turn, self.size - 2 * self.span + 1)
            if add_chances[-1] <= TRUNCATION:
                return add_chances
            if self.size > MAX_TABLE_SIZE:
                raise SolveError("a turn can score too many points under these rules to solve a last round")
            self.size += self.size // 2

    def min_bank(self, score: int) -> int:
        """Return the fewest points of a bank that counts in a last turn; it depends on whether the score is above 0.

        A bank that beats the other total reaches the target too, so a minimum counts only if it holds for the winning
        bank.
        """
        return self.states.min_bank(score) if self.states.rules.minimum_on_win else 1

    def _solve_win_chances(self, min_bank: int) -> Doubles:
        """Return L(d), the chance to win from d points behind, for all d < ``size``.

        Args:
            min_bank: the fewest points of a bank that counts.
        """
        win_chances = np.empty(self.size)
        separate_deficits = np.arange(self.size)  # to be solved by a turn each
        if is_deficit_only(self.turn):
            # One turn holds all deficits, as if every bank counted. That is wrong only for small d: a bank that ties or
            # wins has at least d points, so it can be too small to count only if d <= min_bank.
            separate_deficits = separate_deficits[: min_bank + 1]
            if len(separate_deficits) < self.size:
                win_chances[:] = self._solve_all_deficits()
        for deficits in split_lanes(separate_deficits, LANES_PER_CALL):
            win_chances[deficits] = self._solve_deficits(deficits, min_bank)
        return win_chances

    def _solve_all_deficits(self) -> Doubles:
        """Return L(d) for all d < ``size`` if the deficit is all that matters and every bank counts.

        A turn that begins ``size - 1`` points behind is d behind once it has ``size - 1 - d`` turn points.
        """
        largest_deficit = self.size - 1
        bank_payoffs = np.append(
            np.zeros(largest_deficit), (0.5, 1.0)
        )  # a tie with so many points, a win with one more
        chances = _inner_values(self.turn, SPECIAL_PAYOFFS, bank_payoffs)  # (modes, turn points)
        chance_by_points = chances[self.turn.start]
        return np.asarray(chance_by_points[largest_deficit::-1])  # by deficit, 0 first

    def _solve_deficits(self, deficits: Ints, min_bank: int) -> Doubles:
        """Return L(d), the chance to win a last turn from d points behind, for each of these deficits.

        Args:
            deficits: (lanes,) d; each is a turn of its own.
            min_bank: the fewest points of a bank that counts.
        """
        caps = np.maximum(deficits + 1, min_bank).astype(np.int32)  # the fewest points that win
        payoff = self._payoffs(np.arange(int(caps.max()) + 1), deficits, min_bank)
        return np.asarray(self.turn.solve(payoff, caps).value[0])

    def _payoffs(self, points: Ints, deficits: Ints, min_bank: int, bank_blocks: int = 1) -> Doubles:
        """Return the payoffs of all endings of last turns: (1 channel, endings, lanes).

        Args:
            points: (banks,) the points of the banks.
            deficits: (lanes,) by how many points the mover is behind before the turn.
            min_bank: the fewest points of a bank that counts.
            bank_blocks: how often the bank endings are repeated: once for each number of dice left, 0 included, if the
                turn model tells these apart; otherwise 1.
        """
        special_payoffs = np.repeat(SPECIAL_PAYOFFS[:, None], len(deficits), axis=1)  # (special endings, lanes)
        bank_payoffs = self.bank_payoffs(points[:, None], deficits, min_bank)  # (banks, lanes)
        repeated_banks = [bank_payoffs] * bank_blocks
        return np.concatenate([special_payoffs, *repeated_banks])[None]

    @staticmethod
    def bank_payoffs(points: Ints, deficit: Ints, min_bank: Ints | int) -> Doubles:
        """Return the chance to win after banks in a last turn: 1 if ahead, 1/2 if tied, 0 if behind or not counted.

        Args:
            points: of the banks, (banks, 1).
            deficit: by how many points the mover is behind before the bank, (lanes,).
            min_bank: the fewest points of a bank that counts, by lane or for all.
        """
        chance_unless_ahead = np.where(points == deficit, 0.5, 0.0)
        chance_if_counted = np.where(points > deficit, 1.0, chance_unless_ahead)
        return np.where(points >= min_bank, chance_if_counted, 0.0)

    def win_chance(self, score: Ints, totals: Ints) -> Doubles:
        """Return the chance to win of a last turn from ``score`` against a finished opponent with ``totals``."""
        deficit = np.minimum(totals - score, self.size - 1)
        has_banked = (score > 0).astype(np.int64)
        return np.asarray(self.win_chances[has_banked, deficit])

    def cap(self, lead: int, points: int) -> int:
        """Return the cap of a turn of the first player to finish: the turn points at which its table ends.

        Let A(s) be the greatest chance that a turn ever adds s points. So from ``points`` turn points the turn gets to
        a cap c with chance at most A(c - points). Stopping there gives up at most L(lead + c), the chance of the
        opponent to win from so many points behind. The cap is the first c for which the product of both is at most
        2**-52 (TRUNCATION). With take-over the opponent is never far behind, so only A counts.

        Args:
            lead: the mover's score minus the opponent's, in units.
            points: the turn points that the table has to include, in units.
        """
        if self.has_takeover:
            return points + self.max_added_points
        added_points = np.arange(len(self.add_chances))
        deficits = np.clip(points + added_points + lead, 0, self.size - 1)
        loss = self.add_chances * self.win_chances[1, deficits]  # row 1: an opponent who needs no opening
        first_negligible = int(np.flatnonzero(loss <= TRUNCATION)[0])
        return points + first_negligible

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
        """Total at which the tables of all turns may end, by the opponent's score from the lowest on, in units.

        It is the least one at which the truncation costs at most TRUNCATION (see ``cap``). It costs a mover most who
        begins from the highest score, ``target`` - 1, because that turn has to add the fewest points to get there.
        """
        states = self.states
        if self.has_takeover:
            # From the highest score, a turn may begin with up to a span of points, which an opponent below the target
            # has banked.
            end_total = 2 * states.target - states.lowest_score - 1 + self.max_added_points
            return np.full(self.span, end_total, dtype=np.int32)
        added_points = np.arange(1, len(self.add_chances))
        totals = states.target - 1 + added_points
        opponent_scores = np.arange(states.lowest_score, states.target)
        deficits = totals - opponent_scores[:, None]  # (opponent scores, totals): what the opponent has to make up
        loss = self.add_chances[added_points] * self.win_chances[1, deficits]  # row 1: no opening is needed
        first_negligible = (loss <= TRUNCATION).argmax(axis=1)
        return np.asarray(totals[first_negligible].astype(np.int32))

    # --- Take-over

    def takeover_chances(self, turn_for_cap: Callable[[int], PushTurn], dice: int, max_points: int) -> Doubles:
        """Return the chance to win of last turns that begin with points and dice that the opponent has left.

        Args:
            turn_for_cap: returns the turn model for caps up to a number; its last modes are for 1, 2, .. dice taken
                over.
            dice: the largest number of dice that may be left.
            max_points: the largest number of points that may be taken over.

        Returns:
            (2, 2 span - 1, max_points + 1, dice) chances. The axes are:

            - before the mover's first bank (0) or after it (1);
            - the opponent's lead before the bank that left the dice, plus span - 1;
            - the points taken over;
            - the dice taken over, less 1.
        """
        leads = np.arange(1 - self.span, self.span)  # of the opponent, before the bank
        # The bank adds as many points to the opponent's lead as can be taken over.
        deficits = leads[:, None] + np.arange(max_points + 1)  # (leads, points)
        chances = np.zeros((2, len(leads), max_points + 1, dice))
        for has_banked in (0, 1):
            min_bank = self.min_bank(has_banked)  # a score of 1 stands for every score above 0
            is_separate = deficits > 0  # to be solved by turns of their own; the mover of a last turn is behind
            if is_deficit_only(self.turn):
                # Right wherever every bank that ties or wins counts, whatever points are taken over.
                chances_by_lead = self._taken_over_by_lead(turn_for_cap(self.span + 1), dice)  # (leads, dice)
                chances[has_banked] = chances_by_lead[:, None]
                is_separate &= deficits < min_bank  # where a bank that catches up may be too small to count
            if is_separate.any():
                leads_and_points = np.argwhere(is_separate)
                self._solve_taken_over(turn_for_cap, dice, min_bank, leads_and_points, chances[has_banked])
        return chances

    def _taken_over_by_lead(self, turn: PushTurn, dice: int) -> Doubles:
        """Return the chances to win last turns that take over dice and points, if every bank counts.

        The points taken over are then on both sides of the comparison, and the mover has to make up only the lead that
        the opponent had before. One turn that begins ``span`` points behind holds all leads: with t turn points it is
        as good as one against a lead of ``span`` - t.

        Args:
            turn: the turn model; its last modes are for 1, 2, .. dice taken over.
            dice: the largest number of dice that may be left.

        Returns:
            (2 span - 1, dice), by the opponent's lead from 1 - span on, and by the dice taken over.
        """
        bank_payoffs = np.append(np.zeros(self.span), (0.5, 1.0))  # a tie with ``span`` points, a win with one more
        cap = self.span + 1
        repeated_banks = np.tile(bank_payoffs, dice + 1)  # banks that leave 0, 1, .. dice, all alike
        payoff = np.append(SPECIAL_PAYOFFS, repeated_banks)  # (endings,)
        inner = turn.solve(payoff[None, :, None], np.array([cap], dtype=np.int32), inner=True).inner
        assert inner is not None
        leads = np.arange(1 - self.span, self.span)
        points_by_lead = np.clip(self.span - leads, 0, cap)  # with the cap, a turn has won in any case
        return inner[0, -dice:, points_by_lead, 0]  # numpy puts the axis of leads first: (leads, dice)

    def _solve_taken_over(
        self,
        turn_for_cap: Callable[[int], PushTurn],
        dice: int,
        min_bank: int,
        leads_and_points: Ints,
        chances: Doubles,
    ) -> None:
        """Fill in some chances to win last turns that take over points and dice, by one turn for every deficit.

        Turns with the same deficit differ only in the points and dice with which they begin. So each deficit is one
        lane, and the chances are read from the values inside its turn.

        Args:
            turn_for_cap: returns the turn model for caps up to a number; its last modes are for 1, 2, .. dice taken
                over.
            dice: the largest number of dice that may be left.
            min_bank: the fewest points of a bank that counts.
            leads_and_points: (entries, 2) the entries to be filled in: the index of a lead, where index 0 is the lead
                1 - span, and the points taken over.
            chances: (leads, points, dice), written.
        """
        lead_indices, points = leads_and_points.T
        leads = lead_indices + 1 - self.span
        deficits = leads + points
        max_cap = max(int(deficits.max()) + 1, min_bank)
        turn = turn_for_cap(max_cap)
        doubles_per_lane = len(turn.modes) * turn.row_count(max_cap)
        lanes_per_call = max(1, MAX_INNER_DOUBLES // doubles_per_lane)
        for lane_deficits in split_lanes(np.unique(deficits), lanes_per_call):
            caps = np.full(len(lane_deficits), max_cap)
            if self.turn.is_nondecreasing:  # points cannot be lost again, so the turn may end as soon as it wins
                caps = np.maximum(lane_deficits + 1, min_bank)
            payoff = self._payoffs(np.arange(max_cap + 1), lane_deficits, min_bank, bank_blocks=dice + 1)
            inner = turn.solve(payoff, caps.astype(np.int32), inner=True).inner  # (1, modes, turn points, lanes)
            assert inner is not None
            entries = np.flatnonzero(np.isin(deficits, lane_deficits))  # those that these lanes fill in
            lanes = np.searchsorted(lane_deficits, deficits[entries])  # the deficits of lanes are ascending
            start_points = np.minimum(points[entries], caps[lanes])
            takeover_modes = slice(-dice, None)
            # Index arrays on both sides of a slice put their axis first: (entries, dice).
            chances[lead_indices[entries], points[entries]] = inner[0, takeover_modes, start_points, lanes]


class LastTurnRivals(NamedTuple):
    """The totals that a player with a last turn has to beat, and the players who come after, in some lanes.

    Attributes:
        later_shares: by number of holders less 1, what the players who move later get: (combinations, totals, players).
            A combination is one of their scores.
        holders: the number of players who hold the highest total.
        combination: (lanes,) the scores of the players who move later, as an index in ``later_shares``.
        top_total: (lanes,) the highest total.
    """

    later_shares: Sequence[Doubles]
    holders: int
    combination: Ints
    top_total: Ints


class BankShares(NamedTuple):
    """The shares of the players after banks in a last turn.

    Attributes:
        with_turn: (players, points, lanes) the mover and the players who move later, in order.
        each_holder: (points, lanes) each player who has held the highest total before.
    """

    with_turn: Doubles
    each_holder: Doubles


class MultiplayerLastRound:
    """Shares of the players in a last round of three or more, against every total from the target to ``max_total``.

    The shares of the players who still have a turn are a list, by the number of players who hold the highest total: for
    1, 2, .. holders an array (combinations, totals, players with a turn). A combination is one of the scores of the
    players who still have a turn. Totals beyond ``max_total`` count as ``max_total``.

    Attributes:
        totals: the totals in these arrays, ascending.
    """

    def __init__(self, last_round: LastRound, seats: int, max_total: int) -> None:
        """Prepare arrays of shares, without solving any.

        Args:
            last_round: the last round of two players under these rules.
            seats: the number of players.
            max_total: the largest total, in units.
        """
        self.last_round = last_round
        self.turn = last_round.states.rules.turn
        self.seats = seats
        self.max_total = max_total
        self.target = last_round.states.target
        self.totals = np.arange(self.target, max_total + 1)

    def shares_without_turns(self) -> list[Doubles]:
        """Return the shares if nobody has a turn left, for each number of holders: (1, totals, no players)."""
        return [np.zeros((1, len(self.totals), 0))] * self.seats

    def with_earlier_mover(
        self, mover_scores: Ints, later_shares: Sequence[Doubles], zeros: Callable[[int], Doubles] = np.zeros
    ) -> list[Doubles]:
        """Return the shares of the players with a turn if there is one more of them, who moves first.

        The result has one array fewer, because the mover may become a further holder of the highest total.

        Args:
            mover_scores: (scores,) the scores that this player may have, in units.
            later_shares: by number of holders less 1, what the players who move later get: (combinations of their
                scores, totals, players).
            zeros: allocates the new arrays.

        Returns:
            By number of holders less 1, (combinations, totals, players). The new player's score is the leading part of
            the number of a combination, and the new player comes first among the players.
        """
        shares_by_holders = []
        for holders in range(1, len(later_shares)):
            shares = self._solve_turns(mover_scores, later_shares, holders, zeros)
            player_count = shares.shape[-1]
            shares_by_holders.append(shares.reshape(-1, len(self.totals), player_count))
        return shares_by_holders

    def _solve_turns(
        self, mover_scores: Ints, later_shares: Sequence[Doubles], holders: int, zeros: Callable[[int], Doubles]
    ) -> Doubles:
        """Solve the turns of a player who moves first; return what the players with a turn get, for so many holders.

        Args:
            mover_scores: the scores that this player may have.
            later_shares: by number of holders less 1, what the players who move later get: (combinations of their
                scores, totals, players).
            holders: the number of players who hold the highest total.
            zeros: allocates the array.

        Returns:
            (mover scores, combinations of the later players' scores, totals, players with a turn).
        """
        combinations, total_count, later_players = later_shares[0].shape
        shape = (len(mover_scores), combinations, total_count, 1 + later_players)
        shares = zeros(math.prod(shape)).reshape(shape)
        if is_deficit_only(self.turn):
            self._solve_all_scores(mover_scores, later_shares, holders, shares)
        for index, score in enumerate(mover_scores.tolist()):
            self._solve_score(score, later_shares, holders, shares[index])
        return shares

    def _solve_all_scores(
        self, mover_scores: Ints, later_shares: Sequence[Doubles], holders: int, shares: Doubles
    ) -> None:
        """Fill in the shares for all scores of the mover from turns of the lowest score, if only the deficit matters.

        Shares depend on the mover's new total only, and a bust is as bad as any total below the highest one. So a mover
        with a higher score is in the position of one from the lowest score who has the difference as turn points.

        Args:
            mover_scores: the scores that the mover may have.
            later_shares: by number of holders less 1, what the players who move later get: (combinations of their
                scores, totals, players).
            holders: the number of players who hold the highest total.
            shares: (mover scores, combinations, totals, players with a turn), written as if every bank counted.
        """
        lowest_score = int(mover_scores.min())
        combination_count, total_count = shares.shape[1:3]
        # One lane for each combination of the later players' scores and each highest total.
        for lanes in split_lanes(np.arange(combination_count * total_count), LANES_PER_CALL):
            combination, total_index = np.divmod(lanes, total_count)
            standing = LastTurnRivals(later_shares, holders, combination, self.totals[total_index])
            shares_by_points = self._turn_shares(lowest_score, 0, standing)  # (turn points, lanes, players)
            shares[:, combination, total_index] = shares_by_points[mover_scores - lowest_score]

    def _solve_score(self, score: int, later_shares: Sequence[Doubles], holders: int, shares: Doubles) -> None:
        """Fill in the shares for one score of the mover where ``_solve_all_scores`` does not give them.

        If only the deficit matters, these are the totals so close that a bank which ties may be too small to count.
        Otherwise these are all totals.

        Args:
            score: the mover's score.
            later_shares: by number of holders less 1, what the players who move later get: (combinations of their
                scores, totals, players).
            holders: the number of players who hold the highest total.
            shares: (combinations, totals, players with a turn), written.
        """
        min_bank = self.last_round.min_bank(score)
        total_indices = np.arange(len(self.totals))
        if is_deficit_only(self.turn):
            total_indices = total_indices[self.totals < score + min_bank]
        combinations = np.arange(len(shares))
        # One lane for each combination and total.
        combination = np.repeat(combinations, len(total_indices))
        total_index = np.tile(total_indices, len(combinations))
        for lanes in split_lanes(np.arange(len(combination)), LANES_PER_CALL):
            standing = LastTurnRivals(later_shares, holders, combination[lanes], self.totals[total_index[lanes]])
            shares_by_points = self._turn_shares(score, min_bank, standing)  # (turn points, lanes, players)
            shares[combination[lanes], total_index[lanes]] = shares_by_points[0]

    def _turn_shares(self, score: int, min_bank: int, standing: LastTurnRivals) -> Doubles:
        """Solve the mover's last turns; return the shares of the players with a turn: (turn points, lanes, players).

        The mover's share is channel 0, so it decides the choices; those of the later players follow from them. Entry t
        of the axis of turn points is for a turn that begins with t of them.

        Args:
            score: the mover's score.
            min_bank: the fewest points of a bank that counts.
            standing: what the mover has to beat, by lane.
        """
        cap = self.max_total - score
        banks = self.bank_shares(score, min_bank, cap, standing).with_turn  # (players, points, lanes)
        bust = banks[:, :1]  # as a bank of 0 points
        special_endings = np.repeat(bust, SPECIAL_ENDING_COUNT, axis=1)
        payoff = np.concatenate([special_endings, banks], axis=1)  # (players, endings, lanes)
        wins_all = np.eye(len(banks))[:, :1]  # 1 to the mover, 0 to the others
        payoff[:, WIN_ENDING] = wins_all
        caps = np.full(len(standing.combination), cap, dtype=np.int32)
        inner = self.turn.solve(payoff, caps, inner=True).inner  # (players, modes, turn points, lanes)
        assert inner is not None
        from_start = inner[:, self.turn.start, : cap + 1]  # (players, turn points, lanes)
        return from_start.transpose(1, 2, 0)

    def bank_shares(self, score: int, min_bank: int, cap: int, standing: LastTurnRivals) -> BankShares:
        """Return what banks of 0, 1, .. ``cap`` points pay; a bank of 0 pays what a bust does.

        With a new total below the highest one, the mover gets nothing. With the same total the mover becomes a further
        holder, and with a higher one the only holder. For each case the later players' shares are known. The holders
        share equally what those leave.

        Args:
            score: the mover's score.
            min_bank: the fewest points of a bank that counts.
            cap: the largest bank.
            standing: what the mover has to beat, by lane, and the shares of the players who move later.
        """
        points = np.arange(cap + 1)[:, None]
        new_total = score + points  # (points, 1)
        is_counted = points >= min_bank
        beats = is_counted & (new_total > standing.top_total)  # (points, lanes)
        ties = is_counted & (new_total == standing.top_total)
        combination = standing.combination
        holders = standing.holders
        top_index = self._total_index(standing.top_total)
        new_index = self._total_index(new_total[:, 0])
        # Entry n - 1 of ``later_shares`` is for n holders of the highest total.
        if_below = standing.later_shares[holders - 1][combination, top_index]  # (lanes, later players)
        if_tied = standing.later_shares[holders][combination, top_index]  # (lanes, later players)
        if_ahead_by_lane = standing.later_shares[0][combination][:, new_index]  # (lanes, points, later players)
        if_ahead = if_ahead_by_lane.transpose(1, 0, 2)  # (points, lanes, later players)
        unless_ahead = np.where(ties[:, :, None], if_tied, if_below)
        later = np.where(beats[:, :, None], if_ahead, unless_ahead)  # (points, lanes, later players)
        later_none_ahead = (1 - later.sum(axis=-1)).clip(0.0)  # (points, lanes)
        holder_count = holders + ties  # with the mover if tied
        each_holder = later_none_ahead / holder_count
        own_unless_ahead = np.where(ties, each_holder, 0.0)
        own = np.where(beats, later_none_ahead, own_unless_ahead)
        with_turn = np.concatenate([own[None], later.transpose(2, 0, 1)])  # (players with a turn, points, lanes)
        return BankShares(with_turn, np.where(beats, 0.0, each_holder))

    def _total_index(self, totals: Ints) -> Ints:
        """Return the index of totals in the tables; a total beyond their ends has the index of the end."""
        return np.clip(totals - self.target, 0, len(self.totals) - 1)
