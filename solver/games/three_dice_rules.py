"""Going to Boston and Multiplication: three dice, three throws, a die set aside after each; the highest total wins."""

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
        "forced: the highest die of each throw is set aside. any, a house variant: the player chooses which",
        choices=("forced", "any"),
    ),
    RuleOption("pot", 1, "the pot that the winner takes", low=1, high=1_000_000),
)

# A situation before a throw: (dice left to throw, sum of those set aside).


def compile_turn(keep: str, total: Callable[[int, int], int]) -> RoundTurn:
    """Return the turn; ``total(aside, last)`` scores the sum of the dice set aside and the last die."""

    def moves(situation: Situation, dice: list[int]) -> tuple[Move, ...]:
        left, aside = situation
        if left == 1:
            return (total(aside, dice[0]),)
        choices = [max(dice)] if keep == "forced" else sorted(set(dice), reverse=True)
        return tuple((left - 1, aside + die) for die in choices)

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        counts = multiset.list_multisets(situation[0], 6)
        for row, weight in zip(counts.tolist(), multiset.multiset_weights(counts, [1] * 6), strict=True):
            yield int(weight), moves(situation, [face for face, count in enumerate(row, 1) for _ in range(count)])

    return RoundTurn((DICE, 0), throw, decides=keep == "any")


def describe_turn(rules: Mapping[str, Any], total: str) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time; ``total``: what a turn scores."""
    die = {"forced": "the highest die is set aside", "any": "the player sets one die aside"}[str(rules["keep"])]
    yield f"Three dice, three throws: after each of the first two {die}, and the others are thrown again."
    yield f"A turn scores {total}."
    yield f"Every player has one turn; the highest total takes the pot of {rules['pot']:,}, and those tied play again."
