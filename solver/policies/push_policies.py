"""Policies that people follow, by name: ``hold:300``, ``hold:5=600,4=400,1=250``, ``sheet:2``, Battleship's ``source``.

A policy is a plain function: what somebody who follows it does in a position of the game as it is played. Those that
are followed from thousands of scores are compiled too, for the turn's kernel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..games.push_rules import Counts, PushRules
from ..play import push
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice
from ..play.reachable_states import MOST_IN_HAND
from ..turns.push_turn import Decisions, PushTurn
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import InputError
from ..util.integers import parse_whole_number


@dataclass(frozen=True)
class Hold:
    """Set aside every scoring die for the most points, and bank with at least ``by_dice[dice left]`` points in hand, or
    with enough to win; never stop where that would score nothing. Dice unlike one another are told by their hand.

    If nobody may stop, ``by_dice[dice thrown]`` decides which dice are set aside. Highest points are best: take the set
    with the greatest points minus that number for each die, of equals the one with more dice. Lowest points are best:
    take the dice that score no more than that number each, and at least one that scores least.

    ``keep``: of throws that offer these choices the number of another one, where it may be made.
    """

    by_dice: Mapping[int, int]
    keep: Mapping[tuple[TurnChoice, ...], int] = field(default_factory=dict)

    @property
    def max_turn_points(self) -> int:
        """The turn points from which the policy always stops, if it may."""
        return max(self.by_dice.values())

    def at(self, own: int, others: int) -> Hold:
        """The limits at a score, and the others' highest: always these."""
        return self

    def observation_key(self, start: push.PushPosition) -> int:
        """What it looks at beside the turn: the score, with which enough to win is in hand."""
        return start.score

    def choose(self, table: push.Play, position: push.PushPosition) -> Choice[push.PushPosition]:
        """What is done in a position in which there is something to choose."""
        choices = table.choices(position)
        if position.offered:
            return choices[-1]  # begins anew, and takes nothing over
        if len(choices) > 1 and position.roll is not None and not table.rules.special(position.roll):
            taken = push.show(table.rules, self._set(table, position, position.roll))
            choices = tuple(choice for choice in choices if choice.keep == taken)
        stop, throw = choices[0], choices[-1]  # stopping stands first
        return stop if throw.kind is not ChoiceKind.ROLL or self._stops(table, position, throw) else throw

    def explain(self, table: push.Play, position: push.PushPosition) -> str:
        """What decides there: the set that is kept, or the number."""
        rules, roll = table.rules, position.roll
        if roll is not None and not rules.special(roll):
            sets, taken = rules.sets(roll), self._set(table, position, roll)
            if sets and taken != (usual := self.usual(rules, roll, sets)):
                return f"of {' '.join(push.show(rules, usual))} keep {' '.join(push.show(rules, taken))}"
        choice = self.choose(table, position)
        throws = (one for one in table.choices(position) if one.keep == choice.keep and one.kind is ChoiceKind.ROLL)
        dice = next((one.after.dice for one in throws), 0)
        several = len(set(self.by_dice.values())) > 1
        if rules.never_stops and roll is not None:
            hand = rules.hand(roll)
            thrown = f", {rules.hand_in_words(hand)} thrown" if several else ""
            most = "most" if rules.best == "lowest" else "least"
            return f"set aside dice of at {most} {self.by_dice[hand]}{thrown}"
        if not dice:
            return choice.action
        limit = self.by_dice[dice]
        if choice.kind is not ChoiceKind.ROLL and choice.points < limit:
            return "bank with enough to win"
        return f"bank from {limit:,}{f', {rules.hand_in_words(dice)} left' if several else ''}"

    def _stops(self, table: push.Play, position: push.PushPosition, throw: Choice[push.PushPosition]) -> bool:
        """Whether to stop instead of making this throw."""
        wins = table.objective != "points" and position.score + throw.points >= table.goal
        enough = wins or throw.points >= self.by_dice[throw.after.dice]
        return enough and throw.points >= table.counting_from(position) and not throw.after.forced

    def _set(self, table: push.Play, position: push.PushPosition, roll: Counts) -> Counts:
        """The set that is taken from a roll."""
        rules, dice = table.rules, table.rules.hand(roll)
        room = table.room(position) - position.turn
        every = rules.sets(roll)
        sets = [taken for taken in every if rules.worth(taken) <= room]
        offered = rules.choices(dice, roll)
        if offered in self.keep:
            wanted = offered[self.keep[offered]]
            for taken in sets:
                if rules.leads(dice, taken) == wanted:
                    return taken
        usual = self.usual(rules, roll, every)
        return usual if usual in sets else sets[0]

    def usual(self, rules: PushRules, roll: Counts, sets: Sequence[Counts]) -> Counts:
        """The set that is taken where nothing else is told, of these."""
        if not rules.never_stops:
            return sets[0]
        most = self.by_dice[rules.hand(roll)]
        if rules.best == "highest":
            return max(sets, key=lambda taken: (rules.worth(taken) - most * sum(taken), sum(taken)))
        cheap = tuple(count * (0 <= (rules.alone(face) or 0) <= most) for face, count in enumerate(roll))
        return cheap if cheap in sets else min(sets, key=lambda taken: (rules.worth(taken), -sum(taken)))

    def decisions(
        self, rules: PushRules, turn: PushTurn, rows: int, cap: int, stop_from: int, win_from: int
    ) -> Decisions:
        """The same for a compiled turn: decisions of one lane (rows, modes + classes, 1), see ``TurnValue``.

        ``stop_from``: fewest units whose bank counts; ``win_from``: fewest that win; all in units of the grain.
        """
        nodes = np.zeros((rows, len(turn.modes) + turn.class_count, 1), dtype=np.int16)
        points = np.arange(rows)
        for number, mode in enumerate(turn.modes):
            dice = min(number + 1, rules.dice)
            enough = (points * rules.grain >= self.by_dice[dice]) | (points >= win_from)
            stops = enough & (points >= stop_from) & (points >= mode.min_bank)
            nodes[:, number, 0] = ~stops if mode.bank_ending is not None and mode.rolls else mode.bank_ending is None
        told = {**usual_choices(rules, self.by_dice), **self.keep} if rules.never_stops else self.keep
        nodes[:, len(turn.modes) :, 0] = _sets(turn, tuple(told.items()), rows)[rows + cap - points]
        return nodes


