"""Page data with which a player chooses the hands of both seats from a catalogue; the page then solves them itself."""

from __future__ import annotations

from typing import Any

from ...games import Game
from ...games.dice_catalogue import FACES, load_catalogue
from ...games.dice_keys import CATALOGUE_KEY, DICE_KEYS, HAND_KEY
from ...games.ruleset import Rules
from ...games.seat_rules import SEAT_KEY, hands_of_seats
from ...solvers import Problem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.push.race_solver import CERTAIN_STOP_LOSS
from ...solvers.push.unlike_race import UnlikeRaceProblem
from ...solvers.reference_solver import ZERO_TURN_TOLERANCE
from ...storage.table_files import FORMAT
from .hands import can_build_hands, describe_sets

MAX_TARGET = 10_000  # that a player can choose on the page
# By rule of a race, the key of the option that has it in rule files.
STOP_KEYS = {"opening": "stop.opening", "minimum": "stop.at_least", "minimum_on_win": "stop.on_win"}


def chooser_data(problem: Problem[Any]) -> dict[str, Any] | None:
    """Return what a page needs to let players choose hands; None if it cannot solve the race for other hands.

    A page can do so for a race of two that ends at the target, whose seats differ in their hands only.
    """
    game = problem.game
    rules = Rules(game.rules).plain()
    if (
        CATALOGUE_KEY not in rules
        or problem.players != 2
        or not isinstance(problem, (PushWinProblem, UnlikeRaceProblem))
    ):
        return None
    seat_rules: dict[str, Any] = rules.get(SEAT_KEY, {})
    if any(key != HAND_KEY for changes in seat_rules.values() for key in changes):
        return None
    hands = hands_of_seats(game, problem.players)
    if not all(hands) and any(key in rules for key in DICE_KEYS):
        return None  # dice of a rule file that are in no catalogue
    catalogue = load_catalogue(rules[CATALOGUE_KEY])
    shared = {key: value for key, value in rules.items() if key not in (HAND_KEY, SEAT_KEY, "dice", *DICE_KEYS)}
    any_die = {"name": "any", "count": catalogue.size, "weights": [1] * (FACES + 1)}  # shows the wild face, too
    any_rules = Game(game.id, {**shared, HAND_KEY: [any_die]}).data
    if any_rules.finish != "at_least" or not can_build_hands([any_rules]):
        return None
    key = problem.playable.problem_key
    fair = [{"name": catalogue.fair_die, "count": catalogue.size}]
    return {
        "size": catalogue.size,
        "dice": [[name, list(weights)] for name, weights in catalogue.weights.items()],
        "hands": [[[die["name"], die["count"]] for die in hand or fair] for hand in hands],
        "sets": describe_sets([any_rules]),
        "question": {
            "format": FORMAT,
            **key,
            "rules": {name: key["rules"][name] for name in shared if name in key["rules"]},
        },
        "race": {
            "opening": any_rules.opening,
            "minimum": any_rules.minimum,
            "minimum_on_win": any_rules.minimum_on_win,
        },
        "keys": STOP_KEYS,
        "max_target": max(MAX_TARGET, any_rules.target),
        "settled": ZERO_TURN_TOLERANCE,
        "certain": CERTAIN_STOP_LOSS,
    }
