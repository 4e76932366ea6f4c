"""Frames of Straight Scarney for any number of players: what every seat gets from every standing between them.

A standing is how far every player is behind the best total, from the shooter on (``leads``). Entered points lead to
the next shooter's. What the others are apart stays; so along the shooter's place, how far it is ahead of the best of
them, standings share one row of worths (``shooting``). Frames only pass, so standings are solved from the last frame to
the first; the shooter chooses by the own share, and the others' are carried along (channels of the kernel). Once all
is shot the best total wins; m players who share it play extra frames, one each in the same order: their shares x = F(x)
are those of the last frame from level totals on, found by iteration. F looks at x only where all m end level again, and
the first throw of every frame is Big Scarney with chance 1/216, so F contracts by q = (215/216)^m, however it is
played: shares that one more pass moves by no more than e are no further than (e + what a pass is computed within) /
(1 - q) from those of the play.

Whoever is further behind than ``far`` stands as ``far``. For those two games to end in different ways somebody must
come back from there: a chance of at most CUT a standing and player, whatever anybody does (see ``frame``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Doubles, PushTurn, pad
from ...util.errors import SolveError
from ...util.threads import ThreadPool
from ..score_leads import Behind, Places, following, lines, places, size
from .frame_solver import shoot
from .problem import Extent, extent, frame_rounding

CUT = 2.0**-44  # of leads and of points in a frame, as a chance
AT_ONCE = 512  # standings of one task
TASKS = 40  # between two reports of progress
PASSES = 200


class Line(NamedTuple):
    """Standings in which the others are so far apart: the shooter's places, from the first to the last, are how far it
    is ahead of the best of them.
    """

    apart: NDArray[np.int32]
    first: int
    last: int

    def behind(self, further: int = 0) -> Behind:
        """Each as it is told, with places that are so much further on."""
        place = np.arange(self.first, self.last + further + 1, dtype=np.int32)
        found = np.maximum(place, 0)[:, None] + np.concatenate([[0], self.apart]).astype(np.int32)
        found[:, 0] = np.maximum(-place, 0)
        return found


@dataclass(frozen=True)
class Standings:
    """The standings of so many players before every frame of a game: their places in a table (places, players).

    ``players`` blocks for each seat to shoot, by who leads; of a block the others' places are its digits.
    """

    turn: PushTurn
    players: int
    frames: int

    @cached_property
    def extents(self) -> list[Extent]:
        """How far tables go, by frames left after this one."""
        return [extent(self.turn, left + 1, CUT) for left in range(self.frames)]

    @property
    def cap(self) -> int:
        """Points at which a frame's table ends."""
        return self.extents[0].cap

    @cached_property
    def starts(self) -> list[int]:
        """The first place of every number of frames left, and the end."""
        starts = [0]
        for left in range(self.frames):
            starts.append(starts[-1] + self.players * self._size(left))
        return starts

    def _size(self, left: int) -> int:
        """Standings of one seat to shoot."""
        return size(self.players, self.extents[left].far)

    def block(self, left: int, seat: int) -> slice:
        """The places of a seat's standings."""
        first = self.starts[left] + seat * self._size(left)
        return slice(first, first + self._size(left))

    def places(self, left: int, seat: int, behind: Behind) -> Places:
        """The places of standings, told from the shooter on."""
        found: Places = places(behind, self.extents[left].far) + self.block(left, seat).start
        return found

    @property
    def solved(self) -> int:
        """Standings that are solved."""
        return sum(self.count(left, seat) for left in range(self.frames) for seat in range(self.players))

    def count(self, left: int, seat: int) -> int:
        """How many there are before a frame: all begin the first one level."""
        return (self.extents[left].far + 1) ** seat if left + 1 == self.frames else self._size(left)

    def told(self, left: int, seat: int) -> Iterator[Line | Behind]:
        """The standings before a frame: lines of them, or some at a time."""
        far, level = self.extents[left].far, left + 1 == self.frames
        if level and seat + 1 < self.players:
            count = self.count(left, seat)
            for first in range(0, count, AT_ONCE):
                yield self._level(seat, first, min(first + AT_ONCE, count))
            return
        for apart in lines(self.players - 1, far):
            widest = int(apart.max())
            yield Line(apart, -far, -widest if level else far - widest)

    def _level(self, seat: int, first: int, last: int) -> Behind:
        """Some of those that so many others have left who began level."""
        scores, rest = np.zeros((last - first, self.players), dtype=np.int32), np.arange(first, last)
        for one in range(1, seat + 1):
            rest, scores[:, -one] = np.divmod(rest, self.extents[-1].far + 1)
        behind: Behind = scores.max(axis=1, keepdims=True) - scores
        return behind


