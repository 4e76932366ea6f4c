"""Going to Boston and Multiplication: three dice, three rolls, a die set aside after each; the highest total wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..util import multiset
from .round_rules import Move, RoundTurn, Situation
from .rule_options import Option as RuleOption

OBJECTIVES = ("win", "points")
DICE = 3

OPTIONS = (
    RuleOption(
        "keep",
        "forced",
        "forced: the highest die of each roll is set aside. any, a house variant: the player chooses the die",
        choices=("forced", "any"),
    ),
    RuleOption("pot", 1, "the pot that the winner takes", low=1, high=1_000_000),
)

# A situation is (dice left to roll, sum of the dice set aside).


def compile_turn(keep: str, total: Callable[[int, int], int]) -> RoundTurn:
    """Return the compiled turn.

    Args:
        keep: "forced": the highest die is set aside; "any": the player chooses.
        total: returns the score from the sum of the first two dice set aside and the last die.
    """

    def moves(situation: Situation, dice: list[int]) -> tuple[Move, ...]:
        remaining, set_aside = situation
        if remaining == 1:
            return (total(set_aside, dice[0]),)
        choices = [max(dice)] if keep == "forced" else sorted(set(dice), reverse=True)
        return tuple((remaining - 1, set_aside + die) for die in choices)

    def list_rolls(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        rows = multiset.list_multisets(situation[0], 6)
        for counts, weight in zip(rows.tolist(), multiset.multiset_weights(rows, [1] * 6), strict=True):
            dice = [face for face, count in enumerate(counts, 1) for _ in range(count)]
            yield int(weight), moves(situation, dice)

    return RoundTurn((DICE, 0), list_rolls, has_choices=keep == "any")


def describe_turn(rules: Mapping[str, Any], total: str) -> Iterator[str]:
    """Yield lines that say how the game is played; ``total``: what a turn scores, in words."""
    die = {"forced": "the highest die is set aside", "any": "the player sets one die aside"}[str(rules["keep"])]
    yield f"Three dice, three rolls: after each of the first two {die}, and the others are rolled again."
    yield f"A turn scores {total}."
    yield (
        f"Every player has one turn; the highest total takes the pot of {rules['pot']:,}, and tied players play again."
    )
