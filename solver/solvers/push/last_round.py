"""Last rounds: once a player has reached the target, every other player has one more turn; the highest total wins.

A player who reaches the target need not stop there, because more points make the last turns harder. Points have no
bound, so the table of a turn has to end at some cap.

*The cap.* Let A(s) be the greatest chance that a turn ever adds s points or more (``chance_to_add``), and L(d) the
chance to win of a last turn that begins d points behind. A player with score a who stops at c turn points against score
b gives up at most L(a + c - b). From t turn points the turn gets to c with chance at most A(c - t). So a table that
ends at c is wrong by at most A(c - t) L(a + c - b). ``LastTurns.cap`` returns the first c for which that is at most
TRUNCATION, and the error bound of a solve includes TRUNCATION. A position with t turn points gets a longer table of its
own: the chance to come as far as t must not be counted, because it has already happened.

*Two players.* A last turn depends on the deficit d only. Its payoff is 1 above d points, 1/2 at d and 0 below.

*Take-over.* With dice to take over, the opponent is never far behind. Then only A(c - t) counts, for any t below the
target. Suppose the opponent stood at s, banked t points and left dice. A mover with score b
needs more than s - b points on top of these t. So chances are tabled by s - b and t (``LastTurns.takeover_chances``).

*More players.* Everyone who has a last turn is below the target. Of the others only the highest total T matters, and
the number c of players who hold it; they share equally what is left to them. Let G(b1, b2, ..; T, c) be the shares of
the players who still have a turn, with scores b1, b2, .. from the mover on. If the mover's total becomes X, the others
get

    G(b2, ..; T, c)  if X < T;   G(b2, ..; T, c + 1)  if X = T;   G(b2, ..; X, 1)  if X > T,

and the mover gets nothing, 1 / (c + 1) of the rest, or all of it. Tables are built from the last turn backwards
(``MultiplayerLastTurns``).

Start reading at ``LastTurns``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.push import LANES
from ...games.push_rules import SPECIAL_ENDING_COUNT, WIN
from ...turns.push_turn import Doubles, PushTurn
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback, report_each
from ..model import Ints, split_lanes
from ..rounding_bounds import turn_rounding_bound
from .states import States

TRUNCATION = 2.0**-52  # largest error of a value because the table of a turn ends
INITIAL_SPANS = 4  # deficits in the first table that is tried, in spans (see ``LastTurns``)
MAX_TABLE_SIZE = 1 << 16  # points; a last round that needs longer tables is refused
LANES_PER_CALL = 256
REACH_LANES_PER_CALL = 64  # fewer, because these turns are solved with their inner values
MAX_INNER_DOUBLES = 1 << 23  # inner values in memory at a time
SPECIAL_PAYOFFS = np.array([0.0, 1.0, 0.0])  # of the mover in a last turn: bust, immediate win, wipe
WIN_ENDING = -1 - WIN.next_mode  # index of an immediate win among the endings (see ``TurnChoice``)


def is_deficit_only(turn: PushTurn) -> bool:
    """Return True if the rest of a turn depends only on how many points are missing, not on the turn points so far.

    That is so if choices never take turn points away and no mode limits them. Then a turn that begins with t turn
    points and needs n is like one that begins with none and needs n - t. So one solved turn answers for all deficits.
    """
    return turn.is_nondecreasing and not turn.has_point_limits


def chance_to_add(turn: PushTurn, size: int) -> Doubles:
    """Return A(s) for s < ``size``: the greatest chance, in any mode, that a turn ever adds s points or more.

    A(s) is the value of a turn that pays 1 with at least s points and 0 otherwise. A turn that ends without a bank does
    not get there. The turn begins with 0 turn points: points that can be lost only make it harder to add s more.

    Args:
        turn: the turn model.
        size: the number of entries.
    """
    if not is_deficit_only(turn):
        return _chance_to_add_by_lanes(turn, size)
    # The rest of a turn depends only on the points that are missing. So one solved turn, which pays 1 with size - 1
    # points, answers for all s: with t turn points it still needs s = size - 1 - t, hence the reversal below.
    bank_payoffs = np.append(np.zeros(size - 1), 1.0)
    special_payoffs = np.zeros(turn.special_count)
    chances = _solve_inner_values(turn, special_payoffs, bank_payoffs)  # (modes, turn points)
    chance_by_points = chances.max(axis=0)
    return np.asarray(chance_by_points[::-1])


def _chance_to_add_by_lanes(turn: PushTurn, size: int) -> Doubles:
    """Return A(s) for s < ``size``, the greatest chance that a turn ever adds s points or more, by one turn for each s.

    It is the greatest over the modes in which the turn may begin. A turn that takes dice over may begin in any mode.

    Args:
        turn: the turn model.
        size: the number of entries.
    """
    chance = np.ones(size)  # A(0) = 1
    for first in range(1, size, REACH_LANES_PER_CALL):
        # One lane for each s, whose table ends at s points.
        needed = np.arange(first, min(first + REACH_LANES_PER_CALL, size), dtype=np.int32)
        # Special endings come first, then banks of 0, 1, ... points. Listed as fewer than 0 points, the special ones
        # pay nothing.
        points_by_ending = np.arange(-turn.special_count, int(needed[-1]) + 1)[:, None]
        payoff = (points_by_ending >= needed).astype(np.float64)  # (endings, lanes)
        inner = turn.solve(payoff[None], needed, inner=True).inner  # (channels, modes, turn points, lanes)
        assert inner is not None
        chance_by_mode = inner[0, :, 0]  # (modes, lanes) with 0 turn points
        chance[needed] = chance_by_mode.max(axis=0)  # whichever mode the turn begins in
    return chance


def _solve_inner_values(turn: PushTurn, special_payoffs: Doubles, bank_payoffs: Doubles) -> Doubles:
    """Solve one turn; return the values before each roll, by mode and turn points: (modes, cap + 1).

    Args:
        turn: the turn model, with one bank ending for each number of turn points.
        special_payoffs: (special endings,) the payoffs of the special endings, such as a bust.
        bank_payoffs: (cap + 1,) the payoffs of banks of 0, 1, .., cap points.
    """
    payoff = np.append(special_payoffs, bank_payoffs)  # (endings,)
    cap = len(bank_payoffs) - 1
    one_channel_one_lane = payoff[None, :, None]
    inner = turn.solve(one_channel_one_lane, np.array([cap], dtype=np.int32), inner=True).inner
    assert inner is not None
    return inner[0, :, : cap + 1, 0]  # the kernel's table may go on past the cap


class LastTurns:
    """Chances to win of last turns, two players. All points are in units of the rules' grain.

    Attributes:
        states: the states of one player on the way to the target.
        turn: the turn model.
        has_takeover: whether dice that a turn leaves may be taken over.
        span: the number of scores from the lowest one up to the target.
        size: the number of deficits in the table.
        add_chances: A(s) by s: the greatest chance that a turn ever adds s points; the last one is at most TRUNCATION.
        negligible_points: the fewest points that a turn adds with a chance of at most TRUNCATION.
        win_chances: (2, size) L(d), the chance to win of a last turn that begins d points behind. Index 0 of the first
            axis is for players with score 0, who need an opening; index 1 is for others.
        rounding: a bound of the rounding error of each of these chances.
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
        """Return A(s), the greatest chance that a turn ever adds s points, for s = 0, 1, ...; enlarge ``size`` for it.

        ``size`` grows until A of the last s is negligible. A turn that adds s points leaves the opponent a deficit: s,
        plus the points that the turn began with, plus the lead before it. The last two are at most ``span`` and
        ``span`` - 1. So the table, whose last deficit is ``size`` - 1, suffices for s up to ``size`` - 2 ``span``.

        Raises:
            SolveError: turns can add so many points that the tables would be too long.
        """
        while True:
            max_points = self.size - 2 * self.span
            add_chances = chance_to_add(self.turn, max_points + 1)  # of 0, 1, ..., max_points; falling
            if add_chances[-1] <= TRUNCATION:
                return add_chances
            if self.size > MAX_TABLE_SIZE:
                raise SolveError("a turn can score too many points under these rules to solve a last round")
            self.size += self.size // 2

    def min_bank(self, score: int) -> int:
        """Return the fewest points, in units, of a bank that counts in a last turn.

        A bank that beats the other total reaches the target too. So the minimum of the rules applies only if it also
        applies to a bank that wins. It depends on whether the score is above 0.
        """
        return self.states.min_bank(score) if self.states.rules.minimum_on_win else 1

    def _solve_win_chances(self, min_bank: int) -> Doubles:
        """Return L(d), the chance to win a last turn that begins d points behind, for all d < ``size``: (size,).

        Args:
            min_bank: the fewest points of a bank that counts.
        """
        win_chances = np.empty(self.size)
        separate_deficits = np.arange(self.size)  # to be solved by a turn each
        if is_deficit_only(self.turn):
            # One turn holds all deficits, as if banks of fewer than ``min_bank`` points counted too. A bank that ties
            # or wins has at least d points, so that is right if d >= min_bank. Smaller d need turns of their own;
            # ``min_bank`` itself gets one too, with the same result.
            separate_deficits = separate_deficits[: min_bank + 1]
            if len(separate_deficits) < self.size:
                win_chances[:] = self._solve_all_deficits()
        for deficits in split_lanes(separate_deficits, LANES_PER_CALL):
            win_chances[deficits] = self._solve_deficits(deficits, min_bank)
        return win_chances

    def _solve_all_deficits(self) -> Doubles:
        """Return L(d), the chance to win a last turn from d points behind, for all d < ``size``: (size,).

        This holds if the rest of a turn depends on the deficit only, and if every bank counts. One turn is solved, from
        ``size - 1`` points behind. It is d behind once it has ``size - 1 - d`` turn points.
        """
        largest_deficit = self.size - 1
        # 0 for fewer points, a tie with exactly the deficit, a win with one point more.
        bank_payoffs = np.append(np.zeros(largest_deficit), (0.5, 1.0))
        chances = _solve_inner_values(self.turn, SPECIAL_PAYOFFS, bank_payoffs)  # (modes, turn points)
        chance_by_points = chances[self.turn.start]
        return np.asarray(chance_by_points[largest_deficit::-1])  # by deficit, 0 first

    def _solve_deficits(self, deficits: Ints, min_bank: int) -> Doubles:
        """Return L(d), the chance to win a last turn from d points behind, for each of some deficits: (lanes,).

        Args:
            deficits: (lanes,) d; a turn of its own is solved for each.
            min_bank: the fewest points of a bank that counts.
        """
        caps = np.maximum(deficits + 1, min_bank).astype(np.int32)  # the fewest points that win
        payoff = self._payoffs(np.arange(int(caps.max()) + 1), deficits, min_bank)
        return np.asarray(self.turn.solve(payoff, caps).value[0])

    def _payoffs(self, points: Ints, deficits: Ints, min_bank: int, bank_blocks: int = 1) -> Doubles:
        """Return the mover's chances to win after all endings of last turns: (1 channel, endings, lanes).

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
        """Return the mover's chance to win after banks in a last turn: (banks, lanes).

        It is 1 if the bank brings the mover ahead, 1/2 if it ties, and 0 if the mover stays behind or the bank does not
        count.

        Args:
            points: (banks, 1) the points of the banks.
            deficit: (lanes,) by how many points the mover is behind before the bank.
            min_bank: the fewest points of a bank that counts: (lanes,), or one number for all.
        """
        chance_unless_ahead = np.where(points == deficit, 0.5, 0.0)
        chance_if_counted = np.where(points > deficit, 1.0, chance_unless_ahead)
        return np.where(points >= min_bank, chance_if_counted, 0.0)

    def win_chance(self, score: Ints, totals: Ints) -> Doubles:
        """Return the mover's chance to win in last turns of two players, by table lookup.

        Args:
            score: the movers' scores, in units; any shape that broadcasts with ``totals``.
            totals: the totals of opponents who have finished, in units.
        """
        deficit = totals - score
        deficit = np.minimum(deficit, self.size - 1)  # beyond the table the chance is as negligible as at its end
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
            return points + self.negligible_points
        added_points = np.arange(len(self.add_chances))
        deficits = np.clip(points + added_points + lead, 0, self.size - 1)
        loss = self.add_chances * self.win_chances[1, deficits]  # index 1: an opponent who needs no opening
        # The fewest added points with a negligible loss. There are some: the last of ``add_chances`` is that small.
        first_negligible = int(np.flatnonzero(loss <= TRUNCATION)[0])
        return points + first_negligible

    @property
    def has_takeover(self) -> bool:
        """True if dice that a turn leaves may be taken over."""
        return self.states.rules.take_over != "none"

    @property
    def negligible_points(self) -> int:
        """The fewest points, in units, that a turn adds with a chance of at most TRUNCATION."""
        return int((self.add_chances > TRUNCATION).sum())  # chances fall, so this counts the s below that

    @cached_property
    def end_totals(self) -> NDArray[np.int32]:
        """(scores,): total at which the tables of all turns may end, in units, by the opponent's score.

        Entry i is for the score ``lowest_score + i``. The total is the least one at which ending the tables costs at
        most TRUNCATION. The cost is the chance that a turn gets there, times the opponent's chance to make up for it.
        It is largest from the highest score, ``target`` - 1, because that turn has to add the fewest points.
        """
        states = self.states
        if self.has_takeover:
            # From the highest score, a turn may begin with points that were taken over. The opponent has banked them
            # and is still below the target, so they are less than a span.
            highest_score = states.target - 1
            end_total = highest_score + self.span + self.negligible_points
            return np.full(self.span, end_total, dtype=np.int32)
        added_points = np.arange(1, len(self.add_chances))
        totals = states.target - 1 + added_points
        opponent_scores = np.arange(states.lowest_score, states.target)
        deficits = totals - opponent_scores[:, None]  # (opponent scores, totals): what the opponent has to make up
        loss = self.add_chances[added_points] * self.win_chances[1, deficits]  # index 1: no opening is needed
        # By opponent's score, the first such total. There is one, because the last of ``add_chances`` is that small.
        first_negligible = (loss <= TRUNCATION).argmax(axis=1)
        return np.asarray(totals[first_negligible].astype(np.int32))

    # --- Take-over

    def takeover_chances(self, turn_for_cap: Callable[[int], PushTurn], dice: int, max_points: int) -> Doubles:
        """Return the mover's chances to win in last turns that take over the opponent's points and dice.

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
        # The mover takes over what the opponent has just banked. So that bank has raised the lead by as many points.
        deficits = leads[:, None] + np.arange(max_points + 1)  # (leads, points)
        chances = np.zeros((2, len(leads), max_points + 1, dice))
        for score in (0, 1):  # before the first bank; 1 stands for every score above 0
            min_bank = self.min_bank(score)
            # (leads, points) to be solved by turns of their own. Other deficits do not occur: the mover of a last turn
            # is behind.
            is_separate = deficits > 0
            if is_deficit_only(self.turn):
                # The points taken over are part of the deficit, and the turn begins with them, so they cancel. Chances
                # depend on lead and dice only, and one turn gives them all, if every bank that ties or wins counts.
                chances_by_lead = self._solve_taken_over_leads(turn_for_cap(self.span + 1), dice)  # (leads, dice)
                chances[score] = chances_by_lead[:, None]  # the same for all points taken over
                is_separate &= deficits < min_bank  # only where a bank that catches up may be too small to count
            if is_separate.any():
                self._solve_separately(turn_for_cap, dice, min_bank, deficits, is_separate, chances[score])
        return chances

    def _solve_taken_over_leads(self, turn: PushTurn, dice: int) -> Doubles:
        """Return the chances to win last turns that take over dice and points, if every bank counts.

        The points taken over then count for both players: the opponent has banked them, and the mover begins with them.
        So the mover has to make up only the lead that the opponent had before. One turn is solved, from ``span`` points
        behind: with t turn points it is as good as one against a lead of ``span`` - t.

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
        one_channel_one_lane = payoff[None, :, None]
        inner = turn.solve(one_channel_one_lane, np.array([cap], dtype=np.int32), inner=True).inner
        assert inner is not None  # (channels, modes, turn points, lanes)
        leads = np.arange(1 - self.span, self.span)
        points_by_lead = np.clip(self.span - leads, 0, cap)  # with the cap, a turn has won in any case
        takeover_modes = slice(-dice, None)
        return inner[0, takeover_modes, points_by_lead, 0]  # numpy puts the axis of leads first: (leads, dice)

    def _solve_separately(
        self,
        turn_for_cap: Callable[[int], PushTurn],
        dice: int,
        min_bank: int,
        deficits: Ints,
        is_separate: NDArray[np.bool_],
        chances: Doubles,
    ) -> None:
        """Fill in some chances to win last turns that take over points and dice, by solving one turn for each deficit.

        Turns with the same deficit differ only in the points and dice with which they begin. So each deficit is one
        lane, and the chances are read from the values inside its turn.

        Args:
            turn_for_cap: returns the turn model for caps up to a number; its last modes are for 1, 2, .. dice taken
                over.
            dice: the largest number of dice that may be left.
            min_bank: the fewest points of a bank that counts.
            deficits: (leads, points), how far the mover is behind, by the opponent's lead before the bank that made the
                offer, and by the points taken over.
            is_separate: (leads, points), the entries to fill in.
            chances: (leads, points, dice), written in these entries.
        """
        separate_deficits = np.unique(deficits[is_separate])
        max_cap = max(int(separate_deficits[-1]) + 1, min_bank)
        turn = turn_for_cap(max_cap)
        takeover_modes = slice(-dice, None)  # the last modes, which roll 1, 2, .. dice
        doubles_per_lane = len(turn.modes) * turn.row_count(max_cap)
        lanes_per_call = max(1, MAX_INNER_DOUBLES // doubles_per_lane)
        for lane_deficits in split_lanes(separate_deficits, lanes_per_call):
            if self.turn.is_nondecreasing:
                caps = np.maximum(lane_deficits + 1, min_bank)  # the fewest points that win, which cannot be lost again
            else:
                # Points taken over may be lost again, so the table has room for all of them: these turns are not
                # deficit-only, so all deficits above 0 are solved here. The largest one, and so the largest cap, is at
                # least the most points that can be taken over.
                caps = np.full(len(lane_deficits), max_cap)
            # ``dice`` + 1 blocks of banks: those that leave 0, 1, .., ``dice`` dice.
            payoff = self._payoffs(np.arange(max_cap + 1), lane_deficits, min_bank, bank_blocks=dice + 1)
            inner = turn.solve(payoff, caps.astype(np.int32), inner=True).inner  # (1, modes, turn points, lanes)
            assert inner is not None
            # Fill in the entries that have the deficit of one of these lanes.
            lead_index, points = np.nonzero(is_separate & np.isin(deficits, lane_deficits))  # (entries,) each
            lane = np.searchsorted(lane_deficits, deficits[lead_index, points])
            start_points = np.minimum(points, caps[lane])  # with the cap, a turn has won in any case
            # Index arrays on both sides of a slice put their axis first: (entries, dice).
            chances[lead_index, points] = inner[0, takeover_modes, start_points, lane]


class LastTurnRivals(NamedTuple):
    """The totals that a player with a last turn has to beat, and the players who come after, in some lanes.

    Attributes:
        later_shares: by number of holders less 1, the chances to win of the players who move later: (combinations,
            totals, players). A combination is one of their scores; the total is the highest one before their turns.
        holders: the number of players who hold the highest total.
        combination: (lanes,) the scores of the players who move later, as an index in ``later_shares``.
        top_total: (lanes,) the highest total.
    """

    later_shares: Sequence[Doubles]
    holders: int
    combination: Ints
    top_total: Ints


class BankShares(NamedTuple):
    """The chances to win of the players after banks in a last turn.

    Attributes:
        with_turn: (players, points, lanes) those of the mover and the players who move later, in turn order.
        each_holder: (points, lanes) that of each player who held the highest total before the bank.
    """

    with_turn: Doubles
    each_holder: Doubles


class MultiplayerLastTurns:
    """Shares of the players in a last round of three or more, against every total from the target to ``max_total``.

    A share is a chance to win; holders, who share the highest total, share the win equally. The shares of the players
    who still have a turn are kept in one array for each number of holders: (combinations, totals, players with a turn).
    A combination is a choice of one score for each player who still has a turn. The total is the highest one so far.
    Totals beyond ``max_total`` count as ``max_total``.

    Attributes:
        last_round: the last round of two players under these rules.
        turn: the turn model.
        seats: the number of players.
        target, max_total: the first and the last total, in units.
        totals: (totals,), all of them: the second axis of the arrays of shares.
    """

    def __init__(self, last_round: LastTurns, seats: int, max_total: int) -> None:
        """Store the rules and the totals; the methods compute the arrays of shares.

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
        """Return the shares of the players with a turn if there are none: the list from which tables are built.

        Returns:
            By number of holders less 1, an empty array (1 combination, totals, 0 players).
        """
        no_shares = np.zeros((1, len(self.totals), 0))
        return [no_shares] * self.seats

    def with_earlier_mover(
        self,
        mover_scores: Ints,
        later_shares: Sequence[Doubles],
        zeros: Callable[[int], Doubles] = np.zeros,
        progress: ProgressCallback = lambda share: None,
    ) -> list[Doubles]:
        """Add a player who moves before all others that still have a last turn; return the chances of all of them.

        The result has one array fewer, because the mover may become a further holder of the highest total.

        Args:
            mover_scores: (scores,) the scores that this player may have, in units.
            later_shares: by number of holders less 1, the chances to win of the players who move later: (combinations
                of their scores, totals, players).
            zeros: makes an array of this number of zeros.
            progress: called with the share of the work that is done, once for each number of holders.

        Returns:
            By number of holders less 1, (combinations, totals, players). The new player comes first among the players.
            Combinations go by the new player's score, and then by those of the others.
        """
        shares_by_holders = []
        for holders in range(1, len(later_shares)):
            shares = self._solve_turns(mover_scores, later_shares, holders, zeros, progress)
            player_count = shares.shape[-1]
            shares_by_holders.append(shares.reshape(-1, len(self.totals), player_count))
        return shares_by_holders

    def _solve_turns(
        self,
        mover_scores: Ints,
        later_shares: Sequence[Doubles],
        holders: int,
        zeros: Callable[[int], Doubles],
        progress: ProgressCallback,
    ) -> Doubles:
        """Solve the last turns of a player who moves before the others; return the chances to win of all of them.

        Args:
            mover_scores: (scores,) the scores that this player may have, in units.
            later_shares: by number of holders less 1, the chances to win of the players who move later: (combinations
                of their scores, totals, players).
            holders: the number of players who hold the highest total before the turn.
            zeros: makes an array of this number of zeros.
            progress: called with the share of the work that is done, unless most turns depend on the score.

        Returns:
            (mover scores, combinations of the later players' scores, totals, players with a turn), the mover first.
        """
        combinations, total_count, later_players = later_shares[0].shape
        shape = (len(mover_scores), combinations, total_count, 1 + later_players)
        shares = zeros(math.prod(shape)).reshape(shape)
        # If only the deficit matters, a few turns fill in nearly all shares. ``_solve_score`` then fills in or corrects
        # those of small deficits only, else all.
        if is_deficit_only(self.turn):
            self._solve_all_scores(mover_scores, later_shares, holders, shares, progress)
        for index, score in enumerate(mover_scores.tolist()):
            self._solve_score(score, later_shares, holders, shares[index])
        return shares

    def _solve_all_scores(
        self,
        mover_scores: Ints,
        later_shares: Sequence[Doubles],
        holders: int,
        shares: Doubles,
        progress: ProgressCallback,
    ) -> None:
        """Fill in the chances to win for all scores of the mover, from turns that begin at the lowest score.

        This holds if the rest of a turn depends on the deficit only. Chances depend on the mover's new total only, and
        a bust is as bad as any total below the highest one. So a mover with a higher score is in the position of one
        who began at the lowest score and has the difference as turn points.

        Args:
            mover_scores: (scores,) the scores that the mover may have, in units.
            later_shares: by number of holders less 1, the chances to win of the players who move later: (combinations
                of their scores, totals, players).
            holders: the number of players who hold the highest total before the turn.
            shares: (mover scores, combinations, totals, players with a turn), written as if every bank counted.
            progress: called with the share of the turns that are solved.
        """
        lowest_score = int(mover_scores.min())
        combination_count, total_count = shares.shape[1:3]
        # One lane for each combination of the later players' scores and each highest total.
        lanes_per_call = self._lanes_per_call(lowest_score, shares.shape[-1])
        calls = split_lanes(np.arange(combination_count * total_count), lanes_per_call)
        for lanes in report_each(calls, progress):
            combination, total_index = np.divmod(lanes, total_count)
            rivals = LastTurnRivals(later_shares, holders, combination, self.totals[total_index])
            # (turn points, lanes, players)
            shares_by_points = self._solve_turn_shares(lowest_score, min_bank=0, rivals=rivals)
            shares[:, combination, total_index] = shares_by_points[mover_scores - lowest_score]

    def _solve_score(self, score: int, later_shares: Sequence[Doubles], holders: int, shares: Doubles) -> None:
        """Fill in the chances to win for one score of the mover, against every total that needs a turn of its own.

        In general these are all totals. But if the rest of a turn depends on the deficit only, ``_solve_all_scores``
        has filled in all chances already, as if every bank counted. Then only the chances against totals close to the
        score are wrong, and only these totals are solved here.

        Args:
            score: the mover's score, in units.
            later_shares: by number of holders less 1, the chances to win of the players who move later: (combinations
                of their scores, totals, players).
            holders: the number of players who hold the highest total before the turn.
            shares: (combinations, totals, players with a turn), written.
        """
        min_bank = self.last_round.min_bank(score)
        total_indices = np.arange(len(self.totals))
        if is_deficit_only(self.turn):
            # A bank that is too small to count makes a difference only if it would tie with the total or beat it, with
            # total - score points or more. There are such banks only if total - score < min_bank.
            is_filled_in_wrong = self.totals - score < min_bank
            total_indices = total_indices[is_filled_in_wrong]
        combinations = np.arange(len(shares))
        # One lane for each combination and total.
        combination = np.repeat(combinations, len(total_indices))
        total_index = np.tile(total_indices, len(combinations))
        for lanes in split_lanes(np.arange(len(combination)), self._lanes_per_call(score, shares.shape[-1])):
            rivals = LastTurnRivals(later_shares, holders, combination[lanes], self.totals[total_index[lanes]])
            shares_by_points = self._solve_turn_shares(score, min_bank, rivals)  # (turn points, lanes, players)
            shares[combination[lanes], total_index[lanes]] = shares_by_points[0]  # a turn begins with 0 points

    def _lanes_per_call(self, score: int, players: int) -> int:
        """Return how many turns are solved in one call: whole blocks of about MAX_INNER_DOUBLES inner values at most.

        Args:
            score: the mover's score, in units.
            players: the number of players with a turn.
        """
        channels = players  # a turn is solved with one for each of their chances to win
        doubles_per_lane = channels * len(self.turn.modes) * self.turn.row_count(self.max_total - score)
        blocks = MAX_INNER_DOUBLES // (LANES * doubles_per_lane)
        return max(LANES, min(LANES_PER_CALL, LANES * blocks))

    def _solve_turn_shares(self, score: int, min_bank: int, rivals: LastTurnRivals) -> Doubles:
        """Solve the mover's last turns; return the chances to win of the players with a turn.

        The mover's chance is channel 0, so it decides the choices; those of the later players follow from them.

        Args:
            score: the mover's score, in units.
            min_bank: the fewest points of a bank that counts.
            rivals: what the mover has to beat, by lane, and the chances of the players who move later.

        Returns:
            (turn points, lanes, players), the mover first. Entry t of the first axis is for a turn that begins with t
            turn points.
        """
        cap = self.max_total - score
        banks = self.bank_shares(score, min_bank, cap, rivals).with_turn  # (players, points, lanes)
        # Special endings follow from banks: a bust or a wipe pays what a bank of 0 points does.
        payoff = np.concatenate([_special_payoffs(banks), banks], axis=1)  # (players, endings, lanes)
        caps = np.full(len(rivals.combination), cap, dtype=np.int32)
        inner = self.turn.solve(payoff, caps, inner=True).inner  # (players, modes, turn points, lanes)
        assert inner is not None
        from_start = inner[:, self.turn.start, : cap + 1]  # (players, turn points, lanes)
        return from_start.transpose(1, 2, 0)

    def bank_shares(self, score: int, min_bank: int, cap: int, rivals: LastTurnRivals) -> BankShares:
        """Return the players' chances to win after the mover banks 0, 1, .. ``cap`` points in a last turn.

        With a new total below the highest one, the mover gets nothing. With the same total the mover becomes a further
        holder, and with a higher one the only holder. For each case the later players' chances are known. The holders
        share equally what those leave. A bank of 0 points pays what a bust does.

        Args:
            score: the mover's score, in units.
            min_bank: the fewest points of a bank that counts.
            cap: the largest bank, in units.
            rivals: what the mover has to beat, by lane, and the chances of the players who move later.
        """
        points = np.arange(cap + 1)[:, None]  # (points, 1), to be compared with (lanes,)
        new_total = score + points
        is_counted = points >= min_bank
        beats = is_counted & (new_total > rivals.top_total)  # (points, lanes)
        ties = is_counted & (new_total == rivals.top_total)  # (points, lanes)
        later = self._later_shares(new_total[:, 0], beats, ties, rivals)  # (points, lanes, later players)
        left_to_holders = (1 - later.sum(axis=-1)).clip(0.0)  # (points, lanes); rounding could make it negative
        holder_count = rivals.holders + ties  # one more, the mover, where there is a tie
        each_holder = left_to_holders / holder_count
        own_unless_ahead = np.where(ties, each_holder, 0.0)
        own = np.where(beats, left_to_holders, own_unless_ahead)  # a mover who is ahead is the only holder
        with_turn = np.concatenate([own[None], later.transpose(2, 0, 1)])  # (players with a turn, points, lanes)
        return BankShares(with_turn=with_turn, each_holder=np.where(beats, 0.0, each_holder))

    def _later_shares(
        self, new_totals: Ints, beats: NDArray[np.bool_], ties: NDArray[np.bool_], rivals: LastTurnRivals
    ) -> Doubles:
        """Return the chances to win of the players who move after the mover: (points, lanes, later players).

        Args:
            new_totals: (points,) the mover's totals after the bank.
            beats, ties: (points, lanes) whether the bank counts and makes the mover the only holder, or a further one.
            rivals: what the mover has to beat, by lane, and the tables in which the chances are looked up.
        """
        # The tables are (combinations, totals, later players): one for one holder, the next for two holders, ...
        for_only_holder = rivals.later_shares[0]
        for_same_holders = rivals.later_shares[rivals.holders - 1]
        for_further_holder = rivals.later_shares[rivals.holders]
        combination = rivals.combination
        top_index = self._total_index(rivals.top_total)
        if_below = for_same_holders[combination, top_index]  # (lanes, later players)
        if_tied = for_further_holder[combination, top_index]  # (lanes, later players)
        if_ahead_by_lane = for_only_holder[combination][:, self._total_index(new_totals)]
        if_ahead = if_ahead_by_lane.transpose(1, 0, 2)  # (points, lanes, later players)
        unless_ahead = np.where(ties[:, :, None], if_tied, if_below)
        return np.where(beats[:, :, None], if_ahead, unless_ahead)

    def _total_index(self, totals: Ints) -> Ints:
        """Return the index of totals in the tables; a total beyond their ends has the index of the end."""
        return np.clip(totals - self.target, 0, len(self.totals) - 1)


def _special_payoffs(banks: Doubles) -> Doubles:
    """Return what the special endings of a last turn pay: (players, special endings, lanes).

    A bust loses the turn points, and a wipe the score. Either way the mover stays below the target, so both pay what a
    bank of 0 points does.

    Args:
        banks: (players, points, lanes) what banks pay the players with a turn, the mover first.
    """
    no_points = banks[:, :1]
    special_payoffs = np.repeat(no_points, SPECIAL_ENDING_COUNT, axis=1)
    mover = 0
    special_payoffs[:, WIN_ENDING] = 0.0
    special_payoffs[mover, WIN_ENDING] = 1.0  # the mover wins alone
    return special_payoffs
