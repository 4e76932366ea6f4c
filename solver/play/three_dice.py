"""Going to Boston and Multiplication as people play them.

A player rolls three dice, then two, then one, and sets a die aside after each roll. The objective ``points`` is for one
turn, ``win`` for several players: the highest total takes the pot, and tied players play again in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, DieSetAside, LastDie
from .dice import list_rolls
from .playable_game import Choice, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role
from .pot import PotGame, PotPosition

DICE = 3
FACES = ("1", "2", "3", "4", "5", "6")
NO_CHOICE = "There is nothing to choose here."
# game -> the total of the two dice set aside and the last one
TOTALS: Mapping[str, Callable[[int, int, int], int]] = {
    "boston": lambda first, second, last: first + second + last,
    "multiplication": lambda first, second, last: (first + second) * last,
}

Dice = tuple[int, ...]


@dataclass(frozen=True)
class ThreeDicePosition(PotPosition):
    """A position of the pot, and of the turn: dice ``kept`` so far and the ``roll`` on the table."""

    kept: Dice = ()
    roll: Dice | None = None

    @property
    def throw(self) -> int:
        """Number of the roll on the table, or of the next one: 1 to 3."""
        return len(self.kept) + 1


class ThreeDiceGame(PotGame[ThreeDicePosition]):
    """Going to Boston or Multiplication."""

    decision_kinds = ("rolls",)

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        self.total = TOTALS[self.game.id]
        self.any = self.game.rules["keep"] == "any"
        self.fields = tuple(self._fields())

    def _fields(self) -> Iterator[Field]:
        yield from self.pot_fields()
        yield Field(
            "throw",
            FieldKind.NUMBER,
            "The number of the roll, 1 to 3: of the dice in --roll, otherwise of the next roll.",
            is_inside_turn=True,
        )
        yield Field(
            "kept",
            FieldKind.DICE,
            "Dice set aside before this roll: 64.",
            is_inside_turn=True,
            words=FACES,
            role=Role.KEPT,
        )
        yield Field(
            "roll",
            FieldKind.DICE,
            "The dice of this roll: 631.",
            is_inside_turn=True,
            words=FACES,
            role=Role.ROLL,
        )

    # --- the rules, in the order of a turn

    def start(self) -> ThreeDicePosition:
        """Return the first turn, before which nobody has played."""
        return ThreeDicePosition()

    def is_turn_start(self, position: ThreeDicePosition) -> bool:
        """Return whether all three dice are still to be rolled."""
        return not position.kept and position.roll is None and not position.ended

    def stage(self, position: ThreeDicePosition) -> Stage:
        """Return the stage: rolls alternate with dice set aside."""
        return Stage.TERMINAL if position.ended else Stage.CHANCE if position.roll is None else Stage.DECISION

    def rolls(self, position: ThreeDicePosition) -> Iterator[WeightedRoll[ThreeDicePosition]]:
        """Yield every roll of the dice that are not set aside."""
        for ways, roll in self._rolls[DICE - len(position.kept)]:
            yield ways, replace_fields(position, roll=roll)

    @cached_property
    def _rolls(self) -> Mapping[int, list[tuple[int, Dice]]]:
        return {dice: list_rolls((1, 2, 3, 4, 5, 6), dice) for dice in range(1, DICE + 1)}

    def choices(self, position: ThreeDicePosition) -> tuple[Choice[ThreeDicePosition], ...]:
        """Return the dice that may be set aside, the highest first: the highest, or any under keep=any.

        The last die ends the turn.
        """
        aside, roll = position.kept, position.roll
        assert roll is not None
        if len(roll) == 1:
            first, second = aside
            total = self.total(first, second, roll[0])
            data = LastDie(roll[0], total)
            after = self._scored(position, total)
            return (make_choice(ChoiceKind.SCORE, data, after, (str(roll[0]),), total),)
        left = len(roll) - 1
        return tuple(
            make_choice(
                ChoiceKind.ROLL,
                DieSetAside(die, left),
                replace_fields(position, kept=tuple(sorted((*aside, die))), roll=None),
                keep=(str(die),),
                dice_left=left,
            )
            for die in (sorted(set(roll), reverse=True) if self.any else [max(roll)])
        )

    def _scored(self, position: ThreeDicePosition, total: int) -> ThreeDicePosition:
        if self.objective == "points":
            return ThreeDicePosition(ended=(Fraction(total),))
        return self.after_turn(replace_fields(position, kept=(), roll=None), total)

    def describe_turn_results(self, position: ThreeDicePosition) -> str:
        """Return the results of a turn that can be entered."""
        return f"the total, such as {self.totals[len(self.totals) // 2]}"

    def result_question(self, position: ThreeDicePosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "what was their total?"

    def play_whole_turn(self, position: ThreeDicePosition, result_text: str) -> ThreeDicePosition:
        """Return the position after a turn with some total."""
        return self._scored(position, self.parse_total(result_text))

    def turn_key(self, start: ThreeDicePosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    def move_to_turn(self, position: ThreeDicePosition, start: ThreeDicePosition) -> ThreeDicePosition:
        """Return the position of the turn against another total."""
        return replace_fields(start, kept=position.kept, roll=position.roll)

    def describe_roll(self, position: ThreeDicePosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return "roll the dice", DICE - len(position.kept)

    def note(self, position: ThreeDicePosition) -> str:
        """Return what a player should know besides the choices."""
        return NO_CHOICE if self.stage(position) is Stage.DECISION and len(self.choices(position)) == 1 else ""

    # --- positions in words

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The totals that a turn can bring, the worst first."""
        faces = range(1, 7)
        return tuple(sorted({self.total(a, b, c) for a in faces for b in faces for c in faces}))

    def position_from_fields(
        self,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        beat: int | None = None,
        tied: int | None = None,
        holders: Sequence[int] | None = None,
        throw: int | None = None,
        kept: Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
    ) -> ThreeDicePosition:
        """Return the position with these field values; an error says what can occur."""
        position = self.position_between_turns(ThreeDicePosition(), seat, playoff, beat, tied, holders)
        return self._inside(position, throw, kept, roll)

    def _inside(
        self,
        position: ThreeDicePosition,
        throw: int | None,
        kept_faces: Sequence[str] | None,
        roll: Sequence[str] | None,
    ) -> ThreeDicePosition:
        """Return the position inside the turn, after a check of the dice."""
        aside = tuple(sorted(map(int, kept_faces or ())))
        number = len(aside) + 1 if throw is None else throw
        if not 1 <= number <= DICE:
            raise InputError(f"{argument('throw')} must be between 1 and {DICE}, not {number}")
        if len(aside) != number - 1:
            expected = format_count(number - 1, "die")
            raise InputError(
                f"{argument('kept')}: expected {expected} set aside before roll {number}, got {len(aside)}"
            )
        if roll is not None and len(roll) != DICE - len(aside):
            raise InputError(f"expected {format_count(DICE - len(aside), 'die')}, got {len(roll)}: {' '.join(roll)}")
        return replace_fields(position, kept=aside, roll=None if roll is None else tuple(sorted(map(int, roll))))

    def to_dict(self, position: ThreeDicePosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values = self.between_turns_to_dict(position)
        if not self.is_turn_start(position):
            values["throw"] = position.throw
        if position.kept:
            values["kept"] = list(position.kept)
        if position.roll is not None:
            values["roll"] = list(position.roll)
        return values


PLAYABLE = ThreeDiceGame
