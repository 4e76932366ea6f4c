"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes.

What a player still wins less what it still pays, G, and the opponent's together are the pot on the table: constant-sum
once the pot P is part of the position. With j chips spent in a frame, which lie in the pot by then,

    P[enter t, j] = P - G'(-(d + t), P + j),

G' the opponent's value afterwards: that of its frame, or, once the last frame is over, P + j if it is ahead and 0 if it
is behind; with the totals level an extra frame follows. Big Scarney pays P. The frame is the same turn as for the win,
with the chips spent as part of its modes.

Extra frames never shrink the pot, so they are solved from a highest pot H down; each pot is a cycle of one unknown
x = f(x), contracting and monotone as in frames.py. Beyond H nothing is known but 0 <= G <= P, since who never doubles
down pays nothing: both are carried down, a low and a high table. At each pot low is taken where
f(low) >= low and high where f(high) <= high, errors counted against them, so the true value lies between; the value is
the middle, and half the widest gap enters the error bound.

Leads are tabled as far as the frames left can make up for them: let C_k(m) be the greatest chance to make m points in k
frames. A lead beyond the first m with C_k(m) <= CUT stands as that one, which costs at most P CUT a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..advice import Advice, PositionValue, rank
from ..errors import InputError, SolveError
from ..games import Game
from ..games.scarney import DICE, ScarneyPosition, ScarneyRules, read_frame, read_match, read_pot
from ..turns.push import Doubles, PushTurn, pad
from . import Solved, no_parameters
from .frames import Lane, frame_cap, frame_rounding, legal_choices, note

CUT = 2.0**-44
MOST_ROUNDS = 100
EXTRA_FRAMES = 6  # tie frames that may all be doubled through before the pot passes the highest that is tabled


