"""The turn in whole numbers, rounded down or up as every lane asks: what a proof is computed with.

Amounts are whole numbers of one unit, 2 ** -bits, in 64 bits. Sums of them are exact, and so are maxima; only the
division of a throw by the sum of its weights rounds, downward, or upward where a lane asks for it. So what comes out is
not above the true value of the turn, or not below it, and nothing has to be known about rounding. A number is weighed
in two parts, of 31 bits and the rest, for which there is room while the weights add up to less than 2 ** 31; beyond
that Python's own whole numbers weigh it, slowly.

    V[m, t] = max( P[bank_m + t],  max over throws  floor or ceil ( sum_c w_c max_{j in c} V[next_j, ..] / W ) )

as in ``turns.push``, whose compiled modes are read here and whose arithmetic is not. From the cap on whoever may stop
has to: that is said of the turn by its caps, and is exact where nothing is worth more than to stop with so many points.
Modes that cannot stop go on there among themselves, from the least, or the most, that can be paid. Where points pay
themselves, they go on as far ``past`` the cap as the table is told to, and end there with the least or the most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..turns.push import Choice, PushTurn

Ints = NDArray[np.int64]
Classes = tuple[tuple[tuple[Choice, ...], int], ...]

PART = 31  # bits of the lower part of a number, and of the sum of weights
FEW = 64  # lanes for which one step of all choices is quicker than a step for each
NEVER = -(2**62)  # what may not be chosen


@dataclass(frozen=True)
class _Throw:
    """A throw: where the choices of its classes lead, (choices, classes), with how many points more; the first choice
    once again where a class has fewer. Classes with most choices come first, ``many[k]`` of them have more than k.
    """

    lead: Ints
    add: Ints
    keeps: Ints
    many: tuple[int, ...]
    weight: Ints
    total: int

    @classmethod
    def of(cls, classes: Classes, modes: int) -> _Throw:
        """The throw of these classes in a turn of so many modes; special endings stand behind these."""
        ordered = sorted(classes, key=lambda one: -len(one[0]))
        total, most = sum(weight for _, weight in classes), len(ordered[0][0])
        padded = np.array([[*offered, *[offered[0]] * (most - len(offered))] for offered, _ in ordered])
        lead, add, keeps = padded.transpose(2, 1, 0)
        ends = lead < 0
        return cls(
            np.where(ends, modes - 1 - lead, lead),
            np.where(ends, 0, add),
            np.where(ends, 0, keeps),
            tuple(sum(len(offered) > choice for offered, _ in ordered) for choice in range(most)),
            np.array([weight for _, weight in ordered], dtype=object if total >> PART else np.int64)[:, None],
            total,
        )

    def best(self, table: Ints, points: int) -> Ints:
        """The best choice of every class with so many points in hand, (classes, lanes), by the worth of modes."""
        rows = np.clip(self.add + points * self.keeps, 0, table.shape[1] - 1)
        if table.shape[2] < FEW:
            return np.asarray(table[self.lead, rows].max(axis=0))
        found: Ints = table[self.lead[0], rows[0]]
        for choice, many in enumerate(self.many[1:], 1):
            np.maximum(found[:many], table[self.lead[choice, :many], rows[choice, :many]], out=found[:many])
        return found

    def mean(self, worth: Ints, up: Ints) -> Ints:
        """The mean of what classes are worth, (classes, lanes), rounded."""
        if self.total >> PART:
            exact = (self.weight * worth).sum(axis=0) + up.astype(object) * (self.total - 1)
            found: Ints = (exact // self.total).astype(np.int64)
            return found
        high = (self.weight * (worth >> PART)).sum(axis=0)
        low = (self.weight * (worth & 2**PART - 1)).sum(axis=0)
        whole, rest = np.divmod(high, self.total)
        return np.asarray((whole << PART) + ((rest << PART) + low + up * (self.total - 1)) // self.total)


class WholeTurn:
    """A compiled turn over whole numbers."""

    def __init__(self, turn: PushTurn) -> None:
        self.turn = turn
        self.throws = [[_Throw.of(throw.classes, len(turn.modes)) for throw in mode.throws] for mode in turn.modes]

    @cached_property
    def passes(self) -> int:
        """Throws in a row beyond the cap, of modes that cannot stop: none where points may be lost again."""
        return self.turn.forced_passes if self.turn.keeps else 0

    def value(
        self, payoff: Ints, caps: Ints, up: Ints, least: int, most: int, past: int = 0, more: Sequence[int | Ints] = ()
    ) -> Ints:
        """What the turn is worth, by lane: at most that, or where ``up`` is 1 at least. See ``table``."""
        found: Ints = self.table(payoff, caps, up, least, most, past, more)[self.turn.start, 0]
        return found

    def table(
        self, payoff: Ints, caps: Ints, up: Ints, least: int, most: int, past: int = 0, more: Sequence[int | Ints] = ()
    ) -> Ints:
        """What the turn is worth by mode and points in hand: (modes, points, lanes).

        Args:
            payoff: (endings, lanes), NEVER for what may not be.
            caps: (lanes,) with that many points whoever may stop does.
            up: (lanes,) 1 to round upward, 0 downward.
            least, most: nothing is worth less, or more, before the table ends and a throw further.
            past: how far beyond the caps the table goes on; banks are paid for one throw further.
            more: by mode, what going on can bring, beyond what is paid, whoever has to stop; or by lane of each.
        """
        turn, lanes, ends = self.turn, np.arange(payoff.shape[1]), caps + past
        top, modes = int(ends.max()) + (turn.max_add if past else 0), len(turn.modes)
        table = np.full((modes + turn.specials, top + 1, len(lanes)), NEVER)
        table[modes:, 0] = payoff[: turn.specials]
        bust, open_end = payoff[0], np.where(up, most, least)
        for group in turn.groups:
            if not turn.forbid:
                for number in group:
                    bank, gains = turn.modes[number].bank, more[number] * up if more else 0
                    end = np.full(len(lanes), top) if past else ends
                    table[number, top] = open_end if bank is None else payoff[turn.specials + bank + end, lanes] + gains
                if not past:
                    self._beyond(table, group, top, up, bust)
            over = table[:, top].copy()
            for points in range(top - 1, -1, -1):
                for number in group:
                    mode = turn.modes[number]
                    if points > mode.most:
                        continue
                    best = self._thrown(table, number, points, up, bust)
                    if mode.bank is not None and points >= mode.bank_from:
                        paid = payoff[turn.specials + mode.bank + points]
                        gains = more[number] * up if more else 0
                        best = np.where(points < caps, np.maximum(best, paid), paid + gains)
                    inside = points < ends if mode.bank is None or not past else True
                    table[number, points] = np.where(inside, best, over[number])
        return table

    def _beyond(self, table: Ints, group: tuple[int, ...], top: int, up: Ints, bust: Ints) -> None:
        """Modes of a group that cannot stop go on beyond the cap: every pass comes closer."""
        forced = [number for number in group if self.turn.modes[number].bank is None]
        for _ in range(self.passes if forced else 0):
            before = table[forced, top]
            for number in forced:
                table[number, top] = self._thrown(table, number, top, up, bust)
            if (table[forced, top] == before).all():
                return

    def _thrown(self, table: Ints, number: int, points: int, up: Ints, bust: Ints) -> Ints:
        """The best throw of a mode with so many points in hand."""
        best = np.full(len(up), NEVER)
        for throw in self.throws[number]:
            worth = throw.best(table, points)
            if self.turn.forbid:  # every choice would pass the cap
                worth = np.where(worth == NEVER, bust, worth)
            np.maximum(best, throw.mean(worth, up), out=best)
        return best
