"""Policies for push-your-luck games: ``hold:300``, ``hold:5=600,4=400,1=250``, ``roll:2``, and limits by score.

Each class is a ``TurnPolicy``: ``choose`` plays it in the game as people play it, and ``decisions`` compiles it for the
kernel of turns, because it may have to be followed from thousands of scores.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..games.push_rules import Counts, PushRules
from ..play import push
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice
from ..play.reachable_states import MAX_TURN_POINTS
from ..turns.push_turn import Decisions, PushTurn
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import InputError
from ..util.integers import parse_whole_number
from ..util.number_format import format_count

HUNDREDTHS = 100  # of a point, the units of worths
TurnChoices = tuple[TurnChoice, ...]  # all choices that a roll offers, which identify its roll class


@dataclass(frozen=True)
class LimitPolicy:
    """Set aside every scoring die for the most points, and bank from a limit on that depends on the dice left.

    The policy also banks as soon as that wins. It never stops if that would score nothing.

    If nobody may stop, the limits decide which dice are set aside:

    - Highest points are best: take the set with the greatest points minus the limit for each die; of equals the one
      with more dice.
    - Lowest points are best: take the dice that score no more than the limit each, and at least one that scores least.
    - With ``worths``: take the set whose points and the worth of the dice that it leaves have the best sum.

    Attributes:
        by_dice: the limit by the number of dice left; if nobody may stop, by the number of dice rolled.
        keep: exceptions: by the choices that a roll offers, the number of the choice to make if it is allowed.
        worths: by the dice left, what they are worth in hundredths of a point; only if nobody may stop.
    """

    by_dice: Mapping[int, int]
    keep: Mapping[TurnChoices, int] = field(default_factory=dict)
    worths: Mapping[int, int] = field(default_factory=dict)

    @property
    def max_turn_points(self) -> int:
        """The turn points from which the policy always stops, if it may."""
        return max(self.by_dice.values())

    def policy_at(self, own: int, best_opponent: int) -> LimitPolicy:
        """Return the limits at a score and the highest score of the others: always these."""
        return self

    def observation_key(self, start: push.PushPosition) -> int:
        """Return the score, because it decides how many points win."""
        return start.score

    def choose(self, playable: push.PushGame, position: push.PushPosition) -> Choice[push.PushPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        if position.offered:
            return choices[-1]  # the last choice starts a turn with all dice and takes nothing over
        if len(choices) > 1 and position.roll is not None and not playable.rules.special_roll(position.roll):
            kept_dice = self._kept_dice(playable, position, position.roll)
            choices = tuple(choice for choice in choices if choice.keep == kept_dice)
        stop_choice, roll_choice = choices[0], choices[-1]  # stopping comes first, if it is allowed
        if roll_choice.kind is not ChoiceKind.ROLL or self._stops(playable, position, roll_choice):
            return stop_choice
        return roll_choice

    def _kept_dice(self, playable: push.PushGame, position: push.PushPosition, roll: Counts) -> tuple[str, ...]:
        """Return the dice that the policy keeps of a roll, as faces."""
        if (first := playable.most_points_keep(position)) is not None:
            return first
        return push.list_faces(playable.rules, self._kept_set(playable, position, roll))

    def explain(self, playable: push.PushGame, position: push.PushPosition) -> str:
        """Return in words what decides in a position: the set that is kept, or the limit."""
        rules, roll = playable.rules, position.roll
        has_sets = playable.most_points_keep(position) is None
        if roll is not None and has_sets and not rules.special_roll(roll):
            sets = rules.sets_of(roll)
            kept_set = self._kept_set(playable, position, roll)
            if sets and kept_set != (usual_set := self.usual_set(rules, roll, sets)):
                usual_faces = " ".join(push.list_faces(rules, usual_set))
                kept_faces = " ".join(push.list_faces(rules, kept_set))
                return f"from {usual_faces} keep {kept_faces}"
        has_several_limits = len(set(self.by_dice.values())) > 1
        if rules.never_stops and roll is not None:
            hand = rules.hand_number(roll)
            if self.worths:
                return f"set aside the dice with the {rules.best} sum of points and worth of the dice left"
            rolled = f" after a roll of {rules.describe_hand(hand)}" if has_several_limits else ""
            bound = "most" if rules.best == "lowest" else "least"
            return f"set aside dice worth at {bound} {format_count(self.by_dice[hand], 'point')}{rolled}"
        choice = self.choose(playable, position)
        dice_left = self._dice_left(playable, position, choice)
        if not dice_left:
            return choice.action
        limit = self.by_dice[dice_left]
        if choice.kind is not ChoiceKind.ROLL and choice.points < limit:
            return f"bank with enough {words_for_enough(rules.finish)}"
        return f"bank {limit:,} or more{f' with {rules.describe_hand(dice_left)} left' if has_several_limits else ''}"

    def _dice_left(
        self, playable: push.PushGame, position: push.PushPosition, choice: Choice[push.PushPosition]
    ) -> int:
        """Return the dice that could be rolled after the same dice are kept, or 0 if no roll is offered."""
        for candidate in playable.choices(position):
            if candidate.keep == choice.keep and candidate.kind is ChoiceKind.ROLL:
                return candidate.after.dice
        return 0

    def _stops(
        self, playable: push.PushGame, position: push.PushPosition, roll_choice: Choice[push.PushPosition]
    ) -> bool:
        """Return True if the policy stops instead of making this roll."""
        turn_points = roll_choice.points
        wins = playable.objective != "points" and position.score + turn_points >= playable.goal
        is_enough = wins or turn_points >= self.by_dice[roll_choice.after.dice]
        return is_enough and turn_points >= playable.min_bank(position) and not roll_choice.after.forced

    def _kept_set(self, playable: push.PushGame, position: push.PushPosition, roll: Counts) -> Counts:
        """Return the set of dice that the policy keeps of a roll."""
        rules, dice = playable.rules, playable.rules.hand_number(roll)
        room = playable.max_turn_points(position) - position.turn
        all_sets = rules.sets_of(roll)
        allowed_sets = [kept_set for kept_set in all_sets if rules.set_points(kept_set) <= room]
        offered = rules.turn_choices(dice, roll)
        if offered in self.keep:
            exception = offered[self.keep[offered]]
            for kept_set in allowed_sets:
                if rules.set_choice(dice, kept_set) == exception:
                    return kept_set
        usual_set = self.usual_set(rules, roll, all_sets)
        return usual_set if usual_set in allowed_sets else allowed_sets[0]

    def usual_set(self, rules: PushRules, roll: Counts, sets: Sequence[Counts]) -> Counts:
        """Return the set that is kept of a roll unless an exception says otherwise.

        Args:
            rules: the rules.
            roll: the roll, as counts of faces.
            sets: the sets that may be kept, the one with the most points first.
        """
        if not rules.never_stops:
            return sets[0]
        if self.worths:
            sign = 1 if rules.best == "highest" else -1
            return max(sets, key=lambda kept_set: (sign * self._outlook(rules, roll, kept_set), sum(kept_set)))
        limit = self.by_dice[rules.hand_number(roll)]
        if rules.best == "highest":
            return max(sets, key=lambda kept_set: (rules.set_points(kept_set) - limit * sum(kept_set), sum(kept_set)))
        cheap_dice = tuple(
            count * (0 <= (rules.points_of_alike(face) or 0) <= limit) for face, count in enumerate(roll)
        )
        if cheap_dice in sets:
            return cheap_dice
        return min(sets, key=lambda kept_set: (rules.set_points(kept_set), -sum(kept_set)))

    def _outlook(self, rules: PushRules, roll: Counts, kept_set: Counts) -> int:
        """Return the points of a set and the worth of the dice that it leaves, in hundredths of a point."""
        next_roll = rules.roll_after_set(rules.hand_number(roll), kept_set)
        return rules.set_points(kept_set) * HUNDREDTHS + (self.worths[next_roll.dice] if next_roll else 0)

    def decisions(
        self, rules: PushRules, turn: PushTurn, row_count: int, cap: int, min_bank: int, winning_points: int
    ) -> Decisions:
        """Return the decisions of one lane (rows, modes + classes, 1), as ``PushTurn.solve`` takes them.

        Args:
            rules: the rules.
            turn: their turn model.
            row_count: the number of rows, one for each number of turn points in units of the grain.
            cap: the number of turn points at which the table ends, in units.
            min_bank: the fewest turn points whose bank counts, in units.
            winning_points: the fewest turn points whose bank wins, in units.
        """
        decisions = np.zeros((row_count, len(turn.modes) + turn.class_count, 1), dtype=np.int16)
        points = np.arange(row_count)
        for mode_index, mode in enumerate(turn.modes):
            if mode.bank_ending is None or not mode.rolls:
                decisions[:, mode_index, 0] = mode.bank_ending is None
                continue
            is_enough = (points * rules.grain >= self.by_dice[rules.dice_of_mode(mode_index)]) | (
                points >= winning_points
            )
            stops = is_enough & (points >= min_bank) & (points >= mode.min_bank)
            decisions[:, mode_index, 0] = ~stops
        exceptions = {**usual_choices(rules, self), **self.keep} if rules.never_stops else self.keep
        by_room = _choices_by_room(turn, tuple(exceptions.items()), row_count)
        decisions[:, len(turn.modes) :, 0] = by_room[row_count + cap - points]
        return decisions


@lru_cache(maxsize=16)
def _choices_by_room(turn: PushTurn, exceptions: tuple[tuple[TurnChoices, int], ...], row_count: int) -> Decisions:
    """Return the choice of each roll class by the units left up to the cap: (2 rows + 1, classes), from -rows on.

    It is the choice that is allowed and has the most points, the first of equals, unless it is an exception.
    """
    exception_of = dict(exceptions)
    room = np.arange(-row_count, row_count + 1)
    choices = np.tile(turn.max_points_choices, (len(room), 1))
    for class_index, offered in enumerate(turn.class_choices):
        if offered in exception_of:
            choices[:, class_index] = exception_of[offered]
        if not turn.forbids_overshoot or any(choice.next_mode < 0 for choice in offered):
            continue
        preferred = int(choices[0, class_index])
        choices[:, class_index] = -1
        # The last choice that fits stays, so the preferred one comes last, before it those with the most points.
        order = sorted(
            range(len(offered)), key=lambda number: (number == preferred, offered[number].added_points, -number)
        )
        for number in order:
            choices[room > offered[number].added_points, class_index] = number
    return choices


def usual_choices(rules: PushRules, policy: LimitPolicy) -> dict[TurnChoices, int]:
    """Return, by the choices that a roll offers, the choice of a policy without its exceptions, if nobody may stop."""
    worths = tuple(policy.worths.items())
    return {
        offered: choice
        for dice, limit in policy.by_dice.items()
        for offered, choice in _usual_choices_of_dice(rules, dice, limit, worths)
    }


@lru_cache(maxsize=256)
def _usual_choices_of_dice(
    rules: PushRules, dice: int, limit: int, worths: tuple[tuple[int, int], ...]
) -> list[tuple[TurnChoices, int]]:
    policy = LimitPolicy({dice: limit}, worths=dict(worths))
    usual = list[tuple[TurnChoices, int]]()
    for roll, _ in rules.rolls(dice):
        sets = [] if rules.special_roll(roll) else rules.sets_of(roll)
        if sets:
            offered = rules.turn_choices(dice, roll)
            usual.append((offered, offered.index(rules.set_choice(dice, policy.usual_set(rules, roll, sets)))))
    return usual


@dataclass(frozen=True)
class DiceCountPolicy:
    """Always roll the same number of dice, in games whose players choose how many."""

    dice: int

    def policy_at(self, own: int, best_opponent: int) -> DiceCountPolicy:
        """Return the policy at a score and the highest score of the others: always this one."""
        return self

    def observation_key(self, start: push.PushPosition) -> None:
        """Return None, because the policy observes nothing but the turn."""

    def choose(self, playable: push.PushGame, position: push.PushPosition) -> Choice[push.PushPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        return choices[0] if position.roll is not None else choices[self.dice - 1]

    def explain(self, playable: push.PushGame, position: push.PushPosition) -> str:
        """Return the number of dice in words."""
        return f"roll {playable.rules.describe_hand(self.dice)}"

    def decisions(
        self, rules: PushRules, turn: PushTurn, row_count: int, cap: int, min_bank: int, winning_points: int
    ) -> Decisions:
        """Return the decisions of one lane; see ``LimitPolicy.decisions``."""
        decisions = np.zeros((row_count, len(turn.modes) + turn.class_count, 1), dtype=np.int16)
        decisions[:, rules.dice_choice_mode] = self.dice
        decisions[:, len(turn.modes) :, 0] = _choices_by_room(turn, (), row_count)[
            row_count + cap - np.arange(row_count)
        ]
        return decisions


@dataclass(frozen=True)
class ScoreBandPolicy:
    """One policy for each pair of bands in which the own score and the highest score of the others lie.

    Attributes:
        begins: the score at which each band of the own score begins.
        others: the score at which each band of the others' highest score begins.
        by_band: the policy by own band and by the others' band.
    """

    begins: tuple[int, ...]
    others: tuple[int, ...]
    by_band: tuple[tuple[LimitPolicy | DiceCountPolicy, ...], ...]

    def policy_at(self, own: int, best_opponent: int) -> LimitPolicy | DiceCountPolicy:
        """Return the policy at a score and the highest score of the others."""
        return self.by_band[_band(self.begins, own)][_band(self.others, best_opponent)]

    def observation_key(self, start: push.PushPosition) -> Hashable:
        """Return the score, and the band of the others' highest score."""
        return start.score, bisect_right(self.others, max(start.opponents, default=0))

    def choose(self, playable: push.PushGame, position: push.PushPosition) -> Choice[push.PushPosition]:
        """Return the choice that the policy makes in a decision position."""
        return self._policy_in(position).choose(playable, position)

    def explain(self, playable: push.PushGame, position: push.PushPosition) -> str:
        """Return the limit in words, with the bands of both scores."""
        bands = [f"{max(0, self.begins[_band(self.begins, position.score)]):,} or more"]
        if len(self.others) > 1:
            bands.append(f"{max(0, self.others[_band(self.others, max(position.opponents))]):,} or more")
        return f"{self._policy_in(position).explain(playable, position)} at a score of {' against '.join(bands)}"

    def _policy_in(self, position: push.PushPosition) -> LimitPolicy | DiceCountPolicy:
        return self.policy_at(position.score, max(position.opponents, default=0))


