"""Frames of Straight Scarney for any number of players: the shares of all players in every standing between frames.

A *standing* is the deficits of all players before a frame, from the shooter on (see ``score_leads``). Entered points
lead to the next shooter's standing. The gaps among the other players stay. So along the shooter's place, the lead over
the best of them, standings share one row of payoffs (``SlidingFrames``) and form a *line*.

Frames only pass, so standings are solved by retrograde analysis. The shooter's own share is maximized, and the others'
shares are carried along as channels of the kernel. At the end the best total wins.

*Extra frames.* m players who share the best total shoot one more frame each, in the same order. Their shares x = F(x)
are those of the last frame from level totals on. F depends on x only if all m end level again, and the first roll of
every frame is Big Scarney with probability 1/216. So F contracts by q = (215/216)^m under any policies. It is iterated.
If one more pass moves shares by at most e, their error is at most (e + error of a pass) / (1 - q).

*Truncation.* A deficit beyond the largest lead counts as that lead. For the two games to end differently somebody must
come back from there: a probability of at most CUT_PROBABILITY for each standing and player, under any policies (see
``problem.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
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
STANDINGS_PER_TASK = 512  # that share no line
TASKS_PER_REPORT = 40  # between two reports of progress
MAX_PASSES = 200  # of the iteration of extra frames
GOES_ON = 215 / 216  # the largest probability that the first roll of a frame is not Big Scarney

Report = Callable[[int], None]  # is told how many more standings are solved


class Line(NamedTuple):
    """Standings in which the other players have fixed gaps.

    Attributes:
        gaps: the deficits of the other players to the best of them.
        first, last: the first and the last place of the shooter: the lead over the best of them.
    """

    gaps: NDArray[np.int32]
    first: int
    last: int

    def deficits(self, points: int = 0) -> Deficits:
        """Return the deficits of the standings, from the shooter on: (standings, players).

        Args:
            points: standings follow whose places are up to so many points beyond the last one.
        """
        # By standing, the shooter's lead over the best of the others; negative if the shooter is behind.
        lead = np.arange(self.first, self.last + points + 1, dtype=np.int32)
        deficits = np.empty((len(lead), 1 + len(self.gaps)), dtype=np.int32)
        deficits[:, 0] = np.maximum(-lead, 0)
        # ``gaps`` are the deficits of the others to the best of them. If the shooter is ahead, the lead is added.
        deficits[:, 1:] = np.maximum(lead, 0)[:, None] + self.gaps
        return deficits


@dataclass(frozen=True)
class Standings:
    """The standings before every frame of a game, numbered as rows of a table.

    There is a block of rows for each number of frames left after this one and each seat to shoot. Seats are counted in
    the order in which the players shoot.

    Attributes:
        turn: the frame.
        players: the number of players.
        frames: the number of frames that each player shoots.
    """

    turn: PushTurn
    players: int
    frames: int

    @cached_property
    def extents(self) -> list[TableExtent]:
        """The ends of tables, by frames left after this one."""
        return [table_extent(self.turn, frames_left + 1, CUT_PROBABILITY) for frames_left in range(self.frames)]

    @property
    def cap(self) -> int:
        """The points at which the table of a frame ends."""
        return self.extents[0].cap

    @cached_property
    def starts(self) -> list[int]:
        """The first row of every number of frames left, and the number of rows."""
        starts = [0]
        for frames_left in range(self.frames):
            starts.append(starts[-1] + self.players * self._block_size(frames_left))
        return starts

    def _block_size(self, frames_left: int) -> int:
        """Return the number of standings of one seat to shoot."""
        return deficit_count(self.players, self.extents[frames_left].max_lead)

    def block(self, frames_left: int, seat: int) -> slice:
        """Return the rows of a block.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
        """
        size = self._block_size(frames_left)
        first = self.starts[frames_left] + seat * size
        return slice(first, first + size)

    def row_indices(self, frames_left: int, seat: int, deficits: Deficits) -> Indices:
        """Return the rows of standings.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (.., players) the deficits, from the shooter on.
        """
        index_in_block = deficit_indices(deficits, self.extents[frames_left].max_lead)
        rows: Indices = index_in_block + self.block(frames_left, seat).start
        return rows

    @property
    def solved_count(self) -> int:
        """The number of standings that are solved."""
        return sum(self.count(frames_left, seat) for frames_left in range(self.frames) for seat in range(self.players))

    def _is_first_frame(self, frames_left: int) -> bool:
        """Return whether so many frames are left after the first one, which all players begin level."""
        return frames_left + 1 == self.frames

    def count(self, frames_left: int, seat: int) -> int:
        """Return the number of standings of a block that are solved.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
        """
        if not self._is_first_frame(frames_left):
            return self._block_size(frames_left)
        scores_per_player = self.extents[frames_left].max_lead + 1
        count: int = scores_per_player**seat  # only the seats before the shooter have scored
        return count

    def batches(self, frames_left: int, seat: int) -> Iterator[Line | Deficits]:
        """Yield the standings of a block that are solved, in batches that one task solves.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.

        Yields:
            A line, or the deficits (standings, players) of several standings that form no lines.
        """
        is_first_frame = self._is_first_frame(frames_left)
        if is_first_frame and seat + 1 < self.players:
            # Players who have not shot are level with the shooter, so there are few standings and no lines.
            count = self.count(frames_left, seat)
            for first in range(0, count, STANDINGS_PER_TASK):
                yield self._after_level_start(seat, first, min(first + STANDINGS_PER_TASK, count))
            return
        # A line has fixed gaps among the others. The shooter's place is the lead over the best of them.
        max_lead = self.extents[frames_left].max_lead
        for gaps in list_deficits(self.players - 1, max_lead):
            max_gap = int(gaps.max())
            # No deficit exceeds the largest lead. In the first frame the shooter is the last one and has no points yet.
            # So the best of the others is as far ahead of the shooter as of the last of the others, or further.
            last_place = -max_gap if is_first_frame else max_lead - max_gap
            yield Line(gaps, -max_lead, last_place)

    def _after_level_start(self, seat: int, first: int, end: int) -> Deficits:
        """Return the deficits when some players have shot from level totals on: (standings, players).

        Standings are numbered by the scores of these players. These are the digits of the number to the base max_lead +
        1, that of the seat just before the shooter first. For three players and seat 2, number 1 is a point of seat 1.

        Args:
            seat: the shooter, before whom as many players have shot.
            first, end: the standings with the numbers ``first`` .. ``end`` - 1.
        """
        base = self.extents[-1].max_lead + 1
        scores = np.zeros((end - first, self.players), dtype=np.int32)
        remaining_digits = np.arange(first, end)
        for distance in range(1, seat + 1):
            # Counted from the shooter on, the seat just before the shooter is the last.
            scores[:, -distance] = remaining_digits % base
            remaining_digits = remaining_digits // base
        deficits: Deficits = scores.max(axis=1, keepdims=True) - scores
        return deficits


class FrameGame:
    """A game of frames that is being solved, or has been.

    Args:
        standings: the rows of the table.
        shares: (rows, players) the shares of all players from the shooter on.
        equity: (players + 1, players) their shares by how many share the best total and by their order.
    """

    def __init__(self, standings: Standings, shares: Doubles, equity: Doubles) -> None:
        """Store the tables, which may still have to be filled.

        Args:
            standings: how the standings (deficits of all players) are numbered as rows.
            shares: (rows, players) the shares of all players from the shooter on.
            equity: (players + 1, players) the shares of those who share the best total, by how many they are and by
                their order.
        """
        self.standings = standings
        self.shares = shares
        self.equity = equity
        self.turn = standings.turn
        self.players = standings.players

    def shares_after(self, frames_left: int, seat: int, deficits: Deficits, points: NDArray[np.int64]) -> Doubles:
        """Return the shares of all players after the shooter has entered points.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (standings, players) the standings before the frame, from the shooter on.
            points: (points,) the points that are entered.

        Returns:
            (points, standings, players), from the shooter on.
        """
        standings = self.standings
        deficits_after = next_deficits(deficits, points)  # from the next player on
        if seat + 1 < self.players:  # the next player shoots the same frame
            shares = self.shares[standings.row_indices(frames_left, seat + 1, deficits_after)]
        elif frames_left:  # seat 0 begins the next frame
            shares = self.shares[standings.row_indices(frames_left - 1, 0, deficits_after)]
        else:  # the game is over: those with the best total win, or shoot extra frames
            # ``equity`` holds what sharing the best total is worth, by how many do and by the order among them.
            is_best = deficits_after == 0  # (points, standings, players)
            tied_count = is_best.sum(axis=-1)[..., None]
            order_among_tied = is_best.cumsum(axis=-1) - 1
            shares = np.where(is_best, self.equity[tied_count, order_among_tied], 0.0)
        # Listed from the next player on, the shooter is the last.
        return np.roll(shares, 1, axis=-1)

    def _payoff(self, frames_left: int, seat: int, deficits: Deficits, cap: int) -> Doubles:
        """Return the payoffs of a frame: (players, endings, lanes), with one lane for each standing.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            deficits: (standings, players) the standings before the frame, from the shooter on.
            cap: the points at which the table of the frame ends.
        """
        turn = self.turn
        standing_count = len(deficits)
        # Endings are crapping out, Big Scarney, and then entering 0, 1, ..., cap points.
        first_bank = turn.special_count
        ending_count = first_bank + cap + 1
        payoff = np.zeros((self.players, ending_count, round_up_to_blocks(standing_count)))
        shares = self.shares_after(frames_left, seat, deficits, np.arange(cap + 1))  # (points, standings, players)
        payoff[:, first_bank:, :standing_count] = shares.transpose(2, 0, 1)
        payoff[:, 0] = payoff[:, first_bank]  # crapping out pays what entering 0 points does
        payoff[0, 1] = 1.0  # Big Scarney wins: all for the shooter, nothing for the others
        return payoff

    def solve_batch(self, frames_left: int, seat: int, deficits: Deficits) -> None:
        """Solve the frame of several standings, and write their shares.

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

    def solve_line(self, frames_left: int, seat: int, line: Line) -> None:
        """Solve the frame of a line of standings, and write their shares.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
            line: the standings.
        """
        cap = self.standings.cap
        # A line is standings with rising leads of the shooter. Entering t points with the lead p leads to what entering
        # nothing does with the lead p + t. So one row of payoffs, for leads up to ``cap`` more, serves all of them.
        nothing = np.zeros(1, dtype=np.int64)
        payoffs = self.shares_after(frames_left, seat, line.deficits(cap), nothing)[0]  # (leads, players)
        by_player_and_chips = np.ascontiguousarray(payoffs.T)[:, None]  # (players, 1, leads): no chips are spent
        frames = SlidingFrames(self.turn, by_player_and_chips, cap, big=1.0)
        deficits = line.deficits()
        value = frames.solve().value[:, : len(deficits)]  # (players, standings), without the padding
        self.shares[self.standings.row_indices(frames_left, seat, deficits)] = value.T

    def solve_frame(self, pool: ThreadPool, frames_left: int, seat: int, report: Report) -> None:
        """Solve a frame in every standing, and write their shares.

        Args:
            pool: threads that share the standings.
            frames_left: the frames of each player after this one.
            seat: the shooter.
            report: is told how many more standings are solved.
        """

        def solve(batch: Line | Deficits) -> int:
            """Solve a batch; return its number of standings."""
            if isinstance(batch, Line):
                self.solve_line(frames_left, seat, batch)
                return batch.last - batch.first + 1
            self.solve_batch(frames_left, seat, batch)
            return len(batch)

        batches = self.standings.batches(frames_left, seat)
        tasks = list(islice(batches, TASKS_PER_REPORT))
        while tasks:  # progress is reported after every TASKS_PER_REPORT batches
            report(sum(pool.map(solve, tasks)))
            tasks = list(islice(batches, TASKS_PER_REPORT))


