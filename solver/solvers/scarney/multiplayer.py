"""Straight Scarney for the win of three and more, where everybody plays for their own chance.

Frames only pass, so the play is found backwards, frame by frame: it is an equilibrium in every standing, and with equal
choices one rule decides (see ``standings``). **What is proved.** A share is computed within ``frame_error`` of what the
play of one frame makes of the shares after it, and so is the best that the shooter can come to. Over all frames of all
seats, and the extra frames, that adds up to the bound: what a seat gets by the stored play, and the most that it could
come to by any other strategy while the others keep to theirs, both lie within it of the stored share. So nobody gains
more than twice the bound (``regret``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ...play.scarney import Play, ScarneyPosition
from ...play.seats import playing
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.threads import ThreadPool
from ..cost_estimates import LONG, SolveCost
from ..problem import ArraySpec, PositionListing, Progress, ValueTable
from ..score_leads import Behind
from .problem import Frame, FrameMatch, Solving, lane, steps
from .standings import Game, Standings, extra_frames, frame_error

if TYPE_CHECKING:
    from ..cluster import Cluster

MOST = 1 + 2.0**-40  # of a share: rounding may pass 1
STANDING_SECONDS = 2.5e-5  # for each standing of three


class Seats(FrameMatch):
    """The chance to win of every seat."""

    player_range = (3, 6)
    is_resumable = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self._games: tuple[ValueTable, dict[int, Game]] | None = None

    @cached_property
    def _standings(self) -> Standings:
        return Standings(self.rules.turn, self.players, self.rules.frames)

    def _extra(self, tied: int) -> Standings:
        return Standings(self.rules.turn, tied, 1)

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the standings before every frame."""
        places = self._standings.starts[-1] + self._extra(self.players).starts[-1]
        table = 8.0 * self.players * places
        seconds = STANDING_SECONDS * self.players / 3 * self._work
        return SolveCost(table, seconds / threads, table)

    @property
    def _work(self) -> int:
        """Standings that are solved, those of extra frames included."""
        return self._standings.solved + self._extra(self.players).solved

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every standing: ``win`` (places, seats) what every seat gets, from the shooter on (see ``Standings``);
        ``extra2``, ..: the same of extra frames that fewer than all play; ``equity`` (seats + 1, seats) of those who
        share the best total, by how many they are; ``regret`` (1,). A long solve goes on from the checkpoint's frames.
        """
        turn, players, standings = self.rules.turn, self.players, self._standings
        kept = checkpoint if self.estimate_cost(1).seconds > LONG else None
        total, count = self._work, 0

        def done(more: int) -> None:
            nonlocal count
            count += more
            progress(min(1.0, count / total))

        with ThreadPool(threads) as pool:
            extra = extra_frames(turn, players, pool, done)
            zeros = checkpoint.new_table if checkpoint else np.zeros
            game = Game(standings, zeros(standings.starts[-1] * players).reshape(-1, players), extra.equity)
            for left, seat in product(range(standings.frames), reversed(range(players))):
                rows = game.win[standings.block(left, seat)]
                name = f"frame{standings.frames - left}seat{seat}"
                before = kept.load_layer(name, rows.shape, 0.0, MOST) if kept else None
                if before is not None:
                    rows[:] = before
                    done(standings.count(left, seat))
                    continue
                game.run(pool, left, seat, done)
                if kept:
                    kept.save_layer(name, rows)
        each = sum(players * frame_error(turn, ends, players) for ends in standings.extents)
        bound = each + extra.error
        fewer = {f"extra{tied}": extra.games[tied].win for tied in range(2, players)}
        return ValueTable({"win": game.win, **fewer, "equity": extra.equity, "regret": np.array([2 * bound])}, bound)

    solve_with_checkpoint = solve

    def array_specs(self) -> dict[str, ArraySpec]:
        """By standing, or how many share the best total, and seat."""
        places = {"win": (self._standings.starts[-1], self.players)}
        places |= {f"extra{tied}": (self._extra(tied).starts[-1], tied) for tied in range(2, self.players)}
        places["equity"] = self.players + 1, self.players
        arrays = {name: ArraySpec(shape, 0, MOST, seat_axis=-1) for name, shape in places.items()}
        return {**arrays, "regret": ArraySpec((1,), 0, MOST)}

    # --- what positions are worth

    def begun(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """What those who shoot get of frames that begin."""
        found = np.zeros((len(frames), self.players))
        for number, frame in enumerate(frames):
            game, left, seat, behind = self._standing(solved, frame)
            found[number, : game.players] = game.win[game.standings.places(left, seat, behind)][0]
        return found, np.full(len(frames), solved.error_bound)

    def seated(self, position: ScarneyPosition, gets: Sequence[float], paid: int) -> list[float]:
        """By seat; who does not play an extra frame gets nothing."""
        found = [0.0] * self.players
        for seat, share in zip(self._from_shooter(position), gets, strict=False):
            found[seat] = share
        return found

    def _game(self, solved: ValueTable, playing: int) -> Game:
        """The game, or its extra frames of fewer players."""
        if self._games is None or self._games[0] is not solved:
            self._games = solved, {}
        games = self._games[1]
        if playing not in games:
            whole = playing == self.players
            standings = self._standings if whole else self._extra(playing)
            arrays, equity = solved.arrays, solved.arrays["equity"]
            games[playing] = Game(standings, arrays["win" if whole else f"extra{playing}"], equity[:, :playing])
        return games[playing]

    def _standing(self, solved: ValueTable, frame: Frame) -> tuple[Game, int, int, Behind]:
        """The game that a frame is of, the frames left after it, which shooter it is, and the one standing."""
        seats = self._from_shooter(frame)
        game = self._game(solved, len(seats))
        scores = np.array([[frame.scores[seat] for seat in seats]], dtype=np.int32)
        seat = sorted(seats).index(frame.seat)
        return game, self.rules.frames - frame.number, seat, scores.max() - scores

    def _from_shooter(self, frame: Frame | ScarneyPosition) -> list[int]:
        """The seats that play, from the shooter on."""
        seats = playing(frame.playoff, self.players)
        at = seats.index(frame.seat)
        return [*seats[at:], *seats[:at]]

    def solving(self, solved: ValueTable, frame: Frame, held: int = 0) -> Solving:
        """The frame, with what it brings to all who shoot."""
        game, left, seat, behind = self._standing(solved, frame)
        points = np.arange(game.standings.cap + steps(held) + 1)
        enter = game.after(left, seat, behind, points)[:, 0].T
        return Solving(lane(self.rules.turn, enter[:, None], 1.0), solved.error_bound)

    # --- what rows list

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[ScarneyPosition]:
        """Every frame and standing; where the opponents' scores are told, that one."""
        far, points = self.ends
        ends = f"turns with more than {points} points in hand are left out"
        if "opponents" in told:
            return PositionListing(1, (self.playable.read(**told),), ends, is_single_position=True)
        extra = [seats for many in range(2, self.players + 1) for seats in combinations(range(self.players), many)]
        started = (far + 1) ** np.arange(self.players)  # standings that a first frame or an extra one can have
        later = (self.rules.frames - 1) * self.players * ((far + 1) ** self.players - far**self.players)
        count = int(started.sum() + later + sum(started[: len(seats)].sum() for seats in extra))
        return PositionListing(count, self._listed_all(far, extra), f"leads of more than {far} and {ends}")

    def _listed_all(self, far: int, extra: Sequence[tuple[int, ...]]) -> Iterator[ScarneyPosition]:
        """Every standing with the least totals that show it."""
        everybody = tuple(range(self.players))
        for number, seat in product(range(1, self.rules.frames + 1), everybody):
            for scores in self._begun(everybody, seat, far) if number == 1 else self._totals(far):
                yield ScarneyPosition(scores, seat, number)
        for seats in extra:
            for seat in seats:
                for scores in self._begun(seats, seat, far):
                    yield ScarneyPosition(scores, seat, self.rules.frames, seats)

    def _begun(self, seats: Sequence[int], seat: int, far: int) -> Iterator[tuple[int, ...]]:
        """The points of those who have shot a frame from level totals on."""
        return product(*(range(far + 1 if one in seats and one < seat else 1) for one in range(self.players)))

    def _totals(self, far: int) -> Iterator[tuple[int, ...]]:
        """Totals of which the least is 0, by who is the first to have it."""
        for least in range(self.players):
            before, after = [range(1, far + 1)] * least, [range(far + 1)] * (self.players - least - 1)
            yield from product(*before, range(1), *after)
