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
from ...turns.push_turn import BUST, UNLIMITED_POINTS, Mode, PushTurn, Roll, RollClass, TurnChoice


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
    """Return all uses that a player can have left, the fewest in total first.

    Args:
        most: how often each badge may be used in a game.
    """
    warlord, resurrection, emperor = (range(count + 1) for count in most)
    return sorted(product(warlord, resurrection, emperor), key=lambda left: (sum(left), left))


class _ModeKey(NamedTuple):
    """What names a mode of a turn with badges.

    Attributes:
        level: its level.
        base_mode: the mode of the turn without badges that it copies.
        must_roll: whether its dice have to be rolled, because Resurrection was used.
    """

    level: BadgeLevel
    base_mode: int
    must_roll: bool = False


class _BaseChoices(NamedTuple):
    """What a result of a roll offers, as choices of the turn without badges.

    Attributes:
        without_emperor: the choices that use no badge.
        with_emperor: those that use Emperor.
    """

    without_emperor: tuple[TurnChoice, ...]
    with_emperor: tuple[TurnChoice, ...]


def _list_levels(uses: Uses) -> list[BadgeLevel]:
    """Return the levels of a turn, the fewest uses first; choices lead to the same level or to an earlier one.

    Warlord can be used in one turn of a game, and only at its start. So a player who has it has all levels twice: first
    those after its use, which are raised, and then those without.

    Args:
        uses: how often the player may use each badge when the turn begins.
    """
    may_use_warlord, resurrections, emperors = uses
    without_warlord = list_uses((0, resurrections, emperors))
    if not may_use_warlord:
        return [BadgeLevel(left) for left in without_warlord]
    after_warlord = [BadgeLevel(left, is_raised=True) for left in without_warlord]
    before_warlord = [BadgeLevel((1, resurrections, emperors)) for _, resurrections, emperors in without_warlord]
    return after_warlord + before_warlord


