"""5000: five dice, first to 5,000 points. Source: "5000 Rules", dmm, 2018."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..util.errors import HouseRuleError
from .push_rules import GRAIN_OF_ACES_AND_FIVES, PushRules, aces_and_fives
from .rule_options import Option

TITLE = "5000"
FAMILY = "push"
SOURCES = (('"5000 Rules", dmm', 2018),)
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option(
        "target",
        5000,
        'the game is "to be the first Player to score 5000 points"',
        low=50,
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "opening",
        500,
        '"Player\'s first score posted in a game must be at least 500", in one turn',
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "minimum",
        300,
        '"A minimum 300 points must be accumulated in a Turn to count"; stopping below it scores nothing',
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "minimum_on_win",
        True,
        "the source makes no exception for the turn that wins, so the minimum holds there too (finish=exact waives it)",
    ),
    Option(
        "finish",
        "at_least",
        'at_least: a bank that brings the total to the target or beyond wins at once ("first Player to score");'
        " exact: a set that would pass the target may not be taken, and no minimum holds on the winning turn;"
        " last_round: once a player has the target, every other player has one last turn, and the highest total wins",
        choices=("at_least", "exact", "last_round"),
    ),
    Option(
        "set_aside",
        "free",
        'free: "not all scored dice must be set aside": any set in which every die contributes; all: every scoring'
        " die of the roll is taken, at the roll's highest score",
        choices=("free", "all"),
    ),
    Option(
        "straight",
        0,
        "five in a row on one roll of five; the source has no such set",
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "kinds",
        "plain",
        "plain: three alike score 100 x face (1s: 1,000) and spare dice count singly or not at all; doubling: each"
        " die beyond three doubles the triple",
        choices=("plain", "doubling"),
    ),
)


def settle(rules: dict[str, Any], chosen_keys: frozenset[str]) -> dict[str, Any]:
    """Return rules whose defaults depend on each other: an exact finish waives the minimum on the winning turn.

    Args:
        rules: all options.
        chosen_keys: the options that were chosen.

    Raises:
        InputError: both were asked for.
    """
    if rules["finish"] == "exact" and rules["minimum_on_win"]:
        if "minimum_on_win" in chosen_keys:
            raise HouseRuleError(
                "finish=exact cannot be combined with minimum_on_win=true: a player who needs less than the minimum"
                " could never finish; leave minimum_on_win out or set it to false",
                "minimum_on_win",
            )
        rules["minimum_on_win"] = False
    return rules


def compile_rules(rules: Mapping[str, Any]) -> PushRules:
    """Return the rules as data.

    Raises:
        InputError: options that contradict each other, or points that are not multiples of 50.
    """
    return aces_and_fives(rules, 5, minimum_on_win=rules["minimum_on_win"])