class Chips:
    """Expected chips won from the pot less chips still to be paid in, two players."""

    objective = "chips"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        if players not in (None, 2):
            raise InputError(f"Scarney is solved for two players: players must be 2, not {players}")
        if not game.data.chips:
            raise InputError("the objective chips needs the rule double=chips: there a double-down costs a chip")
        self.game = game
        self.players = 2
        self.parameters: dict[str, int] = {}
        self.rules: ScarneyRules = game.data
        self.smallest = 2 * self.rules.ante

    @cached_property
    def _plain(self) -> PushTurn:
        """The frame without chips, for what only points decide."""
        return replace(self.rules, chips=False).turn

    @cached_property
    def _cap(self) -> tuple[int, float]:
        return frame_cap(self._plain, CUT)

    @cached_property
    def _turn(self) -> PushTurn:
        return self.rules.frame(self._cap[0] + 1)

    @cached_property
    def _farthest(self) -> int:
        """The first lead that all frames of a game make up for with a chance of no more than CUT."""
        turn, cap = self._plain, self._cap[0]
        size = 4 * cap
        made = np.where(np.arange(-cap, size) <= 0, 1.0, 0.0)  # C_0 by points still to make, from -cap
        payoff = np.zeros((1, turn.specials + cap + 1, pad(size)))
        caps = np.zeros(pad(size), dtype=np.int32)
        caps[:size] = cap
        for _ in range(self.rules.frames):
            payoff[0, turn.specials :, :size] = np.lib.stride_tricks.sliding_window_view(made, size)[::-1]
            payoff[0, 0] = payoff[0, turn.specials]
            made[cap:] = turn.solve(payoff, caps).value[0, :size]
        far = np.flatnonzero(made[cap:] <= CUT)
        return int(far[0]) if len(far) else size

    @property
    def _pots(self) -> int:
        """Pots that a game without extra frames can bring, from ``smallest`` on."""
        return 2 * DICE * self.rules.frames + 1

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pot and lead: ``first`` and ``second`` (frames, pots, 2 farthest + 1), the chips of the shooter
        to move by frames left after this one, chips in the pot beyond the antes, and lead from -farthest to farthest;
        ``level`` (pots,), those of the first shooter of an extra frame.
        """
        cap, held = self._cap
        frames, far, pots = self.rules.frames, self._farthest, self._pots
        first, second = np.zeros((2, frames, pots, 2 * far + 1))
        highest = self.smallest + pots + 2 * DICE * EXTRA_FRAMES
        error = highest * (frame_rounding(self._turn) + held + CUT)
        steps, done = pots + 2 * DICE * EXTRA_FRAMES + pots * frames, 0

        def step() -> None:
            nonlocal done
            done += 1
            progress(min(1.0, done / steps))

        with ThreadPoolExecutor(threads) as pool:
            level, within = self._extra_frames(pool, threads, highest, error, step)
            for left in range(frames):
                played = frames - 1 - left
                reach = (max(-(played + 1) * cap, -far), min(played * cap, far))
                # The last frame also serves as an extra one, with whatever the pot is by then.
                for pot in range(2 * DICE * played + DICE + 1 if left else pots):
                    last = self._last(pot + self.smallest, level[pot:])
                    after = self._after(pot, first[left - 1]) if left else last
                    second[left, pot] = self._solve_leads(pool, threads, pot + self.smallest, after, *reach)
                    step()
                reach = (max(-played * cap, -far), min(played * cap, far))
                for pot in range(2 * DICE * played + 1 if left else pots - DICE):
                    after = self._after(pot, second[left])
                    first[left, pot] = self._solve_leads(pool, threads, pot + self.smallest, after, *reach)
                    step()
        arrays = {"first": first, "second": second, "level": level[:pots]}
        return Solved(arrays, 2 * frames * error + within)

    def _after(self, pot: int, table: Doubles) -> Doubles:
        """Worth of every lead to who has just shot, by chips spent: the pot before, less the opponent's value."""
        pots = np.minimum(pot + np.arange(self.rules.levels), len(table) - 1)
        worth: Doubles = pot + self.smallest - table[pots, ::-1]
        return worth

    def _last(self, pot: int, level: Doubles) -> Doubles:
        """The same once the last frame is over; ``level[j]`` is the first shooter's value of an extra frame."""
        spent = np.arange(self.rules.levels)[:, None]
        leads = np.arange(-self._farthest, self._farthest + 1)
        even = pot - level[: self.rules.levels, None]
        return np.where(leads > 0, pot, np.where(leads < 0, -spent, even)).astype(float)

    def _extra_frames(
        self, pool: ThreadPoolExecutor, threads: int, highest: int, error: float, step: Callable[[], None]
    ) -> tuple[Doubles, float]:
        """Value of the first shooter of an extra frame by pot from ``smallest`` on, and how far it can be off."""
        levels, far, cap = self.rules.levels, self._farthest, self._cap[0]
        size = highest - self.smallest + 1
        # The low and the high table, and beyond the highest pot what is certain: from nothing to the pot.
        bounds = np.zeros((2, size + 3 * levels))
        bounds[1] = self.smallest + np.arange(bounds.shape[1])
        seconds = np.zeros((2, size + levels, 2 * far + 1))
        for pot in range(size + levels - 1, -1, -1):
            chips = pot + self.smallest
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
        pots = self._pots + levels
        return bounds[:, :pots].mean(axis=0), float((bounds[1] - bounds[0])[:pots].max()) / 2

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
        cap, far, turn = self._cap[0], self._farthest, self._turn
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
        shape = (self.rules.frames, self._pots, 2 * self._farthest + 1)
        return {"first": shape, "second": shape, "level": (self._pots,)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        frame: object = 1,
        seat: object = 0,
        score: object = 0,
        opponents: Any = (0,),
        pot: object = None,
        turn: object = 0,
        live: object = None,
        roll: object = None,
        double: bool = False,
        opposite: bool = False,
    ) -> ScarneyPosition:
        """Check a position as for the win, and the chips now in the pot (default: the antes)."""
        number, shooter, mine, theirs = read_match(self.rules, frame, seat, score, opponents)
        inside = read_frame(self.rules, turn, live, roll, double, opposite)
        position = ScarneyPosition(number, shooter, mine, theirs, *inside)
        return replace(position, pot=read_pot(self.rules, pot, position))

    def show(self, position: ScarneyPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json()

    def value(self, solved: Solved, position: ScarneyPosition) -> PositionValue:
        """Chips of the shooter and of the opponent: together the pot."""
        if position.frame_begins:
            tables = (solved.arrays["first"], solved.arrays["second"])
            far = self._farthest
            lead = int(np.clip(position.score - position.opponent, -far, far)) + far
            row = tables[position.seat][self.rules.frames - position.frame, position.pot - self.smallest]
            chips = float(row[lead])
        else:
            chips = max(choice.value for choice in self._choices(solved, position))
        return PositionValue(chips, (chips, position.pot - chips))

    def advise(self, solved: Solved, position: ScarneyPosition) -> Advice:
        """Rank every legal choice by expected chips; a double-down's chip is in its value."""
        return Advice(self.objective, rank(self._choices(solved, position), solved.error_bound), note(position))

    def _choices(self, solved: Solved, position: ScarneyPosition) -> list[Any]:
        left, far, levels = self.rules.frames - position.frame, self._farthest, self.rules.levels
        pot = position.pot - self.smallest
        if position.seat == 0:
            after = self._after(pot, solved.arrays["second"][left])
        elif left:
            after = self._after(pot, solved.arrays["first"][left - 1])
        else:
            level = solved.arrays["level"][np.minimum(pot + np.arange(levels), self._pots - 1)]
            after = self._last(position.pot, level)
        cap = self._cap[0]
        leads = np.clip(position.score - position.opponent + np.arange(cap + 1), -far, far) + far
        lane = Lane(after[:, leads], float(position.pot))
        return legal_choices(self.rules, self._turn, lane, lane.solve(self._turn), position)