class BadgeTurn:
    """The turn of a player who begins it with some badges.

    Attributes:
        rules: the rules of the turn.
        levels: all levels, in the order in which they are solved (``_list_levels``).
        bank_count: banks of 0, 1, ..., ``bank_count`` - 1 points have endings, in each level.
        turn: the turn model.
        _number_by_level: the index of each level in ``levels``.
        _base: the turn model without badges.
        _roll_by_mode: by mode of ``_base`` in which dice are rolled, the roll. In its other modes a player only banks.
        _must_roll_levels: the levels that Resurrection leads to, which have modes that must roll.
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
        self.levels = tuple(_list_levels(uses))
        self._number_by_level = {level: number for number, level in enumerate(self.levels)}
        first_level = BadgeLevel(uses)
        self._base = rules.turn
        self._roll_by_mode = {rules.mode_of(roll): roll for roll in rules.rolls_with_mode}
        self._must_roll_levels = {level for level in self.levels if level.uses[RESURRECTION] < uses[RESURRECTION]}
        modes = [self._make_mode(key) for key in self._list_mode_keys()]
        groups = self._list_groups()
        first_mode = self.mode_number(first_level, self._base.start)
        if uses[WARLORD]:
            # The turn begins in a further mode, which makes the first roll in one of two levels: with Warlord or not.
            raised_mode = self.mode_number(first_level.after(WARLORD), self._base.start)
            first_rolls = (*modes[first_mode].rolls, *modes[raised_mode].rolls)
            first_mode = len(modes)
            modes.append(_forced_mode("the first roll, with Warlord or without", first_rolls, max_points=0))
            groups.append([first_mode])
        special_count = len(self.levels) + 1  # a bust in each level, and a win at once
        self.turn = PushTurn(modes, groups, first_mode, special_count)

    # --- modes

    def _list_mode_keys(self) -> Iterator[_ModeKey]:
        """Yield the keys of all modes but the one that offers Warlord, by the number of the mode."""
        for level in self.levels:
            for base_mode in range(len(self._base.modes)):
                yield _ModeKey(level, base_mode)
            if level in self._must_roll_levels:
                yield from (_ModeKey(level, base_mode, must_roll=True) for base_mode in self._roll_by_mode)

    def _list_groups(self) -> list[list[int]]:
        """Return the groups of modes in solving order, level by level.

        A mode leads to modes of its own level, in the order of the turn without badges, or of earlier levels. Modes
        that must roll are the last of their level, because only later levels lead to them.
        """
        groups = []
        for level in self.levels:
            groups += [[self.mode_number(level, base_mode) for base_mode in group] for group in self._base.groups]
            if level in self._must_roll_levels:
                groups.append([self.mode_number(level, base_mode, must_roll=True) for base_mode in self._roll_by_mode])
        return groups

    def mode_number(self, level: BadgeLevel, base_mode: int, must_roll: bool = False) -> int:
        """Return the number of a mode.

        Args:
            level: the level.
            base_mode: the mode of the turn without badges.
            must_roll: whether the dice have to be rolled, after Resurrection.
        """
        return self._mode_numbers[_ModeKey(level, base_mode, must_roll)]

    @cached_property
    def _mode_numbers(self) -> dict[_ModeKey, int]:
        """The number of each mode but the one that offers Warlord."""
        return {key: number for number, key in enumerate(self._list_mode_keys())}

    def _make_mode(self, key: _ModeKey) -> Mode:
        """Return a mode of the turn: one of the turn without badges, with a bank and choices for its level."""
        level, number, must_roll = key
        base_mode = self._base.modes[number]
        rolls = (Roll(tuple(self._list_classes(level, number))),) if number in self._roll_by_mode else ()
        if must_roll:
            return _forced_mode(f"{base_mode.name} (must be rolled)", rolls)
        if base_mode.bank_ending is None:
            return _forced_mode(base_mode.name, rolls)
        # Counted from the end of the special endings: the banks of all earlier levels come first.
        first_bank = self._number_by_level[level] * self.bank_count
        return base_mode._replace(bank_ending=first_bank, rolls=rolls)

    def _list_classes(self, level: BadgeLevel, base_mode: int) -> Iterator[RollClass]:
        """Yield the roll classes of a mode: choices without a badge, then with Emperor, then Resurrection of a bust.

        Args:
            level: the level of the mode.
            base_mode: the mode of the turn without badges.
        """
        if level.uses[EMPEROR]:
            classes = self._list_classes_with_emperor(self._roll_by_mode[base_mode])
        else:
            (base_roll,) = self._base.modes[base_mode].rolls
            classes = [(_BaseChoices(choices, ()), weight) for choices, weight in base_roll.classes]
        for (without_emperor, with_emperor), weight in classes:
            choices = [self._lift(level, choice) for choice in without_emperor]
            choices += [self._lift(level.after(EMPEROR), choice) for choice in with_emperor]
            if BUST in without_emperor and level.uses[RESURRECTION]:
                choices.append(TurnChoice(self.mode_number(level.after(RESURRECTION), base_mode, must_roll=True)))
            yield tuple(choices), weight

    def _list_classes_with_emperor(self, roll: NextRoll) -> list[tuple[_BaseChoices, int]]:
        """Return the choices that results of a roll offer if Emperor may be used, and their total weight.

        Args:
            roll: the roll. Results that have to be rolled again are left out.
        """
        rules = self.rules
        weights = dict[_BaseChoices, int]()
        for counts, weight in rules.standing_rolls(roll):
            with_emperor = tuple(
                rules.turn_choice(roll.dice, next_roll, points)
                for next_roll, points in rules.emperor_offers(roll.dice, counts)
            )
            choices = _BaseChoices(rules.turn_choices(roll.dice, counts), with_emperor)
            weights[choices] = weights.get(choices, 0) + weight
        return list(weights.items())

    def _lift(self, level: BadgeLevel, choice: TurnChoice) -> TurnChoice:
        """Return a choice of the turn without badges as the one that ends in a level or goes on there."""
        if choice == BUST:
            return TurnChoice(-1 - self.bust_ending(level))
        if choice == WIN:
            return TurnChoice(-1 - self.win_ending)
        return choice._replace(next_mode=self.mode_number(level, choice.next_mode))

    def roll_mode(self, uses: Uses, roll: NextRoll) -> int:
        """Return the mode in which a roll is made with some badges left.

        A roll that is forced by Resurrection is looked up in the mode that offers a stop: its value is the same there.

        Args:
            uses: how often the player may still use each badge.
            roll: the roll.
        """
        is_forced_by_resurrection = roll not in self.rules.rolls_with_mode  # the turn without badges has no such roll
        if is_forced_by_resurrection:
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
        """Return the ending of a bank in a level.

        Args:
            level: the level.
            points: the turn points, in units; more than have an ending count as the most.
        """
        bank_of_zero = self.turn.special_count + self._number_by_level[level] * self.bank_count
        return bank_of_zero + min(points, self.bank_count - 1)

    @property
    def ending_count(self) -> int:
        """The number of endings: the special ones, then the banks of each level."""
        return self.turn.special_count + len(self.levels) * self.bank_count


def _forced_mode(name: str, rolls: tuple[Roll, ...], max_points: int = UNLIMITED_POINTS) -> Mode:
    """Return a mode that offers no stop.

    Args:
        name: its name in messages.
        rolls: the rolls to choose from.
        max_points: the most turn points with which a choice may lead to it.
    """
    return Mode(name, bank_ending=None, min_bank=0, rolls=rolls, max_points=max_points)
