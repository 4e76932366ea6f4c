"""The states of one player: a score, and the number of busts in a row.

Scores run from the lowest that busts can lead to, up to the goal. All points in this package are in units of the rules'
grain (5000: 50 points), so that arrays are dense. A turn leads from one state to another:

    a bank                    a higher score, no busts in a row
    a bust                    the same or a lower score, perhaps one more bust in a row
    a roll that wipes         score 0
    a stop that is too small  the same score, no busts in a row

Start reading at ``States.after_banks``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import WIN, WIPE, PushRules, sums_of_banks
from ...turns.push_turn import Caps, TurnChoice
from ...util.errors import InputError
from ..model import Ints

MAX_LISTED_TARGET = 20_000  # targets above this are estimated as if every score could occur, without listing scores
# Instead of a state: an ending that is not allowed, and a total at the goal. WON - k is a total of the goal + k.
FORBIDDEN, WON = -1, -2


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

    def __init__(self, rules: PushRules, goal: int | None = None, has_losses: bool = True) -> None:
        self.rules, self.turn = rules, rules.turn
        self.target, self.lowest_score = -(-rules.target // rules.grain), rules.floor // rules.grain
        self.goal = self.target if goal is None else -(-goal // rules.grain)
        self.is_exact, self.has_losses = (
            rules.finish == "exact",
            has_losses and (bool(rules.costs) or rules.does("wipe")),
        )
        self.bust_count_limit = max(1, len(rules.costs)) if has_losses else 1

    def min_bank(self, score: int) -> int:
        """Return the fewest points of a bank that counts from this score, unless it wins."""
        rules = self.rules
        points = rules.minimum if score > 0 else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    def choices_per_row(self, cap: int) -> float:
        """Return the average number of choices that a kernel compares for each number of turn points up to a cap."""
        if self.target > MAX_LISTED_TARGET:
            return float(self.turn.choice_count)
        choices = [
            sum(len(offered) for throw in mode.rolls for offered, _ in throw.classes) for mode in self.turn.modes
        ]
        rows = [bin(points).count("1") for points in self.turn.reachable_points_by_mode(cap)]
        return sum(size * count for size, count in zip(choices, rows, strict=True)) / cap

    @cached_property
    def min_banks_by_score(self) -> Ints:
        """Fewest points of a bank that counts, by score from the lowest on."""
        min_banks = np.full(self.target - self.lowest_score, self.min_bank(1))
        min_banks[: 1 - self.lowest_score] = self.min_bank(0)
        if not self.rules.minimum_on_win:
            min_banks = np.minimum(min_banks, self.target - np.arange(self.lowest_score, self.target))
        return min_banks

    @cached_property
    def caps_by_score(self) -> Ints:
        """Cap of the turn, by score below the goal from the lowest on.

        It is the fewest points that reach the goal by a bank that counts. With an exact finish it is one more than the
        player may hold.
        """
        scores = np.arange(self.lowest_score, self.goal)
        min_winning_bank: Ints = np.maximum(self.goal - scores, self.min_banks_by_score[: len(scores)])
        return self.target - scores + 1 if self.is_exact else min_winning_bank

    @cached_property
    def scores(self) -> Ints:
        """Scores below the goal that can occur, ascending."""
        if self.rules.costs:
            return np.arange(self.lowest_score, self.goal)
        sums = sums_of_banks(self._banks, self.min_bank(0), self.min_bank(1), self.target)
        return np.flatnonzero(lowest_bits(sums, self.goal))

    @cached_property
    def score(self) -> Ints:
        """Score of each state."""
        return np.repeat(self.scores, self.bust_count_limit)

    @cached_property
    def busts(self) -> Ints:
        """Busts in a row of each state."""
        return np.tile(np.arange(self.bust_count_limit), len(self.scores))

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def first_state_by_score(self) -> Ints:
        """State with no busts in a row, by score from the lowest on; 0 for scores that cannot occur."""
        first = np.zeros(self.goal - self.lowest_score, dtype=np.int64)
        first[self.scores - self.lowest_score] = np.arange(len(self.scores)) * self.bust_count_limit
        return first

    def number(self, score: int, busts: int = 0) -> int:
        """Return the state of a score in points (not units) and a number of busts in a row."""
        return int(self.first_state_by_score[score // self.rules.grain - self.lowest_score]) + busts

    @cached_property
    def min_banks(self) -> Ints:
        """Fewest points of a bank that counts, by state."""
        return self.min_banks_by_score[self.score - self.lowest_score]

    @cached_property
    def caps(self) -> Caps:
        """Cap of the turn, by state."""
        return self.caps_by_score[self.score - self.lowest_score].astype(np.int32)

    @cached_property
    def after_bust(self) -> Ints:
        """State after a bust, by state."""
        if not (self.rules.costs and self.has_losses):
            return np.arange(len(self))
        grain = self.rules.grain
        pairs = zip((self.score * grain).tolist(), self.busts.tolist(), strict=True)
        return np.array([self.number(*self.rules.busted(score, busts)) for score, busts in pairs])

    @cached_property
    def after_wipe(self) -> Ints:
        """State after a roll that wipes the score, by state."""
        return (
            np.full(len(self), self.first_state_by_score[-self.lowest_score])
            if self.has_losses
            else np.arange(len(self))
        )

    def states_after_losses(self, successors: Sequence[Ints] | Ints) -> Ints:
        """Return the states that a loss leads to from states that are solved earlier.

        States of higher scores, and those with more busts in a row, are numbered later and solved earlier.

        Args:
            more: further successors by state, besides those of busts and wipes.
        """
        successors = np.stack([self.after_bust, *([self.after_wipe] if self.rules.does("wipe") else []), *successors])
        return np.unique(successors[(successors >= 0) & (successors < np.arange(len(self)))])

    def after_banks(self, mine: Ints, size: int) -> Ints:
        """Return the states after banks of 0, 1, .. points from the states ``mine``: (size, lanes).

        A bank that is not allowed is NEVER; a total of the goal + k is WON - k.
        """
        points = np.arange(size)[:, None]
        total = self.score[mine] + points
        below_goal = self.first_state_by_score[np.minimum(total, self.goal - 1) - self.lowest_score]
        states = np.where(total < self.goal, below_goal, WON + self.goal - total)
        states[total > (self.target if self.is_exact else total)] = FORBIDDEN
        unchanged = (
            self.first_state_by_score[self.score[mine] - self.lowest_score]
            if self.rules.passes
            else np.full(len(mine), FORBIDDEN)
        )
        return np.where(points < self.min_banks[mine], unchanged, states)

    @cached_property
    def _reachable_points(self) -> list[int]:
        """Turn points up to the target that can occur, by mode, as bit sets."""
        return self.turn.reachable_points_by_mode(self.target - self.lowest_score)

    @cached_property
    def _banks(self) -> int:
        """Points that a turn can bank without passing the target, as a bit set."""
        banks = 0
        for points, mode in zip(self._reachable_points, self.turn.modes, strict=True):
            banks |= points if mode.bank_ending is not None else 0
        return banks & ~1

    @cached_property
    def dead_scores(self) -> list[int]:
        """Scores from which no sequence of turns reaches the target; only an exact finish has any.

        The states from which the target can be reached are a least fixed point: bit sets of scores, one for each number
        of busts in a row, grow until nothing changes.
        """
        if not self.is_exact:
            return []
        alive = [1 << self.target - self.lowest_score] * self.bust_count_limit
        deficits = {score: self.target - score for score in self.scores.tolist()[::-1]}  # the highest score first
        reachable = {deficit: self._reachable_within(deficit) for deficit in deficits.values()}
        previous = list[int]()
        while alive != previous:
            previous = alive.copy()
            for score, deficit in deficits.items():
                self._revive(alive, score, reachable[deficit])
        alive_always = reduce(and_, alive)
        return [score for score in reversed(deficits) if not alive_always >> score - self.lowest_score & 1]

    def _reachable_within(self, deficit: int) -> list[int]:
        """Return the turn points that can occur by mode, as bit sets, if no more than ``deficit`` may be held."""
        if self.turn.is_nondecreasing:  # turn points only grow, so those of a shorter table are the same
            return [points & (2 << deficit) - 1 for points in self._reachable_points]
        return self.turn.reachable_points_by_mode(deficit)

    def _revive(self, alive: list[int], score: int, reachable: list[int]) -> None:
        """Add ``score`` to ``alive``, by busts in a row, if a turn from there can win or lead to an alive state."""
        banks, can_win, can_wipe = 0, False, False
        for number, points in enumerate(reachable):
            mode = self.turn.modes[number]
            banks |= points >> mode.min_bank << mode.min_bank if mode.bank_ending is not None else 0
            can_win |= bool(points) and number in self._modes_with[WIN]
            can_wipe |= bool(points) and number in self._modes_with[WIPE]
        place, min_bank = score - self.lowest_score, int(self.min_banks_by_score[score - self.lowest_score])
        successors = (banks >> min_bank << min_bank + place | can_wipe << -self.lowest_score) & alive[0]
        if self.rules.passes and banks & (1 << min_bank) - 1:
            successors |= alive[0] & 1 << place
        for busts in range(self.bust_count_limit):
            is_alive = can_win or successors > 0
            if self.rules.costs:
                lower_score, next_busts = self.rules.busted(score * self.rules.grain, busts)
                is_alive |= alive[next_busts] >> lower_score // self.rules.grain - self.lowest_score & 1 > 0
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

    def refuse_dead_scores(self, consequence: str) -> None:
        """Raise an InputError that names a dead score and its consequence, if there is a dead score."""
        if self.dead_scores:
            grain = self.rules.grain
            raise InputError(
                f"from a score of {self.dead_scores[0] * grain} nobody can ever hold exactly {self.target * grain}"
                f" under these rules, and {consequence}; finish=at_least has no such scores"
            )


def lowest_bits(mask: int, size: int) -> NDArray[np.uint8]:
    """Return the ``size`` lowest bits of a number, the lowest first."""
    packed = np.frombuffer((mask & (1 << size) - 1).to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little")
