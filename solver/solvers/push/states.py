"""The states of one player: a score, and the number of busts in a row.

Scores run from the lowest that busts can lead to, up to the goal. All points in this package are in units of the rules'
grain (5000: 50 points), so that arrays are dense. A turn leads from one state to another:

    a bank                    a higher score, no busts in a row
    a bust                    the same or a lower score, perhaps one more bust in a row
    a roll that wipes         score 0
    a stop that is too small  the same score, no busts in a row

Start reading at ``States.after``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import WIN, WIPE, PushRules, sums_of_banks
from ...turns.push_turn import Caps, TurnChoice
from ...util.errors import InputError
from ..model import Ints

LISTED = 20_000  # targets above this are estimated as if every score could occur, without listing scores
# Instead of a state: an ending that is not allowed, and a total at the goal. WON - k is a total of the goal + k.
NEVER, WON = -1, -2


class States:
    """The states of a player on the way to a goal, numbered by score and then by busts in a row.

    Args:
        rules: the rules of the turn and of the race.
        goal: the goal in points; by default the target of the rules.
        falls: if False, busts and rolls that wipe the score cost nothing.

    Attributes:
        target, goal: in units.
        low: the lowest score that busts can lead to, in units.
        exact: whether the target must be reached exactly.
        falls: whether a score can fall.
        kinds: the numbers of busts in a row that are told apart.
    """

    def __init__(self, rules: PushRules, goal: int | None = None, falls: bool = True) -> None:
        self.rules, self.turn = rules, rules.turn
        self.target, self.low = -(-rules.target // rules.grain), rules.floor // rules.grain
        self.goal = self.target if goal is None else -(-goal // rules.grain)
        self.exact, self.falls = rules.finish == "exact", falls and (bool(rules.costs) or rules.does("wipe"))
        self.kinds = max(1, len(rules.costs)) if falls else 1

    def least(self, score: int) -> int:
        """Return the fewest points of a bank that counts from this score, unless it wins."""
        rules = self.rules
        points = rules.minimum if score > 0 else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    def choices_by_row(self, cap: int) -> float:
        """Return the average number of choices that a kernel compares for each number of turn points up to a cap."""
        if self.target > LISTED:
            return float(self.turn.choices)
        choices = [
            sum(len(offered) for throw in mode.rolls for offered, _ in throw.classes) for mode in self.turn.modes
        ]
        rows = [bin(points).count("1") for points in self.turn.reachable(cap)]
        return sum(size * count for size, count in zip(choices, rows, strict=True)) / cap

    @cached_property
    def counts_by_score(self) -> Ints:
        """Fewest points of a bank that counts, by score from the lowest on."""
        min_banks = np.full(self.target - self.low, self.least(1))
        min_banks[: 1 - self.low] = self.least(0)
        if not self.rules.minimum_on_win:
            min_banks = np.minimum(min_banks, self.target - np.arange(self.low, self.target))
        return min_banks

    @cached_property
    def caps_by_score(self) -> Ints:
        """Cap of the turn, by score below the goal from the lowest on.

        It is the fewest points that reach the goal by a bank that counts. With an exact finish it is one more than the
        player may hold.
        """
        scores = np.arange(self.low, self.goal)
        min_winning_bank: Ints = np.maximum(self.goal - scores, self.counts_by_score[: len(scores)])
        return self.target - scores + 1 if self.exact else min_winning_bank

    @cached_property
    def scores(self) -> Ints:
        """Scores below the goal that can occur, ascending."""
        if self.rules.costs:
            return np.arange(self.low, self.goal)
        sums = sums_of_banks(self._banks, self.least(0), self.least(1), self.target)
        return np.flatnonzero(bits(sums, self.goal))

    @cached_property
    def score(self) -> Ints:
        """Score of each state."""
        return np.repeat(self.scores, self.kinds)

    @cached_property
    def busts(self) -> Ints:
        """Busts in a row of each state."""
        return np.tile(np.arange(self.kinds), len(self.scores))

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def first(self) -> Ints:
        """State with no busts in a row, by score from the lowest on; 0 for scores that cannot occur."""
        first = np.zeros(self.goal - self.low, dtype=np.int64)
        first[self.scores - self.low] = np.arange(len(self.scores)) * self.kinds
        return first

    def number(self, score: int, busts: int = 0) -> int:
        """Return the state of a score in points (not units) and a number of busts in a row."""
        return int(self.first[score // self.rules.grain - self.low]) + busts

    @cached_property
    def counts(self) -> Ints:
        """Fewest points of a bank that counts, by state."""
        return self.counts_by_score[self.score - self.low]

    @cached_property
    def caps(self) -> Caps:
        """Cap of the turn, by state."""
        return self.caps_by_score[self.score - self.low].astype(np.int32)

    @cached_property
    def bust(self) -> Ints:
        """State after a bust, by state."""
        if not (self.rules.costs and self.falls):
            return np.arange(len(self))
        grain = self.rules.grain
        pairs = zip((self.score * grain).tolist(), self.busts.tolist(), strict=True)
        return np.array([self.number(*self.rules.busted(score, busts)) for score, busts in pairs])

    @cached_property
    def wipe(self) -> Ints:
        """State after a roll that wipes the score, by state."""
        return np.full(len(self), self.first[-self.low]) if self.falls else np.arange(len(self))

    def lost(self, more: Sequence[Ints] | Ints) -> Ints:
        """Return the states that a loss leads to from states that are solved earlier.

        States of higher scores, and those with more busts in a row, are numbered later and solved earlier.

        Args:
            more: further successors by state, besides those of busts and wipes.
        """
        successors = np.stack([self.bust, *([self.wipe] if self.rules.does("wipe") else []), *more])
        return np.unique(successors[(successors >= 0) & (successors < np.arange(len(self)))])

    def after(self, mine: Ints, size: int) -> Ints:
        """Return the states after banks of 0, 1, .. points from the states ``mine``: (size, lanes).

        A bank that is not allowed is NEVER; a total of the goal + k is WON - k.
        """
        points = np.arange(size)[:, None]
        total = self.score[mine] + points
        below_goal = self.first[np.minimum(total, self.goal - 1) - self.low]
        states = np.where(total < self.goal, below_goal, WON + self.goal - total)
        states[total > (self.target if self.exact else total)] = NEVER
        unchanged = self.first[self.score[mine] - self.low] if self.rules.passes else np.full(len(mine), NEVER)
        return np.where(points < self.counts[mine], unchanged, states)

    @cached_property
    def _reachable_points(self) -> list[int]:
        """Turn points up to the target that can occur, by mode, as bit sets."""
        return self.turn.reachable(self.target - self.low)

    @cached_property
    def _banks(self) -> int:
        """Points that a turn can bank without passing the target, as a bit set."""
        banks = 0
        for points, mode in zip(self._reachable_points, self.turn.modes, strict=True):
            banks |= points if mode.bank_ending is not None else 0
        return banks & ~1

    @cached_property
    def dead(self) -> list[int]:
        """Scores from which no sequence of turns reaches the target; only an exact finish has any.

        The states from which the target can be reached are a least fixed point: bit sets of scores, one for each number
        of busts in a row, grow until nothing changes.
        """
        if not self.exact:
            return []
        alive = [1 << self.target - self.low] * self.kinds
        deficits = {score: self.target - score for score in self.scores.tolist()[::-1]}  # the highest score first
        reachable = {deficit: self._reachable_within(deficit) for deficit in deficits.values()}
        previous = list[int]()
        while alive != previous:
            previous = alive.copy()
            for score, deficit in deficits.items():
                self._revive(alive, score, reachable[deficit])
        alive_always = reduce(and_, alive)
        return [score for score in reversed(deficits) if not alive_always >> score - self.low & 1]

    def _reachable_within(self, deficit: int) -> list[int]:
        """Return the turn points that can occur by mode, as bit sets, if no more than ``deficit`` may be held."""
        if self.turn.keeps:  # turn points only grow, so those of a shorter table are the same
            return [points & (2 << deficit) - 1 for points in self._reachable_points]
        return self.turn.reachable(deficit)

    def _revive(self, alive: list[int], score: int, reachable: list[int]) -> None:
        """Add ``score`` to ``alive``, by busts in a row, if a turn from there can win or lead to an alive state."""
        banks, can_win, can_wipe = 0, False, False
        for number, points in enumerate(reachable):
            mode = self.turn.modes[number]
            banks |= points >> mode.min_bank << mode.min_bank if mode.bank_ending is not None else 0
            can_win |= bool(points) and number in self._modes_with[WIN]
            can_wipe |= bool(points) and number in self._modes_with[WIPE]
        place, min_bank = score - self.low, int(self.counts_by_score[score - self.low])
        successors = (banks >> min_bank << min_bank + place | can_wipe << -self.low) & alive[0]
        if self.rules.passes and banks & (1 << min_bank) - 1:
            successors |= alive[0] & 1 << place
        for busts in range(self.kinds):
            is_alive = can_win or successors > 0
            if self.rules.costs:
                lower_score, next_busts = self.rules.busted(score * self.rules.grain, busts)
                is_alive |= alive[next_busts] >> lower_score // self.rules.grain - self.low & 1 > 0
            alive[busts] |= is_alive << place

    @cached_property
    def _modes_with(self) -> dict[TurnChoice, set[int]]:
        """Modes in which a roll can win at once or wipe the score."""
        return {
            effect: {
                number
                for number, mode in enumerate(self.turn.modes)
                for throw in mode.rolls
                if any(effect in offered for offered, _ in throw.classes)
            }
            for effect in (WIN, WIPE)
        }

    def refuse_dead(self, because: str) -> None:
        """Raise an InputError that names a dead score and its consequence, if there is a dead score."""
        if self.dead:
            grain = self.rules.grain
            raise InputError(
                f"from a score of {self.dead[0] * grain} nobody can ever hold exactly {self.target * grain} under these"
                f" rules, and {because}; finish=at_least has no such scores"
            )


def bits(mask: int, size: int) -> NDArray[np.uint8]:
    """Return the ``size`` lowest bits of a number, the lowest first."""
    packed = np.frombuffer((mask & (1 << size) - 1).to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little")
