"""Cycles of a race of several players, settled and judged turn by turn on the equations (``Many``), whatever turns are
like. The kernel (``csrc/seats_kernel.c``), which knows one shape of turn, is held against it, and what that does not
settle is left to it: cycles in which turns are mixed. What is solved, and what is proved, says ``multiplayer_sweep``.

What may be taken over is read off the turns of a settled cycle: who moves takes the better of both beginnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, OPEN
from ...turns.push_turn import Doubles, TurnValue
from ..mixed_equilibria import Line, Respond, around
from ..model import Ints, TakeoverOffers
from ..problem import MixedAction
from ..reference_solver import EXACT_PASSES
from ..reference_solver import HOPELESS as NOTHING
from .multiplayer_model import Many, Turns

MOST_PASSES = 100
HALF_WAY = 12  # passes from which on guesses move by half of what comes of them
AT_ONCE = 128  # cycles
MOST_GUESSED = 0.9375  # of what a zero turn is worth
Cycles = NDArray[np.int32]


class Plain:
    """Cycles on a whole table, ``win`` (states, seats). ``settled``: how closely a zero turn settles, and how closely
    where rounding is in the way; ``widen``: what a turn's result is raised by to bound best replies, in ``most``.
    """

    def __init__(
        self, equations: Many, win: Doubles, past: Doubles | None, settled: tuple[float, float], widen: float
    ) -> None:
        self.equations, self.past, self.settled, self.widen = equations, past, settled, widen
        self.win, self.most = win.reshape(-1, equations.seats), np.zeros((0, equations.seats))
        self.mixed: Mapping[int, MixedAction] = {}  # by place
        self._lock = Lock()

    def judge(self, most: Doubles, known: object = None) -> None:
        """Go over to best replies: their bounds are written to ``most``."""
        self.most = most.reshape(self.win.shape)

    def again(self) -> None:
        """Begin from what the table holds, as is done in any case."""

    def forget(self) -> None:
        """Forget where stopping is certain, which is not known in any case."""

    def solve(
        self, cycles: Cycles, rows: Ints, busts: Doubles | None, following: Ints, status: NDArray[np.uint8]
    ) -> tuple[int, int]:
        """Solve cycles together with the other threads that call this with the same ``following``, as the kernel does;
        what it takes is not counted.
        """
        while True:
            with self._lock:
                first = int(following[0])
                following[0] += AT_ONCE
            if first >= len(cycles):
                return 0, 0
            part = slice(first, first + AT_ONCE)
            (self.reply if len(self.most) else self.settle)(cycles[part], status[part])

    def around(self, cycles: Cycles) -> Ints:
        """The lines of cycles, by mover: (seats, cycles)."""
        places = np.zeros(cycles.T.shape, dtype=np.int64)
        for mover, line in enumerate(places):
            for column in np.roll(cycles, -mover, axis=1).T:
                line *= self.equations.count
                line += column
        return places

    def bust(self, lines: Ints) -> Doubles:
        """What a zero turn is worth to the mover, by the table."""
        return np.asarray(self.win[self.equations.turned(lines), -1])

    def guess(self, lines: Ints) -> Doubles:
        """What a zero turn is worth to the mover: as the table has it or, where that holds nothing yet, by differences
        of the second order along all scores, as the kernel guesses.
        """
        race, column, after = self.equations, self.win[:, -1], self.equations.turned(lines)
        found = column[after]
        new = found <= 0
        if not new.any():
            return found
        places, step = after[new], race.count ** np.arange(race.seats)
        left = (race.count - 1 - places[:, None] // step % race.count) // race.states.kinds
        step *= race.states.kinds
        above = np.where(left > 0, column[np.where(left > 0, places[:, None] + step, 0)], 0.0)
        guessed = above.sum(axis=1) / (left > 0).sum(axis=1).clip(1)
        smooth = (left > 1).all(axis=1)
        guessed[smooth] = 0.0
        for digits in list(product(range(3), repeat=race.seats))[1:]:
            guessed[smooth] -= (-2.0) ** digits.count(1) * column[places[smooth] + int((step * digits).sum())]
        found[new] = guessed.clip(0.0, MOST_GUESSED)
        return found

    def settle(self, cycles: Cycles, status: NDArray[np.uint8]) -> None:
        """Best replies in cycles, all at once, until nobody's moves anything."""
        seats, lines = self.equations.seats, self.around(cycles)
        busts, worth, here = self.guess(lines), np.zeros((seats, *lines.shape)), np.arange(len(cycles))
        going, turns = here, self.lay_out(lines.ravel(), self.win)
        for passes in range(MOST_PASSES):
            at = np.searchsorted(here, going)
            if 2 * len(going) <= len(here):
                turns = turns.some(np.arange(seats * len(here)).reshape(seats, -1)[:, at].ravel())
                here, at = going, np.arange(len(going))
            zero, shares = by_mover(lines[:, here], turns.made(busts[:, here].ravel()).value[1:])
            zero, shares = zero[:, at], shares[:, :, at]
            waiting = 1 - zero.prod(axis=0) <= NOTHING
            hopeless = waiting & (busts[:, going] <= 0).all(axis=0)
            status[going[hopeless]] = HOPELESS
            waiting, zero, shares = waiting[~hopeless], zero[:, ~hopeless], shares[:, :, ~hopeless]
            going = going[~hopeless]
            worth[:, :, going] = around(zero, shares)
            after = np.stack([worth[(mover + 1) % seats, mover, going] for mover in range(seats)])
            after[:, waiting] = 0.0  # where all would rather wait a zero turn was taken to be worth too much
            off = np.where(waiting, 1.0, np.abs(after - busts[:, going]).max(axis=0))
            half = np.where(waiting | (passes < HALF_WAY), 1.0, 0.5)
            busts[:, going] = half * after + (1 - half) * busts[:, going]
            going = going[off > self.settled[passes >= EXACT_PASSES]]
            if not len(going):
                break
        status[going] = OPEN
        for mover, places in enumerate(lines):
            self.win[places] = worth[mover, np.arange(mover, mover + seats) % seats].T.clip(0.0, 1.0)
        self.take(lines.ravel())

    def respond(self, lines: Sequence[int], table: Doubles, carried: Doubles | None = None) -> Respond:
        """Best turns of the movers of some lines by a table, and what they bring by it or by another one."""
        turns = self.equations.lay_out(np.array(lines), table, table if carried is None else carried, self.past)

        def best(mover: int, busts: Doubles) -> list[Line]:
            told = turns.some(np.full(len(busts), mover)).made(busts).value[1:].T.tolist()
            return [Line(z, z, z, p, tuple(of)) for z, (p, *of) in zip(busts.tolist(), told, strict=True)]

        return best

    def lay_out(self, lines: Ints, carried: Doubles) -> Turns:
        """The turns of lines, which the table decides; what they bring is told by the carried one."""
        return self.equations.lay_out(lines, self.win, carried, self.past)

    def played(self, lines: Ints, turns: Turns, readings: TakeoverOffers | None = None, more: float = 0.0) -> Doubles:
        """Turns of lines as they are played: chances of a zero turn, and what else comes to the seats from the mover
        on, and so much more: (1 + seats, lanes). Or the same inside them: (1 + seats, readings).
        """
        share, busts = np.zeros(len(lines)), np.tile(self.bust(lines), (2, 1))
        for lane, place in enumerate(lines.tolist() if self.mixed else ()):
            if mix := self.mixed.get(place):
                share[lane], *busts[:, lane] = mix
        ways = []
        for told in busts[: 1 + share.any()]:
            made = turns.made(told, inner=readings is not None)
            ways.append(inside(made, readings)[1:] if readings else made.value[1:])
            ways[-1][1:] += more
        if len(ways) == 1:
            return ways[0]
        share = share[readings.lane] if readings else share
        return np.asarray((1 - share) * ways[0] + share * ways[1])

    def take(self, lines: Ints) -> None:
        """What may be taken over in settled lines."""
        if offers := self.equations.takeover_offers(lines):
            own = self._taken(lines, offers, self.lay_out(lines, self.win), self.win)
            self.win[offers.state] = np.where(self._takes(lines, offers, own), own, self.win[lines[offers.lane]])

    def _taken(self, lines: Ints, offers: TakeoverOffers, turns: Turns, carried: Doubles) -> Doubles:
        """What comes of offers that are taken, by the carried table."""
        zero, *shares = self.played(lines, turns, offers)
        after = np.roll(carried[self.equations.turned(lines)], 1, axis=1)
        return np.asarray(np.stack(shares, axis=1) + zero[:, None] * after[offers.lane])

    def _takes(self, lines: Ints, offers: TakeoverOffers, own: Doubles) -> NDArray[np.bool_]:
        """Whether movers take them, by what that brings and what a turn that begins anew does."""
        return np.asarray(own[:, :1] >= self.win[lines[offers.lane], :1])

    def reply(self, cycles: Cycles, status: NDArray[np.uint8]) -> None:
        """Bounds of best replies to the play of cycles: Newton's method on what a zero turn is worth to each seat."""
        seats, lines = self.equations.seats, self.around(cycles)
        turns = self.lay_out(lines.ravel(), self.most)
        zero, shares = by_mover(lines, self.played(lines.ravel(), turns, more=self.widen))
        others = [(np.arange(seats) + one) % seats for one in range(seats)]  # by seat, who moves so much later
        constant, reached = np.zeros(lines.size), np.ones(lines.size)
        for one, mover in enumerate(others[1:], 1):
            constant = constant + reached * shares[mover, seats - one].ravel()
            reached = reached * zero[mover].ravel()
        z, worth = self.bust(lines.ravel()), np.zeros(lines.size)
        here = going = np.arange(lines.size)
        best = turns.best
        for _ in range(MOST_PASSES):
            at = np.searchsorted(here, going)
            if 2 * len(going) <= len(here):
                here, best, at = going, best.some(at), np.arange(len(going))
            value, slope = best.made(z[here]).value[:, at]
            worth[going] = value + self.widen
            line, back = constant[going], reached[going]
            off = np.abs(line + back * worth[going] - z[going]) > self.settled[1]
            going, line, back, slope = going[off], line[off], back[off], slope[off]
            if not len(going):
                break
            z[going] = (line + back * (worth[going] - slope * z[going])) / (1 - back * slope)
        status[going % len(cycles)] = OPEN
        gets = worth.reshape(lines.shape)
        self.most[lines, 0] = gets
        for one in range(seats - 1, 0, -1):
            gets = shares[others[one], seats - one] + zero[others[one]] * gets
            self.most[lines[others[one]], seats - one] = gets
        self._take_most(lines.ravel(), turns)

    def _take_most(self, lines: Ints, turns: Turns) -> None:
        """The same of what may be taken over: the mover takes the better, others what the mover does."""
        if (offers := self.equations.takeover_offers(lines)) is None:
            return
        own = self._taken(lines, offers, self.lay_out(lines, self.win), self.win)
        most, begun = self._taken(lines, offers, turns, self.most) + self.widen, self.most[lines[offers.lane]]
        found = np.where(self._takes(lines, offers, own), most, begun)
        best = inside(turns.best.made(self.most[self.equations.turned(lines), -1], inner=True), offers)[0]
        found[:, 0] = np.maximum(best + self.widen, begun[:, 0])
        self.most[offers.state] = found


def by_mover(lines: Ints, made: Doubles) -> tuple[Doubles, Doubles]:
    """Chances of a zero turn and what else comes to the seats: (movers, cycles), (movers, seats, cycles)."""
    zero, *shares = made[:, : lines.size].reshape(-1, *lines.shape)
    return zero, np.stack(shares, axis=1)


def inside(made: TurnValue, readings: TakeoverOffers) -> Doubles:
    """What turns come to that begin inside others: (channels, readings)."""
    assert made.inner is not None
    return np.asarray(made.inner[:, readings.mode, readings.points, readings.lane])