def words_for_enough(finish: str) -> str:
    """Return what a bank of enough points does; with a last round (the option ``finish``) it may still lose."""
    return "to reach the target" if finish == "last_round" else "to win"


def _band(begins: tuple[int, ...], score: int) -> int:
    """Return the index of the band in which a score lies; scores below the first band count as its own."""
    return max(0, bisect_right(begins, score) - 1)


# --- names of policies


def policy_prefixes(playable: push.PushGame) -> tuple[str, ...]:
    """Return the words with which the names of policies with limits begin."""
    return "hold", "roll"


def list_policy_names(playable: push.PushGame) -> tuple[str, ...]:
    """Return how policies with limits are written under the rules of a game."""
    rules = playable.rules
    if rules.chooses_dice:
        return () if rules.kinds else ("roll:DICE",)
    if rules.never_stops:
        return ()
    return ("hold:POINTS",) if rules.kinds else ("hold:POINTS", "hold:DICE=POINTS,...")


def parse_policy_name(playable: push.PushGame, text: str) -> LimitPolicy | DiceCountPolicy:
    """Return the policy of ``hold:...`` or ``roll:N``; see ``parse_limit_policy``."""
    return parse_limit_policy(playable.rules, text)


def parse_limit_policy(rules: PushRules, text: str) -> LimitPolicy | DiceCountPolicy:
    """Return the policy of ``hold:N`` or ``hold:DICE=N,...``, or of ``roll:N`` if players choose how many dice to roll.

    With a number of dice that is not named, the policy banks at once.

    Raises:
        InputError: no such policy under these rules.
    """
    name, colon, limits = text.partition(":")
    if rules.chooses_dice:
        return _parse_dice_count(rules, text, name, limits)
    if rules.never_stops:
        raise InputError(f"policy {text!r} requires rules that let a player stop; use sheet:1 to sheet:4")
    examples = "hold:300 or hold:5=600,4=400" if rules.dice > 1 else "hold:20"
    if name != "hold" or not colon:
        raise InputError(f"unknown policy {text!r}; use hold:POINTS (for example {examples}) or sheet:2")
    if rules.kinds and "=" in limits:
        raise InputError(f"policy {text} requires identical dice, and this game mixes dice; use hold:POINTS")
    try:
        dice_counts, points = _parse_limits(rules, limits)
    except InputError as error:
        raise InputError(f"policy {text!r}: {error}; use hold:POINTS (for example {examples})") from None
    limit_by_dice = dict(zip(dice_counts, points, strict=True))
    _validate_limits(rules, text, dice_counts, limit_by_dice)
    return LimitPolicy({dice: limit_by_dice.get(dice, 0) for dice in range(1, rules.dice + 1)})