@lru_cache(maxsize=16)
def _sets(turn: PushTurn, told: tuple[tuple[tuple[TurnChoice, ...], int], ...], rows: int) -> Decisions:
    """Of the choices that may be made, the one with the most points, the first of those, or the one told: by class, and
    by how many units are left up to the cap, from -``rows`` on (2 rows + 1, classes).
    """
    keep, left = dict(told), np.arange(-rows, rows + 1)
    found = np.tile(turn.max_points_choices, (len(left), 1))
    for place, offered in enumerate(turn.class_choices):
        if offered in keep:
            found[:, place] = keep[offered]
        if turn.forbids_overshoot and all(choice.next_mode >= 0 for choice in offered):
            first, found[:, place] = int(found[0, place]), -1
            order = sorted(range(len(offered)), key=lambda one: (one == first, offered[one].added_points, -one))
            for choice in order:
                found[left > offered[choice].added_points, place] = choice
    return found


def usual_choices(rules: PushRules, by_dice: Mapping[int, int]) -> dict[tuple[TurnChoice, ...], int]:
    """Return, by what a throw offers, the choice of a ``Hold`` under rules that never let anybody stop."""
    return {offered: choice for dice, number in by_dice.items() for offered, choice in _usual(rules, dice, number)}


@lru_cache(maxsize=256)
def _usual(rules: PushRules, dice: int, number: int) -> list[tuple[tuple[TurnChoice, ...], int]]:
    hold, found = Hold({dice: number}), list[tuple[tuple[TurnChoice, ...], int]]()
    for roll, _ in rules.throws(dice):
        sets = [] if rules.special(roll) else rules.sets(roll)
        if sets:
            offered = rules.choices(dice, roll)
            found.append((offered, offered.index(rules.leads(dice, hold.usual(rules, roll, sets)))))
    return found


@dataclass(frozen=True)
class Rolls:
    """Where the player says how many dice are thrown: always so many."""

    dice: int

    def at(self, own: int, others: int) -> Rolls:
        """The number at a score, and the others' highest: always this."""
        return self

    def observation_key(self, start: push.PushPosition) -> None:
        """Nothing."""

    def choose(self, table: push.Play, position: push.PushPosition) -> Choice[push.PushPosition]:
        """What is done in a position in which there is something to choose."""
        choices = table.choices(position)
        return choices[0] if position.roll is not None else choices[self.dice - 1]

    def explain(self, table: push.Play, position: push.PushPosition) -> str:
        """The number."""
        return f"roll {table.rules.hand_in_words(self.dice)}"

    def decisions(
        self, rules: PushRules, turn: PushTurn, rows: int, cap: int, stop_from: int, win_from: int
    ) -> Decisions:
        """The same for a compiled turn; see ``Hold.decisions``."""
        nodes = np.zeros((rows, len(turn.modes) + turn.class_count, 1), dtype=np.int16)
        nodes[:, rules.chosen] = self.dice
        nodes[:, len(turn.modes) :, 0] = _sets(turn, (), rows)[rows + cap - np.arange(rows)]
        return nodes