@dataclass(frozen=True)
class ExtraFrameShares:
    """Extra frames of any number of players.

    Attributes:
        games: the solved frames by how many play them.
        equity: the shares, as in ``FrameGame``.
        error: the error bound of the shares.
    """

    games: dict[int, FrameGame]
    equity: Doubles
    error: float


def extra_frames(
    turn: PushTurn, players: int, pool: ThreadPool, report: Report = lambda standings: None
) -> ExtraFrameShares:
    """Solve the extra frames of 2, 3, ... up to ``players`` players.

    Args:
        turn: the frame.
        players: the number of players of the match.
        pool: threads that share the work.
        report: is told how many more standings are solved.

    Raises:
        SolveError: the iteration did not converge.
    """
    equity = np.zeros((players + 1, players))
    equity[1, 0] = 1.0  # who alone has the best total wins
    games = {}
    error = 0.0
    for tied in range(2, players + 1):
        standings = Standings(turn, tied, 1)
        row_count = standings.starts[-1]
        game = FrameGame(standings, np.zeros((row_count, tied)), equity[:, :tied].copy())
        game.equity[tied] = 1 / tied  # a first guess of the shares if all end level again
        for seat in reversed(range(tied)):
            game.solve_frame(pool, 0, seat, report)
        residual = _iterate_shares(game)
        equity[tied, :tied] = game.equity[tied]
        games[tied] = game
        pass_error = residual + tied * frame_error_bound(turn, standings.extents[0], tied)
        contraction = GOES_ON**tied
        error += pass_error / (1 - contraction)
    return ExtraFrameShares(games, equity, error)


