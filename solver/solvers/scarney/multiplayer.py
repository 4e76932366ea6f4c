"""Straight Scarney of three and more players for the win: an equilibrium in which all maximize their own probability.

Frames only pass, so the policies are found by retrograde analysis, frame by frame. They are an equilibrium in every
standing; of equal choices the first listed is made (see ``standings.py``).

*Proved bounds.* One frame of the policies turns the shares after it into those before it. This is computed within
``frame_error_bound``, and so is the shooter's best response. Over all frames of all seats, and the extra frames, these
errors add up to the error bound. A seat's payoff under the stored policies is within it of the stored share. So is the
largest payoff of any other policy against them. So nobody gains more than twice the bound (``regret``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...play.scarney import ScarneyPosition
from ...play.seats import active_seats
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..problem import ArraySpec, PositionListing, ValueTable
from ..score_leads import Deficits
from ..solve_costs import CHECKPOINT_SECONDS, SolveCost
from .problem import Frame, FrameTurn, ScarneyProblem, WorkProgress, frame_lane, round_up_points
from .standings import FrameGame, Standings, frame_error_bound, solve_extra_frames

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_SHARE = 1 + 2.0**-40  # rounding may exceed 1
STANDING_SECONDS = 2.5e-5  # measured: one standing of three players
VALUE_BYTES = 8.0  # of one share in a table


class _Standing(NamedTuple):
    """The row of a table that holds the shares of all players before a frame.

    Attributes:
        game: the table: that of the match, or that of an extra frame of some of the players.
        frames_left: the frames of each player after this one.
        seat: the shooter, counted among those who shoot the frame, in their order.
        deficits: (1, players) the deficits of those who shoot the frame, from the shooter on.
    """

    game: FrameGame
    frames_left: int
    seat: int
    deficits: Deficits

    @property
    def shares(self) -> Doubles:
        """(players,) the shares of those who shoot the frame, from the shooter on."""
        (row,) = self.game.standings.row_indices(self.frames_left, self.seat, self.deficits)
        shares: Doubles = self.game.shares[row]
        return shares


class ScarneyMultiplayerProblem(ScarneyProblem):
    """Every seat's probability of winning, for three and more players.

    A *standing* is the deficits of all players before a frame, from the shooter on. The value table holds the shares of
    all players, from the shooter on, by standing: the array ``win`` for the match, and ``extra2``, ``extra3``, ... for
    extra frames of so many players. The array ``equity`` says what it is worth to share the best total.

    Attributes:
        rules, players, playable: the rules of a frame, the number of players, and the game as people play it.
        _standings: the standings of the match, numbered as rows of ``win``; its ``starts`` ends with their number.
        _extra_standings: by number of tied players, the standings of their extra frame.
        list_limits: the largest lead and the most turn points that are listed.
        _work: the number of standings that are solved.
    """

    player_range = (3, 6)
    is_resumable = True

    @cached_property
    def _standings(self) -> Standings:
        """The standings of the match."""
        return Standings(self.rules.turn, self.players, self.rules.frames)

    @cached_property
    def _extra_standings(self) -> dict[int, Standings]:
        """The standings of an extra frame, by how many players are tied and shoot it."""
        return {tied: Standings(self.rules.turn, tied, frames=1) for tied in range(2, self.players + 1)}

    # --- solving

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the number of standings: the deficits of all players before every frame.

        The table has a share of each player for every standing. The kernel has a channel for each player, so its time
        is proportional to their number; it was measured with three.
        """
        # ``starts`` ends with the number of all standings. The shares of an extra frame of all players also take memory
        # while the match is solved.
        standing_count = self._standings.starts[-1] + self._extra_standings[self.players].starts[-1]
        table_bytes = VALUE_BYTES * self.players * standing_count
        seconds_per_standing = STANDING_SECONDS * self.players / 3
        return SolveCost(
            bytes=table_bytes, seconds=seconds_per_standing * self._work / threads, table_bytes=table_bytes
        )

    @property
    def _work(self) -> int:
        """The number of standings that are solved, those of extra frames of all players included.

        Extra frames of fewer players are left out, because they have far fewer standings.
        """
        return self._standings.solved_count + self._extra_standings[self.players].solved_count

    def solve(
        self,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> ValueTable:
        """Solve every standing; a long solve resumes from the frames of the checkpoint.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
            checkpoint: finished frames are loaded from it and stored in it; it may also hold the table in a file.
            cluster: not used.

        Returns:
            A value table with four kinds of arrays. ``win`` (rows, players): the shares from the shooter on, with the
            rows of ``Standings``. ``extra2``, ``extra3``, ...: such shares in extra frames of 2, 3, ... players, fewer
            than all. ``equity`` (players + 1, players): the shares of those who share the best total, by how many they
            are and by their order of play. ``regret`` (1,).
        """
        turn = self.rules.turn
        players = self.players
        standings = self._standings
        standing_count = standings.starts[-1]  # the number of rows of the table
        work = WorkProgress(progress, self._work)
        is_long = self.estimate_cost(1).seconds > CHECKPOINT_SECONDS
        new_table = checkpoint.new_table if checkpoint else np.zeros  # in a file, or in memory
        with ThreadPool(threads) as pool:
            # Extra frames come first: they say what it is worth to share the best total.
            extra = solve_extra_frames(turn, players, pool, work.add)
            shares = new_table(standing_count * players).reshape(-1, players)
            game = FrameGame(standings, shares, extra.equity)
            self._solve_match(game, pool, work, checkpoint if is_long else None)
        # The errors of all frames of all seats add up.
        match_error = sum(players * frame_error_bound(turn, extent, players) for extent in standings.extents)
        bound = match_error + extra.error
        fewer_players = {f"extra{tied}": extra.games[tied].shares for tied in range(2, players)}
        regret = 2 * bound  # a decision compares two values, each of which may be wrong by the bound
        arrays = {"win": game.shares, **fewer_players, "equity": extra.equity, "regret": np.array([regret])}
        return ValueTable(arrays, bound)

    def _solve_match(
        self, game: FrameGame, pool: ThreadPool, work: WorkProgress, checkpoint: Checkpoint | None
    ) -> None:
        """Write the shares of all frames of the match, from the last frame to the first.

        Args:
            game: the match; its table ``shares`` is written.
            pool: threads that share the standings.
            work: progress, counted in standings.
            checkpoint: finished frames are loaded from it and stored in it.
        """
        standings = game.standings
        for frames_left, seat in product(range(standings.frames), reversed(range(self.players))):
            shares = game.shares[standings.table_rows(frames_left, seat)]  # a view: writing to it fills the table
            name = f"frame{standings.frames - frames_left}seat{seat}"
            stored = checkpoint.load_layer(name, shares.shape, 0.0, MAX_SHARE) if checkpoint else None
            if stored is not None:
                shares[:] = stored
                work.add(standings.count(frames_left, seat))
                continue
            game.solve_frame(pool, frames_left, seat, work.add)
            if checkpoint:
                checkpoint.save_layer(name, shares)

    solve_with_checkpoint = solve

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shapes and ranges of the arrays of shares, which add up to 1 by row, and of the regret."""
        shapes = {"win": (self._standings.starts[-1], self.players)}  # (standings, seats)
        # An extra frame of all players is the last frame of the match once more, so ``win`` holds its shares.
        for tied in range(2, self.players):
            shapes[f"extra{tied}"] = (self._extra_standings[tied].starts[-1], tied)
        shapes["equity"] = (self.players + 1, self.players)  # by how many share the best total: 0, 1, ..., all
        arrays = {name: ArraySpec(shape, 0, MAX_SHARE, seat_axis=-1) for name, shape in shapes.items()}
        return {**arrays, "regret": ArraySpec((1,), 0, MAX_SHARE)}

    # --- values of positions

    def frame_values(self, value_table: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the shares of all players before some frames, and the error bounds.

        Args:
            value_table: the value table.
            frames: the frames.

        Returns:
            (frames, players) the shares of those who shoot the frame, from the shooter on. An extra frame of fewer
            players has zeros in the last columns. And (frames,) the error bounds.
        """
        values = np.zeros((len(frames), self.players))
        for index, frame in enumerate(frames):
            shares = self._standing(value_table, frame).shares
            values[index, : len(shares)] = shares
        return values, np.full(len(frames), value_table.error_bound)

    def seat_payoffs(self, position: ScarneyPosition, payoffs: Sequence[float], chips: int) -> list[float]:
        """Return the share of every seat, by seat. A seat that does not shoot an extra frame is out and gets nothing.

        Args:
            position: a position of the frame.
            payoffs: the shares of those who shoot the frame, from the shooter on. Zeros may follow.
            chips: not used.
        """
        by_seat = [0.0] * self.players
        # ``strict`` is off because of the zeros.
        for seat, share in zip(self._seats_from_shooter(position), payoffs, strict=False):
            by_seat[seat] = share
        return by_seat

    def _game(self, value_table: ValueTable, player_count: int) -> FrameGame:
        """Return the solved frames of the match, or an extra frame of fewer players.

        An extra frame of all players is the last frame of the match once more.

        Args:
            value_table: the value table.
            player_count: how many players shoot the frames.
        """
        equity = value_table.arrays["equity"][:, :player_count]
        if player_count == self.players:
            return FrameGame(self._standings, value_table.arrays["win"], equity)
        return FrameGame(self._extra_standings[player_count], value_table.arrays[f"extra{player_count}"], equity)

    def _standing(self, value_table: ValueTable, frame: Frame) -> _Standing:
        """Return the table that holds the shares before a frame, with what names a row of it.

        Args:
            value_table: the value table.
            frame: a frame of the match, or an extra frame of those who share the best total.
        """
        seats = self._seats_from_shooter(frame)
        scores = np.array([[frame.scores[seat] for seat in seats]], dtype=np.int32)
        return _Standing(
            game=self._game(value_table, len(seats)),
            frames_left=self.rules.frames - frame.number,  # 0 in an extra frame, which counts as the last one
            seat=sorted(seats).index(frame.seat),  # counted among those who shoot the frame
            deficits=scores.max() - scores,
        )

    def _seats_from_shooter(self, frame: Frame | ScarneyPosition) -> list[int]:
        """Return the seats that shoot this frame, from the shooter on; in an extra frame only those who are tied."""
        seats = active_seats(frame.playoff, self.players)
        index = seats.index(frame.seat)
        return [*seats[index:], *seats[:index]]

    def frame_turn(self, value_table: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame as one lane, with what its endings are worth to all players, from the shooter on.

        Args:
            value_table: the value table.
            frame: the frame.
            turn_points: turn points from which the frame is to be examined; its table is extended by as many.
        """
        game, frames_left, seat, deficits = self._standing(value_table, frame)
        cap = game.standings.cap + round_up_points(turn_points)
        points = np.arange(cap + 1)  # that may be entered
        shares = game.shares_after(frames_left, seat, deficits, points)[:, 0]  # (points, players) in the only standing
        bank_payoffs = shares.T[:, None]  # (players, 1, points): no chips are spent
        lane = frame_lane(self.rules.turn, bank_payoffs, big_scarney_payoff=1.0)  # Big Scarney wins at once
        return FrameTurn(lane, value_table.error_bound)

    # --- listed positions

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """List every frame with every standing, or one position that is described.

        Args:
            fields: field values by name. If they tell the opponents' scores, only that position is listed.
        """
        max_lead, max_points = self.list_limits
        points_left_out = f"turns with more than {max_points} turn points are left out"
        if "opponents" in fields:
            position = self.playable.position(**fields)
            return PositionListing(1, (position,), points_left_out, is_single_position=True)
        truncation = f"leads of more than {max_lead} and {points_left_out}"
        return PositionListing(self._listed_count(max_lead), self._listed_positions(max_lead), truncation)

    def _playoffs(self) -> list[tuple[int, ...]]:
        """Return the seats of every extra frame that there can be."""
        seats = range(self.players)
        return [playoff for tied in range(2, self.players + 1) for playoff in combinations(seats, tied)]

    def _listed_count(self, max_lead: int) -> int:
        """Return the number of positions that ``_listed_positions`` yields: one for each standing before a frame.

        Args:
            max_lead: the largest deficit of a player in these standings.
        """
        scores = max_lead + 1  # of one player, from 0 on
        # The first frame and extra frames begin with equal totals, so only the s seats before seat s have scored.
        standings_by_seat = scores ** np.arange(self.players)
        first_frame = int(standings_by_seat.sum())
        # Totals are listed if the smallest is 0: all totals up to max_lead, less those in which none is 0.
        standings_of_later_frame: int = scores**self.players - max_lead**self.players
        later_frames = (self.rules.frames - 1) * self.players * standings_of_later_frame
        extra_frames = sum(int(standings_by_seat[: len(playoff)].sum()) for playoff in self._playoffs())
        return first_frame + later_frames + extra_frames

    def _listed_positions(self, max_lead: int) -> Iterator[ScarneyPosition]:
        """Yield a position for every standing before a frame, with the smallest totals that have its deficits.

        Args:
            max_lead: the largest deficit of a player in these standings.
        """
        seats = tuple(range(self.players))
        # In frame 1 and in extra frames, players who have not shot yet have equal totals.
        for seat in seats:
            for scores in self._scores_from_equal_totals(seats, seat, max_lead):
                yield ScarneyPosition(scores, seat, 1)  # in frame 1
        for number, seat in product(range(2, self.rules.frames + 1), seats):
            for scores in self._totals(max_lead):
                yield ScarneyPosition(scores, seat, number)
        for playoff in self._playoffs():
            for seat in playoff:
                for scores in self._scores_from_equal_totals(playoff, seat, max_lead):
                    yield ScarneyPosition(scores, seat, self.rules.frames, playoff)

    def _scores_from_equal_totals(self, seats: Sequence[int], shooter: int, max_lead: int) -> Iterator[tuple[int, ...]]:
        """Return all scores, by seat, that are possible in a frame that the players began with equal totals.

        Scores are counted from these totals on.

        Args:
            seats: the seats that shoot the frame.
            shooter: the seat to shoot; only the seats before it have scored.
            max_lead: the most points that each of them has scored.
        """
        scores_of_seats = []
        for seat in range(self.players):
            has_shot = seat in seats and seat < shooter
            scores_of_seats.append(range(max_lead + 1) if has_shot else range(1))
        return product(*scores_of_seats)

    def _totals(self, max_lead: int) -> Iterator[tuple[int, ...]]:
        """Yield all totals from 0 to ``max_lead``, by seat, of which the smallest is 0.

        They are ordered by the first seat that has 0: the seats before it have more, those after it may have 0 too.
        """
        for first_with_zero in range(self.players):
            positive_totals = [range(1, max_lead + 1)] * first_with_zero
            zero_total = range(1)  # only 0
            any_totals = [range(max_lead + 1)] * (self.players - first_with_zero - 1)
            yield from product(*positive_totals, zero_total, *any_totals)
