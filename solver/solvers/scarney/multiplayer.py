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
from functools import cache, cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ...play.scarney import Play, ScarneyPosition
from ...play.seats import playing
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.threads import ThreadPool
from ..cost_estimates import CHECKPOINT_SECONDS, SolveCost
from ..problem import ArraySpec, PositionListing, Progress, ValueTable
from ..score_leads import Deficits
from .problem import Frame, FrameTurn, ScarneyProblem, WorkProgress, frame_lane, round_up_points
from .standings import FrameGame, Standings, extra_frames, frame_error_bound

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_SHARE = 1 + 2.0**-40  # rounding may exceed 1
STANDING_SECONDS = 2.5e-5  # for each standing of three players


class ScarneyMultiplayerProblem(ScarneyProblem):
    """Every seat's probability of winning."""

    player_range = (3, 6)
    is_resumable = True

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self._extra_standings = cache(self._make_extra_standings)

    @cached_property
    def _standings(self) -> Standings:
        """The standings of the match."""
        return Standings(self.rules.turn, self.players, self.rules.frames)

    def _make_extra_standings(self, tied: int) -> Standings:
        """Return the standings of extra frames of ``tied`` players."""
        return Standings(self.rules.turn, tied, 1)

    # --- solving

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the number of standings before every frame."""
        rows = self._standings.starts[-1] + self._extra_standings(self.players).starts[-1]
        table_bytes = 8.0 * self.players * rows
        seconds = STANDING_SECONDS * self.players / 3 * self._work
        return SolveCost(table_bytes, seconds / threads, table_bytes)

    @property
    def _work(self) -> int:
        """The number of standings that are solved, those of extra frames included."""
        return self._standings.solved_count + self._extra_standings(self.players).solved_count

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every standing; a long solve resumes from the frames of the checkpoint.

        Returns:
            ``win`` (rows, players): the shares from the shooter on (see ``Standings``); ``extra2``, ...: the same of
            extra frames of fewer players; ``equity`` (players + 1, players): the shares of those who share the best
            total, by how many they are; ``regret`` (1,).
        """
        turn, players, standings = self.rules.turn, self.players, self._standings
        resumed = checkpoint if self.estimate_cost(1).seconds > CHECKPOINT_SECONDS else None
        work = WorkProgress(progress, self._work)
        with ThreadPool(threads) as pool:
            extra = extra_frames(turn, players, pool, work.add)
            zeros = checkpoint.new_table if checkpoint else np.zeros
            game = FrameGame(standings, zeros(standings.starts[-1] * players).reshape(-1, players), extra.equity)
            for frames_left, seat in product(range(standings.frames), reversed(range(players))):
                rows = game.shares[standings.block(frames_left, seat)]
                name = f"frame{standings.frames - frames_left}seat{seat}"
                stored = resumed.load_layer(name, rows.shape, 0.0, MAX_SHARE) if resumed else None
                if stored is not None:
                    rows[:] = stored
                    work.add(standings.count(frames_left, seat))
                    continue
                game.solve_frame(pool, frames_left, seat, work.add)
                if resumed:
                    resumed.save_layer(name, rows)
        bound = (
            sum(players * frame_error_bound(turn, table_extent, players) for table_extent in standings.extents)
            + extra.error
        )
        fewer = {f"extra{tied}": extra.games[tied].shares for tied in range(2, players)}
        return ValueTable({"win": game.shares, **fewer, "equity": extra.equity, "regret": np.array([2 * bound])}, bound)

    solve_with_checkpoint = solve

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays by standing, or by how many share the best total, and player."""
        shapes = {"win": (self._standings.starts[-1], self.players)}
        shapes |= {f"extra{tied}": (self._extra_standings(tied).starts[-1], tied) for tied in range(2, self.players)}
        shapes["equity"] = self.players + 1, self.players
        arrays = {name: ArraySpec(shape, 0, MAX_SHARE, seat_axis=-1) for name, shape in shapes.items()}
        return {**arrays, "regret": ArraySpec((1,), 0, MAX_SHARE)}

    # --- values of positions

    def frame_values(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the shares of the players of frames, from the shooter on, and the error bounds."""
        values = np.zeros((len(frames), self.players))
        for index, frame in enumerate(frames):
            game, frames_left, seat, deficits = self._standing(solved, frame)
            values[index, : game.players] = game.shares[game.standings.row_indices(frames_left, seat, deficits)][0]
        return values, np.full(len(frames), solved.error_bound)

    def seat_payoffs(self, position: ScarneyPosition, payoffs: Sequence[float], chips: int) -> list[float]:
        """Return the share of every seat; who does not play an extra frame gets nothing."""
        by_seat = [0.0] * self.players
        for seat, share in zip(self._seats_from_shooter(position), payoffs, strict=False):
            by_seat[seat] = share
        return by_seat

    def _game(self, solved: ValueTable, player_count: int) -> FrameGame:
        """Return the solved frames of the match, or of extra frames of fewer players."""
        is_match = player_count == self.players
        standings = self._standings if is_match else self._extra_standings(player_count)
        shares = solved.arrays["win" if is_match else f"extra{player_count}"]
        return FrameGame(standings, shares, solved.arrays["equity"][:, :player_count])

    def _standing(self, solved: ValueTable, frame: Frame) -> tuple[FrameGame, int, int, Deficits]:
        """Return the game of a frame, the frames left after it, the shooter's order, and the deficits (1, players)."""
        seats = self._seats_from_shooter(frame)
        game = self._game(solved, len(seats))
        scores = np.array([[frame.scores[seat] for seat in seats]], dtype=np.int32)
        order = sorted(seats).index(frame.seat)
        return game, self.rules.frames - frame.number, order, scores.max() - scores

    def _seats_from_shooter(self, frame: Frame | ScarneyPosition) -> list[int]:
        """Return the seats that play, from the shooter on."""
        seats = playing(frame.playoff, self.players)
        index = seats.index(frame.seat)
        return [*seats[index:], *seats[:index]]

    def frame_turn(self, solved: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame with the payoffs of all players, from the shooter on."""
        game, frames_left, seat, deficits = self._standing(solved, frame)
        points = np.arange(game.standings.cap + round_up_points(turn_points) + 1)
        enter = game.shares_after(frames_left, seat, deficits, points)[:, 0].T
        return FrameTurn(frame_lane(self.rules.turn, enter[:, None], 1.0), solved.error_bound)

    # --- listed positions

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """List every frame and standing, or the one position that is given by the opponents' scores."""
        max_lead, points = self.list_limits
        truncation = f"turns with more than {points} points in hand are left out"
        if "opponents" in told:
            return PositionListing(1, (self.playable.read(**told),), truncation, is_single_position=True)
        playoffs = [seats for tied in range(2, self.players + 1) for seats in combinations(range(self.players), tied)]
        level_start = (max_lead + 1) ** np.arange(self.players)  # standings of a first or an extra frame, by seat
        all_standings = (max_lead + 1) ** self.players - max_lead**self.players
        later = (self.rules.frames - 1) * self.players * all_standings
        count = int(level_start.sum() + later + sum(level_start[: len(seats)].sum() for seats in playoffs))
        positions = self._listed_positions(max_lead, playoffs)
        return PositionListing(count, positions, f"leads of more than {max_lead} and {truncation}")

    def _listed_positions(self, max_lead: int, playoffs: Sequence[tuple[int, ...]]) -> Iterator[ScarneyPosition]:
        """Yield every standing, with the smallest totals that have its deficits."""
        seats = tuple(range(self.players))
        for number, seat in product(range(1, self.rules.frames + 1), seats):
            for scores in self._scores_from_level(seats, seat, max_lead) if number == 1 else self._totals(max_lead):
                yield ScarneyPosition(scores, seat, number)
        for playoff in playoffs:
            for seat in playoff:
                for scores in self._scores_from_level(playoff, seat, max_lead):
                    yield ScarneyPosition(scores, seat, self.rules.frames, playoff)

    def _scores_from_level(self, seats: Sequence[int], shooter: int, max_lead: int) -> Iterator[tuple[int, ...]]:
        """Return the scores after the seats before the shooter have shot a frame from level totals on."""
        points = (max_lead + 1 if seat in seats and seat < shooter else 1 for seat in range(self.players))
        return product(*map(range, points))

    def _totals(self, max_lead: int) -> Iterator[tuple[int, ...]]:
        """Yield totals of which the smallest is 0, by the first player who has it."""
        for first in range(self.players):
            positive, any_totals = [range(1, max_lead + 1)] * first, [range(max_lead + 1)] * (self.players - first - 1)
            yield from product(*positive, range(1), *any_totals)
