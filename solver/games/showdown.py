"""Going to Boston and Multiplication: three dice, three throws, a die set aside after each; the highest total wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..core import multiset
from ..errors import InputError
from ..options import Option as RuleOption
from .rounddice import pick_number, pick_roll
from .rounds import Inside, Move, Option, RoundTurn, Situation

OBJECTIVES = ("win", "points")
DICE = 3

OPTIONS = (
    RuleOption(
        "keep",
        "forced",
        "forced: the highest die of each throw is set aside. any, a house variant: the player chooses which",
        choices=("forced", "any"),
    ),
    RuleOption("pot", 1, "the pot that the winner takes", low=1, high=1_000_000),
)

# A situation before a throw: (dice left to throw, sum of those set aside).


def compile_turn(keep: str, total: Callable[[int, int], int]) -> RoundTurn:
    """Return the turn; ``total(aside, last)`` scores the sum of the dice set aside and the last die."""

    def options(situation: Situation, dice: list[int]) -> tuple[Option, ...]:
        left, aside = int(situation[0]), int(situation[1])  # type: ignore[call-overload]
        if left == 1:
            score = total(aside, dice[0])
            return (Option(f"the last die is {dice[0]}: total {score}", score, (str(dice[0]),)),)
        choices = [max(dice)] if keep == "forced" else sorted(set(dice), reverse=True)
        dice_left = "1 die" if left == 2 else f"{left - 1} dice"
        return tuple(
            Option(f"set aside {die}, throw {dice_left}", (left - 1, aside + die), (str(die),), left - 1)
            for die in choices
        )

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        counts = multiset.multisets(int(situation[0]), 6)  # type: ignore[call-overload]
        for row, weight in zip(counts.tolist(), multiset.weights(counts, [1] * 6), strict=True):
            dice = [face for face, count in enumerate(row, 1) for _ in range(count)]
            yield int(weight), tuple(option.move for option in options(situation, dice))

    def read(*, throw: object = None, kept: object = None, roll: object = None) -> Inside | None:
        """Read the dice set aside before this throw, and the throw."""
        aside = [int(face) for face in pick_roll("" if kept is None else kept, None, ["1", "2", "3", "4", "5", "6"])]
        number = len(aside) + 1 if throw is None else pick_number(throw, "throw")
        if not 1 <= number <= DICE:
            raise InputError(f"throw {number} must lie between 1 and {DICE}")
        if len(aside) != number - 1:
            told = (
                f"{number - 1} of the dice are set aside: kept must tell them" if number > 1 else "nothing is set aside"
            )
            raise InputError(f"before throw {number} {told}")
        if roll is None:
            if not aside:
                return None
            raise InputError(f"inside a turn the roll must be given: {DICE + 1 - number} dice")
        dice = [int(face) for face in pick_roll(roll, DICE + 1 - number, ["1", "2", "3", "4", "5", "6"])]
        shown: dict[str, Any] = {"throw": number, "kept": aside, "roll": sorted(dice)}
        found = options((DICE + 1 - number, sum(aside)), dice)
        return Inside(found, shown)

    return RoundTurn((DICE, 0), throw, read, decides=keep == "any")
