"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes.

What a player still wins less what it still pays, G, and the opponent's together are the pot on the table: constant-sum
once the pot P is part of the position. With j chips spent in a frame, which lie in the pot by then,

    P[enter t, j] = P - G'(-(d + t), P + j),

G' the opponent's value afterwards: that of its frame, or, once the last frame is over, P + j if it is ahead and 0 if it
is behind; with the totals level an extra frame follows. Big Scarney pays P. The frame is the same turn as for the win,
with the chips spent as part of its modes.

Extra frames never shrink the pot, so they are solved from a highest pot H down, those of pots that no game reaches
before its first extra frame only when they are asked about; each pot is a cycle of one unknown
x = f(x), contracting and monotone as in win.py. Beyond H nothing is known but 0 <= G <= P, since who never doubles
down pays nothing: both are carried down, a low and a high table. At each pot low is taken where
f(low) >= low and high where f(high) <= high, errors counted against them, so the true value lies between; the value is
the middle, and half the widest gap enters the error bound.

Frames are cut and leads tabled as in frame.py; here that costs up to the pot times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from ...games.scarney import DICE, ScarneyRules
from ...ground.errors import SolveError
from ...ground.threads import ThreadPoolExecutor
from ...play.scarney import Play
from ...turns.push import Doubles, PushTurn, pad
from ..contract import Range, Solved
from ..costs import Cost, table_bytes
from .frame import Extent, Frame, FrameMatch, Lane, Solving, extent, frame_rounding, steps

MOST_ROUNDS = 100
FRAME_SECONDS = 0.3  # for every lead of one pot in one frame
EXTRA_FRAMES = 6  # tie frames that may all be doubled through before the pot passes the highest that is tabled
POTS = 32  # of extra frames beyond the table, solved together when one is asked about


@lru_cache(maxsize=8)
def compiled(rules: ScarneyRules, block: int) -> PushTurn:
    """The frame, compiled for tables of so many points."""
    return rules.frame(block)


@dataclass(frozen=True)
class Extra:
    """Extra frames by pot from ``lowest`` on: ``level`` (pots,), the first shooter's value, ``second`` (pots, leads),
    the second's, and the bound of what is read from them.
    """

    lowest: int
    level: Doubles
    second: Doubles
    bound: float


