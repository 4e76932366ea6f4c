"""Matches of frames of two players, for the win or for chips: of constant sum, once the pot is part of a position.

A frame is a turn. What a player still wins less what it still pays, G, and the other's together are the pot on the
table: 1 for the win, which nobody adds to; for chips a double-down costs one, which swells the pot that the winner
takes. With j chips spent in a frame, which lie in the pot P by then, and the shooter ahead by d (behind: below 0),

    P[enter t, j] = P - G'(-(d + t), P + j),

G' the other's value afterwards: that of its frame, or, once the last frame is over, P + j if it is ahead and 0 if it
is behind; with the totals level an extra frame follows. Big Scarney pays P. Chips spent are part of the turn's modes.
Frames only pass, so they are solved from the last to the first, each for all leads as one batch of lanes.

Extra frames are the last frame once more, from level totals on: each pot is an unknown of its own, a fixed point
(``shooting``). They never shrink the pot, so they are solved from a highest pot H down, those of pots that no game
reaches before its first extra frame only when they are asked about (``chips``). Beyond H nothing is known but 0 <= G
<= P, since who never doubles down pays nothing: both are carried down, a low and a high table, side by side. At each
pot low is taken where f(low) >= low and high where f(high) <= high, errors counted against them, so the true value
lies between; the value is the middle, and half the widest gap enters the error bound. For the win H is the one pot
there is.

Of an extra frame the second shooter is solved for leads from -r to 0 only, and the first one's table ends at r
points. For whoever holds r - a of them, a the most that a throw adds, enters them if they pay no less than a throw
would with the pot for every live one; more points pay no less, and so are entered too (``_stops``).

Frames are cut and leads tabled as in frame.py; here that costs up to the pot times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np

from ...games.scarney import DICE, ScarneyRules
from ...turns.push_turn import Doubles, PushTurn, TurnValue, pad
from ...util.threads import ThreadPool
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Progress, ValueTable
from .frame_solver import ASIDE, settle, shoot
from .problem import Extent, Frame, FrameMatch, Solving, extent, frame_rounding, lane, steps

FRAME_SECONDS = 0.06  # for every lead of one pot in one frame
REACH = 128  # points that the first shooter of an extra frame is taken to enter at most; more where that does not hold


@lru_cache(maxsize=8)
def compiled(rules: ScarneyRules, block: int) -> PushTurn:
    """The frame, compiled for tables of so many points."""
    return rules.frame(block) if rules.chips else rules.turn


@dataclass(frozen=True)
class Extra:
    """Extra frames by pot from ``lowest`` on: ``level`` (pots,), the first shooter's value, ``second`` (pots, leads),
    the second's, and the bound of what is read from them.
    """

    lowest: int
    level: Doubles
    second: Doubles
    bound: float


class Two(FrameMatch):
    """What a player still wins of the pot less what it still pays.

    ``smallest``: the pot at first; ``paid``: the chips that a frame can cost at most; ``more``: pots beyond the highest
    one wanted of which extra frames are solved.
    """

    player_range = (2, 2)
    smallest, paid, more = 1, 0, 0

    @cached_property
    def extent(self) -> Extent:
        """How far tables go, which only points decide."""
        return extent((replace(self.rules, chips=False) if self.rules.chips else self.rules).turn, self.rules.frames)

    @cached_property
    def _turn(self) -> PushTurn:
        return self._turn_to(self.extent.cap)

    def _turn_to(self, cap: int) -> PushTurn:
        """The frame with tables that end at ``cap`` points."""
        return compiled(self.rules, cap + 1)

    @cached_property
    def _wide(self) -> PushTurn:
        """The frame with room for tables that slide along every lead."""
        return compiled(self.rules, self.extent.cap + 1 + pad(2 * self.extent.far + 1))

    @property
    def pots(self) -> int:
        """Pots that a game without extra frames can bring, from ``smallest`` on."""
        return 2 * self.paid * self.rules.frames + 1

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the pots, and the frames in which each can be."""
        extra, frames = self.pots + self.more, self.rules.frames
        solved = extra / 4 + 2 * frames * (1 + self.paid * (frames + 2))
        return SolveCost(2 * self.table_bytes, FRAME_SECONDS * solved / threads)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every pot and lead: ``first`` and ``second`` (frames, pots, 2 farthest + 1; for the win frames, 2
        farthest + 1), what the shooter to move still wins, by frames left after this one, chips in the pot beyond the
        antes, and lead from -farthest to farthest; ``level`` (pots,), the same of the first shooter of an extra frame.
        """
        frames, pots = self.rules.frames, self.pots
        first, second = np.zeros((2, frames, pots, 2 * self.extent.far + 1))
        steps, done = pots + pots * frames, 0.0

        def step(more: float = 1.0) -> None:
            nonlocal done
            done += more
            progress(min(1.0, done / steps))

        with ThreadPool(threads) as pool:
            wanted = pots + self.rules.levels - 1
            level, within = self._extra_frames(pool, self.smallest, wanted, lambda share: step(share * pots))

            def shot(table: Doubles, count: int, after: Callable[[int], Doubles]) -> None:
                one = partial(self._shot, pool=pool, threads=threads) if pots == 1 else self._shot
                chosen = range(self.smallest, self.smallest + count)
                found = (map if pots == 1 else pool.map)(lambda pot: one(pot, after(pot)[None])[0], chosen)
                for row, values in enumerate(found):
                    table[row] = values
                    step()

            for left in range(frames):
                played = 2 * self.paid * (frames - 1 - left)  # chips that frames before can have cost
                if left:
                    after = partial(self.after, self.smallest, first[left - 1])
                    shot(second[left], played + self.paid + 1, after)
                    shot(first[left], played + 1, partial(self.after, self.smallest, second[left]))
                else:  # the last frame also serves as an extra one, with whatever the pot is by then
                    shot(second[0], pots, partial(self.last, level, self.smallest))
                    shot(first[0], pots - self.paid, partial(self.after, self.smallest, second[0]))
        found = {"first": first, "second": second, "level": level[:pots]}
        arrays = {name: found[name].reshape(one.shape) for name, one in self.array_specs().items()}
        return ValueTable(arrays, 2 * frames * self.error(self._highest(self.smallest, wanted)) + within)

    def error(self, pot: int) -> float:
        """How far a frame can take a value from the true one, with such a pot before it."""
        return (pot + self.rules.levels - 1) * (frame_rounding(self._turn) + self.extent.cost)

    def after(self, lowest: int, table: Doubles, pot: int) -> Doubles:
        """Worth of every lead to who has just shot, by chips spent: the pot before, less the other's value; ``table``
        begins with the pot ``lowest``.
        """
        pots = np.minimum(pot - lowest + np.arange(self.rules.levels), len(table) - 1)
        worth: Doubles = pot - table[pots, ::-1]
        return worth

    def last(self, level: Doubles, lowest: int, pot: int) -> Doubles:
        """The same once the last frame is over; ``level`` is the first shooter's value of an extra frame by pot."""
        spent = np.arange(self.rules.levels)[:, None]
        leads = np.arange(-self.extent.far, self.extent.far + 1)
        even = pot - level[np.minimum(pot - lowest + spent, len(level) - 1)]
        return np.where(leads > 0, pot, np.where(leads < 0, -spent, even)).astype(float)

    # --- extra frames

    def _highest(self, lowest: int, wanted: int) -> int:
        """The highest pot of which extra frames are solved, where so many from the lowest on are wanted."""
        return lowest + wanted + self.more - 1

    def _extra_frames(
        self, pool: ThreadPool, lowest: int, wanted: int, done: Callable[[float], None]
    ) -> tuple[Doubles, float]:
        """Value of the first shooter of an extra frame for ``wanted`` pots from ``lowest`` on, and how far it can be
        off; ``done`` is told shares of the work.
        """
        highest, reach, holds = self._highest(lowest, wanted), REACH, False
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
        levels, reach = self.rules.levels, min(reach, self.extent.cap)
        second = np.zeros((len(level), 2, reach + 1))  # its value and slope, by how far behind
        stops = True

        def solve_second(pot: int) -> None:
            last = self.last(level, lowest, pot)
            slope = np.zeros_like(last)
            slope[0, self.extent.far] = -1.0
            second[pot - lowest] = self._shot(pot, np.stack([last, slope]), -reach, 0)[:, ::-1]

        def answer(pot: int, guess: float) -> tuple[float, float]:
            nonlocal stops
            level[pot - lowest] = guess
            solve_second(pot)
            after = -second[pot - lowest : pot - lowest + levels].transpose(1, 0, 2)
            after[0] += pot
            after[1, 1:] = 0.0  # chips lead to another pot
            found = shoot(self._wide, after, reach, pot, inner=True)
            stops = reach == self.extent.cap or self._stops(found, after[0], pot, reach - self._turn.max_add)
            return float(found.value[0, 0]), float(found.value[1, 0])

        for pot in range(highest + levels - 1, highest, -1):
            solve_second(pot)
        for pot in range(highest, lowest - 1, -1):
            at = pot - lowest
            guess = 2 * level[at + 1] - level[at + 2] if pot + 1 < highest else 0.4 * pot
            level[at] = settle(partial(answer, pot), guess, self.error(pot), up)
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
                    elif choice.next_mode >= 0 and not choice.keeps_points and choice.added_points == 0:
                        most += weight * float(inner[0, choice.next_mode, 0, 0])
                    else:
                        most += weight * pot
                    total += weight
                if paid[spent, points] < most / total + ASIDE * self.error(pot):
                    return False
        return True

    def extra(self, solved: ValueTable, pot: int, pots: int) -> Extra:
        """The extra frames of so many pots from one on."""
        return Extra(self.smallest, solved.arrays["level"], self.tables(solved)[1][0], solved.error_bound)

    def _shot(
        self,
        pot: int,
        after: Doubles,
        low: int | None = None,
        high: int | None = None,
        pool: ThreadPool | None = None,
        threads: int = 1,
    ) -> Doubles:
        """A frame shot from the leads from ``low`` to ``high``, or from all; ``after`` (channels, levels, 2 farthest
        + 1) is the worth of every lead once it is over, by chips spent.
        """
        far, cap = self.extent.far, self.extent.cap
        low, high = -far if low is None else low, far if high is None else high
        leads = np.clip(np.arange(low, high + cap + 1), -far, far) + far
        found = shoot(self._wide, after[:, :, leads], cap, pot, pool=pool, threads=threads)
        return found.value[:, : high - low + 1]

    # --- answers

    def array_specs(self) -> dict[str, ArraySpec]:
        """By frames left, pot and lead: what a player still wins of the pot, which both can only add to."""
        pot, leads = self.smallest + np.arange(self.pots), 2 * self.extent.far + 1
        shape = (self.rules.frames, self.pots, leads) if self.paid else (self.rules.frames, leads)
        frames = ArraySpec(shape, 0, pot[:, None])
        return {"first": frames, "second": frames, "level": ArraySpec((self.pots,), 0, pot)}

    def tables(self, solved: ValueTable) -> tuple[Doubles, Doubles]:
        """The frames of both shooters: (frames, pots, leads)."""
        shape = self.rules.frames, self.pots, -1
        return solved.arrays["first"].reshape(shape), solved.arrays["second"].reshape(shape)

    def begun(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """What the shooter still wins, by seat, frames left, pot and lead."""
        far, values, bounds = self.extent.far, np.empty(len(frames)), np.full(len(frames), solved.error_bound)
        tables = self.tables(solved)
        for number, frame in enumerate(frames):
            lead, pot = min(max(frame.lead, -far), far) + far, max(frame.pot, self.smallest)
            if frame.playoff:
                extra = self.extra(solved, pot, 1)
                chips, bounds[number] = pot - extra.lowest, extra.bound
                values[number] = extra.second[chips, lead] if frame.seat else extra.level[chips]
            else:
                values[number] = tables[frame.seat][self.rules.frames - frame.number, pot - self.smallest, lead]
        return values, bounds

    def solving(self, solved: ValueTable, frame: Frame, held: int = 0) -> Solving:
        """The frame against what follows it, by chips spent in it."""
        left, far, pot = self.rules.frames - frame.number, self.extent.far, max(frame.pot, self.smallest)
        extra = self.extra(solved, pot if frame.playoff else self.smallest, self.rules.levels)
        if left:
            first, second = self.tables(solved)
            after = self.after(self.smallest, first[left - 1] if frame.seat else second[left], pot)
        elif frame.seat:
            after = self.last(extra.level, extra.lowest, pot)
        else:
            after = self.after(extra.lowest, extra.second, pot)
        cap = self.extent.cap + steps(held)
        leads = np.clip(frame.lead + np.arange(cap + 1), -far, far) + far
        return Solving(lane(self._turn_to(cap), after[None, :, leads], float(pot)), extra.bound)
