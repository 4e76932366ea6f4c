"""Policies that people follow, by name: ``hold:300``, ``hold:5=600,4=400,1=250``, ``sheet:2``, Battleship's ``source``.

A policy is a plain function: what somebody who follows it does in a position of the game as it is played. Those that
are followed from thousands of scores are compiled too, for the turn's kernel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..games.pushluck import Counts, PushRules
from ..games.unlike import UnlikeRules
from ..ground.errors import InputError
from ..ground.numerals import whole_number
from ..play import push
from ..play.held import MOST_IN_HAND
from ..play.table import Choice
from ..turns.push import Choice as TurnChoice
from ..turns.push import Decisions, PushTurn


@dataclass(frozen=True)
class Hold:
    """Set aside every scoring die for the most points, and bank with at least ``by_dice[dice left]`` points in hand, or
    with enough to win; never stop where that would score nothing.

    ``keep``: of throws that offer these choices the number of another one, where it may be made.
    """

    by_dice: Mapping[int, int]
    keep: Mapping[tuple[TurnChoice, ...], int] = field(default_factory=dict)

    @property
    def most_held(self) -> int:
        """The points in hand from which whoever follows it stops for certain, where that may be."""
        return max(self.by_dice.values())

    def at(self, own: int, others: int) -> Hold:
        """The limits at a score, and the others' highest: always these."""
        return self

    def sees(self, start: push.PushPosition) -> int:
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
        return stop if throw.then != "roll" or self._stops(table, position, throw) else throw

    def says(self, table: push.Play, position: push.PushPosition) -> str:
        """What decides there: the set that is kept, or the number."""
        rules, roll = table.rules, position.roll
        if roll is not None and not rules.special(roll):
            most, taken = rules.sets(roll)[0], self._set(table, position, roll)
            if taken != most:
                return f"of {' '.join(push.show(rules, most))} keep {' '.join(push.show(rules, taken))}"
        choice = self.choose(table, position)
        dice = choice.dice_left or next(
            (one.dice_left for one in table.choices(position) if one.keep == choice.keep and one.dice_left), 0
        )
        if not dice:
            return choice.action
        limit = self.by_dice[dice]
        if choice.then != "roll" and choice.points < limit:
            return "bank with enough to win"
        left = f", {dice} {'die' if dice == 1 else 'dice'} left" if len(set(self.by_dice.values())) > 1 else ""
        return f"bank from {limit:,}{left}"

    def _stops(self, table: push.Play, position: push.PushPosition, throw: Choice[push.PushPosition]) -> bool:
        """Whether to stop instead of making this throw."""
        wins = table.objective != "points" and position.score + throw.points >= table.goal
        enough = wins or throw.points >= self.by_dice[throw.dice_left]
        return enough and throw.points >= table.counting_from(position) and not throw.after.forced

    def _set(self, table: push.Play, position: push.PushPosition, roll: Counts) -> Counts:
        """The set that is taken from a roll."""
        rules, dice = table.rules, sum(roll)
        room = rules.target - position.score - position.turn if rules.finish == "exact" else None
        sets = [taken for taken in rules.sets(roll) if room is None or rules.worth(taken) <= room]
        offered = rules.choices(dice, roll)
        if offered in self.keep:
            wanted = offered[self.keep[offered]]
            for taken in sets:
                if rules.leads(dice, taken) == wanted:
                    return taken
        return sets[0]

    def decisions(
        self, rules: PushRules, turn: PushTurn, rows: int, cap: int, stop_from: int, win_from: int
    ) -> Decisions:
        """The same for a compiled turn: decisions of one lane (rows, modes + classes, 1), see ``TurnValue``.

        ``stop_from``: fewest units whose bank counts; ``win_from``: fewest that win; all in units of the grain.
        """
        nodes = np.zeros((rows, len(turn.modes) + turn.classes, 1), dtype=np.int16)
        points = np.arange(rows)
        for number, mode in enumerate(turn.modes):
            dice = min(number + 1, rules.dice)
            enough = (points * rules.grain >= self.by_dice[dice]) | (points >= win_from)
            stops = enough & (points >= stop_from) & (points >= mode.bank_from)
            nodes[:, number, 0] = ~stops if mode.bank is not None and mode.throws else mode.bank is None
        self._compiled_sets(turn, nodes, points, cap)
        return nodes

    def _compiled_sets(self, turn: PushTurn, nodes: Decisions, points: NDArray[np.int64], cap: int) -> None:
        """Of the choices that may be made, the one with the most points, the first of those."""
        place = len(turn.modes)
        for mode in turn.modes:
            for throw in mode.throws:
                for offered, _ in throw.classes:
                    add = np.array([choice.add for choice in offered])
                    order = np.argsort(-add, kind="stable")
                    if offered in self.keep:
                        first = self.keep[offered]
                        order = np.array([first, *(one for one in order if one != first)])
                    best = np.full(len(points), order[0])
                    if turn.forbid and all(choice.next >= 0 for choice in offered):
                        best[:] = -1
                        for choice in order[::-1]:
                            best[points + add[choice] < cap] = choice
                    nodes[:, place, 0] = best
                    place += 1


