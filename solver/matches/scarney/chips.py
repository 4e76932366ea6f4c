"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes.

What a player still wins less what it still pays, G, and the opponent's together are the pot on the table: constant-sum
once the pot P is part of the position. With j chips spent in a frame, which lie in the pot by then,

    P[enter t, j] = P - G'(-(d + t), P + j),

G' the opponent's value afterwards: that of its frame, or, once the last frame is over, P + j if it is ahead and 0 if it
is behind; with the totals level an extra frame follows. Big Scarney pays P. The frame is the same turn as for the win,
with the chips spent as part of its modes.

Extra frames never shrink the pot, so they are solved from a highest pot H down, those of pots that no game reaches
before its first extra frame only when they are asked about; each pot is an unknown of its own (``shooting``). Beyond H
nothing is known but 0 <= G <= P, since who never doubles down pays nothing: both are carried down, a low and a high
table, side by side. At each pot low is taken where f(low) >= low and high where f(high) <= high, errors counted against
them, so the true value lies between; the value is the middle, and half the widest gap enters the error bound.

Of an extra frame the second shooter is solved for leads from -r to 0 only, and the first one's table ends at r points.
For whoever holds r - a of them, a the most that a throw adds, enters them if they pay no less than a throw would with
the pot for every live one; more points pay no less, and so are entered too (``_stops``).

Frames are cut and leads tabled as in frame.py; here that costs up to the pot times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np

from ...games.scarney import DICE, ScarneyRules
from ...ground.threads import ThreadPoolExecutor
from ...play.scarney import Play
from ...turns.push import Doubles, PushTurn, TurnValue, pad
from ..contract import Array, Solved
from ..costs import Cost
from .frame import Extent, Frame, FrameMatch, Lane, Solving, extent, frame_rounding, steps
from .shooting import ASIDE, settle, shoot