def _iterate_shares(game: FrameGame) -> float:
    """Iterate the shares x = F(x) of players who all end level again.

    A pass solves only the standings from which all can end level: those in which the scores so far are equal.

    Args:
        game: one extra frame, solved for a first guess of the shares. It is changed.

    Returns:
        The residual of the last pass.

    Raises:
        SolveError: the iteration did not converge.
    """
    standings = game.standings
    players = game.players
    shares = game.equity[players]  # of all players, if all are tied; a view, so that the game sees every change
    rounding = frame_rounding_bound(game.turn)
    max_lead = standings.extents[0].max_lead
    all_level = np.zeros((1, players), dtype=np.int32)
    (start_row,) = standings.row_indices(0, 0, all_level)
    for _ in range(MAX_PASSES):
        for seat in reversed(range(players)):
            # All seats before the shooter have the same score. The others are that far behind. From the shooter on,
            # those who have scored come last.
            scores = np.arange(max_lead + 1 if seat else 1, dtype=np.int32)
            deficits = np.repeat(scores[:, None], players, axis=1)  # (scores, players)
            deficits[:, players - seat :] = 0
            game.solve_batch(0, seat, deficits)
        next_shares = game.shares[start_row]
        residual = float(np.abs(next_shares - shares).max())
        shares[:] = next_shares
        if residual <= rounding:
            return residual
    raise SolveError("the values of the extra frames did not converge")


def frame_error_bound(turn: PushTurn, table_extent: TableExtent, players: int) -> float:
    """Return a bound of the error that one frame adds to a share.

    It consists of rounding, the end of the frame's table, and the end of leads for every player beyond it.

    Args:
        turn: the frame.
        table_extent: where tables end.
        players: the number of players.
    """
    return frame_rounding_bound(turn) + (players - 1) * table_extent.truncation_error