@dataclass(frozen=True)
class Banded:
    """Policies by bands of scores, ``by_band[own band][other's band]``; ``begins``: from which score on each own band
    is, ``others``: each of the other's.
    """

    begins: tuple[int, ...]
    others: tuple[int, ...]
    by_band: tuple[tuple[Hold | Rolls, ...], ...]

    def at(self, own: int, others: int) -> Hold | Rolls:
        """What is done at a score, and the others' highest."""
        mine, theirs = max(0, bisect_right(self.begins, own) - 1), max(0, bisect_right(self.others, others) - 1)
        return self.by_band[mine][theirs]

    def observation_key(self, start: push.PushPosition) -> Hashable:
        """The score, and the band of the others' highest."""
        return start.score, bisect_right(self.others, max(start.opponents, default=0))

    def choose(self, table: push.Play, position: push.PushPosition) -> Choice[push.PushPosition]:
        """What is done in a position in which there is something to choose."""
        return self.at(position.score, max(position.opponents, default=0)).choose(table, position)

    def explain(self, table: push.Play, position: push.PushPosition) -> str:
        """What decides there, by both scores."""
        told = [f"{max(0, self._from(self.begins, position.score)):,} or more"]
        if len(self.others) > 1:
            told.append(f"{max(0, self._from(self.others, max(position.opponents))):,} or more")
        said = self.at(position.score, max(position.opponents, default=0)).explain(table, position)
        return f"{said}, with {' against '.join(told)}"

    @staticmethod
    def _from(begins: tuple[int, ...], score: int) -> int:
        return begins[max(0, bisect_right(begins, score) - 1)]


def read_hold(rules: PushRules, text: str) -> Hold | Rolls:
    """Return the policy of ``hold:N`` or ``hold:DICE=N,...`` (other numbers of dice: bank at once); where the player
    says how many dice are thrown that of ``roll:N``.

    Raises:
        InputError: no such policy.
    """
    name, colon, limits = text.partition(":")
    if rules.choose and rules.kinds:
        raise InputError(f"{text or 'nothing'}: of unlike dice a number is no hand; write sheet:1 to sheet:4")
    if rules.choose:
        if name != "roll" or not limits.isdecimal() or not 1 <= int(limits) <= rules.dice:
            known = f"roll:1 to roll:{rules.dice}, or sheet:2"
            raise InputError(f"unknown policy {text!r}; write {known}")
        return Rolls(int(limits))
    if rules.never_stops:
        raise InputError(f"policy {text or 'nothing'}: nobody may stop under these rules; use sheet:1 to sheet:4")
    if name != "hold" or not colon:
        raise InputError(f"unknown policy {text!r}; write hold:300, hold:5=600,4=400 or sheet:2")
    if rules.kinds and "=" in limits:
        raise InputError(f"{text}: dice unlike one another have no limits by their number; write hold:300")
    try:
        if "=" in limits:
            parts = [part.partition("=") for part in limits.split(",")]
            named = [parse_whole_number(dice, "dice") for dice, _, _ in parts]
            points = [parse_whole_number(limit, "limit") for _, _, limit in parts]
        else:
            named = list(range(1, rules.dice + 1))
            points = [parse_whole_number(limits, "limit")] * rules.dice
    except InputError as error:
        raise InputError(f"{text}: {error}; write hold:300 or hold:5=600,4=400") from None
    by_dice = dict(zip(named, points, strict=True))
    if len(named) > len(by_dice):
        raise InputError(f"{text}: a number of dice is named twice")
    if min(by_dice.values()) < 0:
        raise InputError(f"{text}: a limit must not be below 0")
    if max(by_dice.values()) > MOST_IN_HAND:
        raise InputError(f"{text}: nobody ever holds more than {MOST_IN_HAND:,} points in a turn")
    for dice in by_dice:
        if not 1 <= dice <= rules.dice:
            raise InputError(f"{text}: the game is played with 1 to {rules.dice} dice, not {dice}")
    return Hold({dice: by_dice.get(dice, 0) for dice in range(1, rules.dice + 1)})


def policy_prefixes(playable: push.Play) -> tuple[str, ...]:
    """Return the words with which the names of policies with limits begin."""
    return "hold", "roll"


def list_policy_names(playable: push.Play) -> tuple[str, ...]:
    """Return how policies with limits are written under the rules of a game."""
    rules = playable.rules
    if rules.choose:
        return () if rules.kinds else ("roll:DICE",)
    if rules.never_stops:
        return ()
    return ("hold:POINTS",) if rules.kinds else ("hold:POINTS", "hold:DICE=POINTS,...")


def parse_policy_name(playable: push.Play, text: str) -> Hold | Rolls:
    """Return the policy of ``hold:...`` or ``roll:N``; see ``read_hold``."""
    return read_hold(playable.rules, text)