class Game:
    """A game of frames: ``win`` (places, players), what every seat gets from the shooter on; ``equity``: by how many
    share the best total and by their order, what they get.
    """

    def __init__(self, standings: Standings, win: Doubles, equity: Doubles) -> None:
        self.standings, self.win, self.equity = standings, win, equity
        self.turn, self.players = standings.turn, standings.players

    def after(self, left: int, seat: int, behind: Behind, points: NDArray[np.int64]) -> Doubles:
        """What entering points is worth to every seat from the shooter on: (points, standings, players)."""
        standings = self.standings
        then = following(behind, points)
        if seat + 1 < self.players:
            shares = self.win[standings.places(left, seat + 1, then)]
        elif left:
            shares = self.win[standings.places(left - 1, 0, then)]
        else:
            best = then == 0
            shares = np.where(best, self.equity[best.sum(axis=-1)[..., None], best.cumsum(axis=-1) - 1], 0.0)
        return np.roll(shares, 1, axis=-1)

    def payoff(self, left: int, seat: int, behind: Behind, cap: int) -> Doubles:
        """The payoffs of a frame, a lane for each standing."""
        turn, points = self.turn, np.arange(cap + 1)
        payoff = np.zeros((self.players, turn.specials + cap + 1, pad(len(behind))))
        payoff[:, turn.specials :, : len(behind)] = self.after(left, seat, behind, points).transpose(2, 0, 1)
        payoff[:, 0] = payoff[:, turn.specials]
        payoff[0, 1] = 1.0  # Big Scarney
        return payoff

    def shoot(self, left: int, seat: int, behind: Behind) -> None:
        """Solve the frame of some standings."""
        cap = self.standings.cap
        payoff = self.payoff(left, seat, behind, cap)
        caps = np.full(payoff.shape[2], cap, dtype=np.int32)
        value = self.turn.solve(payoff, caps).value[:, : len(behind)]
        self.win[self.standings.places(left, seat, behind)] = value.T

    def shoot_line(self, left: int, seat: int, line: Line) -> None:
        """Solve the frame of a line of standings."""
        cap = self.standings.cap
        after = self.after(left, seat, line.behind(cap), np.zeros(1, dtype=np.int64))[0]
        value = shoot(self.turn, np.ascontiguousarray(after.T)[:, None], cap, 1.0).value
        behind = line.behind()
        self.win[self.standings.places(left, seat, behind)] = value.T[: len(behind)]

    def run(self, pool: ThreadPool, left: int, seat: int, done: Callable[[int], None]) -> None:
        """Solve a frame in every standing; ``done`` is told how many more are."""

        def solve(some: Line | Behind) -> int:
            if isinstance(some, Line):
                self.shoot_line(left, seat, some)
                return some.last - some.first + 1
            self.shoot(left, seat, some)
            return len(some)

        told = self.standings.told(left, seat)
        while some := list(islice(told, TASKS)):
            done(sum(pool.map(solve, some)))


@dataclass(frozen=True)
class Extra:
    """Extra frames, by how many play them: ``games``, their ``equity`` (as ``Game`` has it), and how far from the true
    one it is.
    """

    games: dict[int, Game]
    equity: Doubles
    error: float


def extra_frames(
    turn: PushTurn, players: int, pool: ThreadPool, done: Callable[[int], None] = lambda standings: None
) -> Extra:
    """Solve the extra frames of 2, 3, .. players.

    Raises:
        SolveError: they did not settle.
    """
    equity = np.zeros((players + 1, players))
    equity[1, 0] = 1.0
    games, error = {}, 0.0
    for tied in range(2, players + 1):
        standings = Standings(turn, tied, 1)
        game = Game(standings, np.zeros((standings.starts[-1], tied)), equity[:, :tied].copy())
        game.equity[tied] = 1 / tied
        for seat in reversed(range(tied)):
            game.run(pool, 0, seat, done)
        moved = _settle(game)
        equity[tied, :tied] = game.equity[tied]
        games[tied] = game
        within = moved + tied * frame_error(turn, standings.extents[0], tied)
        error += within / (1 - (215 / 216) ** tied)
    return Extra(games, equity, error)


def _settle(game: Game) -> float:
    """Iterate the shares of players who end level again; returns how much a pass still moves them."""
    standings, tied = game.standings, game.players
    shares, rounding = game.equity[tied], frame_rounding(game.turn)
    for _ in range(PASSES):
        for seat in reversed(range(tied)):  # only who meets none or equal scores can bring all level
            scores = np.arange(standings.extents[0].far + 1 if seat else 1, dtype=np.int32)
            behind = np.repeat(scores[:, None], tied, axis=1)
            behind[:, tied - seat :] = 0
            game.shoot(0, seat, behind)
        again = game.win[standings.places(0, 0, np.zeros((1, tied), dtype=np.int32))[0]]
        moved = float(np.abs(again - shares).max())
        shares[:] = again
        if moved <= rounding:
            return moved
    raise SolveError("the extra frames did not settle")


def frame_error(turn: PushTurn, ends: Extent, players: int) -> float:
    """How far one frame can take a share from the true one: its rounding, the end of its table, and the end of leads,
    for every player who may stand beyond it.
    """
    return frame_rounding(turn) + (players - 1) * ends.cost
