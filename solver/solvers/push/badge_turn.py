"""The turn of a player who has badges, compiled from the turn of the same rules without badges.

A *level* of a turn says which badges the player has left, and whether Warlord has raised the points of this turn. Each
level has a copy of all modes of the turn without badges. Using a badge leads to a lower level:

    Warlord        before the first roll, to the level in which banks count more; the modes and points stay the same
    Resurrection   after a bust, to a mode that has to roll the same dice again with the same turn points
    Emperor        with three 1s, to the mode that follows them, with the points that they score then

So one turn model has all three, and a kernel solves it like any other turn. The endings are a bust in each level, a win
at once, and then the banks of 0, 1, ... points in each level.

Start reading at ``BadgeTurn``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import NamedTuple

from ...games.badges import EMPEROR, RESURRECTION, WARLORD, Uses, use_badge
from ...games.push_rules import WIN, NextRoll, PushRules
from ...turns.push_turn import BUST, Mode, PushTurn, Roll, RollClass, TurnChoice


class BadgeLevel(NamedTuple):
    """What a player has left inside a turn.

    Attributes:
        uses: how often the player may still use each badge.
        is_raised: whether the points of this turn count more, by Warlord.
    """

    uses: Uses
    is_raised: bool = False

    def after(self, badge: int) -> BadgeLevel:
        """Return the level after a badge is used once."""
        return BadgeLevel(use_badge(self.uses, badge), self.is_raised or badge == WARLORD)


def list_uses(most: Uses) -> list[Uses]:
    """Return all uses that a player can have left, the fewest first."""
    warlord, resurrection, emperor = (range(count + 1) for count in most)
    return sorted(product(warlord, resurrection, emperor), key=lambda left: (sum(left), left))


class BadgeTurn:
    """The turn of a player who begins it with some badges.

    Attributes:
        rules: the rules of the turn.
        levels: all levels, the lowest first; the turn begins in the last one that is not raised.
        first_level: the number of the level in which the turn begins.
        bank_count: banks of 0, 1, ..., ``bank_count`` - 1 points have endings, in each level.
        turn: the turn model.
    """

    def __init__(self, rules: PushRules, uses: Uses, bank_count: int) -> None:
        """Compile the turn.

        Args:
            rules: the rules of the turn.
            uses: how often the player may use each badge when the turn begins.
            bank_count: the number of bank endings of a level.
        """
        self.rules = rules
        self.bank_count = bank_count
        start = BadgeLevel(uses)
        without_warlord = [(0, again, emperor) for _, again, emperor in list_uses((0, *uses[1:]))]
        if uses[WARLORD]:
            levels = [BadgeLevel(left, is_raised=True) for left in without_warlord]
            levels += [BadgeLevel((1, *left[1:])) for left in without_warlord]
        else:
            levels = [BadgeLevel(left) for left in without_warlord]
        self.levels = tuple(levels)
        self._number_by_level = {level: number for number, level in enumerate(levels)}
        self.first_level = self._number_by_level[start]
        self._base = rules.turn
        self._roll_by_mode = {rules.mode_of(roll): roll for roll in rules.rolls_with_mode}
        self._must_roll_again = {level for level in levels if level.uses[RESURRECTION] < uses[RESURRECTION]}
        modes, groups = [*map(self._make_mode, self._list_modes())], self._list_groups()
        first_mode = self.mode_number(start, self._base.start)
        if uses[WARLORD]:
            # Only the first roll of a turn has the choice of Warlord.
            raised_mode = self.mode_number(start.after(WARLORD), self._base.start)
            rolls = (modes[first_mode].rolls[0], modes[raised_mode].rolls[0])
            first_mode = len(modes)
            modes.append(Mode("the first roll, with Warlord or without", None, 0, rolls, max_points=0))
            groups.append([first_mode])
        self.turn = PushTurn(modes, groups, first_mode, special_count=len(levels) + 1)

    # --- modes

    def _list_modes(self) -> Iterator[tuple[BadgeLevel, int, bool]]:
        """Yield the level, the mode of the turn without badges, and whether it has to be rolled, of each mode."""
        for level in self.levels:
            for mode in range(len(self._base.modes)):
                yield level, mode, False
            if level in self._must_roll_again:
                yield from ((level, mode, True) for mode in self._roll_by_mode)

    def _list_groups(self) -> list[list[int]]:
        """Return the modes in solving order: level by level, those that have to be rolled after the others."""
        groups = []
        for level in self.levels:
            groups += [[self.mode_number(level, mode) for mode in group] for group in self._base.groups]
            if level in self._must_roll_again:
                groups.append([self.mode_number(level, mode, must_roll=True) for mode in self._roll_by_mode])
        return groups

    def mode_number(self, level: BadgeLevel, mode: int, must_roll: bool = False) -> int:
        """Return the number of a mode.

        Args:
            level: the level.
            mode: the mode of the turn without badges.
            must_roll: whether the dice have to be rolled, after Resurrection.
        """
        return self._mode_numbers[level, mode, must_roll]

    @cached_property
    def _mode_numbers(self) -> dict[tuple[BadgeLevel, int, bool], int]:
        return {key: number for number, key in enumerate(self._list_modes())}

    def _make_mode(self, key: tuple[BadgeLevel, int, bool]) -> Mode:
        """Return a mode of the turn from its level, its mode without badges, and whether it has to be rolled."""
        level, number, must_roll = key
        mode = self._base.modes[number]
        rolls = (Roll(tuple(self._list_classes(level, number))),) if number in self._roll_by_mode else ()
        bank_ending = self._number_by_level[level] * self.bank_count
        if must_roll or mode.bank_ending is None:
            return Mode(f"{mode.name} (must be rolled)" if must_roll else mode.name, None, 0, rolls)
        return mode._replace(bank_ending=bank_ending, rolls=rolls)

    def _list_classes(self, level: BadgeLevel, mode: int) -> Iterator[RollClass]:
        """Yield the roll classes of a mode of some level."""
        following = self._roll_by_mode[mode]
        if level.uses[EMPEROR]:
            classes = self._classes_with_emperor(following)
        else:
            classes = [((choices, ()), weight) for choices, weight in self._base.modes[mode].rolls[0].classes]
        for (choices, emperor_choices), weight in classes:
            offered = [self._lift(level, choice) for choice in choices]
            offered += [self._lift(level.after(EMPEROR), choice) for choice in emperor_choices]
            if BUST in choices and level.uses[RESURRECTION]:
                offered.append(TurnChoice(self.mode_number(level.after(RESURRECTION), mode, must_roll=True)))
            yield tuple(offered), weight

    def _classes_with_emperor(
        self, roll: NextRoll
    ) -> list[tuple[tuple[tuple[TurnChoice, ...], tuple[TurnChoice, ...]], int]]:
        """Return the choices of the results of a roll without Emperor, and those with it; and their weight."""
        rules = self.rules
        weights = dict[tuple[tuple[TurnChoice, ...], tuple[TurnChoice, ...]], int]()
        for counts, weight in rules.standing_rolls(roll):
            emperor_choices = tuple(
                rules.turn_choice(roll.dice, *offer) for offer in rules.emperor_offers(roll.dice, counts)
            )
            key = rules.turn_choices(roll.dice, counts), emperor_choices
            weights[key] = weights.get(key, 0) + weight
        return list(weights.items())

    def _lift(self, level: BadgeLevel, choice: TurnChoice) -> TurnChoice:
        """Return a choice of the turn without badges as the choice that leads to a level."""
        if choice == BUST:
            return TurnChoice(-1 - self.bust_ending(level))
        if choice == WIN:
            return TurnChoice(-1 - self.win_ending)
        return choice._replace(next_mode=self.mode_number(level, choice.next_mode))

    def roll_mode(self, uses: Uses, roll: NextRoll) -> int:
        """Return the mode in which a roll is made with some badges left; its value does not depend on a stop there."""
        if roll not in self.rules.rolls_with_mode:  # Resurrection forces it
            roll = roll._replace(forced=False)
        return self.mode_number(self.level_of(uses), self.rules.mode_of(roll))

    def level_of(self, uses: Uses) -> BadgeLevel:
        """Return the level with some badges left; a turn has one of them, because only its start raises points."""
        level = BadgeLevel(uses)
        return level if level in self._number_by_level else BadgeLevel(uses, is_raised=True)

    # --- endings

    def bust_ending(self, level: BadgeLevel) -> int:
        """Return the ending of a bust in a level."""
        return self._number_by_level[level]

    @property
    def win_ending(self) -> int:
        """The ending of a win at once."""
        return len(self.levels)

    def bank_ending(self, level: BadgeLevel, points: int) -> int:
        """Return the ending of a bank in a level; more points than have an ending count as the most."""
        first = len(self.levels) + 1 + self._number_by_level[level] * self.bank_count
        return first + min(points, self.bank_count - 1)