FRAME_SECONDS = 0.06  # for every lead of one pot in one frame
MORE_POTS = 45  # beyond the highest that is wanted: each that is more halves what is still open at that one
REACH = 128  # points that the first shooter of an extra frame is taken to enter at most; more where that does not hold
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

    @cached_property
    def _wide(self) -> PushTurn:
        """The frame with room for tables that slide along every lead."""
        return compiled(self.rules, self._extent.cap + 1 + pad(2 * self._extent.far + 1))

    @property
    def _pots(self) -> int:
        """Pots that a game without extra frames can bring, from ``smallest`` on."""
        return 2 * DICE * self.rules.frames + 1

    def cost(self, threads: int) -> Cost:
        """What grows: the pots, and the frames in which each can be."""
        extra, frames = self._pots + MORE_POTS, self.rules.frames
        solved = extra / 4 + 2 * DICE * frames * (frames + 2)
        return Cost(2 * self.table_bytes, FRAME_SECONDS * solved / threads)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pot and lead: ``first`` and ``second`` (frames, pots, 2 farthest + 1), the chips of the shooter
        to move by frames left after this one, chips in the pot beyond the antes, and lead from -farthest to farthest;
        ``level`` (pots,), those of the first shooter of an extra frame.
        """
        frames, far, pots = self.rules.frames, self._extent.far, self._pots
        first, second = np.zeros((2, frames, pots, 2 * far + 1))
        steps, done = pots + pots * frames, 0.0

        def step(more: float = 1.0) -> None:
            nonlocal done
            done += more
            progress(min(1.0, done / steps))

        with ThreadPoolExecutor(threads) as pool:
            wanted = pots + self.rules.levels
            level, within = self._extra_frames(pool, self.smallest, wanted, lambda share: step(share * pots))

            def shot(table: Doubles, count: int, after: Callable[[int], Doubles]) -> None:
                pots = range(self.smallest, self.smallest + count)
                found = pool.map(lambda pot: self._shot(pot, after(pot)[None])[0], pots)
                for row, values in enumerate(found):
                    table[row] = values
                    step()

            for left in range(frames):
                played = 2 * DICE * (frames - 1 - left)  # chips that frames before can have cost
                if left:
                    shot(second[left], played + DICE + 1, partial(self._after, self.smallest, first[left - 1]))
                    shot(first[left], played + 1, partial(self._after, self.smallest, second[left]))
                else:  # the last frame also serves as an extra one, with whatever the pot is by then
                    shot(second[0], pots, partial(self._last, level, self.smallest))
                    shot(first[0], pots - DICE, partial(self._after, self.smallest, second[0]))
        arrays = {"first": first, "second": second, "level": level[:pots]}
        return Solved(arrays, 2 * frames * self._error(self.smallest + wanted + MORE_POTS) + within)

    def _error(self, highest: int) -> float:
        """How far a frame can take a value from the true one, with so many chips on the table at most."""
        return highest * (frame_rounding(self._turn) + self._extent.cost)

    def _after(self, lowest: int, table: Doubles, chips: int) -> Doubles:
        """Worth of every lead to who has just shot, by chips spent: the pot before, less the other's value; ``table``
        begins with the pot ``lowest``.
        """
        pots = np.minimum(chips - lowest + np.arange(self.rules.levels), len(table) - 1)
        worth: Doubles = chips - table[pots, ::-1]
        return worth

    def _last(self, level: Doubles, lowest: int, pot: int) -> Doubles:
        """The same once the last frame is over; ``level`` is the first shooter's value of an extra frame by pot."""
        spent = np.arange(self.rules.levels)[:, None]
        leads = np.arange(-self._extent.far, self._extent.far + 1)
        even = pot - level[np.minimum(pot - lowest + spent, len(level) - 1)]
        return np.where(leads > 0, pot, np.where(leads < 0, -spent, even)).astype(float)

    def _extra_frames(
        self, pool: ThreadPoolExecutor, lowest: int, wanted: int, done: Callable[[float], None]
    ) -> tuple[Doubles, float]:
        """Value of the first shooter of an extra frame for ``wanted`` pots from ``lowest`` on, and how far it can be
        off; ``done`` is told shares of the work.
        """
        highest, reach, holds = lowest + wanted + MORE_POTS, REACH, False
        while not holds:
            # The low and the high table, and beyond the highest pot what is certain: from nothing to the pot.
            bounds = np.arange(lowest, highest + 2 * self.rules.levels) * np.array([[0.0], [1.0]])
            sides = [
                self._side(level, lowest, highest, reach, up) for level, up in zip(bounds, (False, True), strict=True)
            ]
            for _ in range(lowest, highest + 1):
                holds = all(pool.map(next, sides))
                if not holds:
                    break
                done(1 / (highest + 1 - lowest))
            reach *= 2
        low, high = bounds[:, :wanted]
        return (low + high) / 2, float((high - low).max()) / 2

    def _side(self, level: Doubles, lowest: int, highest: int, reach: int, up: bool) -> Iterator[bool]:
        """Fill the low or the high table, ``level``, from the pot ``highest`` down; tells after each pot whether nobody
        who shoots first enters more than ``reach`` points, as is taken for granted.
        """
        levels, reach = self.rules.levels, min(reach, self._extent.cap)
        second = np.zeros((len(level), 2, reach + 1))  # its value and slope, by how far behind
        stops = True

        def solve_second(pot: int) -> None:
            last = self._last(level, lowest, pot)
            slope = np.zeros_like(last)
            slope[0, self._extent.far] = -1.0
            second[pot - lowest] = self._shot(pot, np.stack([last, slope]), -reach, 0)[:, ::-1]

        def answer(pot: int, guess: float) -> tuple[float, float]:
            nonlocal stops
            level[pot - lowest] = guess
            solve_second(pot)
            after = -second[pot - lowest : pot - lowest + levels].transpose(1, 0, 2)
            after[0] += pot
            after[1, 1:] = 0.0  # chips lead to another pot
            found = shoot(self._wide, after, reach, pot, inner=True)
            stops = reach == self._extent.cap or self._stops(found, after[0], pot, reach - self._turn.max_add)
            return float(found.value[0, 0]), float(found.value[1, 0])

        for pot in range(highest + levels - 1, highest, -1):
            solve_second(pot)
        for pot in range(highest, lowest - 1, -1):
            at = pot - lowest
            guess = 2 * level[at + 1] - level[at + 2] if pot + 1 < highest else 0.4 * pot
            level[at] = settle(partial(answer, pot), guess, self._error(pot + levels), up)
            yield stops

    def _stops(self, frame: TurnValue, paid: Doubles, pot: int, points: int) -> bool:
        """Whether entering so many points, which ``paid`` tells by chips spent, is worth no less than any throw that
        brings the pot where it is not dead.
        """
        rules, inner = self.rules, frame.inner
        assert inner is not None
        for live in range(1, DICE + 1):
            for spent in range(rules.most_spent(live, True) + 1):
                most, total = 0.0, 0
                for (choice,), weight in rules.throw(live, False, spent).classes:
                    if choice == rules.crapped(spent):
                        most += weight * float(paid[spent, 0])
                    elif choice.next >= 0 and not choice.keeps and choice.add == 0:
                        most += weight * float(inner[0, choice.next, 0, 0])
                    else:
                        most += weight * pot
                    total += weight
                if paid[spent, points] < most / total + ASIDE * self._error(pot + rules.levels):
                    return False
        return True

    def _beyond(self, pot: int) -> Extra:
        """The extra frames of pots around one that the tables do not hold."""
        levels = self.rules.levels
        lowest = self.smallest + (pot - self.smallest) // POTS * POTS
        if lowest not in self._far:
            wanted = POTS + 2 * levels
            error = self._error(lowest + wanted + MORE_POTS)
            with ThreadPoolExecutor(1) as pool:
                level, within = self._extra_frames(pool, lowest, wanted, lambda share: None)
            pots = range(lowest, lowest + POTS + levels)
            second = [self._shot(pot, self._last(level, lowest, pot)[None])[0] for pot in pots]
            self._far[lowest] = Extra(lowest, level, np.array(second), 2 * error + within)
        return self._far[lowest]

    def _extra(self, solved: Solved, pot: int, pots: int) -> Extra:
        """The extra frames of so many pots from one on."""
        beyond = pot - self.smallest + pots > self._pots
        return self._beyond(pot) if beyond else self._tabled(solved)

    def _tabled(self, solved: Solved) -> Extra:
        return Extra(self.smallest, solved.arrays["level"], solved.arrays["second"][0], solved.error_bound)

    def _shot(self, pot: int, after: Doubles, low: int | None = None, high: int | None = None) -> Doubles:
        """A frame shot from the leads from ``low`` to ``high``, or from all; ``after`` (channels, levels, 2 farthest
        + 1) is the worth of every lead once it is over, by chips spent.
        """
        far, cap = self._extent.far, self._extent.cap
        low, high = -far if low is None else low, far if high is None else high
        leads = np.clip(np.arange(low, high + cap + 1), -far, far) + far
        return shoot(self._wide, after[:, :, leads], cap, pot).value[:, : high - low + 1]

    def arrays(self) -> dict[str, Array]:
        """By frames left, pot and lead: what a player still wins of the pot, which both can only add to."""
        pot = self.smallest + np.arange(self._pots)
        frames = Array((self.rules.frames, self._pots, 2 * self._extent.far + 1), 0, pot[:, None])
        return {"first": frames, "second": frames, "level": Array((self._pots,), 0, pot)}

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
            after = self._after(self.smallest, table, frame.pot)
        elif frame.seat:
            after = self._last(extra.level, extra.lowest, frame.pot)
        else:
            after = self._after(extra.lowest, extra.second, frame.pot)
        cap = self._extent.cap + steps(held)
        leads = np.clip(frame.lead + np.arange(cap + 1), -far, far) + far
        return Solving(self._turn_to(cap), Lane(after[:, leads], float(frame.pot)), extra.bound)
