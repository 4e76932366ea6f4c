"""Frames of Straight Scarney for any number of players: the shares of all players in every standing between frames.

A *standing* is the deficits of all players before a frame, from the shooter on (see ``score_leads``). Entered points
lead to the next shooter's standing. The gaps among the other players stay. So standings that differ only in the
shooter's lead over the best of them share one row of payoffs (``SlidingFrames``). They form a *lead range*.

Frames only pass, so standings are solved by retrograde analysis. The shooter's own share is maximized, and the others'
shares are carried along as channels of the kernel. At the end the best total wins.

*Extra frames.* m players who share the best total shoot one more frame each, in the same order. Their shares x = F(x)
are those of the last frame from equal totals on. F depends on x only if all m end tied again, and the first roll of
every frame is Big Scarney with probability 1/216. So F contracts by q = (215/216)^m under any policies. It is iterated.
If one more pass moves shares by at most e, their error is at most (e + error of a pass) / (1 - q).

*Truncation.* A deficit beyond the largest lead counts as that lead. For the two games to end differently somebody must
come back from there: a probability of at most CUT_PROBABILITY for each standing and player, under any policies (see
``problem.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Doubles, PushTurn, round_up_to_blocks
from ...util.errors import SolveError
from ...util.threads import ThreadPool
from ..score_leads import Deficits, Indices, deficit_count, deficit_indices, list_deficits, next_deficits
from .frame_solver import SlidingFrames
from .problem import TableExtent, frame_rounding_bound, table_extent

CUT_PROBABILITY = 2.0**-44  # probability below which leads, and points of a frame, are cut
STANDINGS_PER_TASK = 512  # in tasks of standings that form no lead range
TASKS_PER_REPORT = 40  # between two reports of progress
MAX_PASSES = 200  # of the iteration of extra frames
GOES_ON = 215 / 216  # the largest probability that the first roll of a frame is not Big Scarney

Report = Callable[[int], None]  # called with the number of standings that were solved since the last call


class LeadRange(NamedTuple):
    """Standings that differ only in the shooter's lead over the best of the other players, which are consecutive.

    Attributes:
        gaps: (players - 1,) by how much each of the other players is behind the best of them.
        first_lead, last_lead: the first and the last lead; negative if the shooter is behind.
    """

    gaps: NDArray[np.int32]
    first_lead: int
    last_lead: int

    def deficits(self, extra_leads: int = 0) -> Deficits:
        """Return the deficits of all players in every standing of the range: (standings, players).

        Standings are in ascending order of the lead, and players are counted from the shooter on.

        Args:
            extra_leads: how many larger leads, beyond ``last_lead``, to add at the end.
        """
        lead = np.arange(self.first_lead, self.last_lead + extra_leads + 1, dtype=np.int32)
        deficits = np.empty((len(lead), 1 + len(self.gaps)), dtype=np.int32)
        deficits[:, 0] = np.maximum(-lead, 0)
        # ``gaps`` are the deficits of the others to the best of them. If the shooter is ahead, the lead is added.
        deficits[:, 1:] = np.maximum(lead, 0)[:, None] + self.gaps
        return deficits


@dataclass(frozen=True)
class Standings:
    """The standings before every frame of a game, numbered as rows of a table.

    A range of rows belongs to each number of frames left after this one and each seat to shoot, the *shooter*. Seats
    are counted in the order in which the players shoot.

    Attributes:
        turn: the frame.
        players: the number of players.
        frames: the number of frames that each player shoots.
        extents: where tables end, in points and in leads, by the number of frames left after this one.
        cap: the points at which the table of a frame ends.
        starts: the first row of every number of frames left after this one, and as the last item the number of rows.
    """

    turn: PushTurn
    players: int
    frames: int

    @cached_property
    def extents(self) -> list[TableExtent]:
        """Where tables end, in points and in leads, by the number of frames left after this one."""
        return [table_extent(self.turn, frames_left + 1, CUT_PROBABILITY) for frames_left in range(self.frames)]

    @property
    def cap(self) -> int:
        """The points at which the table of a frame ends."""
        return self.extents[0].cap

    @cached_property
    def starts(self) -> list[int]:
        """The first row of every number of frames left after this one, and, as the last item, the number of rows."""
        starts = [0]
        for frames_left in range(self.frames):
            starts.append(starts[-1] + self.players * self._block_size(frames_left))
        return starts

    def _block_size(self, frames_left: int) -> int:
        """Return the number of standings that one shooter can face before a frame with so many frames left after it."""
        return deficit_count(self.players, self.extents[frames_left].max_lead)

    def table_rows(self, frames_left: int, seat: int) -> slice:
        """Return the rows of the table that hold all standings of one frame.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
        """
        size = self._block_size(frames_left)
        first = self.starts[frames_left] + seat * size
        return slice(first, first + size)

    def row_indices(self, frames_left: int, seat: int, deficits: Deficits) -> Indices:
        """Return the row in the table of each of some standings. Deficits beyond the largest lead count as that lead.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (.., players) the deficits, from the shooter on.

        Returns:
            (..,) the rows.
        """
        index_in_frame = deficit_indices(deficits, self.extents[frames_left].max_lead)
        rows: Indices = index_in_frame + self.table_rows(frames_left, seat).start
        return rows

    @property
    def solved_count(self) -> int:
        """The number of standings that are solved, in all frames; those that cannot occur are left out."""
        return sum(self.count(frames_left, seat) for frames_left in range(self.frames) for seat in range(self.players))

    def _is_first_frame(self, frames_left: int) -> bool:
        """Return whether this is the first frame, which all players begin with equal totals."""
        return frames_left + 1 == self.frames

    def count(self, frames_left: int, seat: int) -> int:
        """Return how many standings before a frame are solved: all, or in the first frame those that can occur.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
        """
        if not self._is_first_frame(frames_left):
            return self._block_size(frames_left)
        scores_per_player = self.extents[frames_left].max_lead + 1
        count: int = scores_per_player**seat  # only the ``seat`` players before the shooter have scored
        return count

    def batches(self, frames_left: int, seat: int) -> Iterator[LeadRange | Deficits]:
        """Yield the standings before a frame that are solved, in batches, each for one task of a thread.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.

        Yields:
            A lead range, or the deficits (standings, players) of several standings that form no lead range.
        """
        max_lead = self.extents[frames_left].max_lead
        is_last_seat = seat + 1 == self.players
        if not self._is_first_frame(frames_left):
            for gaps in list_deficits(self.players - 1, max_lead):
                # The last of the others is behind the shooter by the lead plus the largest gap: at most max_lead.
                yield LeadRange(gaps, first_lead=-max_lead, last_lead=max_lead - int(gaps.max()))
        elif is_last_seat:
            # All others have shot, and the shooter has no points yet, so the last of the others is level or ahead. The
            # best of them is ahead of the last by the largest gap. So the lead is at most minus the largest gap.
            for gaps in list_deficits(self.players - 1, max_lead):
                yield LeadRange(gaps, first_lead=-max_lead, last_lead=-int(gaps.max()))
        else:
            # Some others have not shot either, so they have the shooter's total. That leaves few standings.
            count = self.count(frames_left, seat)
            for first in range(0, count, STANDINGS_PER_TASK):
                yield self._first_frame_deficits(seat, first, min(first + STANDINGS_PER_TASK, count))

    def _first_frame_deficits(self, seat: int, first: int, end: int) -> Deficits:
        """Return the deficits of all players in the first frame, after the seats before the shooter have scored.

        Standings are numbered by the scores of these seats: the digits of the number to the base max_lead + 1, from
        seat 0 on. For three players and seat 2, number 1 means that seat 0 has no points and seat 1 has one.

        Args:
            seat: the shooter; the seats 0 to seat - 1 have scored.
            first, end: the standings with the numbers ``first`` to ``end`` - 1.

        Returns:
            (standings, players), with the players from the shooter on.
        """
        base = self.extents[-1].max_lead + 1  # the first frame has the most frames left, so its extent is the last
        numbers = np.arange(first, end)
        scores = np.zeros((end - first, self.players), dtype=np.int32)  # by player, from the shooter on
        for earlier_seat in range(seat):
            place_value = base ** (seat - 1 - earlier_seat)  # 1 for the seat just before the shooter
            player = self.players - seat + earlier_seat  # the seats before the shooter come last
            scores[:, player] = numbers // place_value % base
        deficits: Deficits = scores.max(axis=1, keepdims=True) - scores
        return deficits


class FrameGame:
    """A game of frames, with the table of all players' shares, which the methods fill frame by frame.

    Attributes:
        standings: which standing each row of the table belongs to.
        shares: (rows, players) the shares of all players from the shooter on.
        equity: (players + 1, players) the shares of those who share the best total after the last frame: entry [m, k]
            is that of the k-th of m such players, in the order of play from the next player on.
        turn: the frame.
        players: the number of players.
    """

    def __init__(self, standings: Standings, shares: Doubles, equity: Doubles) -> None:
        """Store the tables, which may still have to be filled.

        Args:
            standings: which standing each row of the table belongs to.
            shares: (rows, players) the shares of all players from the shooter on.
            equity: (players + 1, players) the shares of those who share the best total after the last frame, by how
                many they are and by their order of play.
        """
        self.standings = standings
        self.shares = shares
        self.equity = equity
        self.turn = standings.turn
        self.players = standings.players

    def shares_after(self, frames_left: int, seat: int, deficits: Deficits, points: NDArray[np.int64]) -> Doubles:
        """Return the shares of all players after the shooter has entered points, read from the table of what follows.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (standings, players) the standings before the frame, from the shooter on.
            points: (points,) numbers of points that the shooter may enter.

        Returns:
            (points, standings, players), with the players from the shooter on.
        """
        standings = self.standings
        deficits_after = next_deficits(deficits, points)  # from the next player on
        if seat + 1 < self.players:  # the next player shoots the same frame
            shares = self.shares[standings.row_indices(frames_left, seat + 1, deficits_after)]
        elif frames_left:  # seat 0 begins the next frame
            shares = self.shares[standings.row_indices(frames_left - 1, 0, deficits_after)]
        else:  # the shooter's frame was the last
            shares = self._final_shares(deficits_after)
        # So far the shooter comes last, after the next player and the others. Count from the shooter on.
        return np.roll(shares, 1, axis=-1)

    def _final_shares(self, deficits: Deficits) -> Doubles:
        """Return the shares of all players after the last frame: all for the best total, or the equity of a tie.

        Args:
            deficits: (.., players) the deficits, from the next player on.

        Returns:
            (.., players), in the same order.
        """
        is_best = deficits == 0
        tied_count = is_best.sum(axis=-1)[..., None]
        # 0 for the first player with the best total, 1 for the second, and so on; of no meaning for other players.
        order_among_tied = is_best.cumsum(axis=-1) - 1
        return np.where(is_best, self.equity[tied_count, order_among_tied], 0.0)

    def _payoff(self, frames_left: int, seat: int, deficits: Deficits, cap: int) -> Doubles:
        """Return what each ending of a frame is worth to every player: (players, endings, lanes), a lane a standing.

        The channels of the turn are the players from the shooter on. Lanes are filled up with zeros to whole blocks.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (standings, players) the standings before the frame, from the shooter on.
            cap: the points at which the table of the frame ends.
        """
        standing_count = len(deficits)
        # Endings are crapping out, Big Scarney, and then entering 0, 1, ..., cap points.
        crapping_out, big_scarney = 0, 1
        first_bank = self.turn.special_count
        ending_count = first_bank + cap + 1
        payoff = np.zeros((self.players, ending_count, round_up_to_blocks(standing_count)))
        shares = self.shares_after(frames_left, seat, deficits, np.arange(cap + 1))  # (points, standings, players)
        payoff[:, first_bank:, :standing_count] = shares.transpose(2, 0, 1)
        payoff[:, crapping_out] = payoff[:, first_bank]  # what entering 0 points pays
        payoff[0, big_scarney] = 1.0  # all for the shooter, nothing for the others
        return payoff

    def solve_standings(self, frames_left: int, seat: int, deficits: Deficits) -> None:
        """Solve the frame of several standings, one lane each, and write their shares into the table.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (standings, players) the standings before the frame, from the shooter on.
        """
        cap = self.standings.cap  # the points at which the table of a frame ends
        payoff = self._payoff(frames_left, seat, deficits, cap)  # (players, endings, lanes)
        caps = np.full(payoff.shape[2], cap, dtype=np.int32)
        value = self.turn.solve(payoff, caps).value[:, : len(deficits)]  # (players, standings), without the padding
        self.shares[self.standings.row_indices(frames_left, seat, deficits)] = value.T

    def solve_lead_range(self, frames_left: int, seat: int, lead_range: LeadRange) -> None:
        """Solve the frame of all standings of a lead range, and write their shares into the table.

        Entering t points with the lead p leads to the same standing as entering no points with the lead p + t. So one
        row of payoffs, which goes on for ``cap`` more leads, serves all standings of the range.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            lead_range: the standings.
        """
        cap = self.standings.cap  # the points at which the table of a frame ends
        no_points = np.zeros(1, dtype=np.int64)
        all_leads = lead_range.deficits(extra_leads=cap)
        payoffs = self.shares_after(frames_left, seat, all_leads, no_points)[0]  # (leads, players)
        by_player_and_chips = np.ascontiguousarray(payoffs.T)[:, None]  # (players, 1, leads): no chips are spent
        payoff_of_big_scarney = 1.0  # the whole win
        frames = SlidingFrames(self.turn, by_player_and_chips, cap, payoff_of_big_scarney)
        deficits = lead_range.deficits()
        value = frames.solve().value[:, : len(deficits)]  # (players, standings), without the padding
        self.shares[self.standings.row_indices(frames_left, seat, deficits)] = value.T

    def solve_frame(self, pool: ThreadPool, frames_left: int, seat: int, report: Report) -> None:
        """Solve a frame in every standing, and write the shares into the table.

        Args:
            pool: threads that share the standings.
            frames_left: the frames of each player after this one.
            seat: the shooter.
            report: called with the number of standings that were solved since the last call.
        """
        solve_batch = partial(self._solve_batch, frames_left, seat)
        batches = self.standings.batches(frames_left, seat)
        while tasks := list(islice(batches, TASKS_PER_REPORT)):
            report(sum(pool.map(solve_batch, tasks)))

    def _solve_batch(self, frames_left: int, seat: int, batch: LeadRange | Deficits) -> int:
        """Solve a batch of standings, write their shares into the table, and return their number.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            batch: a lead range, or the deficits (standings, players) from the shooter on.
        """
        if isinstance(batch, LeadRange):
            self.solve_lead_range(frames_left, seat, batch)
            return batch.last_lead - batch.first_lead + 1
        self.solve_standings(frames_left, seat, batch)
        return len(batch)


@dataclass(frozen=True)
class ExtraFrameShares:
    """The solved extra frames of any number of players who share the best total.

    Attributes:
        games: the solved extra frames, by how many players shoot them.
        equity: (players + 1, players) the shares of those who share the best total, by how many they are and by their
            order of play.
        error: the error bound of the shares.
    """

    games: dict[int, FrameGame]
    equity: Doubles
    error: float


def solve_extra_frames(
    turn: PushTurn, players: int, pool: ThreadPool, report: Report = lambda standings: None
) -> ExtraFrameShares:
    """Solve the extra frames of 2, 3, ... up to ``players`` players, in this order.

    If some of m players are tied after an extra frame, only these shoot the next one. So the shares of fewer players
    are needed first. If all m are tied again, their shares are the unknowns of a fixed-point iteration.

    Args:
        turn: the frame.
        players: the number of players of the match.
        pool: threads that share the work.
        report: called with the number of standings that were solved since the last call.

    Raises:
        SolveError: the iteration did not converge.
    """
    equity = np.zeros((players + 1, players))
    equity[1, 0] = 1.0  # who alone has the best total wins
    games = {}
    error = 0.0
    for tied in range(2, players + 1):
        standings = Standings(turn, tied, frames=1)
        standing_count = standings.starts[-1]
        game = FrameGame(standings, np.zeros((standing_count, tied)), equity[:, :tied].copy())
        game.equity[tied] = 1 / tied  # a first guess of the shares if all are tied again
        # Solve all standings once. The iteration solves only those again that depend on the guess.
        for seat in reversed(range(tied)):
            game.solve_frame(pool, frames_left=0, seat=seat, report=report)
        residual = _iterate_shares(game)
        equity[tied, :tied] = game.equity[tied]
        games[tied] = game
        # A pass multiplies differences of shares by at most q, the probability that no frame begins with Big Scarney.
        # Let e be the largest change of the last pass, which is the residual, plus the errors of its ``tied`` frames.
        # Then the shares are wrong by at most e (1 + q + q^2 + ...) = e / (1 - q), beside the errors of fewer players.
        pass_error = residual + tied * frame_error_bound(turn, standings.extents[0], tied)
        contraction = GOES_ON**tied  # q
        error += pass_error / (1 - contraction)
    return ExtraFrameShares(games, equity, error)


def _iterate_shares(game: FrameGame) -> float:
    """Iterate the shares of players who are all tied again after an extra frame, until they settle.

    F maps the shares x after a tie of all to the shares before the extra frame, and x = F(x) is wanted. Only standings
    in which all scores so far are equal can end in such a tie. So a pass solves no others.

    Args:
        game: one extra frame, solved for a first guess of x in ``game.equity``. Its shares and equity are changed.

    Returns:
        The residual of the last pass: the largest change of a share.

    Raises:
        SolveError: the iteration did not converge.
    """
    standings = game.standings
    players = game.players
    shares = game.equity[players]  # x; a view, so that the game sees every change
    rounding = frame_rounding_bound(game.turn)
    max_lead = standings.extents[0].max_lead  # the largest lead of an extra frame; no frames are left after it
    deficits_by_seat = [_deficits_from_equal_scores(seat, players, max_lead) for seat in range(players)]
    (start_row,) = standings.row_indices(frames_left=0, seat=0, deficits=deficits_by_seat[0])
    for _ in range(MAX_PASSES):
        for seat in reversed(range(players)):
            game.solve_standings(frames_left=0, seat=seat, deficits=deficits_by_seat[seat])
        next_shares = game.shares[start_row]
        residual = float(np.abs(next_shares - shares).max())
        shares[:] = next_shares
        if residual <= rounding:
            return residual
    raise SolveError("the values of the extra frames did not converge")


def _deficits_from_equal_scores(shooter: int, players: int, max_score: int) -> Deficits:
    """Return the standings of a frame in which all seats before the shooter have scored the same.

    The shooter and the seats after it have not shot the frame, so that score is their deficit. The seats before the
    shooter have no deficit.

    Args:
        shooter: the seat to shoot.
        players: the number of players, who began the frame with equal totals.
        max_score: the largest such score.

    Returns:
        (standings, players) the deficits by score, from the shooter on. For seat 0 all totals are equal: one standing.
    """
    scores = np.arange(max_score + 1 if shooter else 1, dtype=np.int32)
    not_shot_count = players - shooter  # these come first, counted from the shooter on
    deficits = np.zeros((len(scores), players), dtype=np.int32)
    deficits[:, :not_shot_count] = scores[:, None]
    return deficits


def frame_error_bound(turn: PushTurn, table_extent: TableExtent, players: int) -> float:
    """Return a bound of the error that one frame adds to a share.

    It consists of rounding and of the error of ending tables at finite points and leads. The latter counts once for
    every opponent, because each of them may be the one who comes back from beyond the largest lead.

    Args:
        turn: the frame.
        table_extent: where tables end, and what that costs.
        players: the number of players.
    """
    return frame_rounding_bound(turn) + (players - 1) * table_extent.truncation_error
