"""The rules of push-your-luck games as the data of a certificate.

A checker derives every roll anew from this data and knows no game by its name. The data is therefore written from the
rules (``PushRules``), not from the turn that is compiled from them. Rules that the format cannot express cannot be
certified. Keys and values are described in docs/certificate-format.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, TypeGuard

from ..games.push_rules import PushRules
from ..solvers import Problem
from ..solvers.push.model import PushModel
from ..solvers.push.points import PushPointsProblem
from ..solvers.push.race_problems import PushTableProblem
from ..util.errors import InputError
from .points_prover import PushPointsProver
from .truncation import LastRoundRaceModel

OPEN_VALUE_BITS = 64  # forced rolls beyond the target are followed until less than 2 ** -64 of the value is open
# The rule ``then_all`` says what follows once all dice are set aside. By its value, the value of ``hot`` in the format.
HOT_DICE = {"roll": "free", "must": "must", "end": "none"}


def equations_to_prove(problem: PushTableProblem) -> PushModel:
    """Return the equations whose bounds are certified: those of the problem, or with a last round truncated ones.

    With a last round, a player who has reached the target may go on for more points, without a bound by rule. So
    ``LastRoundRaceModel`` truncates such turns. One player alone has no last round.
    """
    if problem.players == 1 or problem.rules.finish != "last_round":
        return problem.model
    points_past_target = past_target(problem.rules, players=2).get("past", 0)
    rows_beyond_cap = points_past_target // problem.rules.grain  # the table of a turn counts points by the grain
    # One row at least: 0 rows would say that no turn is cut short by its cap.
    return LastRoundRaceModel(problem.states, max(1, rows_beyond_cap))


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
    # With dice that are all set aside ("then_all"), or after a special roll with one of these effects, the dice can be
    # rolled again, so the turn has no last roll by rule.
    can_roll_all_again = rules.then_all != "end" or rules.has_effect("roll", "again", "same")
    is_endless = can_roll_all_again and not rules.is_single_roll
    obstacle = ""
    if has_last_round and rules.take_over != "none":
        obstacle = "last rounds with take_over"
    elif has_last_round and players > 2 and is_endless:
        obstacle = "last rounds of three or more players whose turns can go on without end"
    if obstacle:
        raise InputError(f"{game} cannot be certified yet: certificates do not support {obstacle}")


def describe_turn(rules: PushRules, objective: str) -> dict[str, Any]:
    """Return the data of a push-your-luck turn: its dice, the groups that score, and the choices that are allowed.

    ``describe_set_turn`` says what each key means.

    Args:
        rules: the rules.
        objective: what is optimized. ``points`` and ``rate`` have no target, so no bank can reach it.
    """
    specials = [
        # ``throw`` is the counts of the faces of the one roll that is special, so least and most counts are equal.
        describe_special_roll(special.throw, special.throw, special.effect, special.points)
        for special in rules.specials
    ]
    return describe_set_turn(
        dice=[[kind.count, list(kind.weights)] for kind in rules.die_kinds],  # [number, weight of each face] by kind
        groups=scoring_groups(rules),
        # A set to be confirmed is known by its counts, so it cannot be split into groups.
        whole=rules.scores_whole_sets or rules.has_confirmations,
        specials=specials,
        take=rules.set_aside,
        # By number, the faces that may be rolled again although they score.
        leave=[face for face, is_allowed in enumerate(rules.then_leave) if is_allowed],
        most=rules.dice,  # any number of dice of a roll may be set aside
        hot=HOT_DICE[rules.then_all],
        stop="all" if rules.never_stops else "free",
        below="nothing" if rules.stop_below == "end" else "throw",
        once=rules.is_single_roll,
        choose=rules.chooses_dice,
        opening=rules.opening,
        minimum=rules.minimum,
        # Whether a bank that reaches the target counts with fewer points than the minimum.
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
        "doubled": [],  # used in place of "specials" for a roll before which the player doubles
        "take": "free",  # which scoring sets may be set aside
        "leave": [],  # faces that need not be set aside
        "most": 0,  # how many dice of one roll may be set aside
        "hot": "free",  # whether all dice are rolled again once all are set aside
        "stop": "free",  # whether the player may stop before any roll
        "below": "nothing",  # with too few points to count, a stop scores "nothing", or the player has to "throw"
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


def describe_special_roll(
    min_counts: Sequence[int], max_counts: Sequence[int], effect: str, points: int = 0, factor: int = 1
) -> list[Any]:
    """Return the data of a special roll of a certificate: a roll that has an effect and is not split into groups.

    Args:
        min_counts: by face, the least number of dice of such a roll that show it.
        max_counts: by face, the greatest number of dice that show it.
        effect: what the roll does, such as "bust", "wipe" or "score"; docs/certificate-format.md lists all effects.
        points: the turn points that the roll adds.
        factor: by what the turn points before the roll are multiplied; 0 or False if they are lost.
    """
    return [list(min_counts), list(max_counts), effect, points, factor]


def scoring_groups(rules: PushRules) -> list[list[Any]]:
    """Return the groups of dice that score, each as a list [face counts, points].

    If scores must be confirmed by another roll, every set that scores is listed. A set that must be confirmed has a
    third item: the faces that make the confirming roll void, so that it is made again. For example, [[0, 3, 0], 20] is
    three dice of the second face for 20 points; [[0, 3, 0], 20, [1]] has to be confirmed.
    """
    if not rules.has_confirmations:
        return [[list(pattern.dice), pattern.points] for pattern in rules.patterns]
    max_size = rules.hand_size(rules.dice)  # the dice of all kinds together
    faces = range(len(rules.faces))
    groups: list[list[Any]] = []
    for size in range(1, max_size + 1):
        for dice in combinations_with_replacement(faces, size):
            counts = tuple(map(dice.count, faces))
            reading = rules.reading(counts)
            if not reading:  # the set does not score
                continue
            group: list[Any] = [list(counts), reading.points]
            void_faces = rules.faces_to_reroll(counts)
            if void_faces is not None:  # the set must be confirmed
                group.append(list(void_faces))
            groups.append(group)
    return groups


def is_proved_compiled(problem: Problem[Any]) -> TypeGuard[PushTableProblem | PushPointsProblem]:
    """Return whether the bounds of a problem are proved with the compiled push-your-luck turn.

    Turns for points are an exception in two cases: more than some turn points are a bust (``bust_above``), or the
    fewest points are best. They are then proved by walking the game as it is played.
    """
    if isinstance(problem, PushTableProblem):
        return True
    if not isinstance(problem, PushPointsProblem):
        return False
    return not problem.rules.bust_above and problem.rules.best != "lowest"


def describe_truncation(problem: PushTableProblem | PushPointsProblem) -> dict[str, Any]:
    """Return where turns are truncated, as data for the header of a certificate; empty if all are followed to the end.

    Turns for points have the keys ``level``, ``past`` and ``gamma`` (see ``PushPointsProver.truncation_data``). Races
    have ``past`` if forced rolls can go on beyond the target. With a last round they have ``level``: the total, score
    with turn points, at which turns are truncated.
    """
    if isinstance(problem, PushPointsProblem):
        return PushPointsProver(problem).truncation_data()
    truncation = past_target(problem.rules, problem.players)
    equations = equations_to_prove(problem)
    if isinstance(equations, LastRoundRaceModel):
        truncation["level"] = equations.max_total * problem.rules.grain  # compiled totals are divided by the grain
    return truncation


def past_target(rules: PushRules, players: int) -> dict[str, Any]:
    """Return {"past": points}: how far beyond the target forced rolls are followed; {} if none can go on there.

    Let p be the largest probability that a forced roll leads to another. After n of them the value that is still open
    is at most p ** n, which is less than 2 ** -64 for n > 64 ln 2 / -ln p. So n rolls of the most points are followed.

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
    max_offer = rules.target if has_takeover else 0  # the most points that a turn can take over and begin with
    return {"past": rolls * max_points_of_roll + max_offer}