class Chips(FrameMatch):
    """Expected chips won from the pot less chips still to be paid in, two players."""

    seats = (2, 2)

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.smallest = table.antes
        self._far: dict[int, Extra] = {}

    @cached_property
    def _plain(self) -> PushTurn:
        """The frame without chips, for what only points decide."""
        return replace(self.rules, chips=False).turn

    @cached_property
    def _extent(self) -> Extent:
        return extent(self._plain, self.rules.frames)

    @cached_property
    def _turn(self) -> PushTurn:
        return self._turn_to(self._extent.cap)

    def _turn_to(self, cap: int) -> PushTurn:
        """The frame with tables that end at ``cap`` points."""
        return compiled(self.rules, cap + 1)

    @property
    def _pots(self) -> int:
        """Pots that a game without extra frames can bring, from ``smallest`` on."""
        return 2 * DICE * self.rules.frames + 1

    def cost(self, threads: int) -> Cost:
        """What grows: the pots, and the frames in which each can be."""
        extra, frames = self._pots + 2 * DICE * EXTRA_FRAMES, self.rules.frames
        solved = 1.5 * extra + 2 * DICE * frames * (frames + 2)
        return Cost(2 * table_bytes(self.shapes()), FRAME_SECONDS * solved / threads)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pot and lead: ``first`` and ``second`` (frames, pots, 2 farthest + 1), the chips of the shooter
        to move by frames left after this one, chips in the pot beyond the antes, and lead from -farthest to farthest;
        ``level`` (pots,), those of the first shooter of an extra frame.
        """
        frames, far, pots = self.rules.frames, self._extent.far, self._pots
        first, second = np.zeros((2, frames, pots, 2 * far + 1))
        highest = self.smallest + pots + 2 * DICE * EXTRA_FRAMES
        error = highest * (frame_rounding(self._turn) + self._extent.cost)
        steps, done = pots + 2 * DICE * EXTRA_FRAMES + pots * frames, 0

        def step() -> None:
            nonlocal done
            done += 1
            progress(min(1.0, done / steps))

        with ThreadPoolExecutor(threads) as pool:
            wanted = pots + self.rules.levels
            level, within = self._extra_frames(pool, threads, self.smallest, wanted, highest, error, step)
            for left in range(frames):
                played = frames - 1 - left
                # The last frame also serves as an extra one, with whatever the pot is by then.
                for pot in range(2 * DICE * played + DICE + 1 if left else pots):
                    last = self._last(pot + self.smallest, level[pot:])
                    after = self._after(pot + self.smallest, self.smallest, first[left - 1]) if left else last
                    second[left, pot] = self._solve_leads(pool, threads, pot + self.smallest, after, -far, far)
                    step()
                for pot in range(2 * DICE * played + 1 if left else pots - DICE):
                    after = self._after(pot + self.smallest, self.smallest, second[left])
                    first[left, pot] = self._solve_leads(pool, threads, pot + self.smallest, after, -far, far)
                    step()
        arrays = {"first": first, "second": second, "level": level[:pots]}
        return Solved(arrays, 2 * frames * error + within)

    def _after(self, chips: int, lowest: int, table: Doubles) -> Doubles:
        """Worth of every lead to who has just shot, by chips spent: the pot before, less the other's value; ``table``
        begins with the pot ``lowest``.
        """
        pots = np.minimum(chips - lowest + np.arange(self.rules.levels), len(table) - 1)
        worth: Doubles = chips - table[pots, ::-1]
        return worth

    def _last(self, pot: int, level: Doubles) -> Doubles:
        """The same once the last frame is over; ``level[j]`` is the first shooter's value of an extra frame."""
        spent = np.arange(self.rules.levels)[:, None]
        leads = np.arange(-self._extent.far, self._extent.far + 1)
        even = pot - level[: self.rules.levels, None]
        return np.where(leads > 0, pot, np.where(leads < 0, -spent, even)).astype(float)

    def _extra_frames(
        self,
        pool: ThreadPoolExecutor,
        threads: int,
        lowest: int,
        wanted: int,
        highest: int,
        error: float,
        step: Callable[[], None],
    ) -> tuple[Doubles, float]:
        """Value of the first shooter of an extra frame for ``wanted`` pots from ``lowest`` on, and how far it can be
        off; ``highest``: the highest pot that is solved.
        """
        levels, far, cap = self.rules.levels, self._extent.far, self._extent.cap
        size = highest - lowest + 1
        # The low and the high table, and beyond the highest pot what is certain: from nothing to the pot.
        bounds = np.zeros((2, size + 3 * levels))
        bounds[1] = lowest + np.arange(bounds.shape[1])
        seconds = np.zeros((2, size + levels, 2 * far + 1))
        for pot in range(size + levels - 1, -1, -1):
            chips = pot + lowest
            for low_high in (0, 1):
                table, second = bounds[low_high], seconds[low_high]

                def answer(
                    level: float, table: Doubles = table, second: Doubles = second, pot: int = pot, chips: int = chips
                ) -> float:
                    table[pot] = level
                    after = self._last(chips, table[pot : pot + levels])
                    second[pot] = self._solve_leads(pool, threads, chips, after, -cap, 0)
                    worth = chips - second[pot : pot + levels, ::-1]
                    return float(self._solve_leads(pool, threads, chips, worth, 0, 0)[far])

                if pot >= size:  # beyond the highest pot: the bound as it is, and the second shooter's table
                    after = self._last(chips, table[pot : pot + levels])
                    second[pot] = self._solve_leads(pool, threads, chips, after, -cap, 0)
                    continue
                guess = 2 * table[pot + 1] - table[pot + 2] if pot + 2 < size else 0.4 * chips
                self._settle(answer, guess, 8 * error * (2 * low_high - 1), error)
            step()
        return bounds[:, :wanted].mean(axis=0), float((bounds[1] - bounds[0])[:wanted].max()) / 2

    def _beyond(self, pot: int) -> Extra:
        """The extra frames of pots around one that the tables do not hold."""
        levels = self.rules.levels
        lowest = self.smallest + (pot - self.smallest) // POTS * POTS
        if lowest not in self._far:
            wanted = POTS + 2 * levels
            highest = lowest + wanted + 2 * DICE * EXTRA_FRAMES
            error = highest * (frame_rounding(self._turn) + self._extent.cost)
            with ThreadPoolExecutor(1) as pool:
                level, within = self._extra_frames(pool, 1, lowest, wanted, highest, error, lambda: None)
                far = self._extent.far
                second = [
                    self._solve_leads(pool, 1, lowest + more, self._last(lowest + more, level[more:]), -far, far)
                    for more in range(POTS + levels)
                ]
            self._far[lowest] = Extra(lowest, level, np.array(second), 2 * error + within)
        return self._far[lowest]

    def _extra(self, solved: Solved, pot: int, pots: int) -> Extra:
        """The extra frames of so many pots from one on."""
        beyond = pot - self.smallest + pots > self._pots
        return self._beyond(pot) if beyond else self._tabled(solved)

    def _tabled(self, solved: Solved) -> Extra:
        return Extra(self.smallest, solved.arrays["level"], solved.arrays["second"][0], solved.error_bound)

    @staticmethod
    def _settle(answer: Callable[[float], float], guess: float, aside: float, error: float) -> None:
        """Bring ``answer`` to its fixed point moved ``aside``, on the side where it is proved not to lie beyond.

        ``answer`` is computed within twice the error of a frame; secant steps, since it is nearly a straight line.
        """
        for _ in range(MOST_ROUNDS):
            first = answer(guess)
            second = answer(first)
            slope = (second - first) / (first - guess) if first != guess else 0.0
            guess = first + (second - first) / (1 - min(max(slope, 0.0), 0.99))
            bound = guess + aside
            there = answer(bound)
            if (there + 2 * error <= bound) if aside > 0 else (there - 2 * error >= bound):
                return
        raise SolveError("the extra frames did not settle")

    def _solve_leads(
        self, pool: ThreadPoolExecutor, threads: int, pot: int, after: Doubles, low: int, high: int
    ) -> Doubles:
        """Solve the frame for the leads from ``low`` to ``high``; others stand as the nearest. ``after`` (levels, 2
        farthest + 1) is the worth of every lead once it is over, by chips spent.
        """
        cap, far, turn = self._extent.cap, self._extent.far, self._turn
        lanes = high - low + 1
        payoff = np.zeros((1, turn.specials + self.rules.levels * (cap + 1), pad(lanes)))
        leads = np.clip(np.arange(low, high + cap + 1), -far, far) + far
        for spent in range(self.rules.levels):
            block = turn.specials + spent * (cap + 1)
            window = np.lib.stride_tricks.sliding_window_view(after[spent, leads], lanes)
            payoff[0, block : block + cap + 1, :lanes] = window
            payoff[0, spent] = payoff[0, block]
        payoff[0, turn.specials - 1] = pot
        caps = np.zeros(pad(lanes), dtype=np.int32)
        caps[:lanes] = cap
        share = threads if lanes > 64 else 1
        value = turn.solve(payoff, caps, pool=pool, scratch=turn.scratch(payoff, caps, share)).value[0, :lanes]
        table = np.empty(2 * far + 1)
        table[far + low : far + high + 1] = value
        table[: far + low], table[far + high + 1 :] = value[0], value[-1]
        return table

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        shape = (self.rules.frames, self._pots, 2 * self._extent.far + 1)
        return {"first": shape, "second": shape, "level": (self._pots,)}

    def ranges(self) -> dict[str, Range]:
        """Return the least and the greatest that each solved array can hold."""
        pot = self.smallest + np.arange(self._pots)  # what a player still wins: of the pot, which both can only add to
        return {"first": (0, pot[:, None]), "second": (0, pot[:, None]), "level": (0, pot)}

    def pots(self, number: int, seat: int, extra: bool) -> range:
        """The antes, and what earlier frames can have cost."""
        if extra:
            return range(self.smallest, self.smallest + self._pots - self.rules.levels + 1)
        return range(self.smallest, self.smallest + DICE * (2 * (number - 1) + seat) + 1)

    def beginnings(self, solved: Solved, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Chips of the shooter by seat, frames left, pot and lead."""
        far, values, bounds = self._extent.far, np.empty(len(frames)), np.full(len(frames), solved.error_bound)
        tables = (solved.arrays["first"], solved.arrays["second"])
        for number, frame in enumerate(frames):
            lead = min(max(frame.lead, -far), far) + far
            if frame.playoff:
                extra = self._extra(solved, frame.pot, 1)
                chips, bounds[number] = frame.pot - extra.lowest, extra.bound
                values[number] = extra.second[chips, lead] if frame.seat else extra.level[chips]
            else:
                row = tables[frame.seat][self.rules.frames - frame.number, frame.pot - self.smallest]
                values[number] = row[lead]
        return values, bounds

    def solving(self, solved: Solved, frame: Frame, held: int = 0) -> Solving:
        """The frame against what follows it, by chips spent in it."""
        left, far = self.rules.frames - frame.number, self._extent.far
        extra = self._extra(solved, frame.pot, self.rules.levels) if frame.playoff else self._tabled(solved)
        if left:
            table = solved.arrays["first"][left - 1] if frame.seat else solved.arrays["second"][left]
            after = self._after(frame.pot, self.smallest, table)
        elif frame.seat:
            spent = frame.pot - extra.lowest + np.arange(self.rules.levels)
            after = self._last(frame.pot, extra.level[np.minimum(spent, len(extra.level) - 1)])
        else:
            after = self._after(frame.pot, extra.lowest, extra.second)
        cap = self._extent.cap + steps(held)
        leads = np.clip(frame.lead + np.arange(cap + 1), -far, far) + far
        return Solving(self._turn_to(cap), Lane(after[:, leads], float(frame.pot)), extra.bound)
