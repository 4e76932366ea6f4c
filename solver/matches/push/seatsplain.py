"""Cycles of a race of several players, settled and judged turn by turn on the equations (``Many``), whatever turns are
like. The kernel (``csrc/seats_kernel.c``), which knows one shape of turn, is held against it, and what that does not
settle is left to it: cycles in which turns are mixed. What is solved, and what is proved, says ``seatssweep``.

What may be taken over is read off the turns of a settled cycle: who moves takes the better of both beginnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, OPEN
from ...turns.push import Doubles, TurnValue
from ..circles import Line, Respond, around
from ..contract import Mix
from ..equations import Ints, Readings
from ..settle import EXACT_PASSES
from ..settle import HOPELESS as NOTHING
from .many import Many

MOST_PASSES = 100
HALF_WAY = 12  # passes from which on guesses move by half of what comes of them
AT_ONCE = 64  # cycles
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
        self.mixed: Mapping[int, Mix] = {}  # by place
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

    def settle(self, cycles: Cycles, status: NDArray[np.uint8]) -> None:
        """Best replies in cycles, all at once, until nobody's moves anything."""
        seats, lines = self.equations.seats, self.around(cycles)
        busts, going, worth = self.bust(lines), np.arange(len(cycles)), np.zeros((seats, *lines.shape))
        for passes in range(MOST_PASSES):
            at = lines[:, going]
            made = self.equations.turns(at.ravel(), busts[:, going].ravel(), self.win, self.win, self.past)
            zero, shares = by_mover(at, made.value[1:])
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
            self.win[places] = np.roll(worth[mover], -mover, axis=0).T.clip(0.0, 1.0)
        self.take(lines.ravel())

    def respond(self, lines: Sequence[int], table: Doubles, carried: Doubles | None = None) -> Respond:
        """Best turns of the movers of some lines by a table, and what they bring by it or by another one."""

        def best(mover: int, busts: Doubles) -> list[Line]:
            places = np.full(len(busts), lines[mover])
            made = self.equations.turns(places, busts, table, table if carried is None else carried, self.past)
            told = made.value[1:, : len(busts)].T.tolist()
            return [Line(z, z, z, p, tuple(of)) for z, (p, *of) in zip(busts.tolist(), told, strict=True)]

        return best

    def played(self, lines: Ints, carried: Doubles, readings: Readings | None = None, more: float = 0.0) -> Doubles:
        """Turns of lines as they are played: chances of a zero turn, and what else comes to the seats from the mover on
        by the carried table, and so much more: (1 + seats, lanes). Or the same inside them: (1 + seats, readings).
        """
        share, busts = np.zeros(len(lines)), np.tile(self.bust(lines), (2, 1))
        for lane, place in enumerate(lines.tolist() if self.mixed else ()):
            if mix := self.mixed.get(place):
                share[lane], *busts[:, lane] = mix
        ways = []
        for told in busts[: 1 + share.any()]:
            made = self.equations.turns(lines, told, self.win, carried, self.past, readings is not None)
            ways.append(inside(made, readings)[1:] if readings else made.value[1:, : len(lines)])
            ways[-1][1:] += more
        if len(ways) == 1:
            return ways[0]
        share = share[readings.lane] if readings else share
        return np.asarray((1 - share) * ways[0] + share * ways[1])

    def take(self, lines: Ints) -> None:
        """What may be taken over in settled lines."""
        if offers := self.equations.readings(lines):
            self.win[offers.state], _ = self._taken(lines, offers, self.win)

    def _taken(self, lines: Ints, offers: Readings, carried: Doubles, more: float = 0.0) -> tuple[Doubles, Doubles]:
        """What comes of offers by the carried table, and so much more where they are taken, as the mover plays; and
        what a turn that begins anew would come to.
        """
        after, lane = self.equations.turned(lines), offers.lane

        def worth(table: Doubles) -> Doubles:
            zero, *shares = self.played(lines, table, offers)
            return np.asarray(np.stack(shares, axis=1) + zero[:, None] * np.roll(table[after], 1, axis=1)[lane])

        own, begun = worth(self.win), carried[lines[lane]]
        takes = own[:, :1] >= self.win[lines[lane], :1]
        return np.where(takes, (own if carried is self.win else worth(carried)) + more, begun), begun

    def reply(self, cycles: Cycles, status: NDArray[np.uint8]) -> None:
        """Bounds of best replies to the play of cycles: Newton's method on what a zero turn is worth to each seat."""
        seats, lines = self.equations.seats, self.around(cycles)
        zero, shares = by_mover(lines, self.played(lines.ravel(), self.most, more=self.widen))
        for seat, places in enumerate(lines):
            constant, reached = np.zeros(len(cycles)), np.ones(len(cycles))
            others = [(seat + one) % seats for one in range(1, seats)]  # from the next mover back to the seat
            for one, mover in enumerate(others, 1):
                constant = constant + reached * shares[mover, seats - one]
                reached = reached * zero[mover]
            z, worth, going = self.bust(places), np.zeros(len(cycles)), np.arange(len(cycles))
            for _ in range(MOST_PASSES):
                made = self.equations.turns(places[going], z[going], self.most, self.most, self.past)
                value, slope = made.value[:2, : len(going)]
                worth[going] = value + self.widen
                line, back = constant[going], reached[going]
                off = np.abs(line + back * worth[going] - z[going]) > self.settled[1]
                going, line, back, slope = going[off], line[off], back[off], slope[off]
                if not len(going):
                    break
                z[going] = (line + back * (worth[going] - slope * z[going])) / (1 - back * slope)
            status[going] = OPEN
            self.most[places, 0] = worth
            for one in range(seats - 1, 0, -1):
                mover = others[one - 1]
                worth = shares[mover, seats - one] + zero[mover] * worth
                self.most[lines[mover], seats - one] = worth
        self._take_most(lines.ravel())

    def _take_most(self, lines: Ints) -> None:
        """The same of what may be taken over: the mover takes the better, others what the mover does."""
        if (offers := self.equations.readings(lines)) is None:
            return
        found, begun = self._taken(lines, offers, self.most, self.widen)
        busts = self.most[self.equations.turned(lines), -1]
        best = inside(self.equations.turns(lines, busts, self.most, self.most, self.past, True), offers)[0]
        found[:, 0] = np.maximum(best + self.widen, begun[:, 0])
        self.most[offers.state] = found


def by_mover(lines: Ints, made: Doubles) -> tuple[Doubles, Doubles]:
    """Chances of a zero turn and what else comes to the seats: (movers, cycles), (movers, seats, cycles)."""
    zero, *shares = made[:, : lines.size].reshape(-1, *lines.shape)
    return zero, np.stack(shares, axis=1)


def inside(made: TurnValue, readings: Readings) -> Doubles:
    """What turns come to that begin inside others: (channels, readings)."""
    assert made.inner is not None
    return np.asarray(made.inner[:, readings.mode, readings.points, readings.lane])
