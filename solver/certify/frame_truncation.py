"""Truncation of a frame of Straight Scarney, as data for the header of a certificate.

For the win, a frame is truncated at a number of turn points that hardly any frame brings. For points, the level l is
one from which stopping is best (T4; see Lemma C in docs/exactness.md). A frame can lose its points and go on.
The truncation therefore also states gamma_m, an upper bound of the points that mode m still brings:

    sum over classes  w (points added + gamma of the next mode)  <=  W gamma_m      for every roll of mode m

Here w are the weights of the roll classes that go on, and W is the weight of all classes. Every class of a frame has
one choice. *Live* dice are those that are not out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from ..games.scarney import DICE, ScarneyRules
from ..solvers.scarney.problem import CUT_PROBABILITY, frame_cap
from ..turns.push_turn import PushTurn, Roll, TurnChoice
from ..util.errors import SolveError
from .points_prover import GAMMA_DENOMINATOR, GAMMA_PASSES, ROUNDING_ALLOWANCE, rolls_by_mode, total_weight


def frame_rules(playable: Any) -> ScarneyRules:
    """Return the rules of one frame of a game as it is played."""
    rules: ScarneyRules = playable.game.data
    return replace(rules, big_scarney_wins=playable.big)


def describe_frame_truncation(playable: Any) -> dict[str, Any]:
    """Return the truncation of a frame of Straight Scarney as data for the header of a certificate.

    Its keys are ``level``, the turn points from which a player stops if allowed, and for points ``worth``: gamma as
    [numerator, denominator], by name of a mode. A name is the JSON text of [[live dice], whether they must be rolled],
    or "null" where the frame begins.

    Args:
        playable: the game as it is played.
    """
    rules = frame_rules(playable)
    if playable.players > 1:  # for the win, hardly any frame brings so many points
        level, *_ = frame_cap(rules.turn, CUT_PROBABILITY)
        return {"level": level}
    gamma = _find_gamma(rules.turn)
    mode_of_name: dict[str, int] = {}
    for live in range(1, DICE + 1):
        mode_of_name[f"[[{live}], true]"] = rules.no_points_mode(live)
        mode_of_name[f"[[{live}], false]"] = rules.points_mode(live)
    mode_of_name["null"] = rules.no_points_mode(DICE)  # the frame begins
    worth = {name: [*gamma[mode].as_integer_ratio()] for name, mode in mode_of_name.items()}
    return {"level": ceil(_find_level(rules.turn, gamma)), "worth": worth}


def _choices_going_on(roll: Roll) -> list[tuple[TurnChoice, int]]:
    """Return the choices of a roll that lead to another mode, each with the weight of its class."""
    return [(choice, weight) for (choice,), weight in roll.classes if choice.next_mode >= 0]


def _added_sum(roll: Roll, gamma: Sequence[Any]) -> Any:
    """Return the sum of weight * (points added + gamma of the next mode) over the classes of a roll that go on.

    Divided by the weight of all classes, it is a lower bound of gamma of the mode that offers the roll.

    Args:
        roll: the roll.
        gamma: by mode, the most points that it still brings: floats while it is estimated, fractions when it is
            verified.
    """
    return sum(weight * (choice.added_points + gamma[choice.next_mode]) for choice, weight in _choices_going_on(roll))


def _find_gamma(turn: PushTurn) -> list[Fraction]:
    """Return gamma by mode: an upper bound of the points that a frame still brings there, as fractions.

    Several passes over all rolls raise it in floating point to what each roll brings. The result is rounded up, and
    verified in fractions.

    Args:
        turn: the compiled frame.

    Raises:
        SolveError: gamma does not satisfy the inequality.
    """
    rolls = list(rolls_by_mode(turn))
    estimates = [0.0] * len(turn.modes)
    for _ in range(GAMMA_PASSES):
        before = estimates.copy()
        for mode, roll in rolls:
            mean = _added_sum(roll, estimates) / total_weight(roll)
            estimates[mode] = max(estimates[mode], mean)
        if estimates == before:  # so no further pass would change anything
            break
    gamma: list[Fraction] = []
    for estimate in estimates:
        # A little more than the estimate, so that the inequality below holds with some room.
        numerator = ceil(estimate * GAMMA_DENOMINATOR * ROUNDING_ALLOWANCE) + 1
        gamma.append(Fraction(numerator, GAMMA_DENOMINATOR))
    for mode, roll in rolls:
        if _added_sum(roll, gamma) > total_weight(roll) * gamma[mode]:
            raise SolveError("no bound can be proved for the rest of a frame in which points were lost")
    return gamma


def _find_level(turn: PushTurn, gamma: Sequence[Fraction]) -> Fraction:
    """Return a number of turn points from which stopping is best in a frame, whose roll classes have one choice each.

    Let z be the most that is left once points are lost. With t turn points a roll brings the mean of t + added over the
    classes that keep the points, and at most z over the others. That is no more than t, which stopping brings, if

        t  >=  z + (weighted sum of the points added) / (weight of the classes that lose the points)

    Args:
        turn: the compiled frame.
        gamma: by mode, the most points that it still brings.
    """
    rolls = [roll for _, roll in rolls_by_mode(turn)]
    losing_choices = []  # those that lose the points and go on with the frame
    for roll in rolls:
        losing_choices += [choice for choice, _ in _choices_going_on(roll) if not choice.keeps_points]
    value_once_lost = max(choice.added_points + gamma[choice.next_mode] for choice in losing_choices)  # z
    level = Fraction(0)
    for roll in rolls:
        keeping_choices = [(choice, weight) for choice, weight in _choices_going_on(roll) if choice.keeps_points]
        # Every roll of a frame can lose the points, so this is above 0.
        lost_weight = total_weight(roll) - sum(weight for _, weight in keeping_choices)
        added_sum = sum(choice.added_points * weight for choice, weight in keeping_choices)
        level = max(level, value_once_lost + Fraction(added_sum, lost_weight))
    return level
