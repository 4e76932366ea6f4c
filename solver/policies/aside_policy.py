"""The policy of a strategy sheet for one-face turns: a number for what is left of the turn, and limits to bank.

After a roll the player adds up two numbers for everything that may be set aside: the points that it adds, and the
*worth* of what is then left of the turn. The greatest sum is set aside. What is left is seen as an ``Outlook``. Worths
are whole hundredths, so that sums are exact and ties are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..games.one_face_rules import ENDED_MODE, LOST_MODE, AsideState, OneFaceRules
from ..games.push_rules import PushRules
from ..play import push
from ..play.choice_kinds import ChoiceKind
from ..play.one_face import OneFaceGame, OneFacePosition
from ..play.playable_game import Choice
from ..turns.push_turn import Decisions, PushTurn
from ..util.number_format import format_count

HUNDREDTHS = 100  # of a point, the units of worths
LOST_TURN = -(10**9)  # the worth of a turn that is lost, in hundredths


class Outlook(NamedTuple):
    """What a sheet looks at once dice are set aside.

    Attributes:
        dice: dice left to roll.
        missing: how many needed faces are not set aside yet.
        short: how many dice of covers are missing.
    """

    dice: int
    missing: int
    short: int


class Penalties(NamedTuple):
    """What a sheet takes off the worth of the dice left, in hundredths of a point.

    Attributes:
        missing: for each missing face.
        short: for each missing die of a cover.
    """

    missing: int
    short: int


class LimitKey(NamedTuple):
    """What a sheet looks at before a bank.

    Attributes:
        dice: dice left to roll.
        faces: how many faces may not be taken any more.
    """

    dice: int
    faces: int


class ModeTable(NamedTuple):
    """The modes and choices of a turn model as arrays, for one set of rules.

    Attributes:
        outlooks: the outlook of each mode; None for the modes of a turn that is over.
        limit_keys: the key of each mode's limit; likewise.
        is_safe: (modes,) whether every cover is ahead, so that the turn cannot be lost soon.
        is_done: (modes,) whether no face that scores may be taken any more.
        next_mode: (classes, choices) the mode that each choice leads to; filled up with the first choice.
        points: (classes, choices) the points that each choice adds.
    """

    outlooks: tuple[Outlook | None, ...]
    limit_keys: tuple[LimitKey | None, ...]
    is_safe: NDArray[np.bool_]
    is_done: NDArray[np.bool_]
    next_mode: NDArray[np.int64]
    points: NDArray[np.int64]


def outlook(rules: OneFaceRules, state: AsideState) -> Outlook:
    """Return what a sheet looks at in an aside state."""
    missing = sum(not state.used >> face & 1 for face in rules.needed_faces)
    return Outlook(state.dice, missing, sum(max(0, -lead) for lead in state.leads))


def limit_key(rules: OneFaceRules, state: AsideState) -> LimitKey:
    """Return what a sheet looks at before a bank in an aside state."""
    once_only = (face for face in range(len(rules.faces)) if not (rules.takes_any or face in rules.repeatable_faces))
    return LimitKey(state.dice, sum(state.used >> face & 1 for face in once_only))


def is_safe(rules: OneFaceRules, state: AsideState) -> bool:
    """Return whether only covers can lose the turn, and all of them are ahead."""
    return (rules.takes_any or rules.scores_if_stuck) and bool(state.leads) and min(state.leads) > 0


def can_be_done(rules: OneFaceRules) -> bool:
    """Return whether it can happen that no face that scores may be taken any more, while dice are left."""
    return not rules.takes_any and not any(rules.face_points[face] for face in rules.repeatable_faces)


def is_done(rules: OneFaceRules, state: AsideState) -> bool:
    """Return whether no face that scores may be taken any more."""
    return can_be_done(rules) and rules.has_all(state.used)


@dataclass(frozen=True)
class AsidePolicy:
    """Set aside what has the greatest sum of points and worth of what is left; bank from a limit on.

    Of equal sums the policy takes the one with the most points, then the one with the fewest dice. It banks as soon as
    that wins, and if no face that scores may be taken any more. Otherwise it never banks if all covers are ahead and
    nothing else can lose the turn.

    Attributes:
        dice_worths: the worth of the dice left, by their number, in hundredths of a point.
        penalties: what is taken off for what is still needed.
        limits: by dice left and faces used up, the turn points from which the policy banks; empty if nobody may stop.
        listed_worths: worths by outlook that replace those of the dice and the penalties; empty if a sheet has none.
    """

    dice_worths: Mapping[int, int]
    penalties: Penalties
    limits: Mapping[LimitKey, int]
    listed_worths: Mapping[Outlook, int] = field(default_factory=dict)

    @property
    def rate(self) -> int | None:
        """The worth of each die left, in hundredths of a point; None if it depends on the number of dice."""
        rate = self.dice_worths[1]
        is_equal = all(worth == dice * rate for dice, worth in self.dice_worths.items())
        return rate if is_equal and not self.listed_worths else None

    def worth(self, ahead: Outlook) -> int:
        """Return the worth of what is left of a turn, in hundredths of a point."""
        if self.listed_worths:
            return self.listed_worths[ahead]
        missing, short = self.penalties
        return self.dice_worths[ahead.dice] - ahead.missing * missing - ahead.short * short

    def policy_at(self, own: int, best_opponent: int) -> AsidePolicy:
        """Return the policy at a score and the highest score of the others: always this one."""
        return self

    def observation_key(self, start: push.PushPosition) -> int:
        """Return the score, because it decides how many points win."""
        return start.score

    def choose(self, playable: OneFaceGame, position: OneFacePosition) -> Choice[push.PushPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        rules, roll = playable.rules, position.roll
        aside = position.aside
        if roll is not None:
            sets = rules.takeable_sets(position.aside, roll)
            if not sets:
                return choices[0]
            best_set = max(sets, key=lambda dice_set: self._sum(rules, position.aside, dice_set))  # the first of equals
            keep = push.list_faces(rules, best_set)
            choices = tuple(choice for choice in choices if choice.keep == keep)
            aside = tuple(map(sum, zip(aside, best_set, strict=True)))
        bank_choice, roll_choice = choices[0], choices[-1]
        if roll_choice.kind is not ChoiceKind.ROLL or bank_choice.kind is not ChoiceKind.BANK:
            return bank_choice
        points, state = bank_choice.points, rules.aside_state(aside)
        wins = playable.objective != "points" and position.score + rules.bank_value(points) >= playable.goal
        return bank_choice if wins or self._is_enough(rules, state, points) else roll_choice

    def _sum(self, rules: OneFaceRules, aside: tuple[int, ...], dice_set: tuple[int, ...]) -> int:
        """Return, in hundredths, the points that dice add and the worth of what is left."""
        after = tuple(map(sum, zip(aside, dice_set, strict=True)))
        points = (rules.turn_points(after) - rules.turn_points(aside)) * HUNDREDTHS
        if sum(after) == rules.dice:
            return points if rules.meets_conditions(after) else LOST_TURN
        state = rules.aside_state(after)
        return LOST_TURN if rules.mode_of_aside(after) == LOST_MODE else points + self.worth(outlook(rules, state))

    def _is_enough(self, rules: OneFaceRules, state: AsideState, points: int) -> bool:
        """Return whether the policy banks turn points that may be banked."""
        if is_done(rules, state):
            return True
        return not is_safe(rules, state) and points >= self.limits[limit_key(rules, state)]

    def explain(self, playable: OneFaceGame, position: OneFacePosition) -> str:
        """Return in words what decides in a position."""
        choice = self.choose(playable, position)
        if choice.kind is not ChoiceKind.ROLL:
            return choice.action
        return f"the highest sum of points and the worth of {format_count(choice.after.dice, 'die')} left"

    def decisions(
        self, rules: PushRules, turn: PushTurn, row_count: int, cap: int, min_bank: int, winning_points: int
    ) -> Decisions:
        """Return the decisions of one lane (rows, modes + roll classes, 1); see ``LimitPolicy.decisions``."""
        assert isinstance(rules, OneFaceRules)
        table = mode_table(rules)
        mode_count = len(turn.modes)
        decisions = np.empty((row_count, mode_count + turn.class_count, 1), dtype=np.int16)
        decisions[:, mode_count:, 0] = self.class_choices(table)
        points = np.arange(row_count)
        limits = self.limits_by_mode(table) / rules.grain
        for number, mode in enumerate(turn.modes):
            if mode.bank_ending is None or not mode.rolls:
                decisions[:, number, 0] = mode.bank_ending is None
                continue
            is_enough = (points >= limits[number]) | (points >= winning_points)
            decisions[:, number, 0] = ~(is_enough & (points >= max(min_bank, mode.min_bank)))
        return decisions

    def limits_by_mode(self, table: ModeTable) -> NDArray[np.float64]:
        """Return (modes,) the turn points from which the policy banks, or infinity."""
        limits = np.array([0 if key is None else self.limits.get(key, 0) for key in table.limit_keys], dtype=float)
        return np.where(table.is_done, 0.0, np.where(table.is_safe, np.inf, limits))

    def class_choices(self, table: ModeTable) -> NDArray[np.int64]:
        """Return (classes,) the number of the choice that is made in each roll class, the first of equals."""
        worths = np.array([0 if ahead is None else self.worth(ahead) for ahead in table.outlooks], dtype=np.int64)
        sums = table.points * HUNDREDTHS + worths[np.maximum(table.next_mode, ENDED_MODE)]
        is_lost = (table.next_mode < 0) | (table.next_mode == LOST_MODE)
        best: NDArray[np.int64] = np.where(is_lost, LOST_TURN, sums).argmax(axis=1)
        return best


@lru_cache(maxsize=8)
def mode_table(rules: OneFaceRules) -> ModeTable:
    """Return the modes and choices of the turn model of some rules as arrays."""
    turn = rules.turn
    states = [rules.state_of_mode(mode) for mode in range(len(turn.modes))]
    width = max(map(len, turn.class_choices))
    padded = [(*choices, *(choices[:1] * (width - len(choices)))) for choices in turn.class_choices]
    return ModeTable(
        tuple(None if state is None else outlook(rules, state) for state in states),
        tuple(None if state is None else limit_key(rules, state) for state in states),
        np.array([state is not None and is_safe(rules, state) for state in states]),
        np.array([state is not None and is_done(rules, state) for state in states]),
        np.array([[choice.next_mode for choice in choices] for choices in padded], dtype=np.int64),
        np.array([[choice.added_points * rules.grain for choice in choices] for choices in padded], dtype=np.int64),
    )
