"""The states of one player: a score, from the lowest that busts can lead to up to the goal, and the busts in a row.

Everything here is in units of the rules' grain (5000: 50 points), which keeps arrays dense. A turn leads from a state
to another one: a bank to a higher score and no busts in a row, a bust to a lower score or none, a throw that loses the
score to 0; a stop that does not count leaves the score and ends the row of busts.
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

LISTED = 20_000  # up to so many, scores are listed to say what a solve takes; beyond, all are taken to occur
NEVER, WON = -1, -2  # instead of a state: what may not be, and a total that reaches the goal; -3, ..: that passes it


class States:
    """The states of a player who goes for so many points, numbered score by score, fewest busts first.

    Without ``falls`` nothing is ever lost: neither a bust nor a throw that would lose the score changes anything.
    """

    def __init__(self, rules: PushRules, goal: int | None = None, falls: bool = True) -> None:
        self.rules, self.turn = rules, rules.turn
        self.target, self.low = -(-rules.target // rules.grain), rules.floor // rules.grain
        self.goal = self.target if goal is None else -(-goal // rules.grain)
        self.exact, self.falls = rules.finish == "exact", falls and (bool(rules.costs) or rules.does("wipe"))
        self.kinds = max(1, len(rules.costs)) if falls else 1

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts from this score, the winning one aside."""
        rules = self.rules
        points = rules.minimum if score > 0 else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    def choices_by_row(self, cap: int) -> float:
        """Choices that a kernel weighs for each number of points in hand up to a cap, as modes do not come to all."""
        if self.target > LISTED:
            return float(self.turn.choices)
        sizes = [sum(len(offered) for throw in mode.rolls for offered, _ in throw.classes) for mode in self.turn.modes]
        rows = [bin(held).count("1") for held in self.turn.reachable(cap)]
        return sum(size * some for size, some in zip(sizes, rows, strict=True)) / cap

    @cached_property
    def counts_by_score(self) -> Ints:
        """By score from the lowest on, the fewest points whose bank counts."""
        least = np.full(self.target - self.low, self.least(1))
        least[: 1 - self.low] = self.least(0)
        if not self.rules.minimum_on_win:
            least = np.minimum(least, self.target - np.arange(self.low, self.target))
        return least

    @cached_property
    def caps_by_score(self) -> Ints:
        """By score below the goal from the lowest on, where the turn's table ends: the fewest points that reach the
        goal by a bank that counts or, with an exact finish, one more than may be held.
        """
        scores = np.arange(self.low, self.goal)
        need: Ints = np.maximum(self.goal - scores, self.counts_by_score[: len(scores)])
        return self.target - scores + 1 if self.exact else need

    @cached_property
    def scores(self) -> Ints:
        """Every score below the goal that a player can hold, ascending."""
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
        """By score from the lowest on, the state with no busts in a row; 0 for scores that cannot occur."""
        first = np.zeros(self.goal - self.low, dtype=np.int64)
        first[self.scores - self.low] = np.arange(len(self.scores)) * self.kinds
        return first

    def number(self, score: int, busts: int = 0) -> int:
        """The state of a score, told in points."""
        return int(self.first[score // self.rules.grain - self.low]) + busts

    @cached_property
    def counts(self) -> Ints:
        """Fewest points whose bank counts, by state."""
        return self.counts_by_score[self.score - self.low]

    @cached_property
    def caps(self) -> Caps:
        """Where the turn's table ends, by state."""
        return self.caps_by_score[self.score - self.low].astype(np.int32)

    @cached_property
    def bust(self) -> Ints:
        """Where a bust leads, by state."""
        if not (self.rules.costs and self.falls):
            return np.arange(len(self))
        grain = self.rules.grain
        pairs = zip((self.score * grain).tolist(), self.busts.tolist(), strict=True)
        return np.array([self.number(*self.rules.busted(score, busts)) for score, busts in pairs])

    @cached_property
    def wipe(self) -> Ints:
        """Where a throw leads that loses the score, by state."""
        return np.full(len(self), self.first[-self.low]) if self.falls else np.arange(len(self))

    def lost(self, more: Sequence[Ints] | Ints) -> Ints:
        """The states to which a bust or a throw that loses the score leads, or what else is told by state, from states
        of a higher score or of more busts in a row: these are numbered later.
        """
        leads = np.stack([self.bust, *([self.wipe] if self.rules.does("wipe") else []), *more])
        return np.unique(leads[(leads >= 0) & (leads < np.arange(len(self)))])

    def after(self, mine: Ints, size: int) -> Ints:
        """Where banks of 0, 1, .. points lead: a state, NEVER, or WON less the points past the goal; (size, lanes)."""
        points = np.arange(size)[:, None]
        total = self.score[mine] + points
        found = np.where(
            total < self.goal, self.first[np.minimum(total, self.goal - 1) - self.low], WON + self.goal - total
        )
        found[total > (self.target if self.exact else total)] = NEVER
        nothing = self.first[self.score[mine] - self.low] if self.rules.passes else np.full(len(mine), NEVER)
        return np.where(points < self.counts[mine], nothing, found)

    @cached_property
    def _held(self) -> list[int]:
        """By mode, the points up to the target that can be in hand there, as bits."""
        return self.turn.reachable(self.target - self.low)

    @cached_property
    def _banks(self) -> int:
        """The points that a turn can bank without passing the target, as bits."""
        banks = 0
        for points, mode in zip(self._held, self.turn.modes, strict=True):
            banks |= points if mode.bank_ending is not None else 0
        return banks & ~1

    @cached_property
    def dead(self) -> list[int]:
        """Scores from which no turns lead to the target; only an exact finish has any."""
        if not self.exact:
            return []
        # Scores from which some turns lead there, as bits from the lowest on, by busts in a row.
        alive = [1 << self.target - self.low] * self.kinds
        needs = {score: self.target - score for score in self.scores.tolist()[::-1]}  # the nearest first
        if self.turn.keeps:  # what is in hand only grows: no more than is needed is what all can be, cut
            held = {need: [points & (2 << need) - 1 for points in self._held] for need in needs.values()}
        else:
            held = {need: self.turn.reachable(need) for need in needs.values()}
        ending = {effect: self._ending(effect) for effect in (WIN, WIPE)}
        before = list[int]()
        while alive != before:
            before = alive.copy()
            for score, need in needs.items():
                banks, wins, wipes = 0, False, False
                for mode, points in enumerate(held[need]):
                    here = self.turn.modes[mode]
                    banks |= points >> here.min_bank << here.min_bank if here.bank_ending is not None else 0
                    wins |= bool(points) and mode in ending[WIN]
                    wipes |= bool(points) and mode in ending[WIPE]
                place, least = score - self.low, int(self.counts_by_score[score - self.low])
                goes = (banks >> least << least + place | wipes << -self.low) & alive[0]
                if self.rules.passes and banks & (1 << least) - 1:
                    goes |= alive[0] & 1 << place
                for busts in range(self.kinds):
                    leads = wins or goes > 0
                    if self.rules.costs:
                        fallen, following = self.rules.busted(score * self.rules.grain, busts)
                        leads |= alive[following] >> fallen // self.rules.grain - self.low & 1 > 0
                    alive[busts] |= leads << place
        every = reduce(and_, alive)
        return [score for score in reversed(needs) if not every >> score - self.low & 1]

    def _ending(self, effect: TurnChoice) -> set[int]:
        """The modes in which a throw of that effect can fall."""
        return {
            number
            for number, mode in enumerate(self.turn.modes)
            for throw in mode.rolls
            if any(effect in offered for offered, _ in throw.classes)
        }

    def refuse_dead(self, because: str) -> None:
        """Raise an InputError that names a dead score and says what follows, if there is one."""
        if self.dead:
            grain = self.rules.grain
            raise InputError(
                f"from a score of {self.dead[0] * grain} nobody can ever hold exactly {self.target * grain} under these"
                f" rules, and {because}; finish=at_least has no such scores"
            )


def bits(mask: int, size: int) -> NDArray[np.uint8]:
    """The lowest bits of a number, the lowest first."""
    packed = np.frombuffer((mask & (1 << size) - 1).to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little")
