"""Farkle: six dice, first to 10,000. Source: Busche & Neller, Optimal Play of the Farkle Dice Game, ACG 2017."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .push_rules import GRAIN_OF_ACES_AND_FIVES, PushRules, aces_and_fives, check_bank
from .rule_options import Option

TITLE = "Farkle"
FAMILY = "push"
SOURCES = (("Busche & Neller, Optimal Play of the Farkle Dice Game, ACG", 2017),)
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option(
        "target",
        10_000,
        "the first player with at least this many points wins",
        low=50,
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "opening",
        0,
        "least points of the first bank, in one turn; the paper asks for none, many tables for 500 or 1,000",
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "minimum",
        0,
        "least points of every bank; the paper asks for none",
        high=50_000,
        step=GRAIN_OF_ACES_AND_FIVES,
    ),
    Option(
        "finish",
        "at_least",
        "at_least: at least the target wins at once; exact: a set that would pass the target may not be taken;"
        " last_round: once a player has the target, every other player has one last turn, and the highest total wins",
        choices=("at_least", "exact", "last_round"),
    ),
    Option(
        "set_aside",
        "free",
        "free: any set of scoring dice may be taken; all: every scoring die of the roll is taken, at its highest score",
        choices=("free", "all"),
    ),
    Option(
        "hot_dice",
        "free",
        "free: once all six dice are set aside they may all be rolled again; must: they must be; none: the turn ends",
        choices=("free", "must", "none"),
    ),
    Option("straight", 0, "1 to 6 on one roll; the paper scores none", high=50_000, step=GRAIN_OF_ACES_AND_FIVES),
    Option(
        "kinds",
        "plain",
        "plain: triples score 1,000 for 1s and 100 x face for others, and nothing else counts; doubling: each die"
        " beyond three doubles the triple",
        choices=("plain", "doubling"),
    ),
)


def compile_rules(rules: Mapping[str, Any]) -> PushRules:
    """Return the rules as data.

    Raises:
        InputError: options that contradict each other, or points that are not multiples of 50.
    """
    then_all = {"free": "roll", "must": "must", "none": "end"}[rules["hot_dice"]]
    data = aces_and_fives(rules, 6, minimum_on_win=rules["finish"] != "exact", then_all=then_all)
    if data.then_all == "end":
        check_bank(data)
    return data
