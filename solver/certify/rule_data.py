"""The rules of push-your-luck games as the data of a certificate.

A checker derives every roll anew from this data and knows no game by its name. The data is therefore written from the
rules (``PushRules``), not from the turn that is compiled from them. Rules that the format cannot express cannot be
certified. Keys and values are described in docs/certificate-format.md.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any, TypeGuard

from ..games.push_rules import PushRules
from ..solvers import Problem
from ..solvers.push.model import PushModel
from ..solvers.push.points import PushPointsProblem
from ..solvers.push.race_problems import PushTableProblem
from ..util.errors import InputError
from .points_prover import PushPointsProver
from .truncation import LastRounds

OPEN_VALUE_BITS = 64  # forced rolls beyond the target are followed until less than 2 ** -64 of the value is open
HOT_DICE = {"roll": "free", "must": "must", "end": "none"}  # ``then_all``, in the words of the format


def equations_to_prove(problem: PushTableProblem) -> PushModel:
    """Return the equations whose bounds are certified: those of the problem, or with a last round their truncation."""
    if problem.players == 1 or problem.rules.finish != "last_round":
        return problem.model
    points_past_target = past_target(problem.rules, 2).get("past", 0)
    rows_beyond_cap = points_past_target // problem.rules.grain
    return LastRounds(problem.states, max(1, rows_beyond_cap))


def check_expressible(game: str, rules: PushRules, players: int) -> None:
    """Check that the certificate format can express the rules of a turn.

    Args:
        game: the id of the game, for the message.
        rules: the rules.
        players: the number of players.

    Raises:
        InputError: it cannot.
    """
    has_last_round = players > 1 and rules.finish == "last_round"
    can_roll_all_again = rules.then_all != "end" or rules.has_effect("roll", "again", "same")
    is_endless = can_roll_all_again and not rules.is_single_roll
    obstacle = ""
    if has_last_round and rules.take_over != "none":
        obstacle = "last rounds with takeover"
    elif has_last_round and players > 2 and is_endless:
        obstacle = "last rounds of three or more players whose turns can go on without end"
    if obstacle:
        raise InputError(f"{game} cannot be certified yet: certificates do not support {obstacle}")


def describe_turn(rules: PushRules, objective: str) -> dict[str, Any]:
    """Return the data of a turn: its dice, the groups of dice that score, and the choices that are allowed.

    Args:
        rules: the rules.
        objective: what is optimized; without a target some rules have no meaning.
    """
    # The least and the most counts of faces, the effect, points, and how often turn points are kept.
    specials = [[[*special.throw], [*special.throw], special.effect, special.points, 1] for special in rules.specials]
    return describe_set_turn(
        dice=[[kind.count, list(kind.weights)] for kind in rules.die_kinds],
        groups=scoring_groups(rules),
        whole=rules.scores_whole_sets or rules.has_confirmations,
        specials=specials,
        take=rules.set_aside,
        leave=[face for face, is_allowed in enumerate(rules.then_leave) if is_allowed],
        most=rules.dice,
        hot=HOT_DICE[rules.then_all],
        stop="all" if rules.never_stops else "free",
        below="nothing" if rules.stop_below == "end" else "throw",
        once=rules.is_single_roll,
        choose=rules.chooses_dice,
        opening=rules.opening,
        minimum=rules.minimum,
        waived=not rules.minimum_on_win and objective not in ("points", "rate"),
        costs=list(rules.bust_costs),
        stays=rules.bust_count == "stays",
        floor=rules.bust_floor,
        above=rules.bust_above,
        lowest=rules.best == "lowest",
    )


def describe_set_turn(**changes: Any) -> dict[str, Any]:
    """Return the data of a turn of kind "sets": neutral values, replaced by ``changes``.

    In such a turn dice are rolled, some that score are set aside, and the player stops or rolls the others.
    docs/certificate-format.md says exactly what the keys mean.
    """
    return {
        "kind": "sets",
        "dice": [],  # kinds of dice: how many, and the weights of the faces
        "groups": [],  # dice that score: counts of faces, and points
        "whole": False,  # whether dice that are set aside must be one group, not several
        "specials": [],  # rolls with an effect of their own
        "doubled": [],  # special rolls in place of these, if the player decides so before the roll
        "take": "free",  # which scoring sets may be set aside
        "leave": [],  # faces that need not be set aside
        "most": 0,  # how many dice of one roll may be set aside
        "hot": "free",  # whether all dice are rolled again once all are set aside
        "stop": "free",  # whether the player may stop before any roll
        "below": "nothing",  # what a stop with too few points is
        "once": False,  # whether the turn is one roll
        "choose": False,  # whether the player chooses the number of dice
        "opening": 0,  # turn points that the first bank needs
        "minimum": 0,  # turn points that every bank needs
        "waived": False,  # whether a bank that reaches the target counts in any case
        "costs": [],  # what busts in a row cost
        "stays": False,  # whether the last of these costs is repeated
        "floor": 0,  # score below which no bust leads
        "above": 0,  # turn points beyond which no choice may lead; 0 for no limit
        "lowest": False,  # whether the fewest points are best
        **changes,
    }


def scoring_groups(rules: PushRules) -> list[list[Any]]:
    """Return the groups of dice that score: face counts and points.

    If scores must be confirmed, every scoring set is listed, with the faces that are rolled over to confirm it. For
    example, [[0, 3, 0], 20] are three dice of the second face for 20 points; [[0, 3, 0], 20, [1]] has to be confirmed.
    """
    if not rules.has_confirmations:
        return [[list(pattern.dice), pattern.points] for pattern in rules.patterns]
    max_size = rules.hand_size(rules.dice)
    faces = range(len(rules.faces))
    groups: list[list[Any]] = []
    for size in range(1, max_size + 1):
        for dice in combinations_with_replacement(faces, size):
            counts = tuple(map(dice.count, faces))
            reading = rules.reading(counts)
            if not reading:  # the set does not score
                continue
            group: list[Any] = [list(counts), reading.points]
            faces_rolled_over = rules.faces_to_reroll(counts)
            if faces_rolled_over is not None:
                group.append(list(faces_rolled_over))
            groups.append(group)
    return groups


def is_proved_compiled(problem: Problem[Any]) -> TypeGuard[PushTableProblem | PushPointsProblem]:
    """Return whether bounds are proved with the compiled push-your-luck turn.

    Points that are limited from above, or of which the fewest are best, are proved by playing the game instead.
    """
    is_bounded = isinstance(problem, PushPointsProblem) and (problem.rules.bust_above or problem.rules.best == "lowest")
    return isinstance(problem, (PushTableProblem, PushPointsProblem)) and not is_bounded


def describe_truncation(problem: PushTableProblem | PushPointsProblem) -> dict[str, Any]:
    """Return where turns are truncated: for points without a bound, for last rounds, and for forced rolls.

    The keys are ``level``, ``past``, ``gamma`` and ``worth``, as in the header of a certificate. Those that do not
    apply are left out.
    """
    if isinstance(problem, PushPointsProblem):
        return PushPointsProver(problem).truncation_data()
    truncation = past_target(problem.rules, problem.players)
    equations = equations_to_prove(problem)
    if isinstance(equations, LastRounds):
        truncation["level"] = equations.max_total * problem.rules.grain
    return truncation


def past_target(rules: PushRules, players: int) -> dict[str, Any]:
    """Return as ``past`` the points beyond the target up to which forced rolls are followed, if there are any.

    Let p be the largest probability that a forced roll leads to another. After n of them the value that is still open
    is at most p ** n, which is less than 2 ** -64 for n > 64 ln 2 / -ln p.

    Args:
        rules: the rules.
        players: the number of players.
    """
    repeat_probability = rules.turn.forced_probability
    if rules.turn.forbids_overshoot or not repeat_probability:
        return {}
    rolls = math.ceil(OPEN_VALUE_BITS * math.log(2) / -math.log(repeat_probability))
    max_points_of_roll = rules.turn.max_added_points * rules.grain
    has_takeover = players > 1 and rules.take_over != "none"
    max_offer = rules.target if has_takeover else 0  # points with which a turn can begin
    return {"past": rolls * max_points_of_roll + max_offer}