def _parse_dice_count(rules: PushRules, text: str, name: str, number: str) -> DiceCountPolicy:
    """Return the policy of ``roll:N``."""
    if rules.kinds:
        raise InputError(f"policy {text!r} requires identical dice, and this game mixes dice; use sheet:1 to sheet:4")
    if name != "roll" or not number.isdecimal() or not 1 <= int(number) <= rules.dice:
        raise InputError(f"unknown policy {text!r}; use roll:1 to roll:{rules.dice}, or sheet:2")
    return DiceCountPolicy(int(number))


def _parse_limits(rules: PushRules, limits: str) -> tuple[list[int], list[int]]:
    """Return the numbers of dice and their limits in points, from ``300`` or ``5=600,4=400``."""
    if "=" not in limits:
        return list(range(1, rules.dice + 1)), [parse_whole_number(limits, "limit")] * rules.dice
    parts = [part.partition("=") for part in limits.split(",")]
    dice_counts = [parse_whole_number(dice, "dice") for dice, _, _ in parts]
    points = [parse_whole_number(limit, "limit") for _, _, limit in parts]
    return dice_counts, points


def _validate_limits(rules: PushRules, text: str, dice_counts: Iterable[int], limit_by_dice: Mapping[int, int]) -> None:
    """Raise InputError for a number of dice or a limit that the game does not have."""
    if len(list(dice_counts)) > len(limit_by_dice):
        raise InputError(f"policy {text}: a number of dice is given twice; give each number once")
    if min(limit_by_dice.values()) < 0:
        raise InputError(f"policy {text}: a limit must be at least 0, not {min(limit_by_dice.values())}")
    if max(limit_by_dice.values()) > MAX_TURN_POINTS:
        raise InputError(
            f"policy {text}: a limit must be at most {MAX_TURN_POINTS:,} points, not {max(limit_by_dice.values()):,}"
        )
    for dice in limit_by_dice:
        if not 1 <= dice <= rules.dice:
            allowed = f"between 1 and {rules.dice}" if rules.dice > 1 else "1"
            raise InputError(f"policy {text}: the number of dice must be {allowed}, not {dice}")
