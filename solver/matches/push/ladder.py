"""The ladder of scores a player climbs by banking: which scores can occur, which banks count, what wins.

Everything here is in units of the rules' grain (5000: 50 points), which keeps arrays dense.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...games.pushluck import PushRules, sums_of_banks, with_sums
from ...turns.push import EXACT_WEIGHT, PushTurn, Throw

Scores = NDArray[np.int64]
LISTED = 20_000  # up to so many, scores are listed to say what a solve takes; beyond, all are taken to occur
LEAP = 4096  # passes after which an error that creeps is raised


class Ladder:
    """Scores of one player under the given rules."""

    def __init__(self, rules: PushRules) -> None:
        self.rules = rules
        self.target = -(-rules.target // rules.grain)
        self.exact = rules.finish == "exact"
        least = max(self.least(0), self.least(1))
        if not rules.minimum_on_win:
            least = min(least, self.target)
        turn = rules.turn
        banks = [
            held for held, mode in zip(turn.reachable(least + turn.max_add), turn.modes, strict=True) if mode.bank == 0
        ]
        if not any(held >> least for held in banks):
            raise InputError(
                f"no turn can bank {least * rules.grain} points under these rules, so nobody could ever win"
            )

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts from this score, the winning one aside."""
        rules = self.rules
        points = rules.minimum if score else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    @cached_property
    def counting_from(self) -> Scores:
        """By score, the fewest points whose bank counts: other stops score nothing. Shape (target,)."""
        least = np.full(self.target, self.least(1))
        least[0] = self.least(0)
        if not self.rules.minimum_on_win:
            least = np.minimum(least, self.target - np.arange(self.target))
        return least

    def counts(self, score: int, points: int) -> bool:
        """Whether banking so many points changes the score."""
        return bool(points >= self.counting_from[score])

    @cached_property
    def caps(self) -> NDArray[np.int32]:
        """By score, where the turn's table ends: the fewest points that win or, with an exact finish, one more than may
        be held. Shape (target,).
        """
        need = self.target - np.arange(self.target)
        return (need + 1 if self.exact else np.maximum(need, self.counting_from)).astype(np.int32)

    @cached_property
    def _held(self) -> list[int]:
        """By mode, the points up to the target that can be in hand there, as bits."""
        return self.rules.turn.reachable(self.target)

    @cached_property
    def _banks(self) -> int:
        """The points that a turn can bank without passing the target, as bits."""
        banks = 0
        for points, mode in zip(self._held, self.rules.turn.modes, strict=True):
            banks |= points if mode.bank is not None else 0
        return banks & ~1

    @cached_property
    def scores(self) -> Scores:
        """Every score below the target that a player can hold, ascending from 0."""
        return np.flatnonzero(_bits(sums_of_banks(self._banks, self.least(0), self.least(1), self.target), self.target))

    @cached_property
    def dead(self) -> list[int]:
        """Scores that a player can hold and from which no turns lead to the target; only an exact finish has any."""
        if not self.exact:
            return []
        target, wins, wipes = self.target, self._fewest("win"), self._fewest("wipe")
        # Points still needed, as bits: none, as many as a turn can end with, or more banks above these.
        ends = 1 | self._banks | (1 << target + 1) - 1 >> wins << wins
        finishing = _bits(with_sums(ends, self._banks, self.least(1), target + 1), target + 1)[::-1].astype(bool)
        first = _bits(self._banks, target + 1).astype(bool)
        first[: self.least(0)] = False
        finishing[0] = (first & finishing).any() or wins <= target
        if finishing[0]:
            finishing[: max(0, target - wipes + 1)] = True
        return [score for score in self.scores.tolist() if not finishing[score]]

    def _fewest(self, effect: str) -> int:
        """Fewest points in hand with which a throw of that effect can fall."""
        held = [self._held[self.rules.mode(sum(throw))] for throw, what, _ in self.rules.specials if what == effect]
        return min(((bits & -bits).bit_length() - 1 for bits in held if bits), default=self.target + 1)

    def refuse_dead(self, because: str) -> None:
        """Raise an InputError that names a dead score and says what follows, if there is one."""
        if self.dead:
            grain = self.rules.grain
            raise InputError(
                f"from a score of {self.dead[0] * grain} nobody can ever hold exactly {self.target * grain} under these"
                f" rules, and {because}; finish=at_least has no such scores"
            )


def _bits(mask: int, size: int) -> NDArray[np.uint8]:
    """The lowest bits of a number, the lowest first."""
    packed = np.frombuffer((mask & (1 << size) - 1).to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little")


def turn_rounding(turn: PushTurn, cap: int) -> float:
    """Bound of the rounding error of one turn's value, for payoffs between 0 and 1.

    A throw with n classes adds at most (n + 2) rounding errors of its value, and two more where its weights and their
    sum are rounded too; errors further on are averaged with the chances of the throws that lead there. So the error
    from a mode on is at most E of that mode, with

        E = max over its throws of  (n + 2) u + sum_c w_c / W  max over the modes that class c may lead to of E.

    Repeated k times from 0 that covers turns of k throws: as many as there are points up to the cap, and the passes
    beyond it where nobody may stop, which leave out less than 2**-59. Nearly always E all but stands still long before:
    where no mode's moves by more than 1/128 of a throw's own error, 1.01 E is above what the right side makes of it,
    and so bounds turns of any length. Where throws hardly ever bust E creeps: it is then raised to where its steps,
    shrinking as they do, would take it, and goes on from there; more is still a bound.
    """
    throws = [[_leads(throw) for throw in mode.throws] for mode in turn.modes]
    errors = [0.0] * len(turn.modes)
    least = min(own for of_mode in throws for own, _ in of_mode)
    step, passes = 0.0, cap + turn.forced_passes
    for done in range(1, passes + 1):
        before = errors
        errors = [
            max((own + sum(c * max(before[m] for m in to) for to, c in leads) for own, leads in of_mode), default=0.0)
            for of_mode in throws
        ]
        step, last = max(now - then for now, then in zip(errors, before, strict=True)), step
        if step <= least / 128:
            break
        if not done % LEAP and step < (last - step) * (passes - done):
            errors = [error + step * step / (last - step) for error in errors]
    return 1.01 * max(errors) + 2.0**-59


def _leads(throw: Throw) -> tuple[float, list[tuple[list[int], float]]]:
    """A throw's own rounding, and the sets of modes that its classes may lead to with their chances."""
    total = sum(weight for _, weight in throw.classes)
    chances: dict[frozenset[int], float] = {}
    for offered, weight in throw.classes:
        to = frozenset(choice.next for choice in offered if choice.next >= 0)
        if to:
            chances[to] = chances.get(to, 0.0) + weight / total
    rounded = 2 if total < EXACT_WEIGHT else 4
    return (len(throw.classes) + rounded) * 2.0**-53, [(sorted(to), chance) for to, chance in chances.items()]
