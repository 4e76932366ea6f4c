"""Beartrap: five dice, first to exactly 10,000. Source: Rules for the Game Known as "Beartrap", Hal Elwell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .push_rules import GRAIN_OF_ACES_AND_FIVES, PushRules, SpecialRoll, aces_and_fives
from .rule_options import Option

TITLE = "Beartrap"
FAMILY = "push"
SOURCES = (('Rules for the Game Known as "Beartrap", Hal Elwell', None),)
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option(
        "target", 10_000, '"to reach exactly ten thousand points"', low=50, high=50_000, step=GRAIN_OF_ACES_AND_FIVES
    ),
    Option(
        "opening",
        700,
        '"the player must get on board by scoring at least seven hundred points in one turn"',
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option("minimum", 0, "once on board, any points count", step=GRAIN_OF_ACES_AND_FIVES),
    Option(
        "finish",
        "exact",
        'exact: "exactly ten thousand": a set that would carry the total past the target may not be taken, and if every'
        " scoring set would, the roll scores nothing; at_least: the target or more wins at once; last_round: once a"
        " player has it, every other player has one last turn, and the highest total wins",
        choices=("exact", "at_least", "last_round"),
    ),
    Option(
        "set_aside",
        "free",
        'free: "those dice can be set aside": any set in which every die contributes, and only what is taken counts;'
        " all: every scoring die of the roll is taken, at the roll's highest score",
        choices=("free", "all"),
    ),
    Option(
        "straight",
        1000,
        '"five consecutive numbers ... is rewarded with one thousand points", all five dice taken',
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "five_ones",
        "win",
        'win: "A roll of five ones at once wins the game immediately", before the opening too; points: it scores as'
        " dice",
        choices=("win", "points"),
    ),
    Option(
        "kinds",
        "plain",
        'plain: "Four of the same number in one roll produce the same as if there were three in one roll and one in'
        ' another"; doubling: each die beyond three doubles the triple',
        choices=("plain", "doubling"),
    ),
)


def compile_rules(rules: Mapping[str, Any]) -> PushRules:
    """Return the rules as data.

    Raises:
        InputError: options that contradict each other, or points that are not multiples of 50.
    """
    return aces_and_fives(
        rules,
        5,
        minimum_on_win=rules["finish"] != "exact",  # a player who must finish exactly may need less
        specials=(SpecialRoll((5, 0, 0, 0, 0, 0), "win", 0),) if rules["five_ones"] == "win" else (),
    )