@dataclass(frozen=True)
class Banded:
    """Limits by bands of scores, ``by_band[own band][other's band]``; ``begins``: from which score on each band is."""

    begins: tuple[int, ...]
    by_band: tuple[tuple[Hold, ...], ...]

    def at(self, own: int, others: int) -> Hold:
        """The limits at a score, and the others' highest."""
        return self.by_band[bisect_right(self.begins, own) - 1][bisect_right(self.begins, others) - 1]

    def sees(self, start: push.PushPosition) -> Hashable:
        """The score, and the band of the others' highest."""
        return start.score, bisect_right(self.begins, max(start.opponents))

    def choose(self, table: push.Play, position: push.PushPosition) -> Choice[push.PushPosition]:
        """What is done in a position in which there is something to choose."""
        return self.at(position.score, max(position.opponents)).choose(table, position)

    def says(self, table: push.Play, position: push.PushPosition) -> str:
        """What decides there, by both scores."""
        scores = [self.begins[bisect_right(self.begins, one) - 1] for one in (position.score, max(position.opponents))]
        said = self.at(position.score, max(position.opponents)).says(table, position)
        return f"{said}, with {scores[0]:,} or more against {scores[1]:,} or more"


def check_limits(rules: PushRules) -> None:
    """Refuse games in which limits cannot be told: where a set that would be too much must be left, where one says how
    many dice are thrown instead of stopping, and where fewer points are better.
    """
    if rules.above:
        raise InputError(f"limits are not told where a hand of more than {rules.above} points is lost")
    if rules.choose:
        raise InputError("limits are not told where the player says how many dice are thrown: there is no sheet")
    if rules.best == "lowest":
        raise InputError("limits are not told for the lowest points: there is no sheet")


def read_hold(rules: PushRules, text: str) -> Hold:
    """Return the policy of ``hold:N`` or ``hold:DICE=N,...`` (other numbers of dice: bank at once).

    Raises:
        InputError: no such policy.
    """
    check_limits(rules)
    name, colon, limits = text.partition(":")
    if name != "hold" or not colon:
        raise InputError(f"{text or 'nothing'} is no policy of this game; write hold:300, hold:5=600,4=400 or sheet:2")
    if isinstance(rules, UnlikeRules) and "=" in limits:
        raise InputError(f"{text}: dice unlike one another have no limits by their number; write hold:300")
    try:
        if "=" in limits:
            parts = [part.partition("=") for part in limits.split(",")]
            named = [whole_number(dice, "dice") for dice, _, _ in parts]
            points = [whole_number(limit, "limit") for _, _, limit in parts]
        else:
            named = list(range(1, rules.dice + 1))
            points = [whole_number(limits, "limit")] * rules.dice
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


def read_limits_of(table: push.Play, text: str) -> Hold:
    """The same at a table."""
    return read_hold(table.rules, text)
